//! What lies on a sheet: images, charts and embedded files, each at the cell at its top left corner.
//!
//! Source: ECMA-376-1, section 20.5.

use std::collections::HashSet;

use crate::error::Result;
use crate::package::{Parts, is_of_part};
use crate::xml::Event;

/// What a drawing takes besides the name of its part, also as an object of the host, in bytes.
const EACH: usize = 256;
/// The most drawings of a sheet.
const MOST: usize = 8_192;
/// The size of a cell if the sheet does not say it, in English Metric Units; of drawings that have a position only.
const WIDTH: u64 = 609_600;
const HEIGHT: u64 = 190_500;

/// What a drawing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawingKind {
    /// An image.
    Image,
    /// A chart.
    Chart,
    /// An embedded file. Its position is not read.
    Object,
    /// All that a part has which is missing.
    Missing,
    /// What a part has after the place at which it is damaged.
    Damaged,
    /// What is there besides the most drawings of a sheet.
    Others,
}

/// A drawing, but not yet its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The row of the cell at its top left corner, counted from 1.
    pub row: u32,
    /// The column of this cell.
    pub column: u32,
    /// What it is.
    pub kind: DrawingKind,
    /// The name of its part; empty if that is not in the file.
    pub part: Box<str>,
}

/// The drawings of the sheet with a part, by row and column.
pub fn read(parts: Parts<'_>, sheet: &str) -> Result<Vec<Drawing>> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let relations = parts.internal_relations(sheet)?;
    // Several may have the same target.
    for relation in relations.internal().filter(|relation| seen.insert((&relation.kind, &relation.target))) {
        let kind = match &*relation.kind {
            "drawing" => match read_part(parts, &relation.target, &mut found) {
                Ok(true) if found.len() < MOST => continue,
                Ok(true) => DrawingKind::Others,
                Ok(false) => DrawingKind::Missing,
                Err(error) if is_of_part(&error) => DrawingKind::Damaged,
                Err(error) => return Err(error),
            },
            "oleObject" | "package" => DrawingKind::Object,
            _ => continue,
        };
        push(parts, &mut found, Drawing { row: 1, column: 1, kind, part: relation.target.clone() })?;
        if found.len() >= MOST {
            break;
        }
    }
    found.sort_by_key(|drawing| (drawing.row, drawing.column));
    Ok(found)
}

fn push(parts: Parts<'_>, found: &mut Vec<Drawing>, drawing: Drawing) -> Result<()> {
    parts.keep(EACH + drawing.part.len())?;
    found.push(drawing);
    Ok(())
}

/// Adds the drawings of a part; returns whether there is such a part.
fn read_part(parts: Parts<'_>, part: &str, found: &mut Vec<Drawing>) -> Result<bool> {
    let relations = parts.internal_relations(part)?;
    let Some(mut xml) = parts.xml(part)? else { return Ok(false) };
    // Row and column, counted from 1, and which of them comes next as a text.
    let (mut row, mut column) = (1_u32, 1_u32);
    let (mut is_from, mut next) = (false, None);
    // How much there was when a choice of alternatives began.
    let mut alternatives: Vec<usize> = Vec::new();
    while found.len() < MOST {
        match xml.next()? {
            Event::Start(tag) => {
                let kind = if tag.name == "blip" { DrawingKind::Image } else { DrawingKind::Chart };
                let id = match tag.name {
                    "blip" => tag.prefixed("embed").or_else(|| tag.prefixed("link")),
                    "chart" => tag.prefixed("id"),
                    _ => None,
                };
                if let Some(id) = id.filter(|id| !id.is_empty()) {
                    let part = relations.part(&id).unwrap_or_default().into();
                    push(parts, found, Drawing { row, column, kind, part })?;
                }
                next = None;
                match tag.name {
                    "from" => is_from = true,
                    "row" | "col" if is_from => next = Some(tag.name == "row"),
                    "pos" => {
                        let cell = |name, size| tag.number::<u64>(name).map_or(1, |at| at / size + 1);
                        row = u32::try_from(cell("y", HEIGHT)).unwrap_or(u32::MAX);
                        column = u32::try_from(cell("x", WIDTH)).unwrap_or(u32::MAX);
                    }
                    "AlternateContent" => alternatives.push(found.len()),
                    "Fallback" if alternatives.last().is_some_and(|before| *before != found.len()) => {
                        xml.skip_element()?;
                    }
                    _ => {}
                }
            }
            Event::End(name) => {
                next = None;
                match name {
                    "from" => is_from = false,
                    "AlternateContent" => drop(alternatives.pop()),
                    _ => {}
                }
            }
            Event::Text(text, _) => {
                if let (Some(is_row), Ok(index)) = (next, text.trim().parse::<u32>()) {
                    *(if is_row { &mut row } else { &mut column }) = index.saturating_add(1);
                }
            }
            Event::Done => break,
        }
    }
    Ok(true)
}
