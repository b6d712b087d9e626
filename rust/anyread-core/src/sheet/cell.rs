//! Cells: what is stored, and what is shown of it.

use std::collections::HashMap;

use super::address::{letters, parse_address};
use super::format::{DateSystem, Quantity};
use super::images::CellImages;
use super::search::matches;
use super::styles::{Format, Styles};
use super::text::{Kept, ROOM, read_plain, read_rich, unescaped};
use super::{Cell, CellKind, Row, RowsRequest, Values};
use crate::error::Result;
use crate::find::Pattern;
use crate::xml::{Event, Xml};

/// The most formulas whose owners are remembered.
pub const OWNERS: usize = 65_536;
/// The most formats that are reported as not understood.
const UNKNOWN: usize = 10;
/// The text of a cell that refers to a string which does not exist.
const ABSENT: &str = "[text · not in this file]";
/// The text of a cell that shows an image.
const IMAGE: &str = "[image]";
/// What a cell counts at least, in bytes.
const LEAST_BYTES: usize = 16;
/// The most cells of a row.
const CELLS: usize = 16_384;
/// The most characters of a number.
const NUMBER_CHARS: usize = 400;
/// The most bytes of what is shown of one.
const NUMBER_ROOM: usize = 2 << 10;

/// How cells are shown.
pub struct Display<'a> {
    pub styles: &'a Styles,
    pub images: &'a CellImages,
    pub system: DateSystem,
    pub values: Values,
    pub max_chars: usize,
}

/// A cell as the file has it.
#[derive(Debug, Default)]
pub struct StoredCell {
    pub column: u32,
    kind: Stored,
    style: usize,
    value: Option<Kept>,
    formula: Option<Kept>,
    /// The number of the formula that it shares with others, unless it has that formula itself.
    pub shared: Option<u32>,
    /// The number of a value that older programs take for an error, perhaps an image.
    pub rich_value: Option<u32>,
}

/// What a value is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stored {
    #[default]
    Number,
    SharedString,
    Text,
    Boolean,
    Error,
    Date,
}

/// A row as the file has it.
#[derive(Debug, Default)]
pub struct StoredRow {
    pub number: u32,
    pub is_hidden: bool,
    /// Whether it has a value that is not empty, a formula or a text.
    pub has_content: bool,
    /// Whether its cells are not in order in the file.
    pub is_unordered: bool,
    pub cells: Vec<StoredCell>,
    /// The bytes of their texts, and of their formulas.
    pub text_bytes: [usize; 2],
}

/// Row and column of the cells that own formulas which others share, by the numbers of these.
pub type Owners = HashMap<u32, (u32, u32)>;

impl StoredRow {
    /// What the row costs before its shared strings are known, in bytes.
    pub fn bytes(&self) -> usize {
        LEAST_BYTES * self.cells.len() + self.text_bytes.iter().sum::<usize>()
    }

    /// Reads the row that has just begun, with the cells and as much of their texts as is requested and as there is
    /// room for, of which some bytes are used.
    pub fn read(
        xml: &mut Xml<'_>,
        number: u32,
        is_hidden: bool,
        request: &RowsRequest,
        used: [usize; 2],
        owners: &mut Owners,
    ) -> Result<Self> {
        let mut row = Self { number, is_hidden, ..Self::default() };
        let outside = xml.depth().saturating_sub(1);
        let mut last = 0_u32;
        let mut room = used.map(|used| ROOM.saturating_sub(used));
        let is_wanted = |column: u32| {
            let mut groups = request.columns.iter();
            request.columns.is_empty() || groups.any(|(first, last)| (*first..=*last).contains(&column))
        };
        while xml.depth() > outside {
            match xml.next()? {
                Event::Start(tag) if tag.name == "c" => {
                    let address = tag.get("r").and_then(|address| parse_address(&address));
                    let next = last.saturating_add(1);
                    let column = address.map_or(next, |(_, column)| column);
                    let kind = match tag.get("t").as_deref() {
                        Some("s") => Stored::SharedString,
                        Some("str" | "inlineStr") => Stored::Text,
                        Some("b") => Stored::Boolean,
                        Some("e") => Stored::Error,
                        Some("d") => Stored::Date,
                        _ => Stored::Number,
                    };
                    let style = tag.number("s").unwrap_or(0);
                    row.is_unordered |= column <= last;
                    last = column;
                    let rich_value = if kind == Stored::Error { tag.number("vm") } else { None };
                    let mut cell = StoredCell { column, kind, style, rich_value, ..StoredCell::default() };
                    row.has_content |= cell.read(xml, address, owners)?;
                    if is_wanted(column)
                        && (cell.value.is_some() || cell.formula.is_some() || cell.shared.is_some())
                    {
                        let before = room;
                        cell.limit(request.max_chars, &mut room);
                        row.add(xml, [cell], [before[0] - room[0], before[1] - room[1]])?;
                    }
                }
                Event::Start(_) => xml.skip_element()?,
                Event::Done => break,
                _ => {}
            }
        }
        if row.is_unordered {
            row.sort();
        }
        Ok(row)
    }

