//! The whole pipeline on real files: kinds, versions, streams, large files, budgets, and files that change.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test helpers may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyread_core::encoding::Codec;
use anyread_core::engine::{Answer, BatchFile, Batched, Engine, Memory, Request, TextAnswer, WantedKind};
use anyread_core::error::{Error, ErrorKind, PathFault, RuleFault};
use anyread_core::gutter::Gutter;
use anyread_core::lock::NoLockHeld;
use anyread_core::mapping::Mapping;
use anyread_core::open::Opener;
use anyread_core::page::{Clip, Hidden, Layout, Window};
use anyread_core::scan::{Interrupt, Never};
use anyread_core::sniff::Kind;
use anyread_core::text::LineEnding;

const PLENTY: u64 = 1 << 40;
static GUTTER: Gutter = Gutter { before: String::new(), width: 0, separator: None, every: 0 };

fn engine() -> Engine {
    Engine::new(
        Opener::new(&[], &[]).unwrap(),
        Memory { index_bytes: 64 << 20, inline_bytes: 64 << 10, trust_append: true, mapping: Mapping::Auto },
    )
}

fn layout() -> Layout<'static> {
    Layout {
        max_bytes: 256 << 10,
        max_tokens: PLENTY,
        clip: Some(Clip::reader(2_000)),
        count_bytes: 256 << 20,
        ..Layout::reader(&GUTTER)
    }
}

/// What another layer shows.
static FORMATS: LazyLock<[String; 3]> =
    LazyLock::new(|| ["image/", "application/pdf", "application/x-ipynb+json"].map(str::to_owned));

fn request(offset: i64, limit: u64) -> Request<'static> {
    let window = Window { offset, limit, column: 1 };
    Request { kind: None, formats: FORMATS.as_slice(), ..Request::of_text(window, None) }
}

fn text(answer: Result<Answer, Error>) -> Box<TextAnswer> {
    match answer.unwrap() {
        Answer::Text(answer) => answer,
        other => panic!("no text: {other:?}"),
    }
}

