//! Roots: the directories that reads are confined to, and lookups that cannot leave them.

use std::path::{Path, PathBuf};

use super::root::{Root, RootedPath, Stop, rooted_paths};
use super::walk;
use crate::error::Result;
use crate::system::{self, Access, CachedLookup, Descriptor, Errno, path_bytes};

/// How a path below a root is resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// By the kernel (`openat2` of Linux), and by the walk where the kernel cannot or must not decide.
    Kernel,
    /// Always by the walk, component by component.
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

    /// The roots that may contain a path, the innermost first.
    pub(super) fn rooted_paths<'p>(&self, path: &'p Path) -> Vec<RootedPath<'p>> {
        let bytes = path_bytes(path);
        if path.has_root() {
            rooted_paths(&self.list, bytes)
        } else {
            vec![RootedPath { root_index: 0, path: bytes }]
        }
    }

    /// Opens the file or directory at a path, without ever leaving the roots.
    pub(super) fn open(
        &self,
        rooted: &RootedPath<'_>,
        access: Access,
    ) -> std::result::Result<Descriptor, Stop> {
        let walk = || walk::open(&self.list, rooted, access);
        if self.strategy == Strategy::Walk {
            return walk();
        }
        let root = self.list.get(rooted.root_index).ok_or(Stop::Outside)?;
        let found = root.descriptor().and_then(|root| system::resolve_beneath(root, &rooted.path, access));
        match found {
            Ok(descriptor) => Ok(descriptor),
            // The walk finds the component to report. The read is refused even if the walk succeeds.
            Err(Errno::ACCESS) => Err(walk().err().unwrap_or(Errno::ACCESS.into())),
            Err(errno) if leaves_to_walk(errno) => walk(),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Whether the walk must decide after `openat2` failed with this error.
///
/// EXDEV: the path leaves the root, but perhaps by an absolute link that leads back into one. ELOOP:
/// a link of `/proc`, or too many links. EPERM: a sandbox forbids the call. EAGAIN: too many renames.
fn leaves_to_walk(errno: Errno) -> bool {
    matches!(errno, Errno::XDEV | Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL)
}

/// Whether the kernel can resolve paths below a root; otherwise the walk does.
///
/// # Errors
/// The error number with which `openat2` fails in this process; ENOSYS if the system has no such call.
pub fn kernel_lookup() -> std::result::Result<(), i32> {
    let lookup = CachedLookup { is_beneath: true, forbids_links: false };
    match system::resolve_cached(None, Path::new("."), Access::Look, lookup) {
        Err(errno @ (Errno::NOSYS | Errno::PERM | Errno::INVAL)) => Err(errno.raw_os_error()),
        // Any other error is about the working directory.
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_leaves_to_walk_only_for_undecided_errors() {
        for errno in [Errno::XDEV, Errno::LOOP, Errno::NOSYS, Errno::PERM, Errno::AGAIN] {
            assert!(leaves_to_walk(errno), "{errno}");
        }
        for errno in [Errno::NOENT, Errno::NOTDIR, Errno::ACCESS, Errno::MFILE, Errno::NAMETOOLONG] {
            assert!(!leaves_to_walk(errno), "{errno}");
        }
    }
}
