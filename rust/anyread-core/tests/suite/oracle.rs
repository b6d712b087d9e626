//! Every window of every odd file, against a reader that is slow and obvious.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::panic,
    reason = "a test"
)]

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::path::Path;

use anyread_core::encoding::Codec;
use anyread_core::error::ErrorKind;
use anyread_core::gutter::Gutter;
use anyread_core::index::registry::{self, Fresh, Key};
use anyread_core::page::build::build;
use anyread_core::page::view::View;
use anyread_core::page::{Clip, Layout, LineRule, Page, Window};
use anyread_core::scan::{LineEnds, Never};
use anyread_core::source::{Patience, Snapshot, Source};
use anyread_core::text::TextPlan;
use proptest::prelude::*;

const PATH: &str = "a.txt";
const PLENTY: u64 = 1 << 40;

/// A line of the oracle: its text and its ending.
struct Line {
    text: String,
    ending: &'static str,
}

/// The lines of a text that is UTF-8 or UTF-16: everything up to an LF, a CR before which belongs to the ending.
fn oracle_lines(text: &str) -> Vec<Line> {
    let only_cr = text.contains('\r') && !text.contains('\n');
    let terminator = if only_cr { '\r' } else { '\n' };
    let mut lines: Vec<Line> = Vec::new();
    for piece in text.split_inclusive(terminator) {
        let line = match piece.strip_suffix(terminator) {
            None => Line { text: piece.to_owned(), ending: "" },
            Some(line) if only_cr => Line { text: line.to_owned(), ending: "\r" },
            Some(line) => match line.strip_suffix('\r') {
                Some(line) => Line { text: line.to_owned(), ending: "\r\n" },
                None => Line { text: line.to_owned(), ending: "\n" },
            },
        };
        lines.push(line);
    }
    lines
}

fn layout(gutter: &Gutter, max_line_chars: u64, max_bytes: u64) -> Layout<'_> {
    Layout {
        max_bytes,
        max_tokens: PLENTY,
        clip: Some(Clip::reader(max_line_chars)),
        count_bytes: PLENTY,
        ..Layout::reader(gutter)
    }
}

/// Builds a page of `bytes`, once from memory and once from a file with a shared index, which must agree.
fn page(bytes: &[u8], codec: Option<Codec>, window: Window, layout: &Layout<'_>) -> Result<Page, ErrorKind> {
    let path = Path::new(PATH);
    let memory = Source::Memory(bytes);
    let plan = TextPlan::decide(memory, path, codec, LineEnds::Detected).unwrap();
    let view = View { source: memory, path, plan, lines: LineRule::READER, shared: None, interrupt: &Never };
    let from_memory = build(&view, window, layout).map_err(|error| error.kind);

    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    // A file of the case before may have had this inode, this size and, within a tick of the clock, these times.
    registry::entry(&key(&file, codec)).forget();
    for _ in 0..2 {
        let from_file = page_of_file(&file, codec, window, layout);
        assert_eq!(from_file, from_memory);
    }
    from_memory
}

fn key(file: &File, codec: Option<Codec>) -> Key {
    let identity = Snapshot::of(file).unwrap().identity();
    Key { identity, encoding: codec.map(Codec::name), line_ends: LineEnds::Detected }
}

fn page_of_file(
    file: &File,
    codec: Option<Codec>,
    window: Window,
    layout: &Layout<'_>,
) -> Result<Page, ErrorKind> {
    let path = Path::new(PATH);
    let snapshot = Snapshot::of(file).unwrap();
    let source = Source::File {
        descriptor: file.as_fd(),
        size: snapshot.size,
        scans: None,
        patience: Patience::Waits,
    };
    let entry = registry::entry(&key(file, codec));
    let fresh = Fresh { snapshot, racy: false, trust_append: true };
    let known = entry
        .known(source, path, fresh, || TextPlan::decide(source, path, codec, LineEnds::Detected))
        .unwrap();
    let view = View {
        source,
        path,
        plan: known.plan,
        lines: LineRule::READER,
        shared: Some((entry, known)),
        interrupt: &Never,
    };
    build(&view, window, layout).map_err(|error| error.kind)
}

