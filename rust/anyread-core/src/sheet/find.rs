//! Finding elements in the bytes of a part without looking at what is between them.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::error::Result;
use crate::inflate::Inflated;

/// Finds the elements of one name.
pub struct ElementFinder {
    start: Finder<'static>,
    /// What ends the element that they are in.
    end: Finder<'static>,
    /// What begins comments and CDATA, in which there may be anything.
    markup: Finder<'static>,
    /// Where there is no such markup.
    checked: Range<u64>,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// An element, at whose tag the content is now.
    Element,
    /// None: the element that they are in, or the content, has ended.
    End,
    /// A comment or CDATA, perhaps not before the next element.
    Markup,
}

impl ElementFinder {
    /// Finds elements of a name inside of another one, both with a prefix, which may be empty.
    pub fn new(prefix: &str, name: &str, parent: &str) -> Self {
        Self {
            start: Finder::new(&opening(prefix, name)).into_owned(),
            end: Finder::new(&closing(prefix, parent)).into_owned(),
            markup: Finder::new(b"<!").into_owned(),
            checked: 0..0,
        }
    }

    /// How many bytes of a tag precede its attributes.
    pub fn tag_length(&self) -> usize {
        self.start.needle().len()
    }

    /// Moves to the next element at or after the position of the content.
    ///
    /// `inspect` receives all bytes that are passed, those at the end of a piece again in the next one, up to the
    /// length of a tag.
    pub fn find(&mut self, content: &mut Inflated<'_>, mut inspect: impl FnMut(&[u8])) -> Result<Found> {
        let length = self.tag_length();
        let reach = length.max(self.end.needle().len());
        loop {
            let offset = content.offset();
            let bytes = content.ahead(reach + 1)?;
            let end = offset + bytes.len() as u64;
            if offset < self.checked.start || self.checked.end < end {
                if self.markup.find(bytes).is_some() {
                    return Ok(Found::Markup);
                }
                self.checked = offset..end;
            }
            let found = self.start.find(bytes);
            let before = bytes.get(..found.unwrap_or(bytes.len())).unwrap_or_default();
            if let Some(at) = self.end.find(before) {
                inspect(before.get(..at).unwrap_or_default());
                content.skip(at);
                return Ok(Found::End);
            }
            let is_all = bytes.len() <= reach;
            let passed = match found {
                Some(at) => at,
                None if is_all => bytes.len(),
                None => bytes.len() - reach,
            };
            inspect(bytes.get(..(passed + length).min(bytes.len())).unwrap_or_default());
            let after = found.and_then(|at| bytes.get(at + length)).copied();
            content.skip(passed);
            match after {
                Some(b' ' | b'>' | b'/' | b'\t' | b'\n' | b'\r') => return Ok(Found::Element),
                Some(_) => content.skip(length),
                None if is_all => return Ok(Found::End),
                None => {}
            }
        }
    }
}

/// The bytes with which an element of a name begins.
pub fn opening(prefix: &str, name: &str) -> Vec<u8> {
    let colon = if prefix.is_empty() { "" } else { ":" };
    format!("<{prefix}{colon}{name}").into_bytes()
}

/// The bytes with which an element of a name ends.
pub fn closing(prefix: &str, name: &str) -> Vec<u8> {
    let mut bytes = opening(prefix, name);
    bytes.insert(1, b'/');
    bytes
}
