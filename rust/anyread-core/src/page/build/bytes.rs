//! The bytes of a page, which are copied only if they are not those of a text in memory.

use crate::page::view::Position;
use crate::scan::to_usize;
use crate::source::Source;

/// The bytes of the lines, without those that are clipped.
pub(super) struct PageBytes<'a> {
    /// The text in memory from the start of the page on, as long as nothing in it is left out.
    shared: Option<&'a [u8]>,
    copied: Vec<u8>,
    length: usize,
}

impl<'a> PageBytes<'a> {
    /// No bytes of a page that begins at a position in `source`.
    pub(super) fn new(source: Source<'a>, start: &Position) -> Self {
        let shared = match source {
            Source::Memory(bytes) if start.shift.is_empty() => bytes.get(to_usize(start.byte)..),
            _ => None,
        };
        Self { shared, copied: Vec::new(), length: 0 }
    }

    pub(super) fn get(&self) -> &[u8] {
        self.shared.map_or(&self.copied, |bytes| &bytes[..self.length])
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Reserves memory for more bytes; returns whether there is any.
    pub(super) fn reserve(&mut self, bytes: usize) -> bool {
        self.shared.is_some() || self.copied.try_reserve(bytes).is_ok()
    }

    /// Adds the bytes that follow in the file.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        if self.shared.is_none() {
            self.copied.extend_from_slice(bytes);
        }
        self.length += bytes.len();
    }

    /// Makes a copy, because the next bytes are not those that follow in the file.
    pub(super) fn separate(&mut self) {
        if let Some(bytes) = self.shared.take() {
            self.copied.extend_from_slice(&bytes[..self.length]);
        }
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.copied.truncate(length);
        self.length = self.length.min(length);
    }

    /// Whether these are all bytes of a text in memory.
    pub(super) fn is_whole(&self, source: Source<'_>) -> bool {
        self.shared.is_some() && self.length as u64 == source.size()
    }

    pub(super) fn into_vec(mut self) -> Vec<u8> {
        self.separate();
        self.copied
    }
}
