//! The JSON parsing that notebooks need: the fields and items of a value as slices of the file, never a tree.
//!
//! `serde_json` finds the slices, and skips their contents without recursion.
//! Python writes the numbers `NaN`, `Infinity` and `-Infinity`, which are not valid JSON. If a value contains
//! them, a copy with other numbers is parsed, and the results are mapped back to slices of the file.
//! Strings are decoded here, because Python writes lone surrogates, which `serde_json` rejects.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use memchr::{memchr, memchr_iter, memchr2, memchr3, memmem, memrchr};
use serde::de::{Deserializer as _, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::JsonPosition;

/// How many values a JSON text has at most: one for each comma and opening bracket outside of strings.
///
/// Nothing is parsed, so the text may be anything, and this takes little more time than to read it.
#[must_use]
pub fn count_values(json: &[u8]) -> usize {
    let (mut count, mut rest) = (0, json);
    while !rest.is_empty() {
        let (outside, from_quote) = rest.split_at(memchr(b'"', rest).unwrap_or(rest.len()));
        count += outside.iter().filter(|byte| matches!(byte, b',' | b'{' | b'[')).count();
        rest = past_string(from_quote.get(1..).unwrap_or_default());
    }
    count
}

/// What follows the string whose content is at the start of `rest`.
fn past_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr2(b'"', b'\\', rest) {
        if rest[at] == b'"' {
            return &rest[at + 1..];
        }
        // A backslash, and what it escapes.
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    &[]
}

/// Calls `found` with the name and the raw value of each field of an object.
///
/// # Errors
///
/// If the text is not valid JSON, or not a single object.
pub fn each_field<'a>(text: &'a str, mut found: impl FnMut(&str, &'a str)) -> serde_json::Result<()> {
    match without_odd_numbers(text)? {
        None => fields_of_json(text, found),
        Some(copy) => fields_of_json(&copy, |name, value| found(name, same_slice(&copy, value, text))),
    }
}

fn fields_of_json<'a>(text: &'a str, found: impl FnMut(&str, &'a str)) -> serde_json::Result<()> {
    struct Fields<'a, F>(F, PhantomData<&'a ()>);
    impl<'a, F: FnMut(&str, &'a str)> Visitor<'a> for Fields<'a, F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some(name) = map.next_key::<&'a RawValue>()? {
                let value = map.next_value::<&'a RawValue>()?;
                (self.0)(&unescaped(name.get()), value.get());
            }
            Ok(())
        }
    }
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Fields(found, PhantomData))?;
    json.end()
}

/// Calls `found` with each raw item of a list.
///
/// # Errors
///
/// If the text is not valid JSON, or not a single list.
pub fn each_item<'a>(text: &'a str, mut found: impl FnMut(&'a str)) -> serde_json::Result<()> {
    match without_odd_numbers(text)? {
        None => items_of_json(text, found),
        Some(copy) => items_of_json(&copy, |item| found(same_slice(&copy, item, text))),
    }
}

fn items_of_json<'a>(text: &'a str, found: impl FnMut(&'a str)) -> serde_json::Result<()> {
    struct Items<'a, F>(F, PhantomData<&'a ()>);
    impl<'a, F: FnMut(&'a str)> Visitor<'a> for Items<'a, F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'a>>(mut self, mut list: A) -> Result<(), A::Error> {
            while let Some(item) = list.next_element::<&'a RawValue>()? {
                (self.0)(item.get());
            }
            Ok(())
        }
    }
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_seq(Items(found, PhantomData))?;
    json.end()
}

/// Numbers that are not valid JSON, and valid ones of the same length.
const ODD_NUMBERS: [(&[u8], &str); 2] = [(b"NaN", "0.0"), (b"Infinity", "1.000000")];

/// A copy of the same length with [`ODD_NUMBERS`] replaced; `None` if the text contains none.
///
/// # Errors
/// There is not enough memory for the copy.
fn without_odd_numbers(text: &str) -> serde_json::Result<Option<String>> {
    let bytes = text.as_bytes();
    // These letters are common in base64, but never as a separate token there.
    let may_have = |(name, _): &(&[u8], &str)| {
        memmem::find_iter(bytes, name).any(|at| is_delimited(bytes, at, at + name.len()))
    };
    if !ODD_NUMBERS.iter().any(may_have) {
        return Ok(None);
    }
    let mut copy = String::new();
    copy.try_reserve_exact(text.len()).map_err(serde_json::Error::custom)?;
    let (mut copied, mut at) = (0, 0);
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr3(b'"', b'N', b'I', rest)) {
        at += next;
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.first() == Some(&b'"') {
            at += string_length(rest);
            continue;
        }
        match ODD_NUMBERS.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, number)) if is_delimited(bytes, at, at + name.len()) => {
                copy.push_str(text.get(copied..at).unwrap_or_default());
                copy.push_str(number);
                at += name.len();
                copied = at;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Ok(None);
    }
    copy.push_str(text.get(copied..).unwrap_or_default());
    Ok(Some(copy))
}

