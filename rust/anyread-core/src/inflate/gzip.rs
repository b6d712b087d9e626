//! The text of a gzip file (RFC 1952): its members one after another, read at any offset.
//!
//! One pass over the file finds the size of the text, counts its lines and checks every checksum. Later reads continue
//! from its checkpoints. The text ends where the pass found a fault, which is then reported with every page.

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::{Checkpoints, Inflated, MOST, Packed, Position, State, WINDOW, crc32};
use crate::allowed::Allowed;
use crate::cache::Keep;
use crate::error::{Error, ErrorKind, Result};
use crate::index::LineIndex;
use crate::lock::Lock;
use crate::memory::out_of_memory;
use crate::scan::{BLOCK, Interrupt, Never, to_usize, vectors};
use crate::source::{Decompressed, Source, Waiting};
use crate::stream::{Bytes, Stream};
use crate::system::{AsDescriptor, Descriptor};

use miniz_oxide::inflate::core::BlockBoundaryState;

/// The media type of a gzip file.
pub const MEDIA_TYPE: &str = "application/gzip";
/// The file ends before its compressed bytes do.
pub const CUT: &str = "its compressed bytes end too early";
/// Something else follows the last member; only zeros may.
const TRAILING: &str = "what follows its last member is not gzip";
const BAD_HEADER: &str = "the header of a member is damaged";

/// What compressors append to the name of a file.
const SUFFIXES: [&str; 4] = ["gz", "gzip", "bgz", "z"];
/// A text up to this size is kept in memory during a call.
const SMALL_TEXT: usize = 1 << 20;
/// The most checkpoints, which take 8 MB, and how many bytes there are between two of a small file.
const MOST_CHECKPOINTS: usize = if cfg!(test) { MOST } else { 240 };
const EVERY: u64 = if cfg!(test) { 64 << 10 } else { 1 << 20 };
/// After so many bytes more there is one inside a block.
pub(super) const LONG_BLOCK: u64 = EVERY;
/// How many positions of earlier reads are kept, from which a later one may continue.
const POSITIONS: usize = 4;
/// How many bytes of the start and of the end of a file show whether it is another one.
const SAMPLE: usize = 4 << 10;

/// The member of a gzip file that is inflated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    /// Where its content begins in the text.
    pub(super) start: u64,
    /// Whether its header was read.
    pub(super) is_open: bool,
}

/// What follows in a gzip file.
enum Following {
    Member,
    End,
    Fault(&'static str),
}

impl<'a> Inflated<'a> {
    /// The text of a gzip file, from its start on.
    fn gzip(file: &Stream<'a>, checkpoints: Checkpoints, allowed: &'a Allowed) -> Result<Self> {
        let mut inflated = Self::new(file, all(file), checkpoints, allowed)?;
        inflated.at.gzip = Some(Member { start: 0, is_open: false });
        Ok(inflated)
    }

    /// Reads the header of the next member of a gzip file, unless one is being inflated; returns whether there is
    /// anything to inflate.
    pub(super) fn begin_member(&mut self) -> Result<bool> {
        let Some(Member { is_open: false, .. }) = self.at.gzip else { return Ok(true) };
        match following(&mut self.input, self.packed.begin)? {
            Following::Member => {
                self.at.inflater.init();
                self.at.crc = Some(0);
                self.at.gzip = Some(Member { start: self.at.start + self.at.filled as u64, is_open: true });
                if self.since_checkpoint() >= self.checkpoints.every {
                    self.keep_checkpoint(State::Between(BlockBoundaryState::default()))?;
                }
                return Ok(true);
            }
            Following::End => self.at.has_ended = true,
            Following::Fault(reason) => self.fail(reason)?,
        }
        Ok(false)
    }

    /// Compares the checksum and the size of a member.
    pub(super) fn end_member(&mut self) -> Result<()> {
        let start = self.at.gzip.map_or(0, |member| member.start);
        let size = self.at.start + self.at.filled as u64 - start;
        self.at.gzip = Some(Member { start, is_open: false });
        let Some(trailer) = self.input.ahead(8)?.first_chunk::<8>() else { return self.fail(CUT) };
        let declared = u64::from_le_bytes(*trailer);
        self.input.skip(8);
        if self.at.crc.map(u64::from) != Some(declared & 0xFFFF_FFFF) {
            return self.fail("its content has another CRC-32 than the declared one");
        }
        // The size is declared modulo 2^32.
        if size & 0xFFFF_FFFF != declared >> 32 {
            return self.fail("the size of its content differs from the declared one");
        }
        Ok(())
    }

