//! Bytes that are stored in a file compressed by DEFLATE, or as they are, as a stream.
//!
//! The stream keeps checkpoints, from which it can continue without inflating what is before them, and verifies the
//! CRC-32 if it reaches the end. Its memory does not depend on the size of the data.

mod crc32;
pub mod gzip;

use std::path::Path;
use std::sync::Arc;

use miniz_oxide::inflate::TINFLStatus as Status;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{BlockBoundaryState, DecompressorOxide, decompress};

use crate::allowed::Allowed;
use crate::error::{Error, ErrorKind, Result};
use crate::lock::NoLockHeld;
use crate::memory::{enlarge, zeros};
use crate::scan::Interrupt;
use crate::size::to_usize;
use crate::stream::{Bytes, Stream};

pub use crc32::crc32;
use gzip::Member;

/// How far back DEFLATE refers.
const WINDOW: usize = 32 << 10;
/// The most checkpoints; if there would be more, every other one is dropped.
const MOST: usize = if cfg!(test) { 16 } else { 512 };
/// How much is inflated at once, after which the interrupt is checked.
const CHUNK: usize = 32 << 10;
/// The size of the buffer, unless the content is smaller or more of it is needed at once.
const LARGEST: usize = WINDOW + 2 * CHUNK;

/// Where compressed bytes are in a file, and what is known about their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed {
    /// The offset of their first byte.
    pub begin: u64,
    /// The offset after their last byte.
    pub end: u64,
    /// Whether they are compressed; otherwise they are stored as they are.
    pub is_deflated: bool,
    /// The size of the content and its CRC-32.
    pub content: Option<(u64, u32)>,
}

/// A state of inflating.
struct Checkpoint {
    /// The offset of the next compressed byte in the file.
    input: u64,
    /// How much was inflated before.
    output: u64,
    /// Where the member of a gzip file begins in what was inflated; 0 for other content.
    member: u64,
    /// The CRC-32 of all that, or of the member.
    crc: u32,
    state: State,
    /// The last bytes of it.
    window: Box<[u8]>,
}

/// The state of the inflater: between two blocks of DEFLATE, or inside a very long one.
enum State {
    Between(BlockBoundaryState),
    Inside(Box<DecompressorOxide>),
}

/// Where inflating can continue; copies share the checkpoints.
#[derive(Clone)]
pub struct Checkpoints {
    every: u64,
    most: usize,
    found: Vec<Arc<Checkpoint>>,
    is_verified: bool,
    /// How much was inflated at most; what is inflated again counts no more.
    reached: u64,
}

impl Checkpoints {
    /// None yet; there will be one after about `every` bytes.
    #[must_use]
    pub fn new(every: u64) -> Self {
        Self { every, most: MOST, found: Vec::new(), is_verified: false, reached: 0 }
    }

    /// Whether all of the content was read once, and has the expected size and CRC-32.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.is_verified
    }

    /// Their memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let windows: usize =
            self.found.iter().map(|found| found.window.len() + size_of::<Checkpoint>()).sum();
        windows as u64
    }

    fn before(&self, offset: u64) -> Option<Arc<Checkpoint>> {
        let next = self.found.partition_point(|found| found.output <= offset);
        next.checked_sub(1).and_then(|at| self.found.get(at)).cloned()
    }
}

/// The content, from a position on.
pub struct Inflated<'a> {
    input: Stream<'a>,
    path: &'a Path,
    interrupt: &'a dyn Interrupt,
    packed: Packed,
    /// How many more bytes the call may inflate.
    allowed: &'a Allowed,
    /// Where it can continue.
    checkpoints: Checkpoints,
    at: Position,
}

/// A position in the content, and the bytes that were inflated after it.
struct Position {
    inflater: Box<DecompressorOxide>,
    buffer: Vec<u8>,
    /// The index in the buffer after the last byte that was inflated, and of the next byte to take.
    filled: usize,
    next: usize,
    /// The offset in the content of the first byte of the buffer.
    start: u64,
    /// The CRC-32 of all bytes that were inflated; `None` after a jump in bytes that are not compressed.
    crc: Option<u32>,
    has_ended: bool,
    /// The member that is inflated, if the content is that of a gzip file.
    gzip: Option<Member>,
    /// Why it ended before the end of the gzip file.
    fault: Option<&'static str>,
}

