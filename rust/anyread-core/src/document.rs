//! Documents of Word (docx) as Markdown, line by line.
//!
//! The parts of the package are read once, from their start on, without recursion: what an element shows is written
//! where it begins or ends. What must be shown later, such as a table inside of a cell, is held until its row has
//! ended. The text depends on nothing but the file, so that a line number means the same tomorrow.

mod marks;
mod numbering;
mod paragraph;
mod styles;
mod text;
mod writer;

use std::collections::HashMap;

use crate::error::Result;
use crate::lines::{LineTaker, Lines, Wanted};
use crate::package::{Parts, Picture, Relation, find_target};
use crate::xml::Event;

use numbering::Numbering;
use styles::Styles;
use text::Text;

/// The media types of documents that are shown.
pub const MEDIA_TYPES: [&str; 4] = [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    "application/vnd.ms-word.document.macroEnabled.12",
    "application/vnd.ms-word.template.macroEnabled.12",
];
/// The most headers and footers that are shown.
const MARGINS: usize = 256;

/// Lines of a document, and what was found on the way to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// The lines. `is_torn` is never set.
    pub lines: Lines,
    /// The images that `lines` have, and perhaps others.
    pub pictures: Vec<Picture>,
    /// How many images there were.
    pub images: u64,
    /// Insertions, deletions and moves of which the final state is shown.
    pub tracked_changes: u64,
    /// Runs with text that are hidden.
    pub hidden_runs: u64,
}

/// The relationships of a part by their IDs.
type Relations = HashMap<String, Relation>;

fn relations(parts: Parts<'_>, part: &str) -> Result<Relations> {
    Ok(parts.relations(part)?.into_iter().map(|relation| (relation.id.clone(), relation)).collect())
}

/// Shows lines of the document whose main part has a name.
///
/// # Errors
/// Those of reading, [`Damaged`](crate::error::ErrorKind::Damaged) and
/// [`TooLarge`](crate::error::ErrorKind::TooLarge).
pub fn lines(parts: Parts<'_>, main: &str, wanted: Wanted) -> Result<Rendering> {
    let of_main = parts.relations(main)?;
    let target = |kind: &str| find_target(&of_main, kind);
    let styles = Styles::read(parts, target("styles"))?;
    let numbering = Numbering::read(parts, target("numbering"))?;
    let mut text = Text::new(parts, LineTaker::new(wanted), styles, numbering);
    show_part(parts, main, &mut text, None)?;
    for kind in ["footnotes", "endnotes", "comments"] {
        if let Some(part) = target(kind).filter(|_| !text.is_full()) {
            show_part(parts, part, &mut text, None)?;
        }
    }
    for (kind, id) in text.take_margins() {
        let relation = of_main.iter().find(|relation| relation.id == id && !relation.is_external);
        if let Some(relation) = relation.filter(|_| !text.is_full()) {
            show_part(parts, &relation.target, &mut text, Some(kind))?;
        }
    }
    Ok(text.finish())
}

/// Shows a part of the document; `label` precedes its text.
fn show_part(parts: Parts<'_>, part: &str, text: &mut Text<'_>, label: Option<&'static str>) -> Result<()> {
    let Some(mut xml) = parts.xml(part)? else { return Ok(()) };
    text.begin_part(relations(parts, part)?, label);
    while !text.is_full() {
        match xml.next()? {
            Event::Start(tag) => {
                if text.start(&tag)? {
                    xml.skip_element()?;
                }
            }
            Event::End(_) => text.end()?,
            Event::Text(content, left_out) => text.content(content, left_out),
            Event::Done => break,
        }
    }
    text.end_part()
}

#[cfg(test)]
mod tests;
