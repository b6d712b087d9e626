//! Opening a file so that nothing bad can come of it.
//!
//! Only a regular file is ever opened for reading, never a device, FIFO or socket, and without
//! blocking. With roots, the path is resolved by the kernel or by our own walk in such a way that it
//! cannot leave them, whatever others rename at the same moment. What was opened is then judged by
//! its descriptor: its type, its file system, and its real path against the deny rules. The path as
//! text decides nothing but where to begin.
//!
//! Not prevented, because no path shows it: a hard link in a root to a file outside, and a mount
//! that brings an outside directory into a root.

mod beneath;
mod deny;
mod display;
mod folder;
mod judge;
mod location;
mod now;
mod repair;
mod root;
mod siblings;
mod walk;

use std::borrow::Cow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, StatxFlags};
use rustix::io::Errno;

pub use beneath::Strategy;
pub use display::display_path;

use beneath::Roots;
use deny::{DenyRules, procfs_rule};
use judge::Judge;
use location::{lexical, real_path};
use root::{Root, RootedPath, Stop};
use siblings::Search;

use crate::device::mounts::{self, Mount};
use crate::device::remote::remote_mount;
use crate::device::{Device, device_of, is_procfs};
use crate::error::{Error, ErrorKind, PathFault, Result};
use crate::source::Snapshot;

/// Finds a file without opening it.
const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
/// Opens a file so that neither the call nor a read of it waits for anybody.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// The longest path that the kernel takes, in bytes: `PATH_MAX` without the NUL.
const MAX_PATH_BYTES: usize = 4095;

/// Opens files below some roots, or anywhere if there are none, except for what is denied.
#[derive(Debug)]
pub struct Opener {
    roots: Roots,
    deny: DenyRules,
}

/// A regular file, opened for reading, that may be read.
#[derive(Debug)]
pub struct RegularFile {
    /// The file, non-blocking.
    pub descriptor: OwnedFd,
    /// What it was when it was opened.
    pub snapshot: Snapshot,
    /// Its absolute path without links.
    pub real_path: PathBuf,
    /// Whether a link on the way led to another place than the path says.
    pub link_followed: bool,
    /// Whether the path was not exactly its name (see [`Opener::open`]).
    pub repaired: bool,
    /// What its file system can do.
    pub device: Device,
    /// The mount it was found on.
    pub mount: Mount,
}

/// What is known of an opened file before it is judged.
#[derive(Debug, Clone, Copy, Default)]
struct Beforehand {
    /// What its file system can do.
    device: Option<Device>,
    /// Whether no link was on the way, so that the expected path is the real one.
    is_real_path: bool,
    /// Whether nothing may be waited for.
    is_now: bool,
}

impl Opener {
    /// An opener for the directories `roots` (none: everything) without what the globs `deny` match.
    ///
    /// The environment variable `ANYREAD_PORTABLE=1` chooses [`Strategy::Walk`].
    ///
    /// # Example
    /// ```
    /// use anyread_core::error::ErrorKind;
    /// use anyread_core::open::Opener;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = tempfile::tempdir()?;
    /// let root = directory.path().to_path_buf();
    /// std::fs::write(root.join("notes.txt"), "one\n")?;
    /// std::fs::write(root.join(".env"), "SECRET=1\n")?;
    /// let opener = Opener::new(&[root], &["**/.env".to_owned()])?;
    ///
    /// assert_eq!(opener.open("notes.txt".as_ref(), false)?.snapshot.size, 4);
    /// let kind = |path: &str| opener.open(path.as_ref(), false).map(|_| ()).map_err(|error| error.kind);
    /// assert!(matches!(kind(".env"), Err(ErrorKind::Denied { .. })));
    /// assert!(matches!(kind("../other.txt"), Err(ErrorKind::OutsideRoot { .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::BadRoot`] for a root that is not a directory or cannot be opened, and
    /// [`ErrorKind::BadRule`] for a rule that is not a glob.
    pub fn new(roots: &[PathBuf], deny: &[String]) -> Result<Self> {
        let portable = std::env::var_os("ANYREAD_PORTABLE").is_some_and(|value| value == "1");
        Self::with_strategy(roots, deny, if portable { Strategy::Walk } else { Strategy::Kernel })
    }

