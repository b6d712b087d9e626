//! Pages in every layout, compared with a slow and simple renderer.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a test"
)]

pub mod judge;

use std::io::Write as _;
use std::path::Path;

use anyread_core::encoding::Codec;
use anyread_core::error::ErrorKind;
use anyread_core::gutter::Gutter;
use anyread_core::page::build::build;
use anyread_core::page::view::View;
use anyread_core::page::{
    Budget, Clip, FinalNewline, Hidden, Layout, LineRule, Marker, OverBudget, Page, Total, Unit, Window,
};
use anyread_core::registry::{self, Fresh, Key};
use anyread_core::scan::{LineEnds, Never};
use anyread_core::source::{Snapshot, Source, Waiting};
use anyread_core::system::AsDescriptor as _;
use anyread_core::text::TextPlan;

use judge::{Judged, judge};

pub const ENDS: [LineEnds; 4] = [LineEnds::Lf, LineEnds::LfCrlf, LineEnds::LfCrlfCr, LineEnds::SplitLines];
pub const FINAL: [FinalNewline; 2] = [FinalNewline::Ends, FinalNewline::Starts];

fn rule(ends: LineEnds, final_newline: FinalNewline) -> LineRule {
    LineRule { ends, final_newline, bom: Hidden::Keep }
}

pub fn window(offset: i64, limit: u64) -> Window {
    Window { offset, limit, column: 1 }
}

/// Builds a page of `bytes`, from memory.
pub fn page(bytes: &[u8], codec: Codec, window: Window, layout: &Layout<'_>) -> Result<Page, ErrorKind> {
    let (source, path) = (Source::Memory(bytes), Path::new("a.txt"));
    let plan = TextPlan::decide(source, path, Some(codec), layout.lines.ends).unwrap();
    let view = View { source, path, plan, lines: layout.lines, shared: None, interrupt: &Never };
    build(&view, window, layout).map_err(|error| error.kind)
}

/// A file with a shared index.
struct Indexed(std::fs::File);

impl Indexed {
    fn new(bytes: &[u8]) -> Self {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        // Forget what is known about an earlier file with this inode.
        let identity = Snapshot::of(&file).unwrap().identity();
        for line_ends in ENDS {
            let encoding = Some(Codec::Utf8.name());
            registry::entry(&Key { identity, encoding, line_ends, is_decompressed: false }).forget();
        }
        Self(file)
    }

    fn page(&self, codec: Codec, window: Window, layout: &Layout<'_>) -> Result<Page, ErrorKind> {
        let path = Path::new("a.txt");
        let snapshot = Snapshot::of(&self.0).unwrap();
        let source = Source::File {
            descriptor: self.0.as_descriptor(),
            size: snapshot.size,
            scans: None,
            waiting: Waiting::Allowed,
            head: &[],
            present: None,
        };
        let line_ends = layout.lines.ends;
        let identity = snapshot.identity();
        let entry = registry::entry(&Key {
            identity,
            encoding: Some(codec.name()),
            line_ends,
            is_decompressed: false,
        });
        let fresh = Fresh { snapshot, tick_ns: 0, at_ns: i64::MAX, trust_append: true };
        let decide = || TextPlan::decide(source, path, Some(codec), line_ends);
        let known = entry.known(source, path, fresh, decide).unwrap();
        let (plan, shared) = (known.plan, Some((entry, known)));
        let view = View { source, path, plan, lines: layout.lines, shared, interrupt: &Never };
        build(&view, window, layout).map_err(|error| error.kind)
    }
}

/// The parts of a page of `bytes` that the simple renderer computes.
pub fn seen(page: Page, bytes: &[u8]) -> Judged {
    let mut rest = String::new();
    page.content.codec.decode_into(&bytes[usize::try_from(page.end_byte).unwrap()..], &mut rest);
    let ends_clipped = page.clipped.last().is_some_and(|clipped| clipped.offset == page.end_line);
    Judged {
        rest: (!ends_clipped).then_some(rest),
        text: page.text,
        first: page.start_line,
        last: page.end_line,
        total: page.total_lines,
        next: page.next.map(|next| (next.offset, next.column)),
        clipped: page.clipped.iter().map(|rest| (rest.offset, rest.column)).collect(),
        final_newline: page.final_newline,
        is_over_budget: page.is_over_budget,
    }
}

#[track_caller]
pub fn agree(bytes: &[u8], window: Window, layout: &Layout<'_>) {
    let text = String::from_utf8_lossy(bytes);
    let outcome = page(bytes, Codec::Utf8, window, layout);
    let expected = judge(&text, window, layout);
    let context =
        || format!("{bytes:?}\n{window:?} {:?} {:?} {:?}", layout.lines, layout.clip, layout.budget);
    match expected {
        None => assert!(matches!(outcome, Err(ErrorKind::OverBudget { .. })), "{}", context()),
        Some(expected) => assert_eq!(seen(outcome.unwrap(), bytes), expected, "{}", context()),
    }
}

