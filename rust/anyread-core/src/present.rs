//! Which bytes of a local copy are present, of a file that is elsewhere.
//!
//! The copy has the size of the file from the start, so that everything that reads files can read it. A read of bytes
//! that are not present fails with [`Blocked::Missing`]; whoever made the copy ([`crate::copies`]) fetches them, and the
//! read starts again. [`Present::require`] is called by everything that reads the descriptor of a copy: a read without
//! it would show NULs.

use std::ops::Range;
use std::path::Path;

use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::lock::Lock;

/// Which bytes of a copy are present, and what is counted of the rest.
#[derive(Debug)]
pub struct Present {
    number: u64,
    size: u64,
    version: String,
    is_settled: bool,
    counts: bool,
    pieces: Lock<Pieces>,
}

#[derive(Debug, Default)]
struct Pieces {
    /// The bytes that are present: in order, without overlaps, never adjacent.
    ranges: Vec<Range<u64>>,
    /// Offsets, and how many LF come before each, in order.
    counted: Vec<(u64, u64)>,
    /// The number of LF in the whole file.
    total: Option<u64>,
}

impl Present {
    /// Nothing is present of a file of a size.
    #[must_use]
    pub fn new(number: u64, size: u64, version: String, is_settled: bool, counts: bool) -> Self {
        Self { number, size, version, is_settled, counts, pieces: Lock::default() }
    }

    /// The size of the file in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number of the copy in this process.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The version of the file; empty if a change could leave the same one.
    #[must_use]
    pub fn version(&self) -> &str {
        if self.is_settled { &self.version } else { "" }
    }

    /// The version of the file, even if a change could leave the same one.
    #[must_use]
    pub fn state(&self) -> &str {
        &self.version
    }

    /// Whether LF are counted where the file is.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// Records that bytes were written.
    pub(crate) fn add(&self, added: Range<u64>) {
        if added.is_empty() {
            return;
        }
        let ranges = &mut self.pieces.lock().ranges;
        // Those that it touches become one with it.
        let first = ranges.partition_point(|range| range.end < added.start);
        let last = ranges.partition_point(|range| range.start <= added.end);
        let touched = ranges.get(first..last).unwrap_or_default();
        let start = touched.first().map_or(added.start, |range| range.start.min(added.start));
        let end = touched.last().map_or(added.end, |range| range.end.max(added.end));
        ranges.splice(first..last, std::iter::once(start..end));
    }

