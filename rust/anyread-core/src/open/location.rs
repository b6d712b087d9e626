//! The real path of an opened file, and the lexical path that is expected.

use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use memchr::memmem;
use rustix::fs::{AtFlags, CWD, Statx};

use crate::source::Snapshot;

/// What the kernel appends to the name of an opened file that was removed.
const DELETED: &[u8] = b" (deleted)";

/// The path of an opened file according to the kernel, with links resolved.
///
/// Without `/proc` it is the resolved `guess`, if that is the same file. `None` if the path is unknown.
pub(super) fn real_path(descriptor: impl AsFd, stat: &Statx, guess: &Path) -> Option<PathBuf> {
    let Some(named) = named_path(descriptor) else { return resolved(guess, stat) };
    Some(match named.as_os_str().as_bytes().strip_suffix(DELETED) {
        // An existing file may have such a name.
        Some(shorter) if !is_same_file(&named, stat) => path(shorter),
        _ => named,
    })
}

/// The path of an opened file in `/proc`; for a removed file, with [`DELETED`] appended.
pub(super) fn named_path(descriptor: impl AsFd) -> Option<PathBuf> {
    // `/proc/thread-self` is slower and not needed, because the host's threads share one descriptor table.
    let link = format!("/proc/self/fd/{}", descriptor.as_fd().as_raw_fd());
    let named = rustix::fs::readlinkat(CWD, link, Vec::with_capacity(256)).ok()?;
    // `(unreachable)/…` is outside the root directory of this process.
    named.to_bytes().starts_with(b"/").then(|| path(named.to_bytes()))
}

/// `guess` with its links resolved, if it is the file of `stat`.
fn resolved(guess: &Path, stat: &Statx) -> Option<PathBuf> {
    std::fs::canonicalize(guess).ok().filter(|real| is_same_file(real, stat))
}

fn is_same_file(path: &Path, stat: &Statx) -> bool {
    let found = rustix::fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, Snapshot::MASK);
    found.is_ok_and(|found| Snapshot::from_statx(&found).identity() == Snapshot::from_statx(stat).identity())
}

/// `path` relative to the directory `base`, with `.` and `..` removed lexically, without resolving links.
pub(super) fn lexical(base: &Path, path: &Path) -> PathBuf {
    if is_lexical(path.as_os_str().as_bytes()) {
        return path.to_path_buf();
    }
    let mut absolute = base.to_path_buf();
    for component in path.components() {
        match component {
            Component::RootDir => absolute = PathBuf::from("/"),
            Component::ParentDir => {
                absolute.pop();
            }
            Component::Normal(name) => absolute.push(name),
            Component::CurDir | Component::Prefix(_) => {}
        }
    }
    absolute
}

/// Whether [`lexical`] would not change a path, as is the case for most.
fn is_lexical(path: &[u8]) -> bool {
    path.starts_with(b"/")
        && !path.ends_with(b"/")
        && memmem::find(path, b"//").is_none()
        && memmem::find(path, b"/.").is_none()
}

/// The part of the absolute `path` below `base`, compared by whole components; `.` if they are equal.
///
/// That part is not normalized, because a trailing slash, `.` and `..` affect what is opened.
pub(super) fn below<'p>(path: &'p [u8], base: &Path) -> Option<&'p [u8]> {
    let mut rest = path;
    for component in base.components() {
        let name = match component {
            Component::Normal(_) | Component::ParentDir => component.as_os_str().as_bytes(),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => continue,
        };
        loop {
            rest = skip_slashes(rest);
            match rest.strip_prefix(b"./") {
                Some(after) => rest = after,
                None => break,
            }
        }
        rest = rest.strip_prefix(name).filter(|after| after.is_empty() || after.starts_with(b"/"))?;
    }
    let rest = skip_slashes(rest);
    Some(if rest.is_empty() { b"." } else { rest })
}

fn skip_slashes(path: &[u8]) -> &[u8] {
    let slashes = path.iter().take_while(|byte| **byte == b'/').count();
    path.split_at(slashes).1
}

/// Converts bytes to a path.
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    as_path(bytes).to_path_buf()
}

/// Like [`path`], but borrowed.
pub(super) fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{Mode, OFlags};
    use std::os::fd::OwnedFd;

    #[test]
    fn test_below_matches_whole_components() {
        let root = Path::new("/x/project");
        for (path, expected) in [
            ("/x/project/a", Some("a")),
            ("/x/project", Some(".")),
            ("/x/project/", Some(".")),
            ("//x/./project//a/", Some("a/")),
            ("/x/project/../a", Some("../a")),
            ("/x/project2", None),
            ("/x/project.bak/a", None),
            ("/x/proj", None),
            ("/x", None),
            ("/x/y/../project/a", None),
        ] {
            assert_eq!(below(path.as_bytes(), root), expected.map(str::as_bytes), "{path}");
        }
        assert_eq!(below(b"/a/b", Path::new("/")), Some(b"a/b".as_slice()));
    }

    #[test]
    fn test_lexical_removes_dots() {
        for (given, expected) in
            [("a/./b/../c", "/w/a/c"), ("/a//b/", "/a/b"), ("../../..", "/"), (".", "/w")]
        {
            assert_eq!(lexical(Path::new("/w"), Path::new(given)), Path::new(expected), "{given}");
        }
    }

    fn opened(path: &Path) -> (OwnedFd, Statx) {
        let descriptor = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let stat = rustix::fs::statx(&descriptor, c"", AtFlags::EMPTY_PATH, Snapshot::MASK).unwrap();
        (descriptor, stat)
    }

    #[test]
    fn test_real_path_of_deleted_file() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for (name, kept) in [("a", false), ("b (deleted)", false), ("c (deleted)", true)] {
            std::fs::write(root.join(name), "x").unwrap();
            let (descriptor, stat) = opened(&root.join(name));
            if !kept {
                std::fs::remove_file(root.join(name)).unwrap();
            }
            assert_eq!(real_path(&descriptor, &stat, Path::new("/")).unwrap(), root.join(name), "{name}");
        }
    }

    #[test]
    fn test_resolved_requires_same_file() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::write(root.join("a"), "x").unwrap();
        std::fs::write(root.join("b"), "x").unwrap();
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        let (_descriptor, stat) = opened(&root.join("a"));
        assert_eq!(resolved(&root.join("link"), &stat), Some(root.join("a")));
        assert_eq!(resolved(&root.join("b"), &stat), None);
        assert_eq!(resolved(&root.join("missing"), &stat), None);
    }
}
