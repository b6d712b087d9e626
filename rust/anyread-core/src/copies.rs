//! Local copies of files that are elsewhere, filled in where they are read ([`crate::present`]).

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{Error as IoError, ErrorKind as IoErrorKind, Result as IoResult};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::{COARSE_TICK_NS, Device, DeviceClass};
use crate::open::RegularFile;
use crate::present::Present;
use crate::snapshot::{Snapshot, now_ns};
use crate::system::{self, AsDescriptor as _, Descriptor};

/// The numbers of the copies of this process, which identify them in what is kept about files.
static NUMBERS: AtomicU64 = AtomicU64::new(1);
/// The device number of copies, which no file system has.
const DEVICE: (u32, u32) = (u32::MAX, 0);

/// A copy of one version of a file.
#[derive(Debug)]
pub struct PartialCopy {
    /// A file without a name.
    file: File,
    real_path: PathBuf,
    modified_ns: i64,
    present: Arc<Present>,
}

/// What the place of a file says about it.
#[derive(Debug, Clone)]
pub struct FarState {
    /// Its size in bytes.
    pub size: u64,
    /// Its version there.
    pub version: String,
    /// Whether any later change will show in the version.
    pub is_settled: bool,
    /// When it was last modified, in nanoseconds since the epoch.
    pub modified_ns: i64,
    /// Its path there, with links resolved.
    pub real_path: PathBuf,
    /// Whether the LF of parts of it can be counted there.
    pub counts: bool,
}

impl PartialCopy {
    /// A copy of which nothing is present, in the directory for temporary files.
    ///
    /// # Errors
    /// Those of creating a file of that size.
    pub fn new(state: FarState) -> IoResult<Self> {
        let file = tempfile::tempfile()?;
        file.set_len(state.size)?;
        let FarState { size, version, is_settled, modified_ns, real_path, counts } = state;
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let present = Arc::new(Present::new(number, size, version, is_settled, counts));
        Ok(Self { file, real_path, modified_ns, present })
    }

    /// What is present of it.
    #[must_use]
    pub fn present(&self) -> &Present {
        &self.present
    }

    /// Writes bytes of the file, which are present from then on.
    ///
    /// # Errors
    /// Those of writing, and [`IoErrorKind::InvalidInput`] for bytes after the end.
    pub fn add(&self, offset: u64, bytes: &[u8]) -> IoResult<()> {
        let end = offset.saturating_add(bytes.len() as u64);
        if end > self.present.size() {
            return Err(IoError::from(IoErrorKind::InvalidInput));
        }
        write_at(&self.file, bytes, offset)?;
        self.present.add(offset..end);
        Ok(())
    }

    /// The copy as a file that was just opened.
    ///
    /// # Errors
    /// Those of asking for its state, and of copying its descriptor.
    pub fn open(&self) -> IoResult<RegularFile> {
        let descriptor = Descriptor::from(self.file.try_clone()?);
        let state = system::state(descriptor.as_descriptor())
            .map_err(|errno| IoError::from_raw_os_error(errno.raw_os_error()))?;
        let snapshot = Snapshot {
            device: DEVICE,
            inode: self.present.number(),
            birth_ns: 0,
            size: self.present.size(),
            modified_ns: self.modified_ns,
            changed_ns: self.modified_ns,
        };
        Ok(RegularFile {
            descriptor,
            snapshot,
            opened_ns: now_ns(),
            real_path: self.real_path.clone(),
            link_followed: false,
            repaired: false,
            device: Device { class: DeviceClass::Hop, tick_ns: COARSE_TICK_NS, pseudo: false },
            mount: state.mount,
            present: Some(Arc::clone(&self.present)),
        })
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> IoResult<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> IoResult<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        (bytes, offset) = (&bytes[written..], offset + written as u64);
    }
    Ok(())
}
