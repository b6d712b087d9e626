//! Opening files safely.
//!
//! Only regular files are opened for reading, never a device, FIFO or socket, and always in
//! non-blocking mode. With roots, the kernel or our own walk resolves the path in a way that cannot
//! leave them, even if other processes rename files at the same time. The opened file is then checked
//! through its descriptor: its type, its file system, and its real path against the deny rules. The
//! text of the path only decides where the lookup begins.
//!
//! Two cases are not prevented, because no path reveals them: a hard link in a root to a file outside,
//! and a mount that makes an outside directory appear in a root.

mod beneath;
mod deny;
mod directory;
mod display;
mod entries;
mod judge;
mod listing;
mod location;
mod now;
mod remote;
mod repair;
mod root;
mod secrets;
mod siblings;
mod walk;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use beneath::{Strategy, kernel_lookup};
pub use display::display_path;
pub use entries::{DirectoryEntries, DirectoryEntry, EntryKind};
pub use listing::Listing;
pub(crate) use now::is_still;

use beneath::Roots;
use deny::{DenyRules, procfs_rule};
use judge::Judge;
use location::{lexical, real_path};
use remote::remote_mount;
use repair::Repairs;
use root::{Root, RootedPath, Stop};
pub use siblings::Listings;
use siblings::Search;

use crate::device::Device;
use crate::device::mounts::{self, Mount};
use crate::error::{Error, ErrorKind, PathFault, Result};
use crate::present::Present;
use crate::size::to_usize;
use crate::snapshot::now_ns;
use crate::source::{Snapshot, Waiting, read_stream};
use crate::system::{
    self, Access, AsDescriptor, Descriptor, Errno, FileType, MAX_PATH_BYTES, State, path_bytes,
};

/// Opens files below its roots, or anywhere if it has none, except for files that a deny rule matches.
#[derive(Debug)]
pub struct Opener {
    roots: Roots,
    deny: DenyRules,
    rules: u64,
}

fn default_strategy() -> Strategy {
    let portable = std::env::var_os("ANYREAD_PORTABLE").is_some_and(|value| value == "1");
    if portable { Strategy::Walk } else { Strategy::Kernel }
}

/// A regular file that passed all checks and is open for reading.
#[derive(Debug)]
pub struct RegularFile {
    /// The open file, in non-blocking mode.
    pub descriptor: Descriptor,
    /// Its state when it was opened.
    pub snapshot: Snapshot,
    /// When that was, in nanoseconds since the epoch; nothing was read of the file before.
    pub opened_ns: i64,
    /// Its absolute path, with links resolved.
    pub real_path: PathBuf,
    /// Whether a link changed where the path leads.
    pub link_followed: bool,
    /// Whether the path had to be repaired to find the file (see [`Opener::open`]).
    pub repaired: bool,
    /// The properties of its file system.
    pub device: Device,
    /// The mount that contains it.
    pub mount: Mount,
    /// What is present of it, if it is a copy of one version of another file.
    pub present: Option<Arc<Present>>,
}

impl RegularFile {
    /// Its absolute path now, which another program may have changed; the last one if the file was removed.
    #[must_use]
    pub fn current_path(&self) -> PathBuf {
        real_path(self.descriptor.as_descriptor(), &self.snapshot, &self.real_path)
            .unwrap_or_else(|| self.real_path.clone())
    }

    /// Whether its last change was so recent that another one could have left the same state.
    pub(crate) fn is_racy(&self) -> bool {
        self.present.is_none() && self.snapshot.is_racy(self.device.tick_ns, self.opened_ns)
    }

    /// Its state now; a copy of one version never changes.
    pub(crate) fn now(&self) -> std::result::Result<Snapshot, Errno> {
        if self.present.is_some() { Ok(self.snapshot) } else { Snapshot::of(&self.descriptor) }
    }

    /// Fails if it is a copy and bytes of it are missing.
    ///
    /// # Errors
    /// [`crate::error::Blocked::Missing`].
    pub(crate) fn require(&self, path: &Path, offset: u64, length: u64) -> Result<()> {
        self.present.as_ref().map_or(Ok(()), |present| present.require(path, offset, length))
    }

