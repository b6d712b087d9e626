//! Reads the lines of a page: finds where each begins and ends, and how much of it is kept.

use std::borrow::Cow;
use std::ops::Range;

use super::{Builder, LastLine};
use crate::encoding::Codec;
use crate::error::Result;
use crate::page::LONGEST_CHARACTER;
use crate::page::layout::{Clip, FinalNewline, OverBudget, Unit};
use crate::page::view::LineEnd;
use crate::scan::to_usize;

/// The maximum size of one read in bytes.
const LARGEST_STEP: u64 = 256 << 10;
/// How many bytes more than can be shown are read, to detect that a line is cut.
const SPARE_BYTES: u64 = 16;

/// How a line ends.
pub(super) enum RawEnd {
    /// With an ending of this many bytes, which follow its text in the buffer.
    Here(usize),
    /// At the end of the file.
    File,
    /// Beyond the part that may be shown.
    Far,
}

/// A line in the buffer: as much of its text as may be shown, and how it ends.
pub(super) struct RawLine {
    pub(super) text: Range<usize>,
    pub(super) ending: RawEnd,
}

impl Builder<'_> {
    /// Reads the next bytes; returns whether there were any.
    fn read_more(&mut self) -> Result<bool> {
        let left = self.view.size() - self.position;
        if left == 0 {
            return Ok(false);
        }
        let bytes = self.view.source.bytes(self.view.path, self.position, to_usize(self.step.min(left)))?;
        let count = bytes.len();
        self.position += count as u64;
        match bytes {
            Cow::Owned(bytes) if self.raw.is_empty() => self.raw = bytes,
            bytes => {
                self.raw.try_reserve(count).map_err(|_| self.out_of_memory())?;
                self.raw.extend_from_slice(&bytes);
            }
        }
        self.step = (self.step * 2).min(LARGEST_STEP);
        Ok(count > 0)
    }

    /// How a line of the page is clipped; `None` if it is not.
    fn clip_of(&self, line: usize) -> Option<Clip<'_>> {
        // A line that fills the page is cut by the budgets.
        let fills = line == 0 && self.fills_first;
        if fills { Some(Clip::reader(self.layout.max_bytes)) } else { self.layout.clip }
    }

    /// The maximum number of bytes of a line that are needed to show it.
    fn widest(&self, line: usize) -> usize {
        let codec = self.view.plan.codec;
        let length = self.clip_of(line).map_or(u64::MAX, |clip| clip.length);
        let budget = self.layout.budget.map_or(u64::MAX, |budget| budget.maximum).min(self.layout.max_bytes);
        let is_whole = self.layout.over_budget == OverBudget::After;
        let most = if is_whole { length } else { length.min(budget) }.saturating_add(SPARE_BYTES);
        // For a UTF-8 line that fills the page, the limit is in bytes, not in characters.
        let is_as_shown = codec == Codec::Utf8 && line == 0 && self.fills_first;
        let width = if is_as_shown { 1 } else { codec.max_char_bytes() };
        to_usize(most.saturating_mul(width as u64))
    }

    /// The line that begins at `start` of the buffer; `None` at the end of the file.
    pub(super) fn next_line(&mut self, start: usize) -> Result<Option<RawLine>> {
        if self.last_line == LastLine::EndsFile {
            return Ok(None);
        }
        let terminator = self.view.plan.terminator;
        let shift = if start == 0 { self.shift } else { 0 };
        let mut searched = start + shift;
        loop {
            // Lines of wide code units are aligned to the width of a unit in the buffer, as in the file.
            let found = terminator.find(&self.raw, searched);
            let is_cut = |found: &Range<usize>| {
                self.position < self.view.size() && terminator.may_go_on(&self.raw, found)
            };
            if let Some(found) = found.filter(|found| !is_cut(found)) {
                let end = terminator.without_cr(&self.raw, start + shift, found.start);
                return Ok(Some(RawLine { text: start..end, ending: RawEnd::Here(found.end - end) }));
            }
            // Bytes that may begin a line ending are searched again with the following ones.
            let whole = self.raw.len() - (self.raw.len() - searched) % terminator.width;
            searched = whole.saturating_sub(terminator.behind()).max(searched);
            if self.raw.len() - start > self.widest(self.shown.len()) {
                return Ok(Some(RawLine { text: start..self.raw.len(), ending: RawEnd::Far }));
            }
            if !self.read_more()? {
                let is_empty = self.raw.len() == start + shift;
                let is_line = !is_empty || self.view.lines.final_newline == FinalNewline::Starts;
                return Ok(is_line.then_some(RawLine { text: start..self.raw.len(), ending: RawEnd::File }));
            }
        }
    }

    /// The end in the buffer of the part of a line that is shown, and its length in characters if it is cut.
    pub(super) fn clip(&self, line: &RawLine) -> Result<(usize, Option<u64>)> {
        let bytes = &self.raw[line.text.clone()];
        let is_far = matches!(line.ending, RawEnd::Far);
        let kept = self.kept_chars(bytes, is_far)?;
        if kept.is_none() && !is_far {
            return Ok((line.text.end, None));
        }
        let (cut, chars) = self.view.plan.codec.skip_chars(bytes, kept.unwrap_or(u64::MAX));
        Ok((line.text.start + cut, Some(chars)))
    }

    /// How many characters of a line are kept; `None` for all of `bytes`.
    fn kept_chars(&self, bytes: &[u8], is_far: bool) -> Result<Option<u64>> {
        let Some(clip) = self.clip_of(self.shown.len()) else { return Ok(None) };
        // A character has at least one byte.
        if clip.unit == Unit::Chars && bytes.len() as u64 <= clip.length && !is_far {
            return Ok(None);
        }
        if clip.unit == Unit::Chars && clip.keep == clip.length {
            let is_cut = is_far || self.view.plan.codec.skip_chars(bytes, clip.keep).0 < bytes.len();
            return Ok(is_cut.then_some(clip.keep));
        }
        let codec = self.view.plan.codec;
        let mut start = String::new();
        let (examined, _) = codec.skip_chars(bytes, clip.length.saturating_add(1));
        let most = examined.saturating_mul(LONGEST_CHARACTER);
        start.try_reserve(most).map_err(|_| self.out_of_memory())?;
        codec.decode_into(&bytes[..examined], &mut start);
        Ok(clip.kept_chars(&start))
    }

    /// The end of a clipped line, if it is at most `distance` bytes after `cut_byte`.
    pub(super) fn seek_end(
        &self,
        line: &RawLine,
        cut: usize,
        cut_byte: u64,
        distance: u64,
    ) -> Result<Option<LineEnd>> {
        let here = |ending: usize| {
            let content_end = cut_byte + (line.text.end - cut) as u64;
            Some(LineEnd { content_end, next: content_end + ending as u64 })
        };
        let end = match line.ending {
            RawEnd::Here(ending) => here(ending),
            RawEnd::File => here(0),
            RawEnd::Far => self.view.line_end(cut_byte, distance)?,
        };
        Ok(end.filter(|end| end.content_end - cut_byte <= distance))
    }
}
