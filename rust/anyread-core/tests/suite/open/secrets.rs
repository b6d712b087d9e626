//! The deny rule `secrets`: the files that it covers, with both strategies and through links.

use std::path::{Path, PathBuf};

use anyread_core::error::{Blocked, ErrorKind};
use anyread_core::open::Strategy;

use super::support::{STRATEGIES, Tree, opener, outcome};

fn tree() -> Tree {
    let tree = Tree::new();
    for file in [".env", "app/.ENV.local", "home/.ssh/work", "home/.aws/credentials", "secrets/k"] {
        tree.file(&format!("root/{file}"), "SECRET");
    }
    for file in [".env.example", "home/.ssh/config", "home/.aws/config", "public"] {
        tree.file(&format!("root/{file}"), "public");
    }
    tree
}

#[test]
fn test_rule_secrets_refuses_files_and_links_to_them() {
    let tree = tree();
    tree.link("root/settings", ".env");
    tree.link("root/chain", "settings");
    tree.link("root/keys", "home/.ssh");
    tree.link("root/.env.test", "public");
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["secrets"]);
        for (path, rule) in [
            (".env", ".env*"),
            ("app/.ENV.local", ".env*"),
            ("home/.ssh/work", "**/.ssh/*"),
            ("home/.aws/credentials", "**/.aws/credentials"),
            ("secrets/k", "**/secrets"),
            ("secrets", "**/secrets"),
            ("secrets/missing", "**/secrets"),
            ("app/../.env", ".env*"),
            ("settings", ".env*"),
            ("chain", ".env*"),
            ("keys/work", "**/.ssh/*"),
            // The given name is refused too, wherever it leads.
            (".env.test", ".env*"),
        ] {
            let expected = format!("denied by secrets: {rule}");
            assert_eq!(outcome(&opener, Path::new(path)), expected, "{path}");
            assert_eq!(outcome(&opener, &tree.root.join(path)), expected, "{path}");
        }
        for path in [".env.example", "home/.ssh/config", "keys/config", "home/.aws/config", "public"] {
            assert_eq!(outcome(&opener, Path::new(path)), "read public", "{path}");
        }
    }
}

#[test]
fn test_rule_secrets_applies_without_roots_and_beside_other_rules() {
    let tree = tree();
    tree.link("root/settings", ".env");
    for strategy in STRATEGIES {
        let opener = opener(&[], &["secrets", ".env.example"], strategy);
        let outcome = |path: &str| outcome(&opener, &tree.root.join(path));
        assert_eq!(outcome("settings"), "denied by secrets: .env*");
        assert_eq!(outcome(".env.example"), "denied by .env.example", "a glob has no exceptions");
        assert_eq!(outcome("public"), "read public");
    }
}

#[test]
fn test_rule_secrets_applies_to_reads_that_cannot_wait() {
    let tree = tree();
    tree.link("root/settings", ".env");
    let opener = tree.opener_denying(Strategy::Kernel, &["secrets"]);
    // The first open makes the mount known and fills the kernel's cache.
    assert_eq!(outcome(&opener, Path::new("public")), "read public");
    for path in [".env", "settings"] {
        assert_eq!(opener.open_now(Path::new(path)).unwrap_err(), Blocked::Lookup, "{path}");
    }
}

#[test]
fn test_rule_secrets_follows_a_moved_root() {
    let tree = tree();
    tree.link("root/settings", ".env");
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["secrets"]);
        std::fs::rename(&tree.root, tree.base.join("moved")).unwrap();
        assert_eq!(outcome(&opener, Path::new("settings")), "denied by secrets: .env*");
        assert_eq!(outcome(&opener, Path::new("public")), "read public");
        std::fs::rename(tree.base.join("moved"), &tree.root).unwrap();
    }
}

#[test]
fn test_rule_secrets_hides_names_in_lists_and_suggestions() {
    let tree = tree();
    tree.file("root/home/.ssh/works.pub", "public");
    for strategy in STRATEGIES {
        let opener = tree.opener_denying(strategy, &["secrets"]);
        let kind = |path: &str| opener.open(Path::new(path), true).unwrap_err().kind;
        let entries = |path: &str| match kind(path) {
            ErrorKind::Directory { entries, .. } => entries,
            other => panic!("{path}: {other:?}"),
        };
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(entries("."), paths(&["app", "home", "public", ".env.example"]));
        assert_eq!(entries("home/.ssh"), paths(&["config", "works.pub"]));
        assert_eq!(kind("home/.ssh/worka"), ErrorKind::Denied { rule: "secrets: **/.ssh/*".to_owned() });
        let near = paths(&["home/.ssh/works.pub"]);
        assert_eq!(kind("home/.ssh/worka.pub"), ErrorKind::NotFound { near, dangling_link: None });
        assert_eq!(
            kind("home/.aws/credentialz"),
            ErrorKind::NotFound { near: Vec::new(), dangling_link: None }
        );
        // A repaired path is checked again.
        assert_eq!(kind("' .env'"), kind(" .env "));
        assert!(matches!(kind("' .env'"), ErrorKind::Denied { .. } | ErrorKind::NotFound { .. }));
    }
}