    /// Reads it from its start, as [`read_stream`].
    ///
    /// # Errors
    /// Those of [`read_stream`] and [`RegularFile::require`].
    pub(crate) fn read(
        &self,
        path: &Path,
        expected: Option<usize>,
        maximum: usize,
        waiting: Waiting<'_>,
    ) -> Result<Vec<u8>> {
        self.require(path, 0, maximum as u64)?;
        read_stream(path, &self.descriptor, expected, maximum, waiting)
    }

    /// The size that it reports; `None` if that is meaningless (`/proc`, `/sys`).
    pub(crate) fn reported_size(&self) -> Option<usize> {
        (!self.device.pseudo).then(|| to_usize(self.snapshot.size))
    }
}

/// What is already known about an opened file before it is checked.
#[derive(Debug, Clone, Copy, Default)]
struct PriorKnowledge {
    /// The properties of its file system.
    device: Option<Device>,
    /// Whether the lookup met no links, so that the expected path is the real one.
    is_real_path: bool,
    /// Whether the check must not block.
    is_now: bool,
    /// Its state before it was opened, which is then taken as its state.
    state: Option<State>,
}

impl Opener {
    /// Creates an opener with roots (none: the whole file system) and deny rules, which are globs.
    ///
    /// The rule `secrets` refuses files that usually hold credentials, such as `.env` and
    /// private keys.
    ///
    /// The environment variable `ANYREAD_PORTABLE=1` selects [`Strategy::Walk`].
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
    /// [`ErrorKind::BadRule`] for a rule that is not a valid glob.
    pub fn new(roots: &[PathBuf], deny: &[String]) -> Result<Self> {
        Self::with_strategy(roots, deny, default_strategy())
    }

    /// [`Opener::new`] for an engine that decompresses: a rule for `a.key` refuses `a.key.gz` too.
    ///
    /// # Errors
    /// Those of [`Opener::new`].
    pub fn decompressing(roots: &[PathBuf], deny: &[String]) -> Result<Self> {
        Self::with(roots, deny, default_strategy(), true)
    }

    /// Creates an opener that resolves paths below its roots with a given strategy.
    ///
    /// # Errors
    /// Those of [`Opener::new`].
    pub fn with_strategy(roots: &[PathBuf], deny: &[String], strategy: Strategy) -> Result<Self> {
        Self::with(roots, deny, strategy, false)
    }

