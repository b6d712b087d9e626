//! Listing a directory, as far as a message needs it.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Dir, Mode, OFlags};

use super::location::path;
use crate::error::ErrorKind;

/// How many names a [`ErrorKind::Directory`] shows.
const SHOWN_NAMES: usize = 20;
/// How many names are read for it: sorting needs them all, and a directory may have millions.
const READ_NAMES: usize = 4096;

/// How long names are read for it.
const LISTING: Duration = Duration::from_secs(1);

/// Names in a directory.
pub(super) struct Names {
    /// Names without `.` and `..`, in the order of the file system.
    pub(super) names: Vec<Vec<u8>>,
    /// Whether these are all.
    pub(super) complete: bool,
}

/// Makes a directory that was only looked up (`O_PATH`) readable.
pub(super) fn readable(folder: impl AsFd) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::openat(folder, c".", flags, Mode::empty())
}

/// The first `most` names of a readable directory; fewer if it cannot be read further, or not until `deadline`.
pub(super) fn names(folder: OwnedFd, most: usize, deadline: Instant) -> Names {
    let mut names = Vec::new();
    let Ok(entries) = Dir::new(folder) else { return Names { names, complete: false } };
    for entry in entries {
        let Ok(entry) = entry else { return Names { names, complete: false } };
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        if names.len() == most || Instant::now() > deadline {
            return Names { names, complete: false };
        }
        names.push(name.to_vec());
    }
    Names { names, complete: true }
}

/// The error about a directory, with some of the names that `may_be_told`.
///
/// A directory that may not be listed has none and `more`, as one of which no name may be told.
pub(super) fn listing(folder: impl AsFd, may_be_told: impl Fn(&Path) -> bool) -> ErrorKind {
    let found = readable(folder).map(|folder| names(folder, READ_NAMES, Instant::now() + LISTING));
    let Names { mut names, complete } = found.unwrap_or(Names { names: Vec::new(), complete: false });
    // Hidden names last: whoever took a directory for a file meant none of them.
    names.sort_unstable_by(|left, right| {
        (left.starts_with(b"."), left).cmp(&(right.starts_with(b"."), right))
    });
    let mut told = names.iter().map(|name| path(name)).filter(|name| may_be_told(name));
    let entries: Vec<PathBuf> = told.by_ref().take(SHOWN_NAMES).collect();
    let more = !complete || told.next().is_some() || (entries.is_empty() && !names.is_empty());
    ErrorKind::Directory { entries, more }
}
