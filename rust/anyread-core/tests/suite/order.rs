//! The answer to a read depends on the file and the request, not on what was read before.
//!
//! What is known about a file comes from the reads before: its encoding, its line endings, its line counts.
//! Only a line count may be seen: if the lines are counted, the total is exact, and the last lines have their numbers.
//! Each file is read in random order by one engine, by another that shares what is known, with nothing known,
//! and from a copy in memory, for which nothing is ever kept.

#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers may panic")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use anyread_core::cache;
use anyread_core::encoding::Codec;
use anyread_core::engine::{Answer, Engine, Memory, Request};
use anyread_core::error::{Error, ErrorKind};
use anyread_core::gutter::Gutter;
use anyread_core::mapping::Mapping;
use anyread_core::open::Opener;
use anyread_core::page::{Clip, Layout, LineRule, Page, Total, Window};
use anyread_core::scan::{LineEnds, Never};
use anyread_core::text::TextPlan;

static GUTTER: Gutter = Gutter { before: String::new(), width: 6, separator: None, every: 0 };
/// The smallest file that is not always read completely, and one with several windows of a scan.
const SIZES: [usize; 3] = [(64 << 10) + 1, 300_000, 2_300_000];
/// Where something other than plain text begins.
const PLACES: [usize; 7] = [5_000, 8_191, 48 << 10, (64 << 10) - 1, (64 << 10) + 1, 200_000, 1_100_000];

fn engine() -> Engine {
    let memory =
        Memory { index_bytes: 64 << 20, inline_bytes: 64 << 10, trust_append: true, mapping: Mapping::Auto };
    Engine::new(Opener::new(&[], &[]).unwrap(), memory)
}

/// Pseudorandom numbers, the same in each run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

impl Draw {
    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).unwrap()
    }
}

/// Lines of ASCII of different lengths.
fn plain(size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 100);
    let mut length = 0;
    while bytes.len() < size {
        bytes.extend(std::iter::repeat_n(b"abcdefgh \t"[length % 10], length));
        bytes.push(b'\n');
        length = (length * 7 + 3) % 83;
    }
    bytes.truncate(size);
    bytes
}

/// Puts `strange` at a place, and again and again after it.
fn strange(size: usize, place: usize, strange: &[u8]) -> Vec<u8> {
    let mut bytes = plain(size);
    for at in (place..size).step_by(9_973) {
        let end = (at + strange.len()).min(size);
        bytes[at..end].copy_from_slice(&strange[..end - at]);
    }
    bytes
}

fn files() -> Vec<(String, Vec<u8>)> {
    let pieces: [(&str, &[u8]); 11] = [
        ("utf-8", "é€𝄞 ".as_bytes()),
        ("cut", b"\xE2\x82 \xF0\x9D\x84"),
        ("latin-1", b" caf\xE9 gar\xE7on d\xE9j\xE0 "),
        ("shift-jis", b"\x93\xFA\x96\x7B\x8C\xEA\x82\xC5\x82\xB7"),
        ("crlf", b"\r\n"),
        ("cr", b"a\rb"),
        ("nul", b"\0"),
        ("binary", b"\0\x01\x02\xFF\xFE\x80\0\x03"),
        ("iso-2022", b"\x1B$B\x24\x22\x1B(B"),
        ("color", b"\x1B[31m"),
        ("c1", b"\xC2\x85 \xC3\xA9"),
    ];
    let mut files = Vec::new();
    for size in SIZES {
        for (name, piece) in pieces {
            for place in PLACES.into_iter().filter(|place| *place < size) {
                files.push((format!("{name}-{size}-{place}.txt"), strange(size, place, piece)));
            }
        }
        let text = String::from_utf8(plain(size)).unwrap();
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).take(size).collect();
        let accents = strange(size, 9_000, "é ".as_bytes());
        let emacs = b"\n# Local Variables:\n# coding: iso-8859-1\n# End:\n";
        files.extend([
            (format!("plain-{size}.txt"), plain(size)),
            (format!("wide-{size}.txt"), wide),
            (format!("cr-only-{size}.txt"), text.replace('\n', "\r").into_bytes()),
            (format!("crlf-only-{size}.txt"), text.replace('\n', "\r\n").into_bytes()),
            (format!("one-line-{size}.txt"), text.replace('\n', " ").into_bytes()),
            (format!("mark-{size}.txt"), [b"\xEF\xBB\xBF".as_slice(), &accents].concat()),
            (format!("mark-damaged-{size}.txt"), [b"\xEF\xBB\xBF".as_slice(), &accents, b"\xFF"].concat()),
            (format!("emacs-{size}.txt"), [accents.as_slice(), emacs].concat()),
            (format!("declared-{size}.txt"), [b"# coding: latin-1\n".as_slice(), &accents].concat()),
        ]);
    }
    files
}

