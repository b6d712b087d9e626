//! Pages in every layout, against a renderer that is slow and obvious.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a test"
)]

mod judge;

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::path::Path;

use anyread_core::encoding::Codec;
use anyread_core::error::ErrorKind;
use anyread_core::gutter::Gutter;
use anyread_core::index::registry::{self, Fresh, Key};
use anyread_core::page::build::build;
use anyread_core::page::view::View;
use anyread_core::page::{
    Align, Budget, Clip, FinalNewline, Hidden, Layout, LineRule, Marker, OverBudget, Page, Total, Unit,
    Window,
};
use anyread_core::scan::{LineEnds, Never};
use anyread_core::source::{Patience, Snapshot, Source};
use anyread_core::text::TextPlan;
use proptest::prelude::*;

use judge::{Judged, judge};

const ENDS: [LineEnds; 4] = [LineEnds::Lf, LineEnds::LfCrlf, LineEnds::LfCrlfCr, LineEnds::SplitLines];
const FINAL: [FinalNewline; 2] = [FinalNewline::Ends, FinalNewline::Starts];

fn rule(ends: LineEnds, final_newline: FinalNewline) -> LineRule {
    LineRule { ends, final_newline, bom: Hidden::Keep }
}

fn window(offset: i64, limit: u64) -> Window {
    Window { offset, limit, column: 1 }
}

/// Builds a page of `bytes`, from memory.
fn page(bytes: &[u8], codec: Codec, window: Window, layout: &Layout<'_>) -> Result<Page, ErrorKind> {
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
        // What is known of an earlier file with this inode must not count.
        let identity = Snapshot::of(&file).unwrap().identity();
        for line_ends in ENDS {
            let encoding = Some(Codec::Utf8.name());
            registry::entry(&Key { identity, encoding, line_ends }).forget();
        }
        Self(file)
    }

    fn page(&self, codec: Codec, window: Window, layout: &Layout<'_>) -> Result<Page, ErrorKind> {
        let path = Path::new("a.txt");
        let snapshot = Snapshot::of(&self.0).unwrap();
        let source = Source::File {
            descriptor: self.0.as_fd(),
            size: snapshot.size,
            scans: None,
            patience: Patience::Waits,
        };
        let line_ends = layout.lines.ends;
        let identity = snapshot.identity();
        let entry = registry::entry(&Key { identity, encoding: Some(codec.name()), line_ends });
        let fresh = Fresh { snapshot, racy: false, trust_append: true };
        let decide = || TextPlan::decide(source, path, Some(codec), line_ends);
        let known = entry.known(source, path, fresh, decide).unwrap();
        let (plan, shared) = (known.plan, Some((entry, known)));
        let view = View { source, path, plan, lines: layout.lines, shared, interrupt: &Never };
        build(&view, window, layout).map_err(|error| error.kind)
    }
}

