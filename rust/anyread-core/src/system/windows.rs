//! Windows: handles, and names opened relative to the handle of their directory.
//!
//! A name is passed to NT as it is, so nothing of it is interpreted: neither trailing dots and blanks, nor
//! device names such as `CON`. A name with a colon, which would select a stream of a file, does not exist.
//! Links (symbolic links, junctions and all other reparse points that lead to another name) are found, but
//! their targets are never read: [`link_target`] refuses with ELOOP.
//!
//! Timestamps prove nothing here: NTFS may update them only when the last writer closes its handle. The number
//! of a file in the change journal (USN) proves no more, because only the first of several writes between an
//! opening and its close makes a record. So every state counts as racy, and no version is ever promised.
//!
//! Source: "File Times", "Change Journal Records", `CreateFileW`, `NtOpenFile` and `GetFileInformationByHandleEx` at
//! learn.microsoft.com, 2026-06.

mod errno;
mod information;
mod names;
mod text;

use std::fs::{File, OpenOptions};
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf, Prefix};

use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES,
    FILE_READ_DATA, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_TRAVERSE,
    SECURITY_IDENTIFICATION, SYNCHRONIZE,
};

pub use errno::Errno;
pub use text::{path_bytes, path_from_bytes};

pub(crate) use information::{file_type, identity, named_path, state};
pub(crate) use names::{names, open_entry};

use super::{Access, CachedLookup, FileSystem, State, SystemResult};
use crate::device::{Device, DeviceClass};

/// The longest path that any call accepts, in bytes of UTF-8: 32,767 UTF-16 units.
pub const MAX_PATH_BYTES: usize = 98_301;
/// Whether names that differ only in case are the same file.
pub(crate) const FOLDS_CASE: bool = true;
/// The environment variable with the user's home directory.
pub(crate) const HOME: &str = "USERPROFILE";

/// Other programs may do everything with a file that is open here.
const SHARE_ALL: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// An open file, closed when it is dropped.
pub type Descriptor = File;
/// An open file that is closed by its owner.
pub type BorrowedDescriptor<'a> = &'a File;

/// Something that has an open file.
pub trait AsDescriptor {
    /// The open file.
    fn as_descriptor(&self) -> BorrowedDescriptor<'_>;
}

impl AsDescriptor for File {
    fn as_descriptor(&self) -> BorrowedDescriptor<'_> {
        self
    }
}

impl AsDescriptor for &File {
    fn as_descriptor(&self) -> BorrowedDescriptor<'_> {
        self
    }
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// A regular file.
    RegularFile,
    /// A directory.
    Directory,
    /// A symbolic link, a junction, or another name of a file.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A socket, which is never found here.
    Socket,
    /// A device.
    CharacterDevice,
    /// A disk, which is never found here.
    BlockDevice,
}

impl FileType {
    /// Whether it is a regular file.
    #[must_use]
    pub fn is_file(self) -> bool {
        self == Self::RegularFile
    }

    /// Whether it is a link.
    #[must_use]
    pub fn is_symlink(self) -> bool {
        self == Self::Symlink
    }
}

/// The access rights that are requested.
fn rights(access: Access) -> u32 {
    let specific = match access {
        Access::Look => 0,
        Access::Directory => FILE_TRAVERSE,
        Access::Read => FILE_READ_DATA,
        Access::List => FILE_LIST_DIRECTORY,
    };
    specific | FILE_READ_ATTRIBUTES | SYNCHRONIZE
}

/// Opens the file at a path, following links.
pub(crate) fn open_path(path: &Path, access: Access) -> SystemResult<Descriptor> {
    open_with(path, access, FILE_FLAG_BACKUP_SEMANTICS)
}

fn open_with(path: &Path, access: Access, flags: u32) -> SystemResult<Descriptor> {
    // A slash at the end would be part of the name.
    let absolute = std::path::absolute(path)?;
    let absolute = absolute.components().as_path();
    if special(absolute).is_some() {
        return Err(Errno::NXIO);
    }
    if has_stream(absolute) {
        return Err(Errno::NOENT);
    }
    let file = OpenOptions::new()
        .access_mode(rights(access))
        .share_mode(SHARE_ALL)
        .custom_flags(flags)
        .security_qos_flags(SECURITY_IDENTIFICATION)
        .open(absolute)?;
    let needs_directory =
        matches!(access, Access::Directory | Access::List) || path_bytes(path).ends_with(b"/");
    if needs_directory && file_type(&file)? != FileType::Directory {
        return Err(Errno::NOTDIR);
    }
    Ok(file)
}

