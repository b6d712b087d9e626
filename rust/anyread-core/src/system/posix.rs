//! What Linux and other Unix systems have in common.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, OFlags};

pub use rustix::fs::FileType;
pub use rustix::io::Errno;

use super::SystemResult;

/// An open file, closed when it is dropped.
pub type Descriptor = OwnedFd;
/// An open file that is closed by its owner.
pub type BorrowedDescriptor<'a> = BorrowedFd<'a>;

/// Something that has an open file.
pub trait AsDescriptor {
    /// The open file.
    fn as_descriptor(&self) -> BorrowedDescriptor<'_>;
}

impl<T: AsFd> AsDescriptor for T {
    fn as_descriptor(&self) -> BorrowedDescriptor<'_> {
        self.as_fd()
    }
}

/// The environment variable with the user's home directory.
pub(crate) const HOME: &str = "HOME";

/// Opens a file so that neither the call nor a read waits for another process.
pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
/// Opens a directory for listing.
pub(super) const LIST: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// The bytes of a path, with `/` as the separator.
#[must_use]
pub fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    Cow::Borrowed(path.as_os_str().as_bytes())
}

/// The path of such bytes.
#[must_use]
pub fn path_from_bytes(bytes: &[u8]) -> Cow<'_, Path> {
    Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
}

/// The absolute path of an existing file, with links resolved.
pub(crate) fn canonical(path: &Path) -> std::io::Result<PathBuf> {
    std::fs::canonicalize(path)
}

/// Whether a path names another host: never on this system.
pub(crate) fn is_on_host(_path: &Path) -> bool {
    false
}

/// Whether a directory has an entry, even if it may not be opened.
pub(crate) fn has_entry(directory: BorrowedDescriptor<'_>, name: &[u8]) -> bool {
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

/// Another descriptor of the same open file.
pub(crate) fn duplicate(descriptor: BorrowedDescriptor<'_>) -> SystemResult<Descriptor> {
    rustix::io::fcntl_dupfd_cloexec(descriptor, 0)
}

/// Passes the names in a directory, except `.` and `..`, to `each` until it returns false, each with its type
/// if the file system lists it; returns whether all names were passed.
pub(crate) fn names(directory: Descriptor, mut each: impl FnMut(&[u8], Option<FileType>) -> bool) -> bool {
    let Ok(entries) = Dir::new(directory) else { return false };
    for entry in entries {
        let Ok(entry) = entry else { return false };
        let name = entry.file_name().to_bytes();
        let file_type = Some(entry.file_type()).filter(|file_type| *file_type != FileType::Unknown);
        if name != b"." && name != b".." && !each(name, file_type) {
            return false;
        }
    }
    true
}

/// Reads at an offset; returns how many bytes were read, 0 at the end.
pub(crate) fn read_at(
    descriptor: BorrowedDescriptor<'_>,
    buffer: &mut [u8],
    offset: u64,
) -> SystemResult<usize> {
    rustix::io::pread(descriptor, buffer, offset)
}

/// Whether this process runs as the user that owns a file.
pub(crate) fn owner_is_user(owner: u32) -> bool {
    owner == rustix::process::geteuid().as_raw()
}

/// A device number in the form of `stat`.
pub(crate) fn device_number((major, minor): (u32, u32)) -> u64 {
    let number = rustix::fs::makedev(major, minor);
    #[cfg(target_vendor = "apple")]
    let number = u64::from(number.cast_unsigned());
    number
}
