//! No path leads out of a root: the cases of `openat2`, and vulnerabilities of other tools.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyread_core::error::ErrorKind;
use anyread_core::open::{Opener, Strategy};

use super::support::{STRATEGIES, Tree, anywhere, in_words, opener, outcome};

const ELOOP: &str = "open error 40";
const ENOTDIR: &str = "open error 20";

fn nested() -> Tree {
    let tree = Tree::new();
    tree.file("root/a/b/c/f.txt", "inside");
    tree.file("root/top", "top");
    tree
}

#[test]
fn test_paths_inside() {
    let tree = nested();
    for path in ["a/b/c/f.txt", "a/../a/b/c/f.txt", "./a//b/./c/f.txt", "a/b/../b/c/f.txt"] {
        tree.expect(path, "read inside");
        tree.expect(tree.root.join(path), "read inside");
    }
    for path in [".", "./", "a", "a/", "a/.", "a/..", "a/b/../"] {
        tree.expect(path, "directory");
    }
    tree.expect(&tree.root, "directory");
    tree.expect(tree.root.join(""), "directory");
    tree.expect("missing", "not found");
    tree.expect("a/missing/x", "not found");
    tree.expect("top/x", "not found");
    tree.expect("top/x/../..", "not found");
}

#[test]
fn test_paths_that_leave_root_are_refused_even_if_they_return() {
    let tree = nested();
    for path in
        ["..", "../", "../root/top", "../root", "a/../../root/top", "../outside/secret", "/etc/passwd", "/"]
    {
        tree.expect(path, "outside");
    }
    tree.expect(tree.root.join("../root/top"), "outside");
    tree.expect(tree.base.join("outside/../root/top"), "outside");
}

#[test]
fn test_links_inside_are_followed() {
    let tree = nested();
    tree.link("root/file", "a/b/c/f.txt");
    tree.link("root/directory", "a/b");
    tree.link("root/a/up", "..");
    tree.link("root/a/b/up2", "../../top");
    for path in ["file", "directory/c/f.txt", "a/up/file", "a/up/a/up/directory/c/f.txt"] {
        tree.expect(path, "read inside");
    }
    tree.expect("directory/up2", "read top");
    // `..` after a link is the parent of its target.
    tree.expect("directory/../../top", "read top");
    tree.expect("directory/../top", "not found");
}

#[test]
fn test_links_out_are_refused() {
    let tree = nested();
    tree.link("root/relative", "../outside/secret");
    tree.link("root/absolute", tree.base.join("outside/secret"));
    tree.link("root/directory", "../outside");
    tree.link("root/absolute_directory", tree.base.join("outside"));
    tree.link("root/returning", "../root/top");
    tree.link("root/parent", "..");
    tree.link("root/chain", "chain2");
    tree.link("root/chain2", "a/chain3");
    tree.link("root/a/chain3", "../../outside/secret");
    for path in [
        "relative",
        "absolute",
        "directory/secret",
        "absolute_directory/secret",
        "returning",
        "parent/root/top",
        "parent/outside/secret",
        "chain",
        "directory/../root/top",
    ] {
        tree.expect(path, "outside");
        tree.expect(tree.root.join(path), "outside");
    }
}

#[test]
fn test_absolute_links_into_a_root_are_followed() {
    let tree = nested();
    tree.directory("second");
    tree.file("second/s", "second");
    tree.link("alias", "root");
    tree.link("root/to_file", tree.root.join("a/b/c/f.txt"));
    tree.link("root/to_directory", tree.root.join("a"));
    tree.link("root/by_alias", tree.base.join("alias/top"));
    tree.link("root/to_second", tree.base.join("second/s"));
    tree.link("root/out_of_second", tree.base.join("second/../outside/secret"));
    tree.expect("to_file", "read inside");
    tree.expect("to_directory/b/c/f.txt", "read inside");
    tree.expect("by_alias", "outside");
    tree.expect("to_second", "outside");
    for strategy in STRATEGIES {
        // A root given by its alias is known by both names.
        let roots = opener(&[&tree.base.join("alias"), &tree.base.join("second")], &[], strategy);
        for path in ["by_alias", "top"] {
            assert_eq!(outcome(&roots, Path::new(path)), "read top");
        }
        for name in ["alias/top", "root/top"] {
            assert_eq!(outcome(&roots, &tree.base.join(name)), "read top");
        }
        assert_eq!(outcome(&roots, Path::new("to_second")), "read second");
        assert_eq!(outcome(&roots, &tree.base.join("second/s")), "read second");
        assert_eq!(outcome(&roots, Path::new("s")), "not found", "relative paths start at the first root");
        assert_eq!(outcome(&roots, Path::new("out_of_second")), "outside");
    }
}