impl<'a> Inflated<'a> {
    /// The content of a part of a file, from its start on.
    ///
    /// # Errors
    /// [`ErrorKind::OUT_OF_MEMORY`].
    pub fn new(
        file: &Stream<'a>,
        packed: Packed,
        checkpoints: Checkpoints,
        allowed: &'a Allowed,
    ) -> Result<Self> {
        // With one more byte, so that the end is found.
        let size = packed.content.map_or(LARGEST, |(size, _)| to_usize(size).saturating_add(1).min(LARGEST));
        let at = Position {
            inflater: Box::default(),
            buffer: zeros(file.path(), size)?,
            filled: 0,
            next: 0,
            start: 0,
            crc: Some(0),
            has_ended: false,
            gzip: None,
            fault: None,
        };
        Ok(Self::at(file, packed, checkpoints, allowed, (packed.begin, at)))
    }

    /// The content from a position on, with the offset in the file of the next compressed byte.
    fn at(
        file: &Stream<'a>,
        packed: Packed,
        checkpoints: Checkpoints,
        allowed: &'a Allowed,
        (input, at): (u64, Position),
    ) -> Self {
        let (path, interrupt, input) = (file.path(), file.interrupt(), file.of(input..packed.end));
        Self { input, path, interrupt, packed, allowed, checkpoints, at }
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Counts memory that is kept of the content.
    ///
    /// # Errors
    /// Those of [`Allowed::keep`].
    pub fn keep(&self, bytes: usize) -> Result<()> {
        self.allowed.keep(self.path, bytes)
    }

    /// Where it can continue, for another stream of the same content.
    #[must_use]
    pub fn checkpoints(&self) -> &Checkpoints {
        &self.checkpoints
    }

    /// The size of the content, as the file declares it.
    #[must_use]
    pub fn declared_size(&self) -> Option<u64> {
        self.packed.content.map(|(size, _)| size)
    }

    /// The offset in the content of the next byte.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.at.start + self.at.next as u64
    }

    /// The error that the content is damaged.
    #[must_use]
    pub fn damaged(&self, reason: impl Into<String>) -> Error {
        Error::damaged(self.path, reason)
    }

    /// Whether a place that is found here is worth remembering: there is a checkpoint between `last` and here.
    #[must_use]
    pub fn has_checkpoint_since(&self, last: u64) -> bool {
        if !self.packed.is_deflated {
            return self.offset() >= last.saturating_add(self.checkpoints.every);
        }
        let checkpoint = self.checkpoints.found.last();
        checkpoint.is_some_and(|found| last < found.output && found.output <= self.offset())
    }

    /// The next bytes; none only at the end.
    ///
    /// # Errors
    /// Those of reading, [`ErrorKind::Cancelled`], [`ErrorKind::TooLarge`] and [`ErrorKind::Damaged`].
    pub fn chunk(&mut self) -> Result<&[u8]> {
        self.ahead(1)
    }

    /// The next bytes, at least `least` unless the content ends before.
    ///
    /// # Errors
    /// Those of [`Inflated::chunk`].
    #[inline]
    pub fn ahead(&mut self, least: usize) -> Result<&[u8]> {
        while self.at.filled - self.at.next < least && !self.at.has_ended {
            self.refill(least)?;
        }
        Ok(self.at.buffer.get(self.at.next..self.at.filled).unwrap_or_default())
    }

    /// Passes bytes that were returned.
    #[inline]
    pub fn skip(&mut self, bytes: usize) {
        self.at.next = self.at.next.saturating_add(bytes).min(self.at.filled);
    }

