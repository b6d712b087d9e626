//! Character counts within one very long line, so that a high column is found as fast as a high line number.
//!
//! There is a checkpoint for each 256 KiB, which stores the offset of the first byte of a character and how
//! many characters of the line come before it. Checkpoints take 0.006 % of the line.

use std::path::Path;
use std::sync::Arc;

use crate::encoding::Codec;
use crate::error::{Error, ErrorKind, Result};
use crate::lock::{Lock, NoLockHeld};
use crate::memory;
use crate::scan::{Interrupt, ScanWindow, Terminator, in_order, to_usize};
use crate::source::Source;

/// Bytes between checkpoints.
pub const STEP: u64 = 256 << 10;
/// Bytes around a piece that are read to find where characters begin.
const MARGIN: u64 = 8;

/// The position of a character of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// Offset of its first byte in the file.
    pub byte: u64,
    /// Characters of the line before it.
    pub chars: u64,
}

/// The checkpoints of a line, as far as it has been counted.
#[derive(Debug, Clone)]
pub struct Columns {
    checkpoints: Vec<Checkpoint>,
    /// Whether the line's end was found after the last checkpoint.
    ended: bool,
}

/// The checkpoints of lines of a file, by the offset at which each line begins.
#[derive(Debug, Default)]
pub struct LongLines {
    lines: Lock<Vec<(u64, Arc<Columns>)>>,
}

impl LongLines {
    /// Those of the line that begins at `start`.
    #[must_use]
    pub fn of(&self, start: u64) -> Arc<Columns> {
        let lines = self.lines.lock();
        let found = lines.iter().find(|(line, _)| *line == start);
        found.map_or_else(|| Arc::new(Columns::new(start)), |(_, columns)| Arc::clone(columns))
    }

    /// Stores those of the line that begins at `start`.
    pub fn store(&self, start: u64, columns: Arc<Columns>) {
        let mut lines = self.lines.lock();
        lines.retain(|(line, _)| *line != start);
        lines.push((start, columns));
    }

    /// Their memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.lines.lock().iter().map(|(_, columns)| columns.bytes()).sum()
    }
}

impl Columns {
    /// Only the checkpoint at the start of the line.
    #[must_use]
    pub fn new(start: u64) -> Self {
        Self { checkpoints: vec![Checkpoint { byte: start, chars: 0 }], ended: false }
    }

    /// Its memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (self.checkpoints.capacity() * size_of::<Checkpoint>()) as u64
    }

    /// The last checkpoint with at most `chars` characters before it.
    #[must_use]
    pub fn before(&self, chars: u64) -> Checkpoint {
        let next = self.checkpoints.partition_point(|checkpoint| checkpoint.chars <= chars);
        self.checkpoints[next.saturating_sub(1)]
    }

    fn last(&self) -> Checkpoint {
        self.before(u64::MAX)
    }

    /// Whether more than `chars` characters are counted, or the line's end was found.
    #[must_use]
    pub fn reaches(&self, chars: u64) -> bool {
        self.ended || self.last().chars > chars
    }

    /// Continues until more than `chars` characters are counted or the line ends.
    ///
    /// # Errors
    /// Those of reading, and [`ErrorKind::Cancelled`]; the counts so far are kept.
    pub fn extend(
        &mut self,
        source: Source<'_>,
        path: &Path,
        (codec, terminator): (Codec, Terminator),
        chars: u64,
        interrupt: &dyn Interrupt,
    ) -> Result<()> {
        if self.reaches(chars) {
            return Ok(());
        }
        let line = LongLine { source, path, codec, terminator };
        if codec.boundary(&[b'x'; 8], 4).is_some() {
            self.extend_in_parallel(line, chars, interrupt)
        } else {
            self.extend_in_sequence(line, chars, interrupt)
        }
    }

    fn extend_in_parallel(
        &mut self,
        line: LongLine<'_>,
        chars: u64,
        interrupt: &dyn Interrupt,
    ) -> Result<()> {
        let first = self.last().byte;
        let range = first..line.source.size();
        let work = |window: &mut ScanWindow<'_>| line.count_window(window, first);
        in_order(line.source, line.path, &range, interrupt, work, |counted: Counted| {
            for (byte, count) in counted.pieces {
                let chars = self.last().chars + count;
                self.checkpoints.push(Checkpoint { byte, chars });
            }
            self.ended = counted.ended;
            !self.reaches(chars)
        })?;
        self.ended |= !self.reaches(chars);
        Ok(())
    }

    /// For encodings that must be decoded from the start of the line to find where characters begin.
    fn extend_in_sequence(
        &mut self,
        line: LongLine<'_>,
        chars: u64,
        interrupt: &dyn Interrupt,
    ) -> Result<()> {
        while !self.reaches(chars) {
            if interrupt.interrupted(NoLockHeld::check()) {
                return Err(Error::new(line.path, ErrorKind::Cancelled));
            }
            let Checkpoint { byte, chars } = self.last();
            let bytes = line.source.bytes(line.path, byte, to_usize(STEP))?;
            interrupt.scanned(bytes.len() as u64);
            let whole = line.codec.floor_boundary(&bytes, bytes.len());
            if line.terminator.find(&bytes, 0).is_some() || whole == 0 || (bytes.len() as u64) < STEP {
                self.ended = true;
            } else {
                let counted = line.codec.count_chars(&bytes[..whole]);
                self.checkpoints.push(Checkpoint { byte: byte + whole as u64, chars: chars + counted });
            }
        }
        Ok(())
    }
}

/// The line in its file.
#[derive(Clone, Copy)]
struct LongLine<'a> {
    source: Source<'a>,
    path: &'a Path,
    codec: Codec,
    terminator: Terminator,
}

/// The result for a window: the end of each piece and the number of its characters.
struct Counted {
    pieces: Vec<(u64, u64)>,
    ended: bool,
}

impl LongLine<'_> {
    /// Counts the characters that begin in each piece of `window`; `first` is where counting began.
    fn count_window(self, window: &mut ScanWindow<'_>, first: u64) -> Result<Counted> {
        let mut counted = Counted { pieces: Vec::new(), ended: false };
        let mut piece = window.range().start;
        let mut bytes = Vec::new();
        while piece < window.range().end && !counted.ended {
            let next = (piece + STEP).min(self.source.size());
            let read = piece.saturating_sub(MARGIN).max(first)..next + MARGIN;
            bytes.clear();
            bytes
                .try_reserve(to_usize(read.end - read.start))
                .map_err(|_| memory::out_of_memory(self.path))?;
            window.read(read.clone(), |chunk| bytes.extend_from_slice(chunk))?;
            let at = |position: u64| to_usize(position - read.start).min(bytes.len());
            let ending = self.terminator.find(&bytes, at(piece));
            if ending.is_some_and(|ending| ending.start < at(next)) {
                counted.ended = true;
            } else if next < self.source.size() {
                let start = if piece == first { at(piece) } else { self.starts(&bytes, at(piece)) };
                let end = self.starts(&bytes, at(next));
                counted.pieces.push((read.start + end as u64, self.codec.count_chars(&bytes[start..end])));
            }
            // The file's last piece gets no checkpoint, because its last character may be incomplete.
            piece = next;
        }
        Ok(counted)
    }

    fn starts(self, bytes: &[u8], at: usize) -> usize {
        self.codec.boundary(bytes, at).unwrap_or(at).min(bytes.len())
    }
}
