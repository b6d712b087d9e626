//! Unix without the calls of Linux; used on macOS.
//!
//! There is no descriptor of a file that is not opened, so the type of a name is determined first: regular
//! files and directories are then opened, links are opened themselves, and anything else is left alone.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat};

pub use super::posix::{
    AsDescriptor, BorrowedDescriptor, Descriptor, Errno, FileType, path_bytes, path_from_bytes,
};

pub(crate) use super::posix::{
    HOME, canonical, device_number, duplicate, has_entry, is_on_host, names, owner_is_user, read_at,
};

use super::posix::{LIST, READ};
use super::{Access, CachedLookup, FileSystem, State, SystemResult};
use crate::device::Device;
use crate::device::mounts::Mount;
use crate::snapshot::{SECOND_NS, Snapshot};

#[cfg(target_os = "linux")]
#[path = "linux/file_systems.rs"]
mod file_systems;

/// How often a name is looked at again because it was replaced in between.
const ATTEMPTS: usize = 16;

#[cfg(target_vendor = "apple")]
mod platform {
    use rustix::fs::OFlags;

    /// The longest path that the kernel accepts, in bytes: `PATH_MAX` without the NUL.
    pub const MAX_PATH_BYTES: usize = 1023;
    /// Whether names that differ only in case are the same file; they are by default.
    pub(crate) const FOLDS_CASE: bool = true;
    /// Opens a directory to look up names in it, which requires no permission to list it: `O_SEARCH`.
    pub(super) const SEARCH: OFlags =
        OFlags::from_bits_retain(0x4000_0000).union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    /// Opens a link instead of its target: `O_SYMLINK`.
    pub(super) const LINK: OFlags = OFlags::from_bits_retain(0x0020_0000).union(OFlags::CLOEXEC);
}

#[cfg(target_os = "linux")]
mod platform {
    use rustix::fs::OFlags;

    /// The longest path that the kernel accepts, in bytes: `PATH_MAX` without the NUL.
    pub const MAX_PATH_BYTES: usize = 4095;
    /// Whether names that differ only in case are the same file.
    pub(crate) const FOLDS_CASE: bool = false;
    /// Opens a directory to look up names in it. Unlike `O_SEARCH` it requires no permission to do so.
    pub(super) const SEARCH: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
    /// Opens a link instead of its target.
    pub(super) const LINK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
}

pub(crate) use platform::FOLDS_CASE;
pub use platform::MAX_PATH_BYTES;
use platform::{LINK, SEARCH};

/// The flags that open a file of a type for looking; `None` if it must not be opened.
fn look(file_type: FileType) -> Option<OFlags> {
    match file_type {
        FileType::RegularFile => Some(READ | OFlags::NOFOLLOW),
        FileType::Directory => Some(SEARCH | OFlags::NOFOLLOW),
        FileType::Symlink => Some(LINK),
        _ => None,
    }
}

/// Opens the file at a path, following links.
pub(crate) fn open_path(path: &Path, access: Access) -> SystemResult<Descriptor> {
    let flags = match access {
        Access::Look => look(file_type_at(path)?).ok_or(Errno::NXIO)?.difference(OFlags::NOFOLLOW),
        Access::Directory => SEARCH,
        Access::Read => READ,
        Access::List => LIST,
    };
    open_at(CWD, path, flags)
}

fn open_at(
    directory: BorrowedDescriptor<'_>,
    path: impl rustix::path::Arg + Copy,
    flags: OFlags,
) -> SystemResult<Descriptor> {
    let opened = rustix::io::retry_on_intr(|| rustix::fs::openat(directory, path, flags, Mode::empty()))?;
    // `O_SEARCH` fails where this does.
    #[cfg(target_os = "linux")]
    if flags.contains(SEARCH) {
        rustix::fs::statat(&opened, ".", AtFlags::empty())?;
    }
    Ok(opened)
}