/// What of a page the judge knows.
fn seen(page: Page) -> Judged {
    Judged {
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
fn agree(bytes: &[u8], window: Window, layout: &Layout<'_>) {
    let text = String::from_utf8_lossy(bytes);
    let outcome = page(bytes, Codec::Utf8, window, layout);
    let expected = judge(&text, window, layout);
    let told = || format!("{bytes:?}\n{window:?} {:?} {:?} {:?}", layout.lines, layout.clip, layout.budget);
    match expected {
        None => assert!(matches!(outcome, Err(ErrorKind::OverBudget { .. })), "{}", told()),
        Some(expected) => assert_eq!(seen(outcome.unwrap()), expected, "{}", told()),
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
fn every_rule_for_lines_in_every_window() {
    for text in TEXTS {
        for (ends, last) in ENDS.into_iter().flat_map(|ends| FINAL.map(|last| (ends, last))) {
            for bom in [Hidden::Keep, Hidden::Drop, Hidden::Show] {
                for offset in -6..8 {
                    for limit in [0, 1, 2, 3, 100] {
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

/// Layouts with all their parameters at random.
#[derive(Debug, Clone)]
struct Parameters {
    lines: LineRule,
    gutter: Gutter,
    align: Align,
    first_number: Option<i64>,
    splits_again: bool,
    clip: Option<(Unit, u64, u64, bool)>,
    hidden: (Hidden, Hidden),
    budget: Option<Budget>,
    max_bytes: u64,
    over_budget: OverBudget,
    total: Total,
}

impl Parameters {
    fn layout(&self) -> Layout<'_> {
        Layout {
            align: self.align,
            first_number: self.first_number,
            splits_again: self.splits_again,
            clip: self.clip.map(|(unit, length, keep, rounds_up)| {
                let keep = keep.min(length);
                Clip { unit, length, keep, rounds_up, marker: Marker::Text("… cut") }
            }),
            cr: self.hidden.0,
            nul: self.hidden.1,
            budget: self.budget,
            max_bytes: self.max_bytes,
            over_budget: self.over_budget,
            total: self.total,
            ..Layout::lines(&self.gutter, self.lines)
        }
    }
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(values: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(values)
}

fn units() -> impl Strategy<Value = Unit> {
    one_of(&[Unit::Chars, Unit::Utf16, Unit::Bytes])
}

fn hidden() -> impl Strategy<Value = Hidden> {
    one_of(&[Hidden::Keep, Hidden::Drop, Hidden::Show])
}

fn gutters() -> impl Strategy<Value = Gutter> {
    let separator = prop_oneof![Just(None), Just(Some("\t".to_owned())), Just(Some(" │ ".to_owned()))];
    (one_of(&["", "L1", "«"]), 0_usize..5, separator).prop_map(|(before, width, separator)| Gutter {
        before: before.to_owned(),
        width,
        separator,
    })
}

fn budgets() -> impl Strategy<Value = Option<Budget>> {
    let budget = (0_u64..60, units(), any::<bool>(), any::<bool>());
    prop::option::of(budget.prop_map(|(maximum, unit, counts_gutters, counts_line_feeds)| Budget {
        maximum,
        unit,
        counts_gutters,
        counts_line_feeds,
    }))
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let lines = (one_of(&ENDS), one_of(&FINAL), hidden());
    let numbers = (
        gutters(),
        one_of(&[Align::Gutter, Align::Last, Align::Total]),
        prop::option::of(one_of(&[1, 7, 95, 9_998])),
        prop::bool::weighted(0.2),
    );
    let clip = prop::option::of((units(), 0_u64..12, 0_u64..12, any::<bool>()));
    let over = one_of(&[OverBudget::Stop, OverBudget::After, OverBudget::Error]);
    let most = (budgets(), prop_oneof![3 => Just(u64::MAX), 1 => 0_u64..60], over);
    let rest = ((hidden(), hidden()), one_of(&[Total::Exact, Total::Known, Total::Never]));
    (lines, numbers, clip, most, rest).prop_map(
        |(
            (ends, final_newline, bom),
            (gutter, align, first_number, splits_again),
            clip,
            (budget, max_bytes, over_budget),
            (hidden, total),
        )| {
            let lines = LineRule { ends, final_newline, bom };
            Parameters {
                lines,
                gutter,
                align,
                first_number,
                splits_again,
                clip,
                hidden,
                budget,
                max_bytes,
                over_budget,
                total,
            }
        },
    )
}

/// Parts of characters that end lines, and bytes that are easily overlooked.
const FRAGMENTS: [&[u8]; 7] = [b"\xE2\x80", b"\xA8", b"\xC2", b"\x85", b"\xF0\x9F", b"\0", b"\xEF\xBB\xBF"];

/// Bytes of all kinds of lines, some of them not UTF-8.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[a-c \\t]{0,12}".prop_map(String::into_bytes),
        3 => "[äß€語😀¨]{0,9}".prop_map(String::into_bytes),
        1 => one_of(&FRAGMENTS).prop_map(<[u8]>::to_vec),
    ];
    let ending = prop_oneof![
        6 => one_of(&["\n", "\r\n"]),
        2 => one_of(&["\r", "", "\u{B}", "\u{C}", "\u{1C}", "\u{1E}", "\u{85}", "\u{2028}", "\u{2029}"]),
    ];
    prop::collection::vec((piece, ending), 0..14).prop_map(|lines| {
        lines.into_iter().flat_map(|(line, ending)| [line, ending.as_bytes().to_vec()].concat()).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6_000, ..ProptestConfig::default() })]

    #[test]
    fn every_combination_of_parameters(
        bytes in texts(),
        parameters in parameters(),
        offset in -8_i64..16,
        limit in prop_oneof![0_u64..6, Just(u64::MAX)],
    ) {
        // Lines that are not counted have negative numbers from the end.
        let offset = if parameters.total == Total::Exact { offset } else { offset.abs() };
        agree(&bytes, window(offset, limit), &parameters.layout());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn lines_of_wide_units_and_other_encodings(
        text in texts().prop_map(|bytes| String::from_utf8_lossy(&bytes).replace('\u{FEFF}', "")),
        parameters in parameters(),
        offset in -8_i64..16,
        limit in 0_u64..6,
        big_endian in any::<bool>(),
    ) {
        let layout = Layout { total: Total::Exact, ..parameters.layout() };
        let window = window(offset, limit);
        let units: Vec<u16> = text.encode_utf16().collect();
        let in_order = |number: u32| if big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
        let wide: Vec<u8> = text.chars().flat_map(|character| in_order(character.into())).collect();
        let half = |unit: &u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let latin: String = text.chars().filter(|character| u32::from(*character) < 256).collect();
        let bytes: Vec<u8> = latin.chars().map(|character| character as u8).collect();
        for (bytes, codec, text) in [
            (units.iter().flat_map(half).collect(), Codec::Utf16 { big_endian }, &text),
            (wide, Codec::Utf32 { big_endian }, &text),
            (bytes, Codec::Latin1, &latin),
        ] {
            let outcome = page(&bytes, codec, window, &layout).ok().map(seen);
            prop_assert_eq!(outcome, judge(text, window, &layout), "{:?}", codec);
        }
    }
}

#[test]
fn endings_on_the_border_of_two_blocks_are_found_once() {
    let block = 16 << 10;
    let gutter = Gutter::default();
    for ending in ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{1D}", "\r\r\n", "\n\r", "\u{2028}\n"] {
        for before in 0..4 {
            // An ending that begins so many bytes before the border, lines on both sides, and blocks without any.
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
                        assert_eq!(seen(page), expected, "{ending:?} {before} {ends:?} {last:?} {offset}");
                    }
                }
                let clip = Clip { marker: Marker::Text("~"), ..Clip::reader(9) };
                let clipping = Layout { clip: Some(clip), ..layout };
                let page = file.page(Codec::Utf8, window(1, 100), &clipping).unwrap();
                let expected = judge(&text, window(1, 100), &clipping).unwrap();
                assert_eq!(seen(page), expected, "{ending:?} {before} {ends:?} {last:?}");
            }
        }
    }
}

#[test]
fn a_line_that_is_clipped_last_is_not_read_to_its_end() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"first\nlong ").unwrap();
    // A hole: reading all of it would take seconds.
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
