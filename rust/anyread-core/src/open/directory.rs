//! Listing a directory for an error message.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Dir, Mode, OFlags};

use super::location::path;
use crate::error::ErrorKind;

/// The maximum number of names in an [`ErrorKind::Directory`].
const SHOWN_NAMES: usize = 20;
/// The maximum number of names read for it: sorting needs them all, and a directory may have millions.
const READ_NAMES: usize = 4096;

/// The maximum time spent on reading names for it.
const LISTING: Duration = Duration::from_secs(1);

/// The names in a directory.
pub(super) struct Names {
    /// Names without `.` and `..`, in the order of the file system.
    pub(super) names: Vec<Vec<u8>>,
    /// Whether the list is complete.
    pub(super) complete: bool,
}

/// Opens a directory that was only looked up (`O_PATH`) for reading.
pub(super) fn readable(directory: impl AsFd) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::openat(directory, c".", flags, Mode::empty())
}

/// The first `most` names of a readable directory; fewer after an error or when `deadline` passes.
pub(super) fn names(directory: OwnedFd, most: usize, deadline: Instant) -> Names {
    let mut names = Vec::new();
    let Ok(entries) = Dir::new(directory) else { return Names { names, complete: false } };
    for entry in entries {
        let Ok(entry) = entry else { return Names { names, complete: false } };
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        if names.len() == most || Instant::now() > deadline {
            return Names { names, complete: false };
        }
        if !push(&mut names, name) {
            // Other allocations need the memory of the names so far.
            return Names { names: Vec::new(), complete: false };
        }
    }
    Names { names, complete: true }
}

/// Adds a copy of a name; returns whether there was memory for it.
fn push(names: &mut Vec<Vec<u8>>, name: &[u8]) -> bool {
    let mut copy = Vec::new();
    let is_reserved = names.try_reserve(1).is_ok() && copy.try_reserve_exact(name.len()).is_ok();
    if is_reserved {
        copy.extend_from_slice(name);
        names.push(copy);
    }
    is_reserved
}

/// The error for a directory, with some of the names for which `may_be_named` returns true.
///
/// If the directory cannot be listed, or no name in it may be shown, there are no entries and `more` is set.
pub(super) fn listing(directory: impl AsFd, may_be_named: impl Fn(&Path) -> bool) -> ErrorKind {
    let found = readable(directory).map(|directory| names(directory, READ_NAMES, Instant::now() + LISTING));
    let Names { mut names, complete } = found.unwrap_or(Names { names: Vec::new(), complete: false });
    // Hidden names come last, because they are rarely what the caller was looking for.
    names.sort_unstable_by(|left, right| {
        (left.starts_with(b"."), left).cmp(&(right.starts_with(b"."), right))
    });
    let mut shown = names.iter().map(|name| path(name)).filter(|name| may_be_named(name));
    let entries: Vec<PathBuf> = shown.by_ref().take(SHOWN_NAMES).collect();
    let more = !complete || shown.next().is_some() || (entries.is_empty() && !names.is_empty());
    ErrorKind::Directory { entries, more }
}
