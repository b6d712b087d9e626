//! Opening a file only if that cannot block: the path is in the kernel's cache, and the mount is known.
//!
//! `RESOLVE_CACHED` keeps the lookup from blocking, but not the file system's own `open`, which on a network
//! mount or under a virus scanner waits for another process. So the file is first looked up (`O_PATH`, which
//! does not run that `open`), and opened only if its mount is known not to block.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::location::lexical;
use super::{Opener, PriorKnowledge, RegularFile, Strategy, base_of, check_spelling};
use crate::device::mounts::{self, Obstacle};
use crate::device::{Device, DeviceClass};
use crate::error::Blocked;
use crate::system::{
    self, Access, AsDescriptor, BorrowedDescriptor, CachedLookup, Descriptor, Errno, State, path_from_bytes,
};

/// A path, and the directory to look it up from.
struct AnchoredLookup<'p> {
    /// `None` for the working directory.
    anchor: Option<BorrowedDescriptor<'p>>,
    path: Cow<'p, Path>,
    restrictions: CachedLookup,
    /// Where the path leads if the lookup meets no links.
    expected: PathBuf,
}

impl Opener {
    /// Opens the file at exactly this path if neither the lookup nor the file system can block.
    ///
    /// It opens nothing that [`Opener::open`] would not open, and fails in case of doubt.
    ///
    /// # Errors
    /// The reason why the file must be opened with [`Opener::open`], which may block.
    pub fn open_now(&self, path: &Path) -> Result<RegularFile, Blocked> {
        let (opened, is_confirmed) = self.open_to_confirm(path)?;
        if is_confirmed || is_still(&opened) { Ok(opened) } else { Err(Blocked::Lookup) }
    }

    /// [`Opener::open_now`], and whether the state of the file is that of its descriptor.
    ///
    /// Otherwise the state is that of the file at the path before it was opened. Another file may have
    /// replaced it in between, so nothing may be concluded from the state until [`is_still`] confirms it.
    /// Until then the file may be read only with `RWF_NOWAIT`, which waits for nothing in any file.
    pub(crate) fn open_to_confirm(&self, path: &Path) -> Result<(RegularFile, bool), Blocked> {
        if self.roots.strategy() == Strategy::Walk {
            return Err(Blocked::Portable);
        }
        check_spelling(path).and_then(|()| self.check_given_path(path)).map_err(|_| Blocked::Lookup)?;
        let mut lookup = self.lookup(path).ok_or(Blocked::Lookup)?;
        lookup.restrictions.forbids_links = true;
        let mut look = lookup.open(Access::Look);
        let linked = matches!(look, Err(Errno::LOOP));
        if linked {
            lookup.restrictions.forbids_links = false;
            look = lookup.open(Access::Look);
        }
        let look = look.map_err(|_| Blocked::Lookup)?;
        let (state, device) = examine(&look)?;
        let mount = state.mount;
        let started = Instant::now();
        let waits_before = system::recent_waits(started);
        let descriptor = lookup.open(Access::Read);
        // A thread that was merely preempted has not waited.
        if started.elapsed() > mounts::SLOW_OPEN && system::waits() != waits_before {
            mounts::demote(mount);
        }
        let descriptor = descriptor.map_err(|_| Blocked::Lookup)?;
        let is_confirmed = device.class != DeviceClass::NoWait || !mount.is_unique();
        let prior = PriorKnowledge {
            device: mount.is_unique().then_some(device),
            // A root that was moved since it was opened has another path now.
            is_real_path: !linked && self.roots.list.is_empty(),
            is_now: true,
            state: (!is_confirmed).then_some(state),
        };
        let opened = self.admit(path, descriptor, lookup.expected, prior).map_err(|_| Blocked::Lookup)?;
        // Since the lookup the path may have been replaced by a file from another mount.
        if opened.mount == mount { Ok((opened, is_confirmed)) } else { Err(Blocked::Lookup) }
    }

    /// Whether nothing has exactly this path, according to the kernel's cache; false in case of doubt.
    #[must_use]
    pub fn is_absent_now(&self, path: &Path) -> bool {
        self.roots.strategy() != Strategy::Walk
            && check_spelling(path).is_ok()
            && self.check_given_path(path).is_ok()
            && self.lookup(path).is_some_and(|lookup| matches!(lookup.open(Access::Look), Err(Errno::NOENT)))
    }

    fn lookup<'p>(&'p self, path: &'p Path) -> Option<AnchoredLookup<'p>> {
        if self.roots.list.is_empty() {
            let expected = lexical(&base_of(path), path);
            let restrictions = CachedLookup { is_beneath: false, forbids_links: false };
            return Some(AnchoredLookup { anchor: None, path: path.into(), restrictions, expected });
        }
        let rooted = self.roots.rooted_paths(path).into_iter().next()?;
        let root = self.roots.list.get(rooted.root_index)?;
        let path = match rooted.path {
            Cow::Borrowed(bytes) => path_from_bytes(bytes),
            Cow::Owned(bytes) => path_from_bytes(&bytes).into_owned().into(),
        };
        let expected = lexical(&root.real, &path);
        let restrictions = CachedLookup { is_beneath: true, forbids_links: false };
        Some(AnchoredLookup { anchor: Some(root.descriptor().ok()?), path, restrictions, expected })
    }
}

impl AnchoredLookup<'_> {
    fn open(&self, access: Access) -> system::SystemResult<Descriptor> {
        system::resolve_cached(self.anchor, &self.path, access, self.restrictions)
    }
}

/// Whether an opened file is in the state that [`Opener::open_to_confirm`] found, so that it is that file.
pub(crate) fn is_still(opened: &RegularFile) -> bool {
    opened.present.is_some()
        || system::state(opened.descriptor.as_descriptor()).is_ok_and(|state| {
            state.file_type.is_file() && state.mount == opened.mount && state.snapshot == opened.snapshot
        })
}

/// The state of a file that was looked up, if it is a regular file that can be opened without blocking.
fn examine(look: &Descriptor) -> Result<(State, Device), Blocked> {
    let state = system::cached_state(look.as_descriptor()).map_err(|_| Blocked::Lookup)?;
    if !state.file_type.is_file() {
        return Err(Blocked::Lookup);
    }
    let mount = state.mount;
    let known = match mounts::readable_now(mount) {
        Err(Obstacle::Unknown) if mount.is_unique() && mounts::is_new(mount) => {
            let device = system::device_in_mount_table(look.as_descriptor());
            device.inspect(|device| mounts::learn(mount, *device)).ok_or(Obstacle::Unknown)
        }
        known => known,
    };
    let device = known.map_err(|obstacle| match obstacle {
        Obstacle::Unknown => Blocked::UnknownMount,
        Obstacle::Device => Blocked::Device,
        Obstacle::Slow => Blocked::SlowOpen,
        Obstacle::Cold => Blocked::Pages,
    })?;
    // `mincore` reports every page as cached unless the caller owns the file.
    if device.class == DeviceClass::Overlay && !system::owner_is_user(state.owner) {
        return Err(Blocked::Device);
    }
    Ok((state, device))
}
