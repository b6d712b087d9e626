//! Deny rules apply despite links, renames and other spellings of their paths, and messages respect them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyread_core::error::ErrorKind;
use anyread_core::open::{Opener, Strategy};

use super::support::{STRATEGIES, Tree, opener, outcome};

fn tree_with_secrets() -> Tree {
    let tree = Tree::new();
    tree.file("root/secrets/k", "SECRET");
    tree.file("root/public/x", "public");
    tree.link("link", "root");
    tree.link("root/public/in", "../secrets/k");
    tree
}

/// The rule for everything in `secrets`, with the path through a directory of the tree.
fn rule(tree: &Tree, directory: &str) -> String {
    format!("{}/{directory}/secrets/**", tree.base.display())
}

fn expect_denied(opener: &Opener, path: &Path, rule: &str) {
    assert_eq!(outcome(opener, path), format!("denied by {rule}"), "{}", path.display());
}

/// A rule whose path goes through a link once covered only reads with the same spelling.
#[test]
fn test_rule_that_goes_through_a_link() {
    let tree = tree_with_secrets();
    let rule = rule(&tree, "link");
    let opener = opener(&[], &[&rule], Strategy::Kernel);
    for path in
        ["link/secrets/k", "root/secrets/k", "root/public/in", "link/public/in", "link/../root/secrets/k"]
    {
        expect_denied(&opener, &tree.base.join(path), &rule);
    }
    assert_eq!(outcome(&opener, &tree.base.join("root/public/x")), "read public");
}

#[test]
fn test_rule_with_glob_after_link() {
    let tree = tree_with_secrets();
    let rule = format!("{}/link/*/k*", tree.base.display());
    let opener = opener(&[], &[&rule], Strategy::Kernel);
    expect_denied(&opener, &tree.base.join("root/secrets/k"), &rule);
    assert_eq!(outcome(&opener, &tree.base.join("root/public/x")), "read public");
}

/// The link in a rule's path must be resolved for each read, not just once.
#[test]
fn test_rule_follows_link_to_new_target() {
    let tree = tree_with_secrets();
    let rule = rule(&tree, "link");
    let opener = opener(&[], &[&rule], Strategy::Kernel);
    tree.file("other/secrets/k", "SECRET");
    assert_eq!(outcome(&opener, &tree.base.join("other/secrets/k")), "read SECRET");
    fs::remove_file(tree.base.join("link")).unwrap();
    symlink("other", tree.base.join("link")).unwrap();
    expect_denied(&opener, &tree.base.join("other/secrets/k"), &rule);
}

#[test]
fn test_rule_for_root_that_is_a_link() {
    let tree = tree_with_secrets();
    for strategy in STRATEGIES {
        for rule in [rule(&tree, "link"), rule(&tree, "root"), "secrets/**".to_owned()] {
            let opener = opener(&[&tree.base.join("link")], &[&rule], strategy);
            for path in ["secrets/k", "public/in", "public/../secrets/k"] {
                expect_denied(&opener, Path::new(path), &rule);
            }
            for directory in ["link", "root"] {
                expect_denied(&opener, &tree.base.join(directory).join("secrets/k"), &rule);
            }
            assert_eq!(outcome(&opener, Path::new("public/x")), "read public");
        }
    }
}

#[test]
fn test_relative_rule_that_goes_through_a_link() {
    let tree = tree_with_secrets();
    tree.link("root/alias", "secrets");
    for strategy in STRATEGIES {
        for rule in ["alias/**", "alias/k", "./alias//k"] {
            let opener = tree.opener_denying(strategy, &[rule]);
            for path in ["alias/k", "secrets/k", "public/in"] {
                expect_denied(&opener, Path::new(path), rule);
            }
        }
    }
}

