//! Decisions about a text, made once per snapshot: its encoding, what ends its lines, how they usually end.

use std::path::Path;

use crate::encoding::{self, Codec, Declaration};
use crate::error::Result;
use crate::scan::{LineEnds, Rule, Terminator, to_usize};
use crate::size::zeros;
use crate::source::Source;

/// How many bytes of a large file are examined.
pub const HEAD_BYTES: u64 = 1 << 20;
/// Up to this size the whole file is examined.
const WHOLE_BYTES: u64 = 16 << 20;
/// Up to this size a file without any LF is split on CR; finding out requires a search of the whole file.
const CR_FILE_BYTES: u64 = 256 << 20;
/// Bytes per read when the whole file must be searched for an LF.
const STEP: usize = 256 << 10;
/// Bytes per read of the check for common text; a buffer of this size stays in the processor's cache.
const PIECE: usize = 64 << 10;

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnding {
    /// LF, or no line ending at all.
    Lf,
    /// CR LF.
    Crlf,
    /// CR, in a file without any LF.
    Cr,
    /// Both LF and CR LF.
    Mixed,
}

impl LineEnding {
    /// The name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Cr => "cr",
            Self::Mixed => "mixed",
        }
    }
}

/// The decisions about a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextPlan {
    /// The codec that decodes the text.
    pub codec: Codec,
    /// The confidence in the codec, from 0 to 1.
    pub confidence: f32,
    /// The encoding that the text declares, if it is used or differs from the detected one.
    pub declared: Option<Declaration>,
    /// The length of the byte-order mark, which is hidden, in bytes.
    pub bom_len: u64,
    /// What ends a line.
    pub terminator: Terminator,
    /// How lines usually end; always [`LineEnding::Lf`] unless the rule is [`LineEnds::Detected`].
    pub line_ending: LineEnding,
    /// Whether all bytes are known to be printable ASCII, TAB and LF.
    pub is_plain: bool,
    /// Whether the whole file was examined, so that appended bytes may change the decision.
    pub depends_on_end: bool,
}

impl TextPlan {
    /// The result of [`TextPlan::decide`] for printable ASCII, TAB and LF only, with at least one LF.
    pub const PLAIN: Self = Self {
        codec: Codec::Utf8,
        confidence: 1.0,
        declared: None,
        bom_len: 0,
        terminator: Terminator { width: 1, big_endian: false, value: b'\n', rule: Rule::OptionalCr },
        line_ending: LineEnding::Lf,
        is_plain: true,
        depends_on_end: true,
    };

    /// Decides about `source`; `ends` is the rule for line ends, which may be [`LineEnds::Detected`].
    ///
    /// # Errors
    /// Those of reading.
    pub fn decide(source: Source<'_>, path: &Path, explicit: Option<Codec>, ends: LineEnds) -> Result<Self> {
        let size = source.size();
        let head_bytes = if size <= WHOLE_BYTES { size } else { HEAD_BYTES };
        if explicit.is_none() && matches!(source, Source::File { .. }) && is_common(source, path, head_bytes)?
        {
            let depends_on_end = head_bytes == size;
            let terminator = Terminator::new(Codec::Utf8, ends);
            return Ok(Self { terminator, is_plain: false, depends_on_end, ..Self::PLAIN });
        }
        let read;
        let head = match source {
            Source::Memory(bytes) => bytes,
            Source::File { .. } => {
                read = source.bytes(path, 0, to_usize(head_bytes))?;
                &read
            }
        };
        let head = &head[..to_usize(head_bytes)];
        let complete = head_bytes == size;
        let detected = match explicit {
            Some(codec) => encoding::with_codec(codec, head),
            None => encoding::detect(head, complete),
        };
        let lf = Terminator::new(detected.codec, LineEnds::Lf);
        let mut plan = Self {
            codec: detected.codec,
            confidence: detected.confidence,
            declared: detected.declared,
            bom_len: detected.bom_len as u64,
            terminator: Terminator::new(detected.codec, ends),
            line_ending: if ends == LineEnds::Detected { line_ending(head, lf) } else { LineEnding::Lf },
            is_plain: false,
            depends_on_end: complete,
        };
        if ends == LineEnds::Detected && size <= CR_FILE_BYTES && lf.find(head, 0).is_none() {
            plan.depends_on_end = true;
            if has_only_cr(source, path, lf)? {
                plan.terminator = lf.unit(b'\r');
                plan.line_ending = LineEnding::Cr;
            }
        }
        Ok(plan)
    }
}

