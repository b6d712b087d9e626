//! Bytes of a file one after another, in chunks, for code that looks at each of them once.

use std::convert::Infallible;
use std::ops::Range;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::lock::NoLockHeld;
use crate::memory::enlarge;
use crate::scan::Interrupt;
use crate::size::to_usize;
use crate::source::Source;

/// The size of the first chunk; each is twice as large as the one before it.
const FIRST_CHUNK: usize = 8 << 10;
/// The largest size of a chunk, after which the interrupt is checked.
const LARGEST_CHUNK: usize = 256 << 10;

/// Bytes one after another, of a file or in memory.
pub trait Bytes {
    /// Why reading failed.
    type Error;

    /// The offset of the next byte.
    fn offset(&self) -> u64;

    /// Passes bytes.
    fn skip(&mut self, bytes: usize);

    /// The next bytes, at least `least` unless they end before.
    ///
    /// # Errors
    /// Those of reading.
    fn ahead(&mut self, least: usize) -> std::result::Result<&[u8], Self::Error>;

    /// The next bytes; none only at the end.
    ///
    /// # Errors
    /// Those of reading.
    #[inline]
    fn chunk(&mut self) -> std::result::Result<&[u8], Self::Error> {
        self.ahead(1)
    }

    /// The next byte; `None` at the end.
    ///
    /// # Errors
    /// Those of reading.
    #[inline]
    fn peek(&mut self) -> std::result::Result<Option<u8>, Self::Error> {
        Ok(self.chunk()?.first().copied())
    }

    /// Passes the bytes of a set; returns the next other one.
    ///
    /// # Errors
    /// Those of reading.
    #[inline]
    fn skip_while(&mut self, is_passed: impl Fn(u8) -> bool) -> std::result::Result<Option<u8>, Self::Error> {
        loop {
            let chunk = self.chunk()?;
            match chunk.iter().position(|&byte| !is_passed(byte)) {
                Some(at) => {
                    let found = chunk.get(at).copied();
                    self.skip(at);
                    return Ok(found);
                }
                None if chunk.is_empty() => return Ok(None),
                None => {
                    let all = chunk.len();
                    self.skip(all);
                }
            }
        }
    }
}

/// Bytes in memory.
#[derive(Debug)]
pub struct Memory<'a> {
    /// All of them.
    pub bytes: &'a [u8],
    /// The index of the next one.
    pub next: usize,
}

impl Bytes for Memory<'_> {
    type Error = Infallible;

    #[inline]
    fn offset(&self) -> u64 {
        self.next as u64
    }

    #[inline]
    fn skip(&mut self, bytes: usize) {
        self.next += bytes;
    }

    #[inline]
    fn ahead(&mut self, _least: usize) -> std::result::Result<&[u8], Infallible> {
        Ok(self.bytes.get(self.next..).unwrap_or_default())
    }
}

impl Bytes for Stream<'_> {
    type Error = Error;

    fn offset(&self) -> u64 {
        self.start + self.next as u64
    }

    #[inline]
    fn skip(&mut self, bytes: usize) {
        if bytes <= self.buffer.len() - self.next {
            self.next += bytes;
        } else {
            self.seek(self.offset() + bytes as u64);
        }
    }

    #[inline]
    fn ahead(&mut self, least: usize) -> Result<&[u8]> {
        if self.buffer.len() - self.next < least && self.start + (self.buffer.len() as u64) < self.end {
            self.refill(least)?;
        }
        let end = self.buffer.len().min(to_usize(self.end.saturating_sub(self.start)));
        Ok(self.buffer.get(self.next..end).unwrap_or_default())
    }
}

/// A position in a range of a file, and the bytes that were read after it.
pub struct Stream<'a> {
    source: Source<'a>,
    path: &'a Path,
    interrupt: &'a dyn Interrupt,
    buffer: Vec<u8>,
    /// The offset in the file of the first byte of the buffer.
    start: u64,
    /// The index in the buffer of the next byte.
    next: usize,
    end: u64,
}

impl<'a> Stream<'a> {
    /// A stream of the bytes in `range`, as far as the file has them.
    pub fn new(source: Source<'a>, path: &'a Path, interrupt: &'a dyn Interrupt, range: Range<u64>) -> Self {
        let end = range.end.min(source.size());
        Self { source, path, interrupt, buffer: Vec::new(), start: range.start, next: 0, end }
    }

    /// Another stream of the same file.
    #[must_use]
    pub fn of(&self, range: Range<u64>) -> Self {
        Self::new(self.source, self.path, self.interrupt, range)
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// What interrupts the call.
    #[must_use]
    pub fn interrupt(&self) -> &'a dyn Interrupt {
        self.interrupt
    }

    /// The offset after the last byte of the stream.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Whether the file goes on after the end of the stream.
    #[must_use]
    pub fn ends_early(&self) -> bool {
        self.end < self.source.size()
    }

    /// Ends the stream at an offset.
    pub fn end_at(&mut self, end: u64) {
        self.end = end.min(self.source.size());
    }

    /// Continues at an offset.
    pub fn seek(&mut self, offset: u64) {
        match offset.checked_sub(self.start).map(to_usize) {
            Some(next) if next <= self.buffer.len() => self.next = next,
            _ => {
                self.buffer.clear();
                (self.start, self.next) = (offset, 0);
            }
        }
    }

    /// Reads the next chunk behind what is left of this one.
    fn refill(&mut self, least: usize) -> Result<()> {
        if self.interrupt.interrupted(NoLockHeld::check()) {
            return Err(Error::new(self.path, ErrorKind::Cancelled));
        }
        self.interrupt.scanned(self.next as u64);
        let chunk = (self.buffer.len() * 2).clamp(FIRST_CHUNK, LARGEST_CHUNK).max(least);
        self.start += self.next as u64;
        self.buffer.drain(..self.next);
        self.next = 0;
        let known = self.buffer.len();
        let wanted = to_usize(self.end - self.start).min(known + chunk);
        enlarge(self.path, &mut self.buffer, wanted)?;
        let count = self.source.read_at(self.path, self.start + known as u64, &mut self.buffer[known..])?;
        self.buffer.truncate(known + count);
        if count == 0 {
            self.end = self.start + known as u64;
        }
        Ok(())
    }

    /// Passes the bytes before the next one that is `byte`; returns whether there is one.
    ///
    /// # Errors
    /// Those of reading, and [`ErrorKind::Cancelled`].
    pub fn skip_to(&mut self, byte: u8) -> Result<bool> {
        loop {
            let chunk = self.chunk()?;
            let (found, all) = (memchr::memchr(byte, chunk), chunk.len());
            self.skip(found.unwrap_or(all));
            if found.is_some() || all == 0 {
                return Ok(found.is_some());
            }
        }
    }
}
