//! Decoding, counting and cutting of characters.

use anyread_core::encoding::{Codec, detect};

use super::support::*;
use crate::input::check_random;

/// Python's codec of the reported name must encode the text to the same bytes: where the tables of the Web
/// and of Python differ, ours are those of Python.
#[test]
fn test_japanese_and_chinese_symbols_decode_as_in_python() {
    assert_eq!(decode(codec("euc-jp"), b"\xA1\xC1\xA1\xDD\xA1\xC2"), "〜−‖");
    assert_eq!(decode(codec("iso2022_jp"), b"\x1B$B!A\x1B(B~"), "〜~");
    assert_eq!(decode(codec("cp932"), b"\x81\x60"), "～");
    assert_eq!(decode(codec("big5"), b"\xA1\x45\xA2\x41"), "•／");
}

/// Each escape but the last was shown as U+FFFD, as in the WHATWG standard, where two files were joined.
#[test]
fn test_escapes_of_iso_2022_jp_in_a_row_decode_as_in_python() {
    let codec = codec("iso2022_jp");
    for escapes in [&b"\x1B(B\x1B$B"[..], b"\x1B(J\x1B(B\x1B$@\x1B$B"] {
        let bytes = [b"\x1B$B$\"", escapes, b"$$\x1B(B\x1B(B\n"].concat();
        assert_eq!(decode(codec, &bytes), "あい\n");
        assert_eq!(detect(&bytes, true).codec, codec);
        assert_eq!(codec.count_chars(&bytes), 3);
        let after_escapes = bytes.len() - 1;
        let ends: Vec<usize> = (1..=3).map(|chars| codec.skip_chars(&bytes, chars).0).collect();
        assert_eq!(ends, [5 + escapes.len(), after_escapes, bytes.len()]);
    }
}

/// If one byte sequence decodes to two characters, a skip passes both, so that paging always advances.
#[test]
fn test_skip_passes_both_characters_of_one_sequence() {
    let big5 = codec("big5");
    assert_eq!(decode(big5, b"\x88\x62a"), "\u{CA}\u{304}a");
    assert_eq!(big5.skip_chars(b"\x88\x62a", 1), (2, 2));
    assert_eq!(big5.skip_chars(b"\x88\x62a", 3), (3, 3));
}

#[test]
fn test_iso_2022_jp_is_cut_only_in_ascii_mode() {
    let codec = codec("iso2022_jp");
    check_random(80, |input| {
        let characters = [('a', 'c'), ('あ', 'お'), ('日', '日'), ('本', '本'), (' ', ' '), ('\n', '\n')];
        let text = input.text(0..31, &characters);
        let bytes = encode("iso-2022-jp", &text);
        assert_eq!(codec.count_chars(&bytes), chars(&text));
        for wanted in 0..=chars(&text) {
            let (length, found) = codec.skip_chars(&bytes, wanted);
            assert_eq!(found, wanted);
            assert_eq!(chars(&decode(codec, &bytes[..length])), wanted);
        }
        for at in 0..=bytes.len() {
            let cut = codec.floor_boundary(&bytes, at);
            assert!(cut <= at);
            if !bytes.starts_with(b"\x1B") {
                assert_eq!(decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]), text);
            }
        }
    });
}

/// Texts long enough for every fast path, with damage in the middle.
#[test]
fn test_codecs_are_consistent_on_long_texts() {
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
