//! Garbled paths are repaired, but only after the exact path was not found.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyread_core::error::ErrorKind;
use anyread_core::open::{Listings, Opener, display_path};

use super::support::{STRATEGIES, Tree, anywhere, child_directory, content, in_words, opener, run_in_child};

/// The openers of a tree: with its root and both strategies, and without roots.
fn openers(tree: &Tree) -> [Opener; 3] {
    let [kernel, walk] = STRATEGIES.map(|strategy| tree.opener(strategy));
    [kernel, walk, anywhere()]
}

/// Asserts that `garbled` is read as the file `name`, and only with repair.
fn expect_repaired(tree: &Tree, garbled: impl AsRef<Path>, name: &str) {
    let garbled = garbled.as_ref();
    for opener in openers(tree) {
        let exact = in_words(&opener.open(garbled, false));
        assert!(exact == "not found" || exact.starts_with("bad path"), "{} is {exact}", garbled.display());
        let opened = opener.open(garbled, true).unwrap();
        assert_eq!(opened.real_path, tree.root.join(name), "{}", garbled.display());
        assert!(opened.repaired);
    }
}

fn near(opener: &Opener, path: impl AsRef<Path>) -> Vec<PathBuf> {
    let kinds = [false, true].map(|repair| opener.open(path.as_ref(), repair).unwrap_err().kind);
    assert_eq!(kinds[0], kinds[1], "the same names are near with and without repair");
    match kinds {
        [ErrorKind::NotFound { near, .. }, _] => near,
        [other, _] => panic!("{other:?}"),
    }
}

#[test]
fn test_dangling_link_is_named() {
    let tree = Tree::new();
    tree.file("root/file", "x");
    tree.link("root/dangling", "nowhere");
    tree.link("root/through", "dangling");
    tree.link("root/here", "file");
    tree.link("root/slash", "file/");
    tree.link("root/out", "../outside");
    for opener in &openers(&tree)[..2] {
        for (path, link) in [
            ("dangling", Some("dangling")),
            ("dangling/x", Some("dangling")),
            ("./through", Some("./through")),
            ("slash", Some("slash")),
            ("here/x", None),
            ("missing", None),
            // The link is in another spelling of the path.
            (" dangling ", None),
        ] {
            for repair in [false, true] {
                let error = opener.open(Path::new(path), repair).unwrap_err();
                let ErrorKind::NotFound { dangling_link, .. } = error.kind else { panic!("{path}: {error}") };
                assert_eq!(dangling_link, link.map(PathBuf::from), "{path}");
            }
        }
        assert_eq!(in_words(&opener.open(Path::new("out/x"), true)), "outside");
    }
}

#[test]
fn test_exact_path_is_preferred_to_repair() {
    let tree = Tree::new();
    for name in ["'q'", "q", " s", "s", "~", "cafe\u{301}", "café", r"\xff"] {
        tree.file(&format!("root/{name}"), name);
    }
    for opener in &openers(&tree)[..2] {
        for name in ["'q'", " s", "~", "cafe\u{301}", "café", r"\xff"] {
            let opened = opener.open(Path::new(name), true).unwrap();
            assert_eq!((content(&opened).as_str(), opened.repaired), (name, false));
        }
    }
}

#[test]
fn test_quotes_blanks_and_urls() {
    let tree = Tree::new();
    tree.file("root/a b.txt", "x");
    let path = tree.root.join("a b.txt").display().to_string();
    for garbled in [
        format!("'{path}'"),
        format!("\"{path}\""),
        format!("`{path}`\n"),
        format!("  {path}  "),
        format!("\u{a0}' {path} '"),
        format!("file://{path}"),
        format!("file://localhost{}", path.replace(' ', "%20")),
        format!("\"FILE://{}\"", path.replace("a b", "%61%20b")),
    ] {
        expect_repaired(&tree, garbled, "a b.txt");
    }
    let [kernel, walk, _] = openers(&tree);
    for opener in [kernel, walk] {
        for garbled in ["'a b.txt'", " a b.txt ", "\"./a b.txt\""] {
            assert!(opener.open(Path::new(garbled), true).unwrap().repaired);
        }
        // Each spelling is confined to the roots like any path.
        let secret = tree.base.join("outside/secret").display().to_string();
        for garbled in [
            format!("'{secret}'"),
            format!("file://{secret}"),
            "\"../outside/secret\"".to_owned(),
            format!("file://{}/%2e%2e/outside/secret", tree.root.display()),
        ] {
            assert_eq!(in_words(&opener.open(Path::new(&garbled), true)), "outside", "{garbled}");
        }
        assert_eq!(in_words(&opener.open(Path::new("file://elsewhere/a"), true)), "not found");
    }
}

