//! One pass over the first bytes of a file, which decides about nearly all texts and counts their lines.

use std::path::Path;

use super::LineEnding;
use crate::encoding::{self, DECLARING_BYTES, has_hz_shift};
use crate::error::Result;
use crate::facts::check_window_with;
use crate::index::LineIndex;
use crate::lock::NoLockHeld;
use crate::scan::{BLOCK, Interrupt, ScanWindow, in_windows, to_usize, vectors, window_for};
use crate::source::Source;

/// NULs in more bytes than these have no influence on the encoding.
const NUL_BYTES: usize = 8 << 10;
/// How many comparisons are summed at a time, so that their count does not overflow a byte.
const GROUP: usize = 192;
/// The byte-order mark of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// What to find out about the first bytes of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurveyTask {
    /// How many bytes to examine.
    pub(super) head_bytes: u64,
    /// Whether the caller requested UTF-8, so that malformed bytes and declarations do not matter.
    pub(super) is_utf8: bool,
    /// Whether to count the line endings of each block.
    pub(super) counts: bool,
}

/// What the pass found in a common text.
#[derive(Debug)]
pub(super) struct Survey {
    /// The length of the byte-order mark, in bytes.
    pub(super) bom_len: u64,
    /// How lines end under [`LineEnds::Detected`](crate::scan::LineEnds::Detected).
    pub(super) line_ending: LineEnding,
    /// The LFs in each complete block; empty if they were not requested.
    pub(super) index: LineIndex,
}

/// Examines the head of a file; `None` if it is not UTF-8 with LF or CR LF, or contains something that requires
/// a full examination: NULs near its start, escapes of ISO 2022, a declaration of another encoding.
pub(super) fn survey(
    source: Source<'_>,
    path: &Path,
    task: SurveyTask,
    interrupt: &dyn Interrupt,
) -> Result<Option<Survey>> {
    let start = source.bytes(path, 0, NUL_BYTES.min(to_usize(task.head_bytes)))?;
    let has_mark = start.starts_with(MARK);
    if !task.is_utf8
        && (declares_another(source, path, &start, task.head_bytes)?
            || has_hz_shift(&start)
            || (!has_mark && memchr::memchr(0, &start).is_some()))
    {
        return Ok(None);
    }
    let is_unicode = task.is_utf8 || has_mark;
    let mut found = SurveyedPart { is_common: true, ..SurveyedPart::default() };
    let mut index = LineIndex::default();
    let range = 0..task.head_bytes;
    // A few windows are not worth a mapping.
    let source = if task.counts { source } else { source.unmapped() };
    let observed = Observed { interrupt, counts: task.counts };
    let work = |window: &mut ScanWindow<'_>| SurveyedPart::of(window, is_unicode, task.counts);
    in_windows(source, path, &range, window_for(task.head_bytes), &observed, work, |part: SurveyedPart| {
        let missing = to_usize(task.head_bytes / BLOCK - index.blocks());
        part.counts.iter().take(missing).for_each(|count| index.push(*count));
        found.add(&part);
        found.is_common
    })?;
    let line_ending = match (found.has_bare, found.has_pair) {
        (false, false) => return Ok(None),
        (true, false) => LineEnding::Lf,
        (false, true) => LineEnding::Crlf,
        (true, true) => LineEnding::Mixed,
    };
    index.shrink();
    let bom_len = if has_mark { MARK.len() as u64 } else { 0 };
    Ok(found.is_common.then_some(Survey { bom_len, line_ending, index }))
}

fn declares_another(source: Source<'_>, path: &Path, start: &[u8], head_bytes: u64) -> Result<bool> {
    let start = &start[..start.len().min(DECLARING_BYTES)];
    if head_bytes < source.size() {
        return Ok(encoding::declares_another((start, None)));
    }
    let from = head_bytes.saturating_sub(DECLARING_BYTES as u64).max(start.len() as u64);
    let end = source.bytes(path, from, DECLARING_BYTES)?;
    Ok(encoding::declares_another((start, Some(&end))))
}

