//! The values of records that match a pattern: names, strings as they are decoded, numbers and literals.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr};

use super::elements::{Container, Elements};
use super::pass::pass_blanks;
use super::pointer::escaped;
use super::string::{self, escape};
use super::tokens::{Step, Tokens, What};
use crate::cache::FileState;
use crate::encoding::Codec;
use crate::error::Result;
use crate::find::{Pattern, SourceFilter};
use crate::size::to_usize;
use crate::stream::{Bytes, Stream};

/// The characters of a string that are looked at with the others; a longer one is read again.
const KEPT: u64 = 64 << 10;
/// How many bytes of lines are looked at together.
const LOOK: usize = 128 << 10;
/// How much of a longer string is looked at at once, and how much of a line again with what follows it.
const PIECE: usize = 256 << 10;
const OVERLAP: usize = 64 << 10;
/// How many characters before and after a match are shown of a line.
const NEAR: usize = 200;
/// The longest address of a value in bytes.
const LONGEST_PATH: usize = 2 << 10;

/// A value that matches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValueHit {
    /// The way to it from its record, as a JSON pointer.
    pub at: String,
    /// The line of a string in which the first match is, counted from 1; 0: it is a name, not a value.
    pub line: u64,
    /// This line, or what is near the match if the line is longer.
    pub text: String,
    /// How many characters of the line are left out before the text, and after it.
    pub left_out: (u64, u64),
}

/// A record with values that match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordHit {
    /// Its number, counted from 1.
    pub number: u64,
    /// The name of a field.
    pub name: Option<String>,
    /// The first values that match.
    pub values: Vec<ValueHit>,
    /// The number of all values that match, as far as they were looked at.
    pub total: u64,
}

/// Records that match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordHits {
    /// The records.
    pub records: Vec<RecordHit>,
    /// The number of the last record that was looked at.
    pub last: u64,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'p> {
    /// The pattern.
    pub pattern: &'p Pattern,
    /// The number of the first record and of the last one.
    pub numbers: (u64, u64),
    /// The search ends after so many records that match.
    pub records: usize,
    /// The most values of a record that are returned; with 0, it is only found out whether it matches.
    pub values: usize,
}

/// Searches elements of a container, or with `None` the lines of which the first begins at `begin`.
///
/// # Errors
/// Those of reading.
pub fn search(
    stream: &mut Stream<'_>,
    container: Option<Container>,
    begin: u64,
    wanted: Wanted<'_>,
    state: Option<FileState>,
) -> Result<RecordHits> {
    let mut found = RecordHits::default();
    let (first, last) = wanted.numbers;
    let filter = filter(wanted.pattern);
    let Some(container) = container else {
        let (mut number, file_end) = (first, stream.end());
        // Up to which offset some lines may match.
        let mut mixed = 0;
        stream.seek(begin);
        while number <= last && found.records.len() < wanted.records {
            let start = stream.offset();
            let bytes = stream.ahead(LOOK)?;
            let skips = |end: usize| {
                let text = bytes.get(..end).unwrap_or_default();
                filter.as_ref().is_some_and(|filter| !filter.may_match(text))
            };
            let mut passed = None;
            if start >= mixed
                && let Some(end) = memrchr(b'\n', bytes)
            {
                // Many lines at once, because nearly all are passed over.
                let lines = memchr_iter(b'\n', bytes).count() as u64;
                passed = Some((end + 1, lines)).filter(|_| number + lines <= last && skips(end));
                mixed = start + end as u64 + 1;
            }
            if passed.is_none()
                && let Some(end) = memchr(b'\n', bytes)
            {
                passed = Some((end + 1, 1)).filter(|_| skips(end));
            }
            if let Some((length, lines)) = passed {
                stream.skip(length);
                number += lines;
                found.last = number - 1;
                continue;
            }
            let has_end = stream.skip_to(b'\n')?;
            let end = stream.offset();
            if end == start && !has_end {
                break;
            }
            stream.end_at(end);
            stream.seek(start);
            if start == 0 && stream.ahead(3)?.starts_with(b"\xef\xbb\xbf") {
                stream.skip(3);
            }
            if pass_blanks(stream)?.is_some() {
                let value = stream.offset();
                found.add(
                    record(stream, value, number, wanted)?
                        .map_or_else(|| source(stream, start..end, number, wanted), Ok)?,
                );
            }
            found.last = number;
            stream.end_at(file_end);
            stream.seek(end);
            if has_end {
                stream.skip(1);
            }
            number += 1;
        }
        return Ok(found);
    };
    let mut elements = Elements::new(stream, container, begin, state);
    let mut next = if first <= 1 { elements.next()? } else { elements.find(first - 1)? };
    while let Some(element) = next.filter(|element| element.index < last) {
        let number = element.index + 1;
        let name = elements.name(&element)?;
        elements.pass(&element)?;
        let (begin, end) = (element.value, elements.stream().offset());
        let stream = elements.stream();
        let mut hit = if may_match(stream, begin..end, filter.as_ref())? {
            match record(stream, begin, number, wanted)? {
                Some(hit) => hit,
                None => source(stream, begin..end, number, wanted)?,
            }
        } else {
            RecordHit { number, ..RecordHit::default() }
        };
        if let Some(text) = name.as_deref().filter(|name| wanted.pattern.is_match(name)) {
            let value = ValueHit { text: text.to_owned(), ..ValueHit::default() };
            hit.take(value, wanted.values);
        }
        hit.name = name.filter(|_| wanted.values > 0);
        found.add(hit);
        found.last = number;
        if found.records.len() >= wanted.records {
            break;
        }
        elements.stream().seek(end);
        next = elements.next()?;
    }
    Ok(found)
}

