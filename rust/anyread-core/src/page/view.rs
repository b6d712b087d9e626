//! A snapshot of a text: finds the positions of its lines and characters.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use crate::encoding::Codec;
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::index::LineIndex;
use crate::inflate::gzip::name_of_text;
use crate::lock::NoLockHeld;
use crate::page::layout::{FinalNewline, Hidden, Layout, LineRule, Total};
use crate::present::Present;
use crate::registry::{Entry, Known};
use crate::scan::{BLOCK, ChunkBuffer, Interrupt, Never, Terminator, behind, count_blocks, to_usize};
use crate::source::Source;
use crate::text::{TextPlan, WHOLE_COPY_BYTES};

/// Lines up to this size in bytes are searched for a column without checkpoints.
const LONG_LINE: u64 = 1 << 20;
/// How many bytes are read in one step, backward or within a line.
const CHUNK: u64 = 64 << 10;
/// The largest part of a copy that is read to find a line end in it.
const LARGEST_PART: u64 = 64 << 10;
/// The largest part at the start of a copy in which lines are counted here.
const LARGEST_PREFIX: u64 = 4 << 20;
/// The first step backward, which has room for a hundred lines; each further one is twice as large, up to [`CHUNK`].
const FIRST_BACKWARD: u64 = 16 << 10;
/// The minimum read within a line in bytes: more than any character and line ending, so that a walk advances.
const LEAST: u64 = 64;
/// The number and size of the samples from which the number of lines in a large file is estimated.
const SAMPLES: u64 = 8;
const SAMPLE_BYTES: usize = 8 << 10;

type Bytes<'a> = Cow<'a, [u8]>;

/// A snapshot of a text, and its state in the registry.
pub struct View<'a> {
    /// The bytes.
    pub source: Source<'a>,
    /// The path to report in errors.
    pub path: &'a Path,
    /// The encoding and line endings that were detected or requested.
    pub plan: TextPlan,
    /// How it is divided into lines.
    pub lines: LineRule,
    /// The state shared with other readers; `None` for small files.
    pub shared: Option<(Arc<Entry>, Arc<Known>)>,
    /// Interrupts long scans.
    pub interrupt: &'a dyn Interrupt,
}

/// A position in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The offset in the file.
    pub byte: u64,
    /// Whether it is the start of a line.
    pub starts_line: bool,
    /// The escape sequence in effect, for stateful encodings.
    pub shift: Vec<u8>,
}

impl Position {
    fn line_start(byte: u64) -> Self {
        Self { byte, starts_line: true, shift: Vec::new() }
    }
}

/// The end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineEnd {
    /// Where its line ending begins, or the end of the file.
    pub content_end: u64,
    /// Where the next line begins.
    pub next: u64,
}

impl<'a> View<'a> {
    /// A view of UTF-8 text in memory.
    ///
    /// # Errors
    /// Never fails for bytes in memory.
    pub fn of_utf8(bytes: &'a [u8], lines: LineRule) -> Result<Self> {
        let (source, path) = (Source::Memory(bytes), Path::new(""));
        let plan = TextPlan::decide(source, path, Some(Codec::Utf8), lines.ends)?;
        Ok(Self { source, path, plan, lines, shared: None, interrupt: &Never })
    }

    fn terminator(&self) -> Terminator {
        self.plan.terminator
    }

    fn width(&self) -> u64 {
        self.terminator().width as u64
    }

    fn codec(&self) -> Codec {
        self.plan.codec
    }

