//! The search in lines that are in memory, as UTF-8 that ends each of them with LF.

use std::time::{Duration, Instant};

use memchr::{memchr, memrchr};

use super::{Hit, Pattern, Scope};
use crate::encoding::Codec;
use crate::error::Result;
use crate::scan::vectors;

/// The longest match that is found for certain in a line that is searched in pieces, in bytes.
pub(super) const OVERLAP: usize = 64 << 10;
/// The bytes after the part that is searched, which show what follows a match: a character, and CR LF.
const LOOK_AHEAD: usize = 8;
/// The bytes of a line that are kept before the next piece: a character.
pub(super) const LOOK_BEHIND: usize = 8;

/// The bytes that are searched at first without a check whether to stop, and later, if they are searched fast.
const FIRST_STEP: usize = 1 << 10;
const MAX_STEP: usize = 128 << 10;
/// The time after which fewer bytes are searched at a time.
const SLOW: Duration = Duration::from_millis(16);

/// The number of lines in a text, of which the last one may have no LF.
fn count_lines(text: &[u8]) -> u64 {
    let is_cut = text.last().is_some_and(|last| *last != b'\n');
    vectors::count(text, b'\n') as u64 + u64::from(is_cut)
}

/// What was found in a part of a text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The first hits, in lines counted from 0.
    pub(super) hits: Vec<Hit>,
    /// The number of hits.
    pub(super) total: u64,
    /// The number of lines.
    pub(super) lines: u64,
}

/// The search in one line after another.
pub(super) struct LineSearch<'a> {
    pattern: &'a Pattern,
    scope: &'a Scope,
    /// How many lines are searched at most.
    max_lines: u64,
    /// How many bytes are searched at a time.
    step: usize,
    /// What was found so far.
    pub(super) found: Found,
}

/// How far a long line is searched.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    /// The characters of the line before the next piece.
    pub(super) chars: u64,
    /// The characters before the next hit: the columns of a hit are passed.
    pub(super) next: u64,
}

impl<'a> LineSearch<'a> {
    pub(super) fn new(pattern: &'a Pattern, scope: &'a Scope, max_lines: u64) -> Self {
        Self { pattern, scope, max_lines, step: FIRST_STEP, found: Found::default() }
    }

    /// Whether enough was found.
    pub(super) fn is_done(&self) -> bool {
        let is_enough = !self.scope.exact && self.found.total > self.scope.limit as u64;
        is_enough || self.found.lines >= self.max_lines
    }

    /// Searches whole lines; only the last one of a text may have no LF.
    ///
    /// `count` is the number of lines, if that is known. An expression may be so slow that the search is stopped
    /// between blocks of a few lines.
    ///
    /// # Errors
    /// Those of `check`.
    pub(super) fn lines(
        &mut self,
        text: &[u8],
        count: Option<u64>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let first = self.found.lines;
        let mut rest = text;
        while !rest.is_empty() {
            let step = memchr(b'\n', rest.get(self.step..).unwrap_or_default());
            let (block, after) = rest.split_at(step.map_or(rest.len(), |ending| self.step + ending + 1));
            let begun = Instant::now();
            let passed = self.block(block, check)?;
            if self.is_done() {
                return Ok(());
            }
            if after.is_empty()
                && let Some(count) = count
            {
                self.found.lines = first + count;
                return Ok(());
            }
            self.found.lines += count_lines(&block[passed..]);
            rest = after;
            let took = begun.elapsed();
            if took > SLOW {
                self.step = (self.step / 4).max(1);
                check()?;
            } else if took < SLOW / 8 {
                self.step = (2 * self.step).min(MAX_STEP);
            }
        }
        Ok(())
    }

    /// Searches lines until enough is found; returns how many bytes the lines have that are counted.
    fn block(&mut self, text: &[u8], check: &dyn Fn() -> Result<()>) -> Result<usize> {
        let mut at = 0;
        while at < text.len() && !self.is_done() {
            let Some(end) = self.pattern.candidate(text, at) else { break };
            // A match has at least one character, and all of them are of one line.
            let last = end.saturating_sub(1).max(at);
            let start = memrchr(b'\n', &text[at..last]).map_or(at, |before| at + before + 1);
            let end = memchr(b'\n', &text[last..]).map_or(text.len(), |ending| last + ending);
            self.found.lines += vectors::count(&text[at..start], b'\n') as u64;
            at = start;
            if self.is_done() {
                break;
            }
            self.line(&text[start..end], check)?;
            self.found.lines += 1;
            at = (end + 1).min(text.len());
        }
        Ok(at)
    }

    /// Searches a line that may match.
    fn line(&mut self, line: &[u8], check: &dyn Fn() -> Result<()>) -> Result<()> {
        if line.len() as u64 > self.scope.max_line_chars {
            self.piece(&mut Progress::default(), line, 0, true, check)?;
        } else if self.found.hits.len() > self.scope.limit {
            self.found.total += u64::from(!self.pattern.has_false_candidates() || self.pattern.matches(line));
        } else if let Some(found) = self.pattern.find(line) {
            self.hit(Codec::Utf8.count_chars(&line[..found.start]));
        }
        Ok(())
    }

    fn hit(&mut self, chars_before: u64) {
        // One more than is returned, to know where the next one is.
        if self.found.hits.len() <= self.scope.limit {
            self.found.hits.push(Hit { line: self.found.lines, column: chars_before + 1 });
        }
        self.found.total += 1;
    }

    /// Searches the next piece of a long line, `text[behind..]`; `behind` are bytes of the line before it.
    ///
    /// Returns how far it is searched. If it is not the last one, the rest belongs to the next piece.
    ///
    /// # Errors
    /// Those of `check`, which is called between hits.
    pub(super) fn piece(
        &mut self,
        progress: &mut Progress,
        text: &[u8],
        behind: usize,
        is_last: bool,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<usize> {
        let (end, stop) = if is_last {
            (text.len(), text.len())
        } else {
            let overlapped = text.len().saturating_sub(OVERLAP).max(behind);
            let stop = behind + Codec::Utf8.floor_boundary(&text[behind..], overlapped - behind);
            (text.len().saturating_sub(LOOK_AHEAD).max(behind), stop)
        };
        let mut at = behind;
        loop {
            let missing = progress.next.saturating_sub(progress.chars);
            let (passed, chars) = Codec::Utf8.skip_chars(&text[at..stop], missing);
            at += passed;
            progress.chars += chars;
            if at >= stop || self.is_done() {
                return Ok(stop);
            }
            let start = self.pattern.start_in(text, at..end).unwrap_or(stop).clamp(at, stop);
            progress.chars += Codec::Utf8.count_chars(&text[at..start]);
            if start == stop {
                return Ok(stop);
            }
            at = start;
            check()?;
            self.hit(progress.chars);
            let length = self.scope.max_line_chars.max(1);
            progress.next = (progress.chars / length).saturating_add(1).saturating_mul(length);
        }
    }
}
