//! The tokens of one JSON value, checked, with as much of each text as a caller wants to show.
//!
//! Beyond JSON this accepts what many writers write: `NaN`, `Infinity`, comments, one comma too many, and control
//! characters in strings. Notebooks, of which no text is kept here, may only have the numbers ([`Tokens::strict`]).
//! Containers may be nested up to [`MOST_LEVELS`] deep, without recursion.

use memchr::memchr2;

use super::pass::{RECORD_SEPARATOR, ends_scalar, is_blank, is_comment};
use super::string::escape;
use crate::encoding::{count_starts, is_start};
use crate::size::to_usize;
use crate::stream::Bytes;

/// How deep containers may be nested; parsers of other languages accept about 1,000 levels.
const MOST_LEVELS: usize = 100_000;
/// How many bytes of a number or a literal are kept to compare it with the literals.
const LONGEST_LITERAL: usize = 9;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The beginning of a container: `[` or `{`.
    Open(u8),
    /// The end of a container with so many items: `]` or `}`.
    Close(u8, u64),
    /// The name of a field.
    Key,
    /// A string, a number or a literal.
    Value,
    /// A comment.
    Comment,
}

/// A token. The text of a key, a value or a comment is in [`Tokens::text`].
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// What it is.
    pub what: What,
    /// How many containers it is in.
    pub level: usize,
    /// Whether a comma precedes it; of the end of a container, whether there is one too many.
    pub has_comma: bool,
    /// The number of characters of its text, without quotes, if they are more than are kept.
    pub cut_from: Option<u64>,
}

/// Why a value is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It ends before it is complete.
    Torn,
    /// There is something else at this offset of the file.
    Wrong(u64),
}

/// The next token, the end of the value, or what is wrong.
#[derive(Debug)]
pub enum Step {
    /// A token.
    Token(Token),
    /// The value is complete.
    End,
    /// It is not JSON from here on.
    Fault(Fault),
}

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    /// A value of a list, or its end; after a comma or at its beginning.
    Item,
    /// A name of an object, or its end; after a comma or at its beginning.
    Key,
    Colon,
    /// A comma, or the end of the container.
    Comma,
    /// In a string: a character, or an escape.
    Character,
    Nothing,
}

/// A container that has begun.
#[derive(Debug, Clone, Copy)]
struct Container {
    is_list: bool,
    items: u64,
}

/// The tokens of the value that begins at the position of a stream.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one text")]
pub struct Tokens<'s, B> {
    stream: &'s mut B,
    containers: Vec<Container>,
    expected: Expected,
    after_comma: bool,
    is_strict: bool,
    /// The offset in the file of the last token.
    pub begin: u64,
    /// The text of the last token; that of a string with its quotes.
    pub text: Vec<u8>,
    /// Whether something was accepted that is not JSON.
    pub is_odd: bool,
    /// Whether text that was kept has a control character, other than the first character of a string.
    pub has_control: bool,
}

impl<'s, B: Bytes> Tokens<'s, B> {
    /// Begins at the next byte of a stream.
    pub fn new(stream: &'s mut B) -> Self {
        Self {
            stream,
            containers: Vec::new(),
            expected: Expected::Value,
            after_comma: false,
            is_strict: false,
            begin: 0,
            text: Vec::new(),
            is_odd: false,
            has_control: false,
        }
    }

    /// The same, but nothing is accepted that Python's parser refuses, and nothing after the value. No text is kept.
    pub fn strict(stream: &'s mut B) -> Self {
        Self { is_strict: true, ..Self::new(stream) }
    }