#[derive(Debug, Clone, Copy)]
struct Query {
    window: Window,
    encoding: Option<Codec>,
    ends: LineEnds,
    count_bytes: u64,
    total: Total,
}

impl Query {
    fn draw(draw: &mut Draw) -> Self {
        let line = i64::try_from(draw.below(9_000)).unwrap();
        let offset = match draw.below(4) {
            0 => 1,
            1 => -1 - line % 300,
            _ => line + 1,
        };
        let column = if draw.below(4) == 0 { 1 + draw.below(100_000) } else { 1 };
        Self {
            window: Window { offset, limit: 1 + draw.below(120), column },
            encoding: [None, None, None, Some(Codec::Utf8), Some(Codec::Latin1)][draw.index(5)],
            ends: [LineEnds::Detected, LineEnds::Detected, LineEnds::Lf, LineEnds::LfCrlfCr][draw.index(4)],
            count_bytes: [1, 256 << 20][draw.index(2)],
            total: [Total::Bounded, Total::Exact, Total::Never][draw.index(3)],
        }
    }

    fn request(&self) -> Request<'static> {
        Request { encoding: self.encoding, ..Request::of_text(self.window, None) }
    }

    fn layout(&self) -> Layout<'static> {
        let reader = Layout::reader(&GUTTER);
        let lines = LineRule { ends: self.ends, ..reader.lines };
        let (count_bytes, total) = (self.count_bytes, self.total);
        Layout { max_bytes: 64 << 10, clip: Some(Clip::reader(2_000)), lines, count_bytes, total, ..reader }
    }
}

/// What a read says, except what tells how it was read.
type Seen = Result<(Page, Option<TextPlan>), ErrorKind>;

fn read(engine: &Engine, path: &Path, query: &Query) -> Seen {
    seen(engine.read(path, &query.request(), &query.layout(), Some(&Never)))
}

/// Reads as event loops do: without blocking if possible, and otherwise from the file that this has opened.
fn read_in_two_steps(engine: &Engine, path: &Path, query: &Query) -> Seen {
    let (request, layout) = (query.request(), query.layout());
    let mut pending = None;
    seen(match engine.read_on(&mut pending, path, &request, &layout, None) {
        Err(Error { kind: ErrorKind::WouldBlock(_), .. }) => {
            engine.read_on(&mut pending, path, &request, &layout, Some(&Never))
        }
        outcome => outcome,
    })
}

fn seen(answer: Result<Answer, Error>) -> Seen {
    match answer {
        Ok(Answer::Text(answer)) => {
            let plan = TextPlan { is_plain: false, ..answer.plan };
            Ok((answer.page, Some(plan)))
        }
        Ok(other) => panic!("no text: {other:?}"),
        Err(error) => Err(error.kind),
    }
}

/// Two answers to the same request, without what an exact number of lines changes in one of them.
fn comparable(left: Seen, right: Seen) -> [Seen; 2] {
    let mut seen = [left, right];
    if let [
        Err(ErrorKind::ColumnPastEnd { line: left, .. }),
        Err(ErrorKind::ColumnPastEnd { line: right, .. }),
    ] = &mut seen
        && left.is_negative() != right.is_negative()
    {
        (*left, *right) = (0, 0);
    }
    let [Ok((left, _)), Ok((right, _))] = &mut seen else { return seen };
    let (total, uncounted) = match (left.total_lines, right.total_lines) {
        (Some(total), None) => (total.cast_signed(), &mut *right),
        (None, Some(total)) => (total.cast_signed(), &mut *left),
        _ => return seen,
    };
    let from_end = uncounted.start_line < 0;
    if from_end {
        let numbers = [&mut uncounted.start_line, &mut uncounted.end_line].into_iter();
        let places = uncounted.next.iter_mut().chain(&mut uncounted.clipped).map(|place| &mut place.offset);
        numbers.chain(places).chain(&mut uncounted.lossy_line).for_each(|line| *line += total + 1);
    }
    for page in [left, right] {
        // The markers of clipped lines contain their numbers.
        page.text.truncate(if from_end { 0 } else { page.text.len() - page.footer_bytes });
        (page.footer_bytes, page.tokens) = (0, None);
        (page.total_lines, page.total_lines_estimate) = (None, None);
    }
    seen
}

