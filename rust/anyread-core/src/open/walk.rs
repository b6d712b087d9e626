//! The lookup below a root that requires only `O_NOFOLLOW` from the kernel: one component at a
//! time, each opened relative to its parent directory, which is held open.
//!
//! The kernel never receives a path of more than one component. So even if other processes rename
//! directories, each directory on the path was below the root when it was opened. Links are read from
//! their own descriptor and resolved here; `..` goes back along the held directories, never by name.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, StatxFlags};
use rustix::io::Errno;

use super::root::{Root, RootedPath, Stop, rooted_paths, spelled};
use crate::device::{forbids_links, is_procfs};

/// The maximum number of links in a lookup: the same as the kernel's.
const MAX_LINKS: u32 = 40;

/// Looks up a file without running the file system's own `open`.
const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens the file or directory at `rooted`. `flags` are those of `openat`.
pub(super) fn open(roots: &[Root], rooted: RootedPath<'_>, flags: OFlags) -> Result<OwnedFd, Stop> {
    let mut walk =
        Walk { roots, root_index: rooted.root_index, held: Vec::new(), steps: Vec::new(), links: 0 };
    walk.push_steps(rooted.path);
    walk.run(flags)
}

struct Walk<'r> {
    roots: &'r [Root],
    root_index: usize,
    /// The open directories from the root to the current one, and their names.
    held: Vec<(OwnedFd, Vec<u8>)>,
    /// The remaining components, the next one last.
    steps: Vec<Vec<u8>>,
    links: u32,
}