#[test]
fn test_nested_roots_allow_what_either_allows() {
    let tree = nested();
    tree.link("root/a/out_of_inner", tree.root.join("a/../top"));
    tree.link("root/a/to_link", tree.root.join("a/up"));
    tree.link("root/a/up", "../top");
    tree.link("root/a/out_of_both", tree.root.join("a/../../outside/secret"));
    for strategy in STRATEGIES {
        let roots = opener(&[&tree.root.join("a"), &tree.root], &[], strategy);
        for link in ["out_of_inner", "to_link", "up"] {
            assert_eq!(outcome(&roots, &tree.root.join("a").join(link)), "read top", "{link}");
        }
        assert_eq!(outcome(&roots, Path::new("out_of_inner")), "read top");
        assert_eq!(outcome(&roots, &tree.root.join("a/out_of_both")), "outside");
        assert_eq!(outcome(&roots, &tree.root.join("a/../top")), "read top");
        assert_eq!(outcome(&roots, Path::new("b/c/f.txt")), "read inside");
        assert_eq!(outcome(&roots, Path::new("../top")), "outside");
    }
}

#[test]
fn test_link_loops_end() {
    let tree = nested();
    tree.link("root/loop", "loop");
    tree.link("root/ping", "pong");
    tree.link("root/pong", "ping");
    tree.link("root/link0", "top");
    for number in 1..=40 {
        tree.link(&format!("root/link{number}"), format!("link{}", number - 1));
    }
    for path in ["loop", "ping", "loop/x", "ping/", "link40"] {
        tree.expect(path, ELOOP);
        assert_eq!(outcome(&anywhere(), &tree.root.join(path)), ELOOP);
    }
    tree.expect("link39", "read top");
}

#[test]
fn test_dangling_links_are_not_found() {
    let tree = nested();
    tree.link("root/nowhere", "a/none");
    tree.link("root/absolute", tree.root.join("none"));
    for path in ["nowhere", "nowhere/x", "absolute"] {
        tree.expect(path, "not found");
    }
}

#[test]
fn test_renamed_root_stays_open() {
    let tree = nested();
    for strategy in STRATEGIES {
        let held = tree.opener(strategy);
        fs::rename(&tree.root, tree.base.join("moved")).unwrap();
        symlink("outside", &tree.root).unwrap();
        assert_eq!(outcome(&held, &tree.root.join("top")), "read top");
        assert_eq!(outcome(&held, &tree.root.join("secret")), "not found");
        fs::remove_file(&tree.root).unwrap();
        fs::rename(tree.base.join("moved"), &tree.root).unwrap();
    }
}

#[test]
fn test_hard_link_to_an_outside_file_is_read() {
    // No path reveals it, so it is documented as not prevented.
    let tree = nested();
    fs::hard_link(tree.base.join("outside/secret"), tree.root.join("hard")).unwrap();
    tree.expect("hard", "read SECRET");
}

