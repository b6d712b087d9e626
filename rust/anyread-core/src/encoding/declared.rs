//! What a text says about its own encoding.
//!
//! A declaration is recognized only in the form and at the position that its own program requires:
//!
//! - `coding: NAME` in a comment of the first two lines (PEP 263, Ruby), and between `-*-` (Emacs);
//! - `fileencoding=NAME` in a Vim modeline, in the first or last five lines, and `scriptencoding NAME`;
//! - `coding: NAME` among the `Local Variables` at the end (Emacs);
//! - the XML declaration, `<meta>` of HTML, `@charset` of CSS, `inputenc` of LaTeX, and the header of a gettext
//!   catalog.

use encoding_rs::{Encoding, REPLACEMENT};
use memchr::memmem;

use super::{Codec, labels};

/// How much of the start is searched. HTML requires its declaration in the first 1,024 bytes, but real pages
/// do not always comply.
const START_BYTES: usize = 4096;
/// How much of the end is searched, as in Emacs.
const END_BYTES: usize = 3000;
/// All bytes at either end of a text, including its mark, in which a declaration is searched for.
pub const DECLARING_BYTES: usize = START_BYTES + 3;
/// How many lines Vim searches at either end.
const MODELINES: usize = 5;
/// The maximum length of a name.
const LABEL_BYTES: usize = 40;

/// Values that Emacs accepts and that are not encodings.
static NO_ENCODINGS: &[&str] =
    &["auto", "binary", "default", "no-conversion", "prefer-utf-8", "raw-text", "undecided"];

/// The forms in which a text declares its encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredBy {
    /// The `@charset` rule of CSS.
    CharsetRule,
    /// The XML declaration.
    XmlDeclaration,
    /// A `<meta>` element in HTML.
    MetaElement,
    /// A comment in the first two lines (PEP 263, Ruby), or Emacs' `-*-` there.
    Comment,
    /// A modeline of Vim.
    VimModeline,
    /// The `scriptencoding` command of Vim.
    ScriptEncoding,
    /// LaTeX's `inputenc` package.
    InputEnc,
    /// The header of a gettext catalog.
    CatalogHeader,
    /// `Local Variables` of Emacs.
    EmacsVariables,
}

impl DeclaredBy {
    /// A stable name for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::CharsetRule => "charset_rule",
            Self::XmlDeclaration => "xml_declaration",
            Self::MetaElement => "meta_element",
            Self::Comment => "comment",
            Self::VimModeline => "vim_modeline",
            Self::ScriptEncoding => "scriptencoding",
            Self::InputEnc => "inputenc",
            Self::CatalogHeader => "catalog_header",
            Self::EmacsVariables => "emacs_variables",
        }
    }
}

/// A declaration and how it was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declaration {
    /// The form of the declaration.
    pub declared_by: DeclaredBy,
    /// Python's name of the encoding, which is `ascii` for a part of UTF-8; `None` if the declared name is
    /// unknown.
    pub name: Option<&'static str>,
    /// The codec; `None` if the encoding cannot be decoded.
    pub codec: Option<Codec>,
    /// Whether the text is decoded as declared, because its bytes do not contradict the declaration.
    pub followed: bool,
}

/// The first declaration in a text that begins with `head`; `complete` means that `head` is the whole text.
pub fn find(head: &[u8], complete: bool) -> Option<Declaration> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let start = &head[..head.len().min(START_BYTES)];
    let (declared_by, label, is_web) = in_markup(start)
        .or_else(|| in_comment(start))
        .or_else(|| in_modeline(start.split(|byte| *byte == b'\n').take(MODELINES)))
        .or_else(|| in_source(start))
        .or_else(|| complete.then(|| at_end(head)).flatten())?;
    let label = label_of(label)?;
    let web = || Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != REPLACEMENT);
    let codec = if is_web { web().and_then(labels::codec_of) } else { None };
    let codec = codec.or_else(|| Codec::from_label(label));
    let is_ascii = codec == Some(Codec::Utf8) && labels::is_ascii(label);
    let name = if is_ascii { Some("ascii") } else { codec.map(Codec::name) };
    let name = name.or_else(|| Codec::unreadable(label));
    Some(Declaration { declared_by, name, codec, followed: false })
}

/// The form of a declaration, the bytes from its label on, and whether labels have their meaning on the Web.
type FoundLabel<'a> = (DeclaredBy, &'a [u8], bool);

/// The lines of a text with any line ending; CR LF leaves an empty one.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| matches!(byte, b'\n' | b'\r'))
}

/// The label at the start of `bytes`, without Emacs' suffix for line endings and Vim's prefix for the width;
/// variants of UTF-8 become `utf-8`.
fn label_of(bytes: &[u8]) -> Option<&str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let length = bytes.iter().take(LABEL_BYTES).take_while(|byte| is_part(byte)).count();
    let label = std::str::from_utf8(&bytes[..length]).ok()?;
    let label =
        ["-unix", "-dos", "-mac"].iter().find_map(|ending| label.strip_suffix(ending)).unwrap_or(label);
    let label = ["8bit-", "2byte-"].iter().find_map(|width| label.strip_prefix(width)).unwrap_or(label);
    if label.is_empty() || NO_ENCODINGS.contains(&label) {
        return None;
    }
    // `utf-8-emacs` and `mule-utf-8` are UTF-8, too.
    let is_utf8 = label.len() >= 5 && label.as_bytes()[..5].eq_ignore_ascii_case(b"utf-8");
    Some(if is_utf8 || label == "mule-utf-8" { "utf-8" } else { label })
}