    fn with(roots: &[PathBuf], deny: &[String], strategy: Strategy, sees_gzip: bool) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        (roots, deny, sees_gzip).hash(&mut hasher);
        let roots = Roots::new(roots, strategy)?;
        let deny = DenyRules::new(deny, &roots.list, sees_gzip)?;
        Ok(Self { roots, deny, rules: hasher.finish() })
    }

    /// A number for the roots and deny rules as given, which is equal for openers with the same ones.
    #[must_use]
    pub fn rules(&self) -> u64 {
        self.rules
    }

    /// Opens the file at `path`. A relative path starts at the first root, or else at the working directory.
    ///
    /// With `repair`, other spellings of a path that does not exist are tried: `~/` and `file://`
    /// resolved, quotes and blanks around it removed, `\xff` decoded to a byte that is not UTF-8, and
    /// names that differ only in Unicode normalization, kind of blank or kind of quote.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::AmbiguousPath`], [`ErrorKind::Access`],
    /// [`ErrorKind::OutsideRoot`], [`ErrorKind::Denied`], [`ErrorKind::Directory`],
    /// [`ErrorKind::NotRegularFile`], [`ErrorKind::BadPath`], [`ErrorKind::FileSystem`].
    pub fn open(&self, path: &Path, repair: bool) -> Result<RegularFile> {
        let listings = Listings::default();
        if repair {
            return self.open_repaired(path, Repairs::Spelling, &listings);
        }
        check_length(path)?;
        match self.open_exact(path) {
            Err(Error { kind: ErrorKind::NotFound { .. }, .. }) => {
                Err(Search::new(self, &listings).not_found(path, path, Vec::new()))
            }
            result => result,
        }
    }

    /// Opens the file that a path means, in a call that may open many files, which share `listings`.
    ///
    /// Besides what [`Opener::open`] repairs, a path that does not exist means the only file that fits of those
    /// with its name in other letter case, and of those with its name in a directory directly below.
    ///
    /// # Errors
    /// Those of [`Opener::open`].
    pub fn open_meant(&self, path: &Path, listings: &Listings) -> Result<RegularFile> {
        self.open_repaired(path, Repairs::Name, listings)
    }

    fn open_repaired(&self, path: &Path, repairs: Repairs, listings: &Listings) -> Result<RegularFile> {
        check_length(path)?;
        match self.open_exact(path) {
            Err(error) if may_be_misspelled(&error) => {
                repair::open(self, path, error, repairs, listings, |spelling| {
                    Ok(RegularFile { repaired: true, ..self.open_exact(spelling)? })
                })
            }
            result => result,
        }
    }

    /// Whether a file or directory has exactly this path; false if that may not be known.
    #[must_use]
    pub fn exists(&self, path: &Path) -> bool {
        check_length(path).is_ok() && check_spelling(path).is_ok() && self.may_be_named(path)
    }

    /// The mount that a path leads into, if calls to that mount may hang. No call is made to it.
    #[must_use]
    pub fn remote_mount(&self, path: &Path) -> Option<u64> {
        if check_length(path).is_err() {
            // `open` refuses such a path without a lookup.
            return None;
        }
        let root = self.roots.list.first().map(|root| &*root.given);
        // A repair of the path may also lead to such a mount.
        std::iter::once(path.to_path_buf()).chain(repair::spellings(path)).find_map(|spelling| {
            let base = root.map_or_else(|| base_of(&spelling), Cow::Borrowed);
            remote_mount(&base.join(&spelling))
        })
    }

    /// Opens the file at exactly this path. The error for a missing file has no near names yet.
    fn open_exact(&self, path: &Path) -> Result<RegularFile> {
        check_spelling(path)?;
        self.check_given_path(path)?;
        let (descriptor, expected) = self.find(path).map_err(|stop| self.refusal(path, stop))?;
        self.admit(path, descriptor, expected, PriorKnowledge::default())
    }

    /// Opens a regular file for reading; anything else is only looked up.
    /// Also returns the path that the file has if the lookup met no links.
    fn find(&self, path: &Path) -> std::result::Result<(Descriptor, PathBuf), Stop> {
        if self.roots.list.is_empty() {
            check_local(path)?;
            let is_regular = system::file_type_at(path)?.is_file();
            let descriptor = open_anywhere(path, if is_regular { Access::Read } else { Access::Look })?;
            return Ok((descriptor, lexical(&base_of(path), path)));
        }
        self.in_roots(path, |place| {
            let found = self.roots.open(place, Access::Look)?;
            let is_regular = walk::file_type(&found)?.is_file();
            if is_regular { self.roots.open(place, Access::Read) } else { Ok(found) }
        })
    }

    /// Looks up a path without opening it.
    fn look(&self, path: &Path) -> std::result::Result<(Descriptor, PathBuf), Stop> {
        if self.roots.list.is_empty() {
            check_local(path)?;
            return Ok((open_anywhere(path, Access::Look)?, lexical(&base_of(path), path)));
        }
        self.in_roots(path, |place| self.roots.open(place, Access::Look))
    }

    /// Tries the roots that may contain a path, until one is found that the path does not leave.
    fn in_roots(
        &self,
        path: &Path,
        open: impl Fn(&RootedPath<'_>) -> std::result::Result<Descriptor, Stop>,
    ) -> std::result::Result<(Descriptor, PathBuf), Stop> {
        for place in self.roots.rooted_paths(path) {
            match open(&place) {
                Err(Stop::Outside) => {}
                Err(stop) => return Err(stop),
                Ok(descriptor) => {
                    let root = self.roots.list.get(place.root_index).ok_or(Stop::Outside)?;
                    return Ok((descriptor, lexical(&root.real, &location::path(&place.path))));
                }
            }
        }
        Err(Stop::Outside)
    }

    /// Opens a directory whose entries may be named; also returns its real path, and whether a link led there.
    fn look_at_directory(&self, path: &Path) -> std::result::Result<(Descriptor, PathBuf, bool), Stop> {
        let (found, expected) = self.look(if path.as_os_str().is_empty() { Path::new(".") } else { path })?;
        let snapshot = Snapshot::of(&found)?;
        let real_path = real_path(found.as_descriptor(), &snapshot, &expected).ok_or(Errno::ACCESS)?;
        let judge = Judge::new(self, &real_path, false)?;
        if judge.rule(&real_path).is_some() || !judge.can_judge(&real_path) {
            return Err(Errno::ACCESS.into());
        }
        let link_followed = real_path != expected;
        Ok((directory::readable(&found)?, real_path, link_followed))
    }

    /// Whether a message may name a path: it exists, and neither the path nor its target is denied.
    fn may_be_named(&self, path: &Path) -> bool {
        if self.check_given_path(path).is_err() {
            return false;
        }
        let Ok((found, expected)) = self.look(path) else { return false };
        if self.deny.is_empty() {
            return true;
        }
        let snapshot = Snapshot::of(&found).ok();
        let real_path = snapshot.and_then(|snapshot| real_path(found.as_descriptor(), &snapshot, &expected));
        real_path.is_some_and(|real_path| self.allows(&real_path))
    }

    /// Whether no rule denies the file at a real path; false if that cannot be decided.
    fn allows(&self, real_path: &Path) -> bool {
        Judge::new(self, real_path, false)
            .is_ok_and(|judge| judge.rule(real_path).is_none() && judge.can_judge(real_path))
    }

    /// Checks an opened file or directory through its descriptor.
    fn admit(
        &self,
        path: &Path,
        descriptor: Descriptor,
        expected: PathBuf,
        prior: PriorKnowledge,
    ) -> Result<RegularFile> {
        let failed = |errno: Errno| self.refusal(path, errno.into());
        let state = match prior.state {
            Some(state) => state,
            None => system::state(descriptor.as_descriptor()).map_err(failed)?,
        };
        let mount = state.mount;
        let device = match prior.device {
            Some(device) => device,
            None => system::device_of(&descriptor)
                .inspect(|device| mounts::learn(mount, *device))
                .map_err(failed)?,
        };
        let (real_path, link_followed) = if prior.is_real_path {
            (expected, false)
        } else {
            let known_path = real_path(descriptor.as_descriptor(), &state.snapshot, &expected);
            if known_path.is_none() && (device.pseudo || !self.deny.is_empty()) {
                // Without the real path the rules cannot be checked, so the file is refused.
                return Err(Error::new(path, ErrorKind::Access { part: path.to_path_buf() }));
            }
            let link_followed = known_path.as_ref().is_some_and(|known| *known != expected);
            (known_path.unwrap_or(expected), link_followed)
        };
        let judge = Judge::new(self, &real_path, prior.is_now).map_err(failed)?;
        if !judge.can_judge(&real_path) {
            // The file or its root was moved in the meantime.
            return Err(Error::new(path, ErrorKind::Access { part: path.to_path_buf() }));
        }
        if let Some(rule) = judge.rule(&real_path) {
            return Err(Error::new(path, ErrorKind::Denied { rule: rule.to_owned() }));
        }
        match state.file_type {
            FileType::RegularFile => {}
            FileType::Directory => {
                let may_be_named = |name: &Path| {
                    judge.rule(&real_path.join(name)).is_none()
                        && self.check_given_path(&path.join(name)).is_ok()
                };
                return Err(Error::new(path, directory::listing(&descriptor, may_be_named)));
            }
            other => {
                return Err(Error::new(path, ErrorKind::NotRegularFile { file_type: name_of(other) }));
            }
        }
        if device.pseudo
            && let Some(rule) = procfs_rule(&real_path)
            && system::file_system(descriptor.as_descriptor()).map_err(failed)?.is_procfs
        {
            return Err(Error::new(path, ErrorKind::Denied { rule: rule.to_owned() }));
        }
        Ok(RegularFile {
            descriptor,
            snapshot: state.snapshot,
            opened_ns: now_ns(),
            link_followed,
            real_path,
            repaired: false,
            device,
            mount,
            present: None,
        })
    }

    /// The deny rule that matches the absolute path of a file that is elsewhere, below `base` or as it is.
    #[must_use]
    pub fn rule_of(&self, path: &Path, base: &Path) -> Option<&str> {
        self.deny.matching(path, [base])
    }

    /// Checks the deny rules against a path as it was given, and as joined to its base directory.
    fn check_given_path(&self, path: &Path) -> Result<()> {
        if self.deny.is_empty() {
            return Ok(());
        }
        let working_directory = base_of(Path::new(""));
        let base = self.roots.list.first().map_or(&*working_directory, |root| &root.given);
        let bases = self.roots.list.iter().flat_map(|root| [&*root.given, &*root.real]);
        let bases = bases.chain(self.roots.list.is_empty().then_some(&*working_directory));
        let rule = self.deny.glob_of(path).or_else(|| self.deny.matching(&lexical(base, path), bases));
        match rule {
            Some(rule) => Err(Error::new(path, ErrorKind::Denied { rule: rule.to_owned() })),
            None => Ok(()),
        }
    }

    /// The error for a lookup that ended without a file.
    fn refusal(&self, path: &Path, stop: Stop) -> Error {
        let kind = match stop {
            Stop::Outside => {
                let roots = self.roots.list.iter().map(|root| root.given.clone()).collect();
                ErrorKind::OutsideRoot { roots }
            }
            Stop::Special { file_type, real_path } => {
                let is_allowed =
                    self.deny.is_empty() || real_path.is_some_and(|real_path| self.allows(&real_path));
                if is_allowed {
                    ErrorKind::NotRegularFile { file_type: name_of(file_type) }
                } else {
                    ErrorKind::Access { part: path.to_path_buf() }
                }
            }
            Stop::Failed { errno: Errno::NOENT, .. } => {
                ErrorKind::NotFound { near: Vec::new(), dangling_link: None }
            }
            Stop::Failed { errno: Errno::NOTDIR, .. } if !requires_directory(path) => {
                ErrorKind::NotFound { near: Vec::new(), dangling_link: None }
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

    /// The component of a path that may not be opened or searched, found by a walk from `/`.
    fn refusing_part(&self, path: &Path) -> Option<PathBuf> {
        if !self.roots.list.is_empty() {
            return None;
        }
        let everything = [Root::new(Path::new("/")).ok()?];
        let absolute = base_of(path).join(path);
        let place = RootedPath { root_index: 0, path: path_bytes(&absolute) };
        match walk::open(&everything, &place, Access::Read) {
            Err(Stop::Failed { errno: Errno::ACCESS | Errno::PERM, part }) => part,
            _ => None,
        }
    }
}

/// Whether another spelling of the path might lead to a file.
fn may_be_misspelled(error: &Error) -> bool {
    matches!(error.kind, ErrorKind::NotFound { .. } | ErrorKind::BadPath { .. })
}

fn check_spelling(path: &Path) -> Result<()> {
    let bytes = path_bytes(path);
    let fault = if bytes.is_empty() {
        PathFault::Empty
    } else if bytes.contains(&0) {
        PathFault::Nul
    } else {
        return check_length(path);
    };
    Err(Error::new(path, ErrorKind::BadPath { fault }))
}

/// Refuses a path that is too long for any system call, without trying to repair it.
fn check_length(path: &Path) -> Result<()> {
    let length = path.as_os_str().len();
    if length <= MAX_PATH_BYTES {
        return Ok(());
    }
    let fault = PathFault::PathTooLong { max_bytes: MAX_PATH_BYTES };
    Err(Error::new(path, ErrorKind::BadPath { fault }))
}

/// Whether the path ends in a way that requires a directory.
fn requires_directory(path: &Path) -> bool {
    let bytes = path_bytes(path);
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

/// Refuses a path on another host: even a lookup would send the user's credentials there.
fn check_local(path: &Path) -> std::result::Result<(), Stop> {
    if system::is_on_host(path) { Err(Stop::Outside) } else { Ok(()) }
}

fn open_anywhere(path: &Path, access: Access) -> std::result::Result<Descriptor, Stop> {
    system::open_path(path, access).map_err(|errno| match system::special_path(path) {
        Some(file_type) if access == Access::Look => {
            Stop::Special { file_type, real_path: system::canonical(path).ok() }
        }
        _ => errno.into(),
    })
}

/// The directory that a path is relative to if there are no roots.
fn base_of(path: &Path) -> Cow<'static, Path> {
    let root = Cow::Borrowed(Path::new("/"));
    // A working directory that was removed contains no files, so `/` serves as well as any other.
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
