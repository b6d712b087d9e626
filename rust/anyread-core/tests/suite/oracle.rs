//! A slow and simple reader of windows, and how to follow continuations.

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
use anyread_core::page::build::build;
use anyread_core::page::view::View;
use anyread_core::page::{Clip, Layout, LineRule, Page, Window};
use anyread_core::registry::{self, Fresh, Key};
use anyread_core::scan::{LineEnds, Never};
use anyread_core::source::{Patience, Snapshot, Source};
use anyread_core::text::TextPlan;

const PATH: &str = "a.txt";
pub const PLENTY: u64 = 1 << 40;

/// A line of the oracle: its text and its ending.
pub struct Line {
    pub text: String,
    pub ending: &'static str,
}

/// The lines of a text: everything up to an LF, or a CRLF, or a CR if there is no LF in the text.
pub fn oracle_lines(text: &str) -> Vec<Line> {
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

pub fn layout(gutter: &Gutter, max_line_chars: u64, max_bytes: u64) -> Layout<'_> {
    Layout {
        max_bytes,
        max_tokens: PLENTY,
        clip: Some(Clip::reader(max_line_chars)),
        count_bytes: PLENTY,
        ..Layout::reader(gutter)
    }
}

/// Builds a page of `bytes` from memory and from a file with a shared index, and asserts that they are equal.
pub fn page(
    bytes: &[u8],
    codec: Option<Codec>,
    window: Window,
    layout: &Layout<'_>,
) -> Result<Page, ErrorKind> {
    let path = Path::new(PATH);
    let memory = Source::Memory(bytes);
    let plan = TextPlan::decide(memory, path, codec, LineEnds::Detected).unwrap();
    let view = View { source: memory, path, plan, lines: LineRule::READER, shared: None, interrupt: &Never };
    let from_memory = build(&view, window, layout).map_err(|error| error.kind);

    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    // A file of the previous case may have had this inode, this size and, within one clock tick, these times.
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
        head: &[],
    };
    let entry = registry::entry(&key(file, codec));
    let fresh = Fresh { snapshot, tick_ns: 0, at_ns: i64::MAX, trust_append: true };
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

pub fn none() -> Gutter {
    Gutter::default()
}

/// The text that results from following every continuation.
pub fn follow(bytes: &[u8], codec: Codec, mut window: Window, layout: &Layout<'_>) -> String {
    let path = Path::new(PATH);
    let source = Source::Memory(bytes);
    let plan = TextPlan::decide(source, path, Some(codec), LineEnds::Detected).unwrap();
    let view = View { source, path, plan, lines: LineRule::READER, shared: None, interrupt: &Never };
    // In EBCDIC the byte of a line ending is not the character.
    let terminator = if view.plan.terminator.value == b'\r' { '\r' } else { '\n' };
    let mut joined = String::new();
    for _ in 0..100_000 {
        let page = build(&view, window, layout).unwrap();
        let content = page.content.decode().unwrap();
        let mut clipped = page.clipped.iter().peekable();
        let lines = content.split_inclusive(terminator);
        for (index, line) in lines.enumerate() {
            let number = page.start_line + index as i64;
            if let Some(rest) = clipped.next_if(|rest| rest.offset == number) {
                let column = if index == 0 { window.column } else { 1 };
                joined.extend(line.chars().take((rest.column - column) as usize));
                let window = Window { offset: rest.offset, limit: 1, column: rest.column };
                joined += &follow_line(&view, window, layout);
            } else {
                joined += line;
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
        // The content of a clipped line includes its ending, which belongs after the rest of the line.
        joined.extend(content.chars().take((next.column - window.column) as usize));
        window = Window { offset: line, limit: 1, column: next.column };
    }
}
