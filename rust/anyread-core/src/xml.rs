//! XML as a stream of tags and texts, in constant memory.
//!
//! Of a text, an attribute or a part in CDATA, the first [`KEPT`] bytes are kept and the rest is counted; nothing
//! recurses, and entities are never expanded: only the five of XML and numbers are known, and a document type that
//! could declare others is refused. Names are compared without their prefixes.
//!
//! Source: XML 1.0, fifth edition.

mod source;

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3, memmem, memrchr};

use crate::error::{Error, Result};
use crate::inflate::Inflated;
use source::Source;

/// The most bytes of a text or of an attribute that are kept; more than the longest text of a cell needs, which has
/// 32,767 characters of up to 7 bytes (`_x000D_`).
pub const KEPT: usize = 256 << 10;
/// The most bytes of a tag.
const LONGEST_TAG: usize = 1 << 20;
/// The most bytes of an entity: `&#x10FFFF;` and two zeros.
const LONGEST_ENTITY: usize = 12;
/// The most levels of elements.
const LEVELS: u32 = 256;

/// What comes next in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'x> {
    /// An element begins; one that is empty ends in the next event.
    Start(Tag<'x>),
    /// The element of this name ends.
    End(&'x str),
    /// Text, its entities replaced, and how many characters after it were left out.
    Text(&'x str, u64),
    /// The document has ended.
    Done,
}

/// The first tag of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'x> {
    /// Its name without the prefix.
    pub name: &'x str,
    /// The prefix of the name, or nothing.
    pub prefix: &'x str,
    attributes: &'x str,
}

impl<'x> Tag<'x> {
    /// Takes apart what is between `<` and `>`.
    #[must_use]
    pub fn parse(content: &'x str) -> Self {
        let content = content.strip_suffix('/').unwrap_or(content);
        let end = content.bytes().position(|byte| byte.is_ascii_whitespace()).unwrap_or(content.len());
        let (qualified, attributes) = content.split_at(end);
        let (prefix, name) = split_at_byte(qualified, b':').unwrap_or(("", qualified));
        Self { name, prefix, attributes }
    }

    /// Its attributes: prefix, name, and value as written.
    pub fn attributes(&self) -> impl Iterator<Item = (&'x str, &'x str, &'x str)> + use<'x> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            let (qualified, after) = split_at_byte(rest, b'=')?;
            let after = after.trim_ascii_start();
            let quote = after.bytes().next().filter(|quote| matches!(quote, b'"' | b'\''))?;
            let (value, after) = split_at_byte(after.get(1..)?, quote)?;
            rest = after;
            let qualified = qualified.trim_ascii();
            let (prefix, name) = split_at_byte(qualified, b':').unwrap_or(("", qualified));
            Some((prefix, name, value))
        })
    }

    /// The value of an attribute without a prefix, or else of one with any.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'x, str>> {
        let mut found = None;
        for (prefix, _, value) in self.attributes().filter(|(_, other, _)| *other == name) {
            if prefix.is_empty() {
                return Some(value_of(value));
            }
            found = found.or(Some(value));
        }
        found.map(value_of)
    }

    /// The value of an attribute with a prefix.
    #[must_use]
    pub fn prefixed(&self, name: &str) -> Option<Cow<'x, str>> {
        let found = self.attributes().find(|(prefix, other, _)| *other == name && !prefix.is_empty());
        found.map(|(_, _, value)| value_of(value))
    }

    /// Whether an attribute of a switch is on; `None` if there is none.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).map(|value| matches!(&*value, "1" | "true" | "on"))
    }

    /// The number that an attribute is.
    #[must_use]
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.trim().parse().ok()
    }
}

