//! Decoding, counting and cutting of characters.

use std::ffi::OsStr;

use anyread_core::encoding::{Codec, detect};
use anyread_core::sniff::{ControlCounts, count_controls, sniff};
use encoding_rs::Encoding;
use proptest::prelude::*;

use super::support::*;

/// One U+FFFD for each maximal subpart, as Unicode recommends and Python and Rust do.
#[test]
fn test_utf8_replaces_maximal_subparts() {
    for (bytes, expected) in [
        (&b"\x80"[..], "\u{FFFD}"),
        (b"\xC0\xAF", "\u{FFFD}\u{FFFD}"),
        (b"\xE0\x80\xAF", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xF0\x80\x80\xAF", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xED\xA0\x80", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xF0\x9F\x98", "\u{FFFD}"),
        (b"\xF4\x90\x80\x80", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xE1\x80A", "\u{FFFD}A"),
    ] {
        let mut text = String::from("before ");
        assert!(Codec::Utf8.decode_into(bytes, &mut text));
        assert_eq!(text, format!("before {expected}"), "{bytes:X?}");
        assert_eq!(Codec::Utf8.count_chars(bytes), chars(expected));
    }
    assert!(!Codec::Utf8.decode_into("é😀".as_bytes(), &mut String::new()));
}

#[test]
fn test_wide_encodings_replace_one_for_each_unit() {
    for big_endian in [false, true] {
        let utf16 = Codec::Utf16 { big_endian };
        let bytes = |units: &[u16]| -> Vec<u8> {
            units
                .iter()
                .flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
                .collect()
        };
        let lone = bytes(&[0x61, 0xD83D, 0x62, 0xDE00, 0xD83D, 0xD83D, 0xDE00]);
        assert_eq!(decode(utf16, &lone), "a\u{FFFD}b\u{FFFD}\u{FFFD}😀");
        let mut odd = bytes(&[0x61, 0xD83D]);
        odd.push(0x61);
        assert_eq!(decode(utf16, &odd), "a\u{FFFD}\u{FFFD}");
        assert_eq!(utf16.count_chars(&odd), 3);

        let utf32 = Codec::Utf32 { big_endian };
        let mut bytes: Vec<u8> = [0x61_u32, 0xD800, 0x11_0000, 0x1_F600]
            .iter()
            .flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect();
        assert_eq!(decode(utf32, &bytes), "a\u{FFFD}\u{FFFD}😀");
        bytes.extend([0, 0]);
        assert_eq!(decode(utf32, &bytes), "a\u{FFFD}\u{FFFD}😀\u{FFFD}");
    }
}

/// What the codec of the reported name encodes must be what was decoded: where the Web's and Python's tables
/// differ, ours are Python's.
#[test]
fn test_japanese_and_chinese_signs_decode_as_in_python() {
    assert_eq!(decode(codec("euc-jp"), b"\xA1\xC1\xA1\xDD\xA1\xC2"), "〜−‖");
    assert_eq!(decode(codec("iso2022_jp"), b"\x1B$B!A\x1B(B~"), "〜~");
    assert_eq!(decode(codec("cp932"), b"\x81\x60"), "～");
    assert_eq!(decode(codec("big5"), b"\xA1\x45\xA2\x41"), "•／");
}

/// Two characters for one sequence: the skip goes past both, so that whoever pages by it advances.
#[test]
fn test_skip_passes_both_characters_of_one_sequence() {
    let big5 = codec("big5");
    assert_eq!(decode(big5, b"\x88\x62a"), "\u{CA}\u{304}a");
    assert_eq!(big5.skip_chars(b"\x88\x62a", 1), (2, 2));
    assert_eq!(big5.skip_chars(b"\x88\x62a", 3), (3, 3));
}

const FAMILIES: &[&str] = &[
    "utf-8",
    "utf-16-le",
    "utf-16-be",
    "utf-32-le",
    "utf-32-be",
    "latin-1",
    "windows-1252",
    "windows-1253",
    "koi8-r",
    "cp874",
    "gb18030",
    "big5",
    "cp932",
    "euc-jp",
    "cp949",
];

/// Bytes that are special in one encoding or another, among any others.
fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => any::<u8>(),
        2 => prop::sample::select(&b"a0 \n\x80\x81\x8E\x8F\xA0\xA1\xBF\xC2\xE2\xED\xF0\xF4\xFE\xFF"[..]),
        2 => prop::sample::select(&b"\x00\x30\x31\x39\x40\x7E\x88\x62\xD8\xD9\xDC\xDF"[..]),
    ];
    prop::collection::vec(byte, 0..48)
}

/// Text in scripts of one to four bytes.
fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(&['a', '\n', 'é', 'я', '中', 'の', '한', '😀', '\u{FEFF}'][..]),
        0..40,
    )
    .prop_map(|characters| characters.into_iter().collect())
}

