//! Lines found with the shared index of a file, compared with a search from its start.
//!
//! The file grows between reads; each time it may end anywhere, in the middle of a character or a line ending.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyread_core::encoding::Codec;
use anyread_core::error::ErrorKind;
use anyread_core::gutter::Gutter;
use anyread_core::page::build::build;
use anyread_core::page::view::View;
use anyread_core::page::{FinalNewline, Hidden, Layout, LineRule, Page, Window};
use anyread_core::registry::{self, Fresh, Key};
use anyread_core::scan::{LineEnds, Never};
use anyread_core::source::{Snapshot, Source, Waiting};
use anyread_core::system::AsDescriptor as _;
use anyread_core::text::TextPlan;

use super::run;
use super::scan::ENDS;
use super::texts::{encode, text};
use super::units::endings;
use crate::input::Input;
use crate::layouts::FINAL;

/// The maximum size of a text in bytes, which is several blocks of the index.
const LARGEST: usize = 100_000;

/// The requested encoding, if any.
const CODECS: [Option<&str>; 6] =
    [Some("utf-8"), Some("utf-8"), None, Some("utf-16-le"), Some("utf-32-be"), Some("gb18030")];

#[derive(Debug)]
struct Query {
    /// The number of a line, or its distance from the last line.
    line: usize,
    is_near_end: bool,
    limit: u64,
}

#[derive(Debug)]
struct Case {
    text: Vec<u8>,
    repeat: usize,
    codec: Option<&'static str>,
    ends: LineEnds,
    final_newline: FinalNewline,
    /// Where the file ended when it was read, as shares of its size.
    steps: Vec<usize>,
    queries: Vec<Query>,
}

fn case(input: &mut Input<'_>) -> Case {
    let query = |input: &mut Input<'_>| Query {
        line: input.within(0..1 << 24),
        is_near_end: input.flip(),
        limit: input.within(1..4) as u64,
    };
    Case {
        codec: input.pick(&CODECS),
        ends: input.pick(&ENDS),
        final_newline: input.pick(&FINAL),
        repeat: if input.flip() { input.within(1..4) } else { input.within(1..400) },
        steps: input.list(0..3, |input| input.within(0..65_536)),
        queries: input.list(1..4, query),
        text: text(input, 10, 20_000),
    }
}

/// The parts of a page that tell where its lines are.
fn seen(page: &Page) -> (i64, i64, Option<u64>, u64, u64, &[u8]) {
    let bytes = page.content.bytes.as_slice();
    (page.start_line, page.end_line, page.total_lines, page.start_byte, page.end_byte, bytes)
}

fn key(file: &File, case: &Case) -> Key {
    let identity = Snapshot::of(file).unwrap().identity();
    let encoding = case.codec.and_then(Codec::from_label).map(Codec::name);
    Key { identity, encoding, line_ends: case.ends, is_decompressed: false }
}

fn read(file: &File, bytes: &[u8], case: &Case, window: Window) -> Result<Page, ErrorKind> {
    let path = Path::new("a.txt");
    let codec = case.codec.and_then(Codec::from_label);
    let lines = LineRule { ends: case.ends, final_newline: case.final_newline, bom: Hidden::Keep };
    let gutter = Gutter::default();
    let layout = Layout { guides: true, ..Layout::lines(&gutter, lines) };

    let snapshot = Snapshot::of(file).unwrap();
    let (descriptor, size) = (file.as_descriptor(), snapshot.size);
    assert_eq!(size, bytes.len() as u64);
    let source =
        Source::File { descriptor, size, scans: None, waiting: Waiting::Allowed, head: &[], present: None };
    let entry = registry::entry(&key(file, case));
    let fresh = Fresh { snapshot, tick_ns: 0, at_ns: i64::MAX, trust_append: true };
    let decide = || TextPlan::decide(source, path, codec, case.ends);
    let known = entry.known(source, path, fresh, decide).unwrap();
    let plan = known.plan;
    let shared = Some((entry, known));
    let view = View { source, path, plan, lines, shared, interrupt: &Never };
    let from_file = build(&view, window, &layout).map_err(|error| error.kind);

    let source = Source::Memory(bytes);
    let fresh_plan = TextPlan::decide(source, path, codec, case.ends).unwrap();
    assert_eq!(plan, fresh_plan, "the plan of a file that grew is that of a new file");
    let view = View { source, path, plan, lines, shared: None, interrupt: &Never };
    let from_memory = build(&view, window, &layout).map_err(|error| error.kind);
    match (&from_file, &from_memory) {
        (Ok(one), Ok(other)) => assert_eq!(seen(one), seen(other), "with and without an index"),
        _ => assert_eq!(from_file, from_memory, "with and without an index"),
    }
    from_file
}

