//! What the elements of a document show.

mod fields;
mod notes;
mod resume;
mod runs;
mod tables;

use std::collections::HashMap;
use std::sync::Arc;

use super::marks::{diagram, object};
use super::numbering::Numbering;
use super::paragraph::Paragraph;
use super::styles::Styles;
use super::symbols::symbol;
use super::writer::Writer;
use super::{Counts, MARGINS, Rendering};
use crate::error::Result;
use crate::lines::{LineTaker, Lines};
use crate::math::Equation;
use crate::package::{LONGEST, Parts, Picture, Relations, address, described, joined, one_line};
use crate::sheet::format::shown_number;
use crate::xml::{Tag, start_of};

use fields::{Field, link_of};
use tables::Table;

pub(super) use notes::Referred;
pub(super) use resume::ResumePoint;

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
    counts: Counts,
    /// The images that may be in a line that is wanted, and which of them is in each part that was looked into.
    pictures: Vec<Picture>,
    picture_of: HashMap<Box<str>, Option<usize>>,
    description: String,
    objects: usize,
    math: usize,
    equation: Equation,
    /// Whether spaces at the ends of the text count.
    is_preserved: bool,
    /// The run whose text was left out last, so that it is counted once.
    is_counted_hidden: bool,
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
            counts: Counts::default(),
            pictures: Vec::new(),
            picture_of: HashMap::new(),
            description: String::new(),
            objects: 0,
            math: 0,
            equation: Equation::default(),
            is_preserved: false,
            is_counted_hidden: false,
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
            counts: self.counts,
            has_unknown_labels: self.numbering.has_unknown,
        }
    }

    /// The headers and footers of the document, each once.
    pub(super) fn margins(&self) -> Vec<(&'static str, Box<str>)> {
        self.referred.margins.clone()
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
                self.counts.tracked_changes += 1;
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
            "hyperlink" | "fldSimple" => match self.target(tag) {
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

    /// The address to which an element is a link.
    fn target(&self, tag: &Tag<'_>) -> Option<String> {
        if tag.name == "fldSimple" {
            return link_of(&tag.get("instr").unwrap_or_default());
        }
        let mut target = self.relations.link(tag)?.to_owned();
        if let Some(anchor) = tag.get("anchor").filter(|_| !target.contains('#')) {
            target = target + "#" + &address(&anchor);
        }
        Some(target)
    }

    /// A deletion, or the mark of one; returns whether nothing in it is shown.
    fn start_deleted(&mut self, name: &str) -> bool {
        self.counts.tracked_changes += u64::from(name == "del");
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
            ("framePr", Some(paragraph)) => {
                paragraph.is_drop_cap = tag.get("dropCap").is_some_and(|kind| kind != "none");
            }
            ("outlineLvl", Some(paragraph)) if of_paragraph => {
                paragraph.style.heading = tag.number("val").map(|level: u8| level.saturating_add(1));
            }
            ("ilvl" | "numId", Some(paragraph)) => paragraph.style.list.take(tag),
            ("rStyle", Some(paragraph)) if !is_mark => {
                paragraph.run = self.styles.get(&value()).look.or(paragraph.run);
            }
            ("shd", Some(paragraph)) if of_paragraph => paragraph.style.look.take(tag),
            (
                "b" | "i" | "vanish" | "strike" | "dstrike" | "vertAlign" | "color" | "sz" | "shd"
                | "highlight",
                Some(paragraph),
            ) if matches!(self.stack.last(), Some(Open::RunProperties))
                && (self.math == 0 || tag.name == "vanish") =>
            {
                paragraph.run.take(tag);
            }
            ("headerReference" | "footerReference", _) => {
                let kind = if tag.name == "headerReference" { "header" } else { "footer" };
                let id = tag.prefixed("id").unwrap_or_default();
                let margins = &self.referred.margins;
                let is_new =
                    self.relations.part(&id).is_some() && !margins.iter().any(|(_, other)| **other == *id);
                if is_new && margins.len() < MARGINS {
                    Arc::make_mut(&mut self.referred).margins.push((kind, id.into()));
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
            ("checkBox" | "default" | "checked" | "ddList" | "result" | "listEntry", _) => self.form(tag),
            ("fldChar", _) => self.field(&tag.get("fldCharType").unwrap_or_default()),
            ("footnoteReference" | "endnoteReference" | "commentReference", _) => self.refer(tag)?,
            _ => return self.start_graphic(tag),
        }
        Ok(())
    }

    /// Images, charts and files, and what is said about them.
    fn start_graphic(&mut self, tag: &Tag<'_>) -> Result<()> {
        let has_paragraph = !self.paragraphs.is_empty();
        match tag.name {
            "docPr" | "cNvPr" => {
                let description = tag.get("descr").unwrap_or_default();
                if tag.name == "docPr" || !self.description.starts_with(&*description) {
                    // More than is shown of it, so that the mark can say that it goes on.
                    start_of(&description, 2 * LONGEST).clone_into(&mut self.description);
                }
            }
            "hlinkClick" => {
                let link = self.relations.link(tag).filter(|link| !self.description.ends_with(link));
                self.description = joined(&self.description, link.unwrap_or_default());
            }
            "blip" | "imagedata" if has_paragraph && self.objects == 0 => {
                let id = tag.prefixed(if tag.name == "blip" { "embed" } else { "id" });
                if let Some(id) = id.or_else(|| tag.prefixed("link")).filter(|_| self.is_shown()) {
                    self.image(&id)?;
                }
            }
            "OLEObject" => {
                let (id, program) =
                    (tag.prefixed("id").unwrap_or_default(), tag.get("ProgID").unwrap_or_default());
                self.mark(&object(&self.relations, &id, &program));
            }
            "altChunk" | "subDoc" => {
                let mark = object(&self.relations, &tag.prefixed("id").unwrap_or_default(), "document");
                if !has_paragraph {
                    self.begin_paragraph();
                }
                self.mark(&mark);
                if !has_paragraph {
                    self.end_paragraph();
                }
            }
            "chart" if has_paragraph && tag.prefixed("id").is_some() => {
                let id = tag.prefixed("id").unwrap_or_default();
                let shown = self.parts.chart(self.relations.part(&id), shown_number)?;
                let shown = described(&shown, &one_line(&std::mem::take(&mut self.description)));
                let (mark, table) = shown.split_once('\n').unwrap_or((&shown, ""));
                self.mark(mark);
                if !table.is_empty() && self.is_shown() {
                    self.writer.begin_level();
                    self.writer.put(table);
                    self.writer.put("\n");
                    let title = self.title_in_table("chart");
                    self.writer.end_level(&title);
                }
            }
            "relIds" if has_paragraph => {
                let id = tag.prefixed("dm").unwrap_or_default();
                let mark = diagram(self.parts, self.relations.part(&id))?;
                self.mark(&mark);
            }
            "textpath" => self.write(&tag.get("string").unwrap_or_default()),
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
                .damaged("its tables inside of cells, or its text boxes, have more than 4 MiB"));
        }
        Ok(())
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
            Some(Open::Code) => self.code(content),
            _ => {}
        }
    }
}