    /// Sorts its cells by column.
    pub fn sort(&mut self) {
        self.cells.sort_by_key(|cell| cell.column);
    }

    /// Adds what another element for the same row has, but does not sort it.
    pub fn merge(&mut self, xml: &Xml<'_>, other: Self) -> Result<()> {
        self.is_hidden |= other.is_hidden;
        self.has_content |= other.has_content;
        self.add(xml, other.cells, other.text_bytes)
    }

    fn add(
        &mut self,
        xml: &Xml<'_>,
        cells: impl IntoIterator<Item = StoredCell>,
        text_bytes: [usize; 2],
    ) -> Result<()> {
        self.cells.extend(cells);
        self.text_bytes = [self.text_bytes[0] + text_bytes[0], self.text_bytes[1] + text_bytes[1]];
        if self.cells.len() > CELLS {
            return Err(xml.damaged(&format!("a row has more than {CELLS} cells")));
        }
        Ok(())
    }

    /// The numbers of its shared strings.
    pub fn strings(&self) -> impl Iterator<Item = u32> {
        self.cells.iter().filter_map(StoredCell::string)
    }

    /// What is shown of it.
    pub fn shown(
        self,
        strings: &HashMap<u32, Kept>,
        owners: &Owners,
        display: &Display<'_>,
        unknown: &mut Vec<String>,
    ) -> Row {
        let (mut room, mut unseen) = (ROOM, 0);
        let cells = self.cells.into_iter().map(|cell| {
            let is_unseen = display.styles.is_unseen(cell.style);
            let is_struck = display.values != Values::Raw && display.styles.is_struck(cell.style);
            let (mut cell, mut text) = cell.shown(strings, owners, display, room, unknown);
            unseen += usize::from(is_unseen && cell.kind != CellKind::Empty);
            let has_text = matches!(cell.kind, CellKind::Text | CellKind::Number | CellKind::Date);
            if is_struck && has_text && text.left_out == 0 && !text.text.is_empty() {
                text.text = format!("~~{}~~", text.text);
            }
            let is_text = cell.kind == CellKind::Text;
            let mut own = NUMBER_ROOM;
            text.limit(display.max_chars, if is_text { &mut room } else { &mut own });
            (cell.chars, cell.text) = (text.chars(), text.text);
            cell
        });
        let cells = cells.collect();
        Row { number: self.number, is_hidden: self.is_hidden, unseen, cells }
    }
}

/// Whether a cell matches a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    Yes,
    No,
    /// Only the text of its shared string can tell.
    Unsure,
}

