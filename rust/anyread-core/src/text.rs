//! Decisions about a text, made once per snapshot: its encoding, what ends its lines, how they usually end.

mod survey;

use std::path::Path;

use crate::encoding::{self, Codec, Declaration};
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::index::LineIndex;
use crate::lock::NoLockHeld;
use crate::memory::zeros;
use crate::scan::{Interrupt, LineEnds, Never, Rule, Terminator, to_usize};
use crate::source::Source;
use survey::{Survey, SurveyTask, survey};

/// How many bytes of a large file are examined.
pub const HEAD_BYTES: u64 = 1 << 20;
/// Up to this size the whole file is examined.
const WHOLE_BYTES: u64 = 16 << 20;
/// The same two sizes for a copy of a file that is elsewhere, because all of it would be fetched.
pub const WHOLE_COPY_BYTES: u64 = 1 << 20;
const COPY_HEAD_BYTES: u64 = 128 << 10;
/// Up to this size a file without any LF is split on CR; finding out requires a search of the whole file.
const CR_FILE_BYTES: u64 = 256 << 20;
/// Bytes per read when the whole file must be searched for an LF.
const STEP: usize = 256 << 10;

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

/// How many bytes of a file are examined.
fn head_bytes(source: Source<'_>) -> u64 {
    let (whole, head) =
        if source.is_copy() { (WHOLE_COPY_BYTES, COPY_HEAD_BYTES) } else { (WHOLE_BYTES, HEAD_BYTES) };
    if source.size() <= whole { source.size() } else { head }
}

/// What is learnt about a text when it is first read.
#[derive(Debug)]
pub struct Learned {
    /// The decisions.
    pub plan: TextPlan,
    /// The line endings of its leading blocks, if they were counted at the same time.
    pub index: LineIndex,
}

impl From<TextPlan> for Learned {
    fn from(plan: TextPlan) -> Self {
        Self { plan, index: LineIndex::default() }
    }
}