    /// Ends the text of a gzip file; damage of other content is an error.
    pub(super) fn fail(&mut self, reason: &'static str) -> Result<()> {
        if self.at.gzip.is_none() {
            return Err(self.damaged(reason));
        }
        (self.at.has_ended, self.at.fault) = (true, Some(reason));
        Ok(())
    }
}

/// The compressed bytes: all of a gzip file.
fn all(file: &Stream<'_>) -> Packed {
    Packed { begin: 0, end: file.end(), is_deflated: true, content: None }
}

/// The header of the next member, which is passed.
///
/// As for `gzip`, zeros may follow the last member.
fn following(input: &mut Stream<'_>, begin: u64) -> Result<Following> {
    let is_first = input.offset() == begin;
    if !is_first && input.peek()?.is_none_or(|byte| byte == 0) {
        let has_ended = input.skip_while(|byte| byte == 0)?.is_none();
        return Ok(if has_ended { Following::End } else { Following::Fault(TRAILING) });
    }
    let start = input.ahead(10)?;
    if !start.iter().zip(b"\x1F\x8B").all(|(byte, expected)| byte == expected) {
        return Ok(Following::Fault(TRAILING));
    }
    let Some(&[_, _, method, flags, ..]) = start.first_chunk::<10>() else {
        return Ok(Following::Fault(CUT));
    };
    if method != 8 || flags & 0b1110_0000 != 0 {
        return Ok(Following::Fault(BAD_HEADER));
    }
    let mut header = Header { input, crc: 0 };
    Ok(match header.pass(flags)? {
        None => Following::Fault(CUT),
        Some(false) => Following::Fault(BAD_HEADER),
        Some(true) => Following::Member,
    })
}

/// The header of a member while it is read.
struct Header<'h, 'a> {
    input: &'h mut Stream<'a>,
    /// The CRC-32 of what was read.
    crc: u32,
}

impl Header<'_, '_> {
    /// Passes the header; returns whether it has its declared checksum, `None` if the file ends before it does.
    fn pass(&mut self, flags: u8) -> Result<Option<bool>> {
        if self.bytes(10)?.is_none() {
            return Ok(None);
        }
        if flags & 0b100 != 0 {
            let Some(length) = self.number()? else { return Ok(None) };
            if self.bytes(length.into())?.is_none() {
                return Ok(None);
            }
        }
        // The name of the file, and a comment.
        for flag in [0b1000, 0b1_0000] {
            if flags & flag != 0 && self.text()?.is_none() {
                return Ok(None);
            }
        }
        let expected = self.crc & 0xFFFF;
        let found = if flags & 0b10 == 0 { Some(expected) } else { self.number()?.map(u32::from) };
        Ok(found.map(|found| found == expected))
    }

    fn bytes(&mut self, count: usize) -> Result<Option<()>> {
        let Some(bytes) = self.input.ahead(count)?.get(..count) else { return Ok(None) };
        self.crc = crc32(self.crc, bytes);
        self.input.skip(count);
        Ok(Some(()))
    }

    fn number(&mut self) -> Result<Option<u16>> {
        let number = self.input.ahead(2)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
        Ok(self.bytes(2)?.and(number))
    }

    fn text(&mut self) -> Result<Option<()>> {
        loop {
            let chunk = self.input.chunk()?;
            let end = memchr::memchr(0, chunk).map(|end| end + 1);
            let all = chunk.len();
            self.bytes(end.unwrap_or(all))?;
            if end.is_some() || all == 0 {
                return Ok(end.map(|_| ()));
            }
        }
    }
}

/// What the pass over a gzip file has found.
pub struct Known {
    checkpoints: Checkpoints,
    size: u64,
    /// Its end, which every page looks at.
    tail: Box<[u8]>,
    lines: LineIndex,
    fault: Option<&'static str>,
    samples: u32,
}

impl Known {
    /// How many bytes the text has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Keep for Known {
    fn bytes(&self) -> u64 {
        let tail = self.tail.len() as u64;
        self.checkpoints.bytes() + tail + self.lines.bytes() + size_of::<Self>() as u64
    }
}

/// The bytes of a gzip file.
pub enum File {
    /// A small one in memory.
    Memory(Vec<u8>),
    /// An open one, of which only the first bytes are read.
    Open(Descriptor, u64),
}

impl File {
    fn source(&self) -> Source<'_> {
        match self {
            Self::Memory(bytes) => Source::Memory(bytes),
            Self::Open(descriptor, size) => Source::File {
                descriptor: descriptor.as_descriptor(),
                size: *size,
                scans: None,
                waiting: Waiting::Allowed,
                head: &[],
                present: None,
            },
        }
    }

