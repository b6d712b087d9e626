use std::path::Path;

use super::*;
use crate::encoding::Codec;
use crate::page::LineRule;
use crate::scan::{LineEnds, Never};
use crate::source::Source;
use crate::text::TextPlan;

const ALL: Scope =
    Scope { from: (1, 1), last_line: u64::MAX, limit: usize::MAX, max_line_chars: u64::MAX, exact: true };

fn pattern(text: &str) -> Pattern {
    Pattern::new(text, false).unwrap()
}

fn search(bytes: &[u8], codec: Codec, ends: LineEnds, text: &str, scope: &Scope) -> Hits {
    let (source, path) = (Source::Memory(bytes), Path::new(""));
    let lines = LineRule { ends, ..LineRule::READER };
    let plan = TextPlan::decide(source, path, Some(codec), ends).unwrap();
    let view = View { source, path, plan, lines, shared: None, interrupt: &Never };
    find(&view, &pattern(text), scope).unwrap()
}

fn lines_of(hits: &Hits) -> Vec<u64> {
    hits.hits.iter().map(|hit| hit.line).collect()
}

fn encoded(text: &str, codec: Codec) -> Vec<u8> {
    match codec {
        Codec::Utf16 { .. } => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Codec::Utf32 { .. } => text.chars().flat_map(|each| u32::from(each).to_le_bytes()).collect(),
        _ => text.as_bytes().to_vec(),
    }
}

#[test]
fn test_lines_at_the_borders_of_windows_are_found_once() {
    let utf16 = Codec::Utf16 { big_endian: false };
    let utf32 = Codec::Utf32 { big_endian: false };
    let gb18030 = Codec::from_label("gb18030").unwrap();
    for (codec, ends, ending) in [
        (Codec::Utf8, LineEnds::Detected, "\n"),
        (Codec::Utf8, LineEnds::Detected, "\r\n"),
        (Codec::Utf8, LineEnds::Detected, "\r"),
        (Codec::Utf8, LineEnds::LfCrlfCr, "\r\n"),
        (Codec::Utf8, LineEnds::LfCrlfCr, "\r"),
        (Codec::Utf8, LineEnds::SplitLines, "\u{2028}"),
        (Codec::Utf8, LineEnds::SplitLines, "\r\n"),
        (utf16, LineEnds::Detected, "\r\n"),
        (utf16, LineEnds::LfCrlfCr, "\r\n"),
        (utf32, LineEnds::SplitLines, "\u{2029}"),
        (gb18030, LineEnds::Detected, "\n"),
    ] {
        let width = codec.unit() as u64;
        for shift in 0..24 {
            // A line of 12 characters goes over the border of the first two windows, or touches it.
            let before = to_usize(FIRST_WINDOW / width) - shift;
            let filler = format!("ab{ending}").repeat(before / (2 + ending.len()));
            let rest = "x".repeat(before - filler.chars().count());
            let text = format!("{filler}{rest}needle{ending}other needle{ending}end");
            let bytes = encoded(&text, codec);
            let hits = search(&bytes, codec, ends, "needle$", &ALL);
            let line = filler.matches(ending).count() as u64 + 1;
            assert_eq!(lines_of(&hits), [line, line + 1], "{codec:?} {ends:?} {ending:?} {shift}");
            assert_eq!((hits.total, hits.looked_to_line), (2, line + 2));
        }
    }
}

#[test]
fn test_lines_after_one_that_fills_windows_keep_their_numbers() {
    for length in (40_000..1_300_000).step_by(90_001) {
        let long = "x".repeat(length);
        let text = format!("a\n{long}\nneedle\n{long}{long}\n{}needle", "b\n".repeat(90_000));
        let hits = search(text.as_bytes(), Codec::Utf8, LineEnds::Detected, "needle", &ALL);
        assert_eq!((lines_of(&hits), hits.looked_to_line), (vec![3, 90_005], 90_005), "{length}");
    }
}

#[test]
fn test_parts_of_an_endless_line_are_hits_of_their_own() {
    for codec in [Codec::Utf8, Codec::Utf16 { big_endian: false }] {
        let mut chars = vec!['é'; 5 << 20];
        let mut expected = Vec::new();
        for at in [0, 999, 1000, 1001, 65_535, 600_000, (1 << 20) - 2, 3_000_000, (5 << 20) - 3] {
            chars[at..at + 3].copy_from_slice(&['a', 'b', 'c']);
            if expected.last().is_none_or(|column: &u64| (column - 1) / 1000 != at as u64 / 1000) {
                expected.push(at as u64 + 1);
            }
        }
        let text: String = chars.into_iter().collect();
        let bytes = encoded(&format!("first abc\n{text}\nabc\n"), codec);
        let scope = Scope { max_line_chars: 1000, ..ALL };
        let hits = search(&bytes, codec, LineEnds::Detected, "a?bc", &scope);
        // "abc" at 999 and 1000 overlap, and the later ones win.
        let found: Vec<_> = hits.hits.iter().filter(|hit| hit.line == 2).map(|hit| hit.column).collect();
        assert_eq!(found[0], 1);
        assert_eq!(found.last(), expected.last());
        assert_eq!((hits.hits[0], hits.hits.last().unwrap().line), (Hit { line: 1, column: 7 }, 3));
        assert_eq!(hits.total, found.len() as u64 + 2);
        // Each hit is also the first one from its column on, and from the column after the last hit.
        for pair in hits.hits.windows(2) {
            for from in [(pair[1].line, pair[1].column), (pair[0].line, pair[0].column + 1)] {
                let scope = Scope { from, limit: 1, exact: false, max_line_chars: 1000, ..ALL };
                let next = search(&bytes, codec, LineEnds::Detected, "a?bc", &scope);
                assert!(next.hits[0] <= pair[1] || next.hits == [pair[1]], "{from:?}");
            }
        }
    }
}

