//! Detection of what a file is, from its first bytes.
//!
//! The content decides, not the name: text in a `.png` file is text, an image in a `.txt` file is an image.
//! The name is used only where the content is ambiguous (a notebook is JSON) and for the notice that the name
//! suggests another type.

mod controls;
mod names;
mod signatures;

use std::ffi::OsStr;

use memchr::{memchr, memmem};

use crate::encoding::{Codec, has_iso_2022_shift, mark, unmarked};
use names::{is_declared_binary, is_textual};
use signatures::{Format, UNKNOWN};

pub use controls::{ControlCounts, count_controls, is_plain};
pub use names::{declare, promised_by_name};

/// How many bytes are examined.
pub const SNIFF_BYTES: usize = 8 * 1024;

/// The header of a PDF must be within this many bytes from the start.
///
/// Source: ISO 32000-1, implementation note 13 of PDF Reference 1.7.
const PDF_HEADER_BYTES: usize = 1024;

/// The first element of a markup document must be within this many bytes from the start.
const MARKUP_BYTES: usize = 1024;

/// More than one control byte in this many bytes occurs in no text.
const TEXT_BYTES_PER_CONTROL: usize = 10;

/// What a file is, by its content and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The media type: `text/plain` or a more specific one, `application/octet-stream` if nothing is known.
    pub media_type: &'static str,
    /// Whether it is text in any encoding, as notebooks and SVG are.
    pub is_text: bool,
}

impl Kind {
    /// A file with the header of a PDF.
    pub const PDF: Self = Self::binary("application/pdf");
    /// A Jupyter notebook, according to its name and first character.
    pub const NOTEBOOK: Self = Self::text("application/x-ipynb+json");

    /// A text.
    #[must_use]
    pub const fn text(media_type: &'static str) -> Self {
        Self { media_type, is_text: true }
    }

    /// A file that is not text.
    #[must_use]
    pub const fn binary(media_type: &'static str) -> Self {
        Self { media_type, is_text: false }
    }

    /// Whether it is a zip file that may be a document, a presentation or a workbook.
    #[must_use]
    pub fn is_package(self) -> bool {
        self.media_type == "application/zip" || self.media_type.starts_with("application/vnd.openxml")
    }

    /// Whether its media type is among some; one that ends in `/` is the beginning of several binary types.
    #[must_use]
    pub fn is_among(self, media_types: &[impl AsRef<str>]) -> bool {
        media_types.iter().any(|known| {
            let known = known.as_ref();
            known == self.media_type
                || (known.ends_with('/') && !self.is_text && self.media_type.starts_with(known))
        })
    }

    /// The media type that `name` suggests, if the content is of another kind or image format: text in a
    /// `.png` file, an image in a `.txt` file, a JPEG in a `.png` file.
    #[must_use]
    pub fn broken_promise(self, name: &OsStr) -> Option<&'static str> {
        let promised = promised_by_name(name)?;
        let shown = |media_type: &str| media_type.starts_with("image/") || media_type == Self::PDF.media_type;
        let kept = if self == Self::NOTEBOOK || (!self.is_text && shown(self.media_type)) {
            promised == self.media_type
        } else if self.is_text {
            is_textual(promised) || promised == Self::NOTEBOOK.media_type
        } else {
            // The first bytes do not reliably distinguish formats that share a container, such as ZIP.
            !is_textual(promised) && !shown(promised)
        };
        (!kept).then_some(promised)
    }
}

/// Detects what a file is from its first [`SNIFF_BYTES`] bytes and its name.
#[must_use]
pub fn sniff(head: &[u8], name: &OsStr) -> Kind {
    let head = &head[..head.len().min(SNIFF_BYTES)];
    sniff_with(head, name, || is_binary(head))
}

/// [`sniff`] for bytes that [are plain](is_plain).
#[must_use]
pub fn sniff_plain(head: &[u8], name: &OsStr) -> Kind {
    sniff_with(&head[..head.len().min(SNIFF_BYTES)], name, || false)
}

fn sniff_with(head: &[u8], name: &OsStr, is_binary: impl Fn() -> bool) -> Kind {
    let of = |format| match format {
        Format::Image(media_type) => Kind::binary(media_type),
        Format::Other(media_type) => Kind::binary(refined(media_type, name)),
    };
    if let Some(format) = signatures::certain(head) {
        return of(format);
    }
    let binary = is_binary();
    if is_pdf(head, binary, name) {
        return Kind::PDF;
    }
    if binary { of(signatures::of_binary(head)) } else { text(head, name) }
}

