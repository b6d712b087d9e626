//! The JSON parsing that notebooks need: the fields and items of a value as slices of the file, never a tree.
//!
//! The tokens of the file are checked once; after that, slices are found by their quotes and brackets.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::checks::{CHECK_BYTES, Checks, Stopped};
use super::{Broken, JsonPosition, Refused};
use crate::records::{Fault, Found, Step, Tokens, ValueScan, What, end_of_string, ends_scalar, escape};
use crate::size::to_usize;
use crate::stream::Memory;

/// How many values a JSON text has at most: one for each comma and opening bracket outside of strings.
///
/// Nothing is parsed, so the text may be anything, and this takes little more time than to read it.
#[must_use]
pub fn count_values(json: &[u8]) -> usize {
    let (mut count, mut rest) = (0, json);
    while !rest.is_empty() {
        let (outside, from_quote) = rest.split_at(memchr(b'"', rest).unwrap_or(rest.len()));
        count += outside.iter().filter(|byte| matches!(byte, b',' | b'{' | b'[')).count();
        rest = end_of_string(from_quote, 1).map_or(&[], |end| &from_quote[end..]);
    }
    count
}

/// Checks that a text is one JSON object, which may have the numbers `NaN`, `Infinity` and `-Infinity`.
///
/// Gives each token to `take`: what it is, how many containers it is in, and where it is.
///
/// # Errors
/// The text is something else, or [`Stopped`].
pub fn each_token(
    text: &str,
    checks: &Checks<'_>,
    mut take: impl FnMut(What, usize, Range<usize>) -> Result<(), Stopped>,
) -> Result<(), Refused> {
    let next = text.bytes().position(|byte| !b" \t\r\n".contains(&byte)).unwrap_or(text.len());
    if !text[next..].starts_with('{') {
        return Err(broken(text, next, "expected an object"));
    }
    let mut bytes = Memory { bytes: text.as_bytes(), next };
    let mut tokens = Tokens::strict(&mut bytes);
    loop {
        let before = tokens.offset();
        let Ok(step) = tokens.next(0);
        checks.passed(to_usize(tokens.offset() - before))?;
        match step {
            Step::Token(token) => {
                take(token.what, token.level, to_usize(tokens.begin)..to_usize(tokens.offset()))?;
            }
            Step::End => return Ok(()),
            Step::Fault(Fault::Torn) => return Err(broken(text, text.len(), "it ends early")),
            Step::Fault(Fault::Wrong(at)) => return Err(broken(text, to_usize(at), tokens.expected())),
        }
    }
}

/// Syntax that is wrong at a byte of a text.
fn broken(text: &str, at: usize, message: &str) -> Refused {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let line = memchr_iter(b'\n', before).count() + 1;
    let column = at - memrchr(b'\n', before).map_or(0, |newline| newline + 1) + 1;
    Broken { line, column, fault: super::Fault::Syntax(message.to_owned()) }.into()
}

/// The values in a list or an object that is known to be valid, without what is between them.
struct Values<'a, 'c> {
    rest: &'a str,
    checks: &'c Checks<'c>,
}

impl<'a> Iterator for Values<'a, '_> {
    type Item = Result<&'a str, Stopped>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n', ',', ':']);
        let length = match value_length(rest.as_bytes(), self.checks) {
            Ok(0) => return None,
            Ok(length) => length,
            Err(stopped) => return Some(Err(stopped)),
        };
        let (value, rest) = rest.split_at(length);
        self.rest = rest;
        Some(Ok(value))
    }
}

/// The fields of an object that is known to be valid; any other value has none.
pub fn fields<'a, 'c>(
    value: &'a str,
    checks: &'c Checks<'c>,
) -> impl Iterator<Item = Result<(Cow<'a, str>, &'a str), Stopped>> + use<'a, 'c> {
    let mut values = Values { rest: value.strip_prefix('{').unwrap_or_default(), checks };
    std::iter::from_fn(move || {
        let (name, value) = (values.next()?, values.next()?);
        Some(name.and_then(|name| Ok((unescaped(name, checks)?, value?))))
    })
}

