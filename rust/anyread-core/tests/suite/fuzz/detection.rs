//! Detection of encodings: the rules that are certain, and what holds for every guess.

use anyread_core::encoding::{Codec, detect, is_slow_to_detect, with_codec};

use super::run;
use super::texts::{encoded, text};
use crate::encodings::support::decode;
use crate::input::Input;

const MARKS: [(&[u8], &str); 6] = [
    (b"\xEF\xBB\xBF", "utf-8"),
    (b"\xFF\xFE\0\0", "utf-32-le"),
    (b"\0\0\xFE\xFF", "utf-32-be"),
    (b"\xFF\xFE", "utf-16-le"),
    (b"\xFE\xFF", "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
];

const STARTS: [&[u8]; 8] = [b"", b"", MARKS[0].0, MARKS[3].0, MARKS[4].0, MARKS[1].0, MARKS[2].0, MARKS[5].0];

const DECLARATIONS: [&[u8]; 10] = [
    b"",
    b"",
    b"",
    b"# -*- coding: latin-1 -*-\n",
    b"#!/bin/sh\n# vim: set fileencoding=koi8-r :\n",
    b"<?xml version=\"1.0\" encoding=\"Shift_JIS\"?>",
    b"<?xml version='1.0' encoding='utf-16'?>\n",
    b"<html><head><meta charset=windows-1251>",
    b"<meta http-equiv=\"Content-Type\" content=\"text/html; charset=big5\">",
    b"@charset \"cp037\";",
];

const CODECS: [&str; 14] = [
    "utf-8",
    "utf-8",
    "utf-16-le",
    "utf-16-be",
    "utf-32-le",
    "utf-32-be",
    "windows-1252",
    "koi8-r",
    "gb18030",
    "big5",
    "cp932",
    "euc-jp",
    "cp949",
    "iso2022_jp",
];

const WORDS: [&str; 12] = [
    "the ",
    "être ",
    "Все люди ",
    "права. ",
    "人人生而自由",
    "すべての人間は",
    "모든 인간은 ",
    "ελεύθεροι ",
    "יולד ",
    "zażółć ",
    "\u{85}",
    "\u{1B}$B",
];

#[derive(Debug)]
struct Case {
    codec: Codec,
    head: Vec<u8>,
    is_complete: bool,
}

fn case(input: &mut Input<'_>) -> Case {
    let codec = Codec::from_label(input.pick(&CODECS)).unwrap();
    let is_complete = input.flip();
    let (mark, declaration) = (input.pick(&STARTS), input.pick(&DECLARATIONS));
    let words = input.list(0..30, |input| input.pick(&WORDS)).concat();
    let repeat = if input.flip() { 1 } else { input.within(1..40) };
    let text = if input.flip() { text(input, 4, 40) } else { input.list(0..80, Input::byte) };
    let (words, text) = (encoded(words.as_bytes(), codec).1, encoded(&text, codec).1);
    let mut head = [mark, declaration, &words.repeat(repeat), &text].concat();
    if input.flip() && !head.is_empty() {
        let at = input.within(0..head.len());
        head[at] = input.byte();
    }
    head.truncate(head.len().saturating_sub(input.within(0..5)));
    Case { codec, head, is_complete }
}

fn check(case: &Case) {
    let Case { codec, head, is_complete } = case;
    let detected = detect(head, *is_complete);
    assert!((0.0..=1.0).contains(&detected.confidence));
    assert_eq!(Codec::from_label(detected.codec.name()), Some(detected.codec), "the name can be passed back");
    assert!(!detected.stands_in || detected.confidence < 0.5, "{detected:?}");
    decode(detected.codec, &head[detected.bom_len..]);

    // A mark decides, alone.
    let mark = MARKS.iter().find(|(mark, _)| head.starts_with(mark));
    match mark {
        Some((mark, name)) => {
            assert_eq!((detected.codec.name(), detected.bom_len), (*name, mark.len()));
            // Lines of ASCII in UTF-16 make it doubtful.
            let is_doubtful = detected.codec.unit() == 2 && detected.confidence < 0.5;
            assert!((detected.confidence - 1.0).abs() < f32::EPSILON || is_doubtful);
        }
        None => assert_eq!(detected.bom_len, 0),
    }
    // A declaration that is followed names the codec.
    if let Some(declared) = detected.declared {
        assert_eq!(declared.followed, declared.name == Some(detected.codec.name()), "{detected:?}");
    }
    // Valid UTF-8 is UTF-8, unless NULs, an escape or C1 controls suggest otherwise.
    let end = match std::str::from_utf8(head) {
        Ok(_) => head.len(),
        Err(error) if error.error_len().is_none() && !is_complete => error.valid_up_to(),
        Err(_) => 0,
    };
    let is_odd = |character: char| {
        character < '\u{8}' || character == '\u{1B}' || ('\u{80}'..'\u{A0}').contains(&character)
    };
    if let Ok(text) = std::str::from_utf8(&head[..end])
        && end > 0
        && mark.is_none()
        && !text.contains(is_odd)
    {
        assert_eq!(detected.codec, Codec::Utf8, "{text:?}");
        assert!((detected.confidence - 1.0).abs() < f32::EPSILON);
        assert!(!is_slow_to_detect(head));
    }
    // The codec that the caller names is used, in the byte order of a mark.
    let named = with_codec(*codec, head);
    assert_eq!(named.codec.unit(), codec.unit());
    assert!(named.codec == *codec || named.bom_len == codec.unit());
    assert!(
        named.bom_len == 0
            || MARKS.iter().any(|(mark, name)| head.starts_with(mark) && *name == named.codec.name())
    );
}

#[test]
fn test_detection_follows_certain_rules() {
    run("detection", 400, case, check);
}