#[test]
fn test_names_that_look_alike_are_repaired() {
    let tree = Tree::new();
    for (real, requested) in [
        ("cafe\u{301}.txt", "caf\u{e9}.txt"),
        ("na\u{ef}ve.txt", "nai\u{308}ve.txt"),
        ("Screenshot 10.12.33\u{202f}PM.png", "Screenshot 10.12.33 PM.png"),
        ("plain blank.png", "plain\u{a0}blank.png"),
        ("a\u{2007}b\u{3000}c\u{2009}d", "a b c d"),
        ("it\u{2019}s.md", "it's.md"),
        ("it's not.md", "it\u{2018}s not.md"),
    ] {
        tree.file(&format!("root/{real}"), real);
        expect_repaired(&tree, tree.root.join(requested), real);
    }
    // Any component may differ, not only the last.
    tree.file("root/re\u{301}sume\u{301}/2024\u{202f}a/f.txt", "x");
    let requested = tree.root.join("r\u{e9}sum\u{e9}/2024 a/f.txt");
    expect_repaired(&tree, &requested, "re\u{301}sume\u{301}/2024\u{202f}a/f.txt");
    expect_repaired(&tree, format!("'{}'", requested.display()), "re\u{301}sume\u{301}/2024\u{202f}a/f.txt");
    let opened =
        tree.opener(STRATEGIES[0]).open(Path::new("r\u{e9}sum\u{e9}/../r\u{e9}sum\u{e9}/2024 a/f.txt"), true);
    assert!(opened.unwrap().repaired);
}

#[test]
fn test_several_names_that_look_alike_are_ambiguous() {
    let tree = Tree::new();
    for name in ["a\u{202f}b", "a\u{a0}b"] {
        tree.file(&format!("root/{name}"), "");
        tree.file(&format!("root/d{name}/both"), "");
    }
    tree.file("root/da\u{a0}b/one", "");
    for opener in openers(&tree) {
        let candidates = |path: &str| match opener.open(&tree.root.join(path), true).unwrap_err().kind {
            ErrorKind::AmbiguousPath { candidates } => candidates,
            other => panic!("{other:?}"),
        };
        assert_eq!(candidates("a b"), ["a\u{a0}b", "a\u{202f}b"].map(|name| tree.root.join(name)));
        assert_eq!(
            candidates("da b/both"),
            ["da\u{a0}b/both", "da\u{202f}b/both"].map(|name| tree.root.join(name))
        );
        // Only one of the directories has this file.
        assert!(opener.open(&tree.root.join("da b/one"), true).unwrap().repaired);
    }
}

#[test]
fn test_repaired_path_of_directory_or_link_out_is_refused() {
    let tree = Tree::new();
    tree.directory("root/a\u{a0}b");
    tree.link("root/s\u{a0}t", "../outside/secret");
    for opener in &openers(&tree)[..2] {
        assert_eq!(in_words(&opener.open(Path::new("a b"), true)), "directory");
        assert_eq!(in_words(&opener.open(Path::new("s t"), true)), "not found");
    }
}