impl Learned {
    /// Decides about `source` as [`TextPlan::decide`] does, and counts its lines if that takes no further pass.
    ///
    /// # Errors
    /// Those of reading, and [`ErrorKind::Cancelled`](crate::error::ErrorKind::Cancelled).
    pub fn of(
        source: Source<'_>,
        path: &Path,
        explicit: Option<Codec>,
        ends: LineEnds,
        interrupt: &dyn Interrupt,
    ) -> Result<Self> {
        match TextPlan::of_common(source, path, explicit, ends, interrupt)? {
            Some(learned) => Ok(learned),
            None => TextPlan::of_any(source, path, explicit, ends, interrupt).map(Self::from),
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
        Learned::of(source, path, explicit, ends, &Never).map(|learned| learned.plan)
    }

    /// The result of [`TextPlan::decide`] for a file, from a [`survey`] of its head; `None` if that is not
    /// enough.
    fn of_common(
        source: Source<'_>,
        path: &Path,
        explicit: Option<Codec>,
        ends: LineEnds,
        interrupt: &dyn Interrupt,
    ) -> Result<Option<Learned>> {
        if source.is_in_memory() || explicit.is_some_and(|codec| codec != Codec::Utf8) {
            return Ok(None);
        }
        let head_bytes = head_bytes(source);
        let depends_on_end = head_bytes == source.size();
        if !source.allows(head_bytes) {
            return Err(Error::new(path, ErrorKind::WouldBlock(Blocked::Work)));
        }
        let terminator = Terminator::new(Codec::Utf8, ends);
        let counts = depends_on_end && terminator.is_single();
        let task = SurveyTask { head_bytes, is_utf8: explicit.is_some(), counts };
        let Some(Survey { bom_len, line_ending, index }) = survey(source, path, task, interrupt)? else {
            return Ok(None);
        };
        let line_ending = if ends == LineEnds::Detected { line_ending } else { LineEnding::Lf };
        let plan = Self { bom_len, terminator, line_ending, is_plain: false, depends_on_end, ..Self::PLAIN };
        Ok(Some(Learned { plan, index }))
    }

    /// [`TextPlan::decide`] by a full examination of the head.
    fn of_any(
        source: Source<'_>,
        path: &Path,
        explicit: Option<Codec>,
        ends: LineEnds,
        interrupt: &dyn Interrupt,
    ) -> Result<Self> {
        let size = source.size();
        let head_bytes = head_bytes(source);
        let read;
        let head = match source {
            Source::Memory(bytes) => bytes,
            Source::File { .. } | Source::Decompressed(_) => {
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
            let cr = lf.unit(b'\r');
            // Of a copy, the rest is not fetched for it.
            let is_head_enough = source.is_copy() && !complete;
            let has_only_cr = if is_head_enough {
                cr.find(head, 0).is_some()
            } else {
                has_only_cr(source, path, lf, interrupt)?
            };
            if has_only_cr {
                plan.terminator = cr;
                plan.line_ending = LineEnding::Cr;
            }
        }
        Ok(plan)
    }
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
fn has_only_cr(source: Source<'_>, path: &Path, lf: Terminator, interrupt: &dyn Interrupt) -> Result<bool> {
    let cr = lf.unit(b'\r');
    let mut buffer = zeros(path, STEP.min(to_usize(source.size())))?;
    let mut found_cr = false;
    let mut offset = 0;
    loop {
        if interrupt.interrupted(NoLockHeld::check()) {
            return Err(Error::new(path, ErrorKind::Cancelled));
        }
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
    use crate::source::Waiting;
    use std::cell::Cell;
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::AsFd;

    fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn source_of<'f>(file: &'f File, bytes: &[u8]) -> Source<'f> {
        let size = bytes.len() as u64;
        Source::File {
            descriptor: file.as_fd(),
            size,
            scans: None,
            waiting: Waiting::Allowed,
            head: &[],
            present: None,
        }
    }

    /// Counts the checks, and interrupts at the last one.
    struct InterruptAt {
        last: usize,
        checks: Cell<usize>,
    }

    impl Interrupt for InterruptAt {
        fn interrupted(&self, _proof: NoLockHeld) -> bool {
            self.checks.set(self.checks.get() + 1);
            self.checks.get() >= self.last
        }

        fn scanned(&self, _bytes: u64) {}
    }

    #[test]
    fn test_interrupt_ends_the_search_for_a_line_feed() {
        for bytes in [b"x".repeat(4 << 20), b"line\r".repeat(1 << 20)] {
            let (file, path) = (file_of(&bytes), Path::new("a"));
            let learn = |last| {
                let interrupt = InterruptAt { last, checks: Cell::new(0) };
                let source = source_of(&file, &bytes);
                let learned = Learned::of(source, path, None, LineEnds::Detected, &interrupt);
                (learned.map(|learned| learned.plan).map_err(|error| error.kind), interrupt.checks.get())
            };
            let (plan, checks) = learn(usize::MAX);
            assert!(plan.is_ok() && checks >= bytes.len() / STEP, "{checks}");
            for last in 1..=checks {
                assert_eq!(learn(last).0, Err(ErrorKind::Cancelled));
            }
        }
    }

    #[test]
    fn test_decide_gives_the_same_plan_for_a_file_and_its_bytes() {
        let long =
            |middle: &[u8]| [b"line \xC3\xA9\n".repeat(20_000), middle.to_vec(), b"end\n".repeat(9)].concat();
        // A character across the border of two pieces, and an incomplete one at the end.
        let border = [b"a".repeat((64 << 10) - 2), "€\n".as_bytes().repeat(3)].concat();
        let cut = [b"a\n".repeat(64 << 10), b"\xE2\x82".to_vec()].concat();
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
            let file = file_of(&bytes);
            let source = source_of(&file, &bytes);
            let path = Path::new("a");
            let plan = TextPlan::decide(source, path, None, LineEnds::Detected).unwrap();
            assert_eq!(
                plan,
                TextPlan::decide(Source::Memory(&bytes), path, None, LineEnds::Detected).unwrap()
            );
        }
    }
}
