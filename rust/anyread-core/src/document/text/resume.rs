//! Places where the text can be continued.

use super::fields::Field;
use super::tables::Table;
use super::{Open, Text};
use crate::document::Counts;
use crate::document::numbering::Numbering;
use crate::document::writer::Block;
use crate::lines::Wanted;

/// Where the text can be continued: before a paragraph, a table, a row or a note.
pub(in crate::document) struct ResumePoint {
    /// The index of its part, and the offset of its tag.
    pub(in crate::document) at: (usize, u64),
    /// How many elements it is in.
    pub(in crate::document) depth: u32,
    position: (u64, Block),
    written: u64,
    stack: Vec<Open>,
    tables: Vec<Table>,
    fields: Vec<Field>,
    numbering: Numbering,
    counts: Counts,
    description: String,
    is_lossy: bool,
}

impl ResumePoint {
    /// The line that begins here.
    pub(in crate::document) fn line(&self) -> u64 {
        self.position.0
    }

    /// Its memory in bytes, about.
    pub(in crate::document) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.stack.capacity() * size_of::<Open>()
            + self.tables.capacity() * size_of::<Table>()
            + self.fields.iter().map(Field::bytes).sum::<usize>()
            + self.description.capacity()
            + self.numbering.counter_bytes()
    }
}

impl Text<'_> {
    /// The place before the next element, which begins at an offset of a part, if the text can be continued there.
    pub(in crate::document) fn point(&self, at: (usize, u64), is_lossy: bool) -> Option<ResumePoint> {
        let is_between = self.paragraphs.is_empty() && self.label.is_empty() && self.objects + self.math == 0;
        if !is_between || !self.numbering.is_small() {
            return None;
        }
        Some(ResumePoint {
            at,
            depth: u32::try_from(self.stack.len()).ok()?,
            position: self.writer.position()?,
            written: self.writer.written,
            stack: self.stack.clone(),
            tables: self.tables.clone(),
            fields: self.fields.clone(),
            numbering: self.numbering.clone(),
            counts: self.counts,
            description: self.description.clone(),
            is_lossy: self.is_lossy || is_lossy,
        })
    }

    /// Continues at a point.
    pub(in crate::document) fn resume(&mut self, point: &ResumePoint, wanted: Wanted) {
        self.writer.resume(point.position, wanted);
        self.writer.written = point.written;
        self.stack.clone_from(&point.stack);
        self.tables.clone_from(&point.tables);
        self.fields.clone_from(&point.fields);
        self.numbering = point.numbering.clone();
        self.counts = point.counts;
        self.description.clone_from(&point.description);
        self.is_lossy = point.is_lossy;
    }
}