/// What finds out which records may match by their source; `None` if it is too large.
fn filter(pattern: &Pattern) -> Option<SourceFilter> {
    // Of escapes, only `\n` cannot be in a match: it separates lines.
    let escapes = if pattern.may_have(b"\"\\/\t\r\x08\x0c") {
        r"\\[^n]"
    } else if pattern.may_have_others() {
        r"\\u"
    } else {
        r"\\u(?:00[2-7]|212[aA]|017[fF])"
    };
    pattern.in_source(&[escapes.to_owned()])
}

/// Whether a value may match, as far as its bytes tell.
fn may_match(
    stream: &mut Stream<'_>,
    range: std::ops::Range<u64>,
    filter: Option<&SourceFilter>,
) -> Result<bool> {
    let length = to_usize(range.end - range.start);
    let Some(filter) = filter.filter(|_| length <= PIECE) else { return Ok(true) };
    stream.seek(range.start);
    let bytes = stream.ahead(length)?;
    Ok(bytes.get(..length).is_none_or(|value| filter.may_match(value)))
}

impl RecordHits {
    fn add(&mut self, hit: RecordHit) {
        if hit.total > 0 {
            self.records.push(hit);
        }
    }
}

impl RecordHit {
    fn take(&mut self, value: ValueHit, most: usize) {
        self.total += 1;
        if self.values.len() < most {
            self.values.push(value);
        }
    }
}

/// Where a token is: the steps from the record, in one text.
#[derive(Default)]
struct Path {
    text: String,
    /// Where each container's steps begin in the text, and the number of its next item if it is a list.
    levels: Vec<(usize, Option<u64>)>,
}

impl Path {
    fn step(&mut self, step: &str) {
        let begin = self.levels.last().map_or(0, |level| level.0);
        self.text.truncate(begin);
        if self.text.len() + step.len() < LONGEST_PATH {
            self.text.push('/');
            self.text.push_str(step);
        }
    }

    /// Begins the next item, if the token is one of a list.
    fn item(&mut self) {
        if let Some((_, Some(next))) = self.levels.last_mut() {
            let step = next.to_string();
            *next += 1;
            self.step(&step);
        }
    }
}

/// Searches the value that begins at an offset; `None` if it is not JSON.
fn record(stream: &mut Stream<'_>, begin: u64, number: u64, wanted: Wanted<'_>) -> Result<Option<RecordHit>> {
    let mut hit = RecordHit { number, ..RecordHit::default() };
    let mut long: Vec<(u64, String)> = Vec::new();
    let mut path = Path::default();
    stream.seek(begin);
    let mut tokens = Tokens::new(stream);
    while hit.total == 0 || wanted.values > 0 {
        let token = match tokens.next(KEPT)? {
            Step::Token(token) => token,
            Step::End => break,
            Step::Fault(_) => return Ok(None),
        };
        match token.what {
            What::Open(byte) => {
                path.item();
                let begin = path.text.len();
                path.levels.push((begin, (byte == b'[').then_some(0)));
            }
            What::Close(..) => {
                if let Some((begin, _)) = path.levels.pop() {
                    path.text.truncate(begin);
                }
            }
            What::Key => {
                let name = String::from_utf8_lossy(&unescaped(&tokens.text)).into_owned();
                path.step(&escaped(&name));
                if wanted.pattern.is_match(&name) {
                    let value = ValueHit { at: path.text.clone(), text: name, ..ValueHit::default() };
                    hit.take(value, wanted.values);
                }
            }
            What::Value => {
                path.item();
                if token.cut_from.is_some() {
                    long.push((tokens.begin, path.text.clone()));
                } else if let Some(found) = near(&unescaped(&tokens.text), 0, wanted.pattern) {
                    hit.take(ValueHit { at: path.text.clone(), ..found }, wanted.values);
                }
            }
            What::Comment => {}
        }
    }
    for (begin, at) in long {
        if hit.total > 0 && wanted.values == 0 {
            break;
        }
        stream.seek(begin);
        if let Some(found) = in_string(stream, wanted.pattern)? {
            hit.take(ValueHit { at, ..found }, wanted.values);
        }
    }
    Ok(Some(hit))
}

