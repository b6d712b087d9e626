//! Listing a directory for an error message.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::location::path;
use crate::error::ErrorKind;
use crate::system::{self, Access, AsDescriptor, Descriptor, FileType};

/// The maximum number of names in an [`ErrorKind::Directory`].
const SHOWN_NAMES: usize = 20;
/// The maximum number of names read for it: sorting needs them all, and a directory may have millions.
const READ_NAMES: usize = 4096;

/// The maximum time spent on reading names for it.
const LISTING: Duration = Duration::from_secs(1);

/// The names in a directory.
#[derive(Default)]
pub(super) struct Names {
    /// Names without `.` and `..`, in the order of the file system.
    pub(super) all: Vec<Vec<u8>>,
    /// The positions of those that may be directories.
    pub(super) directories: Vec<usize>,
    /// Whether the list is complete.
    pub(super) complete: bool,
}

/// Opens a directory that was only looked up for listing.
pub(super) fn readable(directory: &Descriptor) -> system::SystemResult<Descriptor> {
    system::open_entry(directory.as_descriptor(), b".", Access::List)
}

/// The first `most` names of a readable directory; fewer after an error or when `deadline` passes.
pub(super) fn names(directory: Descriptor, most: usize, deadline: Instant) -> Names {
    let (mut names, mut directories) = (Vec::new(), Vec::new());
    let complete = system::names(directory, |name, file_type| {
        if names.len() == most || Instant::now() > deadline {
            return false;
        }
        if matches!(file_type, None | Some(FileType::Directory | FileType::Symlink)) {
            directories.push(names.len());
        }
        names.push(name.to_owned());
        true
    });
    Names { all: names, directories, complete }
}

/// The error for a directory, with some of the names for which `may_be_named` returns true.
///
/// If the directory cannot be listed, or no name in it may be shown, there are no entries and `more` is set.
pub(super) fn listing(directory: &Descriptor, may_be_named: impl Fn(&Path) -> bool) -> ErrorKind {
    let found = readable(directory).map(|directory| names(directory, READ_NAMES, Instant::now() + LISTING));
    let Names { all: mut names, complete, .. } = found.unwrap_or_default();
    // Hidden names come last, because they are rarely what the caller was looking for.
    names.sort_unstable_by(|left, right| {
        (left.starts_with(b"."), left).cmp(&(right.starts_with(b"."), right))
    });
    let mut shown = names.iter().map(|name| path(name)).filter(|name| may_be_named(name));
    let entries: Vec<PathBuf> = shown.by_ref().take(SHOWN_NAMES).collect();
    let more = !complete || shown.next().is_some() || (entries.is_empty() && !names.is_empty());
    ErrorKind::Directory { entries, more }
}
