//! The search in one window of a file: the lines that begin in it, as far as the last of them goes.

use std::ops::Range;
use std::path::Path;

use super::lines::{Found, LOOK_BEHIND, LineSearch, Progress};
use super::{Pattern, Scope};
use crate::encoding::Codec;
use crate::error::Result;
use crate::memory::enlarge;
use crate::scan::{BEHIND, BLOCK, Blocks, Rule, ScanWindow, Terminator, to_usize};

/// Bytes that are read and searched at a time; they stay in the second-level cache.
const CHUNK: usize = 128 << 10;
/// Bytes that are read at first to find the end of a line that goes on after the window.
const LINE_CHUNK: usize = 4 << 10;
/// A line longer than this many bytes is searched in pieces of about this size.
const PIECE: usize = 256 << 10;

/// Where a search begins.
#[derive(Debug)]
pub(super) struct Start {
    /// The offset of its first byte.
    pub(super) byte: u64,
    /// The number of the line, counted from 1.
    pub(super) line: u64,
    /// The characters of the line before it.
    pub(super) chars: u64,
    /// The last of them.
    pub(super) before: String,
}

/// A search that is divided into windows.
pub(super) struct Search<'a> {
    pub(super) path: &'a Path,
    pub(super) size: u64,
    pub(super) codec: Codec,
    pub(super) terminator: Terminator,
    pub(super) pattern: &'a Pattern,
    pub(super) scope: &'a Scope,
    pub(super) start: &'a Start,
}

/// The result for a window.
pub(super) struct Searched {
    /// The window.
    pub(super) range: Range<u64>,
    /// Where the next line begins that is not searched.
    pub(super) to: u64,
    /// What was found in its lines.
    pub(super) found: Found,
    /// The line endings of its leading whole blocks.
    pub(super) counts: Vec<u16>,
}

