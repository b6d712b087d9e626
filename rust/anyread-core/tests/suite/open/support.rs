//! Trees of real files, and outcomes that can be compared.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyread_core::error::{ErrorKind, Result};
use anyread_core::open::{Opener, RegularFile, Strategy};
use tempfile::TempDir;

pub const STRATEGIES: [Strategy; 2] = [Strategy::Kernel, Strategy::Walk];

/// A directory with a `root`, and an `outside` that holds `secret`.
pub struct Tree {
    /// Removes it all when the tree is dropped.
    _folder: TempDir,
    /// The directory's real path.
    pub base: PathBuf,
    pub root: PathBuf,
}

impl Tree {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let root = base.join("root");
        let tree = Self { _folder: folder, base, root };
        tree.file("outside/secret", "SECRET");
        fs::create_dir(&tree.root).unwrap();
        tree
    }

    /// Writes a file, with the directories above it. The path is relative to the base.
    pub fn file(&self, path: &str, content: &str) {
        let path = self.base.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn folder(&self, path: &str) {
        fs::create_dir_all(self.base.join(path)).unwrap();
    }

    /// Makes the link `path` (relative to the base) to `target`.
    pub fn link(&self, path: &str, target: impl AsRef<Path>) {
        symlink(target, self.base.join(path)).unwrap();
    }

    pub fn opener(&self, strategy: Strategy) -> Opener {
        self.opener_denying(strategy, &[])
    }

    pub fn opener_denying(&self, strategy: Strategy, deny: &[&str]) -> Opener {
        opener(&[&self.root], deny, strategy)
    }

    /// Asserts what reading `path` from the root comes to, in both ways.
    pub fn expect(&self, path: impl AsRef<Path>, expected: &str) {
        for strategy in STRATEGIES {
            let found = outcome(&self.opener(strategy), path.as_ref());
            assert_eq!(found, expected, "{} by {strategy:?}", path.as_ref().display());
        }
    }
}

pub fn opener(roots: &[&Path], deny: &[&str], strategy: Strategy) -> Opener {
    let roots: Vec<PathBuf> = roots.iter().map(|root| root.to_path_buf()).collect();
    let deny: Vec<String> = deny.iter().map(|rule| (*rule).to_owned()).collect();
    Opener::with_strategy(&roots, &deny, strategy).unwrap()
}

/// An opener without roots.
pub fn anywhere() -> Opener {
    opener(&[], &[], Strategy::Kernel)
}

pub fn content(opened: &RegularFile) -> String {
    let mut file = fs::File::from(opened.descriptor.try_clone().unwrap());
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

/// What reading a path exactly as it is comes to, in a word or two.
pub fn outcome(opener: &Opener, path: &Path) -> String {
    in_words(&opener.open(path, false))
}

pub fn in_words(result: &Result<RegularFile>) -> String {
    let error = match result {
        Ok(opened) => return format!("read {}", content(opened)),
        Err(error) => error,
    };
    match &error.kind {
        ErrorKind::NotFound { .. } => "not found".to_owned(),
        ErrorKind::OutsideRoot { .. } => "outside".to_owned(),
        ErrorKind::Directory { .. } => "folder".to_owned(),
        ErrorKind::Denied { rule } => format!("denied by {rule}"),
        ErrorKind::NotRegularFile { file_type } => (*file_type).to_owned(),
        ErrorKind::Access { part } => format!("no access to {}", part.display()),
        ErrorKind::FileSystem { errno, operation } => format!("{operation} error {errno}"),
        ErrorKind::BadPath { fault } => format!("bad path: {fault}"),
        ErrorKind::AmbiguousPath { candidates } => format!("{} candidates", candidates.len()),
        other => format!("{other:?}"),
    }
}

/// Set in a process that a test has started to run itself again.
const CHILD: &str = "ANYREAD_TEST_CHILD";

/// The directory that the parent has prepared, in such a process.
pub fn child_folder() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
}

/// Runs the test `name` again in a process of its own, set up by `change`, with `folder` for it.
pub fn run_in_child(name: &str, folder: &Path, change: impl FnOnce(&mut Command) -> &mut Command) {
    // The build directory may be closed to the user that the child runs as.
    let program = folder.join("test-program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(program);
    command.args([&format!("open::{name}"), "--exact", "--nocapture"]).env(CHILD, folder).current_dir("/");
    let output = change(&mut command).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}
