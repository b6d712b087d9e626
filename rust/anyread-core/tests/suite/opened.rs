//! Opened files: windows and facts from one descriptor, whatever happens to the path.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "test helpers may panic"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use anyread_core::engine::{Engine, Memory, OpenedFile, Request};
use anyread_core::error::{Error, ErrorKind};
use anyread_core::facts::Utf8Fault;
use anyread_core::gutter::Gutter;
use anyread_core::lock::NoLockHeld;
use anyread_core::mapping::Mapping;
use anyread_core::open::{Opener, RegularFile};
use anyread_core::page::{Clip, Layout, Total, Window};
use anyread_core::scan::{Interrupt, Never, WINDOW};

static GUTTER: Gutter = Gutter { before: String::new(), width: 0, separator: None, every: 0 };
/// Files up to this size are read completely when they are opened.
const WHOLE: usize = 64 << 10;
/// File sizes: in memory when opened, in memory when needed, indexed, and scanned in several windows.
const SIZES: [usize; 4] = [9 << 10, 300 << 10, 3 << 20, (2 * WINDOW as usize) + (5 << 20)];

fn engine() -> Engine {
    Engine::new(
        Opener::new(&[], &[]).unwrap(),
        Memory {
            index_bytes: 64 << 20,
            inline_bytes: 64 << 10,
            trust_append: true,
            mapping: Mapping::Always,
        },
    )
}

fn layout() -> Layout<'static> {
    Layout {
        max_bytes: 256 << 10,
        max_tokens: 1 << 40,
        total: Total::Exact,
        clip: Some(Clip::reader(2_000)),
        count_bytes: 256 << 20,
        ..Layout::reader(&GUTTER)
    }
}

fn request(offset: i64, limit: u64) -> Request<'static> {
    Request::of_text(Window { offset, limit, column: 1 }, None)
}

struct Directory(tempfile::TempDir);

impl Directory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// Opens a file once nothing can have been writing to it, so that it has a version and its facts are final.
fn open(engine: &Engine, path: &Path) -> OpenedFile {
    let begun = SystemTime::now();
    loop {
        let file = engine.open(path, false, WHOLE, Some(&Never)).unwrap();
        let RegularFile { snapshot, device, opened_ns, .. } = &file.opened;
        if *opened_ns >= snapshot.rests_ns(device.tick_ns, snapshot.size) {
            assert!(!file.version.is_empty());
            return file;
        }
        assert!(begun.elapsed().unwrap() < Duration::from_secs(10), "{} is not at rest", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn lines(size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 32);
    for number in 1.. {
        if bytes.len() >= size {
            break;
        }
        bytes.extend_from_slice(format!("line {number} é €\n").as_bytes());
    }
    bytes
}

fn shown(file: &OpenedFile, offset: i64) -> Result<String, Error> {
    let page = file.window(&request(offset, 1), &layout(), Some(&Never))?;
    Ok(page.text[..page.text.len() - page.footer_bytes].trim_end().to_owned())
}

fn fault_of(bytes: &[u8]) -> Option<Utf8Fault> {
    let error = std::str::from_utf8(bytes).err()?;
    Some(Utf8Fault { index: error.valid_up_to() as u64, length: error.error_len() })
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    use std::io::Write as _;
    let mut program = std::process::Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    program.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = program.wait_with_output().unwrap().stdout;
    let hex = str::from_utf8(&output[..64]).unwrap();
    std::array::from_fn(|byte| u8::from_str_radix(&hex[2 * byte..2 * byte + 2], 16).unwrap())
}

/// Valid characters and invalid sequences of every length across the border of two scan windows.
#[test]
fn test_utf8_fault_across_scan_window_border() {
    let directory = Directory::new();
    let engine = engine();
    let border = usize::try_from(WINDOW).unwrap();
    let parts: [&[u8]; 9] = [
        "é".as_bytes(),
        "€".as_bytes(),
        "😀".as_bytes(),
        b"\x80",
        b"\x80\x80\x80\x80",
        b"\xF0\x9F\x98",
        b"\xE2\x82x",
        b"\xF0\x9F\x98\x80\x80",
        b"\xED\xA0\x80",
    ];
    let path = directory.write("d.log", &vec![b'a'; 2 * border]);
    let mut content = vec![b'a'; 2 * border];
    for part in parts {
        for before in 0..=part.len().min(4) {
            let start = border - before;
            content[start..start + part.len()].copy_from_slice(part);
            fs::write(&path, &content).unwrap();
            let file = engine.open(&path, false, 0, Some(&Never)).unwrap();
            assert_eq!(file.utf8_fault(Some(&Never)).unwrap(), fault_of(&content), "{part:x?} at -{before}");
            content[start..start + part.len()].fill(b'a');
        }
    }
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no versions")]
fn test_replaced_file_is_read_as_it_was_opened() {
    let directory = Directory::new();
    let engine = engine();
    for size in SIZES {
        let old = lines(size);
        let path = directory.write("e.log", &old);
        let file = open(&engine, &path);
        let next = directory.write("next", b"other\n");
        fs::rename(next, &path).unwrap();
        assert_eq!(shown(&file, 2).unwrap(), "line 2 é €");
        assert_eq!(file.sha256(Some(&Never)).unwrap(), digest(&old));
        fs::remove_file(&path).unwrap();
        assert_eq!(shown(&file, 3).unwrap(), "line 3 é €");
    }
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no versions")]
fn test_truncated_file_raises_error_unless_in_memory() {
    let directory = Directory::new();
    let engine = engine();
    for size in SIZES {
        let path = directory.write("f.log", &lines(size));
        let file = open(&engine, &path);
        let known = file.sha256(None);
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5_000).unwrap();
        if file.is_whole() {
            assert_eq!(
                shown(&file, -1).unwrap(),
                format!("line {} é €", lines(size).split(|b| *b == b'\n').count() - 1)
            );
            assert_eq!(file.sha256(None), known);
            continue;
        }
        let changed = |error: Error| matches!(error.kind, ErrorKind::FileChanged { change: "truncated" });
        assert!(changed(shown(&file, -1).unwrap_err()));
        assert!(changed(file.sha256(Some(&Never)).unwrap_err()));
        assert!(changed(file.utf8_fault(Some(&Never)).unwrap_err()));
        assert!(changed(file.find_nul(Some(&Never)).unwrap_err()));
    }
}

/// Counts the scanned bytes.
struct Scanned(AtomicU64);

impl Interrupt for Scanned {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        false
    }
    fn scanned(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A rewrite within the same clock tick has the same stat, so an equal stat proved nothing.
#[test]
#[cfg_attr(windows, ignore = "Windows has no program `sha256sum`")]
fn test_facts_of_a_file_without_a_version_are_found_twice() {
    let directory = Directory::new();
    let engine = engine();
    let content = lines(2 << 20);
    let path = directory.write("i.log", &content);
    let scanned = |file: &OpenedFile| {
        let scanned = Scanned(AtomicU64::new(0));
        assert_eq!(file.sha256(Some(&scanned)).unwrap(), digest(&content));
        scanned.0.into_inner() / content.len() as u64
    };
    let mut passes = Vec::new();
    while !passes.contains(&2) {
        directory.write("i.log", &content);
        let file = engine.open(&path, false, WHOLE, Some(&Never)).unwrap();
        passes.push(scanned(&file));
        assert_eq!(passes.last(), Some(if file.version.is_empty() { &2 } else { &1 }));
    }
    assert_eq!(scanned(&open(&engine, &path)), 1);
}
