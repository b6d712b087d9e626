//! A directory that is open for listing: all names at once, in order, and what an entry is on request.
//!
//! A page shows some of the names, so the file system is asked only about those.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::judge::Judge;
use super::repair::Repairs;
use super::siblings::Listings;
use super::{
    DirectoryEntry, Opener, base_of, check_length, check_spelling, lexical, may_be_misspelled, repair,
};
use crate::error::{Error, ErrorKind, Result};
use crate::source::Snapshot;
use crate::system::{self, AsDescriptor, Descriptor, Errno, FileType, path_from_bytes};

/// The most bytes of all names of a directory together, so that millions of long names do not fill the memory.
const MOST_BYTES: usize = 64 << 20;
/// How many names are read between two checks whether to stop.
const NAMES_PER_CHECK: usize = 1024;

/// A directory that passed the checks of a file, and its names; closed when it is dropped.
#[derive(Debug)]
pub struct Listing {
    /// Its absolute path, with links resolved.
    pub real_path: PathBuf,
    /// Its state before it was listed.
    pub snapshot: Snapshot,
    /// Whether a link changed where the path leads.
    pub link_followed: bool,
    /// Whether the path had to be repaired to find the directory.
    pub repaired: bool,
    /// How many entries deny rules leave out.
    pub denied: usize,
    /// Whether these are all names; otherwise there are too many.
    pub complete: bool,
    opener: Arc<Opener>,
    /// The path that was opened.
    path: PathBuf,
    directory: Descriptor,
    /// The bytes of all names; one allocation for each would take several times the memory.
    bytes: Vec<u8>,
    names: Vec<Name>,
}

/// The place of a name in the bytes of all names.
#[derive(Debug, Clone, Copy)]
struct Name {
    start: u32,
    length: u16,
    /// What it is, without following a link, if the file system lists that.
    file_type: Option<FileType>,
}

impl Opener {
    /// Opens the directory at `path`, and reads its names except those that a deny rule matches; at most `most`.
    ///
    /// Paths are repaired as by [`Opener::open`]. `is_cancelled` is called from time to time.
    ///
    /// # Errors
    /// Those of [`Opener::open`] for a path that leads nowhere, or outside of the roots, or to a file, and
    /// [`ErrorKind::Cancelled`].
    pub fn list(
        self: &Arc<Self>,
        path: &Path,
        most: usize,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Listing> {
        check_length(path)?;
        let list = |path: &Path| self.list_exact(path, most, is_cancelled);
        match list(path) {
            Err(error) if may_be_misspelled(&error) => {
                let list = |path: &Path| Ok(Listing { repaired: true, ..list(path)? });
                repair::open(self, path, error, Repairs::Spelling, &Listings::default(), list)
            }
            result => result,
        }
    }

    fn list_exact(
        self: &Arc<Self>,
        path: &Path,
        most: usize,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Listing> {
        check_spelling(path)?;
        self.check_given_path(path)?;
        let (directory, real_path, link_followed) =
            self.look_at_directory(path).map_err(|stop| self.refusal(path, stop))?;
        let failed = |errno: Errno| self.refusal(path, errno.into());
        let judge = Judge::new(self, &real_path, false).map_err(failed)?;
        let listed = system::duplicate(directory.as_descriptor()).map_err(failed)?;
        let mut listing = Listing {
            snapshot: Snapshot::of(&directory).map_err(failed)?,
            link_followed,
            repaired: false,
            denied: 0,
            complete: true,
            opener: Arc::clone(self),
            path: path.to_path_buf(),
            directory,
            bytes: Vec::new(),
            names: Vec::new(),
            real_path,
        };
        // Without a link on the path, the names have the same paths as given and in truth.
        let base = self.roots.list.first().map_or_else(|| base_of(path), |root| Cow::Borrowed(&*root.given));
        let is_real_path = lexical(&base, path) == listing.real_path;
        let mut seen = 0_usize;
        let mut cancelled = false;
        let has_ended = system::names(listed, |bytes, file_type| {
            cancelled = seen.is_multiple_of(NAMES_PER_CHECK) && is_cancelled();
            seen = seen.saturating_add(1);
            let name = path_from_bytes(bytes);
            if !self.deny.is_empty()
                && (judge.rule(&listing.real_path.join(&name)).is_some()
                    || (!is_real_path && self.check_given_path(&path.join(&name)).is_err()))
            {
                listing.denied = listing.denied.saturating_add(1);
            } else if !cancelled {
                listing.complete = listing.names.len() < most && listing.push(bytes, file_type);
            }
            listing.complete && !cancelled
        });
        if cancelled || is_cancelled() {
            return Err(Error::new(path, ErrorKind::Cancelled));
        }
        if listing.complete && !has_ended {
            return Err(failed(Errno::IO));
        }
        listing.sort();
        Ok(listing)
    }
}

impl Listing {
    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// What an entry is now; `None` if there are not so many.
    #[must_use]
    pub fn entry(&self, index: usize) -> Option<DirectoryEntry> {
        let bytes = self.bytes_of(*self.names.get(index)?);
        let joined = self.path.join(path_from_bytes(bytes));
        let mut entry = self.opener.entry(self.directory.as_descriptor(), bytes, &joined);
        // The text of a link may name something that is denied on the way to a target that is not.
        entry.target = entry.target.filter(|target| {
            [&self.path, &self.real_path].into_iter().all(|directory| {
                let mut reached = directory.clone();
                target.components().all(|component| {
                    reached.push(component);
                    self.opener.check_given_path(&reached).is_ok()
                })
            })
        });
        Some(entry)
    }

    /// Removes the names for which `is_kept` returns false, which gets a name and whether it is a directory
    /// itself; returns how many that are.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&[u8], bool) -> bool) -> usize {
        let before = self.names.len();
        let mut names = std::mem::take(&mut self.names);
        names.retain(|name| {
            let bytes = self.bytes_of(*name);
            let file_type = name.file_type.or_else(|| Opener::own_type(&self.directory, bytes));
            is_kept(bytes, file_type == Some(FileType::Directory))
        });
        self.names = names;
        before.saturating_sub(self.names.len())
    }

    /// Adds a name; returns false if there is no room.
    fn push(&mut self, bytes: &[u8], file_type: Option<FileType>) -> bool {
        let (Ok(start), Ok(length)) = (u32::try_from(self.bytes.len()), u16::try_from(bytes.len())) else {
            return false;
        };
        let has_room = self.bytes.len().saturating_add(bytes.len()) <= MOST_BYTES;
        if has_room {
            self.bytes.extend_from_slice(bytes);
            self.names.push(Name { start, length, file_type });
        }
        has_room
    }

    /// Sorts the names by their bytes, which is the order of code points.
    fn sort(&mut self) {
        let mut names = std::mem::take(&mut self.names);
        names.sort_unstable_by_key(|name| self.bytes_of(*name));
        self.names = names;
    }

    fn bytes_of(&self, name: Name) -> &[u8] {
        let start = name.start as usize;
        self.bytes.get(start..start.saturating_add(name.length.into())).unwrap_or_default()
    }
}