    /// An opener that resolves paths below its roots in a given way.
    ///
    /// # Errors
    /// Those of [`Opener::new`].
    pub fn with_strategy(roots: &[PathBuf], deny: &[String], strategy: Strategy) -> Result<Self> {
        let roots = Roots::new(roots, strategy)?;
        let deny = DenyRules::new(deny, &roots.list)?;
        Ok(Self { roots, deny })
    }

    /// Opens the file at `path`. A relative path is seen from the first root, else from the working directory.
    ///
    /// With `repair`, a path that does not exist is tried in the ways it may have been garbled: `~/`,
    /// `file://`, quotes and blanks around it, `\xff` for a byte that is not UTF-8, and names that
    /// differ only in their Unicode normalisation, kind of blank or kind of quote.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::AmbiguousPath`], [`ErrorKind::Access`],
    /// [`ErrorKind::OutsideRoot`], [`ErrorKind::Denied`], [`ErrorKind::Directory`],
    /// [`ErrorKind::NotRegularFile`], [`ErrorKind::BadPath`], [`ErrorKind::FileSystem`].
    pub fn open(&self, path: &Path, repair: bool) -> Result<RegularFile> {
        check_length(path)?;
        match self.open_exact(path) {
            Err(error) if !is_misspelt(&error) => Err(error),
            Err(error) if repair => repair::open(self, path, error),
            Err(Error { kind: ErrorKind::NotFound { .. }, .. }) => {
                Err(Search::new(self).not_found(path, path))
            }
            result => result,
        }
    }

    /// The mount that a path leads into, if calls of that mount may hang; nothing there is asked.
    #[must_use]
    pub fn remote_mount(&self, path: &Path) -> Option<u64> {
        if check_length(path).is_err() {
            // No such path is looked up anywhere.
            return None;
        }
        let root = self.roots.list.first().map(|root| &*root.given);
        // Mending the path may lead there too.
        std::iter::once(path.to_path_buf()).chain(repair::spellings(path)).find_map(|spelling| {
            let base = root.map_or_else(|| base_of(&spelling), Cow::Borrowed);
            remote_mount(&base.join(&spelling))
        })
    }

    /// Opens the file that has exactly this path. The error of a missing one has no near names yet.
    fn open_exact(&self, path: &Path) -> Result<RegularFile> {
        check_spelling(path)?;
        self.check_given_path(path)?;
        let (descriptor, expected) = self.find(path).map_err(|stop| self.refusal(path, stop))?;
        self.admit(path, descriptor, &expected, Beforehand::default())
    }