    /// The size of the text in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.source.size()
    }

    /// Where the first line begins.
    #[must_use]
    pub fn start(&self) -> u64 {
        if self.lines.bom == Hidden::Drop { self.plan.bom_len } else { 0 }
    }

    /// Whether the text is empty and therefore has no lines.
    #[must_use]
    pub fn has_no_line(&self) -> bool {
        self.size() <= self.start() && self.lines.final_newline == FinalNewline::Ends
    }

    /// The number of complete blocks; only those can be in the index.
    fn whole_blocks(&self) -> u64 {
        self.size() / BLOCK
    }

    fn bytes(&self, offset: u64, length: u64) -> Result<Bytes<'a>> {
        self.source.bytes(self.path, offset, to_usize(length))
    }

    fn check(&self) -> Result<()> {
        if self.interrupt.interrupted(NoLockHeld::check()) {
            return Err(Error::new(self.path, ErrorKind::Cancelled));
        }
        Ok(())
    }

    /// An index that covers `newlines` terminators or all complete blocks.
    fn index(&self, newlines: u64) -> Result<Arc<LineIndex>> {
        let blocks = self.whole_blocks();
        self.source.require_all(self.path)?;
        if let Some((entry, known)) = &self.shared {
            return entry.extend(self.source, self.path, known, (newlines, blocks), self.interrupt);
        }
        let mut index = LineIndex::default();
        count_blocks(self.source, self.path, self.terminator(), 0..blocks, self.interrupt, |count| {
            index.push(count);
            index.newlines() < newlines
        })?;
        Ok(Arc::new(index))
    }

    /// The number of lines: the line endings, and one more for a last line without one.
    ///
    /// # Errors
    /// Any error from reading, and [`ErrorKind::Cancelled`].
    pub fn total_lines(&self) -> Result<u64> {
        if self.has_no_line() {
            return Ok(0);
        }
        let endings = if let Some(endings) = self.line_feeds() {
            endings
        } else if let Some(present) = self.counted() {
            return Err(present.uncounted(self.path, 0..self.size()));
        } else {
            let blocks = self.whole_blocks();
            let index = self.index(u64::MAX)?;
            let (before, tail) = self.block(blocks)?;
            index.newlines_before(blocks) + self.terminator().count(&before, &tail) as u64
        };
        let begins_one_more = self.lines.final_newline == FinalNewline::Starts || !self.final_newline()?;
        Ok(endings + u64::from(begins_one_more))
    }

    /// Whether a page has the exact number of lines.
    #[must_use]
    pub fn counts_lines(&self, layout: &Layout<'_>) -> bool {
        match layout.total {
            Total::Exact => true,
            Total::Bounded => self.size() <= self.count_bytes(layout),
            Total::Known | Total::Never => false,
        }
    }

    /// [`Layout::count_bytes`], or less for an incomplete copy of which everything would be fetched.
    #[must_use]
    pub fn count_bytes(&self, layout: &Layout<'_>) -> u64 {
        let is_fetched = self.source.missing().is_some() && self.counted().is_none();
        if is_fetched { layout.count_bytes.min(WHOLE_COPY_BYTES) } else { layout.count_bytes }
    }

    /// Where the line after LF `number` begins, in an incomplete copy whose LF are counted elsewhere.
    fn counted_start(&self, present: &Present, number: u64) -> Result<Position> {
        let nth = |bytes: &[u8], number: u64| {
            let skipped = usize::try_from(number - 1).unwrap_or(usize::MAX);
            memchr::memchr_iter(b'\n', bytes).nth(skipped).map(|at| at as u64 + 1)
        };
        let start = if let Some(start) = nth(&self.bytes(0, present.prefix().min(LARGEST_PREFIX))?, number) {
            // Page after page needs no count.
            start
        } else {
            let all = 0..self.size();
            if present.total().is_some_and(|total| number > total) {
                return self.past_end(number + 1);
            }
            let (part, before) = present.part_of(number).ok_or_else(|| present.uncounted(self.path, all))?;
            if part.end - part.start > LARGEST_PART {
                return Err(present.uncounted(self.path, part));
            }
            let bytes = self.bytes(part.start, part.end - part.start)?;
            let found = nth(&bytes, number - before);
            part.start + found.ok_or_else(|| self.changed())?
        };
        let is_past = self.lines.final_newline == FinalNewline::Ends && start >= self.size();
        if is_past { self.past_end(number + 1) } else { Ok(Position::line_start(start)) }
    }

    /// What is present of an incomplete copy in which each LF ends a line and is counted where the file is.
    fn counted(&self) -> Option<&'a Present> {
        self.source.counted().filter(|_| self.terminator().is_line_feed())
    }

    /// How many line ends were counted where the file is, if it is a copy.
    fn line_feeds(&self) -> Option<u64> {
        self.source.line_feeds().filter(|_| self.terminator().is_line_feed())
    }

    /// Whether an earlier read has counted the lines of a large text.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        self.line_feeds().is_some()
            || self.shared.as_ref().is_some_and(|(_, known)| known.index.blocks() >= self.whole_blocks())
    }

    /// The number of lines, if they are already counted or the text is small enough to count them now.
    ///
    /// # Errors
    /// Any error from reading.
    pub fn known_total(&self) -> Result<Option<u64>> {
        let is_cheap = self.is_counted() || matches!(self.source, Source::Memory(_));
        if is_cheap { self.total_lines().map(Some) } else { Ok(None) }
    }

    /// The bytes before a block that determine how its first line endings are counted, and the block.
    fn block(&self, block: u64) -> Result<(Bytes<'a>, Bytes<'a>)> {
        let start = block * BLOCK;
        let before = behind(self.terminator(), start);
        let before = if before == 0 { Cow::default() } else { self.bytes(start - before, before)? };
        Ok((before, self.bytes(start, BLOCK)?))
    }

    /// Whether the last line has a line ending.
    ///
    /// # Errors
    /// Any error from reading.
    pub fn final_newline(&self) -> Result<bool> {
        let whole = self.size() / self.width() * self.width();
        // An incomplete code unit at the end is a line of its own.
        if whole < self.size() || whole < self.width() {
            return Ok(false);
        }
        let examined = whole.min(self.width().max(self.terminator().behind() as u64));
        Ok(self.terminator().ends(&self.bytes(whole - examined, examined)?))
    }

    /// Whether the name of the file says that each line is a value of JSON.
    #[must_use]
    pub fn has_records(&self) -> bool {
        let names = ["jsonl", "ndjson", "jsonlines"];
        self.extension().is_some_and(|extension| names.iter().any(|name| extension == *name))
    }

    /// The extension of the text, which is not the one of a gzip file.
    #[must_use]
    pub fn extension(&self) -> Option<&OsStr> {
        Path::new(name_of_text(self.path.file_name()?)).extension()
    }

    /// Where line `number` begins, counted from 1.
    ///
    /// # Errors
    /// [`ErrorKind::OffsetPastEnd`], and any error from reading.
    pub fn line_start(&self, number: u64) -> Result<Position> {
        let Some(endings) = number.checked_sub(1).filter(|endings| *endings > 0) else {
            return Ok(Position::line_start(self.start()));
        };
        if let Some(present) = self.counted() {
            return self.counted_start(present, endings);
        }
        let terminator = self.terminator();
        let blocks = self.whole_blocks();
        let index = self.index(endings)?;
        let found = index.locate(endings).filter(|found| found.block < blocks);
        let (start, before) = found.map_or_else(
            || (blocks * BLOCK, index.newlines_before(blocks)),
            |found| (found.block * BLOCK, found.before),
        );
        // The block's first ending may begin before it, and its last may end after it.
        let behind = behind(terminator, start);
        let first = to_usize(behind);
        let bytes = self.bytes(start - behind, behind + BLOCK + terminator.behind() as u64)?;
        let block = &bytes[first..bytes.len().min(first + to_usize(BLOCK))];
        if found.is_some_and(|found| terminator.count(&bytes[..first], block) != usize::from(found.count)) {
            return Err(self.changed());
        }
        let (mut from, mut missing) = (0, endings - before);
        while missing > 0 {
            let Some(ending) = terminator.find(&bytes, from) else { return self.past_end(number) };
            missing -= u64::from(terminator.counted_at(&bytes, &ending) >= first);
            from = ending.end;
        }
        let byte = start - behind + from as u64;
        let is_past = match self.lines.final_newline {
            FinalNewline::Ends => byte >= self.size(),
            FinalNewline::Starts => byte > self.size(),
        };
        if is_past { self.past_end(number) } else { Ok(Position::line_start(byte)) }
    }

    fn changed(&self) -> Error {
        Error::new(self.path, ErrorKind::FileChanged { change: "rewritten" })
    }

    fn past_end<T>(&self, offset: u64) -> Result<T> {
        let total_lines = self.total_lines()?;
        Err(Error::new(self.path, ErrorKind::OffsetPastEnd { offset, total_lines }))
    }

    /// Whether [`View::tail_start`] can find lines backward.
    #[must_use]
    pub fn reads_backward(&self) -> bool {
        self.terminator().is_single() && self.lines.final_newline == FinalNewline::Ends
    }

    /// Finds where the last `lines` lines begin, backward unless all lines are counted; also returns how many there
    /// are, at most `lines`.
    ///
    /// # Errors
    /// Any error from reading, and [`ErrorKind::Cancelled`].
    pub fn tail_start(&self, lines: u64) -> Result<(Position, u64)> {
        if self.is_counted() {
            let total = self.total_lines()?;
            return Ok((self.line_start(total.saturating_sub(lines) + 1)?, total.min(lines)));
        }
        // The line ending of the last line does not start another line.
        let mut end = self.size() / self.width() * self.width();
        if end == self.size() && self.final_newline()? {
            end -= self.width();
        }
        let mut found = 0;
        let mut step = FIRST_BACKWARD;
        while end > 0 {
            self.check()?;
            // `end` and the steps are multiples of the width of a code unit.
            let start = end.saturating_sub(step);
            step = (2 * step).min(CHUNK);
            let bytes = self.bytes(start, end - start)?;
            let mut until = bytes.len();
            while let Some(at) = self.terminator().rfind(&bytes[..until]) {
                found += 1;
                if found == lines {
                    return Ok((Position::line_start(start + at as u64 + self.width()), lines));
                }
                until = at;
            }
            end = start;
        }
        Ok((Position::line_start(self.start()), found + 1))
    }

    /// The position of character `column` (from 1) of the line at `start`, and 0; or the start of the next line
    /// and how many characters are missing before that column.
    ///
    /// The position is `None` if the line is the last one and ends before that.
    ///
    /// # Errors
    /// Any error from reading, and [`ErrorKind::Cancelled`].
    pub fn column(&self, start: u64, column: u64) -> Result<(Option<Position>, u64)> {
        let chars = column.saturating_sub(1);
        let mut walk = CharacterWalk { byte: start, chars, shift: Vec::new() };
        if let Some(found) = self.walk(&mut walk, start.saturating_add(LONG_LINE))? {
            return Ok((found, walk.chars));
        }
        if let Some((_, known)) = self.shared.as_ref().filter(|_| !self.codec().is_stateful()) {
            let mut columns = known.long_lines().of(start);
            if !columns.reaches(chars) {
                let counted = Arc::make_mut(&mut columns);
                let text = (self.codec(), self.terminator());
                let outcome = counted.extend(self.source, self.path, text, chars, self.interrupt);
                known.long_lines().store(start, Arc::clone(&columns));
                outcome?;
            }
            let checkpoint = columns.before(chars);
            walk =
                CharacterWalk { byte: checkpoint.byte, chars: chars - checkpoint.chars, shift: Vec::new() };
        }
        let found = self.walk(&mut walk, u64::MAX)?.flatten();
        Ok((found, walk.chars))
    }

    /// Walks over characters until enough are passed or the line ends; `None` if `limit` is reached first.
    #[expect(clippy::option_option, reason = "not yet found, found nothing, found")]
    fn walk(&self, walk: &mut CharacterWalk, limit: u64) -> Result<Option<Option<Position>>> {
        let width = self.terminator().width;
        while walk.byte < limit {
            self.check()?;
            let mut bytes = walk.shift.clone();
            let shift = bytes.len();
            bytes.extend_from_slice(&self.bytes(walk.byte, CHUNK.min(limit - walk.byte).max(LEAST))?);
            let at_end = walk.byte + (bytes.len() - shift) as u64 >= self.size();
            let found = self.terminator().find(&bytes, shift.next_multiple_of(width));
            let is_cut =
                !at_end && found.as_ref().is_some_and(|found| self.terminator().may_go_on(&bytes, found));
            let ending = found.clone().filter(|_| !is_cut);
            let whole = match found {
                Some(found) => self.terminator().without_cr(&bytes, 0, found.start),
                None if at_end => bytes.len(),
                None => {
                    let whole = self.codec().floor_boundary(&bytes, bytes.len());
                    self.terminator().without_cr(&bytes, 0, whole)
                }
            };
            let (passed, chars) = self.codec().skip_chars(&bytes[..whole], walk.chars);
            let byte = walk.byte + passed.saturating_sub(shift) as u64;
            let is_found = chars >= walk.chars && passed.max(shift) < whole;
            // Big5 has byte sequences that decode to two characters, which are passed together.
            walk.chars = walk.chars.saturating_sub(chars);
            if is_found {
                walk.record_shift(self.codec(), &bytes[..passed]);
                let starts_line = false;
                return Ok(Some(Some(Position {
                    byte,
                    starts_line,
                    shift: std::mem::take(&mut walk.shift),
                })));
            }
            if let Some(ending) = ending {
                let next = walk.byte + (ending.end - shift) as u64;
                return Ok(Some((next < self.size()).then(|| Position::line_start(next))));
            }
            if at_end {
                return Ok(Some(None));
            }
            walk.record_shift(self.codec(), &bytes[..passed]);
            walk.byte = byte;
        }
        Ok(None)
    }

    /// The end of the line that contains `from`, if it is at most `distance` bytes after it.
    ///
    /// # Errors
    /// Any error from reading, and [`ErrorKind::Cancelled`].
    pub fn line_end(&self, from: u64, distance: u64) -> Result<Option<LineEnd>> {
        let terminator = self.terminator();
        let limit = from.saturating_add(distance).min(self.size());
        let mut offset = from;
        while offset < limit {
            self.check()?;
            if let Some((_, known)) = &self.shared {
                // Blocks that are known to contain no line ending are skipped.
                let free = known.index.skip_empty(offset.div_ceil(BLOCK)) * BLOCK;
                if offset.is_multiple_of(BLOCK) && free > offset {
                    offset = free;
                    continue;
                }
            }
            if let Some(present) = self.counted().filter(|_| offset - from > LARGEST_PART) {
                let free = present.skip_empty(self.path, offset, LARGEST_PART)?;
                if free > offset {
                    offset = free;
                    continue;
                }
            }
            let end = (offset / BLOCK + 4) * BLOCK;
            // A line ending may begin before a skipped block and end after the last block read.
            let start = offset - behind(terminator, offset - from);
            let bytes = self.bytes(start, end - start + terminator.behind() as u64)?;
            let found = terminator.find(&bytes, 0).filter(|found| start + (found.start as u64) < end);
            if let Some(found) = found {
                let ending = start + found.start as u64;
                let next = start + found.end as u64;
                let content_end = self.content_end(from, ending)?;
                return Ok((ending <= limit).then_some(LineEnd { content_end, next }));
            }
            offset = end;
        }
        let at_end = LineEnd { content_end: self.size(), next: self.size() };
        Ok((limit == self.size()).then_some(at_end))
    }

    fn content_end(&self, from: u64, ending: u64) -> Result<u64> {
        let width = self.width();
        if !self.terminator().takes_cr() || ending < from + width {
            return Ok(ending);
        }
        let before = self.bytes(ending - width, width)?;
        let cr = self.terminator().unit(b'\r');
        Ok(if cr.ends(&before) { ending - width } else { ending })
    }

    /// The estimated number of lines, from the density of line endings in a few samples.
    ///
    /// # Errors
    /// Any error from reading.
    pub fn estimate_lines(&self) -> Result<u64> {
        let known = self.shared.as_ref().map(|(_, known)| &known.estimate);
        if let Some(estimate) = known.and_then(|estimate| estimate.get()) {
            return Ok(*estimate);
        }
        let lines = self.sampled_lines()?;
        Ok(known.map_or(lines, |estimate| *estimate.get_or_init(|| lines)))
    }

    fn sampled_lines(&self) -> Result<u64> {
        let mut newlines = 0;
        let mut examined = 0;
        let mut buffer = ChunkBuffer::for_scan(0);
        let space = buffer.space(self.path, SAMPLE_BYTES)?;
        for sample in 0..SAMPLES {
            let start = self.size() / SAMPLES * sample / BLOCK * BLOCK;
            let length = match self.source.read_at(self.path, start, space) {
                // Of a copy, nothing is fetched for an estimate.
                Err(Error { kind: ErrorKind::WouldBlock(Blocked::Missing { .. }), .. }) if sample > 0 => {
                    continue;
                }
                outcome => outcome?,
            };
            newlines += self.terminator().count(&[], &space[..length]) as u128;
            examined += length as u128;
        }
        let lines = newlines * u128::from(self.size()) / examined.max(1);
        Ok(u64::try_from(lines).unwrap_or(u64::MAX).max(1))
    }
}

/// A walk over the characters of a line.
struct CharacterWalk {
    byte: u64,
    /// How many more characters to pass.
    chars: u64,
    /// The escape sequence in effect; empty for ASCII.
    shift: Vec<u8>,
}

impl CharacterWalk {
    /// Records the last escape sequence in the bytes that were passed.
    fn record_shift(&mut self, codec: Codec, passed: &[u8]) {
        if let Some(escape) = codec.last_escape(passed) {
            self.shift = escape.to_vec();
        }
    }
}