fn kind_of(answer: Result<Answer, Error>) -> ErrorKind {
    answer.map(|_| ()).unwrap_err().kind
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

#[test]
#[cfg_attr(windows, ignore = "Windows has no versions")]
fn test_unless_version_returns_unchanged_until_file_changes() {
    let directory = Directory::new();
    let path = directory.write("a.txt", b"one\ntwo\n");
    let engine = engine();
    // The version is empty as long as a rewrite could remain undetected.
    let begun = Instant::now();
    let version = loop {
        let answer = text(engine.read(&path, &request(1, 10), &layout(), Some(&Never)));
        assert_eq!(answer.page.text, "one\ntwo");
        if !answer.version.is_empty() {
            break answer.version;
        }
        assert!(begun.elapsed() < Duration::from_secs(5));
    };
    let again = Request { unless_version: Some(&version), ..request(1, 10) };
    assert!(
        matches!(engine.read(&path, &again, &layout(), Some(&Never)), Ok(Answer::Unchanged { version: same }) if same == version)
    );
    fs::write(&path, b"one\nTWO\n").unwrap();
    assert_eq!(text(engine.read(&path, &again, &layout(), Some(&Never))).page.text, "one\nTWO");
    assert!(engine.counters().reads.load(Ordering::Relaxed) >= 3);
}

#[test]
fn test_non_text_files_are_refused_unless_text_is_requested() {
    let directory = Directory::new();
    let (engine, layout) = (engine(), layout());
    let binary = directory.write("a.bin", b"\x7fELF\0\0\0\0\x01\x02\0\0");
    let image = directory.write("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let plain = directory.write("a.txt", b"text\n");
    assert!(matches!(
        kind_of(engine.read(&binary, &request(1, 9), &layout, Some(&Never))),
        ErrorKind::Binary { .. }
    ));
    let media =
        |path: &Path, request: &Request<'_>| match engine.read(path, request, &layout, Some(&Never)).unwrap()
        {
            Answer::Opened(answer) => (answer.kind, answer.opened.real_path),
            other => panic!("no media: {other:?}"),
        };
    assert_eq!(media(&image, &request(1, 9)), (Kind::binary("image/png"), image.clone()));
    let wanted = Request { kind: Some(WantedKind::Format { may_be_empty: false }), ..request(1, 9) };
    assert_eq!(media(&plain, &wanted), (Kind::text("text/plain"), plain.clone()));
    let notebook = directory.write("a.ipynb", b"{\"cells\": []}");
    assert_eq!(media(&notebook, &request(1, 9)).0, Kind::NOTEBOOK);
    let raw = Request { formats: &[], ..request(1, 9) };
    assert_eq!(
        text(engine.read(&notebook, &raw, &layout, Some(&Never))).media_type,
        "application/x-ipynb+json"
    );
    let wanted = Request { kind: Some(WantedKind::Text), ..request(1, 9) };
    assert!(text(engine.read(&binary, &wanted, &layout, Some(&Never))).controls.nul > 0);
    // An encoding alone does not make text of an image or of other binary data.
    let encoding = Codec::from_label("latin-1");
    let named = Request { encoding, ..request(1, 9) };
    assert_eq!(media(&image, &named).0, Kind::binary("image/png"));
    assert_eq!(
        kind_of(engine.read(&binary, &Request { encoding, ..request(1, 9) }, &layout, Some(&Never))),
        kind_of(engine.read(&binary, &request(1, 9), &layout, Some(&Never)))
    );
    let wanted = Request { kind: Some(WantedKind::Text), ..named };
    assert_eq!(text(engine.read(&image, &wanted, &layout, Some(&Never))).media_type, "text/plain");
    let foreign = Request { foreign: Some("pages"), ..request(1, 9) };
    let wrong = kind_of(engine.read(&plain, &foreign, &layout, Some(&Never)));
    assert_eq!(wrong, ErrorKind::WrongKind { argument: "pages".to_owned(), kind: "text" });
    let empty = directory.write("empty.pdf", b"");
    let wanted = Request { kind: Some(WantedKind::Format { may_be_empty: false }), ..request(1, 9) };
    let wrong = kind_of(engine.read(&empty, &wanted, &layout, Some(&Never)));
    assert_eq!(wrong, ErrorKind::WrongKind { argument: "kind".to_owned(), kind: "text" });
    let named = directory.write("b.png", b"text\n");
    assert_eq!(text(engine.read(&named, &request(1, 9), &layout, Some(&Never))).promised, Some("image/png"));
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no `/proc`")]
fn test_streams_are_read_regardless_of_reported_size() {
    let answer = text(engine().read(Path::new("/proc/self/status"), &request(1, 1), &layout(), Some(&Never)));
    assert!(answer.page.text.starts_with("Name:"), "{}", answer.page.text);
    assert_eq!((answer.version.as_str(), answer.stream_cut), ("", false));
    let directory = Directory::new();
    let empty = directory.write("empty", b"");
    let page = text(engine().read(&empty, &request(-5, 1), &layout(), Some(&Never))).page;
    assert_eq!((page.text.as_str(), page.total_lines, page.end_line), ("", Some(0), 0));
}

#[test]
fn test_long_line_is_clipped_without_searching_far_end() {
    let directory = Directory::new();
    let long = "x".repeat(3 << 20);
    let path = directory.write("long.txt", format!("{long}\nshort\n").as_bytes());
    let clipping = Layout { fill_one_line: false, ..layout() };
    let page = text(engine().read(&path, &request(1, 1), &clipping, Some(&Never))).page;
    assert!(page.text.contains(" … [more: offset=1, column=2001]"), "{}", page.text);
    assert_eq!(page.next.map(|next| (next.offset, next.column)), Some((1, 2_001)));
    // A line that is the only one on its page fills it.
    let page = text(engine().read(&path, &request(1, 1), &layout(), Some(&Never))).page;
    assert!(page.next.is_some_and(|next| next.offset == 1 && next.column > 100_000));
    let page = text(engine().read(&path, &request(1, 5), &layout(), Some(&Never))).page;
    assert!(page.text.contains("more bytes: offset=1, column=2001]\nshort"), "{}", page.text);
    assert_eq!(page.clipped.len(), 1);
    let near = Layout { count_bytes: 2 << 20, ..layout() };
    assert_eq!(text(engine().read(&path, &request(1, 5), &near, Some(&Never))).page.clipped.len(), 0);
}

#[test]
fn test_nul_characters_are_kept_shown_or_refused() {
    let directory = Directory::new();
    let path = directory.write("nuls.txt", &[&b"a line\n".repeat(2_000)[..], b"a\0b\n"].concat());
    let last = |nul| engine().read(&path, &request(-1, 1), &Layout { nul, ..layout() }, Some(&Never));
    assert!(text(last(Hidden::Keep)).page.text.starts_with("a\0b"));
    let shown = text(last(Hidden::Show)).page;
    assert!(shown.text.starts_with("a␀b") && shown.lossy_line == Some(2_001));
    assert!(matches!(kind_of(last(Hidden::Error)), ErrorKind::Binary { .. }));
}

#[test]
fn test_replaced_file_is_read_as_new_file() {
    let directory = Directory::new();
    let path = directory.write("current", &b"old\n".repeat(400_000));
    let engine = engine();
    text(engine.read(&path, &request(300_000, 1), &layout(), Some(&Never)));
    let other = directory.write("next", &b"new\n".repeat(400_000));
    fs::rename(other, &path).unwrap();
    let page = text(engine.read(&path, &request(300_000, 1), &layout(), Some(&Never))).page;
    assert!(page.text.starts_with("new"), "{}", page.text);
}

#[test]
fn test_every_error_message_contains_path_and_facts() {
    let media_type = || "image/png".to_owned();
    let kinds = [
        (ErrorKind::NotFound { near: Vec::new(), dangling_link: None }, "does not exist"),
        (ErrorKind::AmbiguousPath { candidates: vec!["b".into(), "c".into()] }, "any of 2 files"),
        (ErrorKind::Access { part: "a".into() }, "permission denied"),
        (ErrorKind::OutsideRoot { roots: Vec::new() }, "outside the allowed roots"),
        (ErrorKind::Denied { rule: "**/.env".to_owned() }, "**/.env"),
        (ErrorKind::Directory { entries: Vec::new(), more: false }, "is a directory"),
        (ErrorKind::NotRegularFile { file_type: "FIFO" }, "FIFO"),
        (ErrorKind::BadPath { fault: PathFault::Empty }, "it is empty"),
        (ErrorKind::BadPath { fault: PathFault::Nul }, "a NUL byte"),
        (ErrorKind::BadPath { fault: PathFault::NameTooLong }, "too long"),
        (ErrorKind::BadPath { fault: PathFault::PathTooLong { max_bytes: 4_096 } }, "4096 bytes"),
        (ErrorKind::BadRoot, "not a directory"),
        (ErrorKind::FileSystem { errno: 5, operation: "read" }, "cannot read"),
        (ErrorKind::FileChanged { change: "truncated" }, "truncated"),
        (ErrorKind::Binary { media_type: media_type(), size_bytes: 7 }, "7 bytes"),
        (ErrorKind::UnsupportedFormat { media_type: media_type(), size_bytes: 7 }, "image/png"),
        (
            ErrorKind::OverBudget { used: 9, budget: 8, unit: "tokens", largest_limit: 1, of: "lines" },
            "9 tokens of 8",
        ),
        (ErrorKind::OffsetPastEnd { offset: 9, total_lines: 8 }, "line 9"),
        (ErrorKind::WrongKind { argument: "pages".to_owned(), kind: "text" }, "`pages`"),
        (ErrorKind::Cancelled, "cancelled"),
    ];
    for (kind, fact) in kinds {
        let message = Error::new("a", kind).to_string();
        assert!(message.contains("`a`") && message.contains(fact), "{message}");
    }
    for (fault, fact) in [
        (RuleFault::Empty, "it is empty"),
        (RuleFault::NoHome, "HOME"),
        (RuleFault::Syntax("unclosed".to_owned()), "unclosed"),
    ] {
        let message = Error::new("a[", ErrorKind::BadRule { rule: "a[".to_owned(), fault }).to_string();
        assert!(message.contains("`a[`") && message.contains(fact), "{message}");
    }
    for (undecodable, sentence) in
        [(None, "no encoding is named `ebcdic`"), (Some("cp037"), "the encoding cp037 cannot be decoded")]
    {
        let kind = ErrorKind::UnknownEncoding { label: "ebcdic".to_owned(), near: Vec::new(), undecodable };
        assert_eq!(Error::new("a", kind).to_string(), sentence);
    }
    let names = [LineEnding::Lf, LineEnding::Crlf, LineEnding::Cr, LineEnding::Mixed].map(LineEnding::name);
    assert_eq!(names, ["lf", "crlf", "cr", "mixed"]);
}

/// Sets a flag when dropped, so that a failed assertion also stops the thread that checks it.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A file of `/proc/sys` returns nothing after the first read, so `32768` was once read as `3`.
#[test]
#[cfg(target_os = "linux")]
fn test_files_that_can_only_be_read_at_once_are_complete() {
    let path = Path::new("/proc/sys/kernel/pid_max");
    let content = fs::read(path).unwrap();
    let answer = text(engine().read(path, &request(1, 9), &layout(), Some(&Never)));
    assert_eq!(format!("{}\n", answer.page.text).as_bytes(), content);
    let opened = engine().open(path, false, 64, Some(&Never)).unwrap();
    assert_eq!((opened.head(), opened.is_whole()), (content.as_slice(), true));
}

/// A file that was briefly empty was once read as a stream, and a line could mix two writes.
///
/// Later, that was still possible if the file was empty again at the end of the read.
#[test]
fn test_file_rewritten_during_reads_yields_whole_lines() {
    let directory = Directory::new();
    let contents = [b"aaaaaaaaa\n", b"bbbbbbbbb\n"].map(|line| line.repeat(1_000));
    let path = directory.write("busy.txt", &contents[0]);
    let engine = engine();
    let stopped = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for content in contents.iter().cycle().take_while(|_| !stopped.load(Ordering::Relaxed)) {
                fs::write(&path, content).unwrap();
            }
        });
        let _stop = Stop(&stopped);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(400) {
            match engine.read(&path, &request(1, 500), &layout(), Some(&Never)) {
                Ok(Answer::Text(answer)) => {
                    let page = &answer.page;
                    let shown = &page.text[..page.text.len() - page.footer_bytes];
                    let is_whole =
                        |line: &str| "aaaaaaaaa".starts_with(line) || "bbbbbbbbb".starts_with(line);
                    assert!(shown.lines().all(is_whole), "{shown}");
                }
                Ok(other) => panic!("unexpected: {other:?}"),
                Err(error) => assert!(matches!(error.kind, ErrorKind::FileChanged { .. }), "{error}"),
            }
        }
    });
}

