//! Passing over JSON values by their quotes and brackets, without looking at what is between them.
//!
//! This takes little more time than reading the file. What is shown is read by [`super::tokens`] instead.
//! Notebooks, which are in memory, find their values with the same [`ValueScan`].

use memchr::memchr2;

use crate::error::Result;
use crate::stream::{Bytes, Stream};

/// What precedes each value of a JSON text sequence.
///
/// Source: RFC 7464.
pub const RECORD_SEPARATOR: u8 = 0x1E;

/// Whether a byte may be between two tokens.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | RECORD_SEPARATOR)
}

/// Whether a byte ends a number or a literal.
pub fn ends_scalar(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b',' | b':' | b'"' | b'[' | b']' | b'{' | b'}' | b'/')
}

/// Passes blanks and comments; returns the next other byte.
///
/// # Errors
/// Those of reading.
pub fn pass_blanks(stream: &mut Stream<'_>) -> Result<Option<u8>> {
    loop {
        match stream.skip_while(is_blank)? {
            Some(b'/') if is_comment(stream)? => pass_comment(stream)?,
            next => return Ok(next),
        }
    }
}

/// Whether a comment begins here.
///
/// # Errors
/// Those of reading.
pub fn is_comment<B: Bytes>(stream: &mut B) -> std::result::Result<bool, B::Error> {
    Ok(matches!(stream.ahead(2)?, [b'/', b'/' | b'*', ..]))
}

/// Passes a comment; the line feed after one of `//` is not a part of it.
///
/// # Errors
/// Those of reading.
pub fn pass_comment(stream: &mut Stream<'_>) -> Result<()> {
    let is_line = stream.ahead(2)?.get(1) == Some(&b'/');
    stream.skip(2);
    loop {
        let last = if is_line { b'\n' } else { b'*' };
        match stream.skip_while(|byte| byte != last)? {
            Some(_) if is_line => return Ok(()),
            Some(_) if stream.ahead(2)?.get(1) == Some(&b'/') => {
                stream.skip(2);
                return Ok(());
            }
            Some(_) => stream.skip(1),
            None => return Ok(()),
        }
    }
}

/// Passes the value that begins at the next byte; returns whether it has an end.
///
/// # Errors
/// Those of reading.
pub fn pass_value(stream: &mut Stream<'_>) -> Result<bool> {
    match stream.peek()? {
        Some(b'"' | b'[' | b'{') => {}
        Some(byte) if ends_scalar(byte) => {
            stream.skip(1);
            return Ok(true);
        }
        scalar => {
            stream.skip_while(|byte| !ends_scalar(byte))?;
            return Ok(scalar.is_some());
        }
    }
    let mut scan = ValueScan::default();
    loop {
        let (length, found) = scan.pass(stream.chunk()?);
        stream.skip(length);
        match found {
            Found::End => return Ok(true),
            Found::Slash if is_comment(stream)? => pass_comment(stream)?,
            Found::Slash => stream.skip(1),
            Found::Nothing if length == 0 => return Ok(false),
            Found::Nothing => {}
        }
    }
}

/// The scan of a string, a list or an object, of which one part after another is given.
#[derive(Debug, Default)]
pub struct ValueScan {
    /// How many containers the next byte is in.
    depth: u64,
    /// Whether it is in a string.
    is_string: bool,
    /// Whether it is escaped there.
    is_escaped: bool,
}

/// What follows the bytes that a scan has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// What is after the value.
    End,
    /// A slash outside of strings, which may begin a comment.
    Slash,
    /// The next part.
    Nothing,
}

impl ValueScan {
    /// Passes bytes of the next part; returns how many, and what follows them.
    pub fn pass(&mut self, part: &[u8]) -> (usize, Found) {
        let (mut at, mut depth, mut is_string) = (usize::from(self.is_escaped), self.depth, self.is_string);
        loop {
            if is_string {
                match end_of_string(part, at) {
                    Ok(end) if depth == 0 => return (end, Found::End),
                    Ok(end) => at = end,
                    Err(is_escaped) => {
                        *self = Self { depth, is_string, is_escaped };
                        return (part.len(), Found::Nothing);
                    }
                }
            }
            is_string = false;
            while !is_string {
                let Some(&byte) = part.get(at) else {
                    *self = Self { depth, ..Self::default() };
                    return (at, Found::Nothing);
                };
                at += 1;
                match KINDS[usize::from(byte)] {
                    0 => {}
                    QUOTE => is_string = true,
                    OPEN => depth += 1,
                    CLOSE if depth <= 1 => return (at, Found::End),
                    CLOSE => depth -= 1,
                    _ => {
                        *self = Self { depth, ..Self::default() };
                        return (at - 1, Found::Slash);
                    }
                }
            }
        }
    }
}

/// The index after the quote that ends the string in which the byte `at` is.
///
/// # Errors
/// The part ends before that; whether the byte after the part is escaped.
pub fn end_of_string(part: &[u8], mut at: usize) -> std::result::Result<usize, bool> {
    loop {
        let rest = part.get(at..).ok_or(true)?;
        at += memchr2(b'"', b'\\', rest).ok_or(false)? + 1;
        if part.get(at - 1) == Some(&b'"') {
            return Ok(at);
        }
        at += 1;
    }
}

const QUOTE: u8 = 1;
const OPEN: u8 = 2;
const CLOSE: u8 = 3;
const SLASH: u8 = 4;

/// What a byte outside of strings means.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    kinds[b'"' as usize] = QUOTE;
    kinds[b'{' as usize] = OPEN;
    kinds[b'[' as usize] = OPEN;
    kinds[b'}' as usize] = CLOSE;
    kinds[b']' as usize] = CLOSE;
    kinds[b'/' as usize] = SLASH;
    kinds
};

#[cfg(test)]
mod tests {
    use super::{Found, ValueScan};

    #[test]
    fn test_scan_in_parts_finds_the_end_of_a_value() {
        for value in
            [r#""""#, r#""\\\"]}\u00e9 é\\""#, r#"{"a\"}": ["]", {"\\": -1.5e3}], "": {}}"#, "[[],[null]]"]
        {
            let text = format!("{value}, 1]}}\"");
            for size in 1..=text.len() {
                let (mut scan, mut end) = (ValueScan::default(), 0);
                let found = text.as_bytes().chunks(size).find_map(|part| {
                    let (length, found) = scan.pass(part);
                    end += length;
                    (found != Found::Nothing).then_some(found)
                });
                assert_eq!((found, end), (Some(Found::End), value.len()), "{value} in parts of {size}");
            }
        }
    }
}
