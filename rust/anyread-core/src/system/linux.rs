//! Linux, with the calls that only it has.

mod file_systems;
mod mount_table;
mod resident;
mod waits;

use std::io::IoSliceMut;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, Statx, StatxFlags, StatxTimestamp};
use rustix::io::ReadWriteFlags;

pub use super::posix::{
    AsDescriptor, BorrowedDescriptor, Descriptor, Errno, FileType, path_bytes, path_from_bytes,
};

pub(crate) use file_systems::file_system;
pub(crate) use mount_table::device_in_mount_table;
pub(crate) use resident::is_resident;
pub(crate) use waits::recent_waits;
pub use waits::waits;

pub(crate) use super::posix::{
    HOME, canonical, device_number, duplicate, has_entry, is_on_host, names, owner_is_user, read_at,
};

use super::posix::{LIST, READ};
use super::{Access, CachedLookup, State, SystemResult};
use crate::device::mounts::Mount;
use crate::snapshot::{SECOND_NS, Snapshot};

/// The longest path that the kernel accepts, in bytes: `PATH_MAX` without the NUL.
pub const MAX_PATH_BYTES: usize = 4095;

/// Whether names that differ only in case are the same file.
pub(crate) const FOLDS_CASE: bool = false;

/// The maximum number of attempts of a lookup that fails with EAGAIN because of a concurrent rename.
///
/// Source: under constant renames 4 % of lookups with `..` failed, none more than 4 times (Linux 6.18).
const ATTEMPTS: usize = 16;

/// Requests from `statx` a mount ID that is never reused: `STATX_MNT_ID_UNIQUE` in linux/stat.h.
const UNIQUE_MOUNT_ID: StatxFlags = StatxFlags::from_bits_retain(0x4000);
/// The fields of [`State`].
const FIELDS: StatxFlags = StatxFlags::BASIC_STATS.union(StatxFlags::BTIME).union(UNIQUE_MOUNT_ID);

const STICKY_AND_WRITABLE_BY_ALL: u16 = 0o1002;

fn flags(access: Access) -> OFlags {
    match access {
        // `O_PATH` finds a file without running the `open` of its file system.
        Access::Look => OFlags::PATH | OFlags::CLOEXEC,
        Access::Directory => OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Access::Read => READ,
        Access::List => LIST,
    }
}

/// Opens the file at a path, following links.
pub(crate) fn open_path(path: &Path, access: Access) -> SystemResult<Descriptor> {
    rustix::io::retry_on_intr(|| rustix::fs::openat(CWD, path, flags(access), Mode::empty()))
}

/// Opens a single name in a directory; a link is found, but never followed.
pub(crate) fn open_entry(
    directory: BorrowedDescriptor<'_>,
    name: &[u8],
    access: Access,
) -> SystemResult<Descriptor> {
    let flags = flags(access) | OFlags::NOFOLLOW;
    rustix::io::retry_on_intr(|| rustix::fs::openat(directory, name, flags, Mode::empty()))
}

/// Opens the file at a path below a directory, which the path cannot leave.
///
/// The error is ENOSYS if the kernel cannot do this, and EAGAIN if directories are renamed all the time.
pub(crate) fn resolve_beneath(
    directory: BorrowedDescriptor<'_>,
    path: &[u8],
    access: Access,
) -> SystemResult<Descriptor> {
    // ENOSYS is permanent and can be remembered; EPERM may apply to this thread only.
    static MISSING: AtomicBool = AtomicBool::new(false);
    if MISSING.load(Ordering::Relaxed) {
        return Err(Errno::NOSYS);
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let mut result = Err(Errno::AGAIN);
    for _ in 0..ATTEMPTS {
        result = rustix::io::retry_on_intr(|| {
            rustix::fs::openat2(directory, path, flags(access), Mode::empty(), resolve)
        });
        if !matches!(result, Err(Errno::AGAIN)) {
            break;
        }
    }
    if matches!(result, Err(Errno::NOSYS)) {
        MISSING.store(true, Ordering::Relaxed);
    }
    result
}

/// Opens the file at a path if the kernel's cache has all of it; the path starts at `directory`, or else at
/// the working directory.
pub(crate) fn resolve_cached(
    directory: Option<BorrowedDescriptor<'_>>,
    path: &Path,
    access: Access,
    lookup: CachedLookup,
) -> SystemResult<Descriptor> {
    let mut resolve = ResolveFlags::CACHED;
    if lookup.is_beneath {
        resolve |= ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    }
    if lookup.forbids_links {
        resolve |= ResolveFlags::NO_SYMLINKS;
    }
    rustix::fs::openat2(directory.unwrap_or(CWD), path, flags(access), Mode::empty(), resolve)
}

/// The type of the file at a path that cannot even be looked up, which does not exist here.
pub(crate) fn special_path(_path: &Path) -> Option<FileType> {
    None
}

/// The type of an entry that cannot even be looked up, which does not exist here.
pub(crate) fn special_entry(_directory: BorrowedDescriptor<'_>, _name: &[u8]) -> Option<FileType> {
    None
}

/// The type of the file at a path, links followed.
pub(crate) fn file_type_at(path: &Path) -> SystemResult<FileType> {
    let stat = statx(CWD, path, AtFlags::empty(), StatxFlags::TYPE)?;
    Ok(FileType::from_raw_mode(stat.stx_mode.into()))
}

/// The type of an opened file.
pub(crate) fn file_type(descriptor: BorrowedDescriptor<'_>) -> SystemResult<FileType> {
    let stat = statx(descriptor, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE)?;
    Ok(FileType::from_raw_mode(stat.stx_mode.into()))
}

/// The state of an opened file.
pub(crate) fn state(descriptor: BorrowedDescriptor<'_>) -> SystemResult<State> {
    statx(descriptor, c"", AtFlags::EMPTY_PATH, FIELDS).map(|stat| state_from(&stat))
}

/// The state of an opened file as far as it is known, without asking a server for it.
pub(crate) fn cached_state(descriptor: BorrowedDescriptor<'_>) -> SystemResult<State> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    statx(descriptor, c"", flags, FIELDS).map(|stat| state_from(&stat))
}

/// The state of the file at a path, or of the link there.
pub(crate) fn state_of_path(path: &Path) -> SystemResult<State> {
    statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, FIELDS).map(|stat| state_from(&stat))
}

