//! The text of a JSON string, in lines.

use memchr::memchr3;

use super::tokens::{escape_length, unit};
use crate::error::Result;
use crate::lines::{LineTaker, Lines, Wanted, begins_char};
use crate::stream::Stream;

/// Decodes lines of the string whose quote is the next byte of a stream.
///
/// # Errors
/// Those of reading.
pub fn lines(stream: &mut Stream<'_>, wanted: Wanted) -> Result<Lines> {
    let mut taker = LineTaker::new(wanted);
    let end = each_part(stream, |part, is_replaced| taker.take(part, is_replaced))?;
    Ok(Lines { is_torn: end == End::Torn, ..taker.finish() })
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
