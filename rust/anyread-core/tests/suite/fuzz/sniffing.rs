//! Detection of file types, compared with a slow and simple reading of its rules.

use std::ffi::OsStr;

use anyread_core::encoding::{Codec, detect};
use anyread_core::sniff::{ControlCounts, Kind, SNIFF_BYTES, count_controls, is_plain, sniff, sniff_plain};

use super::run;
use super::texts::{encoded, text};
use crate::encodings::support::decode;
use crate::input::Input;

const NAMES: [&str; 12] = [
    "a.txt", "a.PNG", "a.pdf", "a.ipynb", "a.svg", "a.html", "a.docx", "a.zip", "a.ts", "a.py", "Makefile",
    "",
];

/// Starts of files: signatures, whole and cut, markup, marks, and words that look like them.
const STARTS: [&[u8]; 48] = [
    b"",
    b"",
    b"\x89PNG\r\n\x1A\n",
    b"\x89PNG",
    b"\xFF\xD8\xFF\xE0\0\x10JFIF",
    b"GIF89a",
    b"RIFF\x24\0\0\0WEBPVP8 ",
    b"RIFF....WEBPVP8X",
    b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0",
    b"II*\0",
    b"MM\0*",
    b"\0\0\x01\0\x01\0",
    b"\0\0\0\x1CftypavifZZZZavifmif1miaf",
    b"aaaaftypqt  ",
    b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0word/",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1F\x8B\x08",
    b"\x7FELF",
    b"SQLite format 3\0",
    b"P6\n2 1\n255\n",
    b"\xA7\x0D\x0D\x0A",
    b"BZh",
    b"MZ",
    b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
    b"%PDF-1.7\n",
    b"%PDF",
    b"\xEF\xBB\xBF",
    b"\xFF\xFE",
    b"\xFE\xFF",
    b"\xFF\xFE\0\0",
    b"\0\0\xFE\xFF",
    b"\x84\x31\x95\x33",
    b"{\"cells\": []}",
    b"{",
    b" \n\t",
    b"<svg",
    b"<svg:svg",
    b"<?xml version=\"1.0\"?>",
    b"<!-- a comment -->",
    b"<!--",
    b"<!DOCTYPE html>",
    b"<!DocType SVG>",
    b"<HTML>",
    b"\x1B$B",
    b"\x1B$)C\x0E\x0F\x0E\x0F",
    b"\x0E\x0F\x01",
    b"\0",
];

const CODECS: [&str; 7] = ["utf-8", "utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "koi8-r", "cp932"];

#[derive(Debug)]
struct Case {
    name: &'static str,
    bytes: Vec<u8>,
}

fn case(input: &mut Input<'_>) -> Case {
    let name = input.pick(&NAMES);
    let starts = input.list(0..4, |input| input.pick(&STARTS)).concat();
    let codec = Codec::from_label(input.pick(&CODECS)).unwrap();
    let text = match input.pick(&[60, 9_000, 0]) {
        0 => input.list(0..60, Input::byte),
        longest => text(input, 6, longest),
    };
    let rest = input.list(0..60, Input::byte);
    Case { name, bytes: [starts, encoded(&text, codec).1, rest].concat() }
}

/// Whether bytes look like text: no NULs and few controls, or few strange characters in UTF-16 and UTF-32.
fn is_text(head: &[u8]) -> bool {
    let marks: [(&[u8], &str); 4] = [
        (b"\xFF\xFE\0\0", "utf-32-le"),
        (b"\0\0\xFE\xFF", "utf-32-be"),
        (b"\xFF\xFE", "utf-16-le"),
        (b"\xFE\xFF", "utf-16-be"),
    ];
    if let Some((mark, name)) = marks.iter().find(|(mark, _)| head.starts_with(mark)) {
        let text = decode(Codec::from_label(name).unwrap(), &head[mark.len()..]);
        let layout = "\u{8}\t\n\u{B}\u{C}\r\u{1B}";
        let is_strange = |character: &char| {
            let is_private = ('\u{E000}'..='\u{F8FF}').contains(character);
            let is_hidden = is_private || "\u{FFFD}\u{FFFE}\u{FFFF}".contains(*character);
            is_hidden || (character.is_control() && !layout.contains(*character))
        };
        let strange = text.chars().filter(is_strange).count().saturating_sub(2);
        return strange * 10 <= text.chars().count();
    }
    if matches!(detect(head, true).codec, Codec::Utf16 { .. } | Codec::Utf32 { .. }) {
        return true;
    }
    if head.contains(&0) {
        return false;
    }
    let is_layout = |byte: u8| b"\x08\t\n\x0B\x0C\r\x1B".contains(&byte);
    let has_shift = (0..head.len()).any(|at| match head[at..] {
        [0x1B, b'$', b'@'..=b'B', ..] => true,
        [0x1B, b'$', second, third, ..] => b"()*+".contains(&second) && (b'@'..=b'S').contains(&third),
        _ => false,
    });
    let is_shift = |byte: u8| has_shift && (byte == 0x0E || byte == 0x0F);
    let is_control = |byte: u8| (byte < 0x20 || byte == 0x7F) && !is_layout(byte) && !is_shift(byte);
    let controls = head.iter().filter(|byte| is_control(**byte)).count();
    controls * 10 <= head.len() || (controls == 1 && head.len() >= 4 && str::from_utf8(head).is_ok())
}

/// Whether the first bytes may be a signature that decides before the content is examined.
fn may_be_signature(head: &[u8]) -> bool {
    let starts: [&[u8]; 23] = [
        b"\x89PNG\r\n\x1A\n",
        b"\xFF\xD8\xFF",
        b"RIFF",
        b"II",
        b"MM\0",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"PK\x07\x08",
        b"\x1F\x8B\x08",
        b"\x28\xB5\x2F\xFD",
        b"\xFD7zXZ\0",
        b"7z\xBC\xAF\x27\x1C",
        b"Rar!\x1A\x07",
        b"\x04\x22\x4D\x18",
        b"\x7FELF",
        b"\0",
        b"SQLite format 3\0",
        b"\xD0\xCF\x11\xE0",
        b"\x93NUMPY",
        b"\x89HDF",
        b"\x1A\x45\xDF\xA3",
        b"P4",
        b"P5",
    ];
    let is_pixmap = head.starts_with(b"P6");
    starts.iter().any(|start| head.starts_with(start)) || is_pixmap || head.get(4..8) == Some(b"ftyp")
}

/// The position of the header of a PDF, if it decides.
fn is_pdf(head: &[u8], is_binary: bool, name: &str) -> bool {
    let window = &head[..head.len().min(1024)];
    let Some(at) = window.windows(5).position(|word| word == b"%PDF-") else { return false };
    let before = window[..at].strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&window[..at]);
    is_binary || name == "a.pdf" || before.iter().all(u8::is_ascii_whitespace)
}

