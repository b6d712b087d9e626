//! What lies on a sheet: images, charts, texts and embedded files, each at the cell at its top left corner, and the
//! comments on cells.
//!
//! Source: ECMA-376-1, sections 18.7 and 20.5; MS-XLSX, section 2.6.205 (threaded comments).

use std::collections::{HashMap, HashSet};

use super::address::parse_address;
use crate::error::Result;
use crate::package::{LONGEST_NAME, PERSONS, Parts, Relations, is_of_part, joined, one_line};
use crate::xml::{Event, Tag, start_of};

/// What a drawing takes besides the name of its part, also as an object of the host, in bytes.
const EACH: usize = 256;
/// The most drawings of a sheet.
const MOST: usize = 8_192;
/// The most bytes of one text, and of all texts of a sheet.
const LONGEST: usize = 8 << 10;
const ROOM: usize = 1 << 20;
/// What begins the author of a comment that only stands for a thread, for older programs.
const OF_THREAD: &str = "tc=";
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
    /// A comment on a cell, also an answer to one.
    Comment,
    /// A text box, or another shape with a text or a link.
    Text,
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
    /// The name of its part, empty if that is not in the file; of a comment, its author.
    pub part: Box<str>,
    /// Its text, or what it is said to show and the address to which it is a link, perhaps only the beginning.
    pub text: Box<str>,
}

/// What was found, and how many bytes of texts there is room for.
struct Found {
    drawings: Vec<Drawing>,
    room: usize,
}

impl Found {
    fn is_full(&self) -> bool {
        self.drawings.len() >= MOST
    }

    fn push(&mut self, parts: Parts<'_>, mut drawing: Drawing, text: &str) -> Result<()> {
        let kept = start_of(text, LONGEST.min(self.room));
        let rest = text[kept.len()..].chars().count();
        drawing.text = if rest > 0 { format!("{kept}… (+{rest} chars)") } else { kept.to_owned() }.into();
        self.room -= kept.len();
        parts.keep(EACH + drawing.part.len() + drawing.text.len())?;
        self.drawings.push(drawing);
        Ok(())
    }
}

/// The drawings of the sheet with a part, and the comments on it, by row and column.
pub fn read(parts: Parts<'_>, sheet: &str, workbook: &str) -> Result<Vec<Drawing>> {
    let (mut found, mut seen) = (Found { drawings: Vec::new(), room: ROOM }, HashSet::new());
    let relations = parts.internal_relations(sheet)?;
    let is_threaded = relations.find("threadedComment").is_some();
    // Several may have the same target.
    for relation in relations.internal().filter(|relation| seen.insert((&relation.kind, &relation.target))) {
        let outcome = match &*relation.kind {
            "drawing" => read_part(parts, &relation.target, &mut found),
            "comments" => read_comments(parts, &relation.target, HashMap::new(), is_threaded, &mut found),
            "threadedComment" => {
                let names = parts.persons(parts.internal_relations(workbook)?.find("person"))?;
                read_comments(parts, &relation.target, names, false, &mut found)
            }
            _ => Ok(true),
        };
        let kind = match &*relation.kind {
            "drawing" | "comments" | "threadedComment" => match outcome {
                Ok(true) if !found.is_full() => continue,
                Ok(true) => DrawingKind::Others,
                Ok(false) => DrawingKind::Missing,
                Err(error) if is_of_part(&error) => DrawingKind::Damaged,
                Err(error) => return Err(error),
            },
            "oleObject" | "package" => DrawingKind::Object,
            _ => continue,
        };
        found.push(parts, Drawing::new((1, 1), kind, &relation.target), "")?;
        if found.is_full() {
            break;
        }
    }
    // An answer stays after what it answers.
    found.drawings.sort_by_key(|drawing| (drawing.row, drawing.column));
    Ok(found.drawings)
}

impl Drawing {
    pub(super) fn new((row, column): (u32, u32), kind: DrawingKind, part: &str) -> Self {
        Self { row, column, kind, part: part.into(), text: Box::default() }
    }
}