/// Opens a single name in a directory; a link is found, but never followed.
pub(crate) fn open_entry(
    directory: BorrowedDescriptor<'_>,
    name: &[u8],
    access: Access,
) -> SystemResult<Descriptor> {
    let open = |flags| open_at(directory, name, flags);
    match access {
        Access::Look => {
            let mut found = Err(Errno::AGAIN);
            for _ in 0..ATTEMPTS {
                found = open(look(entry_type(directory, name)?).ok_or(Errno::NXIO)?);
                // Otherwise it has become a link, or is no longer a directory.
                if !matches!(found, Err(Errno::LOOP | Errno::NOTDIR)) {
                    break;
                }
            }
            found
        }
        Access::Directory => open(SEARCH | OFlags::NOFOLLOW),
        Access::Read => open(READ | OFlags::NOFOLLOW),
        Access::List => open(LIST | OFlags::NOFOLLOW),
    }
}

/// Not available: the error is always ENOSYS.
pub(crate) fn resolve_beneath(
    _directory: BorrowedDescriptor<'_>,
    _path: &[u8],
    _access: Access,
) -> SystemResult<Descriptor> {
    Err(Errno::NOSYS)
}

/// Not available: the error is always ENOSYS.
pub(crate) fn resolve_cached(
    _directory: Option<BorrowedDescriptor<'_>>,
    _path: &Path,
    _access: Access,
    _lookup: CachedLookup,
) -> SystemResult<Descriptor> {
    Err(Errno::NOSYS)
}

/// The type of the file at a path, if it must not be opened.
pub(crate) fn special_path(path: &Path) -> Option<FileType> {
    file_type_at(path).ok().filter(|file_type| look(*file_type).is_none())
}

/// The type of an entry, if it must not be opened.
pub(crate) fn special_entry(directory: BorrowedDescriptor<'_>, name: &[u8]) -> Option<FileType> {
    entry_type(directory, name).ok().filter(|file_type| look(*file_type).is_none())
}

fn entry_type(directory: BorrowedDescriptor<'_>, name: &[u8]) -> SystemResult<FileType> {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| type_of(&stat))
}

/// The type of the file at a path, links followed.
pub(crate) fn file_type_at(path: &Path) -> SystemResult<FileType> {
    statat(CWD, path, AtFlags::empty()).map(|stat| type_of(&stat))
}

/// The type of an opened file.
pub(crate) fn file_type(descriptor: BorrowedDescriptor<'_>) -> SystemResult<FileType> {
    rustix::io::retry_on_intr(|| rustix::fs::fstat(descriptor)).map(|stat| type_of(&stat))
}

/// A signal may interrupt a request to a server, which is then repeated, as that of an open.
fn statat(
    directory: BorrowedDescriptor<'_>,
    path: impl rustix::path::Arg + Copy,
    flags: AtFlags,
) -> SystemResult<Stat> {
    rustix::io::retry_on_intr(|| rustix::fs::statat(directory, path, flags))
}

fn type_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// The state of an opened file.
pub(crate) fn state(descriptor: BorrowedDescriptor<'_>) -> SystemResult<State> {
    rustix::io::retry_on_intr(|| rustix::fs::fstat(descriptor)).map(|stat| state_from(&stat))
}

/// The state of an opened file.
pub(crate) fn cached_state(descriptor: BorrowedDescriptor<'_>) -> SystemResult<State> {
    state(descriptor)
}

/// The state of the file at a path, or of the link there.
pub(crate) fn state_of_path(path: &Path) -> SystemResult<State> {
    statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).map(|stat| state_from(&stat))
}

/// What distinguishes an opened file from all others: its device and its inode number.
pub(crate) fn identity(descriptor: BorrowedDescriptor<'_>) -> SystemResult<(u64, u64)> {
    let Snapshot { device: (major, minor), inode, .. } = state(descriptor)?.snapshot;
    Ok((u64::from(major) << 32 | u64::from(minor), inode))
}

