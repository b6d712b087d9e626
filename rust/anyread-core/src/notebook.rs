//! Jupyter notebooks of nbformat 2 to 4: their cells and the contents of the cells.
//!
//! One pass over the file validates its JSON and records where each cell begins and ends.
//! A cell is parsed when it is shown, so the cost of a page depends on that page only: the images of a
//! notebook are skipped as strings, and a file of millions of empty cells takes four bytes per cell.
//! Parsing does not recurse, so deeply nested values cannot overflow the stack.
//!
//! Real files do not always follow the format: a missing field is `None`, a number in place of text is
//! shown as text, and a cell of an unknown type is an empty cell of that type.
//! Only broken JSON, or JSON that is not a notebook at all, is refused.
//!
//! Source: nbformat 5.11 (its schemas, and how it upgrades versions 2 and 3).

mod cell;
mod checks;
mod clean;
mod image;
mod json;
mod markup;
mod passage;
mod show;

use std::borrow::Cow;
use std::fmt;

pub use cell::{Cell, CellOutput, Data, Datum};
pub use checks::{Checks, Stopped};
pub use image::{ImageFault, ShownImage, is_image};
pub use json::{Text, TextPositions, count_values};
pub use passage::Passage;
pub use show::{ShownCell, ShownPart, Style};

use crate::memory;
use crate::records::What;
use crate::scan::Interrupt;
use json::{JsonPositions, fields, items};

/// The maximum size of a notebook in bytes; positions are stored in 32 bits.
pub const LARGEST_BYTES: usize = u32::MAX as usize;

/// Why a file cannot be read as a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The line of the file where the fault was found, counted from 1.
    pub line: usize,
    /// The byte in that line, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with a file that should be a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is larger than [`LARGEST_BYTES`].
    TooLarge,
    /// It is JSON without cells or worksheets.
    NoCells,
    /// The field of this name is not a list: "cells" or "worksheets".
    NotAList(&'static str),
    /// It is not JSON; the text is what should be there.
    Syntax(String),
}

/// Why a notebook could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The file is broken, or is not a notebook.
    Broken(Broken),
    /// There was not enough memory for the text of the file.
    OutOfMemory,
    /// The interrupt stopped it.
    Cancelled,
}

impl From<Broken> for Refused {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<Stopped> for Refused {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Cancelled => Self::Cancelled,
            Stopped::OutOfMemory => Self::OutOfMemory,
        }
    }
}

/// A position in the file, from which a caller can continue to read the JSON as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonPosition {
    /// The line, counted from 1.
    pub line: usize,
    /// The character in the line, counted from 1.
    pub column: usize,
}

/// A notebook: the text of its file, and the positions of the cells in it.
#[derive(Debug, Default)]
pub struct Notebook {
    json: String,
    cells: Vec<u32>,
    is_old: bool,
    /// The major version of the format, if the file has one.
    pub nbformat: Option<i64>,
    /// The minor version.
    pub nbformat_minor: Option<i64>,
    /// The name of the language as reported by the kernel that ran the notebook.
    pub language_info: Option<String>,
    /// The language from the kernel specification, or from the first cell (nbformat 2 and 3).
    pub kernel_language: Option<String>,
    /// Whether invalid UTF-8 was replaced.
    pub lossy: bool,
}

/// Formats the arguments of a read that continues at this position.
impl fmt::Display for JsonPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kind=\"text\", offset={}", self.line)?;
        if self.column > 1 {
            write!(f, ", column={}", self.column)?;
        }
        Ok(())
    }
}