/// What precedes a byte of ASCII in a text, and what follows it.
fn split_at_byte(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = memchr(byte, text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The first bytes of a text, at most so many, that are whole characters.
#[must_use]
pub fn start_of(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

fn value_of(written: &str) -> Cow<'_, str> {
    let written = start_of(written, KEPT);
    if memchr(b'&', written.as_bytes()).is_none() {
        return Cow::Borrowed(written);
    }
    let mut text = String::new();
    push_text(written, &mut text);
    Cow::Owned(text)
}

/// What a call of the reader has found, without what it borrows.
enum Found {
    Start,
    End,
    Text,
    Done,
    Nothing,
}

/// A position in a document.
pub struct Xml<'a> {
    source: Source<'a>,
    /// The last tag, without `<`, `</` and `>`.
    tag: String,
    /// The last text as it is in the document, as far as it is kept, and then decoded.
    raw: Vec<u8>,
    text: String,
    left_out: u64,
    depth: u32,
    /// Whether the last tag has no content, so that its end comes next.
    is_empty: bool,
    is_lossy: bool,
}

impl<'a> Xml<'a> {
    /// A document from its start on, in the encoding that it declares.
    ///
    /// # Errors
    /// Those of reading.
    pub fn new(content: Inflated<'a>) -> Result<Self> {
        Ok(Self {
            source: Source::new(content)?,
            tag: String::new(),
            raw: Vec::new(),
            text: String::new(),
            left_out: 0,
            depth: 0,
            is_empty: false,
            is_lossy: false,
        })
    }

    /// Whether characters could not be decoded.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.is_lossy || self.source.is_lossy()
    }

    /// How many elements are open.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether the element that has just begun has no content, so that its end comes next.
    #[must_use]
    pub fn is_at_empty_element(&self) -> bool {
        self.is_empty
    }

    /// The content as bytes, at the position of the document; `None` if it is not UTF-8.
    pub fn bytes(&mut self) -> Option<&mut Inflated<'a>> {
        self.source.bytes()
    }

    /// Gives the content back.
    #[must_use]
    pub fn into_content(self) -> Inflated<'a> {
        self.source.into_content()
    }

    /// Continues at the offset of a tag or of a text in UTF-8, inside of `depth` elements.
    ///
    /// # Errors
    /// Those of reading.
    pub fn seek(&mut self, offset: u64, depth: u32) -> Result<()> {
        (self.depth, self.is_empty) = (depth, false);
        self.source.seek(offset)
    }

    /// Counts memory that is kept of the document.
    ///
    /// # Errors
    /// Those of [`Allowed::keep`](crate::allowed::Allowed::keep).
    pub fn keep(&self, bytes: usize) -> Result<()> {
        self.source.keep(bytes)
    }

    /// The error that the document is damaged.
    #[must_use]
    pub fn damaged(&self, reason: &str) -> Error {
        self.source.damaged(reason)
    }

    /// What comes next.
    ///
    /// # Errors
    /// Those of reading, and [`ErrorKind::Damaged`](crate::error::ErrorKind::Damaged).
    #[expect(clippy::should_implement_trait, reason = "it borrows, and may fail")]
    pub fn next(&mut self) -> Result<Event<'_>> {
        loop {
            match self.advance()? {
                Found::Nothing => {}
                Found::Start => return Ok(Event::Start(Tag::parse(&self.tag))),
                Found::End => return Ok(Event::End(Tag::parse(&self.tag).name)),
                Found::Text => return Ok(Event::Text(&self.text, self.left_out)),
                Found::Done => return Ok(Event::Done),
            }
        }
    }

    /// Passes what is left of the element whose first tag was the last event.
    ///
    /// # Errors
    /// Those of [`Xml::next`].
    pub fn skip_element(&mut self) -> Result<()> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            self.advance()?;
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<Found> {
        if self.is_empty {
            self.is_empty = false;
            self.depth -= 1;
            return Ok(Found::End);
        }
        let ahead = self.source.ahead(9)?;
        if ahead.is_empty() {
            return if self.depth == 0 {
                Ok(Found::Done)
            } else {
                Err(self.damaged("its XML ends too early"))
            };
        }
        if !ahead.starts_with(b"<") {
            self.take_until(b"<")?;
            self.decode_text(true);
            return Ok(Found::Text);
        }
        if ahead.starts_with(b"<!--") {
            self.source.skip(4);
            return self.pass(b"-->");
        }
        if ahead.starts_with(b"<![CDATA[") {
            self.source.skip(9);
            if !self.take_until(b"]]>")? {
                return Err(self.damaged("its XML ends too early"));
            }
            self.source.skip(3);
            self.decode_text(false);
            return Ok(Found::Text);
        }
        if ahead.starts_with(b"<?") {
            return self.pass(b"?>");
        }
        let is_end = ahead.starts_with(b"</");
        let is_declaration = ahead.starts_with(b"<!");
        self.read_tag(if is_end { 2 } else { 1 })?;
        if is_declaration {
            // Only an internal subset can declare entities; an external one is never read.
            return if memchr(b'[', self.tag.as_bytes()).is_some() {
                Err(self.damaged("its XML declares entities"))
            } else {
                Ok(Found::Nothing)
            };
        }
        if is_end {
            let depth = self.depth.checked_sub(1);
            self.depth = depth.ok_or_else(|| self.damaged("an element of its XML ends twice"))?;
            return Ok(Found::End);
        }
        self.is_empty = self.tag.ends_with('/');
        self.depth += 1;
        if self.depth > LEVELS {
            return Err(self.damaged(&format!("its XML has more than {LEVELS} levels")));
        }
        Ok(Found::Start)
    }

    /// Reads up to the end of a tag, without its first bytes.
    fn read_tag(&mut self, first: usize) -> Result<()> {
        let mut least = 1;
        loop {
            let bytes = self.source.ahead(least)?;
            let (length, is_all) = (bytes.len(), bytes.len() < least);
            if let Some(content) = tag_end(bytes).and_then(|end| bytes.get(first..end)) {
                let passed = first + content.len() + 1;
                self.tag.clear();
                let content = decoded(content);
                self.is_lossy |= matches!(content, Cow::Owned(_));
                self.tag.push_str(&content);
                self.source.skip(passed);
                return Ok(());
            }
            if is_all {
                return Err(self.damaged("its XML ends inside of a tag"));
            }
            if length > LONGEST_TAG {
                return Err(self.damaged("a tag of its XML has more than 1 MiB"));
            }
            least = length + 1;
        }
    }

    /// Passes everything up to and including `end`.
    fn pass(&mut self, end: &[u8]) -> Result<Found> {
        if !self.take_until(end)? {
            return Err(self.damaged("its XML ends too early"));
        }
        self.source.skip(end.len());
        Ok(Found::Nothing)
    }

    /// Keeps what comes before `end`; returns whether it comes.
    fn take_until(&mut self, end: &[u8]) -> Result<bool> {
        self.raw.clear();
        self.left_out = 0;
        loop {
            let bytes = self.source.ahead(end.len())?;
            let found = if let [byte] = end { memchr(*byte, bytes) } else { memmem::find(bytes, end) };
            let is_all = bytes.len() < end.len();
            let length = found.unwrap_or(if is_all { bytes.len() } else { bytes.len() + 1 - end.len() });
            let taken = bytes.get(..length).unwrap_or_default();
            let room = KEPT.saturating_sub(self.raw.len()).min(length);
            let (kept, rest) = taken.split_at(room);
            self.raw.extend_from_slice(kept);
            self.left_out += rest.iter().filter(|byte| !is_continuation(**byte)).count() as u64;
            self.source.skip(length);
            if found.is_some() || is_all {
                return Ok(found.is_some());
            }
        }
    }

    /// Decodes what was kept of a text.
    fn decode_text(&mut self, has_entities: bool) {
        let mut raw = &self.raw[..];
        if raw.len() == KEPT {
            // The cut may be inside of a character or of an entity.
            let end = raw.iter().rposition(|byte| !is_continuation(*byte)).unwrap_or(0);
            let entity = memrchr(b'&', raw)
                .filter(|at| raw.len() - at < LONGEST_ENTITY && memchr(b';', &raw[*at..]).is_none());
            raw = &raw[..entity.unwrap_or(end)];
            self.left_out += 1;
        }
        let text = decoded(raw);
        self.is_lossy |= matches!(text, Cow::Owned(_));
        self.text.clear();
        if has_entities {
            push_text(&text, &mut self.text);
        } else {
            self.text.push_str(&text);
        }
    }
}