fn state_from(stat: &Stat) -> State {
    const STICKY_AND_WRITABLE_BY_ALL: u32 = 0o1002;
    let device = (rustix::fs::major(stat.st_dev), rustix::fs::minor(stat.st_dev));
    let mode = u32::from(stat.st_mode);
    State {
        snapshot: Snapshot {
            device,
            inode: stat.st_ino,
            #[cfg(target_vendor = "apple")]
            birth_ns: nanoseconds(stat.st_birthtime, stat.st_birthtime_nsec),
            #[cfg(not(target_vendor = "apple"))]
            birth_ns: 0,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified_ns: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed_ns: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        },
        file_type: type_of(stat),
        mount: Mount::of_device(device),
        owner: stat.st_uid,
        is_sticky_for_all: mode & STICKY_AND_WRITABLE_BY_ALL == STICKY_AND_WRITABLE_BY_ALL,
    }
}

/// A time in nanoseconds; the types of the two parts depend on the system.
fn nanoseconds(seconds: impl TryInto<i64>, rest: impl TryInto<i64>) -> i64 {
    let (seconds, rest) = (seconds.try_into().unwrap_or(0), rest.try_into().unwrap_or(0));
    seconds.saturating_mul(SECOND_NS).saturating_add(rest)
}

/// The file system of an opened file.
///
/// On macOS every call may block, because nothing says whether a page is cached. APFS has fine timestamps;
/// those of HFS+ are in whole seconds.
#[cfg(target_vendor = "apple")]
pub(crate) fn file_system(descriptor: BorrowedDescriptor<'_>) -> SystemResult<FileSystem> {
    use crate::device::{COARSE_TICK_NS, DeviceClass, FINE_TICK_NS};

    let found = rustix::fs::fstatfs(descriptor)?;
    let name: Vec<u8> = found.f_fstypename.iter().map(|unit| unit.cast_unsigned()).collect();
    let tick_ns = if name.starts_with(b"apfs\0") { FINE_TICK_NS } else { COARSE_TICK_NS };
    let device = Device { class: DeviceClass::Hop, tick_ns, pseudo: false };
    Ok(FileSystem { device, is_procfs: false, forbids_links: false })
}

#[cfg(target_os = "linux")]
pub(crate) fn file_system(descriptor: BorrowedDescriptor<'_>) -> SystemResult<FileSystem> {
    use crate::device::DeviceClass;

    let found = file_systems::file_system(descriptor)?;
    Ok(FileSystem { device: Device { class: DeviceClass::Hop, ..found.device }, ..found })
}

/// The target of the link `name` in a directory.
pub(crate) fn link_target(
    directory: BorrowedDescriptor<'_>,
    name: &[u8],
    _link: BorrowedDescriptor<'_>,
) -> SystemResult<Vec<u8>> {
    rustix::io::retry_on_intr(|| rustix::fs::readlinkat(directory, name, Vec::with_capacity(256)))
        .map(std::ffi::CString::into_bytes)
}

/// The path of an opened file according to the kernel, with links resolved.
#[cfg(target_vendor = "apple")]
pub(crate) fn named_path(descriptor: impl AsFd) -> Option<PathBuf> {
    let named = rustix::fs::getpath(descriptor).ok()?;
    Some(path_from_bytes(named.to_bytes()).into_owned())
}

#[cfg(target_os = "linux")]
pub(crate) fn named_path(descriptor: impl AsFd) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;

    let link = format!("/proc/self/fd/{}", descriptor.as_fd().as_raw_fd());
    std::fs::read_link(link).ok().filter(|named| named.is_absolute())
}

/// Not available: the error is always EOPNOTSUPP.
pub(crate) fn read_cached(
    _descriptor: BorrowedDescriptor<'_>,
    _buffer: &mut [u8],
    _offset: u64,
) -> SystemResult<usize> {
    Err(Errno::OPNOTSUPP)
}

/// Whether a range is in the page cache, which is not known.
pub(crate) fn is_resident(_descriptor: BorrowedDescriptor<'_>, _offset: u64, _length: usize) -> bool {
    false
}

/// The properties of a file system of which nothing is known yet; here they are never known in advance.
pub(crate) fn device_in_mount_table(_look: BorrowedDescriptor<'_>) -> Option<Device> {
    None
}

/// How many times this thread has waited; `None`, because it is not counted.
#[must_use]
pub fn waits() -> Option<u64> {
    None
}

/// As [`waits`].
pub(crate) fn recent_waits(_now: std::time::Instant) -> Option<u64> {
    waits()
}