/// CVE-2025-53110, CVE-2025-54794, CVE-2026-22860: roots were compared as strings.
#[test]
fn test_cve_2025_53110_prefix_twins() {
    let tree = nested();
    for twin in ["root2", "root_backup", "root-old", "rooted", "root.bak", "root-evil", "roo"] {
        tree.file(&format!("{twin}/top"), "SECRET");
        tree.expect(tree.base.join(twin).join("top"), "outside");
        tree.expect(format!("../{twin}/top"), "outside");
        tree.link(&format!("root/link-{twin}"), tree.base.join(twin));
        tree.expect(format!("link-{twin}/top"), "outside");
    }
}

/// CVE-2025-53109: links, and a missing target for which the check fell back to the parent directory.
#[test]
fn test_cve_2025_53109_links_to_present_and_missing_targets() {
    let tree = nested();
    tree.link("root/passwd", "/etc/passwd");
    tree.link("root/missing", tree.base.join("outside/none"));
    tree.link("root/missing_relative", "../outside/none");
    tree.link("root/one", "two");
    tree.link("root/two", "three");
    tree.link("root/three", "/etc/passwd");
    for path in ["passwd", "missing", "missing_relative", "one"] {
        tree.expect(path, "outside");
    }
}

/// GHSA-53mr-w429-c597 and similar: the check removed a quote or blank that the open kept.
#[test]
fn test_ghsa_53mr_names_are_checked_as_used() {
    let tree = nested();
    for twin in ["root'", "root ", "root\"", "root\n", " root"] {
        tree.file(&format!("{twin}/top"), "SECRET");
        for strategy in STRATEGIES {
            for repair in [false, true] {
                let found = tree.opener(strategy).open(&tree.base.join(twin).join("top"), repair);
                assert_eq!(in_words(&found), "outside", "{twin:?}");
            }
            let own = opener(&[&tree.base.join(twin)], &[], strategy);
            assert_eq!(outcome(&own, Path::new("top")), "read SECRET");
            assert_eq!(outcome(&own, &tree.root.join("top")), "outside");
        }
    }
}

/// GHSA-w5fx-fh39-j5rw: the approval showed a name and the kernel followed a link.
#[test]
fn test_ghsa_w5fx_followed_link_is_reported() {
    let tree = nested();
    tree.link("root/link", "a/b/c/f.txt");
    tree.link("root/directory", "a");
    for strategy in STRATEGIES {
        let real = tree.root.join("a/b/c/f.txt");
        for (path, followed) in [
            ("link", true),
            ("directory/b/c/f.txt", true),
            ("a/b/c/f.txt", false),
            ("./a/../a/b/c//f.txt", false),
        ] {
            let opened = tree.opener(strategy).open(Path::new(path), false).unwrap();
            assert_eq!((opened.real_path, opened.link_followed), (real.clone(), followed), "{path}");
            let opened = anywhere().open(&tree.root.join(path), false).unwrap();
            assert_eq!((opened.real_path, opened.link_followed), (real.clone(), followed), "{path}");
        }
    }
}

/// Go CVE-2025-22873: `Root.Open("../")`.
#[test]
fn test_go_cve_2025_22873_dotdot_with_slash() {
    let tree = nested();
    for path in ["..", "../", "../.", "a/../..", "a/../../", "a/b/../../../", "./.."] {
        tree.expect(path, "outside");
    }
}

/// Go CVE-2026-27139: entries of a listing were looked up outside the root.
#[test]
fn test_go_cve_2026_27139_listing_contains_only_names() {
    let tree = nested();
    tree.directory("root/many");
    tree.link("root/many/out", tree.base.join("outside"));
    for number in 0..30 {
        tree.file(&format!("root/many/{number:02}"), "");
    }
    for strategy in STRATEGIES {
        let list = |path: &str| match tree.opener(strategy).open(Path::new(path), false).unwrap_err().kind {
            ErrorKind::Directory { entries, more } => (entries, more),
            other => panic!("{other:?}"),
        };
        let first: Vec<PathBuf> = (0..20).map(|number| PathBuf::from(format!("{number:02}"))).collect();
        assert_eq!(list("many"), (first, true));
        assert_eq!(list("."), (["a", "many", "top"].map(PathBuf::from).to_vec(), false));
        assert_eq!(list("a/b/c"), (vec![PathBuf::from("f.txt")], false));
    }
    tree.expect("many/out", "outside");
}