/// Stops the call after this many checks.
struct StopsAfter(AtomicU64);

impl Interrupt for StopsAfter {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }

    fn scanned(&self, _bytes: u64) {}
}

#[test]
fn test_read_many_keeps_order_and_isolates_failures() {
    let directory = Directory::new();
    let paths: Vec<PathBuf> =
        (0..50).map(|number| directory.0.path().join(format!("{number}.txt"))).collect();
    for (number, path) in paths.iter().enumerate().filter(|(number, _)| *number != 7) {
        fs::write(path, format!("line {number}\n")).unwrap();
    }
    let request = request(1, 10);
    // The file that does not exist is only asked for; another one exists beside the last file.
    let (absent, present) = ([paths[7].as_path()], [paths[7].as_path(), paths[0].as_path()]);
    let unless = |index: usize| if index == 49 { &present[..] } else { &absent[..] };
    let files: Vec<_> = paths
        .iter()
        .enumerate()
        .map(|(index, path)| BatchFile { path, request: &request, unless: unless(index), may_hang: false })
        .collect();
    for (threads, layout) in [(1, Some(layout())), (4, Some(layout())), (1, None)] {
        let outcomes = engine().read_many(&files, layout.as_ref(), threads, &Never).unwrap();
        assert_eq!(outcomes.len(), paths.len());
        for (number, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                Ok(Batched::Named(position)) => assert_eq!((position, number), (1, 49)),
                Ok(Batched::Answer(Answer::Text(answer))) => {
                    assert_eq!(answer.page.text, format!("line {number}"));
                }
                Ok(Batched::Size(size)) => assert_eq!(size, format!("line {number}\n").len() as u64),
                Err(error) => assert_eq!((error.path.as_path(), number), (paths[7].as_path(), 7)),
                other => panic!("unexpected: {other:?}"),
            }
        }
    }
    assert!(engine().read_many(&[], Some(&layout()), 4, &Never).unwrap().is_empty());
}

