//! Workbooks: rows of a sheet by window, as Excel shows them.
//!
//! Nothing is parsed as a whole. A part is inflated as a stream, rows before a window are passed over by their tags,
//! and only what is shown is read (`rows`, `cell`). What was learned is kept for the state of the file (`kept`).
//!
//! Source: ECMA-376-1, part 18.

mod address;
mod cell;
mod drawings;
mod find;
pub mod format;
mod images;
mod links;
mod names;
mod rows;
mod search;
mod strings;
mod styles;
mod text;
mod workbook;

use std::collections::{HashMap, VecDeque};

use crate::allowed::Allowed;
use crate::cache::{FileState, Keep, Kept};
use crate::error::{Error, ErrorKind, Result};
use crate::package::Parts;
use crate::stream::Stream;

use cell::{Display, StoredCell, StoredRow};
use format::DateSystem;
use images::CellImages;
use rows::{SheetKnown, Window};
use strings::{Strings, StringsKnown};

pub use address::Area;
pub(crate) use address::letters;
pub use drawings::{Drawing, DrawingKind};
pub use rows::Facts;
pub use search::RowHits;
pub use workbook::{Sheet, SheetKind, SheetState, Workbook};

/// How many cells have their strings read at once, which bounds the memory for these.
const BATCH: usize = 2_048;

/// What the text of a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// As displayed; dates in ISO form.
    Shown,
    /// As stored; dates in ISO form.
    Raw,
    /// As displayed, and the owners of all shared formulas are looked for.
    Formulas,
}

/// What a cell has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// A formula without a cached value.
    Empty,
    /// A number.
    Number,
    /// A date, a time, or both.
    Date,
    /// A text.
    Text,
    /// TRUE or FALSE.
    Boolean,
    /// An error, as `#DIV/0!`.
    Error,
}

/// A cell with a value or a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Its column, counted from 1.
    pub column: u32,
    /// What it has.
    pub kind: CellKind,
    /// What is shown, perhaps only the first characters.
    pub text: String,
    /// The characters of the whole text.
    pub chars: u64,
    /// The stored number.
    pub number: Option<f64>,
    /// Its formula without `=`.
    pub formula: Option<String>,
    /// The address of the cell with the formula that it shares; empty if it was not looked for.
    pub shared_with: Option<String>,
    /// The part of the image that it shows.
    pub image: Option<String>,
}

impl Cell {
    fn new(column: u32, kind: CellKind) -> Self {
        let (text, number, formula, shared_with, image) = (String::new(), None, None, None, None);
        Self { column, kind, text, chars: 0, number, formula, shared_with, image }
    }
}

/// A row with content.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its number in the file.
    pub number: u32,
    /// Whether it is hidden.
    pub is_hidden: bool,
    /// How many of its cells people do not see, because of their formatting.
    pub unseen: usize,
    /// Its cells by column.
    pub cells: Vec<Cell>,
}

/// A request for rows.
#[derive(Debug, Clone)]
pub struct RowsRequest {
    /// The index of the sheet.
    pub sheet: usize,
    /// The first row, counted from 1.
    pub first: u32,
    /// The last row.
    pub last: u32,
    /// The most rows with content, at least 1.
    pub most: usize,
    /// First and last column of each group; empty: all.
    pub columns: Vec<(u32, u32)>,
    /// What the texts are.
    pub values: Values,
    /// The most characters of a cell.
    pub max_chars: usize,
    /// The rows end after the one that reaches this size, in bytes.
    pub max_bytes: usize,
}

/// Rows of a sheet.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// The rows of the window that have content.
    pub rows: Vec<Row>,
    /// The first row with content after them.
    pub next_row: Option<u32>,
    /// The links of their cells, once the sheet was read to its end.
    pub links: Vec<(Area, String)>,
    /// What is known about the sheet.
    pub facts: Facts,
    /// Number formats that were not understood, at most 10.
    pub unknown_formats: Vec<String>,
    /// Whether the sheet was read to its end and has the declared CRC-32, and also the shared strings if the rows
    /// refer to any.
    pub is_verified: bool,
}

/// What is known about the parts of a workbook.
#[derive(Clone)]
struct Known {
    strings: StringsKnown,
    sheets: HashMap<usize, SheetKnown>,
}

impl Workbook {
    /// Reads rows of a sheet.
    ///
    /// # Errors
    /// Those of reading, [`ErrorKind::Damaged`], [`ErrorKind::TooLarge`] and [`ErrorKind::Cancelled`].
    pub fn rows(&self, file: &Stream<'_>, allowed: &Allowed, request: &RowsRequest) -> Result<Rows> {
        let outcome = self.read_rows(self.package.parts(file, allowed), request);
        outcome.map_err(|error| self.named(error))
    }

    /// The number of the last row with content.
    ///
    /// # Errors
    /// Those of [`Workbook::rows`].
    pub fn count(&self, file: &Stream<'_>, allowed: &Allowed, sheet: usize) -> Result<u32> {
        let request = RowsRequest {
            sheet,
            first: u32::MAX,
            last: u32::MAX,
            most: 1,
            columns: Vec::new(),
            values: Values::Raw,
            max_chars: 1,
            max_bytes: 1,
        };
        self.rows(file, allowed, &request).map(|rows| rows.facts.total_rows.unwrap_or(0))
    }