impl StoredCell {
    /// Whether it matches; `strings` has a bit for each shared string that does.
    pub fn hit(&self, pattern: &Pattern, strings: &[u64], display: &Display<'_>) -> Hit {
        let shows_formula = display.values == Values::Formulas || self.value.is_none();
        let formula = self.formula.as_ref().filter(|_| shows_formula);
        if formula.is_some_and(|formula| pattern.is_match(&format!("={}", formula.text))) {
            return Hit::Yes;
        }
        let Some(value) = &self.value else { return Hit::No };
        let is_hit = match self.string() {
            Some(number) => {
                let bits = strings.get(number as usize / 64).copied().unwrap_or_default();
                let is_hit = bits >> (number % 64) & 1 == 1;
                let format = &display.styles.format(self.style).shown;
                if !is_hit && display.values != Values::Raw && format.show_text("x", 1).0 != "x" {
                    return Hit::Unsure;
                }
                is_hit
            }
            None if self.kind == Stored::SharedString => false,
            None => {
                let (kind, _, shown) = self.display(value.clone(), display, &mut Vec::new());
                let stored = value.text.trim();
                matches(pattern, &shown.text)
                    || (!matches!(kind, CellKind::Boolean | CellKind::Date)
                        && stored != shown.text
                        && pattern.is_match(stored))
            }
        };
        if is_hit { Hit::Yes } else { Hit::No }
    }

    /// Whether it has a value, so that no formula needs to be shown.
    pub fn has_value(&self) -> bool {
        self.value.is_some()
    }

    /// The name of the image that a formula of WPS shows.
    pub fn image_name(&self) -> Option<&str> {
        let (_, after) = self.formula.as_ref()?.text.split_once("DISPIMG(\"")?;
        after.split_once('"').map(|(name, _)| name)
    }

    /// Whether it may show an image.
    pub fn may_be_image(&self) -> bool {
        self.rich_value.is_some() || self.image_name().is_some()
    }

    fn string(&self) -> Option<u32> {
        let value = self.value.as_ref().filter(|_| self.kind == Stored::SharedString)?;
        value.text.trim().parse().ok()
    }

    /// Keeps only a part of long texts; numbers and what else is parsed are whole, however little room there is.
    fn limit(&mut self, most: usize, [texts, formulas]: &mut [usize; 2]) {
        match &mut self.value {
            Some(value) if self.kind == Stored::Text => value.limit(most, texts),
            Some(value) => {
                let mut own = NUMBER_ROOM;
                value.limit(NUMBER_CHARS, &mut own);
            }
            None => {}
        }
        if let Some(formula) = &mut self.formula {
            formula.limit(most, formulas);
        }
    }

    /// Reads what is in the cell; returns whether it has a value that is not empty, a formula or a text.
    fn read(&mut self, xml: &mut Xml<'_>, address: Option<(u32, u32)>, owners: &mut Owners) -> Result<bool> {
        let outside = xml.depth().saturating_sub(1);
        let mut has_content = false;
        while xml.depth() > outside {
            match xml.next()? {
                Event::Start(tag) if tag.name == "v" => {
                    let mut value = read_plain(xml)?;
                    let is_text = self.kind == Stored::Text;
                    if is_text {
                        value.text = unescaped(value.text);
                    }
                    has_content |= !value.text.is_empty();
                    self.value = (!value.text.is_empty() || is_text).then_some(value);
                }
                Event::Start(tag) if tag.name == "is" => {
                    has_content = true;
                    self.kind = Stored::Text;
                    self.value = Some(read_rich(xml)?);
                }
                Event::Start(tag) if tag.name == "f" => {
                    has_content = true;
                    let shared = tag.get("t").is_some_and(|kind| kind == "shared");
                    let shared: Option<u32> = if shared { tag.number("si") } else { None };
                    let formula = read_plain(xml)?;
                    match shared {
                        Some(number) if formula.text.is_empty() => self.shared = Some(number),
                        Some(number) if owners.len() < OWNERS => {
                            owners.extend(address.map(|address| (number, address)));
                        }
                        _ => {}
                    }
                    self.formula = (!formula.text.is_empty()).then_some(formula);
                }
                Event::Start(_) => xml.skip_element()?,
                Event::Done => break,
                _ => {}
            }
        }
        Ok(has_content)
    }