/// Whether a range is delimited by JSON punctuation or white space; infinity may have a minus sign.
fn is_delimited(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_negative = bytes.get(start) == Some(&b'I') && start > 0 && bytes.get(start - 1) == Some(&b'-');
    let before = if is_negative { start - 1 } else { start };
    let byte_before = before.checked_sub(1).and_then(|at| bytes.get(at));
    byte_before.is_none_or(|byte| b" \t\r\n[,:".contains(byte))
        && bytes.get(end).is_none_or(|byte| b" \t\r\n],}".contains(byte))
}

/// The length of the string at the start of `bytes`, with quotes; all of `bytes` if it is unterminated.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += next;
        if bytes.get(at) == Some(&b'"') {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// The slice of `text` at the position that `part` has in `copy`.
fn same_slice<'a>(copy: &str, part: &str, text: &'a str) -> &'a str {
    let start = position(copy, part);
    text.get(start..start + part.len()).unwrap_or_default()
}

/// Like [`each_field`], for a value that is known to be valid; a value that is not an object has no fields.
pub fn fields<'a>(value: &'a str, found: impl FnMut(&str, &'a str)) {
    if value.starts_with('{') {
        each_field(value, found).unwrap_or_default();
    }
}

/// Like [`each_item`], for a value that is known to be valid; a value that is not a list has no items.
pub fn items<'a>(value: &'a str, found: impl FnMut(&'a str)) {
    if value.starts_with('[') {
        each_item(value, found).unwrap_or_default();
    }
}

/// The offset of the slice `part` in `whole`.
pub fn position(whole: &str, part: &str) -> usize {
    part.as_ptr().addr().wrapping_sub(whole.as_ptr().addr()).min(whole.len())
}

/// An integer, even if it is written with a fraction or as a string.
pub fn integer(value: &str) -> Option<i64> {
    let digits = value.trim_matches('"');
    #[expect(clippy::cast_possible_truncation, reason = "it saturates, and real counts are far smaller")]
    digits.parse().ok().or_else(|| digits.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n as i64))
}

/// The decoded text of a string; `None` for any other value.
pub fn string(value: &str) -> Option<String> {
    value.starts_with('"').then(|| unescaped(value).into_owned())
}

/// The text of a string that is a name, cut as in [`short`].
pub fn name(value: &str) -> Option<String> {
    string(value).map(|name| short(&name))
}

/// A name, cut to [`NAME_BYTES`].
pub fn short(name: &str) -> String {
    name.get(..boundary(name, NAME_BYTES)).unwrap_or_default().to_owned()
}

/// The maximum length of a name; real names have a few dozen bytes, and ids at most 64.
const NAME_BYTES: usize = 256;

/// A text as notebooks store it: one string, or a list of strings to be concatenated.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The raw JSON value.
    pub value: &'a str,
    /// Whether it is from nbformat 2 or 3, which also stored lists of lines without line feeds.
    pub is_old: bool,
}

impl Text<'_> {
    /// The decoded text. A value that is not text is returned as JSON, and null as an empty text.
    #[must_use]
    pub fn decoded(&self) -> String {
        let mut text = String::new();
        self.each_part(|part, before| {
            text.push_str(before);
            text.push_str(&shown(part));
        });
        text
    }

    /// The position in the raw value of the byte `offset` of the decoded text.
    #[must_use]
    pub fn position_of(&self, offset: usize) -> usize {
        let (mut passed, mut found) = (0, None);
        self.each_part(|part, before| {
            passed += before.len();
            if found.is_some() {
                return;
            }
            let length = shown(part).len();
            if offset < passed + length {
                // A separator is not in the raw value; the string after it is.
                found = Some(position(self.value, part) + written_at(part, offset.saturating_sub(passed)));
            }
            passed += length;
        });
        found.unwrap_or(0)
    }

    /// Calls `found` with each string, and with the separator before it.
    fn each_part(&self, mut found: impl FnMut(&str, &str)) {
        if !self.value.starts_with('[') {
            found(self.value, "");
            return;
        }
        let mut between = None;
        items(self.value, |part| {
            found(part, between.unwrap_or_default());
            // The first line shows whether the lines include their line feeds.
            let is_bare = || self.is_old && !shown(part).ends_with(['\n', '\r']);
            between.get_or_insert_with(|| if is_bare() { "\n" } else { "" });
        });
    }
}

