//! Passing over JSON values by their quotes and brackets, without looking at what is between them.
//!
//! This takes little more time than reading the file. What is shown is read by [`super::tokens`] instead.

use memchr::memchr2;

use crate::error::Result;
use crate::stream::Stream;

/// Whether JSON allows a byte between two tokens.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
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
pub fn is_comment(stream: &mut Stream<'_>) -> Result<bool> {
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
        Some(b'"') => pass_string(stream),
        Some(b'{' | b'[') => pass_container(stream),
        Some(byte) if ends_scalar(byte) => {
            stream.skip(1);
            Ok(true)
        }
        Some(_) => {
            stream.skip_while(|byte| !ends_scalar(byte))?;
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Passes a string; returns whether it has an end.
///
/// # Errors
/// Those of reading.
pub fn pass_string(stream: &mut Stream<'_>) -> Result<bool> {
    stream.skip(1);
    loop {
        let chunk = stream.chunk()?;
        match memchr2(b'"', b'\\', chunk) {
            Some(at) if chunk.get(at) == Some(&b'"') => {
                stream.skip(at + 1);
                return Ok(true);
            }
            Some(at) => {
                stream.skip(at);
                // A backslash, and what it escapes, which may be in the next chunk.
                if stream.ahead(2)?.len() < 2 {
                    stream.skip(1);
                    return Ok(false);
                }
                stream.skip(2);
            }
            None if chunk.is_empty() => return Ok(false),
            None => {
                let all = chunk.len();
                stream.skip(all);
            }
        }
    }
}

/// Passes a list or an object; returns whether it has an end.
fn pass_container(stream: &mut Stream<'_>) -> Result<bool> {
    let mut depth = 0_u64;
    loop {
        let chunk = stream.chunk()?;
        if chunk.is_empty() {
            return Ok(false);
        }
        let (mut at, mut is_string) = (0, false);
        while let Some(&byte) = chunk.get(at) {
            at += 1;
            match KINDS[usize::from(byte)] {
                0 => {}
                QUOTE => {
                    let Some(end) = end_of_string(chunk, at) else {
                        is_string = true;
                        break;
                    };
                    at = end;
                }
                OPEN => depth += 1,
                CLOSE if depth <= 1 => {
                    stream.skip(at);
                    return Ok(true);
                }
                CLOSE => depth -= 1,
                _ if matches!(chunk.get(at), Some(b'/' | b'*') | None) => {
                    at -= 1;
                    break;
                }
                _ => {}
            }
        }
        // A string or a comment that may go on in the next chunk.
        if is_string {
            stream.skip(at - 1);
            if !pass_string(stream)? {
                return Ok(false);
            }
            continue;
        }
        let is_slash = chunk.get(at) == Some(&b'/');
        stream.skip(at);
        if is_slash {
            if is_comment(stream)? { pass_comment(stream)? } else { stream.skip(1) }
        }
    }
}

/// The index after the quote that ends the string whose content begins at `at`, if it is in the chunk.
fn end_of_string(chunk: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let found = memchr2(b'"', b'\\', chunk.get(at..)?)?;
        at += found + 1;
        if chunk.get(at - 1) == Some(&b'"') {
            return Some(at);
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