    /// Opens a regular file for reading; anything else is only looked up (`O_PATH`).
    /// Also tells the path that it has if no link was on the way.
    fn find(&self, path: &Path) -> std::result::Result<(OwnedFd, PathBuf), Stop> {
        if self.roots.list.is_empty() {
            let stat = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::TYPE)?;
            let is_regular = FileType::from_raw_mode(stat.stx_mode.into()).is_file();
            let descriptor = open_anywhere(path, if is_regular { READ } else { LOOK })?;
            return Ok((descriptor, lexical(&base_of(path), path)));
        }
        self.in_roots(path, |place| {
            let found = self.roots.open(place, LOOK)?;
            let is_regular = walk::file_type(&found)?.is_file();
            if is_regular { self.roots.open(place, READ) } else { Ok(found) }
        })
    }

    /// Looks up a path without opening it.
    fn look(&self, path: &Path) -> std::result::Result<(OwnedFd, PathBuf), Stop> {
        if self.roots.list.is_empty() {
            return Ok((open_anywhere(path, LOOK)?, lexical(&base_of(path), path)));
        }
        self.in_roots(path, |place| self.roots.open(place, LOOK))
    }

    /// Tries the roots that a path may lie in, until it does not lead out of one.
    fn in_roots(
        &self,
        path: &Path,
        open: impl Fn(RootedPath<'_>) -> std::result::Result<OwnedFd, Stop>,
    ) -> std::result::Result<(OwnedFd, PathBuf), Stop> {
        for place in self.roots.rooted_paths(path) {
            match open(place) {
                Err(Stop::Outside) => {}
                Err(stop) => return Err(stop),
                Ok(descriptor) => {
                    let root = self.roots.list.get(place.root_index).ok_or(Stop::Outside)?;
                    return Ok((descriptor, lexical(&root.real, &location::path(place.path))));
                }
            }
        }
        Err(Stop::Outside)
    }

    /// Looks up a directory whose names may be told.
    fn look_at_folder(&self, path: &Path) -> std::result::Result<(OwnedFd, PathBuf), Stop> {
        let (found, expected) = self.look(if path.as_os_str().is_empty() { Path::new(".") } else { path })?;
        let stat = rustix::fs::statx(&found, c"", AtFlags::EMPTY_PATH, Snapshot::MASK)?;
        let real_path = real_path(&found, &stat, &expected).ok_or(Errno::ACCESS)?;
        let judge = Judge::new(self, &real_path, false)?;
        if judge.rule(&real_path).is_some() || !judge.knows(&real_path) {
            return Err(Errno::ACCESS.into());
        }
        Ok((folder::readable(&found)?, real_path))
    }

    /// Whether something exists that a message may name: neither its path nor where it leads is denied.
    fn may_be_told(&self, path: &Path) -> bool {
        if self.check_given_path(path).is_err() {
            return false;
        }
        let Ok((found, expected)) = self.look(path) else { return false };
        if self.deny.is_empty() {
            return true;
        }
        let stat = rustix::fs::statx(&found, c"", AtFlags::EMPTY_PATH, Snapshot::MASK);
        let real_path = stat.ok().and_then(|stat| real_path(&found, &stat, &expected));
        real_path.is_some_and(|real_path| {
            Judge::new(self, &real_path, false)
                .is_ok_and(|judge| judge.rule(&real_path).is_none() && judge.knows(&real_path))
        })
    }

    /// Judges what was opened, by its descriptor.
    fn admit(
        &self,
        path: &Path,
        descriptor: OwnedFd,
        expected: &Path,
        beforehand: Beforehand,
    ) -> Result<RegularFile> {
        let failed = |errno: Errno| self.refusal(path, errno.into());
        let stat =
            rustix::fs::statx(&descriptor, c"", AtFlags::EMPTY_PATH, Snapshot::MASK).map_err(failed)?;
        let mount = Mount::of(&stat);
        let device = match beforehand.device {
            Some(device) => device,
            None => device_of(&descriptor).inspect(|device| mounts::learn(mount, *device)).map_err(failed)?,
        };
        let known_path = if beforehand.is_real_path {
            Some(expected.to_path_buf())
        } else {
            real_path(&descriptor, &stat, expected)
        };
        if known_path.is_none() && (device.pseudo || !self.deny.is_empty()) {
            // A file that no rule can be held against is not read.
            return Err(Error::new(path, ErrorKind::Access { part: path.to_path_buf() }));
        }
        let real_path = known_path.unwrap_or_else(|| expected.to_path_buf());
        let judge = Judge::new(self, &real_path, beforehand.is_now).map_err(failed)?;
        if !judge.knows(&real_path) {
            // It was moved at this moment, or its root was.
            return Err(Error::new(path, ErrorKind::Access { part: path.to_path_buf() }));
        }
        if let Some(rule) = judge.rule(&real_path) {
            return Err(Error::new(path, ErrorKind::Denied { rule: rule.to_owned() }));
        }
        match FileType::from_raw_mode(stat.stx_mode.into()) {
            FileType::RegularFile => {}
            FileType::Directory => {
                let may_be_told = |name: &Path| {
                    judge.rule(&real_path.join(name)).is_none()
                        && self.check_given_path(&path.join(name)).is_ok()
                };
                return Err(Error::new(path, folder::listing(&descriptor, may_be_told)));
            }
            other => {
                return Err(Error::new(path, ErrorKind::NotRegularFile { file_type: name_of(other) }));
            }
        }
        if device.pseudo
            && let Some(rule) = procfs_rule(&real_path)
            && is_procfs(&rustix::fs::fstatfs(&descriptor).map_err(failed)?)
        {
            return Err(Error::new(path, ErrorKind::Denied { rule: rule.to_owned() }));
        }
        Ok(RegularFile {
            descriptor,
            snapshot: Snapshot::from_statx(&stat),
            link_followed: real_path != expected,
            real_path,
            repaired: false,
            device,
            mount,
        })
    }

    /// Holds the deny rules against a path as it was given, and as it reads from its base.
    fn check_given_path(&self, path: &Path) -> Result<()> {
        if self.deny.is_empty() {
            return Ok(());
        }
        let working_folder = base_of(Path::new(""));
        let base = self.roots.list.first().map_or(&*working_folder, |root| &root.given);
        let bases = self.roots.list.iter().flat_map(|root| [&*root.given, &*root.real]);
        let bases = bases.chain(self.roots.list.is_empty().then_some(&*working_folder));
        let rule = self.deny.matching(path, []).or_else(|| self.deny.matching(&lexical(base, path), bases));
        match rule {
            Some(rule) => Err(Error::new(path, ErrorKind::Denied { rule: rule.to_owned() })),
            None => Ok(()),
        }
    }

    /// What to tell the caller about a lookup that ended without a file.
    fn refusal(&self, path: &Path, stop: Stop) -> Error {
        let kind = match stop {
            Stop::Outside => {
                let roots = self.roots.list.iter().map(|root| root.given.clone()).collect();
                ErrorKind::OutsideRoot { roots }
            }
            Stop::Failed { errno: Errno::NOENT, .. } => ErrorKind::NotFound { near: Vec::new() },
            Stop::Failed { errno: Errno::NOTDIR, .. } if !asks_for_folder(path) => {
                ErrorKind::NotFound { near: Vec::new() }
            }
            Stop::Failed { errno: Errno::ACCESS | Errno::PERM, part } => {
                let part = part.or_else(|| self.refusing_part(path));
                ErrorKind::Access { part: part.unwrap_or_else(|| path.to_path_buf()) }
            }
            Stop::Failed { errno: Errno::NAMETOOLONG, .. } => {
                ErrorKind::BadPath { fault: PathFault::NameTooLong }
            }
            Stop::Failed { errno, .. } => {
                ErrorKind::FileSystem { errno: errno.raw_os_error(), operation: "open" }
            }
        };
        Error::new(path, kind)
    }

    /// Which component of a path may not be opened or searched: the walk from `/` comes upon it.
    fn refusing_part(&self, path: &Path) -> Option<PathBuf> {
        if !self.roots.list.is_empty() {
            return None;
        }
        let everything = [Root::new(Path::new("/")).ok()?];
        let absolute = base_of(path).join(path);
        let place = RootedPath { root_index: 0, path: absolute.as_os_str().as_bytes() };
        match walk::open(&everything, place, READ) {
            Err(Stop::Failed { errno: Errno::ACCESS | Errno::PERM, part }) => part,
            _ => None,
        }
    }
}