/// A part of a text: a string decoded, null as nothing, anything else as JSON.
fn shown(part: &str) -> Cow<'_, str> {
    match part {
        "null" => Cow::Borrowed(""),
        _ if part.starts_with('"') => unescaped(part),
        _ => Cow::Borrowed(part),
    }
}

/// Decodes a JSON string; a lone surrogate, which UTF-8 cannot represent, becomes U+FFFD.
fn unescaped(string: &str) -> Cow<'_, str> {
    let mut rest = string.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(string);
    let Some(first) = memchr(b'\\', rest.as_bytes()) else { return Cow::Borrowed(rest) };
    let mut text = String::with_capacity(rest.len());
    let mut next = Some(first);
    while let Some(plain) = next {
        let (before, escape) = rest.split_at(plain);
        text.push_str(before);
        let (character, length) = escaped(escape);
        text.push(character);
        rest = escape.get(length..).unwrap_or_default();
        next = memchr(b'\\', rest.as_bytes());
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Decodes the escape at the start of `text`; returns the character and the length of the escape in bytes.
fn escaped(text: &str) -> (char, usize) {
    let character = match text.as_bytes().get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return escaped_unit(text),
        Some(&byte) if byte.is_ascii() => char::from(byte),
        _ => char::REPLACEMENT_CHARACTER,
    };
    (character, 2)
}

fn escaped_unit(text: &str) -> (char, usize) {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return (char::REPLACEMENT_CHARACTER, 2) };
    if let Some(character) = char::from_u32(first) {
        return (character, 6);
    }
    match unit(6) {
        Some(second @ 0xDC00..=0xDFFF) if first < 0xDC00 => {
            let scalar = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            (char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
        }
        _ => (char::REPLACEMENT_CHARACTER, 6),
    }
}

/// The position in the raw part of the byte `offset` of its decoded text.
fn written_at(part: &str, offset: usize) -> usize {
    if !part.starts_with('"') {
        return offset.min(part.len());
    }
    let (mut at, mut decoded) = (1, 0);
    while decoded < offset {
        let Some(rest) = part.get(at..).filter(|rest| !rest.is_empty()) else { break };
        let (character, length) = match rest.chars().next() {
            Some('\\') => escaped(rest),
            Some(character) => (character, character.len_utf8()),
            None => break,
        };
        decoded += character.len_utf8();
        at += length;
    }
    at
}

/// A position within this many characters of the start of a line counts as near the start.
const NEAR_CHARS: usize = 200;

/// Finds the line and column of positions, fast if each position is near the previous one.
pub struct JsonPositions<'a> {
    json: &'a str,
    at: usize,
    place: JsonPosition,
}

impl<'a> JsonPositions<'a> {
    /// Starts at the beginning of the file.
    pub fn new(json: &'a str) -> Self {
        Self { json, at: 0, place: JsonPosition { line: 1, column: 1 } }
    }

    /// The text of the file.
    pub fn json(&self) -> &'a str {
        self.json
    }

    /// Where to continue to read: the position, or the start of its line if that is near.
    pub fn place(&mut self, position: usize) -> JsonPosition {
        let JsonPosition { line, column } = self.exact(position);
        JsonPosition { line, column: if column < NEAR_CHARS { 1 } else { column } }
    }

    /// The exact line and column of a position.
    pub fn exact(&mut self, position: usize) -> JsonPosition {
        let position = boundary(self.json, position);
        let (from, to) = (self.at.min(position), self.at.max(position));
        let between = self.json.get(from..to).unwrap_or_default();
        let lines = memchr_iter(b'\n', between.as_bytes()).count();
        let place = &mut self.place;
        if lines > 0 {
            let before = self.json.get(..position).unwrap_or_default();
            let line_start = memrchr(b'\n', before.as_bytes()).map_or(0, |newline| newline + 1);
            place.column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        } else if position < self.at {
            place.column -= between.chars().count();
        } else {
            place.column += between.chars().count();
        }
        place.line = if position < self.at { place.line - lines } else { place.line + lines };
        self.at = position;
        *place
    }
}

/// The last character boundary at or before a byte of `text`.
pub fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..4).map(|back| at.saturating_sub(back)).find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}