/// Writes a file when it is asked for the second time.
struct WritesSecond<'a>(AtomicU64, &'a Path);

impl Interrupt for WritesSecond<'_> {
    fn interrupted(&self, _: NoLockHeld) -> bool {
        if self.0.fetch_add(1, Ordering::Relaxed) == 1 {
            fs::write(self.1, "").unwrap();
        }
        false
    }

    fn scanned(&self, _bytes: u64) {}
}

/// 20 missing files in a directory of 5,000 files took 270 ms, because it was listed twice for each of them.
#[test]
#[cfg_attr(windows, ignore = "without versions, a directory is listed for each file")]
fn test_directory_of_missing_files_is_listed_once_in_a_call() {
    let directory = Directory::new();
    let old = directory.write("report-2025.txt", b"");
    let [new, missing] = ["report-2026.txt", "report-2027.txt"].map(|name| directory.0.path().join(name));
    let request = request(1, 10);
    let files = [BatchFile { path: &missing, request: &request, unless: &[], may_hang: false }; 2];
    let near = |interrupt: &(dyn Interrupt + Sync)| -> Vec<Vec<PathBuf>> {
        let outcomes = engine().read_many(&files, Some(&layout()), 1, interrupt).unwrap();
        let near = |outcome: Result<Batched, Error>| match outcome.unwrap_err().kind {
            ErrorKind::NotFound { near, .. } => near,
            other => panic!("{other:?}"),
        };
        outcomes.into_iter().map(near).collect()
    };
    // A name that is written after the directory was listed is seen by the next call.
    assert_eq!(near(&WritesSecond(AtomicU64::new(0), &new)), [[old.clone()], [old.clone()]]);
    assert_eq!(near(&Never), [[old.clone(), new.clone()], [old, new]]);
}

