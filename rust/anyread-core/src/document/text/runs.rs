//! Paragraphs and their runs: what is written of them.

use std::sync::Arc;

use super::Text;
use crate::document::marks::image;
use crate::document::numbering::Numbering;
use crate::document::paragraph::Paragraph;
use crate::document::styles::Look;
use crate::document::writer::Writer;
use crate::error::Result;

/// What an image takes besides the name of its part, in bytes.
const EACH_PICTURE: usize = 256;

impl Text<'_> {
    pub(super) fn begin_paragraph(&mut self) {
        let label = std::mem::take(&mut self.label);
        let mut paragraph = Paragraph::new(&mut self.writer, label);
        paragraph.style = self.styles.default;
        self.paragraphs.push(paragraph);
    }

    pub(super) fn end_paragraph(&mut self) {
        if let Some(paragraph) = self.paragraphs.pop() {
            // The next one has the label of one that shows nothing.
            let label = paragraph.end(&mut self.writer, &mut self.numbering);
            if !label.is_empty() {
                self.label = label;
            }
        }
    }

    pub(super) fn begin_run(&mut self) {
        self.is_counted_hidden = false;
        if let Some(paragraph) = self.paragraphs.last_mut() {
            // A paragraph that is bold or italic as a whole needs no marks.
            paragraph.run = Look { is_bold: None, is_italic: None, ..paragraph.style.look };
        }
    }

    pub(super) fn with_paragraph(&mut self, work: impl FnOnce(&mut Paragraph, &mut Writer, &mut Numbering)) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            work(paragraph, &mut self.writer, &mut self.numbering);
        }
    }

    /// Whether the text of the run is shown; counts a run that is hidden.
    pub(super) fn is_shown(&mut self) -> bool {
        let is_hidden = self.paragraphs.last().is_some_and(|paragraph| paragraph.run.is_hidden == Some(true))
            || self.tables.last().is_some_and(|table| table.is_continued);
        if is_hidden && !std::mem::replace(&mut self.is_counted_hidden, true) {
            self.counts.hidden_runs += 1;
            self.with_paragraph(|paragraph, _, _| paragraph.is_parted = true);
        }
        !is_hidden && self.fields.iter().all(|field| field.is_result)
    }

    pub(super) fn write(&mut self, text: &str) {
        if text.contains(['\n', '\r']) {
            return self.write(&text.replace(['\n', '\r'], " "));
        }
        if !text.is_empty() && self.is_shown() {
            self.count_unseen(text);
            self.with_paragraph(|paragraph, writer, numbering| paragraph.write(writer, numbering, text));
        }
    }

    /// Counts a run once that people do not see; what is around it may be dark in tables and text boxes.
    fn count_unseen(&mut self, text: &str) {
        let is_on_paper = self.tables.is_empty() && self.writer.is_at_document();
        let is_unseen = self.paragraphs.last().is_some_and(|paragraph| paragraph.run.is_unseen());
        if is_on_paper
            && is_unseen
            && !text.trim().is_empty()
            && !std::mem::replace(&mut self.is_counted_hidden, true)
        {
            self.counts.unseen_runs += 1;
        }
    }

    pub(super) fn mark(&mut self, mark: &str) {
        if self.is_shown() {
            self.with_paragraph(|paragraph, writer, numbering| paragraph.write_mark(writer, numbering, mark));
        }
    }

    /// An image by the ID of its relationship; it is only looked into if its line may be wanted.
    pub(super) fn image(&mut self, id: &str) -> Result<()> {
        self.counts.images += 1;
        // Only then it is known which line it is in.
        self.with_paragraph(Paragraph::begin);
        let description = std::mem::take(&mut self.description);
        let relations = Arc::clone(&self.relations);
        let part = relations.part(id).filter(|_| !self.writer.is_before());
        let index = part.map(|part| self.picture(part)).transpose()?.flatten();
        let mark = image(index.and_then(|index| self.pictures.get(index)), self.counts.images, &description);
        self.mark(&mark);
        if let Some(index) = index {
            self.writer.put_image(index);
        }
        Ok(())
    }

    /// The index of the image in a part, which is looked into once; `None` if there is no such part.
    fn picture(&mut self, part: &str) -> Result<Option<usize>> {
        if let Some(known) = self.picture_of.get(part) {
            return Ok(*known);
        }
        self.parts.keep(2 * part.len() + EACH_PICTURE)?;
        let index = self.parts.picture(part)?.map(|picture| {
            self.pictures.push(picture);
            self.pictures.len() - 1
        });
        self.picture_of.insert(part.into(), index);
        Ok(index)
    }
}