/// What was found in a part of the head.
#[derive(Debug, Default)]
struct SurveyedPart {
    /// Whether it may be part of a common text.
    is_common: bool,
    /// Whether an LF comes after a CR.
    has_pair: bool,
    /// Whether an LF comes after something else.
    has_bare: bool,
    /// The endings of each block, if they are counted.
    counts: Vec<u16>,
}

impl SurveyedPart {
    /// Examines a window; `is_unicode` means that the encoding is known to be UTF-8.
    fn of(window: &mut ScanWindow<'_>, is_unicode: bool, counts: bool) -> Result<Self> {
        let mut found = Self { is_common: true, ..Self::default() };
        let range = window.range();
        let mut after_cr = false;
        window.read(range.start.saturating_sub(1)..range.start, |byte| after_cr = byte == b"\r")?;
        let mut take = |chunk: &[u8]| {
            found.examine(chunk, after_cr, is_unicode);
            after_cr = chunk.last().map_or(after_cr, |last| *last == b'\r');
            if counts {
                found.counts.extend(chunk.chunks(to_usize(BLOCK)).map(count_lf));
            }
        };
        if is_unicode {
            window.read(range, take)?;
        } else {
            let part = check_window_with(window, &mut take)?;
            found.is_common &= part.is_valid;
        }
        Ok(found)
    }

    fn examine(&mut self, chunk: &[u8], after_cr: bool, is_unicode: bool) {
        let has_rare = vectors::has_rare_control(chunk);
        let mut has_cr = has_rare && memchr::memchr(b'\r', chunk).is_some();
        let has_escape = has_rare && memchr::memchr(0x1B, chunk).is_some();
        if has_escape && !is_unicode {
            // ESC $ selects a character set of ISO 2022; the next chunk may begin with the $.
            self.is_common &= memchr::memmem::find(chunk, b"\x1B$").is_none() && !chunk.ends_with(b"\x1B");
        }
        has_cr |= after_cr;
        if has_cr && !(self.has_pair && self.has_bare) {
            let is_first_pair = after_cr && chunk.first() == Some(&b'\n');
            let pairs = usize::from(is_first_pair) + count_pairs(chunk);
            self.has_pair |= pairs > 0;
            self.has_bare |= vectors::count(chunk, b'\n') > pairs;
        }
        self.has_bare |= !has_cr && (self.has_bare || memchr::memchr(b'\n', chunk).is_some());
    }

    fn add(&mut self, part: &Self) {
        self.is_common &= part.is_common;
        self.has_pair |= part.has_pair;
        self.has_bare |= part.has_bare;
    }
}

fn count_lf(block: &[u8]) -> u16 {
    u16::try_from(vectors::count(block, b'\n')).unwrap_or(u16::MAX)
}

/// How often CR LF occurs; the compiler vectorizes 8-bit sums over blocks of less than 256 bytes.
#[expect(clippy::needless_bitwise_bool, reason = "can be vectorized")]
fn count_pairs(bytes: &[u8]) -> usize {
    let next = bytes.get(1..).unwrap_or_default();
    let blocks = bytes.chunks(GROUP).zip(next.chunks(GROUP));
    let sums = blocks.map(|(first, second)| {
        let pairs = first.iter().zip(second);
        pairs.fold(0_u8, |sum, (cr, lf)| sum.wrapping_add(u8::from((*cr == b'\r') & (*lf == b'\n'))))
    });
    sums.map(usize::from).sum()
}

/// Reports what is scanned only if it is counted, because otherwise it will be scanned again.
struct Observed<'a> {
    interrupt: &'a dyn Interrupt,
    counts: bool,
}

impl Interrupt for Observed<'_> {
    fn interrupted(&self, proof: NoLockHeld) -> bool {
        self.interrupt.interrupted(proof)
    }

    fn scanned(&self, bytes: u64) {
        if self.counts {
            self.interrupt.scanned(bytes);
        }
    }

    fn expected(&self, bytes: u64) {
        if self.counts {
            self.interrupt.expected(bytes);
        }
    }
}