#[test]
fn test_read_many_stops_when_cancelled() {
    let directory = Directory::new();
    let path = directory.write("a.txt", b"one\n");
    let request = request(1, 10);
    let files = [BatchFile { path: &path, request: &request, unless: &[], may_hang: false }; 50];
    for threads in [1, 4] {
        let stops = StopsAfter(AtomicU64::new(20));
        let stopped = engine().read_many(&files, Some(&layout()), threads, &stops);
        assert_eq!(stopped.map(|_| ()), Err(Error::new("", ErrorKind::Cancelled)));
    }
}

/// A decoder gets an open file from its host, and reads it as far as it went for the host.
#[test]
fn test_passed_file_ends_where_it_did_for_the_host() {
    use std::io::Write;

    use anyread_core::engine::OpenedFile;
    use anyread_core::sandbox::passed_file;
    use anyread_core::stream::{Bytes, Stream};

    #[cfg(unix)]
    let number = |file: &fs::File| std::os::fd::AsRawFd::as_raw_fd(file) as isize;
    #[cfg(windows)]
    let number = |file: &fs::File| std::os::windows::io::AsRawHandle::as_raw_handle(file) as isize;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    fs::write(&path, "first").unwrap();
    let file = fs::File::open(&path).unwrap();
    let passed = OpenedFile::passed(passed_file(number(&file)).unwrap(), 5).unwrap();
    // It has a descriptor of its own.
    drop(file);
    assert_eq!(passed.contents().unwrap(), b"first");
    fs::File::options().append(true).open(&path).unwrap().write_all(b" and more").unwrap();
    let read = |stream: &mut Stream<'_>, _| stream.ahead(100).map(<[u8]>::to_vec);
    let again = fs::File::open(&path).unwrap();
    let grown = OpenedFile::passed(passed_file(number(&again)).unwrap(), 5).unwrap();
    assert_eq!(grown.with_stream(&Never, read).unwrap(), b"first");
    let change_of = |error: Error| match error.kind {
        ErrorKind::FileChanged { change } => change,
        other => panic!("{other:?}"),
    };
    assert_eq!(change_of(passed.contents().unwrap_err()), "rewritten");
    fs::write(&path, "1").unwrap();
    assert_eq!(change_of(passed.contents().unwrap_err()), "truncated");
    assert!(passed_file(-1).is_err());
}
