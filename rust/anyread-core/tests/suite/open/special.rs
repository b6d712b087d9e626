//! Files that are not readable regular files are refused at once, by type.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use anyread_core::device::DeviceClass;
use anyread_core::error::ErrorKind;
use anyread_core::open::{Opener, Strategy};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::support::{
    STRATEGIES, Tree, anywhere, child_directory, content, in_words, opener, outcome, run_in_child,
};

/// The outcome; fails the test if there is none after five seconds.
fn prompt_outcome(opener: Opener, path: PathBuf) -> String {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(outcome(&opener, &path)));
    receiver.recv_timeout(Duration::from_secs(5)).expect("it hangs")
}

#[test]
fn test_special_files_are_refused_at_once() {
    let tree = Tree::new();
    mknodat(CWD, tree.root.join("fifo"), FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let _listener = UnixListener::bind(tree.root.join("socket")).unwrap();
    tree.link("root/link", "fifo");
    for (name, expected) in [("fifo", "FIFO"), ("socket", "socket"), ("link", "FIFO"), (".", "directory")] {
        for strategy in STRATEGIES {
            assert_eq!(prompt_outcome(tree.opener(strategy), name.into()), expected);
        }
        assert_eq!(prompt_outcome(anywhere(), tree.root.join(name)), expected);
    }
}

#[test]
fn test_devices_are_refused_at_once() {
    for strategy in STRATEGIES {
        for name in ["zero", "full", "random", "urandom", "tty", "null", "ptmx"] {
            let path = Path::new("/dev").join(name);
            if path.exists() {
                assert_eq!(prompt_outcome(anywhere(), path.clone()), "character device");
                let below = opener(&[Path::new("/dev")], &[], strategy);
                // `/dev/ptmx` may be a link.
                assert_eq!(prompt_outcome(below, name.into()), "character device");
            }
        }
    }
}

#[test]
fn test_opening_a_fifo_does_not_wake_its_writer() {
    let tree = Tree::new();
    let fifo = tree.root.join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from(0o600), 0).unwrap();
    let (sender, receiver) = mpsc::channel();
    let writer = fifo.clone();
    std::thread::spawn(move || sender.send(fs::OpenOptions::new().write(true).open(writer).is_ok()));
    for strategy in STRATEGIES {
        assert_eq!(outcome(&tree.opener(strategy), Path::new("fifo")), "FIFO");
    }
    assert_eq!(outcome(&anywhere(), &fifo), "FIFO");
    // The writer is still waiting for a reader, and gets one here.
    assert!(receiver.try_recv().is_err());
    let _reader = fs::File::open(&fifo).unwrap();
    assert!(receiver.recv().unwrap());
}

#[test]
fn test_proc_files_with_secrets_are_denied() {
    let tree = Tree::new();
    let process = std::process::id();
    tree.link("root/link", "/proc/self/environ");
    let all = || opener(&[Path::new("/")], &[], Strategy::Walk);
    for path in [
        "/proc/self/environ".to_owned(),
        format!("/proc/{process}/environ"),
        format!("/proc/{process}/task/{process}/environ"),
        "/proc/thread-self/environ".to_owned(),
        tree.root.join("link").display().to_string(),
    ] {
        for opener in [anywhere(), all(), opener(&[Path::new("/")], &[], Strategy::Kernel)] {
            assert_eq!(prompt_outcome(opener, path.clone().into()), "denied by /proc/*/environ", "{path}");
        }
    }
    assert_eq!(prompt_outcome(anywhere(), "/proc/self/mem".into()), "denied by /proc/*/mem");
    let kmsg = prompt_outcome(anywhere(), "/proc/kmsg".into());
    assert!(
        ["denied by /proc/kmsg", "no access to /proc/kmsg", "not found"].contains(&kmsg.as_str()),
        "{kmsg}"
    );
    // The same names elsewhere have no special meaning.
    tree.file("root/environ", "mine");
    assert_eq!(outcome(&anywhere(), &tree.root.join("environ")), "read mine");
}

