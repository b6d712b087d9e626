//! Facts about an opened file.

use std::ffi::{OsString, c_void};
use std::fs::File;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::AsRawHandle;
use std::path::PathBuf;

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_ATTRIBUTE_TAG_INFO, FILE_BASIC_INFO, FILE_ID_INFO, FILE_INFO_BY_HANDLE_CLASS, FILE_NAME_NORMALIZED,
    FILE_STANDARD_INFO, FILE_TYPE_DISK, FILE_TYPE_PIPE, FileAttributeTagInfo, FileBasicInfo, FileIdInfo,
    FileStandardInfo, GetFileInformationByHandle, GetFileInformationByHandleEx, GetFileType,
    GetFinalPathNameByHandleW, VOLUME_NAME_DOS,
};

use super::text::without_verbatim_prefix;
use super::{BorrowedDescriptor, Errno, FileType};
use crate::device::mounts::Mount;
use crate::snapshot::Snapshot;
use crate::system::{State, SystemResult};

/// Between the start of 1601, when the time of Windows begins, and the start of 1970, in units of 100 ns.
const EPOCH: i64 = 116_444_736_000_000_000;
/// The bit of a reparse tag that marks another name: a symbolic link or a junction.
const NAME_SURROGATE: u32 = 0x2000_0000;

/// A structure of C that consists of numbers, for which all zeros are a value.
///
/// # Safety
/// Every bit pattern must be a value of the type.
unsafe trait Plain: Default {
    /// What to request.
    const CLASS: FILE_INFO_BY_HANDLE_CLASS;
}

// SAFETY: numbers only.
unsafe impl Plain for FILE_BASIC_INFO {
    const CLASS: FILE_INFO_BY_HANDLE_CLASS = FileBasicInfo;
}
// SAFETY: numbers only; the booleans are declared as numbers.
unsafe impl Plain for FILE_STANDARD_INFO {
    const CLASS: FILE_INFO_BY_HANDLE_CLASS = FileStandardInfo;
}
// SAFETY: numbers only.
unsafe impl Plain for FILE_ID_INFO {
    const CLASS: FILE_INFO_BY_HANDLE_CLASS = FileIdInfo;
}
// SAFETY: numbers only.
unsafe impl Plain for FILE_ATTRIBUTE_TAG_INFO {
    const CLASS: FILE_INFO_BY_HANDLE_CLASS = FileAttributeTagInfo;
}

fn handle(file: &File) -> HANDLE {
    file.as_raw_handle()
}

fn query<T: Plain>(file: &File) -> SystemResult<T> {
    let mut found = T::default();
    let size = u32::try_from(size_of::<T>()).map_err(|_| Errno::INVAL)?;
    // SAFETY: the handle is open, and the call writes at most `size` bytes to `found`, which may have any bits.
    let succeeded = unsafe {
        GetFileInformationByHandleEx(handle(file), T::CLASS, (&raw mut found).cast::<c_void>(), size)
    };
    if succeeded == 0 { Err(Errno::last()) } else { Ok(found) }
}

/// The type of an opened file.
pub(crate) fn file_type(file: BorrowedDescriptor<'_>) -> SystemResult<FileType> {
    // SAFETY: the call only reads the type of an open handle.
    match unsafe { GetFileType(handle(file)) } {
        FILE_TYPE_DISK => {}
        FILE_TYPE_PIPE => return Ok(FileType::Fifo),
        _ => return Ok(FileType::CharacterDevice),
    }
    let found = query::<FILE_ATTRIBUTE_TAG_INFO>(file)?;
    Ok(
        if found.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 && found.ReparseTag & NAME_SURROGATE != 0
        {
            FileType::Symlink
        } else if found.FileAttributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
            FileType::Directory
        } else {
            FileType::RegularFile
        },
    )
}

/// Whether an opened entry is a reparse point that is not another name, such as a compressed file.
pub(super) fn is_processed_by_a_filter(file: &File) -> SystemResult<bool> {
    let found = query::<FILE_ATTRIBUTE_TAG_INFO>(file)?;
    Ok(found.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 && found.ReparseTag & NAME_SURROGATE == 0)
}

/// What distinguishes an opened file from all others: the serial number of its volume, and its number.
///
/// On `ReFS`, whose numbers have 128 bits, it is the exclusive or of both halves.
pub(crate) fn identity(file: BorrowedDescriptor<'_>) -> SystemResult<(u64, u64)> {
    if let Ok(found) = query::<FILE_ID_INFO>(file) {
        let number = u128::from_le_bytes(found.FileId.Identifier);
        let folded = number ^ number >> 64;
        return Ok((found.VolumeSerialNumber, u64::try_from(folded & u128::from(u64::MAX)).unwrap_or(0)));
    }
    // FAT and some servers have only this.
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open, and the call writes one structure of numbers, for which there is room.
    if unsafe { GetFileInformationByHandle(handle(file), &raw mut found) } == 0 {
        return Err(Errno::last());
    }
    let number = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber.into(), number))
}

/// The state of an opened file.
pub(crate) fn state(file: BorrowedDescriptor<'_>) -> SystemResult<State> {
    let file_type = file_type(file)?;
    if matches!(file_type, FileType::Fifo | FileType::CharacterDevice) {
        let snapshot =
            Snapshot { device: (0, 0), inode: 0, birth_ns: 0, size: 0, modified_ns: 0, changed_ns: 0 };
        let mount = Mount::of_device((0, 0));
        return Ok(State { snapshot, file_type, mount, owner: 0, is_sticky_for_all: false });
    }
    let times = query::<FILE_BASIC_INFO>(file)?;
    let size = query::<FILE_STANDARD_INFO>(file)?.EndOfFile;
    let (volume, inode) = identity(file)?;
    let [high, low] =
        [volume >> 32, volume & 0xffff_ffff].map(|half| u32::try_from(half).unwrap_or(u32::MAX));
    let device = (high, low);
    let snapshot = Snapshot {
        device,
        inode,
        birth_ns: nanoseconds(times.CreationTime),
        size: u64::try_from(size).unwrap_or(0),
        modified_ns: nanoseconds(times.LastWriteTime),
        changed_ns: nanoseconds(times.ChangeTime),
    };
    Ok(State { snapshot, file_type, mount: Mount::of_device(device), owner: 0, is_sticky_for_all: false })
}

/// A time of Windows in nanoseconds since 1970.
fn nanoseconds(time: i64) -> i64 {
    time.saturating_sub(EPOCH).saturating_mul(100)
}

/// The path of an opened file, with links resolved, as the file system spells it.
pub(crate) fn named_path(file: BorrowedDescriptor<'_>) -> Option<PathBuf> {
    let mut buffer = vec![0_u16; 512];
    loop {
        let room = u32::try_from(buffer.len()).ok()?;
        let flags = FILE_NAME_NORMALIZED | VOLUME_NAME_DOS;
        // SAFETY: the handle is open, and the call writes at most `room` units to the buffer.
        let length = unsafe { GetFinalPathNameByHandleW(handle(file), buffer.as_mut_ptr(), room, flags) };
        let length = usize::try_from(length).ok().filter(|length| *length > 0)?;
        if let Some(name) = buffer.get(..length).filter(|_| length < buffer.len()) {
            let path = PathBuf::from(OsString::from_wide(name));
            return Some(without_verbatim_prefix(&path));
        }
        // It is too long: `length` is the room that it needs.
        buffer.resize(length.max(buffer.len() + 1), 0);
    }
}