    /// The CRC-32 of its first and last bytes.
    fn samples(&self, path: &Path) -> Result<u32> {
        let source = self.source();
        let first = crc32(0, &source.bytes(path, 0, SAMPLE)?);
        let last = source.bytes(path, source.size().saturating_sub(SAMPLE as u64), SAMPLE)?;
        Ok(crc32(first, &last))
    }
}

/// The text of a gzip file.
pub struct GzipText {
    file: File,
    known: Arc<Known>,
    /// The whole text if it is small and was just inflated.
    small: Option<Vec<u8>>,
    /// The positions of earlier reads, each with the offset of the next compressed byte.
    positions: Lock<Vec<(u64, Position)>>,
}

impl GzipText {
    fn new(file: File, known: Arc<Known>) -> Self {
        Self { file, known, small: None, positions: Lock::default() }
    }

    /// The text of a file that was read before, which may have at most `most` bytes.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`].
    pub fn known_before(file: File, known: Arc<Known>, path: &Path, most: u64) -> Result<Self> {
        if known.size > most {
            return Err(too_large(path, known.size, most));
        }
        Ok(Self::new(file, known))
    }

    /// Reads a file once completely; its text may have at most `most` bytes.
    ///
    /// # Errors
    /// Those of reading, [`ErrorKind::Cancelled`], [`ErrorKind::TooLarge`], and [`ErrorKind::Damaged`] if nothing of the
    /// text can be inflated.
    pub fn read(file: File, path: &Path, interrupt: &dyn Interrupt, most: u64) -> Result<Self> {
        let samples = file.samples(path)?;
        let source = file.source();
        interrupt.expected(source.size());
        let stream = Stream::new(source, path, interrupt, 0..source.size());
        let allowed = Allowed::keeping(most, u64::MAX);
        let checkpoints = Checkpoints { most: MOST_CHECKPOINTS, ..Checkpoints::new(EVERY) };
        let mut inflated = Inflated::gzip(&stream, checkpoints, &allowed)?;
        let (mut lines, mut small) = (Lines::default(), Some(Vec::new()));
        loop {
            let chunk = inflated.chunk().map_err(|error| match error.kind {
                ErrorKind::TooLarge { size, maximum, .. } => too_large(path, size, maximum),
                _ => error,
            })?;
            if chunk.is_empty() {
                break;
            }
            lines.pass(chunk);
            match &mut small {
                Some(text) if text.len() + chunk.len() <= SMALL_TEXT => {
                    text.try_reserve(chunk.len()).map_err(|_| out_of_memory(path))?;
                    text.extend_from_slice(chunk);
                }
                text => *text = None,
            }
            let length = chunk.len();
            inflated.skip(length);
        }
        let (size, fault) = (inflated.offset(), inflated.at.fault);
        if let Some(reason) = fault.filter(|_| size == 0) {
            let reason = reason.to_owned();
            return Err(Error::new(path, ErrorKind::Damaged { media_type: MEDIA_TYPE, reason }));
        }
        let Inflated { checkpoints, at: Position { buffer, filled, .. }, .. } = inflated;
        let tail = buffer.get(filled.saturating_sub(WINDOW)..filled).unwrap_or_default().into();
        lines.index.shrink();
        let known = Arc::new(Known { checkpoints, size, tail, lines: lines.index, fault, samples });
        Ok(Self { small, ..Self::new(file, known) })
    }

    /// The first bytes of the text of a file with these first bytes, at most `maximum`.
    ///
    /// # Errors
    /// [`ErrorKind::OUT_OF_MEMORY`].
    pub fn head(bytes: &[u8], path: &Path, maximum: usize) -> Result<Vec<u8>> {
        let stream = Stream::new(Source::Memory(bytes), path, &Never, 0..bytes.len() as u64);
        let allowed = Allowed::new(u64::MAX);
        let mut inflated = Inflated::gzip(&stream, Checkpoints::new(u64::MAX), &allowed)?;
        let head = inflated.ahead(maximum)?;
        Ok(head.get(..maximum).unwrap_or(head).to_vec())
    }

