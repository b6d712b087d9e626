//! The entries of a directory, as a listing shows them.

use std::path::{Path, PathBuf};

use super::judge::Judge;
use super::{Opener, check_spelling};
use crate::error::Result;
use crate::system::{self, Access, AsDescriptor, BorrowedDescriptor, Errno, FileType, path_from_bytes};

/// The entries of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntries {
    /// The entries, in the order of the file system.
    pub entries: Vec<DirectoryEntry>,
    /// Whether these are all.
    pub complete: bool,
}

/// An entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its name.
    pub name: PathBuf,
    /// What it is, with a link followed.
    pub kind: EntryKind,
    /// Whether it is a symbolic link.
    pub is_link: bool,
    /// The size in bytes of what it is; 0 if that is unknown.
    pub size_bytes: u64,
}

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A link whose target does not exist or may not be looked up.
    Link,
    /// A FIFO, a socket or a device.
    Other,
}

impl EntryKind {
    /// The name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Link => "link",
            Self::Other => "other",
        }
    }

    fn of(file_type: FileType) -> Self {
        match file_type {
            FileType::Directory => Self::Directory,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

impl Opener {
    /// The entries of the directory at `path` without `.` and `..`, in the order of the file system.
    ///
    /// Entries that a deny rule matches are left out. A link is followed only if its target may be read.
    /// At most `maximum` entries are read.
    ///
    /// # Errors
    /// Those of [`Opener::open`] for a path that leads nowhere, or outside of the roots, or to a file.
    pub fn entries(&self, path: &Path, maximum: usize) -> Result<DirectoryEntries> {
        check_spelling(path)?;
        self.check_given_path(path)?;
        let (directory, real_path) = self.look_at_directory(path).map_err(|stop| self.refusal(path, stop))?;
        let failed = |errno: Errno| self.refusal(path, errno.into());
        let judge = Judge::new(self, &real_path, false).map_err(failed)?;
        let listed = system::duplicate(directory.as_descriptor()).map_err(failed)?;
        let mut entries = Vec::new();
        let complete = system::names(listed, |bytes| {
            let name = path_from_bytes(bytes);
            let joined = path.join(&name);
            if judge.rule(&real_path.join(&name)).is_some() || self.check_given_path(&joined).is_err() {
                return true;
            }
            if entries.len() == maximum {
                return false;
            }
            entries.push(self.entry(directory.as_descriptor(), bytes, &joined));
            true
        });
        Ok(DirectoryEntries { entries, complete })
    }

    fn entry(&self, directory: BorrowedDescriptor<'_>, bytes: &[u8], joined: &Path) -> DirectoryEntry {
        let name = path_from_bytes(bytes).into_owned();
        let opened = system::open_entry(directory, bytes, Access::Look);
        let own = opened.and_then(|found| system::state(found.as_descriptor()));
        let (file_type, size_bytes) = match own {
            Ok(state) => (Some(state.file_type), state.snapshot.size),
            Err(_) => (system::special_entry(directory, bytes), 0),
        };
        let is_link = file_type == Some(FileType::Symlink);
        let (kind, size_bytes) = match file_type {
            Some(FileType::Symlink) => self.target(joined).unwrap_or((EntryKind::Link, 0)),
            Some(other) => (EntryKind::of(other), size_bytes),
            None => (EntryKind::Other, 0),
        };
        DirectoryEntry { name, kind, is_link, size_bytes }
    }

    /// What a link leads to, and its size; `None` if that does not exist or may not be read.
    fn target(&self, link: &Path) -> Option<(EntryKind, u64)> {
        if !self.may_be_named(link) {
            return None;
        }
        let (found, _) = self.look(link).ok()?;
        let state = system::state(found.as_descriptor()).ok()?;
        Some((EntryKind::of(state.file_type), state.snapshot.size))
    }
}
