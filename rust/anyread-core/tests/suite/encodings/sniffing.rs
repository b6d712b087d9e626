//! Detection of file types: text, binary, and the format.

use std::ffi::OsStr;

use anyread_core::sniff::{ControlCounts, Kind, SNIFF_BYTES, count_controls, promised_by_name, sniff};

use super::support::*;

#[test]
fn test_text_with_image_name_is_text() {
    for (bytes, name, media_type) in [
        (&b"hello\n"[..], "x.jpeg", "text/plain"),
        (b"<!DOCTYPE html>\n<html>", "x.png", "text/html"),
        (b"{\"image\": 1}", "x.png", "text/plain"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "x.png", "image/svg+xml"),
        (b"<?xml version='1.0'?>\n<!-- a -->\n<svg/>", "logo.svg", "image/svg+xml"),
        (b"", "x.png", "text/plain"),
        (b"BM is how this text begins\n", "x.bmp", "text/plain"),
        (b"GIF89a is a format\n", "x.gif", "text/plain"),
        (b"<html>no pdf</html>", "x.pdf", "text/html"),
        (b"just text", "x.pdf", "text/plain"),
    ] {
        let found = kind(bytes, name);
        assert_eq!(found, Kind::text(media_type), "{name}");
        let promised = promised_by_name(OsStr::new(name));
        assert_eq!(found.broken_promise(OsStr::new(name)), promised.filter(|_| name != "logo.svg"));
    }
}