/// Whether another spelling might exist.
fn is_misspelt(error: &Error) -> bool {
    matches!(error.kind, ErrorKind::NotFound { .. } | ErrorKind::BadPath { .. })
}

fn check_spelling(path: &Path) -> Result<()> {
    let bytes = path.as_os_str().as_bytes();
    let fault = if bytes.is_empty() {
        PathFault::Empty
    } else if bytes.contains(&0) {
        PathFault::Nul
    } else {
        return check_length(path);
    };
    Err(Error::new(path, ErrorKind::BadPath { fault }))
}

/// Refuses a path that no system call takes, however it is mended.
fn check_length(path: &Path) -> Result<()> {
    let length = path.as_os_str().len();
    if length <= MAX_PATH_BYTES {
        return Ok(());
    }
    let fault = PathFault::PathTooLong { max_bytes: MAX_PATH_BYTES };
    Err(Error::new(path, ErrorKind::BadPath { fault }))
}

/// Whether the path says that its last name is a directory's.
fn asks_for_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

fn open_anywhere(path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    rustix::io::retry_on_intr(|| rustix::fs::openat(CWD, path, flags, Mode::empty()))
}

/// The directory that a path is seen from where there are no roots.
fn base_of(path: &Path) -> Cow<'static, Path> {
    let root = Cow::Borrowed(Path::new("/"));
    // A working directory that was removed holds no file, so that `/` is as good as any.
    if path.is_absolute() { root } else { std::env::current_dir().map_or(root, Cow::Owned) }
}

fn name_of(file_type: FileType) -> &'static str {
    match file_type {
        FileType::Fifo => "FIFO",
        FileType::Socket => "socket",
        FileType::CharacterDevice => "character device",
        FileType::BlockDevice => "block device",
        _ => "file of unknown type",
    }
}