impl Notebook {
    /// Validates a whole file and finds its cells.
    ///
    /// # Errors
    ///
    /// [`Refused::Broken`] if it is not JSON, or if the JSON is not a notebook; [`Refused::OutOfMemory`];
    /// [`Refused::Cancelled`].
    pub fn parse(
        bytes: impl AsRef<[u8]> + Into<Vec<u8>>,
        interrupt: &dyn Interrupt,
    ) -> Result<Self, Refused> {
        let (size, checks) = (bytes.as_ref().len(), &Checks::new(interrupt));
        if size > LARGEST_BYTES {
            return Err(Broken { line: 1, column: 1, fault: Fault::TooLarge }.into());
        }
        let lossy = std::str::from_utf8(bytes.as_ref()).is_err();
        // For the text, and the positions of the cells: four bytes for each item of two, in a list that is enlarged.
        // A byte that is not valid becomes a character of three.
        if !memory::has_memory(size.saturating_mul(if lossy { 8 } else { 4 })) {
            return Err(Refused::OutOfMemory);
        }
        let mut json = String::from_utf8(bytes.into())
            .unwrap_or_else(|invalid| String::from_utf8_lossy(invalid.as_bytes()).into_owned());
        if json.starts_with('\u{feff}') {
            json.remove(0);
        }
        let found = NotebookFields::read(&json, checks)?;
        let is_notebook = found.cells.is_some() || found.worksheets.is_some() || found.nbformat.is_some();
        if !is_notebook {
            return Err(Broken { line: 1, column: 1, fault: Fault::NoCells }.into());
        }
        let mut cells = found.positions;
        match (found.cells, found.worksheets) {
            (Some(value), _) => require_list(&json, value, "cells")?,
            (None, Some(value)) => record_worksheets(&json, value, &mut cells, checks)?,
            (None, None) => {}
        }
        let is_old = found.cells.is_none();
        let NotebookFields { nbformat, nbformat_minor, language_info, kernel_language, .. } = found;
        let mut notebook =
            Self { json, cells, is_old, nbformat, nbformat_minor, language_info, kernel_language, lossy };
        if notebook.kernel_language.is_none() {
            notebook.kernel_language = notebook.cell(0, checks)?.and_then(|cell| cell.language);
        }
        Ok(notebook)
    }

    /// The number of cells.
    #[must_use]
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Parses the cell with this index, counted from 0.
    ///
    /// # Errors
    ///
    /// [`Stopped`]
    pub fn cell(&self, index: usize, checks: &Checks<'_>) -> Result<Option<Cell<'_>>, Stopped> {
        let rest = self.cells.get(index).and_then(|start| self.json.get(*start as usize..));
        let Some(rest) = rest else { return Ok(None) };
        let value = rest.get(..json::value_length(rest.as_bytes(), checks)?).unwrap_or_default();
        Cell::parse(value, self.is_old, checks).map(Some)
    }

    /// Whether there is memory to decode the cells in `start..stop`, and to show up to `max_bytes` of them.
    ///
    /// Showing them without it may abort the process.
    #[must_use]
    pub fn has_memory(&self, start: usize, stop: usize, max_bytes: usize) -> bool {
        let begin = |index| self.cells.get(index).map_or(self.json.len(), |begin| *begin as usize);
        let range = start..stop.min(self.cells.len());
        let bytes = begin(range.end).saturating_sub(begin(range.start));
        let largest = range.map(|index| begin(index + 1).saturating_sub(begin(index))).max().unwrap_or(0);
        // The text of a cell, what a terminal leaves of it, its passage, and the passage after it was cut.
        let copies = largest.saturating_add(max_bytes.min(bytes)).saturating_mul(4);
        memory::has_memory(copies)
    }

    /// Shows the cells in `start..stop`, up to and including the one whose text exceeds `max_bytes` in total.
    ///
    /// # Errors
    ///
    /// [`Stopped`]
    pub fn show(
        &self,
        start: usize,
        stop: usize,
        style: &Style,
        max_bytes: usize,
        interrupt: &dyn Interrupt,
    ) -> Result<Vec<ShownCell>, Stopped> {
        let checks = &Checks::new(interrupt);
        let mut positions = JsonPositions::new(&self.json);
        let mut left = max_bytes;
        let mut shown = Vec::new();
        for index in start..stop.min(self.cells.len()) {
            let Some(cell) = self.cell(index, checks)? else { break };
            let cell = show::show(&cell, style, &mut positions, checks)?;
            let bytes = cell.text_bytes();
            shown.push(cell);
            if bytes > left {
                break;
            }
            left -= bytes;
        }
        Ok(shown)
    }

    /// Decodes the image at a range of the file, as found in a [`ShownImage`].
    ///
    /// # Errors
    ///
    /// [`Stopped`]; [`ImageFault`] if there is no image at the range, or its base64 is invalid.
    pub fn image(
        &self,
        range: (usize, usize),
        checks: &Checks<'_>,
    ) -> Result<Result<Vec<u8>, ImageFault>, Stopped> {
        match self.json.get(range.0..range.1) {
            Some(value) => image::decoded(value, checks),
            None => Ok(Err(ImageFault::Missing)),
        }
    }
}

/// The fields of the top-level object.
#[derive(Default)]
struct NotebookFields<'a> {
    nbformat: Option<i64>,
    nbformat_minor: Option<i64>,
    cells: Option<&'a str>,
    /// Where each value in `cells` begins.
    positions: Vec<u32>,
    worksheets: Option<&'a str>,
    language_info: Option<String>,
    kernel_language: Option<String>,
}