/// Whether the first bytes are UTF-8 with LF, and contain nothing that requires a full examination: marks,
/// NULs, escapes, CRs, or a declaration of another encoding.
///
/// This is true of nearly all large files. The bytes are checked in pieces that fit into the processor's
/// cache, which takes half as long as checking all of them at once.
fn is_common(source: Source<'_>, path: &Path, head_bytes: u64) -> Result<bool> {
    let mut buffer = zeros(path, PIECE.min(to_usize(head_bytes)))?;
    let (mut offset, mut cut, mut has_lf) = (0, 0, false);
    while offset < head_bytes {
        let length = (buffer.len() - cut).min(to_usize(head_bytes - offset));
        let count = source.read_at(path, offset, &mut buffer[cut..cut + length])?;
        let piece = &buffer[..cut + count];
        if (offset == 0 && (piece.starts_with(b"\xEF\xBB\xBF") || encoding::declares_another(piece)))
            || memchr::memchr3(0, 0x1B, b'\r', &piece[cut..]).is_some()
        {
            return Ok(false);
        }
        has_lf = has_lf || memchr::memchr(b'\n', piece).is_some();
        offset += count as u64;
        cut = match simdutf8::compat::from_utf8(piece) {
            Ok(_) => 0,
            // An incomplete character, which the next piece completes or the end of the head cuts.
            Err(error) if error.error_len().is_none() && offset < source.size() => {
                let start = error.valid_up_to();
                let rest = piece.len() - start;
                buffer.copy_within(start..start + rest, 0);
                rest
            }
            Err(_) => return Ok(false),
        };
    }
    Ok(has_lf)
}

fn line_ending(head: &[u8], lf: Terminator) -> LineEnding {
    let cr = lf.unit(b'\r');
    if cr.find(head, 0).is_none() {
        return LineEnding::Lf;
    }
    let (mut bare, mut pairs) = (false, false);
    let mut from = 0;
    while let Some(ending) = lf.find(head, from) {
        let at = ending.start;
        let pair = at >= lf.width && cr.is_at(head, at - lf.width);
        pairs |= pair;
        bare |= !pair;
        if bare && pairs {
            return LineEnding::Mixed;
        }
        from = ending.end;
    }
    if pairs { LineEnding::Crlf } else { LineEnding::Lf }
}

/// Whether there is a CR and no LF anywhere.
fn has_only_cr(source: Source<'_>, path: &Path, lf: Terminator) -> Result<bool> {
    let cr = lf.unit(b'\r');
    let mut buffer = zeros(path, STEP.min(to_usize(source.size())))?;
    let mut found_cr = false;
    let mut offset = 0;
    loop {
        let count = source.read_at(path, offset, &mut buffer)?;
        let chunk = &buffer[..count];
        if lf.find(chunk, 0).is_some() {
            return Ok(false);
        }
        found_cr = found_cr || cr.find(chunk, 0).is_some();
        offset += count as u64;
        if count < buffer.len() || count == 0 {
            return Ok(found_cr);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Patience;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn test_decide_gives_the_same_plan_for_a_file_and_its_bytes() {
        let long =
            |middle: &[u8]| [b"line \xC3\xA9\n".repeat(20_000), middle.to_vec(), b"end\n".repeat(9)].concat();
        // A character across the border of two pieces, and an incomplete one at the end.
        let border = [b"a".repeat(PIECE - 2), "€\n".as_bytes().repeat(3)].concat();
        let cut = [b"a\n".repeat(PIECE), b"\xE2\x82".to_vec()].concat();
        for bytes in [
            long(b""),
            long(b"\r\n"),
            long(b"\0"),
            long(b"\x1B[31m"),
            long(b"\x1B$B$\"\x1B(B"),
            long(b"\xFF"),
            [b"\xEF\xBB\xBF".to_vec(), long(b"")].concat(),
            b"no line feed ".repeat(9_000),
            b"one\rtwo\r".repeat(9_000),
            border,
            cut,
            b"caf\xE9\n".repeat(30_000),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let size = bytes.len() as u64;
            let source =
                Source::File { descriptor: file.as_fd(), size, scans: None, patience: Patience::Waits };
            let path = Path::new("a");
            let plan = TextPlan::decide(source, path, None, LineEnds::Detected).unwrap();
            assert_eq!(
                plan,
                TextPlan::decide(Source::Memory(&bytes), path, None, LineEnds::Detected).unwrap()
            );
        }
    }
}