impl Walk<'_> {
    /// Puts the components of `path` before the remaining ones. A trailing slash becomes the step `.`,
    /// because the component before it must be a directory, and a link there is followed.
    fn push_steps(&mut self, path: &[u8]) {
        if path.ends_with(b"/") {
            self.steps.push(b".".to_vec());
        }
        let names = path.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
        self.steps.extend(names.rev().map(<[u8]>::to_vec));
    }

    fn run(mut self, flags: OFlags) -> Result<OwnedFd, Stop> {
        while let Some(step) = self.steps.pop() {
            match step.as_slice() {
                b"." => {}
                b".." => {
                    self.held.pop().ok_or(Stop::Outside)?;
                }
                name if self.steps.is_empty() => {
                    if let Some(descriptor) = self.finish(name, flags)? {
                        return Ok(descriptor);
                    }
                }
                _ => self.enter(step)?,
            }
        }
        // The path ends at the current directory.
        if flags.contains(OFlags::PATH) {
            return Ok(rustix::io::fcntl_dupfd_cloexec(self.current_directory()?, 0)?);
        }
        self.open_at(b".", flags | OFlags::NOFOLLOW)
    }

    /// Enters the directory `name`, or follows the link `name`.
    fn enter(&mut self, name: Vec<u8>) -> Result<(), Stop> {
        match self.open_at(&name, LOOK | OFlags::DIRECTORY) {
            Ok(directory) => self.held.push((directory, name)),
            Err(Stop::Failed { errno: Errno::NOTDIR | Errno::LOOP, .. }) => {
                let found = self.open_at(&name, LOOK)?;
                match file_type(&found)? {
                    FileType::Symlink => self.follow(&found)?,
                    // It has become a directory in the meantime.
                    FileType::Directory => self.held.push((found, name)),
                    _ => return Err(Errno::NOTDIR.into()),
                }
            }
            Err(stop) => return Err(stop),
        }
        Ok(())
    }

    /// Opens the last component; `None` if it was a link, whose target was added to the remaining steps.
    fn finish(&mut self, name: &[u8], flags: OFlags) -> Result<Option<OwnedFd>, Stop> {
        if !flags.contains(OFlags::PATH) {
            match self.open_at(name, flags | OFlags::NOFOLLOW) {
                // A link, or something that was one just before.
                Err(Stop::Failed { errno: Errno::LOOP, .. }) => {}
                Err(Stop::Failed { errno: Errno::ACCESS, part: directory }) => {
                    let file = self.open_at(name, LOOK).ok().map(|_| self.part(Some(name)));
                    return Err(Stop::Failed { errno: Errno::ACCESS, part: file.or(directory) });
                }
                result => return result.map(Some),
            }
        }
        let found = self.open_at(name, LOOK)?;
        if file_type(&found)? == FileType::Symlink {
            self.follow(&found)?;
        } else if flags.contains(OFlags::PATH) {
            return Ok(Some(found));
        } else {
            self.count_link()?;
            self.steps.push(name.to_vec());
        }
        Ok(None)
    }

    /// Puts the target of an opened link before the remaining steps.
    fn follow(&mut self, link: &OwnedFd) -> Result<(), Stop> {
        self.count_link()?;
        let file_system = rustix::fs::fstatfs(link)?;
        if forbids_links(&file_system) {
            return Err(Errno::LOOP.into());
        }
        self.check_owner(link)?;
        let target = rustix::fs::readlinkat(link, c"", Vec::with_capacity(256))?;
        let target = target.to_bytes();
        // Links such as `/proc/self/fd/3` lead to an object; their text is only a description.
        if is_procfs(&file_system) && (target.starts_with(b"/") || target.contains(&b':')) {
            return Err(Stop::Outside);
        }
        if target.starts_with(b"/") {
            // The outermost root, because `..` in the target may lead out of an inner one and into it.
            let rooted = rooted_paths(self.roots, target).into_iter().next_back().ok_or(Stop::Outside)?;
            self.root_index = rooted.root_index;
            self.held.clear();
            self.push_steps(rooted.path);
        } else {
            self.push_steps(target);
        }
        Ok(())
    }

    /// Enforces the kernel's `protected_symlinks`, which reading a link by hand bypasses: in a directory
    /// like `/tmp` only links owned by this user or by the directory's owner are followed.
    fn check_owner(&self, link: &OwnedFd) -> Result<(), Stop> {
        const STICKY_AND_WRITABLE_BY_ALL: u16 = 0o1002;
        let mask = StatxFlags::MODE | StatxFlags::UID;
        let directory = rustix::fs::statx(self.current_directory()?, c"", AtFlags::EMPTY_PATH, mask)?;
        if directory.stx_mode & STICKY_AND_WRITABLE_BY_ALL != STICKY_AND_WRITABLE_BY_ALL {
            return Ok(());
        }
        let owner = rustix::fs::statx(link, c"", AtFlags::EMPTY_PATH, mask)?.stx_uid;
        if owner == directory.stx_uid || owner == rustix::process::geteuid().as_raw() {
            return Ok(());
        }
        Err(Stop::Failed { errno: Errno::ACCESS, part: Some(self.part(None)) })
    }

    fn count_link(&mut self) -> Result<(), Stop> {
        self.links += 1;
        if self.links > MAX_LINKS { Err(Errno::LOOP.into()) } else { Ok(()) }
    }

    fn current_directory(&self) -> Result<BorrowedFd<'_>, Stop> {
        match self.held.last() {
            Some((directory, _)) => Ok(directory.as_fd()),
            None => Ok(self.roots.get(self.root_index).ok_or(Stop::Outside)?.descriptor()?),
        }
    }

    /// Opens a single name in the directory that the walk is in.
    fn open_at(&self, name: &[u8], flags: OFlags) -> Result<OwnedFd, Stop> {
        let directory = self.current_directory()?;
        rustix::io::retry_on_intr(|| rustix::fs::openat(directory, name, flags, Mode::empty()))
            .map_err(|errno| Stop::Failed { errno, part: Some(self.part(None)) })
    }

    /// The path of the directory that the walk is in, or of a name in it.
    fn part(&self, name: Option<&[u8]>) -> PathBuf {
        let names = self.held.iter().map(|(_, name)| name.as_slice()).chain(name);
        self.roots.get(self.root_index).map(|root| spelled(root, names)).unwrap_or_default()
    }
}

/// The type of an opened file.
pub(super) fn file_type(descriptor: impl AsFd) -> rustix::io::Result<FileType> {
    let stat = rustix::fs::statx(descriptor, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE)?;
    Ok(FileType::from_raw_mode(stat.stx_mode.into()))
}