/// The media type of markup, by the first element after declarations and comments.
fn markup(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches(|character: char| character.is_ascii_whitespace());
    for (start, closing) in [("<!--", "-->"), ("<?xml", ">"), ("<!doctype svg", ">")] {
        if text.starts_with(start) {
            return text.find(closing).and_then(|at| markup(&text[at + closing.len()..]));
        }
    }
    if text.starts_with("<svg") {
        return Some("image/svg+xml");
    }
    (text.starts_with("<!doctype html") || text.starts_with("<html")).then_some("text/html")
}

fn check(case: &Case) {
    let all = &case.bytes;
    let name = OsStr::new(case.name);
    let kind = sniff(all, name);
    let head = &all[..all.len().min(SNIFF_BYTES)];
    assert_eq!(sniff(head, name), kind, "only the first bytes are examined");
    assert!(!kind.media_type.is_empty());
    let _ = kind.broken_promise(name);

    let is_text = is_text(head);
    let is_pdf = is_pdf(head, !is_text, case.name);
    let is_text_kind = kind.is_text;
    if may_be_signature(head) {
        assert!(is_text || !is_text_kind, "{kind:?}");
    } else {
        assert_eq!(kind == Kind::PDF, is_pdf, "{kind:?}");
        assert_eq!(is_text_kind, is_text && !is_pdf, "{kind:?}");
    }
    if let (true, Some(media_type)) = (is_text_kind, is_text.then(|| text_type(head, case.name))) {
        assert_eq!(kind.media_type, media_type);
    }

    let plain = head.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
    assert_eq!(is_plain(head), plain);
    if plain {
        assert_eq!(sniff_plain(all, name), kind);
    }
    check_controls(&String::from_utf8_lossy(all));
}

/// The media type of a text.
fn text_type(head: &[u8], name: &str) -> &'static str {
    let start = &head[..head.len().min(1024)];
    let is_wide = start.contains(&0);
    let visible = |byte: &u8| !is_wide || !matches!(byte, 0 | 0xFE | 0xFF);
    let bytes: Vec<u8> = start.iter().copied().filter(visible).collect();
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    // One character for each byte, so that nothing is replaced or joined.
    let text: String = bytes.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let text = text.trim_start_matches(|character: char| character.is_ascii_whitespace());
    if name == "a.ipynb" && text.starts_with('{') {
        return "application/x-ipynb+json";
    }
    markup(text).unwrap_or(match name {
        "a.svg" => "image/svg+xml",
        "a.html" => "text/html",
        "a.py" => "text/x-python",
        _ => "text/plain",
    })
}

fn check_controls(text: &str) {
    let mut expected = ControlCounts::default();
    for character in text.chars() {
        match character {
            '\0' => expected.nul += 1,
            '\t' | '\n' | '\r' => {}
            _ if character.is_control() => expected.control += 1,
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                expected.bidi += 1;
            }
            '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}' => {
                expected.invisible += 1;
            }
            _ => {}
        }
    }
    assert_eq!(count_controls(text), expected);
    assert_eq!(expected.is_clear(), expected == ControlCounts::default());
}

#[test]
fn test_types_of_files_match_their_rules() {
    run("sniffing", 1_500, case, check);
}

/// Characters that are counted, and their neighbors.
const CONTROLS: [&str; 24] = [
    "a",
    " ",
    "\n",
    "\r",
    "\t",
    "\0",
    "\u{1B}",
    "\u{7F}",
    "\u{85}",
    "\u{A0}",
    "é",
    "я",
    "中",
    "😀",
    "\u{61C}",
    "\u{200B}",
    "\u{200F}",
    "\u{2010}",
    "\u{2028}",
    "\u{202E}",
    "\u{2060}",
    "\u{2069}",
    "\u{FEFF}",
    "\u{E0041}",
];

fn characters(input: &mut Input<'_>) -> String {
    let run = |input: &mut Input<'_>| {
        let count = if input.flip() { 1 } else { input.within(1..140) };
        input.pick(&CONTROLS).repeat(count)
    };
    input.list(0..12, run).concat()
}

#[test]
fn test_control_counts_match_character_loop() {
    run("controls", 1_000, characters, |text| check_controls(text));
}
