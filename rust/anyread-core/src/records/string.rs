//! The text of a JSON string, in lines.

use memchr::memchr3;

use super::tokens::{begins_char, escape_length, unit};
use crate::error::Result;
use crate::stream::Stream;

/// A line of a string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringLine {
    /// Its number, counted from 1.
    pub number: u64,
    /// As much of it as was requested, without its line ending.
    pub text: String,
    /// The number of its characters.
    pub chars: u64,
}

/// What of a string is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The first line, counted from 1.
    pub first: u64,
    /// The number of lines.
    pub lines: u64,
    /// The first character of the first line, counted from 1.
    pub column: u64,
    /// The most characters of a line.
    pub chars: u64,
    /// Roughly the most bytes of all lines; at least one line is returned.
    pub bytes: usize,
}

/// Some lines of a string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// The lines.
    pub lines: Vec<StringLine>,
    /// The number of lines of the string, if its end was reached.
    pub total: Option<u64>,
    /// Whether bytes were replaced that are not valid UTF-8.
    pub is_lossy: bool,
    /// Whether the string has no end.
    pub is_torn: bool,
}

/// Decodes lines of the string whose quote is the next byte of a stream.
///
/// # Errors
/// Those of reading.
pub fn lines(stream: &mut Stream<'_>, wanted: Wanted) -> Result<Lines> {
    let mut found = Lines::default();
    let mut line = OpenLine::new(1, wanted);
    let mut bytes = 0;
    let mut has_text = false;
    each_part(stream, |part, is_replaced| {
        line.is_lossy |= is_replaced && line.last > 0;
        has_text |= !part.is_empty();
        let mut rest = part;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            line.push(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let number = line.number;
            if number >= wanted.first {
                bytes += line.text.len();
                found.take(&mut line);
            }
            line = OpenLine::new(number + 1, wanted);
            has_text = !rest.is_empty();
            if number + 1 >= wanted.first.saturating_add(wanted.lines) || bytes > wanted.bytes {
                return false;
            }
        }
        line.push(rest);
        true
    })
    .map(|end| {
        found.is_torn = end == End::Torn;
        if end != End::Stopped {
            found.total = Some(line.number - u64::from(!has_text));
            if line.number >= wanted.first && has_text {
                found.take(&mut line);
            }
        }
        found
    })
}

/// The decoded text of the string whose quote is the next byte of a stream, up to `most` characters.
///
/// # Errors
/// Those of reading.
pub fn decoded(stream: &mut Stream<'_>, most: u64) -> Result<String> {
    let (mut text, mut chars) = (Vec::new(), 0);
    each_part(stream, |part, _| {
        for &byte in part {
            chars += u64::from(begins_char(byte));
            if chars > most {
                return false;
            }
            text.push(byte);
        }
        true
    })?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

impl Lines {
    fn take(&mut self, line: &mut OpenLine) {
        let mut bytes = std::mem::take(&mut line.text);
        // The CR of a line ending.
        if line.ends_with_cr {
            line.chars -= 1;
            if line.is_kept(line.chars + 1) {
                bytes.pop();
            }
        }
        self.is_lossy |= line.is_lossy;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.lines.push(StringLine { number: line.number, text, chars: line.chars });
    }
}

/// A line that is being decoded.
struct OpenLine {
    number: u64,
    text: Vec<u8>,
    chars: u64,
    /// The characters that are kept, counted from 1.
    first: u64,
    last: u64,
    ends_with_cr: bool,
    is_lossy: bool,
}

impl OpenLine {
    fn new(number: u64, wanted: Wanted) -> Self {
        let first = if number == wanted.first { wanted.column } else { 1 };
        let last = if number < wanted.first { 0 } else { (first - 1).saturating_add(wanted.chars) };
        Self { number, text: Vec::new(), chars: 0, first, last, ends_with_cr: false, is_lossy: false }
    }

    fn is_kept(&self, char: u64) -> bool {
        (self.first..=self.last).contains(&char)
    }

    fn push(&mut self, part: &[u8]) {
        if self.last == 0 {
            self.chars += u64::from(!part.is_empty());
            return;
        }
        for &byte in part {
            self.chars += u64::from(begins_char(byte));
            if self.is_kept(self.chars) {
                self.text.push(byte);
            }
        }
        if let Some(&last) = part.last() {
            self.ends_with_cr = last == b'\r';
        }
    }
}

/// Why no more parts of a string were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Because `take` returned `false`.
    Stopped,
    Quote,
    /// The stream ends inside of the string.
    Torn,
}

/// Gives the decoded parts of a string to `take` until it returns `false`, and whether they replace bytes that are
/// not valid UTF-8. Each part is valid UTF-8.
fn each_part(stream: &mut Stream<'_>, mut take: impl FnMut(&[u8], bool) -> bool) -> Result<End> {
    stream.skip(1);
    loop {
        // The bytes of a character may be in two chunks.
        let chunk = stream.ahead(4)?;
        let mut plain = memchr3(b'"', b'\\', b'\n', chunk).unwrap_or(chunk.len());
        let special = chunk.get(plain).copied();
        if special.is_none() && plain >= 4 {
            plain -= begun(chunk);
        }
        for part in chunk.get(..plain).unwrap_or_default().utf8_chunks() {
            let (valid, invalid) = (part.valid().as_bytes(), part.invalid());
            if !(valid.is_empty() || take(valid, false))
                || !(invalid.is_empty() || take("\u{fffd}".as_bytes(), true))
            {
                return Ok(End::Stopped);
            }
        }
        stream.skip(plain);
        match special {
            None if plain == 0 => return Ok(End::Torn),
            None => {}
            Some(b'"') => {
                stream.skip(1);
                return Ok(End::Quote);
            }
            Some(b'\\') => {
                let ahead = stream.ahead(12)?;
                let length = escape_length(ahead).unwrap_or(1);
                let mut utf8 = [0; 4];
                let text = unescaped(ahead.get(..length).unwrap_or_default(), &mut utf8);
                if !take(text, false) {
                    return Ok(End::Stopped);
                }
                stream.skip(length);
            }
            Some(other) => {
                if !take(&[other], false) {
                    return Ok(End::Stopped);
                }
                stream.skip(1);
            }
        }
    }
}

/// The number of bytes at the end that may begin a character which goes on after them.
fn begun(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(3).position(|&byte| byte >= 0xc0);
    last.filter(|&at| {
        let first = bytes.get(bytes.len() - 1 - at).copied().unwrap_or_default();
        at + 1
            < if first >= 0xf0 {
                4
            } else if first >= 0xe0 {
                3
            } else {
                2
            }
    })
    .map_or(0, |at| at + 1)
}

/// The character that an escape stands for; an escaped lone surrogate stays as it is.
fn unescaped<'e>(escape: &'e [u8], utf8: &'e mut [u8; 4]) -> &'e [u8] {
    let simple: &[u8] = match escape.get(1) {
        Some(b'b') => b"\x08",
        Some(b'f') => b"\x0c",
        Some(b'n') => b"\n",
        Some(b'r') => b"\r",
        Some(b't') => b"\t",
        Some(b'u') => {
            let units = [unit(escape), escape.get(6..).and_then(unit)];
            let mut characters = char::decode_utf16(units.into_iter().flatten());
            return match characters.next() {
                Some(Ok(character)) => character.encode_utf8(utf8).as_bytes(),
                _ => escape,
            };
        }
        Some(_) => escape.get(1..).unwrap_or_default(),
        None => escape,
    };
    simple
}
