//! The entries of directories.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyread_core::error::ErrorKind;
use anyread_core::open::{DirectoryEntries, EntryKind, Listing, Opener};

fn opener(roots: &[&Path], deny: &[&str]) -> Opener {
    let roots: Vec<_> = roots.iter().map(|root| root.to_path_buf()).collect();
    let deny: Vec<_> = deny.iter().map(|rule| (*rule).to_owned()).collect();
    Opener::new(&roots, &deny).unwrap()
}

/// The names, kinds and sizes of entries, sorted by name; `@` marks links.
fn listed(found: &DirectoryEntries) -> Vec<String> {
    let mut entries: Vec<_> = found
        .entries
        .iter()
        .map(|entry| {
            let size = if entry.kind == EntryKind::File { entry.size_bytes } else { 0 };
            let link = if entry.is_link { "@" } else { "" };
            format!("{}{link} {} {size}", entry.name.display(), entry.kind.name())
        })
        .collect();
    entries.sort();
    entries
}

#[test]
fn test_entries_have_kinds_and_sizes_of_what_links_lead_to() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    std::fs::create_dir(root.join("sub")).unwrap();
    std::fs::write(root.join("a.txt"), "12345").unwrap();
    std::fs::write(root.join(".hidden"), "").unwrap();
    symlink("a.txt", root.join("file")).unwrap();
    symlink("sub", root.join("folder")).unwrap();
    symlink("nowhere", root.join("broken")).unwrap();
    assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    let expected = [
        ".hidden file 0",
        "a.txt file 5",
        "broken@ link 0",
        "file@ file 5",
        "folder@ directory 0",
        "pipe other 0",
        "sub directory 0",
    ];
    for (opener, path) in [(opener(&[], &[]), root), (opener(&[root], &[]), Path::new("."))] {
        let found = opener.entries(path, 100).unwrap();
        assert_eq!(listed(&found), expected);
        assert!(found.complete);
    }
}

#[test]
fn test_entries_stop_at_the_maximum() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..5 {
        std::fs::write(directory.path().join(number.to_string()), "").unwrap();
    }
    let opener = opener(&[], &[]);
    let found = opener.entries(directory.path(), 4).unwrap();
    assert_eq!((found.entries.len(), found.complete), (4, false));
    let found = opener.entries(directory.path(), 5).unwrap();
    assert_eq!((found.entries.len(), found.complete), (5, true));
}

#[test]
fn test_denied_entries_are_left_out_and_denied_directories_refused() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    std::fs::create_dir(root.join("secret")).unwrap();
    std::fs::write(root.join(".env"), "").unwrap();
    std::fs::write(root.join("a.txt"), "").unwrap();
    symlink(".env", root.join("innocent")).unwrap();
    symlink("secret", root.join("way")).unwrap();
    let opener = opener(&[root], &["**/.env", "secret/**"]);
    assert_eq!(
        listed(&opener.entries(Path::new("."), 9).unwrap()),
        ["a.txt file 0", "innocent@ link 0", "way@ link 0"]
    );
    for path in ["secret", "way"] {
        let error = opener.entries(Path::new(path), 9).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Denied { .. } | ErrorKind::Access { .. }), "{path}: {error}");
    }
}

#[test]
fn test_links_out_of_the_root_are_not_followed() {
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(outside.path().join("private"), "12345").unwrap();
    symlink(outside.path(), inside.path().join("out")).unwrap();
    symlink(outside.path().join("private"), inside.path().join("file")).unwrap();
    let opener = opener(&[inside.path()], &[]);
    assert_eq!(listed(&opener.entries(Path::new("."), 9).unwrap()), ["file@ link 0", "out@ link 0"]);
    for path in ["out", "..", "../.."] {
        let error = opener.entries(Path::new(path), 9).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::OutsideRoot { .. }), "{path}: {error}");
    }
}

#[test]
fn test_entries_of_something_else_are_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.txt");
    std::fs::write(&file, "").unwrap();
    let opener = opener(&[], &[]);
    assert!(matches!(
        opener.entries(&file, 9).unwrap_err().kind,
        ErrorKind::FileSystem { .. } | ErrorKind::NotFound { .. }
    ));
    let missing = opener.entries(&directory.path().join("gone"), 9).unwrap_err();
    assert!(matches!(missing.kind, ErrorKind::NotFound { .. }));
    assert!(matches!(opener.entries(Path::new(""), 9).unwrap_err().kind, ErrorKind::BadPath { .. }));
}

#[test]
fn test_listing_is_in_order_and_looks_at_an_entry_when_it_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for name in ["b", "a", "é", "Z", "denied"] {
        std::fs::write(root.join(name), "x").unwrap();
    }
    std::fs::create_dir(root.join("sub")).unwrap();
    symlink("sub/../a", root.join("link")).unwrap();
    symlink("denied/../a", root.join("over-denied")).unwrap();
    let opener = Arc::new(opener(&[root], &["denied"]));
    let mut listing = opener.list(Path::new("'.'"), 9, &|| false).unwrap();
    let names = |listing: &Listing| {
        let entry = |index| listing.entry(index).map(|entry| entry.name.display().to_string());
        (0..).map_while(entry).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&listing), "Z a b link over-denied sub é");
    assert_eq!((listing.len(), listing.denied, listing.complete, listing.repaired), (7, 1, true, true));
    std::fs::write(root.join("a"), "longer").unwrap();
    std::fs::remove_file(root.join("b")).unwrap();
    assert_eq!(listing.entry(1).unwrap().size_bytes, 6);
    assert_eq!(listing.entry(2).unwrap().kind.name(), "unreadable");
    let target = |index| listing.entry(index).unwrap().target;
    assert_eq!([target(1), target(3), target(4)], [None, Some("sub/../a".into()), None]);
    assert_eq!(listing.retain(|name, is_directory| is_directory || name == b"Z"), 5);
    assert_eq!(names(&listing), "Z sub");
}

#[test]
fn test_listing_of_too_many_entries_is_incomplete_and_can_be_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..5 {
        std::fs::write(directory.path().join(number.to_string()), "").unwrap();
    }
    let opener = Arc::new(opener(&[], &[]));
    let list = |most, is_cancelled| opener.list(directory.path(), most, &|| is_cancelled);
    let found = [4, 5].map(|most| list(most, false).unwrap()).map(|found| (found.len(), found.complete));
    assert_eq!(found, [(4, false), (5, true)]);
    assert_eq!(list(9, true).unwrap_err().kind, ErrorKind::Cancelled);
    std::fs::create_dir(directory.path().join("empty")).unwrap();
    assert!(opener.list(&directory.path().join("empty"), 9, &|| false).unwrap().is_empty());
}