/// Adds the comments of a part, or those of threads by some persons; returns whether there is such a part.
fn read_comments(
    parts: Parts<'_>,
    part: &str,
    mut names: HashMap<String, String>,
    is_threaded: bool,
    found: &mut Found,
) -> Result<bool> {
    let Some(mut xml) = parts.xml(part)? else { return Ok(false) };
    // The cell of the comment that is read, the ID of its author, and its text.
    let (mut cell, mut author, mut text) = ((1, 1), String::new(), String::new());
    let (mut is_author, mut is_text) = (false, false);
    while !found.is_full() {
        match xml.next()? {
            Event::Start(tag) => {
                (is_author, is_text) = (false, matches!(tag.name, "t" | "text"));
                match tag.name {
                    "author" if names.len() < PERSONS => {
                        parts.keep(2 * LONGEST_NAME)?;
                        // They are numbered.
                        author = names.len().to_string();
                        is_author = true;
                    }
                    "comment" | "threadedComment" => {
                        cell = tag.get("ref").and_then(|cell| parse_address(&cell)).unwrap_or((1, 1));
                        let id = tag.get("authorId").or_else(|| tag.get("personId")).unwrap_or_default();
                        start_of(&id, LONGEST_NAME).clone_into(&mut author);
                        text.clear();
                    }
                    // The readings of characters.
                    "rPh" => xml.skip_element()?,
                    _ => {}
                }
            }
            Event::End(name) => {
                if name == "author" && names.len() < PERSONS {
                    names.entry(std::mem::take(&mut author)).or_default();
                }
                (is_author, is_text) = (false, false);
                let name_of = names.get(&author).map_or("", |name| name);
                let is_instead = is_threaded && name_of.starts_with(OF_THREAD);
                if matches!(name, "comment" | "threadedComment") && !text.trim().is_empty() && !is_instead {
                    found.push(parts, Drawing::new(cell, DrawingKind::Comment, name_of), &text)?;
                }
            }
            Event::Text(content, _) if is_author => {
                names.entry(author.clone()).or_insert_with(|| start_of(content, LONGEST_NAME).to_owned());
            }
            Event::Text(content, _) if is_text => push_text(&mut text, content),
            Event::Text(..) => {}
            Event::Done => break,
        }
    }
    Ok(true)
}

/// Appends to a text, up to somewhat more than is shown of it.
fn push_text(text: &mut String, content: &str) {
    text.push_str(start_of(content, (2 * LONGEST).saturating_sub(text.len())));
}

/// Adds the drawings of a part; returns whether there is such a part.
fn read_part(parts: Parts<'_>, part: &str, found: &mut Found) -> Result<bool> {
    let relations = parts.relations(part)?;
    let Some(mut xml) = parts.xml(part)? else { return Ok(false) };
    // Row and column, counted from 1, and which of them comes next as a text.
    let (mut cell, mut is_from, mut next) = ((1_u32, 1_u32), false, None);
    // How much there was when a choice of alternatives began.
    let mut alternatives: Vec<usize> = Vec::new();
    let mut shape = Shape::default();
    while !found.is_full() {
        match xml.next()? {
            Event::Start(tag) => {
                let kind = if tag.name == "blip" { DrawingKind::Image } else { DrawingKind::Chart };
                let id = match tag.name {
                    "blip" => tag.prefixed("embed").or_else(|| tag.prefixed("link")),
                    "chart" => tag.prefixed("id"),
                    _ => None,
                };
                if let Some(id) = id.filter(|id| !id.is_empty()) {
                    let part = relations.part(&id).unwrap_or_default();
                    let about = shape.about();
                    shape = Shape::default();
                    found.push(parts, Drawing::new(cell, kind, part), &about)?;
                }
                next = None;
                match tag.name {
                    "from" => is_from = true,
                    "row" | "col" if is_from => next = Some(tag.name == "row"),
                    "pos" => {
                        let at = |name, size| tag.number::<u64>(name).map_or(1, |at| at / size + 1);
                        let cell_at = |name, size| u32::try_from(at(name, size)).unwrap_or(u32::MAX);
                        cell = (cell_at("y", HEIGHT), cell_at("x", WIDTH));
                    }
                    "AlternateContent" => alternatives.push(found.drawings.len()),
                    "Fallback"
                        if alternatives.last().is_some_and(|before| *before != found.drawings.len()) =>
                    {
                        xml.skip_element()?;
                    }
                    _ => shape.take(&tag, &relations),
                }
            }
            Event::End(name) => {
                (next, shape.is_text) = (None, false);
                match name {
                    "from" => is_from = false,
                    "AlternateContent" => drop(alternatives.pop()),
                    "p" => shape.text.push('\n'),
                    "sp" | "cxnSp" => {
                        let shape = std::mem::take(&mut shape);
                        let text = joined(shape.text.trim(), &shape.link);
                        if !text.is_empty() {
                            found.push(parts, Drawing::new(cell, DrawingKind::Text, ""), &text)?;
                        }
                    }
                    _ => {}
                }
            }
            Event::Text(text, _) if shape.is_text => push_text(&mut shape.text, text),
            Event::Text(text, _) => {
                if let (Some(is_row), Ok(index)) = (next, text.trim().parse::<u32>()) {
                    *(if is_row { &mut cell.0 } else { &mut cell.1 }) = index.saturating_add(1);
                }
            }
            Event::Done => break,
        }
    }
    Ok(true)
}

/// What is known about the shape that is read.
#[derive(Default)]
struct Shape {
    description: String,
    link: String,
    text: String,
    is_text: bool,
}

impl Shape {
    fn take(&mut self, tag: &Tag<'_>, relations: &Relations) {
        match tag.name {
            "cNvPr" => {
                *self =
                    Self { description: one_line(&tag.get("descr").unwrap_or_default()), ..Self::default() };
            }
            "hlinkClick" => relations.link(tag).unwrap_or_default().clone_into(&mut self.link),
            "t" => self.is_text = true,
            "br" => self.text.push('\n'),
            _ => {}
        }
    }

    fn about(&self) -> String {
        joined(&self.description, &self.link)
    }
}
