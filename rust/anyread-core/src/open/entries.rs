//! The entries of a directory, as a listing shows them.

use std::path::{Path, PathBuf};

use super::judge::Judge;
use super::{Opener, check_spelling};
use crate::error::Result;
use crate::system::{
    self, Access, AsDescriptor, BorrowedDescriptor, Descriptor, Errno, FileType, path_from_bytes,
};

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
    /// The path in a link, if what it leads to may be read.
    pub target: Option<PathBuf>,
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
    /// Something that this process may not look at, or that does not exist any more.
    Unreadable,
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
            Self::Unreadable => "unreadable",
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
        let (directory, real_path, _) =
            self.look_at_directory(path).map_err(|stop| self.refusal(path, stop))?;
        let failed = |errno: Errno| self.refusal(path, errno.into());
        let judge = Judge::new(self, &real_path, false).map_err(failed)?;
        let listed = system::duplicate(directory.as_descriptor()).map_err(failed)?;
        let mut entries = Vec::new();
        let complete = system::names(listed, |bytes, _| {
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

    /// What the entry `bytes` of a directory is; `joined` is its path.
    pub(super) fn entry(
        &self,
        directory: BorrowedDescriptor<'_>,
        bytes: &[u8],
        joined: &Path,
    ) -> DirectoryEntry {
        let name = path_from_bytes(bytes).into_owned();
        let opened = system::open_entry(directory, bytes, Access::Look);
        let own = opened.and_then(|found| Ok((system::state(found.as_descriptor())?, found)));
        let mut entry =
            DirectoryEntry { name, kind: EntryKind::Unreadable, is_link: false, size_bytes: 0, target: None };
        match own {
            Ok((state, found)) if state.file_type == FileType::Symlink => {
                (entry.kind, entry.is_link) = (EntryKind::Link, true);
                if let Some((kind, size_bytes)) = self.target(joined) {
                    (entry.kind, entry.size_bytes) = (kind, size_bytes);
                    let target = system::link_target(directory, bytes, found.as_descriptor());
                    entry.target = target.ok().map(|target| path_from_bytes(&target).into_owned());
                }
            }
            Ok((state, _)) => {
                (entry.kind, entry.size_bytes) = (EntryKind::of(state.file_type), state.snapshot.size);
            }
            Err(_) if system::special_entry(directory, bytes).is_some() => entry.kind = EntryKind::Other,
            Err(_) => {}
        }
        entry
    }

    /// The type of an entry of a directory, without following a link.
    pub(super) fn own_type(directory: &Descriptor, bytes: &[u8]) -> Option<FileType> {
        let found = system::open_entry(directory.as_descriptor(), bytes, Access::Look).ok()?;
        system::file_type(found.as_descriptor()).ok()
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