fn none() -> Gutter {
    Gutter::default()
}

fn encode(text: &str, codec: Codec) -> Vec<u8> {
    match codec {
        Codec::Utf16 { big_endian: false } => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Codec::Utf16 { big_endian: true } => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Codec::Utf32 { big_endian: true } => {
            text.chars().flat_map(|char| (char as u32).to_be_bytes()).collect()
        }
        _ => text.as_bytes().to_vec(),
    }
}

/// Texts of odd lines: all endings mixed, characters of all lengths, some lines over several blocks.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-c \\t]{0,12}",
        3 => "[äß€語😀\u{85}\u{2028}\u{c}\u{b}Ċ]{0,9}",
        1 => (1_usize..40_000, "[xé語😀]").prop_map(|(count, char)| char.repeat(count)),
    ];
    let ending = prop_oneof![5 => Just("\n"), 3 => Just("\r\n"), 2 => Just("\r"), 1 => Just("")];
    let endings = prop_oneof![
        Just(vec!["\n"]),
        Just(vec!["\r\n"]),
        Just(vec!["\r"]),
        Just(vec!["\n", "\r\n"]),
        prop::collection::vec(ending, 4)
    ];
    (prop::collection::vec(piece, 0..40), endings, any::<bool>()).prop_map(|(pieces, endings, last)| {
        let count = pieces.len();
        let lines = pieces.into_iter().enumerate();
        lines.fold(String::new(), |text, (index, line)| {
            let ending = if last && index + 1 == count { "" } else { endings[index % endings.len()] };
            text + &line + ending
        })
    })
}

