//! An opened file as a source of bytes: what it is (its identity and freshness) and reads at any offset.

use std::borrow::Cow;
use std::fmt;
use std::io::IoSliceMut;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Statx, StatxFlags, StatxTimestamp};
use rustix::io::{Errno, ReadWriteFlags};

use crate::device::DeviceClass;
use crate::device::resident::is_resident;
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::scan::{LargeScans, to_usize};

/// What `statx` says of an opened file: {device, inode, birth time} tell which file it is,
/// {size, mtime, ctime} whether it is still as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// Device number, major and minor.
    pub device: (u32, u32),
    /// Inode number.
    pub inode: u64,
    /// Birth time in nanoseconds since the epoch, 0 where the file system has none.
    pub birth_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of content, in nanoseconds since the epoch.
    pub modified_ns: i64,
    /// Time of the last change of content or metadata, in nanoseconds since the epoch.
    pub changed_ns: i64,
}

/// The part of a [`Snapshot`] that stays the same while a file lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    device: (u32, u32),
    inode: u64,
    birth_ns: i64,
}

impl Snapshot {
    /// The `statx` fields that a snapshot needs.
    pub const MASK: StatxFlags =
        StatxFlags::BASIC_STATS.union(StatxFlags::BTIME).union(crate::device::mounts::UNIQUE_MOUNT_ID);

    /// The snapshot in a `statx` answer.
    #[must_use]
    pub fn from_statx(stat: &Statx) -> Self {
        Self {
            device: (stat.stx_dev_major, stat.stx_dev_minor),
            inode: stat.stx_ino,
            birth_ns: nanoseconds(stat.stx_btime),
            size: stat.stx_size,
            modified_ns: nanoseconds(stat.stx_mtime),
            changed_ns: nanoseconds(stat.stx_ctime),
        }
    }

    /// Asks the kernel about an opened file.
    ///
    /// # Errors
    /// The error number of `statx`.
    pub fn of(descriptor: impl AsFd) -> std::result::Result<Self, Errno> {
        let stat = rustix::fs::statx(descriptor, c"", AtFlags::EMPTY_PATH, Self::MASK)?;
        Ok(Self::from_statx(&stat))
    }

    /// The device number as `stat` has it.
    #[must_use]
    pub fn device_number(&self) -> u64 {
        rustix::fs::makedev(self.device.0, self.device.1)
    }

    /// Which file this is.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity { device: self.device, inode: self.inode, birth_ns: self.birth_ns }
    }

    /// Whether a write within the clock's tick of `tick_ns` could leave these numbers as they are.
    ///
    /// Such a snapshot proves nothing later: git's racy-clean rule.
    #[must_use]
    pub fn is_racy(&self, tick_ns: i64) -> bool {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()
            .and_then(|elapsed| i64::try_from(elapsed.as_nanos()).ok());
        let newest = self.modified_ns.max(self.changed_ns);
        now.is_none_or(|now| now.saturating_sub(newest) < tick_ns)
    }

    /// An opaque token that stays the same while the file does; empty while a rewrite could go unseen.
    #[must_use]
    pub fn version(&self, tick_ns: i64) -> String {
        if self.is_racy(tick_ns) { String::new() } else { self.to_string() }
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.device;
        write!(
            f,
            "{major:x}.{minor:x}-{:x}-{:x}-{:x}-{:x}-{:x}",
            self.inode, self.birth_ns, self.size, self.modified_ns, self.changed_ns
        )
    }
}

fn nanoseconds(time: StatxTimestamp) -> i64 {
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(i64::from(time.tv_nsec))
}

/// Whether reading may wait for the disk.
#[derive(Debug, Clone, Copy)]
pub enum Patience<'a> {
    /// As long as it takes.
    Waits,
    /// Not at all.
    Now(&'a Allowance),
}

/// What may be read without waiting.
#[derive(Debug)]
pub struct Allowance {
    class: DeviceClass,
    bytes_left: AtomicU64,
}

impl Allowance {
    /// Up to `bytes` of what a file system of this class has cached.
    #[must_use]
    pub fn new(class: DeviceClass, bytes: u64) -> Self {
        Self { class, bytes_left: AtomicU64::new(bytes) }
    }

    /// Whether so many bytes may still be read.
    #[must_use]
    pub fn covers(&self, bytes: u64) -> bool {
        bytes <= self.bytes_left.load(Ordering::Relaxed)
    }

    /// Takes off what is about to be read.
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
    /// An open regular file; nothing behind `size` is read, so that a growing file looks still.
    File {
        /// The opened file.
        descriptor: BorrowedFd<'a>,
        /// How many bytes of it are looked at.
        size: u64,
        /// How its large scans may map it; `None`: they may not, as its file system is not known to be local.
        scans: Option<&'a LargeScans>,
        /// Whether reading may wait.
        patience: Patience<'a>,
    },
    /// A small file, or what a stream (`/proc`) gave.
    Memory(&'a [u8]),
}

impl<'a> Source<'a> {
    /// How many bytes there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::File { size, .. } => *size,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// How large scans may map it.
    pub(crate) fn large_scans(&self) -> Option<&'a LargeScans> {
        match self {
            Self::File { scans, .. } => *scans,
            Self::Memory(_) => None,
        }
    }

