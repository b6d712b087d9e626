//! Jupyter notebooks of nbformat 2 to 4: which cells there are, and what is in them.
//!
//! One pass over the file checks its JSON and notes where each cell begins and ends; nothing else is kept.
//! A cell is parsed when it is shown, so that what a page costs depends on the page: the images of a notebook are
//! skipped as strings, and a file of millions of empty cells takes eight bytes a cell.
//! Nothing recurses into what a file nests, however deep.
//!
//! Real files are not always as the format says: what is missing is absent, a number where text belongs is its text,
//! and a cell of an unknown shape is an empty cell of that name.
//! Only broken JSON, or JSON that is no notebook at all, is refused.
//!
//! Source: nbformat 5.11 (its schemas, and how it upgrades versions 2 and 3).

mod cell;
mod clean;
mod json;
mod passage;
mod picture;
mod show;

use std::collections::TryReserveError;
use std::fmt;

pub use cell::{Cell, CellOutput, Data, Datum};
pub use clean::cleaned;
pub use json::Text;
pub use passage::Passage;
pub use picture::{PictureFault, ShownPicture, is_picture};
pub use show::{ShownCell, ShownPart, Style};

use json::{JsonPositions, each_field, each_item};

/// Files that are larger are no notebooks: positions are kept in 32 bits.
pub const LARGEST_BYTES: usize = u32::MAX as usize;

/// Why a file cannot be read as a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The line of the file where it shows, counted from 1.
    pub line: usize,
    /// The byte of that line, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with a file that should be a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It has more than [`LARGEST_BYTES`] bytes.
    TooLarge,
    /// It is JSON that has neither cells nor worksheets.
    NoCells,
    /// The field of this name is not a list: "cells" or "worksheets".
    NotAList(&'static str),
    /// It is not JSON, in the words of the parser.
    Syntax(String),
}

/// Why there is no notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The file is broken, or no notebook.
    Broken(Broken),
    /// The process gets no memory for a copy of the file.
    OutOfMemory,
}

impl From<Broken> for Refused {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<TryReserveError> for Refused {
    fn from(_: TryReserveError) -> Self {
        Self::OutOfMemory
    }
}

/// A position in the file, for callers that continue in its JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonPosition {
    /// The line, counted from 1.
    pub line: usize,
    /// The character of the line, counted from 1.
    pub column: usize,
}

/// A notebook: the text of its file, and where the cells are in it.
#[derive(Debug, Default)]
pub struct Notebook {
    json: String,
    cells: Vec<(u32, u32)>,
    is_old: bool,
    /// The number before the point of the format's version, if the file has one.
    pub nbformat: Option<i64>,
    /// The number after it.
    pub nbformat_minor: Option<i64>,
    /// The name of the language by the kernel that ran it.
    pub language_info: Option<String>,
    /// The language by the specification of its kernel, or by its first cell (nbformat 2 and 3).
    pub kernel_language: Option<String>,
    /// Whether bytes that are not UTF-8 were replaced.
    pub lossy: bool,
}

/// The arguments of the read that goes on there.
impl fmt::Display for JsonPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kind=\"text\", offset={}", self.line)?;
        if self.column > 1 {
            write!(f, ", column={}", self.column)?;
        }
        Ok(())
    }
}

