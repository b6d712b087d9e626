//! An opened file as a source of bytes: reads at any offset, and streams.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::DeviceClass;
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::mapping::LargeScans;
use crate::memory::{enlarge, zeros};
use crate::present::Present;
use crate::size::to_usize;
use crate::system::{self, AsDescriptor, BorrowedDescriptor, Errno};

pub use crate::snapshot::{Identity, Snapshot};

/// Whether reading may block.
#[derive(Debug, Clone, Copy)]
pub enum Waiting<'a> {
    /// It may block.
    Allowed,
    /// It must not block and may read only so much.
    Refused(&'a InlineLimit),
}

/// What may be read without blocking.
#[derive(Debug)]
pub struct InlineLimit {
    class: DeviceClass,
    bytes_left: AtomicU64,
}

impl InlineLimit {
    /// Up to `bytes` cached bytes of a file system of this class.
    #[must_use]
    pub fn new(class: DeviceClass, bytes: u64) -> Self {
        Self { class, bytes_left: AtomicU64::new(bytes) }
    }

    /// Whether `bytes` more bytes may be read.
    #[must_use]
    pub fn covers(&self, bytes: u64) -> bool {
        bytes <= self.bytes_left.load(Ordering::Relaxed)
    }

    /// Allows `bytes` more bytes, to read again what was just read.
    pub fn add(&self, bytes: u64) {
        self.bytes_left.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts bytes that are about to be read.
    fn spend(&self, bytes: usize) -> std::result::Result<(), Blocked> {
        let left = self.bytes_left.load(Ordering::Relaxed);
        let rest = left.checked_sub(bytes as u64).ok_or(Blocked::Work)?;
        self.bytes_left.store(rest, Ordering::Relaxed);
        Ok(())
    }
}

/// Bytes at any offset: an open file read with `pread`, or bytes that are already in memory.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// An open regular file; nothing after `size` is read, so that appended bytes have no effect.
    File {
        /// The opened file.
        descriptor: BorrowedDescriptor<'a>,
        /// How many bytes of it may be read.
        size: u64,
        /// How large scans may map it; `None` if its file system is not known to be local.
        scans: Option<&'a LargeScans>,
        /// Whether reading may block.
        waiting: Waiting<'a>,
        /// Its first bytes, if they have been read already.
        head: &'a [u8],
        /// What is present, if it is a copy of a file that is elsewhere.
        present: Option<&'a Present>,
    },
    /// The content of a small file or of a stream (`/proc`).
    Memory(&'a [u8]),
    /// The text of a compressed file.
    Decompressed(&'a dyn Decompressed),
}

/// A text that is decompressed where it is read.
pub trait Decompressed: fmt::Debug + Sync {
    /// How many bytes there are.
    fn size(&self) -> u64;

    /// Fills `buffer` from `offset` on with bytes that there are.
    ///
    /// # Errors
    /// [`ErrorKind::FileChanged`] if there are fewer now, and those of reading.
    fn read_at(&self, path: &Path, offset: u64, buffer: &mut [u8]) -> Result<()>;
}

impl<'a> Source<'a> {
    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::File { size, .. } => *size,
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Decompressed(text) => text.size(),
        }
    }

