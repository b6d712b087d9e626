//! The text of a JSON string, in lines.

use memchr::memchr3;

use crate::encoding::is_start;
use crate::error::Result;
use crate::lines::{LineTaker, Lines, Wanted};
use crate::stream::{Bytes, Stream};

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
            chars += u64::from(is_start(byte));
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
pub(super) enum End {
    /// Because `take` returned `false`.
    Stopped,
    Quote,
    /// The stream ends inside of the string.
    Torn,
}

/// Gives the decoded parts of a string to `take` until it returns `false`, and whether they replace bytes that are
/// not valid UTF-8. Each part is valid UTF-8.
pub(super) fn each_part(stream: &mut Stream<'_>, mut take: impl FnMut(&[u8], bool) -> bool) -> Result<End> {
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
                let (character, length) = escape(ahead).unwrap_or((None, 1));
                let mut utf8 = [0; 4];
                // An escaped lone surrogate stays as it is.
                let text = match character {
                    Some(character) => character.encode_utf8(&mut utf8).as_bytes(),
                    None => ahead.get(..length).unwrap_or_default(),
                };
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

/// The character of the escape at the start of `bytes` (`None` for a lone surrogate), and the length of the escape.
///
/// A pair of surrogates is one escape.
pub fn escape(bytes: &[u8]) -> Option<(Option<char>, usize)> {
    let character = match *bytes.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => {
            let units = [Some(unit(bytes)?), bytes.get(6..).and_then(unit)];
            let character = char::decode_utf16(units.into_iter().flatten()).next()?.ok();
            return Some((character, 6 * character.map_or(1, char::len_utf16)));
        }
        byte @ (b'"' | b'\\' | b'/') => char::from(byte),
        _ => return None,
    };
    Some((Some(character), 2))
}

/// The UTF-16 unit of `\uXXXX` at the start of `bytes`.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