    /// What the pass has found, for other reads of the same file.
    #[must_use]
    pub fn known(&self) -> &Arc<Known> {
        &self.known
    }

    /// The text.
    #[must_use]
    pub fn source(&self) -> Source<'_> {
        self.small.as_ref().map_or(Source::Decompressed(self), |text| Source::Memory(text))
    }

    /// The LFs in each complete block of the text.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        &self.known.lines
    }

    /// Why the text is not complete, or may be wrong; `None`: all checksums and sizes are the declared ones.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        self.known.fault
    }

    /// Whether its file is in memory, and so cannot change.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        matches!(self.file, File::Memory(_))
    }

    /// Whether the first and last bytes that were read of the file are still the same.
    ///
    /// # Errors
    /// Those of reading.
    pub fn is_unchanged(&self, path: &Path) -> Result<bool> {
        Ok(self.file.samples(path)? == self.known.samples)
    }

    /// Takes the position of an earlier read that is nearest before an offset, or any.
    fn position(&self, offset: u64) -> Option<(u64, Position)> {
        let mut positions = self.positions.lock();
        let nearest = |(_, (_, at)): &(usize, &(u64, Position))| (at.start <= offset).then_some(at.start);
        let (index, _) = positions.iter().enumerate().max_by_key(nearest)?;
        Some(positions.swap_remove(index))
    }
}

impl Decompressed for GzipText {
    fn size(&self) -> u64 {
        self.known.size
    }

    fn read_at(&self, path: &Path, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let Known { size, tail, .. } = &*self.known;
        let in_tail = offset.checked_sub(size - tail.len() as u64).map(to_usize);
        if let Some(known) = in_tail.and_then(|start| tail.get(start..start.checked_add(buffer.len())?)) {
            buffer.copy_from_slice(known);
            return Ok(());
        }
        let source = self.file.source();
        let stream = Stream::new(source, path, &Never, 0..source.size());
        // All of it was counted in the pass.
        let allowed = Allowed::new(u64::MAX);
        let checkpoints = self.known.checkpoints.clone();
        let mut inflated = match self.position(offset) {
            Some(position) => Inflated::at(&stream, all(&stream), checkpoints, &allowed, position),
            None => Inflated::gzip(&stream, checkpoints, &allowed)?,
        };
        inflated.seek(offset)?;
        let mut rest = buffer;
        while !rest.is_empty() {
            let chunk = inflated.chunk()?;
            let length = chunk.len().min(rest.len());
            if length == 0 {
                return Err(Error::new(path, ErrorKind::FileChanged { change: "rewritten" }));
            }
            let (filled, left) = rest.split_at_mut(length);
            filled.copy_from_slice(&chunk[..length]);
            inflated.skip(length);
            rest = left;
        }
        let position = (inflated.input.offset(), inflated.at);
        let mut positions = self.positions.lock();
        positions.truncate(POSITIONS - 1);
        positions.push(position);
        Ok(())
    }
}

impl fmt::Debug for GzipText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GzipText").field("size", &self.known.size).finish_non_exhaustive()
    }
}

/// The name of the text in a gzip file: that of the file without its suffix.
#[must_use]
pub fn name_of_text(name: &OsStr) -> &OsStr {
    let path = Path::new(name);
    let is_gzip = path
        .extension()
        .is_some_and(|extension| SUFFIXES.iter().any(|suffix| extension.eq_ignore_ascii_case(suffix)));
    path.file_stem().filter(|_| is_gzip).unwrap_or(name)
}

/// The line feeds of a text that is inflated.
#[derive(Default)]
struct Lines {
    /// Those of the complete blocks.
    index: LineIndex,
    /// The bytes of the last block, and the line feeds in them.
    bytes: usize,
    count: usize,
}

impl Lines {
    fn pass(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() {
            let (part, rest) = chunk.split_at(chunk.len().min(to_usize(BLOCK) - self.bytes));
            self.count += vectors::count(part, b'\n');
            self.bytes += part.len();
            if self.bytes as u64 == BLOCK {
                self.index.push(u16::try_from(self.count).unwrap_or(u16::MAX));
                (self.bytes, self.count) = (0, 0);
            }
            chunk = rest;
        }
    }
}

fn too_large(path: &Path, size: u64, maximum: u64) -> Error {
    Error::new(path, ErrorKind::TooLarge { size, maximum, unit: "bytes of text" })
}

#[cfg(test)]
mod tests;