fn codecs() -> impl Strategy<Value = Codec> {
    prop_oneof![
        4 => Just(Codec::Utf8),
        1 => Just(Codec::Utf16 { big_endian: false }),
        1 => Just(Codec::Utf16 { big_endian: true }),
        1 => Just(Codec::Utf32 { big_endian: true }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_window_is_what_the_oracle_cuts_out(
        text in texts(),
        codec in codecs(),
        offset in -45_i64..45,
        limit in 1_u64..50,
    ) {
        let lines = oracle_lines(&text);
        let total = lines.len() as u64;
        let first = if offset < 0 { total.saturating_sub(offset.unsigned_abs()) + 1 } else { offset.max(1) as u64 };
        let gutter = none();
        let outcome = page(&encode(&text, codec), Some(codec), Window { offset, limit, column: 1 }, &layout(&gutter, PLENTY, PLENTY));
        if lines.is_empty() {
            prop_assert_eq!(outcome.unwrap().total_lines, Some(0));
        } else if first > total {
            prop_assert_eq!(outcome, Err(ErrorKind::OffsetPastEnd { offset: first, total_lines: total }));
        } else {
            let page = outcome.unwrap();
            let last = (first + limit - 1).min(total);
            let shown = &lines[first as usize - 1..last as usize];
            let content: String = shown.iter().map(|line| line.text.clone() + line.ending).collect();
            let texts: Vec<&str> = shown.iter().map(|line| line.text.as_str()).collect();
            prop_assert_eq!(page.content.decode().unwrap(), content);
            prop_assert_eq!(&page.text[..page.text.len() - page.footer_bytes], &with_footer_gap(&texts.join("\n"), page.footer_bytes));
            prop_assert_eq!((page.start_line, page.end_line, page.total_lines), (first as i64, last as i64, Some(total)));
            prop_assert_eq!(page.next.map(|next| next.offset), (last < total).then_some(last as i64 + 1));
            prop_assert_eq!(page.final_newline, !lines.last().unwrap().ending.is_empty());
        }
    }

    #[test]
    fn following_next_and_clipped_gives_every_byte_once(
        text in texts(),
        codec in codecs(),
        max_line_chars in 1_u64..60_000,
        max_bytes in 1_u64..200_000,
    ) {
        let bytes = encode(&text, codec);
        let gutter = none();
        // A page of a few bytes holds one character: bounded, or the walk over a long line would never end.
        let max_bytes = max_bytes.max(bytes.len() as u64 / 200);
        let layout = layout(&gutter, max_line_chars.max(bytes.len() as u64 / 400), max_bytes);
        let joined = follow(&bytes, codec, Window { offset: 1, limit: 7, column: 1 }, &layout);
        prop_assert_eq!(joined, text);
    }

    #[test]
    fn a_column_is_found_where_the_oracle_finds_it(
        text in texts(),
        codec in codecs(),
        line in 0_usize..40,
        column in prop_oneof![1_u64..40, 1_u64..45_000],
    ) {
        let lines = oracle_lines(&text);
        prop_assume!(!lines.is_empty());
        let line = line % lines.len();
        let gutter = none();
        let window = Window { offset: line as i64 + 1, limit: 1, column };
        let outcome = page(&encode(&text, codec), Some(codec), window, &layout(&gutter, PLENTY, PLENTY));
        let skipped = column as usize - 1;
        let expected = if column == 1 || skipped < lines[line].text.chars().count() {
            let rest: String = lines[line].text.chars().skip(skipped).collect();
            Some((line as i64 + 1, rest + lines[line].ending))
        } else {
            lines.get(line + 1).map(|next| (line as i64 + 2, next.text.clone() + next.ending))
        };
        match expected {
            None => {
                let is_past_end = matches!(outcome, Err(ErrorKind::OffsetPastEnd { .. }));
                prop_assert!(is_past_end);
            }
            Some((number, content)) => {
                let page = outcome.unwrap();
                prop_assert_eq!((page.start_line, page.content.decode().unwrap()), (number, content));
            }
        }
    }
}

fn with_footer_gap(lines: &str, footer: usize) -> String {
    if footer == 0 { lines.to_owned() } else { format!("{lines}\n") }
}

/// The text that comes together when every continuation is followed.
fn follow(bytes: &[u8], codec: Codec, mut window: Window, layout: &Layout<'_>) -> String {
    let path = Path::new(PATH);
    let source = Source::Memory(bytes);
    let plan = TextPlan::decide(source, path, Some(codec), LineEnds::Detected).unwrap();
    let view = View { source, path, plan, lines: LineRule::READER, shared: None, interrupt: &Never };
    let mut joined = String::new();
    for _ in 0..100_000 {
        let page = build(&view, window, layout).unwrap();
        let content = page.content.decode().unwrap();
        let mut clipped = page.clipped.iter().peekable();
        let lines = oracle_lines_of_page(&content, &view);
        for (index, (text, ending)) in lines.into_iter().enumerate() {
            joined += &text;
            let number = page.start_line + index as i64;
            if let Some(rest) = clipped.next_if(|rest| rest.offset == number) {
                let window = Window { offset: rest.offset, limit: 1, column: rest.column };
                joined += &follow_line(&view, window, layout);
            } else {
                joined += &ending;
            }
        }
        match page.next {
            None => return joined,
            Some(next) => window = Window { offset: next.offset, limit: window.limit, column: next.column },
        }
    }
    panic!("the pages do not end");
}

/// The rest of one line with its ending.
fn follow_line(view: &View<'_>, mut window: Window, layout: &Layout<'_>) -> String {
    let line = window.offset;
    let mut joined = String::new();
    loop {
        let page = build(view, window, layout).unwrap();
        let content = page.content.decode().unwrap();
        let onward = page.clipped.first().or(page.next.as_ref()).filter(|next| next.offset == line);
        let Some(next) = onward else { return joined + &content };
        // A clipped line has its ending, which belongs after what follows.
        let (text, _) = oracle_lines_of_page(&content, view).remove(0);
        joined += &text;
        window = Window { offset: line, limit: 1, column: next.column };
    }
}

fn oracle_lines_of_page(content: &str, view: &View<'_>) -> Vec<(String, String)> {
    let terminator = char::from(view.plan.terminator.value);
    let lines = content.split_inclusive(terminator).map(|piece| {
        let text = piece.strip_suffix(terminator).unwrap_or(piece);
        let has_cr = terminator == '\n' && text.len() < piece.len();
        let text = if has_cr { text.strip_suffix('\r').unwrap_or(text) } else { text };
        (text.to_owned(), piece[text.len()..].to_owned())
    });
    lines.collect()
}