    /// The drawings of a sheet, by row and column.
    ///
    /// # Errors
    /// Those of reading, and [`ErrorKind::Damaged`].
    pub fn drawings(&self, file: &Stream<'_>, allowed: &Allowed, sheet: usize) -> Result<Vec<Drawing>> {
        let Some(sheet) = self.sheets.get(sheet) else { return Ok(Vec::new()) };
        let parts = self.package.parts(file, allowed);
        let mut found =
            drawings::read(parts, &sheet.part, &self.package.main).map_err(|error| self.named(error))?;
        if found.is_empty() && sheet.kind == SheetKind::Chart {
            found.push(Drawing::new((1, 1), DrawingKind::Missing, ""));
        }
        Ok(found)
    }

    /// Its parts, for one call.
    #[must_use]
    pub fn parts<'a>(&'a self, file: &'a Stream<'a>, allowed: &'a Allowed) -> Parts<'a> {
        self.package.parts(file, allowed)
    }

    fn read_rows(&self, parts: Parts<'_>, request: &RowsRequest) -> Result<Rows> {
        let mut rows = Rows::default();
        let Some(sheet) = self.sheets.get(request.sheet).filter(|sheet| sheet.kind == SheetKind::Table)
        else {
            rows.facts.total_rows = Some(0);
            return Ok(rows);
        };
        let Some(packed) = parts.locate(&sheet.part)? else {
            rows.facts.total_rows = Some(0);
            return Ok(rows);
        };
        let mut known = self.sheet_known(request.sheet);
        let mut outcome = rows::read(parts, packed, &mut known, request);
        let all = request.values == Values::Formulas;
        if let Ok(window) = &outcome
            && let Err(error) = rows::find_owners(parts, packed, &mut known, &window.rows, all)
        {
            outcome = Err(error);
        }
        // What was found before an error, too: a canceled call is often repeated.
        self.keep_sheet(request.sheet, &known);
        let Window { rows: stored, next_row } = outcome?;
        rows.next_row = next_row;
        rows.is_verified = known.checkpoints.is_verified();
        self.show(parts, stored, &known, request, &mut rows)?;
        if let (Some(at), [first, .., last] | [first @ last]) = (known.facts.links_at, &rows.rows[..]) {
            let span = (first.number, last.number);
            rows.links = links::read(parts, &sheet.part, (packed, &known.checkpoints, at), span)?;
        }
        rows.facts = known.facts;
        Ok(rows)
    }

    /// Shows rows, with their shared strings, up to the request's size.
    fn show(
        &self,
        parts: Parts<'_>,
        stored: Vec<StoredRow>,
        known: &SheetKnown,
        request: &RowsRequest,
        shown: &mut Rows,
    ) -> Result<()> {
        let mut cells = stored.iter().flat_map(|row| &row.cells);
        let images = if cells.any(StoredCell::may_be_image) {
            CellImages::read(parts, &self.package.main)?
        } else {
            CellImages::default()
        };
        let display = Display {
            styles: &self.styles,
            images: &images,
            system: if self.is_1904 { DateSystem::From1904 } else { DateSystem::From1900 },
            values: request.values,
            max_chars: request.max_chars,
        };
        let (mut bytes, mut most) = (0, BATCH);
        let mut stored = VecDeque::from(stored);
        while !stored.is_empty() {
            let (mut rows, mut cells) = (0, 0);
            for row in &stored {
                cells += row.cells.len();
                if rows > 0 && cells > most {
                    break;
                }
                rows += 1;
            }
            let (strings, is_verified) = self.strings(parts, stored.iter().take(rows), request.max_chars)?;
            if strings.is_full && rows > 1 {
                most = stored.iter().take(rows).map(|row| row.cells.len()).sum::<usize>() / 2;
                continue;
            }
            shown.is_verified &= is_verified;
            for row in stored.drain(..rows) {
                parts.require_uninterrupted()?;
                if bytes >= request.max_bytes {
                    shown.next_row = Some(row.number);
                    return Ok(());
                }
                let row = row.shown(&strings.found, &known.owners, &display, &mut shown.unknown_formats);
                bytes += row.cells.iter().map(|cell| cell.text.len()).sum::<usize>();
                shown.rows.push(row);
            }
        }
        Ok(())
    }

    /// The shared strings of some rows, and whether their part has the declared CRC-32, if they have any.
    fn strings<'r>(
        &self,
        parts: Parts<'_>,
        rows: impl Iterator<Item = &'r StoredRow>,
        max_chars: usize,
    ) -> Result<(Strings, bool)> {
        let mut wanted: Vec<u32> = rows.flat_map(StoredRow::strings).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            return Ok((Strings::default(), true));
        }
        let packed = self.strings_part.as_ref().map(|part| parts.locate(part)).transpose()?.flatten();
        let Some(packed) = packed else { return Ok((Strings::default(), true)) };
        let mut known = self.strings_known();
        let found = strings::read(parts, packed, &mut known, &wanted, max_chars);
        self.keep_strings(&known);
        Ok((found?, known.is_verified()))
    }

    /// An error with the media type of the workbook.
    fn named(&self, error: Error) -> Error {
        match error.kind {
            ErrorKind::Damaged { reason, .. } => {
                Error::new(error.path, ErrorKind::Damaged { media_type: self.media_type(), reason })
            }
            _ => error,
        }
    }
}

impl Keep for Workbook {
    fn bytes(&self) -> u64 {
        Self::bytes(self) + size_of::<Self>() as u64
    }
}

/// Opens a workbook, or returns the one that is kept for the state of its file.
///
/// Without a state, nothing is kept.
///
/// # Errors
/// Those of [`Workbook::read`].
pub fn open(file: &Stream<'_>, state: Option<FileState>, allowed: &Allowed) -> Result<Kept<Workbook>> {
    Kept::open(state, || Workbook::read(file, allowed))
}

#[cfg(test)]
mod tests;
