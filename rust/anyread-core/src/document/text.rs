//! What the elements of a document show.

use std::collections::HashMap;
use std::sync::Arc;

use super::marks::{graphic, image, object, one_line};
use super::numbering::Numbering;
use super::paragraph::Paragraph;
use super::styles::{Look, Styles};
use super::symbols::symbol;
use super::writer::{Block, Writer};
use super::{MARGINS, Relations, Rendering};
use crate::error::Result;
use crate::lines::{LineTaker, Lines, Wanted};
use crate::math::Equation;
use crate::package::{Parts, Picture};
use crate::xml::{Tag, start_of};

/// The most notes and comments whose numbers are kept.
const NOTES: usize = 65_536;
const LONGEST_ID: usize = 32;
/// The most fields inside of one another.
const FIELDS: usize = 256;
/// The most columns of a table.
const COLUMNS: usize = 1_024;
/// The most columns that a cell has, or that a row leaves free; Word allows 63.
const MERGED: usize = 63;
/// The most bytes of the code of a field that are kept.
const CODE: usize = 4 << 10;

/// An element that has begun, and what its end does.
#[derive(Clone)]
enum Open {
    Other,
    Paragraph,
    ParagraphProperties,
    /// The properties of the mark at the end of a paragraph.
    MarkProperties,
    RunProperties,
    Text,
    Code,
    Table {
        is_nested: bool,
    },
    Row,
    Cell,
    Link,
    TextBox,
    /// Whether one of the alternatives was shown.
    Alternates(bool),
    /// How much was written before it.
    Alternate(u64),
    Object,
    Math,
    /// An element of an equation.
    Equation,
}

/// A table that is being written.
#[derive(Clone, Default)]
struct Table {
    /// The number of the row, of those that are shown.
    row: usize,
    column: usize,
    is_row_deleted: bool,
    /// The columns that the row leaves free at its start and its end.
    before: usize,
    after: usize,
    /// The columns of the cell.
    span: usize,
    is_continued: bool,
}

impl Table {
    /// Takes a property of a row or of a cell; returns whether it is one.
    fn take(&mut self, tag: &Tag<'_>) -> bool {
        let number = || tag.number("val").unwrap_or(0_usize).min(MERGED);
        match tag.name {
            "gridSpan" => self.span = number().max(1),
            "gridBefore" => self.before = number(),
            "gridAfter" => self.after = number(),
            "vMerge" => self.is_continued = tag.get("val").is_none_or(|value| value != "restart"),
            _ => return false,
        }
        true
    }
}

/// A field: its code comes first, then what it shows.
#[derive(Clone, Default)]
struct Field {
    is_result: bool,
    code: String,
    is_link: bool,
}

/// What was referred to so far. Where it is read again, it stays the same, so that all places share it.
#[derive(Clone, Default)]
pub(super) struct Referred {
    /// The numbers of footnotes, endnotes and comments by their IDs.
    notes: [HashMap<String, usize>; 3],
    /// Headers and footers: their labels, and the IDs of their relationships.
    margins: Vec<(&'static str, String)>,
}

impl Referred {
    /// Its memory in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        let notes: usize = self.notes.iter().map(HashMap::capacity).sum();
        (notes + self.margins.len()) * 64
    }
}

/// A place in the main part where the text can be continued: before a paragraph, a table or a row.
pub(super) struct Place {
    /// The offset of its tag, and how many elements it is in.
    pub(super) offset: u64,
    pub(super) depth: u32,
    position: (u64, Block),
    written: u64,
    stack: Vec<Open>,
    tables: Vec<Table>,
    fields: Vec<Field>,
    numbering: Numbering,
    images: u64,
    description: String,
    tracked_changes: u64,
    hidden_runs: u64,
    is_lossy: bool,
}

impl Place {
    /// The line that begins here.
    pub(super) fn line(&self) -> u64 {
        self.position.0
    }

