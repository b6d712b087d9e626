//! `open_now` opens the same files as `open`, and nothing in case of doubt.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyread_core::device::DeviceClass;
use anyread_core::error::Blocked;
use anyread_core::open::{Opener, RegularFile, Strategy};
use anyread_core::system::device_of;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, mknodat, openat2};
use rustix::io::Errno;

use super::support::{Tree, anywhere, content, in_words, opener};
use crate::input::check_random;

/// All properties of an opened file.
fn properties(opened: &RegularFile) -> String {
    let RegularFile {
        descriptor: _,
        opened_ns: _,
        snapshot,
        real_path,
        link_followed,
        repaired,
        device,
        mount,
        present: _,
    } = opened;
    format!(
        "{snapshot:?} {} {link_followed} {repaired} {device:?} {mount:?} {}",
        real_path.display(),
        content(opened)
    )
}

/// Opens without blocking; a rename anywhere on the machine can make one attempt fail.
fn open_now(opener: &Opener, path: &Path) -> Result<RegularFile, Blocked> {
    (0..16)
        .map(|_| opener.open_now(path))
        .find(|result| !matches!(result, Err(Blocked::Lookup)))
        .unwrap_or(Err(Blocked::Lookup))
}

/// Compares `open_now` and `open` for one path; returns whether `open_now` opened it.
fn compare(opener: &Opener, path: &Path) -> bool {
    let expected = opener.open(path, false);
    match (open_now(opener, path), &expected) {
        (Ok(found), Ok(expected)) => {
            assert_eq!(properties(&found), properties(expected), "{}", path.display());
            true
        }
        (Ok(_), Err(_)) => panic!("{} is {}", path.display(), in_words(&expected)),
        (Err(_), _) => false,
    }
}

/// A tree that can be read without blocking, if the file system for temporary files and the kernel allow that.
///
/// Linux before 5.12 has no cached lookups, and older versions of qemu do not know `openat2`.
fn tree() -> Option<Tree> {
    let cached = openat2(CWD, "/", OFlags::PATH, Mode::empty(), ResolveFlags::CACHED);
    if matches!(cached, Err(Errno::NOSYS | Errno::INVAL)) {
        return None;
    }
    let tree = Tree::new();
    tree.file("root/a", "a");
    tree.file("root/dir/b", "b");
    tree.file("root/dir/deep/c", "c");
    tree.file("outside/back", "back");
    for (link, target) in [
        ("root/la", "a"),
        ("root/dir/up", ".."),
        ("root/dir/lb", "./b"),
        ("root/chain", "dir/up/la"),
        ("root/loop", "loop"),
        ("root/dangling", "absent"),
        ("root/out", "../outside/back"),
        ("root/ld", "dir/deep"),
    ] {
        tree.link(link, target);
    }
    tree.link("root/absolute", tree.root.join("dir/b"));
    tree.link("root/escape", tree.base.join("outside/secret"));
    mknodat(CWD, tree.root.join("fifo"), FileType::Fifo, Mode::from(0o600), 0).unwrap();
    // This makes the mount known.
    let opened = anywhere().open(&tree.root.join("a"), false).unwrap();
    (device_of(&opened.descriptor).unwrap().class != DeviceClass::Hop).then_some(tree)
}

const NAMES: [&str; 20] = [
    "a", "b", "c", "dir", "deep", "la", "lb", "ld", "up", "chain", "loop", "dangling", "out", "escape",
    "absolute", "fifo", "absent", "..", ".", "",
];

#[test]
fn test_open_now_matches_open() {
    let Some(tree) = tree() else { return };
    check_random(256, |input| {
        let names = input.list(1..6, |input| input.pick(&NAMES)).join("/");
        let path = names + input.pick(&["", "/", "/."]);
        let path = if input.flip() { tree.root.join(&path) } else { path.into() };
        compare(&tree.opener(Strategy::Kernel), &path);
        compare(&tree.opener_denying(Strategy::Kernel, &["**/c", "**/outside/**"]), &path);
        compare(&anywhere(), &tree.root.join(&path));
    });
}

/// Whether `open_now` opens a path. The kernel aborts a cached lookup if something is renamed meanwhile,
/// anywhere on the machine, so several attempts are made.
fn opens(opener: &Opener, path: &Path) -> bool {
    (0..100).any(|_| compare(opener, path))
}

#[test]
fn test_open_now_opens_regular_files() {
    let Some(tree) = tree() else { return };
    let rooted = tree.opener(Strategy::Kernel);
    for path in ["a", "./a", "dir/b", "dir//deep/../b", "la", "dir/lb", "chain", "ld/c", "dir/up/a"] {
        assert!(opens(&rooted, Path::new(path)), "{path} from the root");
        assert!(opens(&rooted, &tree.root.join(path)), "{path} below the root");
        assert!(opens(&anywhere(), &tree.root.join(path)), "{path} from anywhere");
    }
    for path in ["out", "escape", "absolute"] {
        // The kernel refuses absolute links, so the walk must decide.
        assert!(!compare(&rooted, Path::new(path)), "{path} from the root");
        assert!(opens(&anywhere(), &tree.root.join(path)), "{path} from anywhere");
    }
    for path in ["fifo", "dir", "absent", "dangling", "loop", "a/", "a/.", ""] {
        assert!(!compare(&rooted, Path::new(path)), "{path} from the root");
        assert!(!compare(&anywhere(), &tree.root.join(path)), "{path} from anywhere");
    }
}

#[test]
fn test_open_now_obeys_the_rules() {
    let Some(tree) = tree() else { return };
    let denying = tree.opener_denying(Strategy::Kernel, &["**/b"]);
    for path in ["dir/b", "dir/lb", "absolute"] {
        assert!(matches!(open_now(&denying, Path::new(path)), Err(Blocked::Lookup)), "{path}");
    }
    assert!(opens(&denying, Path::new("ld/c")));
    assert!(matches!(tree.opener(Strategy::Walk).open_now(Path::new("a")), Err(Blocked::Portable)));
}

#[test]
fn test_open_now_in_moved_root() {
    let Some(tree) = tree() else { return };
    let rooted = tree.opener(Strategy::Kernel);
    let moved = tree.base.join("moved");
    fs::rename(&tree.root, &moved).unwrap();
    let opened = open_now(&rooted, Path::new("dir/b")).unwrap();
    assert_eq!(opened.real_path, moved.join("dir/b"));
    assert_eq!(opened.snapshot.inode, fs::metadata(moved.join("dir/b")).unwrap().ino());
    assert!(opens(&rooted, Path::new("dir/b")));
}

#[test]
fn test_open_now_refuses_generated_files() {
    // The mounts are made known first.
    for path in [
        "/proc/self/status",
        "/proc/self/environ",
        "/dev/null",
        "/sys/kernel/mm/transparent_hugepage/enabled",
    ] {
        let _known = anywhere().open(Path::new(path), false);
        assert!(open_now(&anywhere(), Path::new(path)).is_err(), "{path}");
    }
}

#[test]
fn test_open_now_with_two_roots() {
    let Some(tree) = tree() else { return };
    tree.file("second/only", "only");
    let second = tree.base.join("second");
    let both = opener(&[&tree.root, &second], &[], Strategy::Kernel);
    assert!(opens(&both, &second.join("only")));
    assert!(opens(&both, Path::new("a")));
    assert!(!compare(&both, Path::new("only")));
}