    /// How large scans may map it.
    pub(crate) fn large_scans(&self) -> Option<&'a LargeScans> {
        match self {
            Self::File { scans, .. } => *scans,
            Self::Memory(_) | Self::Decompressed(_) => None,
        }
    }

    /// Fills `buffer` from `offset` on; returns how many bytes were read, which is less only at the end.
    ///
    /// # Errors
    /// [`ErrorKind::FileChanged`] if the file ends before its size; [`ErrorKind::FileSystem`].
    pub fn read_at(&self, path: &Path, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let left = to_usize(self.size().saturating_sub(offset));
        let length = buffer.len().min(left);
        match *self {
            Self::Decompressed(text) => text.read_at(path, offset, &mut buffer[..length])?,
            Self::Memory(bytes) => {
                let start = to_usize(offset).min(bytes.len());
                buffer[..length].copy_from_slice(&bytes[start..start + length]);
            }
            Self::File { descriptor, waiting, present, .. } => {
                if let Some(present) = present {
                    present.require(path, offset, length as u64)?;
                }
                let mut filled = 0;
                while filled < length {
                    let rest = &mut buffer[filled..length];
                    let count = read_at(path, descriptor, offset + filled as u64, rest, waiting)?;
                    if count == 0 {
                        return Err(Error::new(path, ErrorKind::FileChanged { change: "truncated" }));
                    }
                    filled += count;
                }
            }
        }
        Ok(length)
    }

    /// The same bytes, which scans read without mapping the file.
    pub(crate) fn unmapped(self) -> Self {
        match self {
            Self::File { descriptor, size, waiting, head, present, .. } => {
                Self::File { descriptor, size, scans: None, waiting, head, present }
            }
            Self::Memory(_) | Self::Decompressed(_) => self,
        }
    }

    /// The same bytes, of which the first ones are read from the file again, too.
    pub(crate) fn without_head(self) -> Self {
        match self {
            Self::File { descriptor, size, scans, waiting, present, .. } => {
                Self::File { descriptor, size, scans, waiting, head: &[], present }
            }
            Self::Memory(_) | Self::Decompressed(_) => self,
        }
    }

    /// Whether `bytes` more bytes may be read.
    pub(crate) fn allows(&self, bytes: u64) -> bool {
        match self {
            Self::File { waiting: Waiting::Refused(limit), .. } => limit.covers(bytes),
            _ => true,
        }
    }

    /// Whether it is a copy of a file that is elsewhere.
    pub(crate) fn is_copy(&self) -> bool {
        matches!(self, Self::File { present: Some(_), .. })
    }

    /// What is present of it, if it is an incomplete copy.
    pub(crate) fn missing(&self) -> Option<&'a Present> {
        match self {
            Self::File { present: Some(present), .. } if !present.is_complete() => Some(present),
            _ => None,
        }
    }

    /// What is present of it, if it is an incomplete copy whose LF are counted where the file is.
    pub(crate) fn counted(&self) -> Option<&'a Present> {
        self.missing().filter(|present| present.counts())
    }

    /// How many LF were counted where the file is, if it is a copy.
    pub(crate) fn line_feeds(&self) -> Option<u64> {
        match self {
            Self::File { present: Some(present), .. } => present.total(),
            _ => None,
        }
    }

    /// Fails if it is an incomplete copy.
    ///
    /// # Errors
    /// [`Blocked::Missing`].
    pub(crate) fn require_all(&self, path: &Path) -> Result<()> {
        self.missing().map_or(Ok(()), |present| present.require_all(path))
    }

    /// Whether all bytes are in memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        matches!(self, Self::Memory(_))
    }

    /// Whether reading may wait for the disk and for other readers.
    #[must_use]
    pub fn waits(&self) -> bool {
        !matches!(self, Self::File { waiting: Waiting::Refused(_), .. })
    }

    /// At most `length` bytes from `offset` on, borrowed if they have been read already.
    ///
    /// # Errors
    /// Those of [`Source::read_at`].
    pub fn bytes(&self, path: &Path, offset: u64, length: usize) -> Result<Cow<'a, [u8]>> {
        let left = to_usize(self.size().saturating_sub(offset));
        let length = length.min(left);
        let start = to_usize(offset);
        match self {
            Self::Memory(bytes) => {
                let start = start.min(bytes.len());
                return Ok(Cow::Borrowed(&bytes[start..start + length]));
            }
            Self::File { head, .. } => {
                if let Some(known) = start.checked_add(length).and_then(|end| head.get(start..end)) {
                    return Ok(Cow::Borrowed(known));
                }
            }
            Self::Decompressed(_) => {}
        }
        let mut buffer = zeros(path, length)?;
        self.read_at(path, offset, &mut buffer)?;
        Ok(Cow::Owned(buffer))
    }
}

