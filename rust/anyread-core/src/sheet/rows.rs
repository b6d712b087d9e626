//! Rows of a sheet: those of a window are read, and those before it are only passed over.
//!
//! Where rows begin is remembered next to each checkpoint of the part, so that a second jump inflates little.

use std::collections::{BTreeMap, HashSet};

use memchr::memmem::{Finder, FinderRev};

use super::RowsRequest;
use super::address::{Area, parse_address};
use super::cell::{OWNERS, Owners, StoredRow};
use super::find::{ElementFinder, Found, closing, opening};
use crate::error::Result;
use crate::inflate::{Checkpoints, Inflated, Packed};
use crate::package::Parts;
use crate::xml::{Event, Tag, Xml, tag_end};

/// How many bytes of the part are between checkpoints.
const EVERY: u64 = if cfg!(test) { 32 << 10 } else { 4 << 20 };
/// A part up to this size is always read to its end.
const SMALL: u64 = if cfg!(test) { 32 << 10 } else { 4 << 20 };
/// The most merged areas and groups of hidden columns that are kept.
const MERGED: usize = 20;
const HIDDEN: usize = 100;
/// The most bytes of the prefix of an element that is searched for.
pub const LONGEST_PREFIX: usize = 64;
/// The most bytes of a row's tag.
const LONGEST_TAG: usize = 4 << 10;

/// What the part of a sheet says about it.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The area that it declares to use.
    pub dimension: Option<Area>,
    /// First and last column of each hidden group, at most 100.
    pub hidden_columns: Vec<(u32, u32)>,
    /// The first 20 merged areas; `None` until the part was read to its end.
    pub merged: Option<Vec<Area>>,
    /// How many merged areas there are, as far as it was read.
    pub merged_count: u64,
    /// The last row with content; `None` until the part was read to its end.
    pub total_rows: Option<u32>,
    /// Where the links of cells begin in the part, if that was read to its end and has any.
    pub links_at: Option<u64>,
    /// Whether rows or cells are out of order.
    pub is_unordered: bool,
    /// Whether characters could not be decoded.
    pub is_lossy: bool,
}

/// A row, and where it begins.
#[derive(Debug, Clone, Copy)]
struct Mark {
    number: u32,
    offset: u64,
    /// The last row with content before it.
    filled: u32,
}

/// What is known about the part of a sheet.
#[derive(Clone)]
pub struct SheetKnown {
    pub facts: Facts,
    pub checkpoints: Checkpoints,
    /// The prefix of its elements, and how many elements its rows are in.
    prefix: String,
    depth: u32,
    marks: Vec<Mark>,
    /// Whether rows cannot be passed over: they are not in order, or there are comments or CDATA, or another encoding.
    is_irregular: bool,
    pub owners: Owners,
}

impl SheetKnown {
    pub fn new() -> Self {
        Self {
            facts: Facts::default(),
            checkpoints: Checkpoints::new(EVERY),
            prefix: String::new(),
            depth: 0,
            marks: Vec::new(),
            is_irregular: false,
            owners: Owners::new(),
        }
    }

    /// Its memory in bytes.
    pub fn bytes(&self) -> u64 {
        let marks = self.marks.capacity() * size_of::<Mark>() + self.owners.capacity() * 48;
        let facts = self.facts.hidden_columns.capacity() * size_of::<(u32, u32)>()
            + self.facts.merged.as_ref().map_or(0, Vec::capacity) * size_of::<Area>();
        self.checkpoints.bytes() + (size_of::<Self>() + self.prefix.capacity() + facts + marks) as u64
    }

    /// How much is known; unlike the memory, it never becomes less.
    pub fn reach(&self) -> usize {
        self.marks.len()
    }
}

/// Rows of a window, and the first row with content after it.
#[derive(Debug, Default)]
pub struct Window {
    pub rows: Vec<StoredRow>,
    pub next_row: Option<u32>,
}

