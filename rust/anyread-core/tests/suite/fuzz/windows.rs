//! The reader's windows in every encoding, compared with a slow and simple reader; files that grow.

use anyread_core::encoding::Codec;
use anyread_core::error::ErrorKind;
use anyread_core::page::Window;
use bolero::TypeGenerator;
use bolero::generator::{one_of, one_value_of};

use super::texts::{encoded, texts};
use crate::oracle::{PLENTY, follow, layout, none, oracle_lines, page};

const CODECS: [&str; 12] = [
    "utf-8",
    "utf-8",
    "utf-8",
    "utf-16-le",
    "utf-16-be",
    "utf-32-le",
    "utf-32-be",
    "latin-1",
    "cp037",
    "gb18030",
    "cp932",
    "big5",
];

#[derive(Debug, TypeGenerator)]
struct Case {
    #[generator(texts(40, 40_000))]
    text: Vec<u8>,
    #[generator(one_value_of(CODECS))]
    codec: &'static str,
    #[generator(-45..45_i64)]
    offset: i64,
    #[generator(1..50_u64)]
    limit: u64,
    #[generator(0..40_usize)]
    line: usize,
    #[generator(one_of((1..40_u64, 1..45_000_u64)))]
    column: u64,
    #[generator(one_of((1..30_u64, 1..60_000_u64)))]
    max_line_chars: u64,
    #[generator(one_of((1..100_u64, 1..200_000_u64)))]
    max_bytes: u64,
}

/// A text without its byte-order mark, its bytes, and its codec.
fn parts(case: &Case) -> (String, Vec<u8>, Codec) {
    let codec = Codec::from_label(case.codec).unwrap();
    let (text, bytes) = encoded(&case.text, codec);
    let is_marked = !matches!(codec, Codec::Latin1 | Codec::CodePage(_)) && text.starts_with('\u{FEFF}');
    (text[if is_marked { 3 } else { 0 }..].to_owned(), bytes, codec)
}

fn check_window(case: &Case) {
    let (text, bytes, codec) = parts(case);
    let lines = oracle_lines(&text);
    let total = lines.len() as u64;
    let offset = case.offset;
    let first =
        if offset < 0 { total.saturating_sub(offset.unsigned_abs()) + 1 } else { offset.max(1) as u64 };
    let gutter = none();
    let window = Window { offset, limit: case.limit, column: 1 };
    let outcome = page(&bytes, Some(codec), window, &layout(&gutter, PLENTY, PLENTY));
    if lines.is_empty() {
        assert_eq!(outcome.unwrap().total_lines, Some(0));
        return;
    }
    if first > total {
        assert_eq!(outcome, Err(ErrorKind::OffsetPastEnd { offset: first, total_lines: total }));
        return;
    }
    let page = outcome.unwrap();
    let last = (first + case.limit - 1).min(total);
    let shown = &lines[first as usize - 1..last as usize];
    let content: String = shown.iter().map(|line| line.text.clone() + line.ending).collect();
    assert_eq!(page.content.decode().unwrap(), content);
    let texts: Vec<&str> = shown.iter().map(|line| line.text.as_str()).collect();
    let expected = texts.join("\n") + if page.footer_bytes == 0 { "" } else { "\n" };
    assert_eq!(&page.text[..page.text.len() - page.footer_bytes], expected);
    let numbers = (page.start_line, page.end_line, page.total_lines);
    assert_eq!(numbers, (first as i64, last as i64, Some(total)));
    assert_eq!(page.next.map(|next| next.offset), (last < total).then_some(last as i64 + 1));
    assert_eq!(page.final_newline, !lines.last().unwrap().ending.is_empty());
}

fn check_column(case: &Case) {
    let (text, bytes, codec) = parts(case);
    let lines = oracle_lines(&text);
    if lines.is_empty() {
        return;
    }
    let line = case.line % lines.len();
    let gutter = none();
    let window = Window { offset: line as i64 + 1, limit: 1, column: case.column };
    let outcome = page(&bytes, Some(codec), window, &layout(&gutter, PLENTY, PLENTY));
    let skipped = case.column as usize - 1;
    let length = lines[line].text.chars().count();
    let expected = if case.column == 1 || skipped < length {
        let rest: String = lines[line].text.chars().skip(skipped).collect();
        Some((line as i64 + 1, rest + lines[line].ending))
    } else {
        // After the last character, the next line begins.
        let next = lines.get(line + 1).filter(|_| skipped == length);
        next.map(|next| (line as i64 + 2, next.text.clone() + next.ending))
    };
    match expected {
        None => {
            let (column, line, characters) = (case.column, line as i64 + 1, length as u64);
            assert_eq!(outcome, Err(ErrorKind::ColumnPastEnd { column, line, characters }));
        }
        Some((number, content)) => {
            let page = outcome.unwrap();
            assert_eq!((page.start_line, page.content.decode().unwrap()), (number, content));
        }
    }
}

/// Following every continuation returns every byte once.
fn check_continuations(case: &Case) {
    let (text, bytes, codec) = parts(case);
    let gutter = none();
    // A page of a few bytes contains one character: without a minimum, a long line would take too many pages.
    let max_bytes = case.max_bytes.max(bytes.len() as u64 / 200);
    let layout = layout(&gutter, case.max_line_chars.max(bytes.len() as u64 / 400), max_bytes);
    let joined = follow(&bytes, codec, Window { offset: 1, limit: 7, column: 1 }, &layout);
    assert_eq!(joined, text);
}

#[test]
fn test_windows_match_oracle() {
    bolero::check!(name = "windows").with_iterations(300).with_type::<Case>().for_each(check_window);
}

#[test]
fn test_columns_match_oracle() {
    bolero::check!(name = "columns").with_iterations(300).with_type::<Case>().for_each(check_column);
}

#[test]
fn test_continuations_return_every_byte_once() {
    bolero::check!(name = "continuations")
        .with_iterations(300)
        .with_type::<Case>()
        .for_each(check_continuations);
}
