//! Converting paths to text and back: bytes that are not UTF-8 are written as `\xff`.

use std::fmt::Write;
use std::path::Path;

use crate::system::path_bytes;

/// The path as text: valid UTF-8 unchanged, any other byte as `\xNN` in lower case.
///
/// The text can be passed as a path: if no file has exactly that name, repair decodes it.
#[must_use]
pub fn display_path(path: &Path) -> String {
    display_bytes(&path_bytes(path))
}

/// Like [`display_path`], for the bytes of a path or a name.
pub(super) fn display_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// The bytes that such a text represents; `None` if it contains no escape.
///
/// Only escapes of bytes from 0x80 are decoded: no others are ever written, and so an escape cannot
/// become a slash or a NUL.
pub(super) fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, others)) = rest.split_first() {
        if let [b'\\', b'x', high, low, after @ ..] = rest
            && let Some(byte) = hexadecimal(*high, *low)
            && byte >= 0x80
        {
            bytes.push(byte);
            rest = after;
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    (bytes.len() < text.len()).then_some(bytes)
}

/// The value of two hexadecimal digits.
pub(super) fn hexadecimal(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::path_from_bytes;

    #[test]
    fn test_display_round_trips() {
        for bytes in [b"a\xff.txt".as_slice(), b"\xe2\x82", b"ok \xc3\xa9 \x80\xfe"] {
            let shown = display_path(&path_from_bytes(bytes));
            assert_eq!(unescape(shown.as_bytes()).as_deref(), Some(bytes));
        }
        assert_eq!(display_path(&path_from_bytes(b"f\xff.txt")), "f\\xff.txt");
        assert_eq!(display_path(Path::new("é\n.txt")), "é\n.txt");
    }

    #[test]
    fn test_unescape_leaves_ascii() {
        assert_eq!(unescape(br"a\x2fb\x00\x41\xg0\x"), None);
        assert_eq!(unescape(br"\x2f\xFF").as_deref(), Some(b"\\x2f\xff".as_slice()));
    }
}