/// Reads a window of a sheet.
pub fn read(
    parts: Parts<'_>,
    packed: Packed,
    known: &mut SheetKnown,
    wanted: &RowsRequest,
) -> Result<Window> {
    if !known.is_irregular {
        let mut xml = Xml::new(parts.content(packed, known.checkpoints.clone())?)?;
        let outcome = match Passing::new(&mut xml, known) {
            Ok(Some(mut passing)) => passing.window(wanted),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        known.facts.is_lossy |= xml.is_lossy();
        known.checkpoints = xml.into_content().checkpoints().clone();
        if let Some(window) = outcome? {
            return Ok(window);
        }
        known.is_irregular = true;
    }
    read_all(parts, packed, known, wanted)
}

/// Reads the rows of a window one after another, until `visit` returns `false`; returns whether all were read.
///
/// Only `sheet`, `first`, `last`, `columns` and `max_chars` of the request count. Rows whose markup is not wanted may
/// be passed over, if they are short. In an irregular sheet, rows come
/// as they are in the file, perhaps in several pieces, and perhaps twice.
pub fn each(
    parts: Parts<'_>,
    packed: Packed,
    known: &mut SheetKnown,
    wanted: &RowsRequest,
    is_wanted: &dyn Fn(&[u8]) -> bool,
    visit: &mut dyn FnMut(StoredRow) -> Result<bool>,
) -> Result<bool> {
    let mut xml = Xml::new(parts.content(packed, known.checkpoints.clone())?)?;
    if !known.is_irregular {
        let outcome = match Passing::new(&mut xml, known) {
            Ok(Some(mut passing)) => passing.each(wanted, is_wanted, visit),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        known.facts.is_lossy |= xml.is_lossy();
        known.checkpoints = xml.into_content().checkpoints().clone();
        if let Some(is_all) = outcome? {
            return Ok(is_all);
        }
        known.is_irregular = true;
        xml = Xml::new(parts.content(packed, known.checkpoints.clone())?)?;
    }
    let mut facts = Facts::default();
    let mut elements = Elements::default();
    while let Some((number, is_hidden)) = elements.next(&mut xml, &mut facts)? {
        let row = StoredRow::read(&mut xml, number, is_hidden, wanted, [0; 2], &mut known.owners)?;
        if (wanted.first..=wanted.last).contains(&number) && row.has_content && !visit(row)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Finds the cells that own formulas which others share; those of the rows are known.
///
/// With `all`, also those of cells that show a value.
pub fn find_owners(
    parts: Parts<'_>,
    packed: Packed,
    known: &mut SheetKnown,
    rows: &[StoredRow],
    all: bool,
) -> Result<()> {
    let cells = rows.iter().flat_map(|row| &row.cells).filter(|cell| all || !cell.has_value());
    let shared = cells.filter_map(|cell| cell.shared);
    let mut missing: HashSet<u32> = shared.filter(|number| !known.owners.contains_key(number)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut content = parts.content(packed, known.checkpoints.clone())?;
    let mut finder = ElementFinder::new(&known.prefix, "f", "sheetData");
    while !missing.is_empty() && finder.find(&mut content, |_| {})? == Found::Element {
        let tag = tag_text(&mut content, finder.tag_length())?.unwrap_or_default();
        let tag = Tag::parse(&tag);
        if let (Some(number), Some(area)) = (tag.number("si"), tag.get("ref")) {
            missing.remove(&number);
            if known.owners.len() < OWNERS {
                let first = parse_address(area.split(':').next().unwrap_or_default());
                if let Some(first) = first {
                    known.owners.entry(number).or_insert(first);
                }
            }
        }
        content.skip(finder.tag_length());
    }
    Ok(())
}

/// What is at the next position.
enum Step {
    /// The tag of the row with this number.
    Row(u32),
    End,
    Irregular,
}

/// Passes over rows.
struct Passing<'x, 'a> {
    xml: &'x mut Xml<'a>,
    known: &'x mut SheetKnown,
    finder: ElementFinder,
    /// What rows with content have: values, formulas, or texts.
    contents: [Finder<'static>; 3],
    /// The last row that was found, and where it begins.
    number: u32,
    offset: u64,
    /// Whether the content is at its tag.
    is_at_tag: bool,
    /// The last row with content before the position.
    filled: u32,
}

impl<'x, 'a> Passing<'x, 'a> {
    /// Reads what precedes the rows, if that is not known; `None` if there are none, or if the part is not UTF-8.
    fn new(xml: &'x mut Xml<'a>, known: &'x mut SheetKnown) -> Result<Option<Self>> {
        if known.marks.is_empty() {
            let mut facts = Facts::default();
            let mut is_sheet = false;
            loop {
                match xml.next()? {
                    Event::Start(tag) if !is_sheet => is_sheet = tag.name == "worksheet",
                    Event::Start(tag) if tag.name == "sheetData" && tag.prefix.len() > LONGEST_PREFIX => {
                        return Ok(None);
                    }
                    Event::Start(tag) if tag.name == "sheetData" => {
                        tag.prefix.clone_into(&mut known.prefix);
                        break;
                    }
                    Event::Start(tag) => facts.take(tag),
                    Event::Done if !is_sheet => return Err(xml.damaged("the part of its sheet is no sheet")),
                    Event::Done => break,
                    _ => {}
                }
            }
            if xml.is_at_empty_element() {
                // Nothing would end the search.
                return Ok(None);
            }
            known.depth = xml.depth();
            let Some(content) = xml.bytes() else { return Ok(None) };
            known.marks.push(Mark { number: 1, offset: content.offset(), filled: 0 });
            known.facts = facts;
        }
        if xml.bytes().is_none() {
            return Ok(None);
        }
        let finder = |name| Finder::new(&opening(&known.prefix, name)).into_owned();
        let contents = [finder("v"), finder("f"), finder("is")];
        Ok(Some(Self {
            xml,
            finder: ElementFinder::new(&known.prefix, "row", "sheetData"),
            contents,
            known,
            number: 0,
            offset: 0,
            is_at_tag: false,
            filled: 0,
        }))
    }

    /// Goes to the last mark before a row.
    fn go_to(&mut self, row: u32) -> Result<()> {
        let after = self.known.marks.partition_point(|mark| mark.number <= row);
        let mark = self.known.marks.get(after.saturating_sub(1)).copied();
        let Mark { number, offset, filled } = mark.unwrap_or(Mark { number: 1, offset: 0, filled: 0 });
        (self.number, self.filled, self.offset, self.is_at_tag) = (number - 1, filled, offset, false);
        self.xml.seek(offset, self.known.depth)
    }

    /// Goes to the next row.
    fn step(&mut self) -> Result<Step> {
        let (was_at_tag, passed) = (self.is_at_tag, self.finder.tag_length());
        let Some(content) = self.xml.bytes() else { return Ok(Step::Irregular) };
        if was_at_tag {
            content.skip(passed);
        }
        let mut has_content = false;
        let contents = &self.contents;
        let found = self.finder.find(content, |bytes| {
            has_content |= was_at_tag && !has_content && has_value(contents, bytes);
        })?;
        if has_content {
            self.filled = self.number;
        }
        self.is_at_tag = false;
        match found {
            Found::End => {
                // Only at the end it is known whether the part is damaged.
                while let length @ 1.. = content.chunk()?.len() {
                    content.skip(length);
                }
                return Ok(Step::End);
            }
            Found::Markup => return Ok(Step::Irregular),
            Found::Element => {}
        }
        let offset = content.offset();
        let next = self.number.saturating_add(1);
        let Some(number) = row_number(content, passed, next)? else { return Ok(Step::Irregular) };
        if number <= self.number {
            self.known.facts.is_unordered = true;
            return Ok(Step::Irregular);
        }
        let last = self.known.marks.last().map_or(0, |mark| mark.offset);
        if content.has_checkpoint_since(last) {
            self.known.marks.push(Mark { number, offset, filled: self.filled });
        }
        (self.number, self.offset, self.is_at_tag) = (number, offset, true);
        Ok(Step::Row(number))
    }

    /// Visits the rows of a window, until `visit` returns `false`; `None` if the sheet is irregular.
    fn each(
        &mut self,
        wanted: &RowsRequest,
        is_wanted: &dyn Fn(&[u8]) -> bool,
        visit: &mut dyn FnMut(StoredRow) -> Result<bool>,
    ) -> Result<Option<bool>> {
        let tag = closing(&self.known.prefix, "row");
        let (end, last_end) = (Finder::new(&tag), FinderRev::new(&tag));
        // Up to which offset no row is wanted, and up to which one some are.
        let (mut unwanted, mut mixed) = (0, 0);
        self.go_to(wanted.first)?;
        loop {
            let number = match self.step()? {
                Step::Row(number) => number,
                Step::End => return self.finish().map(|()| Some(true)),
                Step::Irregular => return Ok(None),
            };
            if number > wanted.last {
                return Ok(Some(true));
            }
            if number < wanted.first || self.offset < unwanted {
                continue;
            }
            let Some(content) = self.xml.bytes() else { return Ok(None) };
            let bytes = content.ahead(LONGEST_TAG)?;
            if self.offset >= mixed
                && let Some(rows) = last_end.rfind(bytes).and_then(|end| bytes.get(..end))
            {
                // Many rows at once, because nearly all are passed over.
                let known = if is_wanted(rows) { &mut mixed } else { &mut unwanted };
                *known = self.offset + rows.len() as u64;
            }
            let row = end.find(bytes).and_then(|end| bytes.get(..end));
            if self.offset < unwanted || row.is_some_and(|row| !is_wanted(row)) {
                continue;
            }
            let row = self.row(number, wanted)?;
            if row.has_content {
                self.filled = number;
                if !visit(row)? {
                    return Ok(Some(false));
                }
            }
        }
    }

    /// Reads the row at whose tag the content is.
    fn row(&mut self, number: u32, wanted: &RowsRequest) -> Result<StoredRow> {
        self.xml.seek(self.offset, self.known.depth)?;
        let is_hidden = match self.xml.next()? {
            Event::Start(tag) => tag.flag("hidden") == Some(true),
            _ => false,
        };
        let owners = &mut self.known.owners;
        let row = StoredRow::read(self.xml, number, is_hidden, wanted, [0; 2], owners)?;
        self.known.facts.is_unordered |= row.is_unordered;
        self.is_at_tag = false;
        Ok(row)
    }

    /// Reads the rows of a window; `None` if the sheet is irregular.
    fn window(&mut self, wanted: &RowsRequest) -> Result<Option<Window>> {
        let mut window = Window::default();
        if self.known.facts.total_rows.is_some_and(|total| wanted.first > total) {
            return Ok(Some(window));
        }
        let is_known = self.known.facts.total_rows.is_some();
        let size = self.xml.bytes().and_then(|content| content.declared_size());
        let reads_on = !is_known && size.is_some_and(|size| size <= SMALL);
        self.go_to(wanted.first)?;
        let mut bytes = 0;
        // The first row after the window.
        let mut after: Option<u32> = None;
        loop {
            let step = self.step()?;
            if window.next_row.is_none() && after.is_some_and(|after| self.filled >= after) {
                window.next_row = Some(self.filled);
            }
            let number = match step {
                Step::Row(number) => number,
                Step::End => return self.finish().map(|()| Some(window)),
                Step::Irregular => return Ok(None),
            };
            if window.next_row.is_some() && !reads_on {
                return Ok(Some(window));
            }
            if number < wanted.first || after.is_some() {
                continue;
            }
            if number > wanted.last || window.rows.len() >= wanted.most || bytes >= wanted.max_bytes {
                after = Some(number);
                continue;
            }
            let row = self.row(number, wanted)?;
            if row.has_content {
                bytes += row.bytes();
                self.filled = number;
                window.rows.push(row);
            }
        }
    }

    /// Keeps what is known at the end of the part, and reads what is after the rows.
    fn finish(&mut self) -> Result<()> {
        if self.known.facts.total_rows.is_some() {
            return Ok(());
        }
        self.xml.seek(self.offset, self.known.depth)?;
        let mut facts = std::mem::take(&mut self.known.facts);
        facts.merged = Some(Vec::new());
        loop {
            let at = self.xml.bytes().map(|content| content.offset());
            match self.xml.next()? {
                Event::Start(tag) if tag.name == "hyperlinks" => {
                    facts.links_at = at;
                    break;
                }
                Event::Start(tag) => facts.take(tag),
                Event::Done => break,
                _ => {}
            }
        }
        facts.total_rows = Some(self.filled);
        self.known.facts = facts;
        Ok(())
    }
}

/// Whether a value that is not empty, a formula or a text is in some bytes.
fn has_value([value, formula, text]: &[Finder<'_>; 3], bytes: &[u8]) -> bool {
    let ends = |byte: u8| matches!(byte, b'>' | b'/' | b' ' | b'\t' | b'\n' | b'\r');
    let after = |name: &Finder<'_>, at: usize| bytes.get(at + name.needle().len()..).unwrap_or_default();
    let has = |name: &Finder<'_>| {
        name.find_iter(bytes).any(|at| after(name, at).first().is_some_and(|byte| ends(*byte)))
    };
    value.find_iter(bytes).any(|at| match *after(value, at) {
        // Some programs write empty values for empty cells.
        [] | [b'/', ..] | [b'>', b'<', ..] | [b'>'] => false,
        [byte, ..] => ends(byte),
    }) || has(formula)
        || has(text)
}

/// The number that the tag of a row has, or `next` if it has none; `None` if the tag is very long.
fn row_number(content: &mut Inflated<'_>, tag_length: usize, next: u32) -> Result<Option<u32>> {
    let bytes = content.ahead(tag_length + 16)?;
    if matches!(bytes.get(tag_length), Some(b'>' | b'/')) {
        return Ok(Some(next));
    }
    // Nearly all rows begin so.
    if let Some(digits) = bytes.get(tag_length..).and_then(|attributes| attributes.strip_prefix(b" r=\"")) {
        let end = digits.iter().take(11).position(|byte| *byte == b'"');
        let digits = end.and_then(|end| std::str::from_utf8(digits.get(..end)?).ok());
        if let Some(number) = digits.and_then(|digits| digits.parse().ok()) {
            return Ok(Some(number));
        }
    }
    let tag = tag_text(content, tag_length)?;
    Ok(tag.map(|tag| Tag::parse(&tag).number("r").unwrap_or(next)))
}

/// The attributes of the tag at the position of the content, after the name `x`; `None` if it is very long.
fn tag_text(content: &mut Inflated<'_>, tag_length: usize) -> Result<Option<String>> {
    let bytes = content.ahead(LONGEST_TAG)?;
    let attributes =
        tag_end(bytes).filter(|end| *end < LONGEST_TAG).and_then(|end| bytes.get(tag_length..end));
    Ok(attributes.map(|attributes| format!("x{}", String::from_utf8_lossy(attributes))))
}

impl Facts {
    fn take(&mut self, tag: Tag<'_>) {
        let area = || tag.get("ref").and_then(|area| Area::parse(&area));
        match tag.name {
            "dimension" => self.dimension = area(),
            "col" if tag.flag("hidden") == Some(true) && self.hidden_columns.len() < HIDDEN => {
                if let (Some(first), Some(last)) = (tag.number("min"), tag.number("max")) {
                    self.hidden_columns.push((first, last));
                }
            }
            "mergeCell" => {
                self.merged_count += 1;
                if let Some(merged) = self.merged.as_mut().filter(|merged| merged.len() < MERGED) {
                    merged.extend(area());
                }
            }
            _ => {}
        }
    }
}

/// The elements of rows, as they are in the file.
#[derive(Default)]
struct Elements {
    previous: u32,
    /// Extensions may have rows of their own.
    is_inside: bool,
    is_over: bool,
}

impl Elements {
    /// Goes to the next one: its number, and whether it is hidden.
    fn next(&mut self, xml: &mut Xml<'_>, facts: &mut Facts) -> Result<Option<(u32, bool)>> {
        loop {
            let at = xml.bytes().map(|content| content.offset());
            match xml.next()? {
                Event::Start(tag) if tag.name == "hyperlinks" => facts.links_at = at,
                Event::Start(tag) if self.is_inside && tag.name == "row" => {
                    let number = tag.number("r").unwrap_or(self.previous.saturating_add(1));
                    facts.is_unordered |= number <= self.previous;
                    self.previous = number;
                    return Ok(Some((number, tag.flag("hidden") == Some(true))));
                }
                Event::Start(tag) if tag.name == "sheetData" => self.is_inside = !self.is_over,
                Event::End("sheetData") => (self.is_inside, self.is_over) = (false, true),
                Event::Start(tag) => facts.take(tag),
                Event::Done => return Ok(None),
                _ => {}
            }
        }
    }
}

/// Reads the whole sheet tag by tag, and keeps the rows of the window.
fn read_all(
    parts: Parts<'_>,
    packed: Packed,
    known: &mut SheetKnown,
    wanted: &RowsRequest,
) -> Result<Window> {
    let mut xml = Xml::new(parts.content(packed, known.checkpoints.clone())?)?;
    let mut facts =
        Facts { merged: Some(Vec::new()), is_unordered: known.facts.is_unordered, ..Facts::default() };
    let mut rows: BTreeMap<u32, StoredRow> = BTreeMap::new();
    let (mut filled, mut bytes) = (0, 0);
    let mut next_row: Option<u32> = None;
    let mut last = wanted.last;
    let mut elements = Elements::default();
    while let Some((number, is_hidden)) = elements.next(&mut xml, &mut facts)? {
        let used = rows.get(&number).map_or([0; 2], |row| row.text_bytes);
        let row = StoredRow::read(&mut xml, number, is_hidden, wanted, used, &mut known.owners)?;
        facts.is_unordered |= row.is_unordered;
        if !row.has_content {
            continue;
        }
        filled = number.max(filled);
        if number < wanted.first {
            continue;
        }
        if number > last {
            next_row = Some(next_row.map_or(number, |next| next.min(number)));
            continue;
        }
        bytes += row.bytes();
        rows.entry(number)
            .or_insert_with(|| StoredRow { number, ..StoredRow::default() })
            .merge(&xml, row)?;
        // What is over a limit begins the next window.
        while let Some((&number, row)) = rows.last_key_value() {
            let rest = bytes.saturating_sub(row.bytes());
            if rows.len() <= wanted.most && (rows.len() == 1 || rest < wanted.max_bytes) {
                break;
            }
            rows.pop_last();
            bytes = rest;
            last = number - 1;
            next_row = Some(number);
        }
    }
    facts.total_rows = Some(filled);
    facts.is_lossy = xml.is_lossy();
    known.facts = facts;
    known.checkpoints = xml.into_content().checkpoints().clone();
    rows.values_mut().for_each(StoredRow::sort);
    Ok(Window { rows: rows.into_values().collect(), next_row })
}