/// What distinguishes an opened file from all others: its device and its inode number.
pub(crate) fn identity(descriptor: BorrowedDescriptor<'_>) -> SystemResult<(u64, u64)> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let stat = statx(descriptor, c"", flags, StatxFlags::INO)?;
    Ok((u64::from(stat.stx_dev_major) << 32 | u64::from(stat.stx_dev_minor), stat.stx_ino))
}

/// A signal may interrupt a request to a server, which is then repeated, as that of an open.
fn statx(
    directory: impl AsFd,
    path: impl rustix::path::Arg + Copy,
    flags: AtFlags,
    fields: StatxFlags,
) -> SystemResult<Statx> {
    rustix::io::retry_on_intr(|| rustix::fs::statx(&directory, path, flags, fields))
}

fn state_from(stat: &Statx) -> State {
    let device = (stat.stx_dev_major, stat.stx_dev_minor);
    let is_unique = stat.stx_mask & UNIQUE_MOUNT_ID.bits() != 0;
    State {
        snapshot: Snapshot {
            device,
            inode: stat.stx_ino,
            birth_ns: nanoseconds(stat.stx_btime),
            size: stat.stx_size,
            modified_ns: nanoseconds(stat.stx_mtime),
            changed_ns: nanoseconds(stat.stx_ctime),
        },
        file_type: FileType::from_raw_mode(stat.stx_mode.into()),
        mount: if is_unique { Mount::unique(stat.stx_mnt_id) } else { Mount::of_device(device) },
        owner: stat.stx_uid,
        is_sticky_for_all: stat.stx_mode & STICKY_AND_WRITABLE_BY_ALL == STICKY_AND_WRITABLE_BY_ALL,
    }
}

fn nanoseconds(time: StatxTimestamp) -> i64 {
    time.tv_sec.saturating_mul(SECOND_NS).saturating_add(i64::from(time.tv_nsec))
}

/// The target of the link `name` in a directory, which was looked up as `link`.
pub(crate) fn link_target(
    _directory: BorrowedDescriptor<'_>,
    _name: &[u8],
    link: BorrowedDescriptor<'_>,
) -> SystemResult<Vec<u8>> {
    rustix::io::retry_on_intr(|| rustix::fs::readlinkat(link, c"", Vec::with_capacity(256)))
        .map(std::ffi::CString::into_bytes)
}

/// The path of an opened file in `/proc`, with links resolved; ` (deleted)` is appended for a removed file.
pub(crate) fn named_path(descriptor: impl AsFd) -> Option<PathBuf> {
    // `/proc/thread-self` is slower and not needed, because the host's threads share one descriptor table.
    let link = format!("/proc/self/fd/{}", descriptor.as_fd().as_raw_fd());
    let named = rustix::fs::readlinkat(CWD, link, Vec::with_capacity(256)).ok()?;
    // `(unreachable)/…` is outside the root directory of this process.
    named.to_bytes().starts_with(b"/").then(|| path_from_bytes(named.to_bytes()).into_owned())
}

/// Reads cached bytes at an offset; the error is EAGAIN if they are not cached.
pub(crate) fn read_cached(
    descriptor: BorrowedDescriptor<'_>,
    buffer: &mut [u8],
    offset: u64,
) -> SystemResult<usize> {
    rustix::io::preadv2(descriptor, &mut [IoSliceMut::new(buffer)], offset, ReadWriteFlags::NOWAIT)
}
