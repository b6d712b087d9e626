//! Reads the lines of a page: finds where each begins and ends, and how much of it is kept.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use super::{Builder, Ending};
use crate::encoding::Codec;
use crate::error::Result;
use crate::memory;
use crate::page::layout::{Clip, FinalNewline, OverBudget, Unit};
use crate::page::view::{LineEnd, Position, View};
use crate::scan::to_usize;
use crate::source::Source;

/// The size of the first read in bytes; each further one is twice as large, up to [`LARGEST_STEP`].
pub(super) const FIRST_STEP: u64 = 16 << 10;
/// The maximum size of one read in bytes.
const LARGEST_STEP: u64 = 256 << 10;
/// How many bytes more than can be shown are read, to detect that a line is cut.
const SPARE_BYTES: u64 = 16;

/// The bytes of the file from the next line on, as far as they have been read.
pub(super) struct Input<'a> {
    source: Source<'a>,
    path: &'a Path,
    buffer: Cow<'a, [u8]>,
    /// Where the next line begins in the buffer.
    at: usize,
    /// The length of the escape sequence before the next line that the file does not have there.
    shift: usize,
    /// The offset in the file of the end of the buffer.
    position: u64,
    /// The size of the next read in bytes.
    pub(super) step: u64,
}

impl<'a> Input<'a> {
    pub(super) fn new(view: &View<'a>, start: &Position) -> Self {
        Self {
            source: view.source,
            path: view.path,
            buffer: Cow::Owned(start.shift.clone()),
            at: 0,
            shift: start.shift.len(),
            position: start.byte,
            step: FIRST_STEP,
        }
    }

    /// The next line, and what has been read after it.
    pub(super) fn unread(&self) -> &[u8] {
        &self.buffer[self.at..]
    }

    /// The offset in the file of a byte of [`Input::unread`].
    pub(super) fn byte_at(&self, at: usize) -> u64 {
        self.position - (self.unread().len() - at) as u64
    }

    /// Moves to the line that begins after this many bytes.
    pub(super) fn consume(&mut self, bytes: usize) {
        self.at += bytes;
        self.shift = 0;
    }

    /// Moves to the line that begins at an offset in the file.
    pub(super) fn skip_to(&mut self, byte: u64) {
        (self.buffer, self.at, self.shift, self.position) = (Cow::default(), 0, 0, byte);
    }

    /// Reads the next bytes; returns whether there were any.
    pub(super) fn read_more(&mut self) -> Result<bool> {
        let left = self.source.size() - self.position;
        if left == 0 {
            return Ok(false);
        }
        let unread = self.unread().len();
        let count = to_usize(self.step.min(left));
        self.step = (self.step * 2).min(LARGEST_STEP);
        let bytes = match self.source {
            // What is in memory already is not copied.
            Source::Memory(_) if self.shift == 0 => {
                self.source.bytes(self.path, self.position - unread as u64, unread + count)?
            }
            source => {
                let more = source.bytes(self.path, self.position, count)?;
                if unread == 0 {
                    more
                } else {
                    let mut buffer = std::mem::take(&mut self.buffer).into_owned();
                    buffer.drain(..self.at);
                    buffer.try_reserve(count).map_err(|_| memory::out_of_memory(self.path))?;
                    buffer.extend_from_slice(&more);
                    Cow::Owned(buffer)
                }
            }
        };
        self.position += (bytes.len() - unread) as u64;
        (self.buffer, self.at) = (bytes, 0);
        Ok(true)
    }
}

/// How a line ends.
pub(super) enum RawEnd {
    /// With an ending of this many bytes, which follow its text.
    Here(usize),
    /// At the end of the file.
    File,
    /// Beyond the part that may be shown.
    Far,
}

/// The line at the start of [`Input::unread`]: as many bytes of its text as may be shown, and how it ends.
pub(super) struct RawLine {
    pub(super) length: usize,
    pub(super) ending: RawEnd,
}

impl Builder<'_> {
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

    /// The next line; `None` at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<Option<RawLine>> {
        if self.ending == Ending::File {
            return Ok(None);
        }
        let terminator = self.view.plan.terminator;
        let shift = self.input.shift;
        let mut searched = shift;
        loop {
            // Lines of wide code units are aligned to the width of a unit in the buffer, as in the file.
            let bytes = self.input.unread();
            let found = terminator.find(bytes, searched);
            let is_cut = |found: &Range<usize>| {
                self.input.position < self.view.size() && terminator.may_go_on(bytes, found)
            };
            if let Some(found) = found.filter(|found| !is_cut(found)) {
                let length = terminator.without_cr(bytes, shift, found.start);
                return Ok(Some(RawLine { length, ending: RawEnd::Here(found.end - length) }));
            }
            // Bytes that may begin a line ending are searched again with the following ones.
            let whole = bytes.len() - (bytes.len() - searched) % terminator.width;
            searched = whole.saturating_sub(terminator.behind()).max(searched);
            let length = bytes.len();
            if length > self.widest(self.lines.len()) {
                return Ok(Some(RawLine { length, ending: RawEnd::Far }));
            }
            if !self.input.read_more()? {
                let is_line = length > shift || self.view.lines.final_newline == FinalNewline::Starts;
                return Ok(is_line.then_some(RawLine { length, ending: RawEnd::File }));
            }
        }
    }

    /// How many bytes of a line are shown, and its length in characters if it is cut.
    pub(super) fn clip(&self, line: &RawLine) -> (usize, Option<u64>) {
        let bytes = &self.input.unread()[..line.length];
        let is_far = matches!(line.ending, RawEnd::Far);
        let kept = self.kept_chars(bytes, is_far);
        if kept.is_none() && !is_far {
            return (line.length, None);
        }
        let (cut, chars) = self.view.plan.codec.skip_chars(bytes, kept.unwrap_or(u64::MAX));
        (cut, Some(chars))
    }

    /// How many characters of a line are kept; `None` for all of `bytes`.
    fn kept_chars(&self, bytes: &[u8], is_far: bool) -> Option<u64> {
        let clip = self.clip_of(self.lines.len())?;
        // A character has at least one byte.
        if clip.unit == Unit::Chars && bytes.len() as u64 <= clip.length && !is_far {
            return None;
        }
        let codec = self.view.plan.codec;
        if clip.unit == Unit::Chars && clip.keep == clip.length {
            let is_cut = is_far || codec.skip_chars(bytes, clip.keep).0 < bytes.len();
            return is_cut.then_some(clip.keep);
        }
        let mut start = String::new();
        let (examined, _) = codec.skip_chars(bytes, clip.length.saturating_add(1));
        codec.decode_into(&bytes[..examined], &mut start);
        clip.kept_chars(&start)
    }

    /// The end of a clipped line, if it is at most `distance` bytes after the first `cut` bytes.
    pub(super) fn seek_end(&self, line: &RawLine, cut: usize, distance: u64) -> Result<Option<LineEnd>> {
        let cut_byte = self.input.byte_at(cut);
        let here = |ending: usize| {
            let content_end = cut_byte + (line.length - cut) as u64;
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