/// The page from the complete content, without anything known.
fn read_in_memory(engine: &Engine, path: &Path, query: &Query) -> Seen {
    let file = engine.open(path, false, 1 << 30, Some(&Never)).unwrap();
    assert!(file.is_whole());
    let request = Request::of_text(query.window, query.encoding);
    let page = file.window(&request, &query.layout(), Some(&Never));
    page.map(|page| (page, None)).map_err(|error| error.kind)
}

/// Written a moment ago, files have no version yet, and nothing is kept about them.
fn write_files(directory: &Path) -> Vec<PathBuf> {
    let write = |(name, bytes): (String, Vec<u8>)| {
        let path = directory.join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let paths = files().into_iter().map(write).collect();
    sleep(Duration::from_millis(40));
    paths
}

#[test]
#[cfg_attr(windows, ignore = "without versions, no index is used again")]
fn test_answers_do_not_depend_on_earlier_reads() {
    let directory = tempfile::tempdir().unwrap();
    let paths = write_files(directory.path());
    let engines = [engine(), engine()];
    let mut draw = Draw(20_261_123);
    for path in &paths {
        let queries: Vec<Query> = (0..3).map(|_| Query::draw(&mut draw)).collect();
        let expected: Vec<Seen> =
            queries.iter().map(|query| read_in_memory(&engines[0], path, query)).collect();
        let first: Vec<Seen> = queries
            .iter()
            .map(|query| {
                cache::clear();
                read(&engine(), path, query)
            })
            .collect();
        for ((query, first), expected) in queries.iter().zip(&first).zip(expected) {
            let without_plan = first.clone().map(|(page, _)| (page, None));
            let [first, expected] = comparable(without_plan, expected);
            assert_eq!(first, expected, "{path:?} {query:?}");
        }
        cache::clear();
        for _ in 0..6 {
            let at = draw.index(queries.len());
            let engine = &engines[draw.index(2)];
            let read = [read, read_in_two_steps][draw.index(2)];
            let [seen, first] = comparable(read(engine, path, &queries[at]), first[at].clone());
            assert_eq!(seen, first, "{path:?} {:?}", queries[at]);
        }
    }
    assert!(engines[0].counters().indexed.load(std::sync::atomic::Ordering::Relaxed) > 0);
}

/// What the attempt has read is not part of an answer if the file was changed before the second step.
#[test]
#[cfg_attr(windows, ignore = "on Windows, no read is tried without waiting")]
fn test_changes_between_two_steps_are_seen() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log.txt");
    let first = Window { offset: 1, limit: 3, column: 1 };
    let total = Total::Bounded;
    let query = Query { window: first, encoding: None, ends: LineEnds::Detected, count_bytes: 1, total };
    for (old, new) in
        [(b"old\r\n".as_slice(), b"new\r\n".as_slice()), (b"old\n", b"ne\xE9\n"), (b"old\n", b"\0\x01\x02\n")]
    {
        fs::write(&path, old.repeat(600_000)).unwrap();
        sleep(Duration::from_millis(40));
        cache::clear();
        let request = Request { kind: None, ..query.request() };
        let (layout, engine) = (query.layout(), engine());
        let mut pending = None;
        let refused = engine.read_on(&mut pending, &path, &request, &layout, None).unwrap_err();
        assert!(matches!(refused.kind, ErrorKind::WouldBlock(_)) && pending.is_some());
        let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        let changed = new.repeat(600_000);
        file.write_all(&changed).unwrap();
        let answer = engine.read_on(&mut pending, &path, &request, &layout, Some(&Never));
        sleep(Duration::from_millis(40));
        cache::clear();
        assert_eq!(answer.is_ok(), !new.contains(&0), "{new:?}");
        let fresh = engine.read(&path, &request, &layout, Some(&Never));
        assert_eq!(seen(answer), seen(fresh), "{new:?}");
    }
}