    /// Continues at an offset, from a checkpoint if one is nearer than the next byte, or at the end.
    ///
    /// # Errors
    /// Those of [`Inflated::chunk`].
    pub fn seek(&mut self, offset: u64) -> Result<()> {
        let end = self.at.start + self.at.filled as u64;
        if offset < self.at.start || offset > end {
            if self.packed.is_deflated {
                self.restart(offset);
            } else {
                self.input.seek(self.packed.begin.saturating_add(offset).min(self.packed.end));
                (self.at.start, self.at.next, self.at.filled, self.at.has_ended) = (offset, 0, 0, false);
                self.at.crc = (offset == 0).then_some(0);
            }
        }
        loop {
            let ahead = offset.saturating_sub(self.at.start);
            if ahead <= self.at.filled as u64 {
                self.at.next = to_usize(ahead);
                return Ok(());
            }
            self.at.next = self.at.filled;
            if self.chunk()?.is_empty() {
                return Ok(());
            }
        }
    }

    /// Goes back, or ahead, to the last checkpoint before an offset.
    fn restart(&mut self, offset: u64) {
        let found = self.checkpoints.before(offset);
        let end = self.at.start + self.at.filled as u64;
        let output = found.as_ref().map_or(0, |found| found.output);
        if (output..=offset).contains(&end) {
            return;
        }
        self.at.gzip = self.at.gzip.map(|_| Member { start: output, is_open: false });
        let window = if let Some(found) = &found {
            self.input.seek(found.input);
            match &found.state {
                State::Between(state) => {
                    *self.at.inflater = DecompressorOxide::from_block_boundary_state(state);
                }
                State::Inside(state) => self.at.inflater.clone_from(state),
            }
            (self.at.start, self.at.crc) = (found.output - found.window.len() as u64, Some(found.crc));
            self.at.gzip = self.at.gzip.map(|_| Member { start: found.member, is_open: true });
            &found.window[..]
        } else {
            self.input.seek(self.packed.begin);
            *self.at.inflater = DecompressorOxide::new();
            (self.at.start, self.at.crc) = (0, Some(0));
            &[]
        };
        if let Some(target) = self.at.buffer.get_mut(..window.len()) {
            target.copy_from_slice(window);
        }
        (self.at.filled, self.at.next, self.at.has_ended, self.at.fault) =
            (window.len(), window.len(), false, None);
    }

    /// How many bytes were inflated and passed over since the last checkpoint, whichever are more.
    fn since_checkpoint(&self) -> u64 {
        let last = self.checkpoints.found.last();
        let (input, output) = last.map_or((self.packed.begin, 0), |last| (last.input, last.output));
        let end = self.at.start + self.at.filled as u64;
        end.saturating_sub(output).max(self.input.offset().saturating_sub(input))
    }

    /// The index in the buffer of the first byte to which DEFLATE may refer.
    fn first(&self) -> usize {
        self.at.gzip.map_or(0, |member| to_usize(member.start.saturating_sub(self.at.start)))
    }

    /// Inflates up to a chunk more; less at the end, at a checkpoint, or where the next part of the file is read.
    fn refill(&mut self, least: usize) -> Result<()> {
        if self.interrupt.interrupted(NoLockHeld::check()) {
            return Err(Error::new(self.path, ErrorKind::Cancelled));
        }
        if !self.begin_member()? {
            return Ok(());
        }
        self.make_room(least)?;
        let (first, since) = (self.first(), self.since_checkpoint());
        let input = self.input.chunk()?;
        let is_last = input.is_empty();
        let limit = self.at.filled.saturating_add(CHUNK).min(self.at.buffer.len());
        let is_due = since >= self.checkpoints.every;
        let (status, passed, made) = if self.packed.is_deflated {
            let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF
                | if is_last { 0 } else { TINFL_FLAG_HAS_MORE_INPUT }
                | if is_due { TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY } else { 0 };
            let buffer = self.at.buffer.get_mut(first..limit).unwrap_or_default();
            decompress(&mut self.at.inflater, input, buffer, self.at.filled - first, flags)
        } else {
            let made = input.len().min(limit - self.at.filled);
            let (from, to) =
                (input.get(..made), self.at.buffer.get_mut(self.at.filled..self.at.filled + made));
            if let (Some(from), Some(to)) = (from, to) {
                to.copy_from_slice(from);
            }
            (if is_last { Status::Done } else { Status::NeedsMoreInput }, made, made)
        };
        self.input.skip(passed);
        let inflated = self.at.buffer.get(self.at.filled..self.at.filled + made).unwrap_or_default();
        self.at.crc = self.at.crc.map(|crc| crc32(crc, inflated));
        self.at.filled += made;
        let end = self.at.start + self.at.filled as u64;
        let more = end.saturating_sub(self.checkpoints.reached).min(made as u64);
        self.checkpoints.reached = self.checkpoints.reached.max(end);
        self.allowed.inflate(self.path, to_usize(more))?;
        match status {
            Status::Done if self.at.gzip.is_some() => self.end_member(),
            Status::Done => {
                self.at.has_ended = true;
                self.verify()
            }
            Status::BlockBoundary => {
                let state = self.at.inflater.block_boundary_state().map(State::Between);
                state.map_or(Ok(()), |state| self.keep_checkpoint(state))
            }
            // Without checkpoints, reads in a block as long as the file could not be stopped.
            Status::NeedsMoreInput | Status::HasMoreOutput
                if self.at.gzip.is_some()
                    && since >= self.checkpoints.every.saturating_add(gzip::LONG_BLOCK) =>
            {
                self.keep_checkpoint(State::Inside(self.at.inflater.clone()))
            }
            Status::NeedsMoreInput | Status::HasMoreOutput => Ok(()),
            Status::FailedCannotMakeProgress => self.fail(gzip::CUT),
            _ => self.fail("its compressed bytes cannot be inflated"),
        }
    }