/// Where the lines of a text begin, found from its start.
fn line_starts(bytes: &[u8], case: &Case) -> Vec<usize> {
    let codec = case.codec.and_then(Codec::from_label);
    let plan = TextPlan::decide(Source::Memory(bytes), Path::new("a.txt"), codec, case.ends).unwrap();
    let ends = if plan.terminator.value == b'\r' { LineEnds::LfCrlfCr } else { case.ends };
    let endings = endings(bytes, plan.codec, ends);
    let mut starts: Vec<usize> = std::iter::once(0).chain(endings.iter().map(|ending| ending.end)).collect();
    if case.final_newline == FinalNewline::Ends {
        starts.pop_if(|last| *last == bytes.len());
    }
    starts
}

fn check_query(file: &File, bytes: &[u8], starts: &[usize], case: &Case, query: &Query) {
    let total = starts.len() as u64;
    let number = query.line as u64 % (total + 2);
    let (offset, first) = if query.is_near_end {
        (-(number as i64 + 1), total.saturating_sub(number + 1) + 1)
    } else {
        (number as i64 + 1, number + 1)
    };
    let outcome = read(file, bytes, case, Window { offset, limit: query.limit, column: 1 });
    if total == 0 {
        assert_eq!(outcome.unwrap().total_lines, Some(0));
    } else if first > total {
        assert_eq!(outcome, Err(ErrorKind::OffsetPastEnd { offset: first, total_lines: total }));
    } else {
        let page = outcome.unwrap();
        let last = (first - 1 + query.limit).min(total);
        let start = starts[first as usize - 1];
        let end = starts.get(last as usize).copied().unwrap_or(bytes.len());
        let expected = (first as i64, last as i64, Some(total), start as u64, end as u64, &bytes[start..end]);
        assert_eq!(seen(&page), expected);
    }
}

fn check(case: &Case) {
    let codec = case.codec.and_then(Codec::from_label).unwrap_or(Codec::Utf8);
    let mut text = case.text.repeat(case.repeat.min(LARGEST / case.text.len().max(1) + 1));
    text.truncate(LARGEST);
    let bytes = if codec == Codec::Utf8 { text } else { encode(&String::from_utf8_lossy(&text), codec) };
    let mut steps: Vec<usize> = case.steps.iter().map(|share| bytes.len() * share / 65_536).collect();
    steps.push(bytes.len());
    steps.sort_unstable();
    let mut file = tempfile::tempfile().unwrap();
    // The file of an earlier case may have had this inode, this size and, within one clock tick, these times.
    registry::entry(&key(&file, case)).forget();
    let mut written = 0;
    for size in steps {
        file.write_all(&bytes[written..size]).unwrap();
        written = size;
        let starts = line_starts(&bytes[..size], case);
        for query in &case.queries {
            check_query(&file, &bytes[..size], &starts, case, query);
        }
    }
}

#[test]
#[cfg_attr(windows, ignore = "a read moves the position at which the test writes")]
fn test_lines_by_index_match_search_from_start() {
    run("index", 100, case, check);
}