/// What follows `word`, in any case.
fn after<'a>(bytes: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = bytes.windows(word.len()).position(|window| window.eq_ignore_ascii_case(word))?;
    Some(&bytes[at + word.len()..])
}

/// What follows spaces, one of `signs`, more spaces and an optional quote; `None` if the sign is missing.
fn value<'a>(bytes: &'a [u8], signs: &[u8]) -> Option<&'a [u8]> {
    let bytes = bytes.trim_ascii_start();
    let (sign, rest) = bytes.split_first()?;
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    signs.contains(sign).then_some(rest)
}

/// A declaration in XML, HTML or CSS.
fn in_markup(start: &[u8]) -> Option<FoundLabel<'_>> {
    if let Some(rule) = start.strip_prefix(b"@charset \"") {
        return Some((DeclaredBy::CharsetRule, rule, true));
    }
    let markup = start.trim_ascii_start();
    if markup.starts_with(b"<?xml") {
        let end = memmem::find(markup, b"?>").unwrap_or(markup.len());
        if let Some(label) = after(&markup[..end], b"encoding").and_then(|rest| value(rest, b"=")) {
            return Some((DeclaredBy::XmlDeclaration, label, false));
        }
    }
    if !markup.starts_with(b"<") {
        return None;
    }
    let mut rest = markup;
    while let Some(element) = after(rest, b"<meta") {
        let end = memchr::memchr(b'>', element).unwrap_or(element.len());
        if let Some(label) = after(&element[..end], b"charset").and_then(|rest| value(rest, b"=")) {
            return Some((DeclaredBy::MetaElement, label, true));
        }
        rest = &element[end..];
    }
    None
}

/// A declaration in the form of PEP 263 or in Emacs' first line.
fn in_comment(start: &[u8]) -> Option<FoundLabel<'_>> {
    for line in start.split(|byte| *byte == b'\n').take(2) {
        let comment = line.trim_ascii_start();
        let is_comment = comment.starts_with(b"#");
        let variables = memmem::find(line, b"-*-").map(|at| &line[at..]);
        let searched = if is_comment { Some(comment) } else { variables };
        let mut rest = searched.unwrap_or_default();
        while let Some(at) = memmem::find(rest, b"coding") {
            rest = &rest[at + b"coding".len()..];
            // PEP 263 allows no space before the sign.
            if let Some(label) = value(rest, b":=").filter(|_| !rest.starts_with(b" ")) {
                return Some((DeclaredBy::Comment, label, false));
            }
        }
        if !comment.is_empty() && searched.is_none() {
            return None;
        }
    }
    None
}

/// A declaration in a Vim modeline.
fn in_modeline<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<FoundLabel<'a>> {
    for line in lines {
        let begins = |word: &[u8]| {
            memmem::find_iter(line, word)
                .find(|at| *at == 0 || line[*at - 1].is_ascii_whitespace())
                .map(|at| &line[at + word.len()..])
        };
        let Some(options) = begins(b"vim:").or_else(|| begins(b"vi:")).or_else(|| begins(b"ex:")) else {
            continue;
        };
        for option in options.split(|byte| byte.is_ascii_whitespace() || *byte == b':') {
            let label = [&b"fileencoding="[..], b"fenc=", b"encoding=", b"enc="]
                .iter()
                .find_map(|name| option.strip_prefix(*name));
            if let Some(label) = label {
                return Some((DeclaredBy::VimModeline, label, false));
            }
        }
    }
    None
}

/// Declarations within a source file of Vim, LaTeX or gettext.
fn in_source(start: &[u8]) -> Option<FoundLabel<'_>> {
    let words = [&b"scriptencoding "[..], b"]{inputenc}", b"text/plain; charset="];
    // Hardly any text contains these, and searching for them is faster than splitting into lines.
    if words.iter().all(|word| memmem::find(start, word).is_none()) {
        return None;
    }
    for line in lines(start) {
        let line = line.trim_ascii_start();
        if let Some(label) = line.strip_prefix(b"scriptencoding ") {
            return Some((DeclaredBy::ScriptEncoding, label.trim_ascii_start(), false));
        }
        if let Some(options) =
            line.strip_prefix(b"\\usepackage[").filter(|_| memmem::find(line, b"]{inputenc}").is_some())
        {
            let name = label_of(options).unwrap_or_default();
            return Some((DeclaredBy::InputEnc, tex_name(name).unwrap_or(options), false));
        }
        if let Some(header) = line.strip_prefix(b"\"Content-Type: text/plain; charset=") {
            return Some((DeclaredBy::CatalogHeader, header, false));
        }
    }
    None
}

/// The label of an encoding that LaTeX names differently.
fn tex_name(name: &str) -> Option<&'static [u8]> {
    Some(match name {
        "ansinew" | "cp1252" => b"cp1252",
        "applemac" => b"mac-roman",
        "macce" => b"mac-latin2",
        "utf8x" => b"utf-8",
        _ => return None,
    })
}

/// A declaration in Emacs' local variables, or in a Vim modeline at the end.
fn at_end(head: &[u8]) -> Option<FoundLabel<'_>> {
    let end = &head[head.len().saturating_sub(END_BYTES)..];
    if let Some(at) = memmem::rfind(end, b"Local Variables:") {
        for line in lines(&end[at..]) {
            let label = after(line, b"coding").and_then(|rest| value(rest, b":"));
            if let Some(label) = label {
                return Some((DeclaredBy::EmacsVariables, label, false));
            }
        }
    }
    let text = end.trim_ascii_end();
    in_modeline(text.rsplit(|byte| *byte == b'\n').take(MODELINES))
}
