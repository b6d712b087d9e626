//! Roots, paths relative to them, and the reasons why a lookup below them fails.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::location::{below, path};
use crate::error::{Error, ErrorKind, Result};
use crate::fork;
use crate::system::{self, Access, AsDescriptor, BorrowedDescriptor, Descriptor, Errno, FileType};

/// Why a lookup ended without a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The path leads out of every root.
    Outside,
    /// A system call failed.
    Failed {
        /// Its error.
        errno: Errno,
        /// The component at which it failed, if known.
        part: Option<PathBuf>,
    },
    /// A FIFO, a socket or a device was found, of which this system has no descriptor without opening it.
    Special {
        /// What it is.
        file_type: FileType,
        /// Where it is, with links resolved, if known.
        real_path: Option<PathBuf>,
    },
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Self {
        Self::Failed { errno, part: None }
    }
}

/// A directory that reads are confined to. It is held open, so renaming it or replacing it has no
/// effect.
///
/// A host that becomes a daemon closes all descriptors after a fork, and their numbers are used again. So in
/// a forked child the descriptor is checked before each use, and opened again if it was closed.
#[derive(Debug)]
pub(super) struct Root {
    /// The descriptor, and the one that replaces it in a forked child.
    descriptors: [OnceLock<Descriptor>; 2],
    /// What distinguishes it from all other directories.
    identity: (u64, u64),
    /// The value of [`fork::depth`] when it was opened.
    depth: u32,
    /// The absolute path that was given.
    pub(super) given: PathBuf,
    /// The same path with links resolved.
    pub(super) real: PathBuf,
}

impl Root {
    /// # Errors
    /// [`ErrorKind::BadRoot`] if it is not a directory or cannot be opened.
    pub(super) fn new(given: &Path) -> Result<Self> {
        Self::try_new(given).map_err(|_| Error::new(given, ErrorKind::BadRoot))
    }

    fn try_new(given: &Path) -> std::io::Result<Self> {
        let absolute = std::path::absolute(given)?;
        let descriptor = system::open_path(&absolute, Access::Directory)?;
        let identity = system::identity(descriptor.as_descriptor())?;
        let real = system::canonical(&absolute)?;
        let descriptors = [OnceLock::from(descriptor), OnceLock::new()];
        Ok(Self { descriptors, identity, depth: fork::depth(), given: absolute, real })
    }

    /// Its current path: a directory that is held open may still be moved.
    pub(super) fn current_path(&self) -> PathBuf {
        let held = self.descriptor().ok();
        held.and_then(system::named_path).unwrap_or_else(|| self.real.clone())
    }

    /// # Errors
    /// EBADF if the host closed the descriptor and the path now leads to another directory, or the error of
    /// opening the path.
    pub(super) fn descriptor(&self) -> system::SystemResult<BorrowedDescriptor<'_>> {
        let [first, second] = &self.descriptors;
        if let Some(descriptor) = first.get()
            && (self.depth == fork::depth() || self.is_open_as(descriptor))
        {
            return Ok(descriptor.as_descriptor());
        }
        if second.get().is_none() {
            // If another thread is faster, this descriptor is closed.
            drop(second.set(system::open_path(&self.real, Access::Directory)?));
        }
        let reopened = second.get().filter(|descriptor| self.is_open_as(descriptor));
        reopened.map(AsDescriptor::as_descriptor).ok_or(Errno::BADF)
    }

    fn is_open_as(&self, descriptor: &Descriptor) -> bool {
        system::identity(descriptor.as_descriptor()).is_ok_and(|identity| identity == self.identity)
    }

    /// The length of the root's path in components, and the part of the absolute path `path` below the root.
    fn split<'p>(&self, path: &'p [u8]) -> Option<(usize, &'p [u8])> {
        let names = [&self.given, &self.real];
        let found =
            names.into_iter().filter_map(|name| Some((name.components().count(), below(path, name)?)));
        found.max_by_key(|(length, _)| *length)
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if self.depth == fork::depth() {
            return;
        }
        let [first, second] = &mut self.descriptors;
        for descriptor in [first.take(), second.take()].into_iter().flatten() {
            if system::identity(descriptor.as_descriptor()).is_ok_and(|identity| identity != self.identity) {
                // The host closed it, and the number now belongs to another file.
                std::mem::forget(descriptor);
            }
        }
    }
}

/// A path relative to a root.
#[derive(Debug, Clone)]
pub(super) struct RootedPath<'p> {
    /// The index of the root.
    pub(super) root_index: usize,
    /// The path relative to the root, exactly as it was spelled, with `/` as the separator.
    pub(super) path: Cow<'p, [u8]>,
}

/// `path` with links resolved in the part that exists.
pub(super) fn real_path_of(path: &Path) -> PathBuf {
    let resolved = path.ancestors().find_map(|ancestor| {
        let real = system::canonical(ancestor).ok()?;
        Some(path.strip_prefix(ancestor).map_or(real.clone(), |rest| real.join(rest)))
    });
    resolved.unwrap_or_else(|| path.to_path_buf())
}

/// The roots that contain the absolute path `path`, the innermost first.
pub(super) fn rooted_paths<'p>(roots: &[Root], path: Cow<'p, [u8]>) -> Vec<RootedPath<'p>> {
    match path {
        Cow::Borrowed(path) => places(roots, path)
            .map(|(root_index, path)| RootedPath { root_index, path: path.into() })
            .collect(),
        Cow::Owned(path) => places(roots, &path)
            .map(|(root_index, path)| RootedPath { root_index, path: path.to_vec().into() })
            .collect(),
    }
}

/// The indexes of the roots that contain an absolute path, the innermost first, and the path below each.
fn places<'p>(roots: &[Root], path: &'p [u8]) -> impl Iterator<Item = (usize, &'p [u8])> + use<'p> {
    let roots = roots.iter().enumerate();
    let mut found: Vec<_> = roots.filter_map(|(index, root)| Some((index, root.split(path)?))).collect();
    found.sort_by_key(|(_, (length, _))| std::cmp::Reverse(*length));
    found.into_iter().map(|(root_index, (_, path))| (root_index, path))
}

/// The path of nested `names` below a root, as the caller would write it.
pub(super) fn spelled<'n>(root: &Root, names: impl IntoIterator<Item = &'n [u8]>) -> PathBuf {
    names.into_iter().fold(root.given.clone(), |directory, name| directory.join(path(name)))
}
