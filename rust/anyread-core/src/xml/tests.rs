//! Documents as events.

use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::allowed::Allowed;
use crate::error::ErrorKind;
use crate::inflate::{Checkpoints, Packed};
use crate::input::{Input, check_random};
use crate::scan::Never;
use crate::source::Source as Bytes;
use crate::stream::Stream;

/// The events of a document, one in each line.
fn events(document: &[u8]) -> Result<String> {
    let (allowed, end) = (Allowed::new(1 << 30), document.len() as u64);
    let file = Stream::new(Bytes::Memory(document), Path::new("a"), &Never, 0..end);
    let packed = Packed { begin: 0, end, is_deflated: false, content: None };
    let mut xml = Xml::new(Inflated::new(&file, packed, Checkpoints::new(u64::MAX), &allowed)?)?;
    let mut shown = String::new();
    loop {
        match xml.next()? {
            Event::Start(tag) => {
                write!(shown, "<{}", tag.name).unwrap();
                for (prefix, name, _) in tag.attributes() {
                    let value = if prefix.is_empty() { tag.get(name) } else { tag.prefixed(name) };
                    write!(shown, " {prefix}|{name}={:?}", value.unwrap()).unwrap();
                }
                shown.push('\n');
            }
            Event::End(name) => writeln!(shown, "/{name}").unwrap(),
            Event::Text(text, 0) => writeln!(shown, "{text:?}").unwrap(),
            Event::Text(text, left_out) => writeln!(shown, "{} bytes and {left_out}", text.len()).unwrap(),
            Event::Done => return Ok(shown),
        }
    }
}

#[test]
fn test_events_of_a_document() {
    let document = b"\xEF\xBB\xBF<?xml version='1.0'?><!DOCTYPE x SYSTEM \"a>b\">\n<!-- <a> -->\
        <x:a b = 'a>\"&lt;' r:id=\"1\"\tid='2' ><b/>t&amp;&#x41;&#66;&unknown;&\r\n<![CDATA[<&amp;>]]></x:a >";
    let expected =
        "\"\\n\"\n<a |b=\"a>\\\"<\" r|id=\"1\" |id=\"2\"\n<b\n/b\n\"t&AB&unknown;&\\n\"\n\"<&amp;>\"\n/a\n";
    assert_eq!(events(document).unwrap(), expected);
}

#[test]
fn test_other_encodings_are_decoded() {
    let text = "<?xml version=\"1.0\" encoding=\"x\"?><a b='ä'>€𝄞</a>";
    let expected = "<a |b=\"ä\"\n\"€𝄞\"\n/a\n";
    let wide = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    assert_eq!(events(&[b"\xFF\xFE", &wide(u16::to_le_bytes)[..]].concat()).unwrap(), expected);
    assert_eq!(events(&wide(u16::to_be_bytes)).unwrap(), expected);
    assert_eq!(events(text.as_bytes()).unwrap(), expected);
    let latin = b"<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>";
    assert_eq!(events(latin).unwrap(), "<a\n\"€\"\n/a\n");
    assert_eq!(events(b"<a>\xFF</a>").unwrap(), "<a\n\"\u{FFFD}\"\n/a\n");
}

#[test]
fn test_what_no_document_has_is_refused() {
    let deep = "<a>".repeat(257);
    let long = format!("<a b='{}'/>", "x".repeat(2 << 20));
    for document in [
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<a",
        "<a><b></b>",
        "</a>",
        "<a><!-- </a>",
        "<a><![CDATA[ </a>",
        &deep,
        &long,
    ] {
        let outcome = events(document.as_bytes());
        let kind = outcome.expect_err(document.get(..40).unwrap_or(document)).kind;
        assert!(matches!(kind, ErrorKind::Damaged { .. }), "{kind:?}");
    }
    assert!(events("<a>".repeat(256).as_bytes()).unwrap_err().to_string().contains("too early"));
}

#[test]
fn test_long_texts_are_counted() {
    let text = |text: &str| events(format!("<a>{text}</a>").as_bytes()).unwrap();
    assert_eq!(text(&"x".repeat(KEPT - 1)).len(), KEPT + 8);
    assert_eq!(text(&"x".repeat(1 << 20)), "<a\n262143 bytes and 786433\n/a\n");
    assert_eq!(text(&"€".repeat(100_000)), "<a\n262143 bytes and 12619\n/a\n");
    let cut_entity = format!("{}&amp;{}", "x".repeat(KEPT - 3), "y".repeat(9));
    assert!(text(&cut_entity).starts_with("<a\n262141 bytes and "), "an entity is not cut");
}

/// Writes a random tree, and what its events are.
fn write_tree(input: &mut Input<'_>, depth: usize, document: &mut String, expected: &mut String) {
    let name = input.pick(&["a", "row", "c"]);
    let value = input.text(0..4, &[('<', '>'), ('a', 'c'), ('€', '€')]);
    let escaped = value.replace('<', "&lt;").replace('>', if input.flip() { "&gt;" } else { ">" });
    write!(document, "<{name} v=\"{escaped}\">").unwrap();
    writeln!(expected, "<{name} |v={value:?}").unwrap();
    for _ in 0..input.within(0..4) {
        let length = input.pick(&[1, 10, 20_000]);
        let text = "t€".repeat(length);
        match input.within(0..4) {
            0 if depth < 5 => write_tree(input, depth + 1, document, expected),
            1 => {
                write!(document, "<!-- {text} <a> -->").unwrap();
            }
            _ => {
                // Texts that follow one another are one text.
                write!(document, "<![CDATA[{text}]]>").unwrap();
                writeln!(expected, "{}", if text.len() < KEPT { format!("{text:?}") } else { String::new() })
                    .unwrap();
            }
        }
    }
    write!(document, "</{name}>").unwrap();
    writeln!(expected, "/{name}").unwrap();
}

#[test]
fn test_events_of_random_trees() {
    check_random(200, |input| {
        let (mut document, mut expected) = (String::new(), String::new());
        write_tree(input, 0, &mut document, &mut expected);
        let shown = events(document.as_bytes()).unwrap();
        let expected: Vec<&str> = expected.lines().collect();
        let shown: Vec<&str> = shown.lines().collect();
        assert_eq!(shown.len(), expected.len());
        assert!(
            shown.iter().zip(&expected).all(|(shown, expected)| expected.is_empty() || shown == expected)
        );
    });
}

#[test]
fn test_mutants_of_a_document_end() {
    let document = b"<?xml version='1.0'?><a b='c'><!--d--><e/>f&amp;<![CDATA[g]]></a>";
    check_random(2_000, |input| {
        let mut mutant = document.to_vec();
        for _ in 0..input.within(1..4) {
            let at = input.within(0..mutant.len());
            mutant[at] = input.pick(b"<>/!-[]&;'\"= a\xFF\0");
        }
        drop(events(&mutant));
    });
}
