//! What a file is, by its first bytes.
//!
//! Bytes decide, names do not: a text under `.png` is text and an image under `.txt` is an image.
//! The name matters where bytes cannot tell (a notebook is JSON) and for the notice that it promised something
//! else.

mod controls;
mod names;
mod signatures;

use std::ffi::OsStr;

use memchr::{memchr, memmem};

use crate::encoding::{Codec, has_iso_2022_shift, mark, wide_by_nul_parity};
use names::is_textual;
use signatures::Format;

pub use controls::{ControlCounts, count_controls, is_plain};
pub use names::promised_by_name;

/// How many bytes decide: more are not looked at.
pub const SNIFF_BYTES: usize = 8 * 1024;

/// How far into a file the header of a PDF may be, in bytes.
///
/// Source: ISO 32000-1, implementation note 13 of PDF Reference 1.7.
const PDF_HEADER_BYTES: usize = 1024;

/// Within how many bytes the first element of a document of markup is looked for.
const MARKUP_BYTES: usize = 1024;

/// The share of control bytes that no text has, one in as many.
const TEXT_BYTES_A_CONTROL: usize = 10;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text, in whatever encoding.
    Text {
        /// `text/plain`, or what contents and name agree on.
        media_type: &'static str,
    },
    /// An image that a decoder will show or refuse by name.
    Image {
        /// What its bytes say.
        media_type: &'static str,
    },
    /// A PDF, or what calls itself one.
    Pdf,
    /// A Jupyter notebook, as far as its name and first character tell.
    Notebook,
    /// Anything that cannot be shown.
    Binary {
        /// `application/octet-stream` if it is unknown.
        media_type: &'static str,
    },
}

impl Kind {
    /// The media type.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Text { media_type } | Self::Image { media_type } | Self::Binary { media_type } => {
                media_type
            }
            Self::Pdf => "application/pdf",
            Self::Notebook => "application/x-ipynb+json",
        }
    }

    /// The media type that `name` promises, if what the file is belongs to another sort of thing: text under
    /// `.png`, an image under `.txt`, a JPEG under `.png`.
    #[must_use]
    pub fn broken_promise(self, name: &OsStr) -> Option<&'static str> {
        let promised = promised_by_name(name)?;
        let kept = match self {
            Self::Text { .. } => is_textual(promised) || promised == "application/x-ipynb+json",
            // Formats within formats (a ZIP for a spreadsheet) are told as well as the first bytes allow.
            Self::Binary { .. } => {
                !is_textual(promised) && !promised.starts_with("image/") && promised != "application/pdf"
            }
            _ => promised == self.media_type(),
        };
        (!kept).then_some(promised)
    }
}

/// Tells what a file is from its first [`SNIFF_BYTES`] (or all of it) and its name.
#[must_use]
pub fn sniff(head: &[u8], name: &OsStr) -> Kind {
    let head = &head[..head.len().min(SNIFF_BYTES)];
    sniff_with(head, name, || is_binary(head))
}

/// The same of bytes that are known to be plain: see [`is_plain`].
#[must_use]
pub fn sniff_plain(head: &[u8], name: &OsStr) -> Kind {
    sniff_with(&head[..head.len().min(SNIFF_BYTES)], name, || false)
}

fn sniff_with(head: &[u8], name: &OsStr, is_binary: impl Fn() -> bool) -> Kind {
    match signatures::certain(head) {
        Some(Format::Image(media_type)) => return Kind::Image { media_type },
        Some(Format::Other(media_type)) => return Kind::Binary { media_type: refined(media_type, name) },
        None => {}
    }
    let binary = is_binary();
    if is_pdf(head, binary, name) {
        return Kind::Pdf;
    }
    if !binary {
        return text(head, name);
    }
    match signatures::of_binary(head) {
        Format::Image(media_type) => Kind::Image { media_type },
        Format::Other(media_type) => Kind::Binary { media_type: refined(media_type, name) },
    }
}

