//! The kernel and the walk have the same outcome for every kind of reference to every kind of file,
//! and read the same content as a plain open.

use std::fs;
use std::path::Path;

use super::support::{STRATEGIES, Tree, outcome};

/// The ways to refer to `name` in the root, as a path or as the target of a link.
fn references(tree: &Tree, name: &str) -> Vec<String> {
    let root = tree.root.display();
    let mut found = Vec::new();
    for reference in [
        name.to_owned(),
        format!("dir/../{name}"),
        format!("../root/{name}"),
        format!("{root}/{name}"),
        format!("{root}/dir/../{name}"),
        format!("dir/up/{name}"),
        format!("../outside/back/{name}"),
    ] {
        found.extend([format!("{reference}/"), format!("{reference}/."), reference]);
    }
    found
}

#[derive(Debug, Clone, Copy)]
enum Thing {
    Absent,
    File,
    Directory,
}

fn make(tree: &Tree, name: &str, thing: Thing) {
    match thing {
        Thing::Absent => {}
        Thing::File => tree.file(&format!("root/{name}"), "inside"),
        Thing::Directory => tree.file(&format!("root/{name}/deep"), "deep"),
    }
}

fn remove(path: &Path) {
    if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path).unwrap();
    } else if path.is_symlink() || path.exists() {
        fs::remove_file(path).unwrap();
    }
}

/// Compares the outcomes of all references to `b`.
fn compare(tree: &Tree, compared: &mut usize) {
    let [kernel, walk] = STRATEGIES.map(|strategy| tree.opener(strategy));
    for path in references(tree, "b").into_iter().chain(references(tree, "b/deep")) {
        let path = Path::new(&path);
        let found = outcome(&kernel, path);
        assert_eq!(found, outcome(&walk, path), "{}", path.display());
        let plain = fs::read_to_string(tree.root.join(path));
        match found.strip_prefix("read ") {
            Some(content) => {
                assert_eq!(plain.unwrap(), content, "{}", path.display());
                let real = tree.root.join(path).canonicalize().unwrap();
                assert!(real.starts_with(&tree.root), "{} is {}", path.display(), real.display());
            }
            None => assert!(found == "outside" || plain.is_err(), "{} is {found}", path.display()),
        }
        *compared += 1;
    }
}

#[test]
fn test_kernel_and_walk_agree() {
    let tree = Tree::new();
    tree.directory("root/dir");
    tree.link("root/dir/up", "..");
    tree.link("outside/back", "../root");
    let mut compared = 0;
    for thing in [Thing::Absent, Thing::File, Thing::Directory] {
        make(&tree, "b", thing);
        compare(&tree, &mut compared);
        remove(&tree.root.join("b"));

        make(&tree, "c", thing);
        for target in references(&tree, "c") {
            tree.link("root/b", &target);
            compare(&tree, &mut compared);
            remove(&tree.root.join("b"));
        }
        for target in references(&tree, "d") {
            // A link to a link.
            tree.link("root/d", "dir/../c");
            tree.link("root/b", &target);
            compare(&tree, &mut compared);
            remove(&tree.root.join("b"));
            remove(&tree.root.join("d"));
        }
        remove(&tree.root.join("c"));
    }
    assert_eq!(compared, 3 * (1 + 21 + 21) * 42);
}