    /// Fills `buffer` from `offset` on and says how many bytes it got: fewer only at the end.
    ///
    /// # Errors
    /// [`ErrorKind::FileChanged`] if the file ends before its size; [`ErrorKind::FileSystem`].
    pub fn read_at(&self, path: &Path, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let left = to_usize(self.size().saturating_sub(offset));
        let wanted = buffer.len().min(left);
        match self {
            Self::Memory(bytes) => {
                let start = to_usize(offset).min(bytes.len());
                buffer[..wanted].copy_from_slice(&bytes[start..start + wanted]);
            }
            Self::File { descriptor, patience, .. } => {
                let mut filled = 0;
                while filled < wanted {
                    let rest = &mut buffer[filled..wanted];
                    let count = read_at(path, descriptor, offset + filled as u64, rest, *patience)?;
                    if count == 0 {
                        return Err(Error::new(path, ErrorKind::FileChanged { change: "truncated" }));
                    }
                    filled += count;
                }
            }
        }
        Ok(wanted)
    }

    /// Whether reading may wait, for the disk and for other readers.
    #[must_use]
    pub fn waits(&self) -> bool {
        !matches!(self, Self::File { patience: Patience::Now(_), .. })
    }

    /// At most `length` bytes from `offset` on, borrowed where they are in memory already.
    ///
    /// # Errors
    /// Those of [`Source::read_at`].
    pub fn bytes(&self, path: &Path, offset: u64, length: usize) -> Result<Cow<'a, [u8]>> {
        let left = to_usize(self.size().saturating_sub(offset));
        let length = length.min(left);
        if let Self::Memory(bytes) = self {
            let start = to_usize(offset).min(bytes.len());
            return Ok(Cow::Borrowed(&bytes[start..start + length]));
        }
        let mut buffer = Vec::new();
        enlarge(path, &mut buffer, length)?;
        self.read_at(path, offset, &mut buffer)?;
        Ok(Cow::Owned(buffer))
    }
}

/// One read, repeated while a signal interrupts it.
fn read_at(
    path: &Path,
    descriptor: impl AsFd,
    offset: u64,
    buffer: &mut [u8],
    patience: Patience<'_>,
) -> Result<usize> {
    let failed = |kind| Err(Error::new(path, kind));
    loop {
        let outcome = match patience {
            Patience::Waits => rustix::io::pread(&descriptor, &mut *buffer, offset),
            Patience::Now(allowance) => match read_now(&descriptor, offset, &mut *buffer, allowance) {
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

/// One read of what is cached.
fn read_now(
    descriptor: impl AsFd,
    offset: u64,
    buffer: &mut [u8],
    allowance: &Allowance,
) -> std::result::Result<rustix::io::Result<usize>, Blocked> {
    allowance.spend(buffer.len())?;
    match allowance.class {
        DeviceClass::NoWait => {
            let buffers = &mut [IoSliceMut::new(buffer)];
            match rustix::io::preadv2(descriptor, buffers, offset, ReadWriteFlags::NOWAIT) {
                Err(Errno::AGAIN) => Err(Blocked::Pages),
                // A file system that its kernel has without this flag.
                Err(Errno::OPNOTSUPP) => Err(Blocked::Device),
                outcome => Ok(outcome),
            }
        }
        DeviceClass::Overlay if !is_resident(&descriptor, offset, buffer.len()) => Err(Blocked::Pages),
        DeviceClass::Memory | DeviceClass::Overlay => Ok(rustix::io::pread(descriptor, buffer, offset)),
        DeviceClass::Hop => Err(Blocked::Device),
    }
}

/// Reads a file from its start to its end or to `maximum` bytes, whatever size it claims.
///
/// For small files, and for those of `/proc` and `/sys`, whose size says nothing.
/// The descriptor was opened without blocking; one that has nothing to give right now is an error.
///
/// # Errors
/// [`ErrorKind::FileSystem`], with `EAGAIN` where the file would make its reader wait.
pub fn read_stream(
    path: &Path,
    descriptor: impl AsFd,
    expected: usize,
    maximum: usize,
    patience: Patience<'_>,
) -> Result<Vec<u8>> {
    // One byte more than expected, so that the end shows itself without a second look at most files.
    let mut bytes = Vec::new();
    enlarge(path, &mut bytes, expected.saturating_add(1).min(maximum))?;
    let mut filled = 0;
    loop {
        if filled == bytes.len() {
            if filled == maximum {
                break;
            }
            enlarge(path, &mut bytes, filled.saturating_mul(2).clamp(STREAM_STEP.min(maximum), maximum))?;
        }
        match read_at(path, &descriptor, filled as u64, &mut bytes[filled..], patience)? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Makes a buffer for a file's bytes `length` bytes long.
///
/// # Errors
/// [`ErrorKind::FileSystem`] with `ENOMEM` where the process gets no more memory, which would otherwise end it.
fn enlarge(path: &Path, buffer: &mut Vec<u8>, length: usize) -> Result<()> {
    let missing = length.saturating_sub(buffer.len());
    if buffer.try_reserve_exact(missing).is_err() {
        return Err(Error::new(path, ErrorKind::OUT_OF_MEMORY));
    }
    buffer.resize(length, 0);
    Ok(())
}

/// How much room a stream of unknown length gets at first.
const STREAM_STEP: usize = 64 << 10;