#[test]
fn test_generated_files_are_marked() {
    for path in ["/proc/cpuinfo", "/proc/self/status", "/sys/devices/system/cpu/online"] {
        if Path::new(path).exists() {
            let opened = anywhere().open(Path::new(path), false).unwrap();
            assert!(opened.device.pseudo && opened.device.class == DeviceClass::Hop, "{path}");
            assert!(!content(&opened).is_empty());
        }
    }
    let manifest = anywhere().open(Path::new("Cargo.toml"), false).unwrap();
    assert!(!manifest.device.pseudo);
    assert_eq!(manifest.real_path, std::env::current_dir().unwrap().join("Cargo.toml"));
    assert_eq!(manifest.snapshot.size, fs::metadata("Cargo.toml").unwrap().len());
    assert!(!manifest.link_followed && !manifest.repaired);
}

#[test]
fn test_invalid_paths_are_refused() {
    let tree = Tree::new();
    for path in [b"".as_slice(), b"a\0b", &[b'a'; 256], &[b'/'; 5000], &b"a/".repeat(2100)] {
        let path = Path::new(OsStr::from_bytes(path));
        for opener in [anywhere(), tree.opener(Strategy::Kernel), tree.opener(Strategy::Walk)] {
            for repair in [false, true] {
                let found = in_words(&opener.open(path, repair));
                assert!(found.starts_with("bad path"), "{found}");
            }
        }
    }
    let longest = "n".repeat(255);
    tree.file(&format!("root/{longest}"), "long");
    tree.expect(&longest, "read long");
}

#[test]
fn test_deep_path_is_opened() {
    let tree = Tree::new();
    let deep = "d/".repeat(200);
    tree.file(&format!("root/{deep}f"), "deep");
    tree.expect(format!("{deep}f"), "read deep");
}

/// Root may read and search everything, so the test runs as another user if it can.
#[test]
fn test_access_error_names_refusing_component() {
    let Some(base) = child_directory() else {
        let tree = Tree::new();
        tree.file("root/closed/deep/f", "x");
        tree.file("root/open/unreadable", "x");
        tree.file("root/unlisted/f", "known");
        tree.link("root/to_closed", "closed/deep/f");
        tree.link("root/to_unreadable", "open/unreadable");
        let mode = |path: &str, mode| {
            fs::set_permissions(tree.root.join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        mode("closed", 0o600);
        mode("open/unreadable", 0o000);
        mode("unlisted", 0o711);
        let is_root = rustix::process::geteuid().is_root();
        run_in_child("special::test_access_error_names_refusing_component", &tree.base, |command| {
            if is_root { command.uid(65534).gid(65534) } else { command }
        });
        mode("closed", 0o700);
        return;
    };
    let root = base.join("root");
    let openers = STRATEGIES.map(|strategy| opener(&[&root], &[], strategy));
    for (path, part) in [
        ("closed/deep/f", "closed"),
        ("closed/missing", "closed"),
        ("to_closed", "closed"),
        ("open/unreadable", "open/unreadable"),
        ("to_unreadable", "open/unreadable"),
    ] {
        let expected = format!("no access to {}", root.join(part).display());
        for opener in openers.iter().chain([&anywhere()]) {
            assert_eq!(outcome(opener, &root.join(path)), expected, "{path}");
        }
    }
    for opener in openers.iter().chain([&anywhere()]) {
        assert_eq!(outcome(opener, &root.join("unlisted/f")), "read known");
        if !rustix::fs::stat(root.join("unlisted"))
            .is_ok_and(|stat| stat.st_uid == rustix::process::getuid().as_raw())
        {
            let list = |path: &str| opener.open(&root.join(path), true).unwrap_err().kind;
            assert_eq!(list("unlisted"), ErrorKind::Directory { entries: vec![], more: true });
            assert_eq!(list("unlisted/g"), ErrorKind::NotFound { near: vec![], dangling_link: None });
        }
    }
}

#[test]
fn test_running_out_of_descriptors_is_file_system_error() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Some(base) = child_directory() else {
        let tree = Tree::new();
        tree.file("root/a/f", "x");
        let name = "special::test_running_out_of_descriptors_is_file_system_error";
        run_in_child(name, &tree.base, |command| command);
        return;
    };
    let root = base.join("root");
    let [kernel, walk] = STRATEGIES.map(|strategy| opener(&[&root], &[], strategy));
    let openers = [kernel, walk, anywhere()];
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: Some(0), maximum: limit.maximum }).unwrap();
    let found = openers.map(|opener| outcome(&opener, &root.join("a/f")));
    setrlimit(Resource::Nofile, limit).unwrap();
    assert_eq!(found, ["open error 24"; 3]);
}
