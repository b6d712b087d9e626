//! The operating system, behind one interface: opening names, facts about opened files, and reading them.
//!
//! Nothing else in the core makes system calls, except the guard of mapped scans and the sandbox of decoders,
//! which exist only on Linux. The implementations:
//!
//! - `linux`: `openat2`, `statx`, `O_PATH`, `preadv2(RWF_NOWAIT)`, and the names of `/proc`.
//! - `unix`: what POSIX has; used on macOS. `--cfg anyread_system="unix"` selects it on Linux too, so that the
//!   tests run it.
//! - `windows`: handles, and names opened relative to the handle of their directory.
//!
//! # What each of them guarantees
//!
//! - [`open_entry`] opens a single name in an open directory and never follows a link. A lookup that uses
//!   only this call cannot be led out of that directory, whatever other processes rename.
//! - Neither a FIFO, a device nor a socket is opened for reading if it is one when it is looked up. If it
//!   replaces a regular file at that moment, it is opened without waiting, recognized and closed.
//! - [`state`] and [`named_path`] describe the opened file, not what its path leads to now.

#[cfg(unix)]
mod posix;

#[cfg(all(target_os = "linux", not(anyread_system = "unix")))]
#[allow(unsafe_code)]
mod linux;
#[cfg(all(unix, any(not(target_os = "linux"), anyread_system = "unix")))]
mod unix;
#[cfg(windows)]
#[allow(unsafe_code)]
mod windows;

#[cfg(all(target_os = "linux", not(anyread_system = "unix")))]
use linux as imp;
#[cfg(all(unix, any(not(target_os = "linux"), anyread_system = "unix")))]
use unix as imp;
#[cfg(windows)]
use windows as imp;

pub use imp::{
    AsDescriptor, BorrowedDescriptor, Descriptor, Errno, FileType, MAX_PATH_BYTES, path_bytes,
    path_from_bytes, waits,
};

pub(crate) use imp::{
    FOLDS_CASE, HOME, cached_state, canonical, device_in_mount_table, device_number, duplicate, file_system,
    file_type, file_type_at, has_entry, identity, is_on_host, is_resident, link_target, named_path, names,
    open_entry, open_path, owner_is_user, read_at, read_cached, recent_waits, resolve_beneath,
    resolve_cached, special_entry, special_path, state, state_of_path,
};

use crate::device::Device;
use crate::device::mounts::Mount;
use crate::snapshot::Snapshot;

/// The result of a system call.
pub type SystemResult<T> = std::result::Result<T, Errno>;

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// To find out what it is: without opening it where the system can do that.
    Look,
    /// To look up names in it; it must be a directory.
    Directory,
    /// To read it, without waiting for another process.
    Read,
    /// To list the names in it; it must be a directory.
    List,
}

/// Restrictions of a lookup in the kernel's cache.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    any(not(target_os = "linux"), anyread_system = "unix"),
    expect(dead_code, reason = "only Linux has such lookups")
)]
pub(crate) struct CachedLookup {
    /// Whether the path must not leave the directory that it starts from.
    pub(crate) is_beneath: bool,
    /// Whether a link in the path is an error.
    pub(crate) forbids_links: bool,
}

/// The state of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    pub(crate) snapshot: Snapshot,
    pub(crate) file_type: FileType,
    pub(crate) mount: Mount,
    /// Its owner; 0 where files have none.
    pub(crate) owner: u32,
    /// Whether it is a directory in which everyone may create files, but remove only their own.
    pub(crate) is_sticky_for_all: bool,
}

/// The file system of an opened file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileSystem {
    pub(crate) device: Device,
    /// Whether it is procfs, wherever it is mounted.
    pub(crate) is_procfs: bool,
    /// Whether links in it are not followed.
    pub(crate) forbids_links: bool,
}

/// The properties of the file system of an opened file.
///
/// The result must not be cached by device number: after an unmount, the kernel may assign the number of a
/// file system without a disk to one of another type, and containment depends on the result.
///
/// # Errors
/// The error number of the system call.
pub fn device_of(file: &impl AsDescriptor) -> SystemResult<Device> {
    file_system(file.as_descriptor()).map(|file_system| file_system.device)
}

impl Snapshot {
    /// The current snapshot of an opened file.
    ///
    /// # Errors
    /// The error number of the system call.
    pub fn of(file: &impl AsDescriptor) -> SystemResult<Self> {
        state(file.as_descriptor()).map(|state| state.snapshot)
    }

    /// The device number in the form of `stat`.
    #[must_use]
    pub fn device_number(&self) -> u64 {
        device_number(self.device)
    }
}