#[test]
fn test_images_are_detected_by_content() {
    let png = [&b"\x89PNG\r\n\x1A\n"[..], &[0xA7; 2048]].concat();
    let bmp = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0";
    for (bytes, media_type) in [
        (&png[..], "image/png"),
        (b"\xFF\xD8\xFF\xE0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a\x01\0\x01\0\x80\0\0", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (bmp, "image/bmp"),
        (b"II*\0\x08\0\0\0", "image/tiff"),
        (b"MM\0*\0\0\0\x08", "image/tiff"),
        (b"\0\0\x01\0\x01\0\x10\x10\0\0", "image/vnd.microsoft.icon"),
        (b"\0\0\0\x1CftypavifZZZZavifmif1miaf", "image/avif"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", "image/avif"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "image/heic"),
    ] {
        for name in ["image", "x.txt", "x.png"] {
            assert_eq!(kind(bytes, name), Kind::binary(media_type));
        }
    }
    let jpeg = kind(b"\xFF\xD8\xFF\xE0\0\x10JFIF", "x.png");
    assert_eq!(jpeg.broken_promise(OsStr::new("x.png")), Some("image/png"));
    assert_eq!(jpeg.broken_promise(OsStr::new("x.JPG")), None);
    assert_eq!(kind(&png, "a.txt").broken_promise(OsStr::new("a.txt")), Some("text/plain"));
}

#[test]
fn test_pdf_is_detected_by_header() {
    assert_eq!(kind(b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n", "x"), Kind::PDF);
    assert_eq!(kind(b"%PDF-1.4 not really a pdf", "x.txt"), Kind::PDF);
    assert_eq!(kind(b"\xEF\xBB\xBF\n %PDF-1.4", "x"), Kind::PDF);
    assert_eq!(kind(b"junk before\n%PDF-1.4\n", "x.pdf"), Kind::PDF);
    assert_eq!(kind(b"junk\0before\n%PDF-1.4\n", "x"), Kind::PDF);
    assert_eq!(kind(b"if head.startswith(b'%PDF-1'):\n", "x.py"), Kind::text("text/x-python"));
}

#[test]
fn test_notebook_requires_extension_and_brace() {
    assert_eq!(kind(b"\xEF\xBB\xBF\n { \"cells\": []}", "a.IPYNB"), Kind::NOTEBOOK);
    assert_eq!(kind(b"{\"cells\": []}", "a.json"), Kind::text("application/json"));
    assert_eq!(kind(b"not json", "a.ipynb"), Kind::text("text/plain"));
    assert_eq!(kind(b"", "a.ipynb"), Kind::text("text/plain"));
}

#[test]
fn test_ts_file_is_text_or_transport_stream() {
    for name in ["a.ts", "a.mts", "a.cts", "a.S", "Makefile"] {
        assert_eq!(kind(b"Global const x: number = 1;\n", name), Kind::text("text/plain"));
    }
    let mut packet = [0xFF; 188];
    packet[..4].copy_from_slice(b"\x47\x40\x00\x10");
    assert_eq!(kind(&packet.repeat(8), "a.ts"), Kind::binary("video/mp2t"));
    let stamped: Vec<u8> = [&[0, 0, 0, 1], &packet[..]].concat().repeat(8);
    assert_eq!(kind(&stamped, "a.ts"), Kind::binary("video/mp2t"));
}

#[test]
fn test_binary_formats_are_detected() {
    let zip = |members: &[&str]| -> Vec<u8> {
        let mut archive = Vec::new();
        for name in members {
            archive.extend(b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
            archive.extend([u8::try_from(name.len()).unwrap(), 0, 0, 0]);
            archive.extend(name.as_bytes());
            archive.extend([0x4B, 0, 0xFF, 0x03]);
        }
        archive
    };
    let declared = [&zip(&["mimetype"])[..38], b"application/vnd.oasis.opendocument.spreadsheet"].concat();
    for (bytes, media_type) in [
        (&b"\x1F\x8B\x08\0\0\0\0\0\0\x03"[..], "application/gzip"),
        (b"\x1F\x8B\x08\x08abcd", "application/gzip"),
        (b"\x28\xB5\x2F\xFD\x24\x05", "application/zstd"),
        (b"\x7FELF\x02\x01\x01\0", "application/x-executable"),
        (b"SQLite format 3\0\x10\0", "application/vnd.sqlite3"),
        (b"\0asm\x01\0\0\0", "application/wasm"),
        (b"\xA7\x0D\x0D\x0A\0\0\0\0", "application/x-python-code"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0", "application/x-ole-storage"),
        (b"\x89HDF\r\n\x1A\n\0", "application/x-hdf5"),
        (b"P6\n2 1\n255\n\xE0\xE1\xE2\xE3\xE4\xFF", "image/x-portable-anymap"),
        (b"\0\x01\x02\x03unknown", "application/octet-stream"),
        (b"BC\xC0\xDE\0\0", "application/octet-stream"),
        (&zip(&["a.txt"]), "application/zip"),
        (
            &zip(&["[Content_Types].xml", "_rels/.rels", "word/document.xml"]),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (
            &zip(&["[Content_Types].xml", "xl/workbook.xml"]),
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        (
            &zip(&["[Content_Types].xml", "ppt/presentation.xml"]),
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ),
        (&declared, "application/vnd.oasis.opendocument.spreadsheet"),
    ] {
        assert_eq!(kind(bytes, "renamed.bin"), Kind::binary(media_type), "{media_type}");
    }
    // The window may contain only the first members of a document.
    let hidden = kind(&zip(&["[Content_Types].xml"]), "a.docx");
    assert_eq!(hidden.media_type, "application/vnd.openxmlformats-officedocument.wordprocessingml.document");
}

#[test]
fn test_controls_and_nuls_distinguish_text_from_binary() {
    assert!(is_text(b"\x1B[31mred\x1B[0m\x07 bell\n and some more text to go with it"));
    assert!(is_text("tab\t form\u{C} vertical\u{B} back\u{8}space".as_bytes()));
    assert!(is_text(&[&b"a".repeat(90)[..], &[1; 10]].concat()));
    assert!(is_binary(&[&b"a".repeat(89)[..], &[1; 11]].concat()));
    assert!(is_binary(b"one\0nul"));
    assert!(is_text("\"\u{2028}\u{2029}\u{7F}\"".as_bytes()));
    assert!(is_binary(b"\xE9\x01\xE8a\xFF"));
    let late = [&b"line\n".repeat(2000)[..], b"\0"].concat();
    assert!(late.len() > SNIFF_BYTES && is_text(&late));
    assert!(
        is_binary(&[&b"\xFF\xFE"[..], &[0, 0xD8, 1, 0].repeat(40)].concat()),
        "a mark alone proves nothing"
    );
    for (label, text) in
        [("koi8-r", RUSSIAN), ("gbk", SIMPLIFIED), ("shift_jis", JAPANESE), ("iso-2022-jp", JAPANESE)]
    {
        assert!(is_text(&encode(label, text)), "{label}");
    }
}

#[test]
fn test_control_counts_by_category() {
    let counts = count_controls(
        "a\0b\u{1B}[0m\u{7F}\u{9B}\u{202E}x\u{2066}\u{200F}\u{61C}\u{200B}\u{FEFF}\u{E0041}\r\n\t",
    );
    assert_eq!(counts, ControlCounts { nul: 1, control: 3, bidi: 4, invisible: 3 });
    assert!(count_controls(&format!("{RUSSIAN}{JAPANESE}{FRENCH}\n").repeat(20)).is_clear());
    // At every position relative to the blocks that are examined together.
    for padding in 0..300 {
        let text = "中".repeat(padding) + "\u{202E}" + &"é".repeat(padding);
        assert_eq!(count_controls(&text), ControlCounts { bidi: 1, ..ControlCounts::default() });
    }
}

#[test]
fn test_short_line_with_nul_is_binary_unless_utf16() {
    let kind = |bytes: &[u8]| sniff(bytes, OsStr::new("a.txt"));
    assert!(!kind(b"a\0b\n").is_text);
    for text in ["ab\n", "hi", "\u{10A}b\n"] {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(kind(&bytes).is_text, "{text:?}");
    }
}

/// The type was text because of its NULs, but the byte-order mark made it UTF-8, so that NULs were shown.
#[test]
fn test_utf16_after_mark_of_utf8_is_binary() {
    let utf16 = utf16("plain words\n", false);
    assert!(is_text(&utf16));
    for mark in [&b"\xEF\xBB\xBF"[..], b"\x84\x31\x95\x33"] {
        assert!(is_binary(&[mark, &utf16].concat()));
    }
}