/// The items of a list that is known to be valid; any other value has none.
pub fn items<'a, 'c>(
    value: &'a str,
    checks: &'c Checks<'c>,
) -> impl Iterator<Item = Result<&'a str, Stopped>> + use<'a, 'c> {
    Values { rest: value.strip_prefix('[').unwrap_or_default(), checks }
}

/// The length of the valid value at the start of `bytes`; 0 if there is none, at the end of a list or an object.
pub fn value_length(bytes: &[u8], checks: &Checks<'_>) -> Result<usize, Stopped> {
    let mut length = 0;
    if let Some(b'"' | b'[' | b'{') = bytes.first() {
        let mut scan = ValueScan::default();
        for part in bytes.chunks(CHECK_BYTES) {
            let (passed, found) = scan.pass(part);
            checks.passed(passed)?;
            length += passed;
            if found != Found::Nothing {
                break;
            }
        }
    } else {
        length = bytes.iter().position(|&byte| ends_scalar(byte)).unwrap_or(bytes.len());
        checks.passed(length)?;
    }
    Ok(length)
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
pub fn string(value: &str, checks: &Checks<'_>) -> Result<Option<String>, Stopped> {
    value.starts_with('"').then(|| owned(unescaped(value, checks)?)).transpose()
}

/// A text of its own.
pub fn owned(text: Cow<'_, str>) -> Result<String, Stopped> {
    let Cow::Borrowed(borrowed) = text else { return Ok(text.into_owned()) };
    let mut text = String::new();
    text.try_reserve_exact(borrowed.len())?;
    text.push_str(borrowed);
    Ok(text)
}

/// The text of a string that is a name, cut as in [`short`].
pub fn name(value: &str, checks: &Checks<'_>) -> Result<Option<String>, Stopped> {
    Ok(string(value, checks)?.map(|name| short(&name)))
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

impl<'a> Text<'a> {
    /// The decoded text. A value that is not text is returned as JSON, and null as an empty text.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn decoded(&self, checks: &Checks<'_>) -> Result<String, Stopped> {
        let mut text = String::new();
        for part in self.parts(checks) {
            let (before, part) = part?;
            let part = shown(part, checks)?;
            text.try_reserve(before.len() + part.len())?;
            text.extend([before, &*part]);
        }
        Ok(text)
    }

    /// The strings of the text, each with the separator before it.
    fn parts<'c>(&self, checks: &'c Checks<'c>) -> Parts<'a, 'c> {
        let rest = self.value.strip_prefix('[').unwrap_or(self.value);
        Parts { values: Values { rest, checks }, is_old: self.is_old, separator: None }
    }
}

/// The strings of a text.
struct Parts<'a, 'c> {
    values: Values<'a, 'c>,
    is_old: bool,
    /// What is between them; `None` before the first one.
    separator: Option<&'static str>,
}

impl<'a> Iterator for Parts<'a, '_> {
    type Item = Result<(&'static str, &'a str), Stopped>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = match self.values.next()? {
            Ok(part) => part,
            Err(stopped) => return Some(Err(stopped)),
        };
        let before = self.separator.unwrap_or_default();
        if self.separator.is_none() {
            // The first line shows whether the lines include their line feeds.
            let is_bare = match shown(if self.is_old { part } else { "" }, self.values.checks) {
                Ok(line) => self.is_old && !line.ends_with(['\n', '\r']),
                Err(stopped) => return Some(Err(stopped)),
            };
            self.separator = Some(if is_bare { "\n" } else { "" });
        }
        Some(Ok((before, part)))
    }
}

/// Finds the raw positions of bytes of a decoded text, fast if their offsets only increase.
pub struct TextPositions<'a, 'c> {
    text: Text<'a>,
    checks: &'c Checks<'c>,
    parts: Parts<'a, 'c>,
    /// What is left of the current part, without its quotes.
    rest: &'a str,
    has_escapes: bool,
    /// The offset of the rest in the decoded text.
    offset: usize,
}

impl<'a, 'c> TextPositions<'a, 'c> {
    /// Starts at the beginning of the text.
    #[must_use]
    pub fn new(text: Text<'a>, checks: &'c Checks<'c>) -> Self {
        Self { text, checks, parts: text.parts(checks), rest: "", has_escapes: false, offset: 0 }
    }