    /// Its memory in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.stack.len() * size_of::<Open>()
            + self.tables.len() * size_of::<Table>()
            + self.fields.len() * size_of::<Field>()
            + self.description.len()
            + self.numbering.bytes()
    }
}

/// The text of a document.
pub(super) struct Text<'a> {
    parts: Parts<'a>,
    writer: Writer,
    styles: Arc<Styles>,
    numbering: Numbering,
    relations: Arc<Relations>,
    stack: Vec<Open>,
    paragraphs: Vec<Paragraph>,
    tables: Vec<Table>,
    fields: Vec<Field>,
    pub(super) referred: Arc<Referred>,
    /// What precedes the next paragraph.
    label: String,
    margin: Option<&'static str>,
    images: u64,
    /// Those that may be in a line that is wanted.
    pictures: Vec<Picture>,
    description: String,
    objects: usize,
    math: usize,
    equation: Equation,
    /// Whether spaces at the ends of the text count.
    is_preserved: bool,
    /// The run whose text was left out last, so that it is counted once.
    is_counted_hidden: bool,
    tracked_changes: u64,
    hidden_runs: u64,
    /// Whether characters could not be decoded.
    pub(super) is_lossy: bool,
}

impl<'a> Text<'a> {
    pub(super) fn new(
        parts: Parts<'a>,
        taker: LineTaker,
        styles: Arc<Styles>,
        numbering: Numbering,
        referred: Arc<Referred>,
    ) -> Self {
        Self {
            parts,
            writer: Writer::new(taker),
            styles,
            numbering,
            relations: Arc::default(),
            stack: Vec::new(),
            paragraphs: Vec::new(),
            tables: Vec::new(),
            fields: Vec::new(),
            referred,
            label: String::new(),
            margin: None,
            images: 0,
            pictures: Vec::new(),
            description: String::new(),
            objects: 0,
            math: 0,
            equation: Equation::default(),
            is_preserved: false,
            is_counted_hidden: false,
            tracked_changes: 0,
            hidden_runs: 0,
            is_lossy: false,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.writer.is_full
    }

    pub(super) fn finish(self) -> Rendering {
        Rendering {
            lines: Lines { is_lossy: self.is_lossy, ..self.writer.finish() },
            pictures: self.pictures,
            images: self.images,
            tracked_changes: self.tracked_changes,
            hidden_runs: self.hidden_runs,
        }
    }

    /// The headers and footers of the document, each once.
    pub(super) fn margins(&self) -> Vec<(&'static str, String)> {
        self.referred.margins.clone()
    }

    /// The place before the next element, which begins at an offset, if the text can be continued there.
    pub(super) fn place(&self, offset: u64, is_lossy: bool) -> Option<Place> {
        let is_between = self.paragraphs.is_empty() && self.label.is_empty() && self.objects + self.math == 0;
        if !is_between || !self.numbering.is_small() {
            return None;
        }
        Some(Place {
            offset,
            depth: u32::try_from(self.stack.len()).ok()?,
            position: self.writer.position()?,
            written: self.writer.written,
            stack: self.stack.clone(),
            tables: self.tables.clone(),
            fields: self.fields.clone(),
            numbering: self.numbering.clone(),
            images: self.images,
            description: self.description.clone(),
            tracked_changes: self.tracked_changes,
            hidden_runs: self.hidden_runs,
            is_lossy: self.is_lossy || is_lossy,
        })
    }

    /// Continues at a place.
    pub(super) fn resume(&mut self, place: &Place, wanted: Wanted) {
        self.writer.resume(place.position, wanted);
        self.writer.written = place.written;
        self.stack.clone_from(&place.stack);
        self.tables.clone_from(&place.tables);
        self.fields.clone_from(&place.fields);
        self.numbering = place.numbering.clone();
        self.images = place.images;
        self.description.clone_from(&place.description);
        (self.tracked_changes, self.hidden_runs) = (place.tracked_changes, place.hidden_runs);
        self.is_lossy = place.is_lossy;
    }

    pub(super) fn begin_part(&mut self, relations: Arc<Relations>, margin: Option<&'static str>) {
        (self.relations, self.margin) = (relations, margin);
        self.label = margin.map_or(String::new(), |margin| format!("[{margin}] "));
    }

    pub(super) fn end_part(&mut self) -> Result<()> {
        while !self.stack.is_empty() {
            self.end()?;
        }
        self.fields.clear();
        self.writer.end_joined();
        Ok(())
    }

    /// Begins an element; returns whether nothing in it is shown.
    pub(super) fn start(&mut self, tag: &Tag<'_>) -> Result<bool> {
        let open = match tag.name {
            "p" => {
                self.begin_paragraph();
                Open::Paragraph
            }
            "pPr" => Open::ParagraphProperties,
            "rPr" if matches!(self.stack.last(), Some(Open::ParagraphProperties)) => Open::MarkProperties,
            "rPr" => Open::RunProperties,
            "r" => {
                self.begin_run();
                Open::Other
            }
            "t" => {
                self.is_preserved =
                    tag.get("space").is_some_and(|space| space == "preserve") || tag.prefix != "w";
                Open::Text
            }
            "instrText" => Open::Code,
            "ins" | "moveTo" => {
                self.tracked_changes += 1;
                Open::Other
            }
            "del" | "moveFrom" => return Ok(self.start_deleted(tag.name)),
            "tbl" | "tr" | "tc" => match self.start_table(tag.name) {
                Some(open) => open,
                None => return Ok(true),
            },
            "txbxContent" if !self.writer.level().is_cell => {
                self.writer.begin_level();
                Open::TextBox
            }
            "txbxContent" => {
                self.with_paragraph(|paragraph, writer, _| paragraph.pause(writer));
                Open::Other
            }
            "AlternateContent" => Open::Alternates(false),
            "Choice" | "Fallback" => {
                if matches!(self.stack.last(), Some(Open::Alternates(true))) {
                    return Ok(true);
                }
                Open::Alternate(self.writer.written)
            }
            "hyperlink" => match tag.prefixed("id").and_then(|id| self.relations.get(&*id)) {
                Some(relation) if relation.is_external => {
                    let mut target = relation.target.clone();
                    if let Some(anchor) = tag.get("anchor").filter(|_| !target.contains('#')) {
                        target = format!("{target}#{anchor}");
                    }
                    self.with_paragraph(|paragraph, writer, _| paragraph.begin_link(writer, target));
                    Open::Link
                }
                _ => Open::Other,
            },
            "fldSimple" => match link_of(&tag.get("instr").unwrap_or_default()) {
                Some(target) => {
                    self.with_paragraph(|paragraph, writer, _| paragraph.begin_link(writer, target));
                    Open::Link
                }
                None => Open::Other,
            },
            "oMath" => {
                self.begin_run();
                self.math += 1;
                Open::Math
            }
            "object" => {
                self.objects += 1;
                Open::Object
            }
            "footnote" | "endnote" | "comment" if self.stack.len() == 1 => {
                let Some(label) = self.note_label(tag) else { return Ok(true) };
                self.label = label;
                Open::Other
            }
            // Former properties, and what only describes.
            "rt" | "delText" | "delInstrText" | "tblPr" | "tblGrid" | "sdtPr" | "sdtEndPr" | "tabs"
            | "binData" | "rPrChange" | "pPrChange" | "sectPrChange" | "tblPrChange" | "tcPrChange"
            | "trPrChange" | "numberingChange" => {
                return Ok(true);
            }
            _ if self.math > 0 => {
                let before = self.equation.start(tag);
                self.write(&before);
                Open::Equation
            }
            _ => {
                self.start_other(tag)?;
                Open::Other
            }
        };
        self.stack.push(open);
        Ok(false)
    }

    fn begin_paragraph(&mut self) {
        let label = std::mem::take(&mut self.label);
        let mut paragraph = Paragraph::new(&mut self.writer, label);
        paragraph.style = self.styles.default;
        self.paragraphs.push(paragraph);
    }

    fn end_paragraph(&mut self) {
        if let Some(paragraph) = self.paragraphs.pop() {
            // The next one has the label of one that shows nothing.
            let label = paragraph.end(&mut self.writer, &mut self.numbering);
            if !label.is_empty() {
                self.label = label;
            }
        }
    }

    fn begin_run(&mut self) {
        self.is_counted_hidden = false;
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.run = Look { is_hidden: paragraph.style.look.is_hidden, ..Look::default() };
        }
    }