/// Whether a path names a stream of a file, such as `a.txt:hidden` or `a.txt::$DATA`.
fn has_stream(absolute: &Path) -> bool {
    let names = absolute.components().filter(|component| matches!(component, Component::Normal(_)));
    names.into_iter().any(|name| name.as_os_str().as_encoded_bytes().contains(&b':'))
}

/// The type of what an absolute path names outside of the file systems: a device or a pipe.
fn special(absolute: &Path) -> Option<FileType> {
    let Some(Component::Prefix(prefix)) = absolute.components().next() else { return None };
    match prefix.kind() {
        Prefix::DeviceNS(_) | Prefix::Verbatim(_) => Some(FileType::CharacterDevice),
        Prefix::UNC(_, share) | Prefix::VerbatimUNC(_, share) if share.eq_ignore_ascii_case("pipe") => {
            Some(FileType::Fifo)
        }
        _ => None,
    }
}

/// The type of what a path names, if it must not be opened.
pub(crate) fn special_path(path: &Path) -> Option<FileType> {
    special(&std::path::absolute(path).ok()?)
}

/// Whether a path names another host, as in `\\host\share\a.txt`.
pub(crate) fn is_on_host(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let has_slash = |index: usize| matches!(bytes.get(index), Some(b'/' | b'\\'));
    let is_device = match path.components().next() {
        Some(Component::Prefix(prefix)) => {
            matches!(prefix.kind(), Prefix::DeviceNS(_) | Prefix::Verbatim(_) | Prefix::VerbatimDisk(_))
        }
        _ => false,
    };
    has_slash(0) && has_slash(1) && !is_device
}

/// The type of an entry that must not be opened; directories contain none.
pub(crate) fn special_entry(_directory: BorrowedDescriptor<'_>, _name: &[u8]) -> Option<FileType> {
    None
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

/// The absolute path of an existing file, with links resolved, without the prefix `\\?\`.
pub(crate) fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    let real = std::fs::canonicalize(path)?;
    Ok(text::without_verbatim_prefix(&real))
}

/// Another handle of the same open file.
pub(crate) fn duplicate(file: BorrowedDescriptor<'_>) -> SystemResult<Descriptor> {
    Ok(file.try_clone()?)
}

/// Whether a directory has an entry, even if it may not be read.
pub(crate) fn has_entry(directory: BorrowedDescriptor<'_>, name: &[u8]) -> bool {
    open_entry(directory, name, Access::Look).is_ok()
}

/// The type of the file at a path, links followed.
pub(crate) fn file_type_at(path: &Path) -> SystemResult<FileType> {
    match special_path(path) {
        Some(file_type) => Ok(file_type),
        None => file_type(&open_path(path, Access::Look)?),
    }
}

/// The state of an opened file.
pub(crate) fn cached_state(file: BorrowedDescriptor<'_>) -> SystemResult<State> {
    state(file)
}

/// The state of the file at a path, or of the link there.
pub(crate) fn state_of_path(path: &Path) -> SystemResult<State> {
    state(&open_with(path, Access::Look, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)?)
}

/// The file system of an opened file: every call may block, and no timestamp is reliable.
#[expect(clippy::unnecessary_wraps, reason = "the call fails on other systems")]
pub(crate) fn file_system(_file: BorrowedDescriptor<'_>) -> SystemResult<FileSystem> {
    let device = Device { class: DeviceClass::Hop, tick_ns: i64::MAX, pseudo: false };
    Ok(FileSystem { device, is_procfs: false, forbids_links: false })
}

/// Links are not followed below roots: the error is always ELOOP.
pub(crate) fn link_target(
    _directory: BorrowedDescriptor<'_>,
    _name: &[u8],
    _link: BorrowedDescriptor<'_>,
) -> SystemResult<Vec<u8>> {
    Err(Errno::LOOP)
}

/// Reads at an offset; returns how many bytes were read, 0 at the end.
pub(crate) fn read_at(file: BorrowedDescriptor<'_>, buffer: &mut [u8], offset: u64) -> SystemResult<usize> {
    Ok(file.seek_read(buffer, offset)?)
}

/// Not available: the error is always EOPNOTSUPP.
pub(crate) fn read_cached(
    _file: BorrowedDescriptor<'_>,
    _buffer: &mut [u8],
    _offset: u64,
) -> SystemResult<usize> {
    Err(Errno::OPNOTSUPP)
}

/// Whether a range is in the page cache, which is not known.
pub(crate) fn is_resident(_file: BorrowedDescriptor<'_>, _offset: u64, _length: usize) -> bool {
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

/// Whether this process runs as the owner of a file, which is not determined.
pub(crate) fn owner_is_user(_owner: u32) -> bool {
    false
}

/// The serial number of a volume.
pub(crate) fn device_number((high, low): (u32, u32)) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
