//! Roots: the directories that reads are confined to, and lookups that cannot leave them.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::root::{Root, RootedPath, Stop, rooted_paths};
use super::walk;
use crate::error::Result;

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
    pub(super) fn rooted_paths<'p>(&self, path: &'p Path) -> Vec<RootedPath<'p>> {
        let bytes = path.as_os_str().as_bytes();
        if path.is_absolute() {
            rooted_paths(&self.list, bytes)
        } else {
            vec![RootedPath { root_index: 0, path: bytes }]
        }
    }

    /// Opens what is at a path, without ever leaving the roots.
    pub(super) fn open(&self, rooted: RootedPath<'_>, flags: OFlags) -> std::result::Result<OwnedFd, Stop> {
        let walk = || walk::open(&self.list, rooted, flags);
        if self.strategy == Strategy::Walk {
            return walk();
        }
        let root = self.list.get(rooted.root_index).ok_or(Stop::Outside)?;
        match open_beneath(root, rooted.path, flags) {
            Ok(descriptor) => Ok(descriptor),
            // The walk knows which component it was. The kernel's word stands, whatever the walk finds.
            Err(Errno::ACCESS) => Err(walk().err().unwrap_or(Errno::ACCESS.into())),
            Err(errno) if leaves_to_walk(errno) => walk(),
            Err(errno) => Err(errno.into()),
        }
    }
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