#[test]
fn test_names_that_are_not_utf8() {
    let tree = Tree::new();
    for bytes in [b"f\xff.txt".as_slice(), b"\xe9t\xe9", b"mixed \xc3\xa9 \xff"] {
        let path = tree.root.join(OsStr::from_bytes(bytes));
        fs::write(&path, "bytes").unwrap();
        for opener in openers(&tree) {
            let exact = opener.open(&path, false).unwrap();
            assert_eq!((content(&exact).as_str(), exact.repaired), ("bytes", false));
            let shown = opener.open(Path::new(&display_path(&path)), true).unwrap();
            assert_eq!((shown.real_path.as_path(), shown.repaired), (path.as_path(), true));
        }
    }
    // A name that is too long only in its escaped form.
    let long = [0xfe_u8; 200];
    fs::write(tree.root.join(OsStr::from_bytes(&long)), "long").unwrap();
    expect_repaired_bytes(&tree, &long);
    // A name with a literal backslash escape and an invalid byte: only the listing distinguishes them.
    expect_both_spellings(&tree);
}

fn expect_repaired_bytes(tree: &Tree, name: &[u8]) {
    let path = tree.root.join(OsStr::from_bytes(name));
    for opener in openers(tree) {
        let opened = opener.open(Path::new(&display_path(&path)), true).unwrap();
        assert_eq!(opened.real_path, path);
    }
}

fn expect_both_spellings(tree: &Tree) {
    let name = b"literal \\xaa and \xaa";
    fs::write(tree.root.join(OsStr::from_bytes(name)), "both").unwrap();
    expect_repaired_bytes(tree, name);
}

/// The outcome of opening what a path means, with the name of the file that was opened.
fn meant(tree: &Tree, opener: &Opener, path: &str) -> String {
    match opener.open_meant(&tree.root.join(path), &Listings::default()) {
        Ok(file) => {
            assert!(file.repaired);
            file.real_path.strip_prefix(&tree.base).unwrap().display().to_string()
        }
        Err(error) => {
            assert_eq!(error.path, tree.root.join(path));
            match error.kind {
                ErrorKind::NotFound { near, .. } => {
                    let name = |path: &PathBuf| path.strip_prefix(&tree.root).unwrap().display().to_string();
                    near.iter().map(name).collect::<Vec<_>>().join(" or ")
                }
                other => format!("{other:?}"),
            }
        }
    }
}

#[test]
fn test_only_file_that_a_path_means_is_opened() {
    let tree = Tree::new();
    for name in
        ["Main.py", "src/lib/Server.rs", "src/tool.py", "Äpfel.md", "a/two", "b/two", "x.txt", "X.TXT"]
    {
        tree.file(&format!("root/{name}"), "");
    }
    tree.file("outside/other/only.txt", "");
    tree.directory("root/docs/Guide");
    tree.link("root/linked", "src/tool.py");
    tree.link("root/out", "../outside");
    tree.link("root/Gone", "nowhere");
    for opener in openers(&tree) {
        for (path, expected) in [
            ("main.py", "root/Main.py"),
            ("SRC/Lib/server.rs", "root/src/lib/Server.rs"),
            ("äpfel.md", "root/Äpfel.md"),
            ("LINKED", "root/src/tool.py"),
            ("tool.py", "root/src/tool.py"),
            // Two files fit.
            ("x.TXT", "X.TXT or x.txt"),
            ("two", "a/two or b/two"),
            // Only a file is opened, and only a name that is the same to the letter is looked for below.
            ("docs/guide", "docs/Guide"),
            ("server.rs", ""),
            ("TOOL.py", ""),
            ("Gone", ""),
            // Its directory does not exist either; the empty name is that of the root.
            ("missing/tool.py", ""),
            ("src/missing/x/tool.py", "src"),
        ] {
            assert_eq!(meant(&tree, &opener, path), expected, "{path}");
        }
        // Without the search for what is meant, as contracts open files.
        assert_eq!(in_words(&opener.open(&tree.root.join("main.py"), true)), "not found");
        assert_eq!(in_words(&opener.open(&tree.root.join("tool.py"), true)), "not found");
    }
    // A spelling without the quotes means the same.
    for opener in &openers(&tree)[..2] {
        let file = opener.open_meant(Path::new("'MAIN.PY'"), &Listings::default()).unwrap();
        assert_eq!(file.real_path, tree.root.join("Main.py"));
    }
    // Links out of a root lead nowhere.
    for opener in &openers(&tree)[..2] {
        assert_eq!(meant(&tree, opener, "secret"), "");
        assert_eq!(meant(&tree, opener, "only.txt"), "");
    }
}

