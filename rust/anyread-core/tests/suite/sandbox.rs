//! A thread that has entered the sandbox: what it can still do, and what it cannot.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::thread;

use anyread_core::sandbox::{self, Walls};

/// Runs a check in a thread of its own, which nothing leads out of the sandbox again.
fn inside(folder: &std::path::Path, check: impl FnOnce(Walls) + Send + 'static) {
    let folder = folder.to_owned();
    let entered = thread::spawn(move || check(sandbox::enter(&[folder])));
    if let Err(failure) = entered.join() {
        std::panic::resume_unwind(failure);
    }
}

#[test]
fn files_are_shut_but_for_the_folders() {
    let folders = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (font, secret) = (folders.0.path().join("font"), folders.1.path().join("secret"));
    fs::write(&font, "font").expect("a font");
    fs::write(&secret, "secret").expect("a secret");
    inside(folders.0.path(), move |walls| {
        let mut told = String::new();
        File::open(&font).and_then(|mut file| file.read_to_string(&mut told)).expect("fonts stay readable");
        assert_eq!(told, "font");
        if walls.files {
            assert_eq!(
                File::open(&secret).map(drop).map_err(|error| error.kind()),
                Err(ErrorKind::PermissionDenied)
            );
        }
        if walls.system_calls {
            let written = File::create(&font).map(drop).map_err(|error| error.kind());
            assert_eq!(written, Err(ErrorKind::PermissionDenied));
            let removed = fs::remove_file(&font).map_err(|error| error.kind());
            assert_eq!(removed, Err(ErrorKind::PermissionDenied));
        }
    });
}

#[test]
fn processes_and_sockets_are_shut() {
    let folder = tempfile::tempdir().expect("a folder");
    inside(folder.path(), |walls| {
        if !walls.system_calls {
            return;
        }
        let denied = Err(ErrorKind::PermissionDenied);
        assert_eq!(Command::new("/bin/true").status().map(drop).map_err(|error| error.kind()), denied);
        assert_eq!(UnixStream::pair().map(drop).map_err(|error| error.kind()), denied);
        assert_eq!(TcpStream::connect("127.0.0.1:9").map(drop).map_err(|error| error.kind()), denied);
    });
}

#[test]
fn folders_that_are_not_there_are_no_hindrance() {
    inside(std::path::Path::new("/nonexistent/fonts"), |walls| {
        if walls.files {
            assert!(File::open("/etc/hostname").is_err());
        }
    });
}