    /// A deletion, or the mark of one; returns whether nothing in it is shown.
    fn start_deleted(&mut self, name: &str) -> bool {
        self.tracked_changes += u64::from(name == "del");
        match self.stack.last() {
            Some(Open::MarkProperties) => {
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.is_mark_deleted = true;
                }
            }
            Some(Open::Other) if self.is_in_row() => {
                if let Some(table) = self.tables.last_mut() {
                    table.is_row_deleted = true;
                }
            }
            _ => {}
        }
        true
    }

    /// Whether the properties of a row are read.
    fn is_in_row(&self) -> bool {
        let depth = self.stack.len();
        depth > 1 && matches!(self.stack.get(depth - 2), Some(Open::Row))
    }

    fn start_table(&mut self, name: &str) -> Option<Open> {
        match (name, self.tables.last_mut()) {
            ("tbl", _) => {
                let is_nested = self.writer.level().is_cell;
                if is_nested {
                    self.writer.begin_level();
                    self.writer.level().last = Block::None;
                } else {
                    let label = std::mem::take(&mut self.label);
                    if !label.is_empty() {
                        self.writer.begin_block(Block::Other);
                        self.writer.put(label.trim_end());
                        self.writer.end_line();
                    }
                    self.writer.begin_block(Block::Other);
                }
                self.tables.push(Table::default());
                Some(Open::Table { is_nested })
            }
            ("tr", Some(table)) => {
                *table = Table { row: table.row, ..Table::default() };
                Some(Open::Row)
            }
            ("tc", Some(table)) => {
                if table.is_row_deleted {
                    return None;
                }
                (table.span, table.is_continued) = (1, false);
                let is_first = table.column == 0;
                if is_first {
                    (table.row, table.column) = (table.row + 1, table.before);
                    self.writer.put("|");
                    self.writer.put(&"  |".repeat(table.before));
                }
                table.column += 1;
                self.writer.put(" ");
                let level = self.writer.level();
                (level.is_cell, level.is_begun) = (true, false);
                Some(Open::Cell)
            }
            _ => Some(Open::Other),
        }
    }

    /// Everything else: properties and marks.
    fn start_other(&mut self, tag: &Tag<'_>) -> Result<()> {
        if self.tables.last_mut().is_some_and(|table| table.take(tag)) {
            return Ok(());
        }
        let is_mark = matches!(self.stack.last(), Some(Open::MarkProperties));
        let of_paragraph = matches!(self.stack.last(), Some(Open::ParagraphProperties));
        let value = || tag.get("val").unwrap_or_default();
        match (tag.name, self.paragraphs.last_mut()) {
            ("pStyle", Some(paragraph)) => paragraph.style = self.styles.get(&value()),
            ("outlineLvl", Some(paragraph)) if of_paragraph => {
                paragraph.style.heading = tag.number("val").map(|level: u8| level.saturating_add(1));
            }
            ("ilvl" | "numId", Some(paragraph)) => paragraph.style.list.take(tag),
            ("rStyle", Some(paragraph)) if !is_mark => {
                paragraph.run = self.styles.get(&value()).look.or(paragraph.run);
            }
            ("b" | "i" | "vanish", Some(paragraph))
                if matches!(self.stack.last(), Some(Open::RunProperties))
                    && (self.math == 0 || tag.name == "vanish") =>
            {
                paragraph.run.take(tag);
            }
            ("headerReference" | "footerReference", _) => {
                let kind = if tag.name == "headerReference" { "header" } else { "footer" };
                let id = tag.prefixed("id").unwrap_or_default().into_owned();
                let margins = &self.referred.margins;
                if margins.len() < MARGINS && !margins.iter().any(|(_, other)| *other == id) {
                    Arc::make_mut(&mut self.referred).margins.push((kind, id));
                }
            }
            ("tab" | "ptab", Some(_)) if !of_paragraph => self.write("\t"),
            ("noBreakHyphen", _) => self.write("-"),
            ("sym", _) => {
                let code = tag.get("char").and_then(|code| u32::from_str_radix(&code, 16).ok());
                let font = tag.get("font").unwrap_or_default();
                let shown = code.and_then(|code| symbol(&font, code));
                self.write(shown.map_or(String::new(), String::from).as_str());
            }
            ("br", Some(paragraph))
                if tag.get("type").is_some_and(|kind| kind == "page" || kind == "column") =>
            {
                paragraph.part();
            }
            ("br" | "cr", _) => {
                let is_shown = self.is_shown();
                self.with_paragraph(|paragraph, writer, _| {
                    if is_shown {
                        paragraph.write_break(writer);
                    }
                });
            }
            ("fldChar", _) => self.field(&tag.get("fldCharType").unwrap_or_default()),
            ("footnoteReference" | "endnoteReference" | "commentReference", _) => self.refer(tag),
            ("docPr" | "cNvPr", _) => {
                self.description =
                    tag.get("descr").filter(|text| !text.is_empty()).unwrap_or_default().into_owned();
            }
            ("blip" | "imagedata", Some(_)) if self.objects == 0 => {
                let id = tag.prefixed(if tag.name == "blip" { "embed" } else { "id" });
                if let Some(id) = id.or_else(|| tag.prefixed("link")).filter(|_| self.is_shown()) {
                    self.image(&id)?;
                }
            }
            ("OLEObject", _) => {
                let (id, program) =
                    (tag.prefixed("id").unwrap_or_default(), tag.get("ProgID").unwrap_or_default());
                self.mark(&object(&self.relations, &id, &program));
            }
            ("altChunk", None) => {
                let mark = object(&self.relations, &tag.prefixed("id").unwrap_or_default(), "document");
                self.begin_paragraph();
                self.mark(&mark);
                self.end_paragraph();
            }
            ("chart", Some(_)) if tag.prefixed("id").is_some() => {
                let id = tag.prefixed("id").unwrap_or_default();
                let mark = graphic(self.parts, &self.relations, &id, "chart")?;
                self.mark(&mark);
            }
            ("relIds", Some(_)) => {
                let id = tag.prefixed("dm").unwrap_or_default();
                let mark = graphic(self.parts, &self.relations, &id, "diagram")?;
                self.mark(&mark);
            }
            ("textpath", _) => self.write(&tag.get("string").unwrap_or_default()),
            _ => {}
        }
        Ok(())
    }

    /// Ends the innermost element.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.stack.pop() {
            Some(Open::Paragraph) => {
                if self.fields.last().is_some_and(|field| !field.is_result) {
                    // Its end is missing; the next paragraph would be lost.
                    self.fields.clear();
                }
                self.end_paragraph();
            }
            Some(Open::Table { is_nested }) => self.end_table(is_nested),
            Some(Open::Row) => self.end_row(),
            Some(Open::Cell) => self.end_cell(),
            Some(Open::Link) => self.with_paragraph(|paragraph, writer, _| paragraph.end_link(writer)),
            Some(Open::TextBox) => self.writer.end_level(""),
            Some(Open::Alternate(before)) => {
                if let (true, Some(Open::Alternates(is_shown))) =
                    (self.writer.written > before, self.stack.last_mut())
                {
                    *is_shown = true;
                }
            }
            Some(Open::Object) => self.objects = self.objects.saturating_sub(1),
            Some(Open::Math) => self.math = self.math.saturating_sub(1),
            Some(Open::Equation) => {
                let after = self.equation.end();
                self.write(&after);
            }
            _ => {}
        }
        if self.stack.len() == 1 && self.margin.is_none() {
            self.label.clear();
        }
        if self.writer.holds_too_much() {
            return Err(self
                .parts
                .damaged("its tables inside of cells, or its text boxes, have more than 8 MiB"));
        }
        Ok(())
    }

    fn end_cell(&mut self) {
        self.writer.end_joined();
        let Some(table) = self.tables.last_mut() else { return };
        let span = table.span.min(COLUMNS.saturating_sub(table.column));
        table.column += span.saturating_sub(1);
        if table.is_continued {
            self.writer.put("(as above)");
        }
        if span > 1 {
            self.writer.put(&format!(" ({span} columns)"));
        }
        self.writer.put(" |");
        for _ in 1..span {
            self.writer.put(" |");
        }
        self.writer.level().is_cell = false;
    }

    fn end_row(&mut self) {
        let Some(table) = self.tables.last() else { return };
        let (row, column, after) = (table.row, table.column, table.after);
        if column == 0 {
            return;
        }
        self.writer.put(&"  |".repeat(after));
        self.writer.put("\n");
        if row == 1 {
            self.writer.put("|");
            for _ in 0..column + after {
                self.writer.put(" --- |");
            }
            self.writer.put("\n");
        }
        self.writer.show_held(false);
    }

    fn end_table(&mut self, is_nested: bool) {
        self.tables.pop();
        let level = self.writer.level();
        (level.last, level.is_begun) = (Block::Other, true);
        if !is_nested {
            return;
        }
        let title = self.tables.last().map_or(String::new(), |outer| {
            format!("[table in row {}, column {}]\n", outer.row, letters(outer.column))
        });
        self.writer.end_level(&title);
    }

    /// The text of an element.
    pub(super) fn content(&mut self, content: &str, left_out: u64) {
        match self.stack.last() {
            Some(Open::Text) => {
                // Line breaks are those of the file, with its indentation.
                let is_indented = !self.is_preserved && content.contains('\n');
                self.write(if is_indented { content.trim_ascii() } else { content });
                if left_out > 0 {
                    self.write(&format!("… (+{left_out} chars)"));
                }
            }
            Some(Open::Code) => {
                if let Some(field) = self.fields.last_mut().filter(|field| !field.is_result) {
                    let room = CODE.saturating_sub(field.code.len());
                    field.code.push_str(start_of(content, room));
                }
            }
            _ => {}
        }
    }

    fn with_paragraph(&mut self, work: impl FnOnce(&mut Paragraph, &mut Writer, &mut Numbering)) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            work(paragraph, &mut self.writer, &mut self.numbering);
        }
    }

    /// Whether the text of the run is shown; counts a run that is hidden.
    fn is_shown(&mut self) -> bool {
        let is_hidden = self.paragraphs.last().is_some_and(|paragraph| paragraph.run.is_hidden == Some(true));
        if is_hidden && !std::mem::replace(&mut self.is_counted_hidden, true) {
            self.hidden_runs += 1;
            self.with_paragraph(|paragraph, _, _| paragraph.is_parted = true);
        }
        !is_hidden && self.fields.iter().all(|field| field.is_result)
    }

    fn write(&mut self, text: &str) {
        if text.contains(['\n', '\r']) {
            return self.write(&text.replace(['\n', '\r'], " "));
        }
        if !text.is_empty() && self.is_shown() {
            self.with_paragraph(|paragraph, writer, numbering| paragraph.write(writer, numbering, text));
        }
    }

    fn mark(&mut self, mark: &str) {
        if self.is_shown() {
            self.with_paragraph(|paragraph, writer, numbering| paragraph.write_mark(writer, numbering, mark));
        }
    }

    /// An image by the ID of its relationship; it is only looked into if its line may be wanted.
    fn image(&mut self, id: &str) -> Result<()> {
        self.images += 1;
        // Only then it is known which line it is in.
        self.with_paragraph(Paragraph::begin);
        let description = std::mem::take(&mut self.description);
        let relation = self.relations.get(id);
        let inside = relation.filter(|relation| !relation.is_external && !self.writer.is_before());
        let picture = inside.map(|relation| self.parts.picture(&relation.target)).transpose()?.flatten();
        let mark = image(picture.as_ref(), self.images, &description);
        self.mark(&mark);
        if let Some(picture) = picture {
            self.writer.put_image(self.pictures.len());
            self.pictures.push(picture);
        }
        Ok(())
    }

    /// The beginning of a field, of what it shows, or its end.
    fn field(&mut self, kind: &str) {
        match kind {
            "begin" if self.fields.len() < FIELDS => self.fields.push(Field::default()),
            "begin" => {}
            "separate" => {
                let Some(field) = self.fields.last_mut() else { return };
                field.is_result = true;
                if let Some(target) = link_of(&std::mem::take(&mut field.code)) {
                    field.is_link = true;
                    self.with_paragraph(|paragraph, writer, _| paragraph.begin_link(writer, target));
                }
            }
            _ => {
                if self.fields.pop().is_some_and(|field| field.is_link) {
                    self.with_paragraph(|paragraph, writer, _| paragraph.end_link(writer));
                }
            }
        }
    }

    /// A reference to a note or a comment; they are numbered in the order of their references.
    fn refer(&mut self, tag: &Tag<'_>) {
        let kind = kind_of_note(tag.name);
        let id = start_of(&tag.get("id").unwrap_or_default(), LONGEST_ID).to_owned();
        let next = self.referred.notes[kind].len() + 1;
        let known = self.referred.notes[kind].get(&id).copied();
        let number = match known {
            Some(number) => number,
            None if next > NOTES => return,
            None => {
                Arc::make_mut(&mut self.referred).notes[kind].insert(id, next);
                next
            }
        };
        let mark = match kind {
            0 => format!("[^{number}]"),
            1 => format!("[^e{number}]"),
            _ => format!("[comment {number}]"),
        };
        self.mark(&mark);
    }

    /// What precedes a note or a comment; `None` if nothing refers to it.
    fn note_label(&self, tag: &Tag<'_>) -> Option<String> {
        let kind = kind_of_note(tag.name);
        let number = self.referred.notes[kind].get(&*tag.get("id")?)?;
        Some(match kind {
            0 => format!("[^{number}]: "),
            1 => format!("[^e{number}]: "),
            _ => match tag.get("author").filter(|author| !author.is_empty()) {
                Some(author) => format!("[comment {number} · {}] ", one_line(&author)),
                None => format!("[comment {number}] "),
            },
        })
    }
}

/// The address to which a field is a link; `None` for other fields, and for a place in the document.
fn link_of(code: &str) -> Option<String> {
    let (name, rest) = code.trim_start().split_at_checked("HYPERLINK".len())?;
    let rest = Some(rest.trim_start()).filter(|_| name.eq_ignore_ascii_case("HYPERLINK"))?;
    let target = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split_whitespace().next(),
    };
    target.filter(|target| target.contains(':')).map(ToOwned::to_owned)
}

/// 0: footnotes, 1: endnotes, 2: comments.
fn kind_of_note(name: &str) -> usize {
    match name.as_bytes().first() {
        Some(b'f') => 0,
        Some(b'e') => 1,
        _ => 2,
    }
}

/// A column as Excel names it: A to Z, then AA.
fn letters(column: usize) -> String {
    let mut rest = column;
    let mut text = String::new();
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or(0);
        text.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    text
}