/// The media type that the name suggests, for an archive whose first bytes do not show what it contains, or for
/// a file of a declared format, of which they show nothing.
fn refined(media_type: &'static str, name: &OsStr) -> &'static str {
    match promised_by_name(name) {
        Some(promised)
            if media_type == "application/zip"
                && (promised.starts_with("application/vnd.o") || promised == "application/epub+zip") =>
        {
            promised
        }
        Some(promised) if media_type == UNKNOWN && is_declared_binary(promised) => promised,
        _ => media_type,
    }
}

/// Whether bytes are not text: they contain a NUL, or several controls, more than one in ten bytes.
///
/// For UTF-16 and UTF-32, characters are counted instead.
fn is_binary(head: &[u8]) -> bool {
    match mark(head) {
        Some((codec, length)) if codec.unit() > 1 => return too_strange(codec, &head[length..]),
        None if unmarked(head).is_some() => return false,
        // After a mark of UTF-8 or GB18030 the text is not decoded as UTF-16, whatever its NULs suggest.
        _ => {}
    }
    if memchr(0, head).is_some() {
        return true;
    }
    let is_too_many = |controls: usize| controls * TEXT_BYTES_PER_CONTROL > head.len();
    let controls = count(head, |byte| matches!(byte, 0x01..=0x07 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F));
    // Korean e-mail switches between the character sets of ISO 2022 at every word.
    let shifts =
        || if has_iso_2022_shift(head) { count(head, |byte| matches!(byte, 0x0E | 0x0F)) } else { 0 };
    // A single one, such as DEL in a short JSON string, is no evidence in valid UTF-8.
    let is_single = controls == 1 && head.len() >= 4 && str::from_utf8(head).is_ok();
    !is_single && is_too_many(controls) && is_too_many(controls - shifts())
}

/// Counts bytes; the compiler vectorizes 8-bit sums over blocks of less than 256 bytes.
fn count(bytes: &[u8], is_counted: impl Fn(u8) -> bool) -> usize {
    bytes
        .chunks(128)
        .map(|block| block.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(u8::from(is_counted(byte)))))
        .map(usize::from)
        .sum()
}

/// Whether more than one in ten characters of UTF-16 or UTF-32 are controls, lone surrogates or private use.
///
/// A byte-order mark alone is weak evidence, since binary formats also begin with these two bytes.
fn too_strange(codec: Codec, bytes: &[u8]) -> bool {
    let mut text = String::new();
    codec.decode_into(bytes, &mut text);
    let is_strange = |character: char| match character {
        '\u{8}'..='\r' | '\u{1B}' => false,
        '\u{E000}'..='\u{F8FF}' | char::REPLACEMENT_CHARACTER | '\u{FFFE}' | '\u{FFFF}' => true,
        _ => character.is_control(),
    };
    // The last character may be incomplete, and a short text may be damaged at one position.
    let strange = text.chars().filter(|character| is_strange(*character)).count().saturating_sub(2);
    strange * TEXT_BYTES_PER_CONTROL > text.chars().count()
}

/// Whether the header of a PDF is at the start, or a little later if the file is binary or named like a PDF.
///
/// A source file that mentions `%PDF-` stays text.
fn is_pdf(head: &[u8], binary: bool, name: &OsStr) -> bool {
    const HEADER: &[u8] = b"%PDF-";
    let window = &head[..head.len().min(PDF_HEADER_BYTES)];
    let at_start = trim_start(window).starts_with(HEADER);
    // This is faster than looking the extension up.
    let name = name.as_encoded_bytes();
    let extension = name.last_chunk::<4>().filter(|extension| name.len() > extension.len());
    let is_named = || extension.is_some_and(|extension| extension.eq_ignore_ascii_case(b".pdf"));
    at_start || (binary || is_named()) && memmem::find(window, HEADER).is_some()
}

/// Drops a UTF-8 byte-order mark and white space.
fn trim_start(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start()
}

/// The kind and media type of a text.
fn text(head: &[u8], name: &OsStr) -> Kind {
    let promised = promised_by_name(name);
    let head = &head[..head.len().min(MARKUP_BYTES)];
    // Markup is ASCII in every encoding, without the NULs and marks of UTF-16 and UTF-32.
    let wide: Vec<u8>;
    let start = if memchr(0, head).is_some() {
        wide = head.iter().copied().filter(|byte| !matches!(byte, 0 | 0xFE | 0xFF)).collect();
        &wide
    } else {
        head
    };
    let start = trim_start(start);
    if promised == Some("application/x-ipynb+json") && start.starts_with(b"{") {
        return Kind::NOTEBOOK;
    }
    let media_type =
        markup(start).or(promised.filter(|promised| is_textual(promised))).unwrap_or("text/plain");
    Kind::text(media_type)
}

/// The media type of SVG or HTML, by the first element after declarations and comments.
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