/// Searches a record that is not JSON as it is in the file.
fn source(
    stream: &mut Stream<'_>,
    range: std::ops::Range<u64>,
    number: u64,
    wanted: Wanted<'_>,
) -> Result<RecordHit> {
    let mut hit = RecordHit { number, ..RecordHit::default() };
    let mut pieces = Pieces::new(wanted.pattern);
    stream.seek(range.start);
    while stream.offset() < range.end {
        let rest = to_usize(range.end - stream.offset());
        let chunk = stream.chunk()?;
        let length = chunk.len().min(rest);
        if length == 0 || !pieces.take(chunk.get(..length).unwrap_or_default()) {
            break;
        }
        stream.skip(length);
    }
    if let Some(found) = pieces.finish() {
        hit.take(found, wanted.values);
    }
    Ok(hit)
}

/// Searches the string whose quote is the next byte of a stream.
fn in_string(stream: &mut Stream<'_>, pattern: &Pattern) -> Result<Option<ValueHit>> {
    let mut pieces = Pieces::new(pattern);
    string::each_part(stream, |part, _| pieces.take(part))?;
    Ok(pieces.finish())
}

/// A text that is searched piece by piece.
struct Pieces<'p> {
    pattern: &'p Pattern,
    text: Vec<u8>,
    /// The lines before it.
    lines: u64,
    found: Option<ValueHit>,
}

impl<'p> Pieces<'p> {
    fn new(pattern: &'p Pattern) -> Self {
        Self { pattern, text: Vec::new(), lines: 0, found: None }
    }

    /// Takes the next part; returns whether more are needed.
    fn take(&mut self, part: &[u8]) -> bool {
        self.text.extend_from_slice(part);
        if self.text.len() >= PIECE {
            self.look();
            // The end of a line may be the beginning of a match.
            let end = memrchr(b'\n', &self.text).map_or(0, |end| end + 1);
            let end = Codec::Utf8.floor_boundary(&self.text, end.max(self.text.len() - OVERLAP));
            self.lines += memchr_iter(b'\n', self.text.get(..end).unwrap_or_default()).count() as u64;
            self.text.drain(..end);
        }
        self.found.is_none()
    }

    fn look(&mut self) {
        self.found = self.found.take().or_else(|| near(&self.text, self.lines, self.pattern));
    }

    fn finish(mut self) -> Option<ValueHit> {
        self.look();
        self.found
    }
}

/// The first match in a text after some lines, with what is near it in its line.
fn near(text: &[u8], lines: u64, pattern: &Pattern) -> Option<ValueHit> {
    let found = pattern.find(text)?;
    let start = memrchr(b'\n', text.get(..found.start)?).map_or(0, |before| before + 1);
    let end = memchr(b'\n', text.get(found.start..)?).map_or(text.len(), |end| found.start + end);
    let number = lines + memchr_iter(b'\n', text.get(..start)?).count() as u64 + 1;
    let line = String::from_utf8_lossy(text.get(start..end)?);
    let before = String::from_utf8_lossy(text.get(start..found.start)?).chars().count();
    let matched = String::from_utf8_lossy(text.get(found)?).chars().count();
    let chars = line.chars().count();
    let first = if chars > 4 * NEAR { before.saturating_sub(NEAR) } else { 0 };
    let most = if chars > 4 * NEAR { before - first + matched.min(2 * NEAR) + NEAR } else { chars };
    let shown: String = line.chars().skip(first).take(most).collect();
    let after = chars.saturating_sub(first + most);
    Some(ValueHit { at: String::new(), line: number, text: shown, left_out: (first as u64, after as u64) })
}

/// The text of a string as it is decoded, without its quotes; numbers and literals as they are.
fn unescaped(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(inner) = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")) else {
        return Cow::Borrowed(text);
    };
    if memchr(b'\\', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let (mut decoded, mut rest) = (Vec::with_capacity(inner.len()), inner);
    while let Some(at) = memchr(b'\\', rest) {
        decoded.extend_from_slice(rest.get(..at).unwrap_or_default());
        let after = rest.get(at..).unwrap_or_default();
        let (character, length) = escape(after).unwrap_or((None, 1));
        match character {
            Some(character) => decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            None => decoded.extend_from_slice(after.get(..length).unwrap_or_default()),
        }
        rest = after.get(length..).unwrap_or_default();
    }
    decoded.extend_from_slice(rest);
    Cow::Owned(decoded)
}
