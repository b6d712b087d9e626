//! Directory trees of real files, and outcomes that can be compared.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyread_core::error::{ErrorKind, Result};
use anyread_core::open::{Opener, RegularFile, Strategy};
use tempfile::TempDir;

pub const STRATEGIES: [Strategy; 2] = [Strategy::Kernel, Strategy::Walk];

/// A directory with a `root`, and an `outside` that contains `secret`.
pub struct Tree {
    /// Removes the directory when the tree is dropped.
    _directory: TempDir,
    /// The real path of the directory.
    pub base: PathBuf,
    pub root: PathBuf,
}

impl Tree {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let root = base.join("root");
        let tree = Self { _directory: directory, base, root };
        tree.file("outside/secret", "SECRET");
        fs::create_dir(&tree.root).unwrap();
        tree
    }

    /// Writes a file and creates its parent directories. The path is relative to the base.
    pub fn file(&self, path: &str, content: &str) {
        let path = self.base.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn directory(&self, path: &str) {
        fs::create_dir_all(self.base.join(path)).unwrap();
    }

    /// Creates the link `path` (relative to the base) to `target`.
    pub fn link(&self, path: &str, target: impl AsRef<Path>) {
        symlink(target, self.base.join(path)).unwrap();
    }

    pub fn opener(&self, strategy: Strategy) -> Opener {
        self.opener_denying(strategy, &[])
    }

    pub fn opener_denying(&self, strategy: Strategy, deny: &[&str]) -> Opener {
        opener(&[&self.root], deny, strategy)
    }

    /// Asserts the outcome of reading `path` from the root, with both strategies.
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

/// The outcome of reading a path without repair, in a few words.
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
        ErrorKind::Directory { .. } => "directory".to_owned(),
        ErrorKind::Denied { rule } => format!("denied by {rule}"),
        ErrorKind::NotRegularFile { file_type } => (*file_type).to_owned(),
        ErrorKind::Access { part } => format!("no access to {}", part.display()),
        ErrorKind::FileSystem { errno, operation } => format!("{operation} error {errno}"),
        ErrorKind::BadPath { fault } => format!("bad path: {fault}"),
        ErrorKind::AmbiguousPath { candidates } => format!("{} candidates", candidates.len()),
        other => format!("{other:?}"),
    }
}

/// Set in a process that a test has started to rerun itself.
const CHILD: &str = "ANYREAD_TEST_CHILD";

/// In such a process, the directory that the parent has prepared.
pub fn child_directory() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
}

/// The program with which cargo runs these tests, such as an emulator.
fn runner() -> Option<OsString> {
    let begin = format!("CARGO_TARGET_{}_", std::env::consts::ARCH.to_uppercase());
    let is_runner = |name: &OsStr| {
        name.to_str().is_some_and(|name| name.starts_with(&begin) && name.ends_with("_RUNNER"))
    };
    std::env::vars_os().find(|(name, _)| is_runner(name)).map(|(_, program)| program)
}

/// Reruns the test `name` in a separate process, which `change` configures, with the prepared `directory`.
pub fn run_in_child(name: &str, directory: &Path, change: impl FnOnce(&mut Command) -> &mut Command) {
    // The user that the child runs as may have no access to the build directory.
    let program = directory.join("test-program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = match runner() {
        Some(runner) => {
            let mut command = Command::new(runner);
            command.arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args([&format!("open::{name}"), "--exact", "--nocapture"]).env(CHILD, directory).current_dir("/");
    let output = change(&mut command).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}