impl Search<'_> {
    /// Searches the lines that begin in a window, at most `max_lines`.
    pub(super) fn window(&self, window: &ScanWindow<'_>, max_lines: u64) -> Result<Searched> {
        let mut reader = Reader::new(self, window)?;
        let mut lines = LineSearch::new(self.pattern, self.scope, max_lines);
        self.lines(&mut reader, &mut lines)?;
        lines.found.lines = lines.found.lines.min(max_lines);
        let (range, to) = (window.range(), reader.position());
        Ok(Searched { range, to, found: lines.found, counts: reader.counts })
    }

    fn lines(&self, reader: &mut Reader<'_, '_>, lines: &mut LineSearch<'_>) -> Result<()> {
        if reader.window.range().start <= self.start.byte {
            reader.at = to_usize(self.start.byte - reader.offset).min(reader.filled);
            if self.start.chars > 0 {
                let chars = self.start.chars;
                let progress = Progress { chars, next: chars };
                self.long_line(reader, lines, progress, self.start.before.as_bytes())?;
            }
        } else if !reader.pass_line()? {
            return Ok(());
        }
        // Lines that end before this position are not searched.
        reader.fresh_lines = None;
        let mut text = Vec::new();
        while reader.position() < reader.end && !lines.is_done() {
            if self.is_searched_as_it_is() {
                let end = reader.whole_lines();
                let count = reader.fresh_lines.take();
                lines.lines(&reader.bytes()[reader.at..end], count, &|| reader.window.check())?;
                reader.at = end;
            } else {
                text.clear();
                self.decode_lines(reader, &mut text);
                lines.lines(&text, None, &|| reader.window.check())?;
            }
            let rest = reader.filled - reader.at;
            if reader.position() >= reader.end {
                break;
            }
            if rest >= PIECE {
                self.long_line(reader, lines, Progress::default(), &[])?;
            } else if !reader.read()? {
                break;
            }
        }
        Ok(())
    }

    /// Whether the bytes of the file are UTF-8 whose lines end with LF.
    fn is_searched_as_it_is(&self) -> bool {
        let Terminator { value, rule, .. } = self.terminator;
        self.codec == Codec::Utf8 && value == b'\n' && matches!(rule, Rule::Unit | Rule::OptionalCr)
    }

    fn decode_into(&self, bytes: &[u8], text: &mut Vec<u8>) {
        if self.codec == Codec::Utf8 {
            text.extend_from_slice(bytes);
        } else {
            let mut decoded = String::new();
            self.codec.decode_into(bytes, &mut decoded);
            text.extend_from_slice(decoded.as_bytes());
        }
    }

    /// Appends the lines that are whole and begin in the window, and passes them.
    fn decode_lines(&self, reader: &mut Reader<'_, '_>, text: &mut Vec<u8>) {
        while reader.position() < reader.end {
            let (content, next) = match reader.next_ending() {
                Some(ending) => {
                    (self.terminator.without_cr(reader.bytes(), reader.at, ending.start), ending.end)
                }
                None if reader.is_at_end() => (reader.filled, reader.filled),
                None => return,
            };
            self.decode_into(&reader.bytes()[reader.at..content], text);
            text.push(b'\n');
            reader.at = next;
        }
    }

    /// Searches the line at the reader in pieces and passes it; `before` are the characters before it.
    fn long_line(
        &self,
        reader: &mut Reader<'_, '_>,
        lines: &mut LineSearch<'_>,
        mut progress: Progress,
        before: &[u8],
    ) -> Result<()> {
        let mut text = before.to_vec();
        let mut behind = text.len();
        loop {
            let ending = reader.next_ending();
            let is_last = ending.is_some() || reader.is_at_end();
            let (content, next) = match ending {
                Some(ending) => {
                    (self.terminator.without_cr(reader.bytes(), reader.at, ending.start), ending.end)
                }
                None if is_last => (reader.filled, reader.filled),
                None => {
                    let bytes = &reader.bytes()[reader.at..reader.undecided()];
                    let whole = reader.at + self.codec.floor_boundary(bytes, bytes.len());
                    (whole, whole)
                }
            };
            self.decode_into(&reader.bytes()[reader.at..content], &mut text);
            reader.at = next;
            if is_last || text.len() >= behind + PIECE {
                let searched =
                    lines.piece(&mut progress, &text, behind, is_last, &|| reader.window.check())?;
                let passed = searched.saturating_sub(LOOK_BEHIND);
                text.drain(..passed);
                behind = searched - passed;
            }
            reader.fresh_lines = None;
            if is_last {
                lines.found.lines += 1;
                return Ok(());
            }
            if lines.is_done() {
                return Ok(());
            }
            reader.read()?;
        }
    }
}

/// The bytes of a window and after it, chunk by chunk.
struct Reader<'r, 'w> {
    search: &'r Search<'r>,
    window: &'r ScanWindow<'w>,
    /// Where the window ends.
    end: u64,
    /// The bytes in memory are `buffer[..filled]`, from this offset of the file on.
    buffer: Vec<u8>,
    filled: usize,
    offset: u64,
    /// The start of the next line in the buffer.
    at: usize,
    /// The size of the next chunk after the window.
    chunk: usize,
    blocks: Blocks,
    counts: Vec<u16>,
    /// The number of lines that end in the chunk that was read last, if all of them are searched next.
    fresh_lines: Option<u64>,
}