impl<'a> NotebookFields<'a> {
    /// Checks all of the JSON on the way.
    fn read(json: &'a str, checks: &Checks<'_>) -> Result<Self, Refused> {
        let mut found = Self::default();
        let (mut name, mut begin) = (Cow::Borrowed(""), 0);
        json::each_token(json, checks, |what, level, range| {
            match (level, what) {
                (1, What::Key) => {
                    name = json::unescaped(json.get(range).unwrap_or_default(), checks)?;
                    if name == "cells" {
                        found.positions.clear();
                    }
                    return Ok(());
                }
                (2, What::Open(_) | What::Value) if name == "cells" => {
                    found.positions.push(as_position(range.start));
                }
                (1, What::Open(_) | What::Value) => begin = range.start,
                _ => {}
            }
            if level == 1 && !matches!(what, What::Open(_)) {
                found.take(&name, json.get(begin..range.end).unwrap_or_default(), checks)?;
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn take(&mut self, name: &str, value: &'a str, checks: &Checks<'_>) -> Result<(), Stopped> {
        match name {
            "nbformat" => self.nbformat = json::integer(value),
            "nbformat_minor" => self.nbformat_minor = json::integer(value),
            "metadata" => self.read_metadata(value, checks)?,
            "cells" => self.cells = Some(value),
            "worksheets" => self.worksheets = Some(value),
            _ => {}
        }
        Ok(())
    }

    fn read_metadata(&mut self, metadata: &'a str, checks: &Checks<'_>) -> Result<(), Stopped> {
        for field in fields(metadata, checks) {
            let (name, value) = field?;
            match &*name {
                "language_info" => self.language_info = non_empty_string(value, "name", checks)?,
                "kernelspec" => self.kernel_language = non_empty_string(value, "language", checks)?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The text of one field of an object, if it is present and not empty.
fn non_empty_string(object: &str, wanted: &str, checks: &Checks<'_>) -> Result<Option<String>, Stopped> {
    let mut found = None;
    for field in fields(object, checks) {
        let (name, value) = field?;
        if name == wanted {
            found = json::string(value, checks)?.filter(|text| !text.is_empty());
        }
    }
    Ok(found)
}

/// A position in the file; [`Notebook::parse`] has checked that they fit in 32 bits.
fn as_position(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn record_worksheets(
    json: &str,
    value: &str,
    cells: &mut Vec<u32>,
    checks: &Checks<'_>,
) -> Result<(), Refused> {
    require_list(json, value, "worksheets")?;
    for worksheet in items(value, checks) {
        for field in fields(worksheet?, checks) {
            let (name, value) = field?;
            if name == "cells" {
                require_list(json, value, "cells")?;
                for cell in items(value, checks) {
                    cells.push(as_position(json::position(json, cell?)));
                }
            }
        }
    }
    Ok(())
}

/// Checks that the value of the field `name` is a list or null.
fn require_list(json: &str, value: &str, name: &'static str) -> Result<(), Broken> {
    if value == "null" || value.starts_with('[') {
        return Ok(());
    }
    let JsonPosition { line, column } = JsonPositions::new(json).exact(json::position(json, value));
    Err(Broken { line, column, fault: Fault::NotAList(name) })
}