    /// What should have been where a fault is.
    pub fn expected(&self) -> &'static str {
        match self.expected {
            Expected::Value | Expected::Item if self.containers.len() >= MOST_LEVELS => "nested too deep",
            Expected::Value | Expected::Item => "expected value",
            Expected::Key => "expected a name in quotes",
            Expected::Colon => "expected `:`",
            Expected::Comma => "expected `,` or the end of the list or object",
            Expected::Character => "invalid escape or control character",
            Expected::Nothing => "trailing characters",
        }
    }

    /// The offset in the file after the last token.
    pub fn offset(&self) -> u64 {
        self.stream.offset()
    }

    /// The next token, with at most `keep` characters of its text.
    ///
    /// # Errors
    /// Those of reading.
    pub fn next(&mut self, keep: u64) -> Result<Step, B::Error> {
        let is_strict = self.is_strict;
        let is_passed = |byte| is_blank(byte) && !(is_strict && byte == RECORD_SEPARATOR);
        loop {
            let is_complete = self.expected == Expected::Nothing;
            if is_complete && !is_strict {
                return Ok(Step::End);
            }
            let Some(byte) = self.stream.skip_while(is_passed)? else {
                return Ok(if is_complete { Step::End } else { Step::Fault(Fault::Torn) });
            };
            self.begin = self.stream.offset();
            match (self.expected, byte) {
                (_, b'/') if !is_strict && is_comment(self.stream)? => return self.comment(keep),
                (Expected::Value | Expected::Item, b'[' | b'{') => return Ok(self.open(byte)),
                (Expected::Value | Expected::Item, b'"') => return self.string(What::Value, keep),
                (Expected::Item, b']') | (Expected::Key, b'}') => return Ok(self.close(byte)),
                (Expected::Value | Expected::Item, _) if !ends_scalar(byte) => return self.scalar(keep),
                (Expected::Key, b'"') => return self.string(What::Key, keep),
                (Expected::Colon, b':') => self.expected = Expected::Value,
                (Expected::Comma, b',') => {
                    self.after_comma = true;
                    let is_list = self.containers.last().is_some_and(|container| container.is_list);
                    self.expected = if is_list { Expected::Item } else { Expected::Key };
                }
                (Expected::Comma, b']' | b'}') if self.closes(byte) => return Ok(self.close(byte)),
                _ => return Ok(self.wrong()),
            }
            self.stream.skip(1);
        }
    }

    fn wrong(&self) -> Step {
        Step::Fault(Fault::Wrong(self.stream.offset()))
    }

    fn closes(&self, byte: u8) -> bool {
        self.containers.last().is_some_and(|container| container.is_list == (byte == b']'))
    }

    /// A token that counts as an item of its container.
    #[inline]
    fn token(&mut self, what: What, cut_from: Option<u64>) -> Step {
        let in_object = self.containers.last().is_some_and(|container| !container.is_list);
        let is_item = matches!(what, What::Key) || !in_object;
        if is_item && let Some(container) = self.containers.last_mut() {
            container.items += 1;
        }
        let has_comma = is_item && std::mem::take(&mut self.after_comma);
        Step::Token(Token { what, level: self.containers.len(), has_comma, cut_from })
    }

    #[inline]
    fn open(&mut self, byte: u8) -> Step {
        if self.containers.len() >= MOST_LEVELS {
            return self.wrong();
        }
        self.stream.skip(1);
        let token = self.token(What::Open(byte), None);
        let is_list = byte == b'[';
        self.containers.push(Container { is_list, items: 0 });
        self.expected = if is_list { Expected::Item } else { Expected::Key };
        token
    }

    #[inline]
    fn close(&mut self, byte: u8) -> Step {
        if self.is_strict && self.after_comma {
            return self.wrong();
        }
        self.stream.skip(1);
        let items = self.containers.pop().map_or(0, |container| container.items);
        let has_comma = std::mem::take(&mut self.after_comma);
        self.is_odd |= has_comma;
        self.after_value();
        Step::Token(Token {
            what: What::Close(byte, items),
            level: self.containers.len(),
            has_comma,
            cut_from: None,
        })
    }

    #[inline]
    fn after_value(&mut self) {
        self.expected = if self.containers.is_empty() { Expected::Nothing } else { Expected::Comma };
    }

    fn string(&mut self, what: What, keep: u64) -> Result<Step, B::Error> {
        self.text.clear();
        let cut_from = match self.read_string(keep)? {
            Ok(cut_from) => cut_from,
            Err(fault) => {
                self.expected = Expected::Character;
                return Ok(Step::Fault(fault));
            }
        };
        let token = self.token(what, cut_from);
        if what == What::Key {
            self.expected = Expected::Colon;
        } else {
            self.after_value();
        }
        Ok(token)
    }

    /// Reads a string; returns [`Token::cut_from`], or what is wrong with it.
    fn read_string(&mut self, keep: u64) -> Result<Result<Option<u64>, Fault>, B::Error> {
        self.stream.skip(1);
        if self.is_strict {
            return self.pass_string();
        }
        self.text.push(b'"');
        let most_bytes = most_bytes(keep);
        let (mut chars, mut is_full) = (0_u64, false);
        loop {
            let chunk = self.stream.chunk()?;
            if chunk.is_empty() {
                return Ok(Err(Fault::Torn));
            }
            let plain = if is_full {
                let rest = memchr2(b'"', b'\\', chunk).unwrap_or(chunk.len());
                chars += count_starts(chunk.get(..rest).unwrap_or_default());
                rest
            } else {
                let rest = memchr2(b'"', b'\\', chunk).unwrap_or(chunk.len());
                let plain = chunk.get(..rest).unwrap_or_default();
                let count = count_starts(plain);
                let room = most_bytes.saturating_add(1).saturating_sub(self.text.len());
                let fits = chars + count <= keep && rest <= room;
                let kept = if fits { rest } else { length_of_chars(plain, keep - chars).min(room) };
                let control = plain.iter().take(kept.saturating_add(1)).position(|&byte| byte < b' ');
                let end = control.unwrap_or(kept);
                let plain = plain.get(..end).unwrap_or_default();
                self.text.extend_from_slice(plain);
                is_full = control.is_none() && kept < rest;
                chars += if is_full || end == rest { count } else { count_starts(plain) };
                if is_full { rest } else { end }
            };
            let special = chunk.get(plain).copied();
            self.stream.skip(plain);
            match special {
                None => {}
                Some(b'"') => {
                    self.stream.skip(1);
                    self.text.push(b'"');
                    return Ok(Ok(is_full.then_some(chars)));
                }
                Some(b'\\') => {
                    let length = match self.escape_length()? {
                        Ok(length) => length,
                        Err(fault) => return Ok(Err(fault)),
                    };
                    chars += 1;
                    is_full |= chars > keep;
                    if !is_full {
                        let ahead = self.stream.ahead(length)?;
                        self.text.extend_from_slice(ahead.get(..length).unwrap_or_default());
                    }
                    self.stream.skip(length);
                }
                Some(control) => {
                    // Written as JSON would write it, so that a record stays one line.
                    self.has_control |= self.text.len() > 1;
                    self.is_odd |= self.text.len() == 1;
                    chars += 1;
                    is_full |= chars > keep;
                    if !is_full {
                        self.text.extend_from_slice(format!("\\u{control:04x}").as_bytes());
                    }
                    self.stream.skip(1);
                }
            }
        }
    }

    /// Passes the rest of a string, of which nothing is kept.
    #[inline]
    fn pass_string(&mut self) -> Result<Result<Option<u64>, Fault>, B::Error> {
        loop {
            let chunk = self.stream.chunk()?;
            let plain = plain_length(chunk);
            let special = chunk.get(plain).copied();
            self.stream.skip(plain);
            match special {
                Some(b'"') => {
                    self.stream.skip(1);
                    return Ok(Ok(None));
                }
                Some(b'\\') => match self.escape_length()? {
                    Ok(length) => self.stream.skip(length),
                    Err(fault) => return Ok(Err(fault)),
                },
                Some(_) => return Ok(Err(Fault::Wrong(self.stream.offset()))),
                None if plain == 0 => return Ok(Err(Fault::Torn)),
                None => {}
            }
        }
    }

    /// The length of the escape that begins here, or what is wrong with it.
    fn escape_length(&mut self) -> Result<Result<usize, Fault>, B::Error> {
        let ahead = self.stream.ahead(12)?;
        Ok(match escape(ahead) {
            Some((_, length)) => Ok(length),
            None if ahead.len() < 6 && !ahead.contains(&b'"') => Err(Fault::Torn),
            None => Err(Fault::Wrong(self.stream.offset())),
        })
    }

    fn scalar(&mut self, keep: u64) -> Result<Step, B::Error> {
        self.text.clear();
        let begin = self.stream.offset();
        let (mut number, mut chars) = (Number::Start, 0_u64);
        let (mut literal, mut known) = ([0; LONGEST_LITERAL + 1], 0);
        loop {
            let chunk = self.stream.chunk()?;
            let length = chunk.iter().position(|&byte| ends_scalar(byte)).unwrap_or(chunk.len());
            let part = chunk.get(..length).unwrap_or_default();
            let (ended, is_last) = (length < chunk.len(), chunk.is_empty());
            number = part.iter().fold(number, |number, &byte| number.after(byte));
            for (to, byte) in literal.iter_mut().skip(known).zip(part) {
                (*to, known) = (*byte, known + 1);
            }
            // Numbers and literals are ASCII; of what is neither, the text does not matter.
            let kept = part.len().min(to_usize(keep.saturating_sub(chars)));
            self.text.extend_from_slice(part.get(..kept).unwrap_or_default());
            chars += part.len() as u64;
            self.stream.skip(length);
            if ended || is_last {
                break;
            }
        }
        let literal = literal.get(..known).unwrap_or_default();
        let is_literal = matches!(literal, b"true" | b"false" | b"null");
        let is_odd = matches!(literal, b"NaN" | b"Infinity" | b"-Infinity");
        if !(is_literal || is_odd || number.is_complete()) {
            let is_torn = self.stream.peek()?.is_none() && may_continue(literal, number);
            let fault = if is_torn { Fault::Torn } else { Fault::Wrong(begin) };
            return Ok(Step::Fault(fault));
        }
        self.is_odd |= is_odd;
        let token = self.token(What::Value, (chars > keep).then_some(chars));
        self.after_value();
        Ok(token)
    }

    /// Reads a comment, and writes it as one that needs no line feed.
    fn comment(&mut self, keep: u64) -> Result<Step, B::Error> {
        self.is_odd = true;
        self.text.clear();
        self.text.extend_from_slice(b"/*");
        let is_line = self.stream.ahead(2)?.get(1) == Some(&b'/');
        self.stream.skip(2);
        let (mut chars, mut is_full) = (0_u64, false);
        loop {
            let Some(byte) = self.stream.peek()? else {
                if is_line {
                    break;
                }
                return Ok(Step::Fault(Fault::Torn));
            };
            let is_end = if is_line { byte == b'\n' } else { self.stream.ahead(2)?.starts_with(b"*/") };
            if is_end {
                self.stream.skip(if is_line { 1 } else { 2 });
                break;
            }
            chars += u64::from(is_start(byte));
            is_full |= chars > keep || self.text.len() > most_bytes(keep);
            if !is_full {
                self.text.push(if byte < b' ' { b' ' } else { byte });
            }
            self.stream.skip(1);
        }
        self.text.extend_from_slice(b"*/");
        let level = self.containers.len();
        let cut_from = is_full.then_some(chars);
        Ok(Step::Token(Token { what: What::Comment, level, has_comma: false, cut_from }))
    }
}

