//! The real path of an opened file, and the lexical path that is expected.

use std::path::{Component, Path, PathBuf};

use crate::source::Snapshot;
use crate::system::{self, BorrowedDescriptor, path_bytes, path_from_bytes};

/// What the kernel appends to the name of an opened file that was removed.
const DELETED: &[u8] = b" (deleted)";

/// The path of an opened file according to the kernel, with links resolved.
///
/// If the kernel does not know it, as on Linux without `/proc`, it is the resolved `guess`, if that is the same file. `None` if the path is unknown.
pub(super) fn real_path(
    descriptor: BorrowedDescriptor<'_>,
    snapshot: &Snapshot,
    guess: &Path,
) -> Option<PathBuf> {
    let Some(named) = system::named_path(descriptor) else { return resolved(guess, snapshot) };
    Some(match path_bytes(&named).strip_suffix(DELETED) {
        // An existing file may have such a name.
        Some(shorter) if !is_same_file(&named, snapshot) => path(shorter),
        _ => named,
    })
}

/// `guess` with its links resolved, if it is the file of a snapshot.
fn resolved(guess: &Path, snapshot: &Snapshot) -> Option<PathBuf> {
    system::canonical(guess).ok().filter(|real| is_same_file(real, snapshot))
}

fn is_same_file(path: &Path, snapshot: &Snapshot) -> bool {
    system::state_of_path(path).is_ok_and(|found| found.snapshot.identity() == snapshot.identity())
}

/// `path` relative to the directory `base`, with `.` and `..` removed lexically, without resolving links.
pub(super) fn lexical(base: &Path, path: &Path) -> PathBuf {
    if is_lexical(&path_bytes(path)) {
        return path.to_path_buf();
    }
    let mut absolute = base.to_path_buf();
    for component in path.components() {
        match component {
            // Both replace what is there, except that on Windows a root keeps the drive.
            Component::RootDir | Component::Prefix(_) => absolute.push(component),
            Component::ParentDir => {
                absolute.pop();
            }
            Component::Normal(name) => absolute.push(name),
            Component::CurDir => {}
        }
    }
    absolute
}

/// Whether [`lexical`] would not change a path, as is the case for most.
fn is_lexical(path: &[u8]) -> bool {
    let mut is_after_slash = false;
    let is_changed = path.iter().any(|byte| {
        let is_slash = *byte == b'/';
        let is_found = is_after_slash && (is_slash || *byte == b'.');
        is_after_slash = is_slash;
        is_found
    });
    path.starts_with(b"/") && !is_after_slash && !is_changed
}

/// The part of the absolute `path` below `base`, compared by whole components; `.` if they are equal.
///
/// That part is not normalized, because a trailing slash, `.` and `..` affect what is opened.
pub(super) fn below<'p>(path: &'p [u8], base: &Path) -> Option<&'p [u8]> {
    let mut rest = path;
    for component in base.components() {
        let name = path_bytes(Path::new(component.as_os_str()));
        match component {
            Component::Normal(_) | Component::ParentDir => {}
            Component::RootDir | Component::CurDir => continue,
            Component::Prefix(_) => {
                // A drive or a share of Windows, which comes first.
                let (drive, after) = rest.split_at_checked(name.len())?;
                rest = after;
                if !drive.eq_ignore_ascii_case(&name) {
                    return None;
                }
                continue;
            }
        }
        loop {
            rest = skip_slashes(rest);
            match rest.strip_prefix(b"./") {
                Some(after) => rest = after,
                None => break,
            }
        }
        rest = rest.strip_prefix(&*name).filter(|after| after.is_empty() || after.starts_with(b"/"))?;
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
    path_from_bytes(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{Access, AsDescriptor, Descriptor};

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

    fn opened(path: &Path) -> (Descriptor, Snapshot) {
        let descriptor = system::open_path(path, Access::Read).unwrap();
        let snapshot = Snapshot::of(&descriptor).unwrap();
        (descriptor, snapshot)
    }

    #[test]
    fn test_real_path_of_deleted_file() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for (name, kept) in [("a", false), ("b (deleted)", false), ("c (deleted)", true)] {
            std::fs::write(root.join(name), "x").unwrap();
            let (descriptor, snapshot) = opened(&root.join(name));
            if !kept {
                std::fs::remove_file(root.join(name)).unwrap();
            }
            let found = real_path(descriptor.as_descriptor(), &snapshot, Path::new("/"));
            assert_eq!(found.unwrap(), root.join(name), "{name}");
        }
    }

    #[test]
    fn test_resolved_requires_same_file() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::write(root.join("a"), "x").unwrap();
        std::fs::write(root.join("b"), "x").unwrap();
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        let (_descriptor, snapshot) = opened(&root.join("a"));
        assert_eq!(resolved(&root.join("link"), &snapshot), Some(root.join("a")));
        assert_eq!(resolved(&root.join("b"), &snapshot), None);
        assert_eq!(resolved(&root.join("missing"), &snapshot), None);
    }
}