const TEXTS: [&str; 26] = [
    "",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\r\r",
    "\n\r",
    "\r\n\r\n",
    "a",
    "a\n",
    "a\nb",
    "a\r\nb\r\n",
    "a\rb\r",
    "a\r\r\nb",
    "a\n\nb\n\n",
    "\u{FEFF}",
    "\u{FEFF}a\nb\n",
    "\u{FEFF}\n",
    "a\u{B}b\u{C}c\u{1C}d\u{1D}e\u{1E}f",
    "a\u{85}b\u{2028}c\u{2029}",
    "é\u{A8}è\u{2027}\u{202A}\n€\u{E085}\n",
    "\0\na\0b\n\0",
    "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n",
    "short\na line that is rather long\n😀😀😀😀😀😀😀😀\nééééééééé\nend",
    "😀\r\n€uro\r\n\r\nlast",
    "x\u{2028}\r\n\u{85}\n",
];

#[test]
fn test_every_line_rule_in_every_window() {
    for text in TEXTS {
        for (ends, last) in ENDS.into_iter().flat_map(|ends| FINAL.map(|last| (ends, last))) {
            for bom in [Hidden::Keep, Hidden::Drop, Hidden::Show] {
                for offset in -4..6 {
                    for limit in [0, 1, 2, 100] {
                        let gutter = Gutter { separator: Some(":".to_owned()), ..Gutter::default() };
                        let lines = LineRule { bom, ..rule(ends, last) };
                        for splits_again in [false, true] {
                            let layout = Layout { splits_again, ..Layout::lines(&gutter, lines) };
                            agree(text.as_bytes(), window(offset, limit), &layout);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn test_line_ending_across_block_border_is_counted_once() {
    let block = 16 << 10;
    let gutter = Gutter::default();
    for ending in ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{1D}", "\r\r\n", "\n\r", "\u{2028}\n"] {
        for before in 0..4 {
            // An ending that begins this many bytes before the border, lines on both sides, and blocks
            // without endings.
            let lead = "x".repeat(block - 3 - before - 2);
            let gap = "y".repeat(3 * block);
            let text = format!("a{ending}{}b\n{gap}{ending}c\nd{ending}", &lead[..lead.len() - ending.len()]);
            let text = text.replacen("b\n", &format!("bb{ending}e"), 1);
            let file = Indexed::new(text.as_bytes());
            for (ends, last) in ENDS.into_iter().flat_map(|ends| FINAL.map(|last| (ends, last))) {
                let layout = Layout::lines(&gutter, rule(ends, last));
                for offset in -7..9 {
                    let window = window(offset, 2);
                    let expected = judge(&text, window, &layout).unwrap();
                    for _ in 0..2 {
                        let page = file.page(Codec::Utf8, window, &layout).unwrap();
                        assert_eq!(
                            seen(page, text.as_bytes()),
                            expected,
                            "{ending:?} {before} {ends:?} {last:?} {offset}"
                        );
                    }
                }
                let clip = Clip { marker: Marker::Text("~"), ..Clip::reader(9) };
                let clipping = Layout { clip: Some(clip), ..layout };
                let page = file.page(Codec::Utf8, window(1, 100), &clipping).unwrap();
                let expected = judge(&text, window(1, 100), &clipping).unwrap();
                assert_eq!(seen(page, text.as_bytes()), expected, "{ending:?} {before} {ends:?} {last:?}");
            }
        }
    }
}

#[test]
fn test_line_that_fits_without_its_cr_is_charged_once() {
    let gutter = Gutter { separator: None, ..Gutter::default() };
    let rule = rule(LineEnds::Lf, FinalNewline::Ends);
    let budget = Budget { maximum: 5, unit: Unit::Chars, counts_gutters: false, counts_line_feeds: false };
    // With its CR the second line exceeds `max_bytes`, so it is added by the slow path.
    let layout = Layout {
        cr: Hidden::Drop,
        max_bytes: 5,
        budget: Some(budget),
        over_budget: OverBudget::After,
        ..Layout::lines(&gutter, rule)
    };
    agree(b"a\nbb\r\nc\nd\n", window(1, 10), &layout);
}

#[test]
fn test_clipped_last_line_is_not_read_to_its_end() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"first\nlong ").unwrap();
    // A sparse file: reading all of it would take seconds.
    file.set_len(3 << 30).unwrap();
    let file = Indexed(file);
    let gutter = Gutter::default();
    let clip = Clip { unit: Unit::Utf16, marker: Marker::Text("…"), ..Clip::reader(5) };
    let lines = Layout::lines(&gutter, rule(LineEnds::LfCrlf, FinalNewline::Ends));
    let layout = Layout { clip: Some(clip), total: Total::Never, ..lines };
    let begun = std::time::Instant::now();
    let page = file.page(Codec::Utf8, window(1, 2), &layout).unwrap();
    assert_eq!(page.text, "first\nlong …");
    assert_eq!(page.next.map(|next| (next.offset, next.column)), Some((2, 6)));
    assert!(begun.elapsed().as_secs() < 2);
}
