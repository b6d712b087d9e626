//! Which file an opened file is, and the state that it was in.

use std::fmt;
use std::os::fd::AsFd;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, Statx, StatxFlags, StatxTimestamp};
use rustix::io::Errno;

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