/// One read, which is repeated if a signal interrupts it.
fn read_at(
    path: &Path,
    descriptor: BorrowedDescriptor<'_>,
    offset: u64,
    buffer: &mut [u8],
    waiting: Waiting<'_>,
) -> Result<usize> {
    let failed = |kind| Err(Error::new(path, kind));
    loop {
        let outcome = match waiting {
            Waiting::Allowed => system::read_at(descriptor, buffer, offset),
            Waiting::Refused(limit) => match read_now(descriptor, offset, buffer, limit) {
                Ok(outcome) => outcome,
                Err(blocked) => return failed(ErrorKind::WouldBlock(blocked)),
            },
        };
        match outcome {
            Ok(count) => return Ok(count),
            Err(Errno::INTR) => {}
            Err(errno) => {
                return failed(ErrorKind::FileSystem { errno: errno.raw_os_error(), operation: "read" });
            }
        }
    }
}

/// One read of cached bytes.
fn read_now(
    descriptor: BorrowedDescriptor<'_>,
    offset: u64,
    buffer: &mut [u8],
    limit: &InlineLimit,
) -> std::result::Result<system::SystemResult<usize>, Blocked> {
    limit.spend(buffer.len())?;
    match limit.class {
        DeviceClass::NoWait => match system::read_cached(descriptor, buffer, offset) {
            Err(Errno::AGAIN) => Err(Blocked::Pages),
            // In this kernel the file system does not support the flag.
            Err(Errno::OPNOTSUPP) => Err(Blocked::Device),
            outcome => Ok(outcome),
        },
        DeviceClass::Overlay if !system::is_resident(descriptor, offset, buffer.len()) => Err(Blocked::Pages),
        DeviceClass::Memory | DeviceClass::Overlay => Ok(system::read_at(descriptor, buffer, offset)),
        DeviceClass::Hop => Err(Blocked::Device),
    }
}

/// Fills `buffer` from an offset of a file on; returns how many bytes were read, which is less only at the end.
///
/// # Errors
/// [`ErrorKind::FileSystem`].
pub fn fill(path: &Path, file: &impl AsDescriptor, offset: u64, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let rest = &mut buffer[filled..];
        match read_at(path, file.as_descriptor(), offset + filled as u64, rest, Waiting::Allowed)? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

/// Reads a file from its start to its end, at most `maximum` bytes, whatever its reported size.
///
/// For small files, and for files of `/proc` and `/sys`, whose reported size is meaningless: their `expected` size
/// is `None`.
/// The descriptor is non-blocking; if it has no data at the moment, that is an error.
///
/// # Errors
/// [`ErrorKind::FileSystem`], with `EAGAIN` if the read would have to wait for data.
pub fn read_stream(
    path: &Path,
    file: &impl AsDescriptor,
    expected: Option<usize>,
    maximum: usize,
    waiting: Waiting<'_>,
) -> Result<Vec<u8>> {
    // One byte more than expected, so that the end of most files is detected without enlarging the buffer.
    let initial = expected.map_or(STREAM_STEP, |size| size.saturating_add(1));
    let mut bytes = zeros(path, initial.min(maximum))?;
    let mut filled = 0;
    loop {
        if filled == bytes.len() {
            if filled == maximum {
                break;
            }
            enlarge(path, &mut bytes, filled.saturating_mul(2).clamp(STREAM_STEP.min(maximum), maximum))?;
        }
        match read_at(path, file.as_descriptor(), filled as u64, &mut bytes[filled..], waiting)? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The initial buffer size for a stream of unknown length, in bytes.
///
/// Files in `/proc/sys` return everything to the first read and nothing to the next one, so it is more than they have.
const STREAM_STEP: usize = 64 << 10;