    /// The position in the raw value of the byte `offset` of the decoded text.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn position_of(&mut self, offset: usize) -> Result<usize, Stopped> {
        if offset < self.offset {
            *self = Self::new(self.text, self.checks);
        }
        loop {
            self.advance(offset)?;
            // A separator is not in the raw value; the string after it is.
            if !self.rest.is_empty() || offset < self.offset {
                return Ok(position(self.text.value, self.rest));
            }
            let Some(part) = self.parts.next() else { return Ok(0) };
            let (before, part) = part?;
            self.offset += before.len();
            self.has_escapes = part.starts_with('"');
            self.rest = if part == "null" { "" } else { content(part) };
        }
    }

    /// The range in the raw value of a range of the decoded text that is not empty.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn range_of(&mut self, range: &Range<usize>) -> Result<Range<usize>, Stopped> {
        let start = self.position_of(range.start)?;
        let last = self.position_of(range.end.saturating_sub(1))?;
        let raw = self.text.value.get(last..).unwrap_or_default();
        Ok(start..last + if raw.starts_with('\\') { escaped(raw).1 } else { 1 })
    }

    /// Moves to the offset, or to the end of the part.
    fn advance(&mut self, offset: usize) -> Result<(), Stopped> {
        while self.offset < offset && !self.rest.is_empty() {
            let wanted = (offset - self.offset).min(self.rest.len());
            let plain = self.rest.as_bytes().get(..wanted).unwrap_or_default();
            let escape = if self.has_escapes { memchr(b'\\', plain) } else { None };
            let (raw_bytes, bytes) = match escape {
                Some(0) => {
                    let (character, length) = escaped(self.rest);
                    (length, character.len_utf8())
                }
                Some(at) => (at, at),
                None => {
                    let end = (wanted..=self.rest.len()).find(|&end| self.rest.is_char_boundary(end));
                    let end = end.unwrap_or(self.rest.len());
                    (end, end)
                }
            };
            self.rest = self.rest.get(raw_bytes..).unwrap_or_default();
            self.offset += bytes;
            self.checks.passed(raw_bytes)?;
        }
        Ok(())
    }
}

/// A part of a text: a string decoded, null as nothing, anything else as JSON.
fn shown<'a>(part: &'a str, checks: &Checks<'_>) -> Result<Cow<'a, str>, Stopped> {
    match part {
        "null" => Ok(Cow::Borrowed("")),
        _ if part.starts_with('"') => unescaped(part, checks),
        _ => Ok(Cow::Borrowed(part)),
    }
}

/// A string without its quotes; any other value unchanged.
fn content(value: &str) -> &str {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value)
}

/// Decodes a JSON string; a lone surrogate, which UTF-8 cannot represent, becomes U+FFFD.
pub fn unescaped<'a>(string: &'a str, checks: &Checks<'_>) -> Result<Cow<'a, str>, Stopped> {
    let mut rest = content(string);
    let Some(first) = memchr(b'\\', rest.as_bytes()) else { return Ok(Cow::Borrowed(rest)) };
    let mut text = String::new();
    text.try_reserve_exact(rest.len())?;
    let mut next = Some(first);
    while let Some(plain) = next {
        let (before, escape) = rest.split_at(plain);
        text.push_str(before);
        let (character, length) = escaped(escape);
        text.push(character);
        checks.passed(plain + length)?;
        rest = escape.get(length..).unwrap_or_default();
        next = memchr(b'\\', rest.as_bytes());
    }
    text.push_str(rest);
    Ok(Cow::Owned(text))
}

/// Decodes a part of a text that has no quotes or commas, from [`TextPositions::range_of`].
pub fn decoded_part(raw: &str, checks: &Checks<'_>) -> Result<String, Stopped> {
    let mut text = owned(unescaped(raw, checks)?)?;
    // Between two strings of a list.
    text.retain(|character| !matches!(character, '"' | ','));
    Ok(text)
}

/// Decodes the escape at the start of `text`; returns the character and the length of the escape in bytes.
fn escaped(text: &str) -> (char, usize) {
    let (character, length) = escape(text.as_bytes()).unwrap_or((None, 2));
    (character.unwrap_or(char::REPLACEMENT_CHARACTER), length)
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