#[test]
fn test_file_beside_or_mistyped_is_opened() {
    let tree = Tree::new();
    for name in [
        "json/decoder.py",
        "email/message.py",
        "email/two.py",
        "json/two.py",
        "src/lib/price.py",
        "textwrap.py",
        "configparser.py",
        "part_01.txt",
        "notes.md",
        "parse.py",
        "parser.py",
        "module.h",
        "server.log",
    ] {
        tree.file(&format!("root/{name}"), "");
    }
    tree.file("beside/only.txt", "");
    for opener in openers(&tree) {
        for (path, expected) in [
            ("email/decoder.py", "root/json/decoder.py"),
            ("src/two.py", "email/two.py or json/two.py"),
            ("lib/price.py", "root/src/lib/price.py"),
            ("textwrap.pyi", "root/textwrap.py"),
            ("confgiparser.py", "root/configparser.py"),
            ("server.lgo", "root/server.log"),
            // Numbered files, short names and other extensions are not mistyped ones.
            ("part_02.txt", "part_01.txt"),
            ("note.md", "notes.md"),
            ("module.c", "module.h"),
            ("parsed.py", "parse.py or parser.py"),
        ] {
            assert_eq!(meant(&tree, &opener, path), expected, "{path}");
        }
        assert_eq!(in_words(&opener.open(&tree.root.join("email/decoder.py"), true)), "not found");
        assert_eq!(in_words(&opener.open(&tree.root.join("textwrap.pyi"), true)), "not found");
    }
    for opener in &openers(&tree)[..2] {
        assert_eq!(meant(&tree, opener, "only.txt"), "", "beside the root");
    }
}

#[test]
fn test_file_in_another_case_and_below_is_not_certain() {
    let tree = Tree::new();
    tree.file("root/Notes", "");
    tree.file("root/src/notes", "");
    for opener in openers(&tree) {
        assert_eq!(meant(&tree, &opener, "notes"), "src/notes or Notes");
    }
}

#[test]
fn test_denied_file_is_not_meant() {
    let tree = Tree::new();
    for name in ["Key.pem", "a/.env", "b/two", "private/two"] {
        tree.file(&format!("root/{name}"), "");
    }
    for strategy in STRATEGIES {
        let opener = opener(&[&tree.root], &["secrets", "private/**"], strategy);
        for (path, expected) in [("key.pem", ""), (".ENV", ""), ("Two", ""), ("two", "root/b/two")] {
            let outcome = opener.open_meant(Path::new(path), &Listings::default());
            let found = outcome.ok().map(|file| file.real_path);
            let expected = Some(expected).filter(|name| !name.is_empty()).map(|name| tree.base.join(name));
            assert_eq!(found, expected, "{path}");
        }
    }
}

#[test]
fn test_many_directories_below_are_not_searched() {
    let tree = Tree::new();
    tree.file("root/d00/only", "");
    for number in 1..64 {
        tree.directory(&format!("root/d{number:02}"));
    }
    for opener in openers(&tree) {
        assert_eq!(meant(&tree, &opener, "only"), "root/d00/only");
    }
    tree.directory("root/d64");
    for opener in openers(&tree) {
        assert_eq!(meant(&tree, &opener, "only"), "");
    }
}

