//! Names in an open directory: opening one, and listing them.

use std::ffi::{OsString, c_void};
use std::fs::File;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::path::PathBuf;
use std::ptr;

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_DIRECTORY_FILE, FILE_OPEN_REPARSE_POINT, FILE_SYNCHRONOUS_IO_NONALERT, NtOpenFile,
};
use windows_sys::Win32::Foundation::{
    ERROR_NO_MORE_FILES, HANDLE, INVALID_HANDLE_VALUE, OBJ_CASE_INSENSITIVE, RtlNtStatusToDosError,
    UNICODE_STRING,
};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FileFullDirectoryInfo, GetFileInformationByHandleEx, ReOpenFile,
};
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use super::information::{file_type, identity, is_processed_by_a_filter};
use super::text::{path_bytes, units};
use super::{BorrowedDescriptor, Descriptor, Errno, FileType, SHARE_ALL, rights};
use crate::system::{Access, SystemResult};

/// Bytes for one part of a list of names.
const LIST_BYTES: usize = 64 << 10;

/// Opens a single name in a directory; a link is found, but never followed.
pub(crate) fn open_entry(
    directory: BorrowedDescriptor<'_>,
    name: &[u8],
    access: Access,
) -> SystemResult<Descriptor> {
    if name == b"." {
        return reopen(directory, access);
    }
    if name.is_empty() || name == b".." || name.iter().any(|byte| matches!(byte, b'/' | b'\\' | b':' | 0)) {
        return Err(Errno::NOENT);
    }
    let name = units(name);
    let found = open_name(directory, &name, access, FILE_OPEN_REPARSE_POINT)?;
    if access == Access::Look {
        return Ok(found);
    }
    if file_type(&found)? == FileType::Symlink {
        return Err(Errno::LOOP);
    }
    if access == Access::Read && is_processed_by_a_filter(&found)? {
        // The content, for example of a compressed file, is available only without the flag. The name may
        // have become a link in between.
        let processed = open_name(directory, &name, access, 0)?;
        return if identity(&processed)? == identity(&found)? { Ok(processed) } else { Err(Errno::AGAIN) };
    }
    Ok(found)
}

fn open_name(directory: &File, name: &[u16], access: Access, options: u32) -> SystemResult<File> {
    let bytes = u16::try_from(size_of_val(name)).map_err(|_| Errno::NAMETOOLONG)?;
    let name = UNICODE_STRING { Length: bytes, MaximumLength: bytes, Buffer: name.as_ptr().cast_mut() };
    let attributes = OBJECT_ATTRIBUTES {
        Length: u32::try_from(size_of::<OBJECT_ATTRIBUTES>()).map_err(|_| Errno::INVAL)?,
        RootDirectory: directory.as_raw_handle(),
        ObjectName: &raw const name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: ptr::null(),
        SecurityQualityOfService: ptr::null(),
    };
    let is_directory = matches!(access, Access::Directory | Access::List);
    let options = options | FILE_SYNCHRONOUS_IO_NONALERT | if is_directory { FILE_DIRECTORY_FILE } else { 0 };
    let mut handle: HANDLE = ptr::null_mut();
    let mut status = IO_STATUS_BLOCK::default();
    // SAFETY: all pointers are valid for the call: the name and the attributes are not changed, and the handle
    // and the status are written. The directory is open.
    let result = unsafe {
        NtOpenFile(
            &raw mut handle,
            rights(access),
            &raw const attributes,
            &raw mut status,
            SHARE_ALL,
            options,
        )
    };
    if result < 0 {
        // SAFETY: the call only looks up a number.
        return Err(Errno::of_code(unsafe { RtlNtStatusToDosError(result) }));
    }
    // SAFETY: the call has succeeded, so the handle is open and belongs to nobody else.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Opens a directory again, with other rights.
fn reopen(directory: &File, access: Access) -> SystemResult<File> {
    // SAFETY: the handle is open.
    let handle = unsafe {
        ReOpenFile(directory.as_raw_handle(), rights(access), SHARE_ALL, FILE_FLAG_BACKUP_SEMANTICS)
    };
    if handle == INVALID_HANDLE_VALUE {
        return Err(Errno::last());
    }
    // SAFETY: the call has succeeded, so the handle is open and belongs to nobody else.
    Ok(unsafe { File::from_raw_handle(handle) })
}

/// Passes the names in a directory, except `.` and `..`, to `each` until it returns false; returns whether
/// all names were passed. Their types are not listed.
#[expect(clippy::needless_pass_by_value, reason = "on other systems, listing takes the descriptor")]
pub(crate) fn names(directory: Descriptor, mut each: impl FnMut(&[u8], Option<FileType>) -> bool) -> bool {
    // The structures in the buffer begin at multiples of eight bytes.
    let mut buffer = vec![0_u64; LIST_BYTES / size_of::<u64>()];
    let Ok(size) = u32::try_from(LIST_BYTES) else { return false };
    loop {
        // SAFETY: the handle is open, and the call writes at most `size` bytes to the buffer.
        let succeeded = unsafe {
            GetFileInformationByHandleEx(
                directory.as_raw_handle(),
                FileFullDirectoryInfo,
                buffer.as_mut_ptr().cast::<c_void>(),
                size,
            )
        };
        if succeeded == 0 {
            let ended = Some(ERROR_NO_MORE_FILES.cast_signed());
            return std::io::Error::last_os_error().raw_os_error() == ended;
        }
        let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let Some(is_wanted) = pass(&bytes, &mut each) else { return false };
        if !is_wanted {
            return false;
        }
    }
}

/// Passes the names in a list of `FILE_FULL_DIR_INFO`; returns whether more are wanted, `None` if it is broken.
fn pass(list: &[u8], each: &mut impl FnMut(&[u8], Option<FileType>) -> bool) -> Option<bool> {
    /// The offsets of the length of a name and of the name.
    const LENGTH: usize = 60;
    const NAME: usize = 68;
    let number = |at: usize| {
        let bytes = list.get(at..at.checked_add(4)?)?;
        usize::try_from(u32::from_ne_bytes(bytes.try_into().ok()?)).ok()
    };
    let mut start = 0_usize;
    loop {
        let length = number(start.checked_add(LENGTH)?)?;
        let from = start.checked_add(NAME)?;
        let name = list.get(from..from.checked_add(length)?)?;
        let units: Vec<u16> = name.as_chunks::<2>().0.iter().map(|unit| u16::from_ne_bytes(*unit)).collect();
        let name = PathBuf::from(OsString::from_wide(&units));
        if name.as_os_str() != "." && name.as_os_str() != ".." && !each(&path_bytes(&name), None) {
            return Some(false);
        }
        match number(start)? {
            0 => return Some(true),
            next => start = start.checked_add(next)?,
        }
    }
}