    /// Drops what was taken, but not what DEFLATE may refer to.
    fn make_room(&mut self, least: usize) -> Result<()> {
        let kept = self.at.next.min(self.at.filled.saturating_sub(WINDOW));
        // One byte more than what is left, so that the end is found.
        let end = self.at.start + self.at.filled as u64;
        let left = self.declared_size().map_or(usize::MAX, |size| to_usize(size.saturating_sub(end)));
        let missing = least.saturating_sub(self.at.filled - self.at.next).max(1).min(left.saturating_add(1));
        if kept > 0 && self.at.buffer.len() - self.at.filled < CHUNK {
            self.at.buffer.copy_within(kept..self.at.filled, 0);
            self.at.start += kept as u64;
            self.at.next -= kept;
            self.at.filled -= kept;
        }
        let missing = missing.max(if self.at.buffer.len() < LARGEST { 1 } else { CHUNK / 2 });
        let wanted = self.at.filled.saturating_add(missing);
        if wanted > self.at.buffer.len() {
            enlarge(self.path, &mut self.at.buffer, wanted.max(LARGEST))?;
        }
        Ok(())
    }

    fn keep_checkpoint(&mut self, state: State) -> Result<()> {
        let Some(crc) = self.at.crc else { return Ok(()) };
        if !self.allowed.has_window(WINDOW) {
            return Ok(());
        }
        let checkpoints = &mut self.checkpoints;
        if checkpoints.found.len() >= checkpoints.most {
            let mut is_kept = false;
            checkpoints.found.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            checkpoints.every = checkpoints.every.saturating_mul(2);
        }
        let begin = self.at.filled.saturating_sub(WINDOW).max(self.first());
        let window = self.at.buffer.get(begin..self.at.filled).unwrap_or_default();
        let mut copy = zeros(self.path, window.len())?;
        copy.copy_from_slice(window);
        self.checkpoints.found.push(Arc::new(Checkpoint {
            input: self.input.offset(),
            output: self.at.start + self.at.filled as u64,
            member: self.at.gzip.map_or(0, |member| member.start),
            crc,
            state,
            window: copy.into_boxed_slice(),
        }));
        Ok(())
    }

    /// Compares size and CRC-32 at the end.
    fn verify(&mut self) -> Result<()> {
        let Some((size, expected)) = self.packed.content else { return Ok(()) };
        if self.at.start + self.at.filled as u64 != size {
            return Err(self.damaged("the size of its content differs from the declared one"));
        }
        match self.at.crc {
            Some(crc) if crc != expected => {
                Err(self.damaged("its content has another CRC-32 than the declared one"))
            }
            Some(_) => {
                self.checkpoints.is_verified = true;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