#[test]
fn test_near_names() {
    let tree = Tree::new();
    for name in
        ["main.py", "maine.py", "Makefile", "config.toml", "AGENTS.md", "src/lib/server.rs", "other/x"]
    {
        tree.file(&format!("root/{name}"), "");
    }
    for opener in openers(&tree) {
        for (requested, expected) in [
            ("mian.py", vec!["main.py", "maine.py"]),
            ("MAKEFILE", vec!["Makefile"]),
            ("config", vec!["config.toml"]),
            ("AGENT.md", vec!["AGENTS.md"]),
            ("src/lib/sever.rs", vec!["src/lib/server.rs"]),
            ("scr/lib/server.rs", vec!["src/lib/server.rs"]),
            ("scr/lib/client.rs", vec!["src"]),
            ("main.py/x", vec!["main.py"]),
            ("nothing like it", vec![]),
            (" mian.py", vec!["main.py", "maine.py"]),
        ] {
            let expected: Vec<PathBuf> = expected.iter().map(|name| tree.root.join(name)).collect();
            let requested = requested.strip_prefix(' ').unwrap_or(requested);
            assert_eq!(near(&opener, tree.root.join(requested)), expected, "{requested}");
        }
    }
    // Near names are spelled like the requested path.
    for opener in &openers(&tree)[..2] {
        assert_eq!(near(opener, "src/../mian.py"), ["src/../main.py", "src/../maine.py"].map(PathBuf::from));
        assert_eq!(near(opener, "Makefil"), ["Makefile"].map(PathBuf::from));
    }
}

#[test]
fn test_near_names_are_at_most_five_without_requested_one() {
    let tree = Tree::new();
    tree.directory("root/d");
    tree.link("root/d/link", "nowhere");
    for number in 0..30 {
        tree.file(&format!("root/file{number:02}"), "");
    }
    for opener in openers(&tree) {
        assert_eq!(near(&opener, tree.root.join("d/link")), Vec::<PathBuf>::new());
        let expected = [0, 1, 2, 3, 4].map(|number| tree.root.join(format!("file{number:02}")));
        assert_eq!(near(&opener, tree.root.join("filexx")), expected);
    }
}

#[test]
fn test_near_names_in_huge_directory_are_found_in_time() {
    let tree = Tree::new();
    tree.directory("root/huge");
    for number in 0..5000 {
        tree.file(&format!("root/huge/{number:040}"), "");
    }
    tree.file("root/huge/a\u{202f}b", "found");
    for opener in openers(&tree) {
        let requested = tree.root.join("huge/a b");
        assert_eq!(in_words(&opener.open(&requested, true)), "read found");
        assert_eq!(near(&opener, tree.root.join(format!("huge/{:040}", 5000))).len(), 5);
        let ErrorKind::Directory { entries, more } =
            opener.open(&tree.root.join("huge"), false).unwrap_err().kind
        else {
            panic!("it is a directory")
        };
        assert_eq!((entries.len(), more), (20, true));
    }
}

#[test]
fn test_home_directory() {
    let Some(base) = child_directory() else {
        let tree = Tree::new();
        tree.file("root/notes/a.txt", "home");
        tree.file("root/~x/f", "named");
        let home = tree.root.clone();
        run_in_child("repair::test_home_directory", &tree.base, |command| command.env("HOME", home));
        return;
    };
    let root = base.join("root");
    for strategy in STRATEGIES {
        let at_home = opener(&[&root], &[], strategy);
        for opener in [&at_home, &anywhere()] {
            for path in ["~/notes/a.txt", "'~/notes/a.txt'", "~//notes/../notes/a.txt"] {
                let opened = opener.open(Path::new(path), true).unwrap();
                assert_eq!((content(&opened).as_str(), opened.repaired), ("home", true));
                assert_eq!(in_words(&opener.open(Path::new(path), false)), "not found");
            }
            assert_eq!(in_words(&opener.open(Path::new("~"), true)), "directory");
            assert_eq!(in_words(&opener.open(Path::new("~root/notes/a.txt"), true)), "not found");
            let error = opener.open(Path::new("~/notes/b.txt"), true).unwrap_err();
            assert_eq!(error.path, Path::new("~/notes/b.txt"));
            let near = vec![root.join("notes/a.txt")];
            assert_eq!(error.kind, ErrorKind::NotFound { near, dangling_link: None });
        }
        assert_eq!(in_words(&at_home.open(Path::new("~x/f"), true)), "read named");
        let elsewhere = opener(&[&root.join("notes")], &[], strategy);
        assert_eq!(in_words(&elsewhere.open(Path::new("~/~x/f"), true)), "outside");
    }
    let denying = opener(&[], &["~/notes/**"], STRATEGIES[0]);
    assert_eq!(in_words(&denying.open(&root.join("notes/a.txt"), false)), "denied by ~/notes/**");
}