/// The name's word for an archive whose first bytes do not show what is in it.
fn refined(media_type: &'static str, name: &OsStr) -> &'static str {
    match promised_by_name(name) {
        Some(promised)
            if media_type == "application/zip"
                && (promised.starts_with("application/vnd.o") || promised == "application/epub+zip") =>
        {
            promised
        }
        _ => media_type,
    }
}

/// Whether bytes are not text: a NUL, or more than one control in ten, except in the wide encodings, where
/// characters are counted instead.
fn is_binary(head: &[u8]) -> bool {
    if let Some((codec, length)) = mark(head)
        && codec.unit() > 1
    {
        return too_strange(codec, &head[length..]);
    }
    if wide_by_nul_parity(head).is_some() {
        return false;
    }
    if memchr(0, head).is_some() {
        return true;
    }
    let is_too_many = |controls: usize| controls * TEXT_BYTES_A_CONTROL > head.len();
    let controls = count(head, |byte| matches!(byte, 0x01..=0x07 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F));
    // Korean mail shifts between the sets of ISO 2022 at every word.
    let shifts =
        || if has_iso_2022_shift(head) { count(head, |byte| matches!(byte, 0x0E | 0x0F)) } else { 0 };
    is_too_many(controls) && is_too_many(controls - shifts())
}

/// Counts bytes; sums of single bytes over blocks of less than 256 become vector code.
fn count(bytes: &[u8], is_counted: impl Fn(u8) -> bool) -> usize {
    bytes
        .chunks(128)
        .map(|block| block.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(u8::from(is_counted(byte)))))
        .map(usize::from)
        .sum()
}

/// Whether more than one in ten characters of a wide encoding are none: controls, lone surrogates, private use.
/// A mark is only two bytes, and binary formats begin with them, too.
fn too_strange(codec: Codec, bytes: &[u8]) -> bool {
    let mut text = String::new();
    codec.decode_into(bytes, &mut text);
    let is_strange = |character: char| match character {
        '\u{8}'..='\r' | '\u{1B}' => false,
        '\u{E000}'..='\u{F8FF}' | char::REPLACEMENT_CHARACTER | '\u{FFFE}' | '\u{FFFF}' => true,
        _ => character.is_control(),
    };
    // The end may be cut, and a short text damaged in one place.
    let strange = text.chars().filter(|character| is_strange(*character)).count().saturating_sub(2);
    strange * TEXT_BYTES_A_CONTROL > text.chars().count()
}

/// Whether this calls itself a PDF: at its start, or a little later if it is no text or has the name of one.
///
/// A source file that mentions `%PDF-` stays text.
fn is_pdf(head: &[u8], binary: bool, name: &OsStr) -> bool {
    let window = &head[..head.len().min(PDF_HEADER_BYTES)];
    let Some(at) = memmem::find(window, b"%PDF-") else { return false };
    let before = &window[..at];
    let at_start = trim_start(before).is_empty();
    at_start || binary || promised_by_name(name) == Some("application/pdf")
}

/// Drops a UTF-8 mark and white space.
fn trim_start(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start()
}

/// Which text it is.
fn text(head: &[u8], name: &OsStr) -> Kind {
    let promised = promised_by_name(name);
    let head = &head[..head.len().min(MARKUP_BYTES)];
    // Markup is ASCII in every encoding, once the NULs and marks of the wide ones are gone.
    let wide: Vec<u8>;
    let start = if memchr(0, head).is_some() {
        wide = head.iter().copied().filter(|byte| !matches!(byte, 0 | 0xFE | 0xFF)).collect();
        &wide
    } else {
        head
    };
    let start = trim_start(start);
    if promised == Some("application/x-ipynb+json") && start.starts_with(b"{") {
        return Kind::Notebook;
    }
    let media_type =
        markup(start).or(promised.filter(|promised| is_textual(promised))).unwrap_or("text/plain");
    Kind::Text { media_type }
}

/// Whether a text is SVG or HTML, by its first element after declarations and comments.
fn markup(start: &[u8]) -> Option<&'static str> {
    let mut rest = start;
    loop {
        rest = rest.trim_ascii_start();
        let begins =
            |prefix: &[u8]| rest.get(..prefix.len()).is_some_and(|it| it.eq_ignore_ascii_case(prefix));
        let closing: &[u8] = if begins(b"<!--") {
            b"-->"
        } else if begins(b"<?xml") || begins(b"<!doctype svg") {
            b">"
        } else if begins(b"<svg") || begins(b"<svg:svg") {
            return Some("image/svg+xml");
        } else if begins(b"<!doctype html") || begins(b"<html") {
            return Some("text/html");
        } else {
            return None;
        };
        rest = &rest[memmem::find(rest, closing)? + closing.len()..];
    }
}
