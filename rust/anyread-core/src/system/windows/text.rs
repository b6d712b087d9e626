//! Paths as bytes: UTF-8 with `/` as the separator, in which unpaired surrogates have three bytes each.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::windows::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The bytes of a path, with `/` as the separator.
#[must_use]
pub fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.contains(&b'\\') {
        Cow::Owned(bytes.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect())
    } else {
        Cow::Borrowed(bytes)
    }
}

/// The path of such bytes.
#[must_use]
pub fn path_from_bytes(bytes: &[u8]) -> Cow<'_, Path> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(Path::new(text)),
        Err(_) => Cow::Owned(PathBuf::from(OsString::from_wide(&units(bytes)))),
    }
}

/// Such bytes as UTF-16; bytes that are no text become U+FFFD.
pub(super) fn units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, others)) = rest.split_first() {
        if let [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, after @ ..] = rest {
            units.push(0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f));
            rest = after;
            continue;
        }
        let valid = match std::str::from_utf8(rest) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        units.extend(valid.encode_utf16());
        rest = &rest[valid.len()..];
        if valid.is_empty() {
            debug_assert!(*first >= 0x80, "ASCII is valid");
            units.push(0xfffd);
            rest = others;
        }
    }
    units
}

/// `C:\a` for `\\?\C:\a`, and `\\server\share` for `\\?\UNC\server\share`.
pub(super) fn without_verbatim_prefix(path: &Path) -> PathBuf {
    let bytes = path_bytes(path);
    match bytes.strip_prefix(b"//?/") {
        Some([b'U', b'N', b'C', rest @ ..]) if rest.starts_with(b"/") => {
            path_from_bytes(&[b"/", rest].concat()).into_owned()
        }
        Some(rest @ [drive, b':', ..]) if drive.is_ascii_alphabetic() => path_from_bytes(rest).into_owned(),
        _ => path.to_path_buf(),
    }
}