/// Go CVE-2026-39822, GHSA-vqjp-4c8c-hfgg: `O_NOFOLLOW` does not apply to a link with a slash after it.
#[test]
fn test_go_cve_2026_39822_slash_after_link() {
    let tree = nested();
    tree.link("root/out", "../outside");
    tree.link("root/out_slash", "../outside/");
    tree.link("root/absolute", tree.base.join("outside/"));
    tree.link("root/file", "top");
    tree.link("root/file_slash", "top/");
    tree.link("root/in", "a");
    tree.link("root/in_slash", "a/");
    for path in ["out/", "out//", "out/.", "out_slash", "out_slash/", "absolute/", "absolute/.", "out/secret"]
    {
        tree.expect(path, "outside");
    }
    for path in ["file/", "file//", "file/.", "file_slash/", "top/", "top/."] {
        tree.expect(path, ENOTDIR);
    }
    tree.expect("file_slash", "not found");
    for path in ["in/", "in//", "in/.", "in_slash", "in_slash/"] {
        tree.expect(path, "directory");
    }
}

/// hermes-agent #10141: a link to a device bypassed a list of device names.
#[test]
fn test_hermes_10141_link_to_a_device() {
    let tree = nested();
    tree.link("root/zero", "/dev/zero");
    tree.expect("zero", "outside");
    assert_eq!(outcome(&anywhere(), &tree.root.join("zero")), "character device");
}

#[test]
fn test_magic_links_of_proc_are_refused_below_a_root() {
    let tree = nested();
    let file = fs::File::open(tree.base.join("outside/secret")).unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    tree.link("root/fd", format!("/proc/self/fd/{number}"));
    tree.expect("fd", "outside");
    for strategy in STRATEGIES {
        let everything = opener(&[Path::new("/")], &[], strategy);
        for path in
            [format!("/proc/self/fd/{number}"), "/proc/self/root/etc/passwd".into(), "proc/self/exe".into()]
        {
            assert_eq!(outcome(&everything, Path::new(&path)), "outside", "{path}");
        }
        assert_eq!(outcome(&everything, &tree.root.join("top")), "read top");
        // The links of `/proc` that are only links are followed.
        let status = everything.open(Path::new("/proc/self/status"), false).unwrap();
        assert!(status.device.pseudo && status.link_followed);
        let own = opener(&[Path::new("/proc/self")], &[], strategy);
        assert_eq!(outcome(&own, Path::new(&format!("fd/{number}"))), "outside");
    }
}

/// The kernel's `protected_symlinks`, which reading links by hand would bypass.
#[test]
fn test_walk_refuses_foreign_link_in_sticky_directory() {
    use std::os::unix::fs::{PermissionsExt, lchown};
    let tree = nested();
    tree.directory("root/tmp");
    tree.link("root/tmp/own", "../top");
    tree.link("root/tmp/foreign", "../top");
    fs::set_permissions(tree.root.join("tmp"), fs::Permissions::from_mode(0o1777)).unwrap();
    let walk = tree.opener(Strategy::Walk);
    assert_eq!(outcome(&walk, Path::new("tmp/own")), "read top");
    // Only root can change the owner of a link; other users run only the first half of the test.
    if lchown(tree.root.join("tmp/foreign"), Some(4321), None).is_ok() {
        let refused = format!("no access to {}", tree.root.join("tmp").display());
        assert_eq!(outcome(&walk, Path::new("tmp/foreign")), refused);
    }
}

#[test]
fn test_error_names_bad_root() {
    let tree = nested();
    for root in [tree.root.join("top"), tree.root.join("none"), PathBuf::new()] {
        let error = Opener::new(&[tree.root.clone(), root.clone()], &[]).unwrap_err();
        assert_eq!((error.path, error.kind), (root, ErrorKind::BadRoot));
    }
}