/// The number of bytes before the next quote, backslash or control character, found eight at a time.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xFF;
    // The lowest byte whose highest bit is set is the first one that is less than `limit`.
    let less = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES << 7);
    let (words, _) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let special = less(word ^ (ONES * 0x22), 1) | less(word ^ (ONES * 0x5C), 1) | less(word, 0x20);
        if special != 0 {
            return index * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let is_special = |&byte: &u8| byte < b' ' || matches!(byte, b'"' | b'\\');
    let rest = words.len() * 8;
    bytes.iter().skip(rest).position(is_special).map_or(bytes.len(), |at| rest + at)
}

/// The most bytes of so many characters, each perhaps an escaped pair of surrogates; invalid UTF-8 may have more.
fn most_bytes(chars: u64) -> usize {
    to_usize(chars.saturating_mul(12))
}

/// The number of bytes before the character after so many others, or of all of them.
fn length_of_chars(bytes: &[u8], chars: u64) -> usize {
    let begins = bytes.iter().enumerate().filter(|(_, byte)| is_start(**byte));
    begins.map(|(at, _)| at).nth(to_usize(chars)).unwrap_or(bytes.len())
}

/// Whether a token at the end of the file is the beginning of a literal or a number.
fn may_continue(literal: &[u8], number: Number) -> bool {
    let names: [&[u8]; 6] = [b"true", b"false", b"null", b"NaN", b"Infinity", b"-Infinity"];
    number != Number::Wrong || names.iter().any(|name| name.starts_with(literal))
}

/// How far a number has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Start,
    Minus,
    Zero,
    Digits,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
    Wrong,
}

impl Number {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Start, b'-') => Self::Minus,
            (Self::Start | Self::Minus, b'0') => Self::Zero,
            (Self::Start | Self::Minus, b'1'..=b'9') | (Self::Digits, b'0'..=b'9') => Self::Digits,
            (Self::Zero | Self::Digits, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Digits | Self::Fraction, b'e' | b'E') => Self::E,
            (Self::E, b'+' | b'-') => Self::Sign,
            (Self::E | Self::Sign | Self::Exponent, b'0'..=b'9') => Self::Exponent,
            _ => Self::Wrong,
        }
    }

    fn is_complete(self) -> bool {
        matches!(self, Self::Zero | Self::Digits | Self::Fraction | Self::Exponent)
    }
}
