//! Roots: the folders that reads are confined to, and lookups that cannot leave them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::location::{below, named_path, path};
use super::walk;
use crate::error::{Error, ErrorKind, Result};

/// How often a lookup is repeated that a rename elsewhere on the machine made uncertain.
///
/// Source: under a storm of renames 4 % of lookups with `..` were, none more than 4 times (Linux 6.18).
const ATTEMPTS: usize = 16;

/// Who resolves a path below a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The kernel (`openat2`), and the walk where the kernel cannot or must not decide.
    Kernel,
    /// Always the walk, component by component.
    Walk,
}

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

/// A folder that reads are confined to; held open, so that renaming it or putting another in its
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
    /// [`ErrorKind::BadRoot`] if it is no folder that can be opened.
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

    /// Where it is now: a folder that is held open may be moved.
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
pub(super) struct Place<'p> {
    /// Which root.
    pub(super) root_index: usize,
    /// The path relative to it, exactly as it was spelled.
    pub(super) path: &'p [u8],
}

/// All the roots of an opener.
#[derive(Debug)]
pub(super) struct Roots {
    pub(super) list: Vec<Root>,
    strategy: Strategy,
}

impl Roots {
    /// # Errors
    /// Those of [`Root::new`].
    pub(super) fn new(paths: &[PathBuf], strategy: Strategy) -> Result<Self> {
        let list = paths.iter().map(|path| Root::new(path)).collect::<Result<_>>()?;
        Ok(Self { list, strategy })
    }

    pub(super) fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The roots that a path may be meant to lie in, the innermost first.
    pub(super) fn places<'p>(&self, path: &'p Path) -> Vec<Place<'p>> {
        let bytes = path.as_os_str().as_bytes();
        if path.is_absolute() {
            places(&self.list, bytes)
        } else {
            vec![Place { root_index: 0, path: bytes }]
        }
    }

    /// Opens what is at a place, without ever leaving the roots.
    pub(super) fn open(&self, place: Place<'_>, flags: OFlags) -> std::result::Result<OwnedFd, Stop> {
        let walk = || walk::open(&self.list, place, flags);
        if self.strategy == Strategy::Walk {
            return walk();
        }
        let root = self.list.get(place.root_index).ok_or(Stop::Outside)?;
        match open_beneath(root, place.path, flags) {
            Ok(descriptor) => Ok(descriptor),
            // The walk knows which component it was. The kernel's word stands, whatever the walk finds.
            Err(Errno::ACCESS) => Err(walk().err().unwrap_or(Errno::ACCESS.into())),
            Err(errno) if leaves_to_walk(errno) => walk(),
            Err(errno) => Err(errno.into()),
        }
    }
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
pub(super) fn places<'p>(roots: &[Root], path: &'p [u8]) -> Vec<Place<'p>> {
    let holders = roots.iter().enumerate();
    let mut found: Vec<_> = holders.filter_map(|(index, root)| Some((index, root.holds(path)?))).collect();
    found.sort_by_key(|(_, (length, _))| std::cmp::Reverse(*length));
    found.into_iter().map(|(root_index, (_, path))| Place { root_index, path }).collect()
}

/// Whether `openat2` has left the question open.
///
/// EXDEV: the path leaves the root, but perhaps by an absolute link that leads back into one. ELOOP:
/// a link of `/proc`, or too many links. EPERM: a sandbox forbids the call. EAGAIN: renames all around.
fn leaves_to_walk(errno: Errno) -> bool {
    matches!(errno, Errno::XDEV | Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL)
}

fn open_beneath(root: &Root, path: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
    // A kernel that lacks the call will not learn it; EPERM may be for this thread only.
    static MISSING: AtomicBool = AtomicBool::new(false);
    if MISSING.load(Ordering::Relaxed) {
        return Err(Errno::NOSYS);
    }
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let mut result = Err(Errno::AGAIN);
    for _ in 0..ATTEMPTS {
        result = rustix::io::retry_on_intr(|| {
            rustix::fs::openat2(root.descriptor(), path, flags, Mode::empty(), resolve)
        });
        if !matches!(result, Err(Errno::AGAIN)) {
            break;
        }
    }
    if matches!(result, Err(Errno::NOSYS)) {
        MISSING.store(true, Ordering::Relaxed);
    }
    result
}

/// The path of `names` below a root, as the caller would spell it.
pub(super) fn spelled<'n>(root: &Root, names: impl IntoIterator<Item = &'n [u8]>) -> PathBuf {
    names.into_iter().fold(root.given.clone(), |folder, name| folder.join(path(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_leaves_to_walk_never_what_is_decided() {
        for errno in [Errno::XDEV, Errno::LOOP, Errno::NOSYS, Errno::PERM, Errno::AGAIN] {
            assert!(leaves_to_walk(errno), "{errno}");
        }
        for errno in [Errno::NOENT, Errno::NOTDIR, Errno::ACCESS, Errno::MFILE, Errno::NAMETOOLONG] {
            assert!(!leaves_to_walk(errno), "{errno}");
        }
    }
}
