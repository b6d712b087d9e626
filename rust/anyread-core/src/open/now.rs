//! Opening a file only if that cannot block: the path is in the kernel's cache, and the mount is known.
//!
//! `RESOLVE_CACHED` keeps the lookup from blocking, but not the file system's own `open`, which on a network
//! mount or under a virus scanner waits for another process. So the file is first looked up (`O_PATH`, which
//! does not run that `open`), and opened only if its mount is known not to block.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Statx};
use rustix::io::Errno;

use super::location::{self, lexical};
use super::{LOOK, Opener, PriorKnowledge, READ, RegularFile, Strategy, base_of, check_spelling};
use crate::device::mounts::{self, Mount, Obstacle};
use crate::device::waits::waits;
use crate::device::{Device, DeviceClass};
use crate::error::Blocked;
use crate::source::Snapshot;

/// A path, and the directory to look it up from.
struct CachedLookup<'p> {
    anchor: BorrowedFd<'p>,
    path: &'p Path,
    resolve: ResolveFlags,
    /// Where the path leads if the lookup meets no links.
    expected: PathBuf,
}

impl Opener {
    /// Opens the file at exactly this path if neither the lookup nor the file system can block.
    ///
    /// It opens nothing that [`Opener::open`] would not open, and fails in case of doubt.
    ///
    /// # Errors
    /// The reason why the file must be opened with [`Opener::open`], which may block.
    pub fn open_now(&self, path: &Path) -> Result<RegularFile, Blocked> {
        if self.roots.strategy() == Strategy::Walk {
            return Err(Blocked::Portable);
        }
        check_spelling(path).and_then(|()| self.check_given_path(path)).map_err(|_| Blocked::Lookup)?;
        let mut lookup = self.lookup(path).ok_or(Blocked::Lookup)?;
        let mut look = lookup.open(LOOK, ResolveFlags::NO_SYMLINKS);
        let linked = matches!(look, Err(Errno::LOOP));
        if linked {
            look = lookup.open(LOOK, ResolveFlags::empty());
        } else {
            lookup.resolve |= ResolveFlags::NO_SYMLINKS;
        }
        let look = look.map_err(|_| Blocked::Lookup)?;
        let (mount, device) = examine(&look)?;
        let (started, waits_before) = (Instant::now(), waits());
        let descriptor = lookup.open(READ, ResolveFlags::empty());
        // A thread that was merely preempted has not waited.
        if started.elapsed() > mounts::SLOW_OPEN && waits() > waits_before {
            mounts::demote(mount);
        }
        let descriptor = descriptor.map_err(|_| Blocked::Lookup)?;
        let prior = PriorKnowledge {
            device: mount.is_unique().then_some(device),
            // A root that was moved since it was opened has another path now.
            is_real_path: !linked && self.roots.list.is_empty(),
            is_now: true,
        };
        let opened = self.admit(path, descriptor, &lookup.expected, prior).map_err(|_| Blocked::Lookup)?;
        // Since the lookup the path may have been replaced by a file from another mount.
        if opened.mount == mount { Ok(opened) } else { Err(Blocked::Lookup) }
    }

    fn lookup<'p>(&'p self, path: &'p Path) -> Option<CachedLookup<'p>> {
        if self.roots.list.is_empty() {
            let expected = lexical(&base_of(path), path);
            return Some(CachedLookup { anchor: CWD, path, resolve: ResolveFlags::CACHED, expected });
        }
        let rooted = *self.roots.rooted_paths(path).first()?;
        let root = self.roots.list.get(rooted.root_index)?;
        let path = location::as_path(rooted.path);
        let resolve = ResolveFlags::CACHED | ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        Some(CachedLookup {
            anchor: root.descriptor().ok()?,
            path,
            resolve,
            expected: lexical(&root.real, path),
        })
    }
}

impl CachedLookup<'_> {
    fn open(&self, flags: OFlags, more: ResolveFlags) -> Result<OwnedFd, Errno> {
        rustix::fs::openat2(self.anchor, self.path, flags, Mode::empty(), self.resolve | more)
    }
}

/// The mount of a file that was looked up, if it is a regular file that can be opened without blocking.
fn examine(look: impl AsFd) -> Result<(Mount, Device), Blocked> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let stat = rustix::fs::statx(look, c"", flags, Snapshot::MASK).map_err(|_| Blocked::Lookup)?;
    if !FileType::from_raw_mode(stat.stx_mode.into()).is_file() {
        return Err(Blocked::Lookup);
    }
    let mount = Mount::of(&stat);
    let device = mounts::readable_now(mount).map_err(|obstacle| match obstacle {
        Obstacle::Unknown => Blocked::UnknownMount,
        Obstacle::Device => Blocked::Device,
        Obstacle::Slow => Blocked::SlowOpen,
        Obstacle::Cold => Blocked::Pages,
    })?;
    if device.class == DeviceClass::Overlay && !is_mincore_reliable(&stat) {
        return Err(Blocked::Device);
    }
    Ok((mount, device))
}

/// Whether `mincore` is reliable for a file: it reports every page as cached unless the caller owns the file.
fn is_mincore_reliable(stat: &Statx) -> bool {
    stat.stx_uid == rustix::process::geteuid().as_raw()
}
