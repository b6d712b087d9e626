//! Deny rules apply to the real path and to the given one.

use std::fs;
use std::path::{Path, PathBuf};

use anyread_core::error::ErrorKind;
use anyread_core::open::Strategy;

use super::support::{STRATEGIES, Tree, in_words, opener, outcome};

fn tree_with_secrets() -> Tree {
    let tree = Tree::new();
    tree.file("root/secrets/k", "SECRET");
    tree.file("root/.env", "SECRET");
    tree.file("root/sub/.env", "SECRET");
    tree.file("root/public", "public");
    tree
}

/// CVE-2025-59829, CVE-2026-25724: rules were checked against the given path, not against its target.
#[test]
fn test_cve_2026_25724_rule_applies_to_real_path() {
    let tree = tree_with_secrets();
    tree.link("root/a.txt", "secrets/k");
    tree.link("root/chain", "a.txt");
    tree.link("root/pub", "secrets");
    tree.link("root/absolute", tree.root.join("secrets/k"));
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["secrets/**"]);
        for path in [
            "secrets/k",
            "a.txt",
            "chain",
            "pub/k",
            "absolute",
            "secrets/../secrets/k",
            "sub/../secrets/k",
            "./secrets//k",
            "pub",
            "pub/",
            "secrets",
            "secrets/missing",
        ] {
            assert_eq!(outcome(&opener, Path::new(path)), "denied by secrets/**", "{path}");
            assert_eq!(outcome(&opener, &tree.root.join(path)), "denied by secrets/**", "{path}");
        }
        assert_eq!(outcome(&opener, Path::new("public")), "read public");
        assert_eq!(outcome(&opener, Path::new("SECRETS/k")), "not found", "another name here");
    }
}

#[test]
fn test_rule_applies_to_given_path() {
    let tree = tree_with_secrets();
    tree.link("root/private", "public");
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["private"]);
        assert_eq!(outcome(&opener, Path::new("private")), "denied by private");
        assert_eq!(outcome(&opener, Path::new("public")), "read public");
    }
}

#[test]
fn test_rule_without_slash_applies_at_any_depth() {
    let tree = tree_with_secrets();
    for strategy in STRATEGIES {
        for rule in [".env", "**/.env"] {
            let opener = tree.opener_denying(strategy, &["*.pem", rule]);
            for path in [".env", "sub/.env", "sub/../sub/.env"] {
                assert_eq!(outcome(&opener, Path::new(path)), format!("denied by {rule}"));
            }
        }
    }
}

#[test]
fn test_rule_applies_in_moved_root() {
    let tree = tree_with_secrets();
    tree.link("root/a.txt", "secrets/k");
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["secrets/**"]);
        fs::rename(&tree.root, tree.base.join("moved")).unwrap();
        assert_eq!(outcome(&opener, Path::new("a.txt")), "denied by secrets/**");
        fs::rename(tree.base.join("moved"), &tree.root).unwrap();
    }
}

#[test]
fn test_rules_without_roots() {
    let tree = tree_with_secrets();
    let here = std::env::current_dir().unwrap();
    tree.link("root/manifest", here.join("Cargo.toml"));
    let absolute = format!("{}/secrets", tree.root.display());
    let opener = opener(&[], &["Cargo.*", "tests/**", &absolute], Strategy::Kernel);
    let expect = |path: &Path, rule: &str| assert_eq!(outcome(&opener, path), format!("denied by {rule}"));
    expect(Path::new("Cargo.toml"), "Cargo.*");
    expect(&tree.root.join("manifest"), "Cargo.*");
    // Relative rules start at the working directory.
    expect(Path::new("src/../tests/open.rs"), "tests/**");
    expect(&here.join("tests/open.rs"), "tests/**");
    expect(&tree.root.join("secrets/k"), &absolute);
    assert_eq!(outcome(&opener, &tree.root.join("public")), "read public");
}

#[test]
fn test_near_names_exclude_denied_directories() {
    let tree = tree_with_secrets();
    tree.file("root/shown/kk", "");
    tree.file("root/shown/kkk.pem", "");
    tree.link("root/pub", "secrets");
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["secrets/**", "*.pem"]);
        for (path, expected) in [("pub/kx", vec![]), ("shown/kkx", vec![PathBuf::from("shown/kk")])] {
            for repair in [false, true] {
                let error = opener.open(Path::new(path), repair).unwrap_err();
                let expected = ErrorKind::NotFound { near: expected.clone(), dangling_link: None };
                assert_eq!(error.kind, expected, "{path}");
            }
        }
    }
}

#[test]
fn test_rule_applies_to_repaired_paths() {
    let tree = tree_with_secrets();
    tree.file("root/secrets/a\u{202f}b", "SECRET");
    tree.file("root/secrets/a\u{a0}b", "SECRET");
    tree.link("root/pub", "secrets");
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["secrets/**"]);
        for path in ["'secrets/k'", " secrets/k", "\"pub/k\"", "pub/a b"] {
            let found = opener.open(Path::new(path), true);
            assert!(["denied by secrets/**", "not found"].contains(&&*in_words(&found)), "{path}");
        }
        let url = format!("file://{}/%73ecrets/k", tree.root.display());
        assert_eq!(in_words(&opener.open(Path::new(&url), true)), "denied by secrets/**");
    }
}
