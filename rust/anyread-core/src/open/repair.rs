//! Repairing paths that models have garbled. Every other spelling is opened with the same checks as
//! the path itself, and only after the path was not found.

use std::path::{Path, PathBuf};

use super::display::{hexadecimal, unescape};
use super::siblings::{Case, Listings, Search, is_mistyped};
use super::{Opener, may_be_misspelled};
use crate::error::{Error, ErrorKind, Result};
use crate::system::{HOME, path_bytes, path_from_bytes};

/// What is tried if a path does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repairs {
    /// Other spellings of it, and names that look the same.
    Spelling,
    /// Also files whose names are the same in other letter case, or in a directory below or beside, and names that
    /// are certainly mistyped.
    Name,
}

/// Opens, with `open`, what the path `given`, which does not exist, certainly means.
pub(super) fn open<T>(
    opener: &Opener,
    given: &Path,
    missing: Error,
    repairs: Repairs,
    listings: &Listings,
    open: impl Fn(&Path) -> Result<T>,
) -> Result<T> {
    let search = Search::new(opener, listings);
    let spellings = spellings(given);
    for spelling in &spellings {
        if let Some(decided) = decided(given, open(spelling)) {
            return decided;
        }
    }
    let all = || std::iter::once(given).chain(spellings.iter().map(PathBuf::as_path));
    for spelling in all() {
        let mut candidates = search.alike(spelling, Case::Same);
        if candidates.len() > 1 {
            return Err(Error::new(given, ErrorKind::AmbiguousPath { candidates }));
        }
        if let Some(decided) = candidates.pop().and_then(|only| decided(given, open(&only))) {
            return decided;
        }
    }
    if matches!(missing.kind, ErrorKind::BadPath { .. }) {
        return Err(missing);
    }
    let mut elsewhere = Vec::new();
    for spelling in all().filter(|_| repairs == Repairs::Name) {
        elsewhere = search.elsewhere(spelling);
        let candidates = [search.alike(spelling, Case::Any), elsewhere.clone()].concat();
        if let [only] = candidates.as_slice()
            && !search.is_over()
            && let Ok(found) = open(only)
        {
            return Ok(found);
        }
    }
    let likeliest = spellings.last().map_or(given, PathBuf::as_path);
    let mut error = search.not_found(given, likeliest, elsewhere);
    if let ErrorKind::NotFound { near, dangling_link: None } = &mut error.kind
        && repairs == Repairs::Name
    {
        if let [only] = near.as_slice()
            && is_mistyped(likeliest, only)
            && !search.is_over()
            && let Ok(found) = open(only)
        {
            return Ok(found);
        }
        if near.is_empty() {
            near.extend(search.directory_above(likeliest));
        }
    }
    Err(error)
}

/// The result of opening a spelling, as an error about the path as given; `None` if it does not exist either.
fn decided<T>(given: &Path, opened: Result<T>) -> Option<Result<T>> {
    match opened {
        Ok(found) => Some(Ok(found)),
        Err(error) if may_be_misspelled(&error) => None,
        Err(error) => Some(Err(Error::new(given, error.kind))),
    }
}

/// Other spellings of a path, each derived from the previous one: without surrounding blanks, without
/// quotes, with `file://` and `~/` resolved, with escapes decoded.
pub(super) fn spellings(given: &Path) -> Vec<PathBuf> {
    let mut current = path_bytes(given).into_owned();
    let mut found: Vec<PathBuf> = Vec::new();
    for step in [trimmed, unquoted, from_url, from_home, unescape] {
        if let Some(changed) = step(&current) {
            current = changed;
            found.push(path_from_bytes(&current).into_owned());
        }
    }
    found
}

fn trimmed(path: &[u8]) -> Option<Vec<u8>> {
    // If the path is not UTF-8, only ASCII blanks can be recognized.
    let inner = std::str::from_utf8(path).map_or(path.trim_ascii(), |text| text.trim().as_bytes());
    (inner.len() < path.len()).then(|| inner.to_vec())
}

fn unquoted(path: &[u8]) -> Option<Vec<u8>> {
    match path {
        [open @ (b'"' | b'\'' | b'`'), inner @ .., close] if open == close => {
            Some(trimmed(inner).unwrap_or_else(|| inner.to_vec()))
        }
        _ => None,
    }
}

/// The path of a `file:` URL that refers to this machine (RFC 8089).
fn from_url(path: &[u8]) -> Option<Vec<u8>> {
    let (scheme, rest) = path.split_at_checked(b"file:".len())?;
    if !scheme.eq_ignore_ascii_case(b"file:") {
        return None;
    }
    let path = match rest.strip_prefix(b"//") {
        Some(rest) => rest.strip_prefix(b"localhost").unwrap_or(rest),
        None => rest,
    };
    let path = match path {
        // The path of `file:///C:/x` begins with the drive.
        [b'/', drive, b':', ..] if cfg!(windows) && drive.is_ascii_alphabetic() => &path[1..],
        [b'/', ..] => path,
        _ => return None,
    };
    Some(percent_decoded(path))
}

fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, others)) = rest.split_first() {
        if let [b'%', high, low, after @ ..] = rest
            && let Some(byte) = hexadecimal(*high, *low)
        {
            bytes.push(byte);
            rest = after;
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    bytes
}

/// Expands `~` and `~/`; `~name` is an ordinary name.
fn from_home(path: &[u8]) -> Option<Vec<u8>> {
    let rest = path.strip_prefix(b"~").filter(|rest| rest.is_empty() || rest.starts_with(b"/"))?;
    let home = std::env::var_os(HOME).filter(|home| Path::new(home).is_absolute())?;
    Some([&*path_bytes(Path::new(&home)), rest].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_spelling(given: &str) -> Option<PathBuf> {
        spellings(Path::new(given)).pop()
    }

    #[test]
    fn test_spellings() {
        for (given, expected) in [
            (" a.txt\n", "a.txt"),
            ("\u{a0}a b.txt\u{202f}", "a b.txt"),
            ("'a.txt'", "a.txt"),
            ("\"a.txt\"", "a.txt"),
            ("`a.txt` ", "a.txt"),
            ("file:///x/a%20b%C3%A9", "/x/a bé"),
            ("FILE://localhost/x", "/x"),
            ("file:/x", "/x"),
            ("\"file:///x\"", "/x"),
            ("file:///100%zz%2", "/100%zz%2"),
        ] {
            assert_eq!(last_spelling(given).as_deref(), Some(Path::new(expected)), "{given:?}");
        }
        for given in ["a.txt", "'a.txt", "it's", "file://host/x", "file:x", "~user/x", "a~/b", r"\x41", "'"] {
            assert_eq!(last_spelling(given), None, "{given:?}");
        }
    }

    #[test]
    fn test_home_is_expanded() {
        let home = PathBuf::from(std::env::var_os("HOME").unwrap());
        assert_eq!(last_spelling("~/a"), Some(home.join("a")));
        assert_eq!(last_spelling("'~/a'"), Some(home.join("a")));
        assert_eq!(last_spelling("~"), Some(home));
    }

    #[test]
    fn test_escapes_are_decoded_last() {
        let found = spellings(Path::new(r" \xff.txt"));
        assert_eq!(found[0], Path::new(r"\xff.txt"));
        assert_eq!(&*path_bytes(&found[1]), b"\xff.txt");
    }
}
