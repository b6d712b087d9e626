//! The properties of a file system on which reading depends.

pub mod mounts;

/// The properties of the file system of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// How a cached page can be read without blocking.
    pub class: DeviceClass,
    /// Two writes within this many nanoseconds may leave the same timestamp.
    pub tick_ns: i64,
    /// Whether the kernel generates its files when they are read, so that their reported size is meaningless.
    pub pseudo: bool,
}

/// How a read can avoid blocking.
///
/// Source: measured on Linux 6.18; `preadv2(RWF_NOWAIT)` returns EOPNOTSUPP on overlayfs and tmpfs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceClass {
    /// `RWF_NOWAIT` works: ext2, ext3, ext4, xfs, btrfs.
    NoWait,
    /// The content is always in memory: tmpfs, ramfs.
    Memory,
    /// `mincore` reports whether a range is cached: overlayfs.
    Overlay,
    /// Every call may block: network file systems, FUSE, and everything unknown.
    Hop,
}

/// For file systems with fine timestamps: twice the coarsest kernel clock tick (100 Hz).
#[cfg(any(unix, test))]
pub(crate) const FINE_TICK_NS: i64 = 20_000_000;
/// For FAT, whose timestamps have a resolution of two seconds, and for unknown file systems.
pub(crate) const COARSE_TICK_NS: i64 = 2_000_000_000;