#[test]
fn test_context_before_a_column_is_seen() {
    let scope = Scope { from: (1, 4), ..ALL };
    for (text, found) in
        [("^bar", false), (r"\bbar", false), (r"\Bbar", true), ("bar$", true), ("obar", false)]
    {
        let hits = search(b"foobar\r\nx", Codec::Utf8, LineEnds::Detected, text, &scope);
        assert_eq!(hits.total == 1, found, "{text}");
    }
    let beyond = Scope { from: (1, 100), ..ALL };
    let hits = search(b"foo\nfoo\n", Codec::Utf8, LineEnds::Detected, "foo", &beyond);
    assert_eq!(lines_of(&hits), [2]);
}

#[test]
fn test_limit_and_last_line_end_a_search() {
    let text = "hit\nmiss\n".repeat(100_000);
    let of = |scope: &Scope| search(text.as_bytes(), Codec::Utf8, LineEnds::Detected, "HIT|hit", scope);
    let some = of(&Scope { limit: 3, exact: false, ..ALL });
    assert_eq!(lines_of(&some), [1, 3, 5]);
    assert_eq!((some.next, some.total, some.is_exact), (Some(Hit { line: 7, column: 1 }), 4, false));
    let exact = of(&Scope { limit: 3, ..ALL });
    assert_eq!((exact.hits, exact.next, exact.total), (some.hits, some.next, 100_000));
    for (last_line, total) in [(1, 1), (2, 1), (3, 2), (150_001, 75_001), (199_999, 100_000)] {
        let hits = of(&Scope { last_line, limit: 1, ..ALL });
        assert_eq!((hits.total, hits.looked_to_line), (total, last_line));
    }
    let all = of(&Scope { last_line: 200_000, limit: 1, ..ALL });
    assert_eq!((all.total, all.looked_to_line), (100_000, 200_000));
}

#[test]
fn test_bytes_that_are_not_utf8_do_not_stop_a_search() {
    let bytes = b"\xEF\xBB\xBFfirst\n\xFF\xFE caf\xC3\xA9\n\0 last";
    for (text, line) in [("^first", 1), ("café", 2), (r"\bcaf", 2), ("last$", 3)] {
        let hits = search(bytes, Codec::Utf8, LineEnds::Detected, text, &ALL);
        assert_eq!(lines_of(&hits), [line], "{text}");
    }
}

#[test]
fn test_case_is_ignored_unless_the_pattern_has_an_uppercase_letter() {
    for (text, is_found) in [
        ("error", true),
        ("Error", false),
        (r"\S+error", false),
        (r"\berror", true),
        (r"\Wx?error|\Serror", false),
        (r"\x65rror", true),
        (r"\x45rror", false),
        (r"\x45RROr", false),
        ("[a-e]rror", true),
        ("[A-e]rror", false),
        (r"\p{Lu}rror", true),
        (r"\w{5}", true),
    ] {
        assert_eq!(pattern(text).is_match("ERROR") && !pattern(text).is_match("ERRO"), is_found, "{text}");
    }
}

#[test]
fn test_patterns_that_cannot_be_used_are_refused() {
    let code = |text: &str| Pattern::new(text, false).map_err(|error| error.code());
    for (text, expected) in [
        ("", "empty"),
        ("a*", "empty"),
        (r"^\s*$", "empty"),
        (r"\b", "empty"),
        ("a|", "empty"),
        ("a\nb", "line_end"),
        (r"a\r\n", "line_end"),
        (r"[\r\n]", "line_end"),
        (r"(?<=a)b", "look_around"),
        (r"a(?!b)", "look_around"),
        (r"(a)\1", "back_reference"),
        (r"(?P<n>a)(?P=n)", "back_reference"),
        (r"\w{100}{100}", "too_large"),
        (&format!("{}a{}", "(".repeat(300), ")".repeat(300)), "too_large"),
    ] {
        assert_eq!(code(text).unwrap_err(), expected, "{text}");
    }
    assert_eq!(Pattern::new(&"a".repeat(10_001), true).unwrap_err().code(), "too_long");
    assert!(Pattern::new(&"é".repeat(10_000), false).is_ok());
    assert_eq!(Pattern::new(r"x(?<!a)b", false).unwrap_err().detail(), "(?<!");
    assert_eq!(Pattern::new("a\n", true).unwrap_err(), PatternError::LineEnd);
}

#[test]
fn test_other_syntax_is_matched_as_it_is() {
    for text in ["main(", "a[1", "*x", "x{2,1}", r"C:\users", r"\p{Nothing}"] {
        let pattern = pattern(text);
        assert!(pattern.is_literal() && pattern.is_match(&format!("see {text} here")), "{text}");
    }
    assert!(!pattern("a.b").is_literal());
    let literal = Pattern::new("a.b", true).unwrap();
    assert!(literal.is_literal() && literal.is_match("A.B") && !literal.is_match("axb"));
    assert_eq!(pattern("b$").find(b"ab\r\n"), Some(1..2));
}