/// Checks everything that can be asked about `bytes` against `decode_into`.
fn check_codec(codec: Codec, bytes: &[u8]) {
    let whole = decode(codec, bytes);
    let total = chars(&whole);
    assert_eq!(codec.count_chars(bytes), total);
    for wanted in 0..=total + 1 {
        let (length, found) = codec.skip_chars(bytes, wanted);
        assert!(found == wanted.min(total) || found == wanted + 1, "{wanted} → {found} of {total}");
        assert_eq!(found == total, length == bytes.len(), "{wanted} → {length}");
        assert_eq!(chars(&decode(codec, &bytes[..length])), found);
        assert_eq!(decode(codec, &bytes[..length]) + &decode(codec, &bytes[length..]), whole);
    }
    for at in 0..=bytes.len() {
        if let Some(found) = codec.boundary(bytes, at) {
            assert!(found >= at && found < at + 4);
            assert_eq!(
                decode(codec, &bytes[..found]) + &decode(codec, &bytes[found..]),
                whole,
                "boundary {at}"
            );
        }
        let found = codec.floor_boundary(bytes, at);
        assert!(found <= at && found + codec.max_char_bytes() > at, "floor {at} → {found}");
        assert_eq!(decode(codec, &bytes[..found]) + &decode(codec, &bytes[found..]), whole, "floor {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn test_every_codec_agrees_with_itself_on_any_bytes(bytes in hostile_bytes()) {
        for family in FAMILIES {
            check_codec(codec(family), &bytes);
        }
    }

    #[test]
    fn test_every_codec_agrees_with_itself_on_text(text in any_text()) {
        check_codec(Codec::Utf8, text.as_bytes());
        for big_endian in [false, true] {
            check_codec(Codec::Utf16 { big_endian }, &utf16(&text, big_endian));
        }
        for label in ["gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"] {
            let (bytes, _, _) = Encoding::for_label(label.as_bytes()).unwrap().encode(&text);
            check_codec(codec(label), &bytes);
        }
    }

    #[test]
    fn test_utf8_decodes_as_the_standard_library_does(bytes in hostile_bytes()) {
        prop_assert_eq!(decode(Codec::Utf8, &bytes), String::from_utf8_lossy(&bytes));
    }

    /// A boundary is found in a window that starts anywhere, and is one of the whole.
    #[test]
    fn test_boundary_holds_in_a_window(bytes in hostile_bytes(), start in 0..24_usize, at in 0..24_usize) {
        for label in ["utf-8", "utf-16-le", "utf-16-be", "utf-32-be"] {
            let codec = codec(label);
            let start = (start / codec.unit() * codec.unit()).min(bytes.len() / codec.unit() * codec.unit());
            let Some(found) = codec.boundary(&bytes[start..], at) else { continue };
            let cut = start + found;
            prop_assert_eq!(decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]), decode(codec, &bytes));
        }
    }

    #[test]
    fn test_iso_2022_jp_is_cut_where_it_is_ascii(text in "[a-c あ-お日本語\n]{0,30}") {
        let codec = codec("iso2022_jp");
        let bytes = encode("iso-2022-jp", &text);
        prop_assert_eq!(codec.count_chars(&bytes), chars(&text));
        for wanted in 0..=chars(&text) {
            let (length, found) = codec.skip_chars(&bytes, wanted);
            prop_assert_eq!(found, wanted);
            prop_assert_eq!(chars(&decode(codec, &bytes[..length])), wanted);
        }
        for at in 0..=bytes.len() {
            let cut = codec.floor_boundary(&bytes, at);
            prop_assert!(cut <= at);
            if !bytes.starts_with(b"\x1B") {
                prop_assert_eq!(decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]), &text[..]);
            }
        }
    }

    #[test]
    fn test_detection_and_sniffing_take_any_bytes(bytes in hostile_bytes(), complete: bool) {
        let detected = detect(&bytes, complete);
        prop_assert!((0.0..=1.0).contains(&detected.confidence));
        prop_assert!(detected.bom_len <= bytes.len());
        prop_assert!(!sniff(&bytes, OsStr::new("x.ipynb")).media_type().is_empty());
    }

    #[test]
    fn test_controls_are_counted_as_one_by_one(text in "[a-z\n\r\t\u{0}\u{1B}\u{7F}\u{85}éя中\u{200B}-\u{200F}\u{2028}-\u{2030}\u{2060}-\u{206A}\u{61C}\u{FEFF}\u{E0041}😀]{0,300}") {
        let mut expected = ControlCounts::default();
        for character in text.chars() {
            match character {
                '\0' => expected.nul += 1,
                '\t' | '\n' | '\r' => {}
                _ if character.is_control() => expected.control += 1,
                '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => expected.bidi += 1,
                '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}' => expected.invisible += 1,
                _ => {}
            }
        }
        prop_assert_eq!(count_controls(&text), expected);
        prop_assert_eq!(expected.is_clear(), expected == ControlCounts::default());
    }
}

/// Long enough for every fast path, with damage in the middle.
#[test]
fn test_long_texts_agree_with_themselves() {
    let unit = "2024-01-01 héllo мир 中文字 😀\n";
    let mut utf8: Vec<u8> = unit.bytes().cycle().take(200_000).collect();
    utf8[100_000..100_004].copy_from_slice(b"\xFF\xE4\x80\xF0");
    let gbk: Vec<u8> = encode("gb18030", unit).into_iter().cycle().take(200_000).collect();
    let wide: Vec<u8> = utf16(unit, false).into_iter().cycle().take(200_000).collect();
    for (codec, bytes) in [(Codec::Utf8, utf8), (codec("gbk"), gbk), (codec("utf-16-le"), wide)] {
        let whole = decode(codec, &bytes);
        assert_eq!(codec.count_chars(&bytes), chars(&whole));
        for wanted in [1, 1000, 50_000, 60_000, 60_001, 1 << 40] {
            let (length, found) = codec.skip_chars(&bytes, wanted);
            assert_eq!(found, wanted.min(chars(&whole)));
            let expected: String = whole.chars().take(usize::try_from(wanted).unwrap()).collect();
            assert_eq!(decode(codec, &bytes[..length]), expected);
        }
        for at in [99_999, 100_000, 100_001, 100_002, 150_003] {
            let cut = codec.floor_boundary(&bytes, at);
            assert!(at - cut < codec.max_char_bytes());
            assert_eq!(decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]), whole);
        }
    }
}