/// An absolute rule once did not cover files that were reached through a link in a renamed root.
#[test]
fn test_absolute_rule_applies_in_moved_root() {
    let tree = tree_with_secrets();
    tree.link("root/alias", "secrets");
    let through_alias = format!("{}/alias/**", tree.root.display());
    let with_glob = format!("{}/*/secrets/**", tree.base.display());
    for strategy in STRATEGIES {
        for rule in [&rule(&tree, "root"), &rule(&tree, "link"), &through_alias, &with_glob] {
            let opener = tree.opener_denying(strategy, &[rule]);
            tree.directory("elsewhere");
            let moved = tree.base.join("elsewhere/moved");
            fs::rename(&tree.root, &moved).unwrap();
            for replaced in [false, true] {
                if replaced {
                    tree.file("root/secrets/k", "another");
                }
                expect_denied(&opener, Path::new("public/in"), rule);
                expect_denied(&opener, Path::new("secrets/../secrets/k"), rule);
                assert_eq!(outcome(&opener, Path::new("public/x")), "read public");
            }
            fs::remove_dir_all(&tree.root).unwrap();
            fs::rename(&moved, &tree.root).unwrap();
        }
    }
}

/// A rule in NFC once did not cover a name in NFD, and vice versa.
#[test]
fn test_rule_in_another_normalization() {
    let tree = Tree::new();
    let names = ["geh\u{fc}tet", "gehu\u{308}tet"];
    for name in names {
        tree.file(&format!("root/{name}/{name}.pem"), "SECRET");
    }
    for strategy in STRATEGIES {
        for rule in names.map(|name| [format!("**/{name}.pem"), format!("{name}/**")]).as_flattened() {
            let opener = tree.opener_denying(strategy, &[rule]);
            for name in names {
                expect_denied(&opener, Path::new(&format!("{name}/{name}.pem")), rule);
            }
        }
    }
}

#[test]
fn test_rule_that_is_only_home_is_refused() {
    let refused = Opener::with_strategy(&[], &["~/".to_owned()], Strategy::Kernel).unwrap_err();
    assert!(matches!(refused.kind, ErrorKind::BadRule { .. }), "{refused}");
}

/// The list of names in the error for a directory once contained denied names.
#[test]
fn test_listing_excludes_denied_names() {
    let tree = tree_with_secrets();
    for name in ["top.pem", ".env", "a.txt", "keys/a.pem"] {
        tree.file(&format!("root/{name}"), "");
    }
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["secrets/**", "*.pem", ".env", "public", "keys"]);
        let error = opener.open(Path::new("."), true).unwrap_err();
        let expected = ErrorKind::Directory { entries: vec![PathBuf::from("a.txt")], more: false };
        assert_eq!(error.kind, expected);
        // A directory in which every name is denied is not reported as empty.
        let opener = tree.opener_denying(strategy, &["**/*.pem"]);
        let error = opener.open(Path::new("keys"), true).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Directory { entries: vec![], more: true });
    }
}

/// The candidates for an ambiguous name, and the near names, once contained denied files.
#[test]
fn test_hints_exclude_denied_names() {
    let tree = tree_with_secrets();
    for quote in ['\u{2018}', '\u{2019}'] {
        tree.file(&format!("root/notes/it{quote}s.txt"), &quote.to_string());
    }
    tree.file("root/real/.env", "SECRET");
    tree.link("root/gate", "secrets");
    let found = |opener: &Opener, path: &str| opener.open(Path::new(path), true);
    for strategy in STRATEGIES {
        let both = found(&tree.opener(strategy), "notes/it's.txt").unwrap_err();
        assert!(matches!(both.kind, ErrorKind::AmbiguousPath { .. }), "{both}");

        let opener = tree.opener_denying(strategy, &["**/it\u{2019}s.txt", "real/.env", "secrets/**"]);
        let only = found(&opener, "notes/it's.txt").unwrap();
        assert!(only.real_path.ends_with("notes/it\u{2018}s.txt"), "{}", only.real_path.display());
        let opener = tree.opener_denying(strategy, &["**/it*s.txt", "real/.env", "secrets/**"]);
        for (path, near) in [("notes/ix's.txt", None), ("reall/.env", Some("real")), ("gate/k/x", None)] {
            let near = near.map(PathBuf::from).into_iter().collect();
            let expected = ErrorKind::NotFound { near, dangling_link: None };
            assert_eq!(found(&opener, path).unwrap_err().kind, expected, "{path}");
        }
    }
}
