//! What a thread in the sandbox can and cannot do.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::thread;

use anyread_core::sandbox::{self, Restrictions};

/// Runs a check in a separate thread, because a thread can never leave the sandbox.
fn inside(directory: &std::path::Path, check: impl FnOnce(Restrictions) + Send + 'static) {
    let directory = directory.to_owned();
    let entered = thread::spawn(move || check(sandbox::enter(&[directory])));
    if let Err(failure) = entered.join() {
        std::panic::resume_unwind(failure);
    }
}

#[test]
fn test_files_outside_readable_directories_are_blocked() {
    let directories = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let (font, secret) = (directories.0.path().join("font"), directories.1.path().join("secret"));
    fs::write(&font, "font").expect("a font");
    fs::write(&secret, "secret").expect("a secret");
    inside(directories.0.path(), move |restrictions| {
        let mut content = String::new();
        File::open(&font)
            .and_then(|mut file| file.read_to_string(&mut content))
            .expect("fonts stay readable");
        assert_eq!(content, "font");
        if restrictions.files {
            assert_eq!(
                File::open(&secret).map(drop).map_err(|error| error.kind()),
                Err(ErrorKind::PermissionDenied)
            );
        }
        if restrictions.system_calls {
            let written = File::create(&font).map(drop).map_err(|error| error.kind());
            assert_eq!(written, Err(ErrorKind::PermissionDenied));
            let removed = fs::remove_file(&font).map_err(|error| error.kind());
            assert_eq!(removed, Err(ErrorKind::PermissionDenied));
        }
    });
}

#[test]
fn test_processes_and_sockets_are_blocked() {
    let directory = tempfile::tempdir().expect("a directory");
    inside(directory.path(), |restrictions| {
        if !restrictions.system_calls {
            return;
        }
        let denied = Err(ErrorKind::PermissionDenied);
        assert_eq!(Command::new("/bin/true").status().map(drop).map_err(|error| error.kind()), denied);
        assert_eq!(UnixStream::pair().map(drop).map_err(|error| error.kind()), denied);
        assert_eq!(TcpStream::connect("127.0.0.1:9").map(drop).map_err(|error| error.kind()), denied);
    });
}

#[test]
fn test_signals_to_other_processes_and_locks_are_blocked() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mut receiver, sender) = UnixStream::pair().expect("a pair of sockets");
    let parent = std::os::unix::process::parent_id();
    inside(directory.path(), move |restrictions| {
        if !restrictions.system_calls {
            return;
        }
        let call = |number, arguments: [i64; 3]| {
            let [first, second, third] = arguments;
            // SAFETY: the arguments are numbers, and signal 0 has no effect.
            match unsafe { libc::syscall(number, first, second, third) } {
                -1 => Err(std::io::Error::last_os_error().kind()),
                _ => Ok(()),
            }
        };
        let denied = Err(ErrorKind::PermissionDenied);
        let descriptor = i64::from(sender.as_raw_fd());
        assert_eq!(call(libc::SYS_tgkill, [i64::from(parent), i64::from(parent), 0]), denied);
        assert_eq!(call(libc::SYS_kill, [i64::from(parent), 0, 0]), denied);
        for command in [libc::F_SETOWN, libc::F_NOTIFY, libc::F_SETLEASE, libc::F_SETLK, libc::F_OFD_SETLK] {
            assert_eq!(call(libc::SYS_fcntl, [descriptor, i64::from(command), 0]), denied, "{command}");
        }
        assert_eq!(call(libc::SYS_fcntl, [descriptor, i64::from(libc::F_GETFD), 0]), Ok(()));
        // SAFETY: these calls have no arguments.
        let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
        assert_eq!(call(libc::SYS_tgkill, [i64::from(process), i64::from(thread), 0]), Ok(()));
        drop(sender);
    });
    assert_eq!(receiver.read(&mut [0]).expect("the other end is closed"), 0);
}

#[test]
fn test_missing_directories_are_ignored() {
    inside(std::path::Path::new("/nonexistent/fonts"), |restrictions| {
        if restrictions.files {
            assert!(File::open("/etc/hostname").is_err());
        }
    });
}