    fn shown(
        mut self,
        strings: &HashMap<u32, Kept>,
        owners: &Owners,
        display: &Display<'_>,
        room: usize,
        unknown: &mut Vec<String>,
    ) -> (Cell, Kept) {
        let column = self.column;
        if let Some(part) = display.images.part(&self) {
            let cell = Cell { image: Some(part.to_owned()), ..Cell::new(column, CellKind::Text) };
            return (cell, Kept { text: IMAGE.to_owned(), left_out: 0 });
        }
        let string = self.string();
        let formula = self.formula.take().map(|formula| formula.text);
        let owner =
            |number| owners.get(&number).map(|(row, column)| format!("{}{row}", letters(*column as usize)));
        let shared_with = self.shared.map(|number| owner(number).unwrap_or_default());
        let (kind, number, kept) = match (self.value.take(), string.and_then(|number| strings.get(&number))) {
            (Some(_), Some(found)) => {
                let found = found.limited(display.max_chars, room);
                (CellKind::Text, None, self.formatted(found, display, unknown))
            }
            (Some(_), None) if self.kind == Stored::SharedString => {
                (CellKind::Error, None, Kept { text: ABSENT.to_owned(), left_out: 0 })
            }
            (Some(value), None) => self.display(value, display, unknown),
            (None, _) => (CellKind::Empty, None, Kept::default()),
        };
        (Cell { number, formula, shared_with, ..Cell::new(column, kind) }, kept)
    }

    /// A value that is no shared string: what it is, its number, and its text.
    fn display(
        &self,
        value: Kept,
        display: &Display<'_>,
        unknown: &mut Vec<String>,
    ) -> (CellKind, Option<f64>, Kept) {
        let written = value.text.trim();
        let of = |text: String| Kept { text, left_out: 0 };
        match self.kind {
            Stored::Boolean => {
                let is_true = matches!(written, "1" | "true" | "TRUE");
                (CellKind::Boolean, None, of(if is_true { "TRUE" } else { "FALSE" }.to_owned()))
            }
            Stored::Error => (CellKind::Error, None, of(written.to_owned())),
            Stored::Date => {
                let text = written.trim_end_matches("T00:00:00").trim_end_matches("T00:00:00.000");
                (CellKind::Date, None, of(text.replacen('T', " ", 1)))
            }
            Stored::Text | Stored::SharedString => {
                (CellKind::Text, None, self.formatted(value, display, unknown))
            }
            Stored::Number => match written.parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    let (kind, text) = self.display_number(number, written, display, unknown);
                    (kind, Some(number), of(text))
                }
                _ => (CellKind::Text, None, value),
            },
        }
    }

    fn display_number(
        &self,
        number: f64,
        written: &str,
        display: &Display<'_>,
        unknown: &mut Vec<String>,
    ) -> (CellKind, String) {
        let Format { shown: format, is_understood, .. } = display.styles.format(self.style);
        let is_date = format.quantity(number) == Quantity::Date;
        if display.values == Values::Raw && !is_date {
            return (CellKind::Number, written.to_owned());
        }
        if !is_understood {
            self.note_unknown(display, unknown);
        }
        match format.show(number, display.system) {
            Some(text) if is_date => (CellKind::Date, text),
            Some(text) => (CellKind::Number, text),
            // A format may be understood and have no form for this number, as dates before 1900.
            None => (CellKind::Number, written.to_owned()),
        }
    }

    /// Keeps the code of its format among those that are not understood.
    fn note_unknown(&self, display: &Display<'_>, unknown: &mut Vec<String>) {
        let code = &display.styles.format(self.style).code;
        if unknown.len() < UNKNOWN && !unknown.iter().any(|other| **other == **code) {
            unknown.push(code.to_string());
        }
    }

    /// A text in the format of the cell.
    fn formatted(&self, text: Kept, display: &Display<'_>, unknown: &mut Vec<String>) -> Kept {
        if display.values == Values::Raw {
            return text;
        }
        let format = display.styles.format(self.style);
        if format.is_too_long {
            self.note_unknown(display, unknown);
        }
        let (shown, left_out) = format.shown.show_text(&text.text, display.max_chars);
        Kept { text: shown.into_owned(), left_out: text.left_out + left_out }
    }
}