    /// How many bytes are present.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.pieces.lock().ranges.iter().map(|range| range.end - range.start).sum()
    }

    /// How many bytes at the start are present.
    #[must_use]
    pub fn prefix(&self) -> u64 {
        self.pieces.lock().ranges.first().filter(|range| range.start == 0).map_or(0, |range| range.end)
    }

    /// The part of `length` bytes from an offset on that must be fetched before they can be read.
    #[must_use]
    pub fn missing(&self, offset: u64, length: u64) -> Option<Range<u64>> {
        let end = offset.saturating_add(length).min(self.size);
        let pieces = self.pieces.lock();
        let after = |at: u64| pieces.ranges.partition_point(|range| range.start <= at).checked_sub(1);
        // The range that contains a byte, if there is one.
        let holder = |at: u64| after(at).map(|index| &pieces.ranges[index]).filter(|range| at < range.end);
        let start = holder(offset).map_or(offset, |range| range.end);
        if start >= end {
            return None;
        }
        Some(start..holder(end - 1).map_or(end, |range| range.start))
    }

    /// Fails if bytes are missing.
    ///
    /// # Errors
    /// [`Blocked::Missing`].
    pub fn require(&self, path: &Path, offset: u64, length: u64) -> Result<()> {
        let Some(Range { start, end }) = self.missing(offset, length) else { return Ok(()) };
        let blocked = Blocked::Missing { copy: self.number, start, end };
        Err(Error::new(path, ErrorKind::WouldBlock(blocked)))
    }

    /// Fails unless all of it is present.
    ///
    /// # Errors
    /// [`Blocked::Missing`].
    pub fn require_all(&self, path: &Path) -> Result<()> {
        self.require(path, 0, self.size)
    }

    /// Whether all of it is present.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing(0, self.size).is_none()
    }

    /// The number of LF in the whole file, if they were counted.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        self.pieces.lock().total
    }

    /// Records the number of LF in the whole file; returns whether that agrees with what is known.
    pub fn add_total(&self, total: u64) -> bool {
        total <= self.size && *self.pieces.lock().total.get_or_insert(total) == total
    }

    /// Records the LF in steps of `step` bytes from an offset on; returns whether they agree with what is known.
    ///
    /// The steps begin at the start of the file, or where earlier steps begin and end.
    pub fn add_counts(&self, start: u64, step: u64, counts: &[u64]) -> bool {
        let Pieces { counted, total, .. } = &mut *self.pieces.lock();
        if counted.is_empty() {
            counted.push((0, 0));
            counted.extend(total.filter(|_| self.size > 0).map(|total| (self.size, total)));
        }
        let Ok(at) = counted.binary_search_by_key(&start, |(offset, _)| *offset) else { return false };
        let (mut offset, mut before) = (start, counted[at].1);
        let mut found = Vec::with_capacity(counts.len());
        for count in counts {
            let end = offset.saturating_add(step).min(self.size);
            if *count > end - offset {
                return false;
            }
            (offset, before) = (end, before + count);
            found.push((offset, before));
        }
        let is_known = |offset: &u64| counted.binary_search_by_key(offset, |(known, _)| *known);
        if found.iter().any(|(offset, before)| is_known(offset).is_ok_and(|at| counted[at].1 != *before)) {
            return false;
        }
        let next = counted.get(at + 1).copied();
        match next {
            // Another call has counted it in smaller steps.
            Some((end, _)) if end < offset => return true,
            Some((end, _)) if end == offset => {
                found.pop();
            }
            _ if offset == self.size => *total = Some(before),
            _ => {}
        }
        let after = at + 1;
        counted.splice(after..after, found);
        true
    }

    /// The counted part of the file that has LF `number`, counted from 1, and how many come before it.
    #[must_use]
    pub fn part_of(&self, number: u64) -> Option<(Range<u64>, u64)> {
        let counted = &self.pieces.lock().counted;
        let next = counted.partition_point(|(_, before)| *before < number);
        let (start, before) = *counted.get(next.checked_sub(1)?)?;
        Some((start..counted.get(next)?.0, before))
    }

    /// Where to look for the next LF from an offset on: there, or where the first counted part begins that has one.
    ///
    /// # Errors
    /// [`Blocked::Uncounted`] if `step` bytes are not all present, and the part is not counted in such steps.
    pub fn skip_empty(&self, path: &Path, offset: u64, step: u64) -> Result<u64> {
        if self.missing(offset, step).is_none() {
            return Ok(offset);
        }
        let (start, end) = {
            let counted = &self.pieces.lock().counted;
            let before = counted.partition_point(|(start, _)| *start <= offset).checked_sub(1);
            let before = before.map_or(0, |at| counted[at].1);
            let after = counted.partition_point(|(_, more)| *more <= before);
            // Nothing is counted before the first count.
            let start = after.checked_sub(1).map_or(0, |at| counted[at].0);
            (start, counted.get(after).map_or(self.size, |(end, _)| *end))
        };
        if start <= offset && end - start > step {
            Err(self.uncounted(path, start..end))
        } else {
            Ok(start.max(offset))
        }
    }

    /// The error that makes whoever has the copy count the LF of a part of it.
    #[must_use]
    pub fn uncounted(&self, path: &Path, part: Range<u64>) -> Error {
        let blocked = Blocked::Uncounted { copy: self.number, start: part.start, end: part.end };
        Error::new(path, ErrorKind::WouldBlock(blocked))
    }
}