/// Bytes as text, perhaps with replacements. The standard library's own function takes longer if there are none.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The index of the `>` that ends a tag; in quotes it may occur, too.
pub(crate) fn tag_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr3(b'>', b'"', b'\'', bytes.get(at..)?)?;
        match *bytes.get(at)? {
            b'>' => return Some(at),
            quote => at += memchr(quote, bytes.get(at + 1..)?)? + 2,
        }
    }
}

/// Appends text with its entities and line endings replaced; what is no entity stays as it is.
fn push_text(written: &str, text: &mut String) {
    let mut rest = written;
    while let Some(at) = memchr2(b'&', b'\r', rest.as_bytes()) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        if let Some(after) = after.strip_prefix('\r') {
            text.push('\n');
            rest = after.strip_prefix('\n').unwrap_or(after);
            continue;
        }
        // Entities are short, and a text may have very many of these characters.
        let end = after.bytes().take(LONGEST_ENTITY).position(|byte| byte == b';');
        let name = end.and_then(|end| after.get(1..end));
        if let (Some(character), Some(end)) = (name.and_then(character), end) {
            text.push(character);
            rest = after.get(end + 1..).unwrap_or_default();
        } else {
            text.push('&');
            rest = after.get(1..).unwrap_or_default();
        }
    }
    text.push_str(rest);
}

/// The character that an entity stands for.
fn character(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests;