impl<'r, 'w> Reader<'r, 'w> {
    /// A reader that has read the first bytes of the window, and those before it that may be an ending.
    fn new(search: &'r Search<'r>, window: &'r ScanWindow<'w>) -> Result<Self> {
        let range = window.range();
        let mut buffer = Vec::new();
        enlarge(search.path, &mut buffer, CHUNK + BEHIND)?;
        let offset = range.start.saturating_sub(BEHIND as u64);
        let filled = window.fill(offset, &mut buffer[..to_usize(range.start - offset)])?;
        let blocks = Blocks::after(search.terminator, &buffer[..filled]);
        let (end, chunk, counts) = (range.end, LINE_CHUNK, Vec::new());
        let (at, fresh_lines) = (0, None);
        let mut reader =
            Self { search, window, end, buffer, filled, offset, at, chunk, blocks, counts, fresh_lines };
        reader.read()?;
        Ok(reader)
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// The offset of the next line.
    fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// The offset after the bytes that are read.
    fn read_to(&self) -> u64 {
        self.offset + self.filled as u64
    }

    fn is_at_end(&self) -> bool {
        self.read_to() >= self.search.size
    }

    /// Reads the next chunk and forgets what comes before the next line; `false` at the end of the file.
    fn read(&mut self) -> Result<bool> {
        if self.is_at_end() {
            return Ok(false);
        }
        self.buffer.copy_within(self.at..self.filled, 0);
        self.offset += self.at as u64;
        self.filled -= self.at;
        self.at = 0;
        let left = self.end.saturating_sub(self.read_to());
        let length = if left > 0 {
            CHUNK.min(to_usize(left))
        } else {
            self.chunk = (2 * self.chunk).min(CHUNK);
            self.chunk
        };
        let wanted = self.filled + length;
        if self.buffer.len() < wanted {
            // It grows only while a line does, up to a piece.
            enlarge(self.search.path, &mut self.buffer, wanted.next_power_of_two())?;
        }
        let offset = self.read_to();
        let read = self.window.fill(offset, &mut self.buffer[self.filled..wanted])?;
        self.fresh_lines = None;
        if left > 0 {
            let chunk = &self.buffer[self.filled..self.filled + read];
            let blocks = chunk.chunks_exact(to_usize(BLOCK));
            let is_whole = blocks.remainder().is_empty();
            let known = self.counts.len();
            self.counts.extend(blocks.map(|block| self.blocks.count(block)));
            let lines = self.counts[known..].iter().map(|count| u64::from(*count)).sum();
            self.fresh_lines = (is_whole && offset + (read as u64) < self.search.size).then_some(lines);
        }
        self.filled += read;
        Ok(read > 0)
    }

    /// The next line ending, unless more bytes decide where it ends.
    fn next_ending(&self) -> Option<Range<usize>> {
        let terminator = self.search.terminator;
        let ending = terminator.find(self.bytes(), self.at)?;
        let is_cut = terminator.may_go_on(self.bytes(), &ending) && !self.is_at_end();
        (!is_cut).then_some(ending)
    }

    /// The end of the bytes that certainly belong to a line without an ending.
    fn undecided(&self) -> usize {
        let cut = self.search.terminator.find(self.bytes(), self.at);
        cut.map_or(self.filled, |ending| ending.start)
    }

    /// Passes the line that began before the window; `false` if no line begins in it.
    fn pass_line(&mut self) -> Result<bool> {
        let start = self.window.range().start;
        while self.position() < self.end {
            if let Some(ending) = self.next_ending() {
                self.at = ending.end;
                if self.position() >= start {
                    return Ok(self.position() < self.end);
                }
            } else {
                // Of an ending, the last bytes may be missing.
                let kept = self.filled.saturating_sub(BEHIND) / BEHIND * BEHIND;
                self.at = kept.max(self.at);
                if self.read_to() >= self.end || !self.read()? {
                    return Ok(false);
                }
            }
        }
        Ok(false)
    }

    /// The end of the whole lines that begin in the window, and of the last line of the file.
    fn whole_lines(&self) -> usize {
        let Terminator { value, .. } = self.search.terminator;
        let rest = &self.bytes()[self.at..];
        // After the window, only the line that began in it is searched.
        let is_past = self.read_to() > self.end;
        let ending = match (is_past, self.is_at_end()) {
            (false, true) => None,
            (false, false) => memchr::memrchr(value, rest),
            (true, _) => memchr::memchr(value, rest),
        };
        match ending {
            Some(ending) => self.at + ending + 1,
            None if self.is_at_end() => self.filled,
            None => self.at,
        }
    }
}