/// The text of a file, and whether bytes that are not UTF-8 were replaced.
fn text_of(bytes: &[u8]) -> Result<(String, bool), TryReserveError> {
    let mut text = String::new();
    text.try_reserve_exact(bytes.len())?;
    let mut lossy = false;
    for chunk in bytes.utf8_chunks() {
        text.try_reserve(chunk.valid().len())?;
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            lossy = true;
            text.try_reserve(char::REPLACEMENT_CHARACTER.len_utf8())?;
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    Ok((text, lossy))
}

impl Notebook {
    /// Checks a whole file and finds its cells.
    ///
    /// # Errors
    ///
    /// [`Refused::Broken`] if it is not JSON, or if the JSON is no notebook; [`Refused::OutOfMemory`].
    pub fn parse(bytes: &[u8]) -> Result<Self, Refused> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.len() > LARGEST_BYTES {
            return Err(Broken { line: 1, column: 1, fault: Fault::TooLarge }.into());
        }
        let (json, lossy) = text_of(bytes)?;
        let mut found = NotebookFields::default();
        let mut worksheets = None;
        each_field(&json, |name, value| match name {
            "nbformat" => found.nbformat = json::integer(value),
            "nbformat_minor" => found.nbformat_minor = json::integer(value),
            "metadata" => found.look_at_metadata(value),
            "cells" => found.cells = Some(value),
            "worksheets" => worksheets = Some(value),
            _ => {}
        })
        .map_err(|error| broken(&error))?;
        let is_notebook = found.cells.is_some() || worksheets.is_some() || found.nbformat.is_some();
        if !is_notebook {
            return Err(Broken { line: 1, column: 1, fault: Fault::NoCells }.into());
        }
        let mut cells = Vec::new();
        match (found.cells, worksheets) {
            (Some(value), _) => note_cells(&json, value, &mut cells)?,
            (None, Some(value)) => note_worksheets(&json, value, &mut cells)?,
            (None, None) => {}
        }
        let is_old = found.cells.is_none();
        let NotebookFields { nbformat, nbformat_minor, language_info, kernel_language, .. } = found;
        let mut notebook =
            Self { json, cells, is_old, nbformat, nbformat_minor, language_info, kernel_language, lossy };
        if notebook.kernel_language.is_none() {
            notebook.kernel_language = notebook.cell(0).and_then(|cell| cell.language);
        }
        Ok(notebook)
    }

    /// How many cells it has.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Parses a cell, counted from 0.
    #[must_use]
    pub fn cell(&self, index: usize) -> Option<Cell<'_>> {
        let &(start, end) = self.cells.get(index)?;
        let json = self.json.get(start as usize..end as usize)?;
        Some(Cell::parse(json, self.is_old))
    }

    /// Shows the cells from `start` to before `stop`; it stops after the first that takes their sum over `max_bytes`.
    #[must_use]
    pub fn show(&self, start: usize, stop: usize, style: &Style, max_bytes: usize) -> Vec<ShownCell> {
        let mut places = JsonPositions::new(&self.json);
        let mut left = max_bytes;
        let mut shown = Vec::new();
        for index in start..stop.min(self.cells.len()) {
            let Some(cell) = self.cell(index) else { break };
            let cell = show::show(&cell, style, &mut places);
            let bytes = cell.text_bytes();
            shown.push(cell);
            if bytes > left {
                break;
            }
            left -= bytes;
        }
        shown
    }

    /// Decodes an image that [`ShownCell`] names by its range in the file.
    ///
    /// # Errors
    ///
    /// What is wrong with its base64.
    pub fn picture(&self, range: (usize, usize)) -> Result<Vec<u8>, PictureFault> {
        let value = self.json.get(range.0..range.1).ok_or(PictureFault::Missing)?;
        picture::decoded(value)
    }
}

/// What the fields of the file's object say.
#[derive(Default)]
struct NotebookFields<'a> {
    nbformat: Option<i64>,
    nbformat_minor: Option<i64>,
    cells: Option<&'a str>,
    language_info: Option<String>,
    kernel_language: Option<String>,
}

impl<'a> NotebookFields<'a> {
    fn look_at_metadata(&mut self, metadata: &'a str) {
        json::fields(metadata, |name, value| match name {
            "language_info" => self.language_info = word(value, "name"),
            "kernelspec" => self.kernel_language = word(value, "language"),
            _ => {}
        });
    }
}

/// The text of one field of an object, if it is there and not empty.
fn word(object: &str, wanted: &str) -> Option<String> {
    let mut found = None;
    json::fields(object, |name, value| {
        if name == wanted {
            found = json::string(value).filter(|text| !text.is_empty());
        }
    });
    found
}

fn note_cells(json: &str, value: &str, cells: &mut Vec<(u32, u32)>) -> Result<(), Broken> {
    if value == "null" {
        return Ok(());
    }
    let mut note = |cell: &str| {
        let start = json::position(json, cell);
        // The whole file is known to fit 32 bits.
        let bound = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
        cells.push((bound(start), bound(start + cell.len())));
    };
    each_item(value, &mut note).map_err(|_| no_list(json, value, "cells"))
}

fn note_worksheets(json: &str, value: &str, cells: &mut Vec<(u32, u32)>) -> Result<(), Broken> {
    if value == "null" {
        return Ok(());
    }
    let mut outcome = Ok(());
    let of_one = |worksheet| {
        json::fields(worksheet, |name, value| {
            if name == "cells" && outcome.is_ok() {
                outcome = note_cells(json, value, cells);
            }
        });
    };
    each_item(value, of_one).map_err(|_| no_list(json, value, "worksheets"))?;
    outcome
}

fn no_list(json: &str, value: &str, name: &'static str) -> Broken {
    let JsonPosition { line, column } = JsonPositions::new(json).exactly(json::position(json, value));
    Broken { line, column, fault: Fault::NotAList(name) }
}

fn broken(error: &serde_json::Error) -> Broken {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
    Broken { line, column, fault: Fault::Syntax(message) }
}
