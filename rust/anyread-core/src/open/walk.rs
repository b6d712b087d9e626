//! The lookup below a root that requires only `O_NOFOLLOW` from the kernel: one component at a
//! time, each opened relative to its parent directory, which is held open.
//!
//! The kernel never receives a path of more than one component. So even if other processes rename
//! directories, each directory on the path was below the root when it was opened. Links are read from
//! their own descriptor and resolved here; `..` goes back along the held directories, never by name.

use std::path::PathBuf;

use super::location::path;
use super::root::{Root, RootedPath, Stop, rooted_paths, spelled};
use crate::system::{self, Access, AsDescriptor, BorrowedDescriptor, Descriptor, Errno, FileType};

/// The maximum number of links in a lookup: the same as the kernel's.
const MAX_LINKS: u32 = 40;

/// Opens the file or directory at `rooted`, for looking or for reading.
pub(super) fn open(roots: &[Root], rooted: &RootedPath<'_>, access: Access) -> Result<Descriptor, Stop> {
    let mut walk =
        Walk { roots, root_index: rooted.root_index, held: Vec::new(), steps: Vec::new(), links: 0 };
    walk.push_steps(&rooted.path);
    walk.run(access)
}

struct Walk<'r> {
    roots: &'r [Root],
    root_index: usize,
    /// The open directories from the root to the current one, and their names.
    held: Vec<(Descriptor, Vec<u8>)>,
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

    fn run(mut self, access: Access) -> Result<Descriptor, Stop> {
        while let Some(step) = self.steps.pop() {
            match step.as_slice() {
                b"." => {}
                b".." => {
                    self.held.pop().ok_or(Stop::Outside)?;
                }
                name if self.steps.is_empty() => {
                    if let Some(descriptor) = self.finish(name, access)? {
                        return Ok(descriptor);
                    }
                }
                _ => self.enter(step)?,
            }
        }
        // The path ends at the current directory.
        if access == Access::Look {
            return Ok(system::duplicate(self.current_directory()?)?);
        }
        self.open_at(b".", access)
    }

    /// Enters the directory `name`, or follows the link `name`.
    fn enter(&mut self, name: Vec<u8>) -> Result<(), Stop> {
        match self.open_at(&name, Access::Directory) {
            Ok(directory) => self.held.push((directory, name)),
            Err(Stop::Failed { errno: Errno::NOTDIR | Errno::LOOP, .. }) => {
                let found = self.open_at(&name, Access::Look).map_err(not_a_directory)?;
                match file_type(&found)? {
                    FileType::Symlink => self.follow(&name, &found)?,
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
    fn finish(&mut self, name: &[u8], access: Access) -> Result<Option<Descriptor>, Stop> {
        if access != Access::Look {
            match self.open_at(name, access) {
                // A link, or something that was one just before.
                Err(Stop::Failed { errno: Errno::LOOP, .. }) => {}
                result => return result.map(Some),
            }
        }
        let found = self.open_at(name, Access::Look)?;
        if file_type(&found)? == FileType::Symlink {
            self.follow(name, &found)?;
        } else if access == Access::Look {
            return Ok(Some(found));
        } else {
            self.count_link()?;
            self.steps.push(name.to_vec());
        }
        Ok(None)
    }

    /// Puts the target of the link `name`, opened as `link`, before the remaining steps.
    fn follow(&mut self, name: &[u8], link: &Descriptor) -> Result<(), Stop> {
        self.count_link()?;
        let file_system = system::file_system(link.as_descriptor())?;
        if file_system.forbids_links {
            return Err(Errno::LOOP.into());
        }
        self.check_owner(link)?;
        let target = match system::link_target(self.current_directory()?, name, link.as_descriptor()) {
            // Where a link is read by its name, the name may have become something else.
            Err(Errno::INVAL) => {
                self.steps.push(name.to_vec());
                return Ok(());
            }
            target => target?,
        };
        // Links such as `/proc/self/fd/3` lead to an object; their text is only a description.
        if file_system.is_procfs && (target.starts_with(b"/") || target.contains(&b':')) {
            return Err(Stop::Outside);
        }
        if target.starts_with(b"/") {
            // The outermost root, because `..` in the target may lead out of an inner one and into it.
            let rooted =
                rooted_paths(self.roots, target.into()).into_iter().next_back().ok_or(Stop::Outside)?;
            self.root_index = rooted.root_index;
            self.held.clear();
            self.push_steps(&rooted.path);
        } else {
            self.push_steps(&target);
        }
        Ok(())
    }

    /// Enforces the kernel's `protected_symlinks`, which reading a link by hand bypasses: in a directory
    /// like `/tmp` only links owned by this user or by the directory's owner are followed.
    fn check_owner(&self, link: &Descriptor) -> Result<(), Stop> {
        let directory = system::state(self.current_directory()?)?;
        if !directory.is_sticky_for_all {
            return Ok(());
        }
        let owner = system::state(link.as_descriptor())?.owner;
        if owner == directory.owner || system::owner_is_user(owner) {
            return Ok(());
        }
        Err(Stop::Failed { errno: Errno::ACCESS, part: Some(self.part(None)) })
    }

    fn count_link(&mut self) -> Result<(), Stop> {
        self.links += 1;
        if self.links > MAX_LINKS { Err(Errno::LOOP.into()) } else { Ok(()) }
    }

    fn current_directory(&self) -> Result<BorrowedDescriptor<'_>, Stop> {
        match self.held.last() {
            Some((directory, _)) => Ok(directory.as_descriptor()),
            None => Ok(self.roots.get(self.root_index).ok_or(Stop::Outside)?.descriptor()?),
        }
    }

    /// Opens a single name in the directory that the walk is in.
    fn open_at(&self, name: &[u8], access: Access) -> Result<Descriptor, Stop> {
        let directory = self.current_directory()?;
        system::open_entry(directory, name, access).map_err(|errno| {
            match system::special_entry(directory, name) {
                Some(file_type) if access == Access::Look => {
                    let real_path = system::named_path(directory).map(|directory| directory.join(path(name)));
                    Stop::Special { file_type, real_path }
                }
                _ if errno == Errno::ACCESS => {
                    Stop::Failed { errno, part: Some(self.refusing_part(directory, name)) }
                }
                _ => Stop::Failed { errno, part: Some(self.part(None)) },
            }
        })
    }

    /// What refused access to `name`: the entry itself, if it can be found, and otherwise its directory.
    fn refusing_part(&self, directory: BorrowedDescriptor<'_>, name: &[u8]) -> PathBuf {
        let is_entry = name != b"." && system::has_entry(directory, name);
        self.part(is_entry.then_some(name))
    }

    /// The path of the directory that the walk is in, or of a name in it.
    fn part(&self, name: Option<&[u8]>) -> PathBuf {
        let names = self.held.iter().map(|(_, name)| name.as_slice()).chain(name);
        self.roots.get(self.root_index).map(|root| spelled(root, names)).unwrap_or_default()
    }
}

/// The type of an opened file.
pub(super) fn file_type(file: &impl AsDescriptor) -> system::SystemResult<FileType> {
    system::file_type(file.as_descriptor())
}

/// A FIFO, a socket or a device in the middle of a path is just not a directory.
fn not_a_directory(stop: Stop) -> Stop {
    match stop {
        Stop::Special { .. } => Errno::NOTDIR.into(),
        stop => stop,
    }
}
