//! A root, a path as seen from one, and why a lookup below roots ended.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::location::{below, named_path, path};
use crate::error::{Error, ErrorKind, Result};

/// Why a lookup ended without a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The path leads out of every root.
    Outside,
    /// A system call failed.
    Failed {
        /// Its error.
        errno: Errno,
        /// The component it failed at, where that is known.
        part: Option<PathBuf>,
    },
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Self {
        Self::Failed { errno, part: None }
    }
}

/// A directory that reads are confined to; held open, so that renaming it or putting another in its
/// place changes nothing.
#[derive(Debug)]
pub(super) struct Root {
    descriptor: OwnedFd,
    /// Its absolute path as it was given.
    pub(super) given: PathBuf,
    /// The same without links.
    pub(super) real: PathBuf,
}

impl Root {
    /// # Errors
    /// [`ErrorKind::BadRoot`] if it is no directory that can be opened.
    pub(super) fn new(given: &Path) -> Result<Self> {
        Self::try_new(given).map_err(|_| Error::new(given, ErrorKind::BadRoot))
    }

    fn try_new(given: &Path) -> std::io::Result<Self> {
        let absolute = std::path::absolute(given)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(CWD, &absolute, flags, Mode::empty())?;
        let real = std::fs::canonicalize(&absolute)?;
        Ok(Self { descriptor, given: absolute, real })
    }

    /// Where it is now: a directory that is held open may be moved.
    pub(super) fn current_path(&self) -> PathBuf {
        named_path(&self.descriptor).unwrap_or_else(|| self.real.clone())
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    /// What of the absolute path `path` is below this root, and how long the root's path is.
    fn holds<'p>(&self, path: &'p [u8]) -> Option<(usize, &'p [u8])> {
        let names = [&self.given, &self.real];
        let found =
            names.into_iter().filter_map(|name| Some((name.components().count(), below(path, name)?)));
        found.max_by_key(|(length, _)| *length)
    }
}

/// A path as seen from a root.
#[derive(Debug, Clone, Copy)]
pub(super) struct RootedPath<'p> {
    /// Which root.
    pub(super) root_index: usize,
    /// The path relative to it, exactly as it was spelled.
    pub(super) path: &'p [u8],
}

/// `path` with its links resolved as far as it exists.
pub(super) fn real_path_of(path: &Path) -> PathBuf {
    let resolved = path.ancestors().find_map(|ancestor| {
        let real = std::fs::canonicalize(ancestor).ok()?;
        Some(path.strip_prefix(ancestor).map_or(real.clone(), |rest| real.join(rest)))
    });
    resolved.unwrap_or_else(|| path.to_path_buf())
}

/// The roots that hold the absolute path `path`, the innermost first.
pub(super) fn rooted_paths<'p>(roots: &[Root], path: &'p [u8]) -> Vec<RootedPath<'p>> {
    let holders = roots.iter().enumerate();
    let mut found: Vec<_> = holders.filter_map(|(index, root)| Some((index, root.holds(path)?))).collect();
    found.sort_by_key(|(_, (length, _))| std::cmp::Reverse(*length));
    found.into_iter().map(|(root_index, (_, path))| RootedPath { root_index, path }).collect()
}

/// The path of `names` below a root, as the caller would spell it.
pub(super) fn spelled<'n>(root: &Root, names: impl IntoIterator<Item = &'n [u8]>) -> PathBuf {
    names.into_iter().fold(root.given.clone(), |folder, name| folder.join(path(name)))
}
