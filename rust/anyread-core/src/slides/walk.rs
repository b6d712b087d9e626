//! One pass over the shapes of a slide, of its notes, of a layout or of a diagram.

use std::fmt::Write as _;

use super::layout::{Layout, Placeholder};
use crate::document::{looks_like_heading, numeral};
use crate::error::Result;
use crate::math::Equation;
use crate::package::{
    Parts, Picture, Relations, Runs, Script, described, is_tiny, is_white, joined, one_line,
};
use crate::sheet::format::shown_number;
use crate::xml::{Event, Tag, start_of};

/// What a line and a cell take besides their text and the indentation of a list, in bytes; and a shape with its image.
const EACH: usize = 64;
const EACH_SHAPE: usize = 512;
/// The most bytes of a name.
const LONGEST_NAME: usize = 256;

/// A shape with a text, an image or a diagram.
#[derive(Debug, Default)]
pub struct Shape {
    placeholder: Option<Placeholder>,
    /// Where it is; placeholders without a position come first.
    pub top: f64,
    /// Where it is from the left.
    pub left: f64,
    /// Its text, each line with a line feed.
    pub text: String,
    /// Whether it is an image.
    pub has_image: bool,
    /// Its image, if that is in the file.
    pub picture: Option<Picture>,
    /// What it is said to show, and the address to which it is a link.
    pub description: String,
    link: String,
    /// The part with the data of a diagram.
    pub diagram: Option<String>,
    depth: u32,
    at: Option<(f64, f64)>,
    is_picture: bool,
    /// The last number of each level of lists.
    numbers: [u32; 9],
}

impl Shape {
    /// Whether it is the title of its slide.
    pub fn is_title(&self) -> bool {
        self.kind() == "title"
    }

    /// Whether it is in the margin of a page: its header, footer, date or number.
    pub fn is_in_margin(&self) -> bool {
        matches!(self.kind(), "hdr" | "ftr" | "dt" | "sldNum")
    }

    fn kind(&self) -> &str {
        self.placeholder.as_ref().map_or("none", |placeholder| &*placeholder.kind)
    }
}

/// How the coordinates in a group become those of the slide.
#[derive(Debug, Clone, Copy)]
struct Frame {
    at: (f64, f64),
    scale: (f64, f64),
}

/// The `off`, `ext`, `chOff` and `chExt` of a group.
#[derive(Debug, Default)]
struct GroupPlace([(f64, f64); 4]);

#[derive(Debug, Default)]
enum Bullet {
    #[default]
    Inherited,
    None,
    Sign,
    /// How its number is written, and the first one.
    Number(String, u32),
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    level: usize,
    bullet: Bullet,
    /// Where the run begins that is a link, and its address.
    run: usize,
    link: String,
    runs: Runs,
    /// Whether the run that is read is white, or too small to be seen.
    is_white: bool,
    is_tiny: bool,
}

impl Paragraph {
    fn begin_run(&mut self) {
        self.runs.begin();
        (self.is_white, self.is_tiny) = (false, false);
    }
}

/// Whether a color is that of paper.
fn is_paper(tag: &Tag<'_>) -> bool {
    tag.get("val").is_some_and(|color| matches!(&*color, "bg1" | "lt1") || is_white(&color))
}

#[derive(Debug, Default)]
struct Table {
    text: String,
    row: Vec<String>,
    cell: Option<String>,
    /// The columns of the cell, and what is shown of one that belongs to another cell.
    span: usize,
    merged: Option<&'static str>,
    rows: usize,
}

/// The pass, and what it has found.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one part")]
pub struct Walk<'a> {
    layout: Option<&'a Layout>,
    relations: Option<&'a Relations>,
    /// Whether only placeholders are wanted.
    is_layout: bool,
    most: usize,
    /// The shapes with content, in the order of the file.
    pub shapes: Vec<Shape>,
    /// The placeholders of a layout.
    pub placeholders: Vec<Placeholder>,
    /// The name of a layout.
    pub name: String,
    /// The relationship of a diagram's data to its drawing.
    pub drawing: String,
    /// Whether characters could not be decoded.
    pub is_lossy: bool,
    /// Whether something has a color behind which white text could be seen.
    pub has_colors: bool,
    /// The runs that are white, and those that are too small to be seen.
    pub white_runs: usize,
    pub tiny_runs: usize,
    bytes: usize,
    depth: u32,
    groups: Vec<Frame>,
    group: Option<GroupPlace>,
    shape: Option<Shape>,
    table: Option<Table>,
    paragraph: Option<Paragraph>,
    is_text: bool,
    /// The level of the equation that is read.
    math: Option<u32>,
    equation: Equation,
    /// What there was when a choice of alternatives began.
    alternatives: Vec<usize>,
}

impl<'a> Walk<'a> {
    /// For the shapes of a slide, of its notes or of a diagram.
    pub fn new(layout: Option<&'a Layout>, relations: Option<&'a Relations>, most: usize) -> Self {
        Self { layout, relations, most, ..Self::default() }
    }

    /// For the placeholders of a layout.
    pub fn of_placeholders(most: usize) -> Self {
        Self { is_layout: true, most, ..Self::default() }
    }

    /// Whether the text has as many bytes as it may have, so that the rest is left out.
    pub fn is_full(&self) -> bool {
        self.bytes >= self.most
    }

    /// How many more bytes it may have.
    pub fn left(&self) -> usize {
        self.most.saturating_sub(self.bytes)
    }

    /// Reads a part.
    pub fn run(&mut self, parts: Parts<'_>, part: &str) -> Result<()> {
        let mut xml = parts.xml(part)?.ok_or_else(|| parts.damaged("a slide of it is missing"))?;
        loop {
            match xml.next()? {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.start(parts, &tag)? {
                        self.depth -= 1;
                        xml.skip_element()?;
                    }
                }
                Event::End(name) => {
                    self.depth = self.depth.saturating_sub(1);
                    self.end(name);
                }
                Event::Text(text, left_out) if self.is_text => self.text(text, left_out),
                Event::Text(..) => {}
                Event::Done => break,
            }
            if self.is_full() {
                self.math = None;
                while self.shape.is_some() && self.depth > 0 {
                    self.depth -= 1;
                    for name in ["p", "tc", "tr", "tbl", ""] {
                        self.end(name);
                    }
                }
                break;
            }
        }
        self.is_lossy |= xml.is_lossy();
        Ok(())
    }

    /// How much was found, to see whether an alternative has anything.
    fn found(&self) -> usize {
        self.bytes + self.shapes.len() + self.placeholders.len()
    }

    /// Takes the first tag of an element; returns whether to pass over the element.
    fn start(&mut self, parts: Parts<'_>, tag: &Tag<'_>) -> Result<bool> {
        self.has_colors |= match tag.name {
            "style" | "blip" | "tbl" => true,
            "clrMap" => tag.get("bg1").is_some_and(|color| color != "lt1"),
            "schemeClr" | "srgbClr" => self.paragraph.is_none() && !is_paper(tag),
            "lumMod" | "shade" => self.paragraph.is_none(),
            _ => false,
        };
        match tag.name {
            "cSld" => {
                start_of(&tag.get("name").unwrap_or_default(), LONGEST_NAME).clone_into(&mut self.name);
            }
            "timing" | "transition" | "style" | "custGeom" | "custDataLst" | "txStyles" => return Ok(true),
            "extLst" => return Ok(self.shape.is_some()),
            "dataModelExt" => {
                start_of(&tag.get("relId").unwrap_or_default(), LONGEST_NAME).clone_into(&mut self.drawing);
            }
            "AlternateContent" => self.alternatives.push(self.found()),
            "Choice" | "Fallback" => {
                return Ok(self.alternatives.last().is_some_and(|found| *found != self.found()));
            }
            "grpSp" => self
                .groups
                .push(self.groups.last().copied().unwrap_or(Frame { at: (0.0, 0.0), scale: (1.0, 1.0) })),
            "grpSpPr" => self.group = Some(GroupPlace::default()),
            "off" | "ext" | "chOff" | "chExt" => self.place(tag),
            "sp" | "pic" | "graphicFrame" | "pt" if self.shape.is_none() => {
                let is_picture = tag.name == "pic";
                self.shape = Some(Shape { depth: self.depth, is_picture, ..Shape::default() });
                self.bytes += EACH_SHAPE;
            }
            _ if self.shape.is_some() => return self.inside(parts, tag),
            _ => {}
        }
        Ok(false)
    }

    fn place(&mut self, tag: &Tag<'_>) {
        let names = if tag.name.ends_with("ff") { ("x", "y") } else { ("cx", "cy") };
        let pair = (tag.number(names.0).unwrap_or(0.0), tag.number(names.1).unwrap_or(0.0));
        if let Some(GroupPlace([off, ext, child_off, child_ext])) = &mut self.group {
            let field = match tag.name {
                "off" => off,
                "ext" => ext,
                "chOff" => child_off,
                _ => child_ext,
            };
            *field = pair;
        } else if let (Some(shape), "off") = (&mut self.shape, tag.name) {
            shape.at = shape.at.or(Some(pair));
        }
    }

    /// Takes an element inside of a shape.
    fn inside(&mut self, parts: Parts<'_>, tag: &Tag<'_>) -> Result<bool> {
        if let (Some(_), Some(paragraph), false) =
            (self.math, &mut self.paragraph, matches!(tag.name, "r" | "t"))
        {
            let before = self.equation.start(tag);
            self.bytes += before.len();
            paragraph.text.push_str(&before);
            return Ok(false);
        }
        let Some(shape) = &mut self.shape else { return Ok(false) };
        let relations = self.relations;
        match (tag.name, &mut self.paragraph) {
            ("ph", _) => {
                let name = |name: &str| start_of(&tag.get(name).unwrap_or_default(), LONGEST_NAME).to_owned();
                let kind = match &*name("type") {
                    "ctrTitle" => "title".to_owned(),
                    "obj" => String::new(),
                    other => other.to_owned(),
                };
                let placeholder = Placeholder { kind, index: name("idx"), ..Placeholder::default() };
                self.bytes += placeholder.kind.len() + placeholder.index.len();
                shape.placeholder = Some(placeholder);
            }
            ("lstStyle", _) if !self.is_layout => return Ok(true),
            // They say nothing about bullets.
            ("defRPr", None) | ("endParaRPr" | "ln" | "effectLst", Some(_)) => return Ok(true),
            ("buNone" | "buChar" | "buAutoNum" | "buBlip", None) => {
                // Those of the first level come first.
                if let Some(placeholder) = &mut shape.placeholder {
                    placeholder.has_bullets = placeholder.has_bullets.or(Some(tag.name != "buNone"));
                }
            }
            (_, None) if self.is_layout => {}
            ("p", None) => {
                self.paragraph = Some(Paragraph::default());
                self.bytes += EACH;
            }
            ("pPr", Some(paragraph)) => paragraph.level = tag.number("lvl").unwrap_or(0).min(8),
            ("buNone", Some(paragraph)) => paragraph.bullet = Bullet::None,
            ("buChar" | "buBlip", Some(paragraph)) => paragraph.bullet = Bullet::Sign,
            ("buAutoNum", Some(paragraph)) => {
                let kind = start_of(&tag.get("type").unwrap_or_default(), LONGEST_NAME).to_owned();
                paragraph.bullet = Bullet::Number(kind, tag.number("startAt").unwrap_or(1));
            }
            ("oMath", Some(_)) => self.math = Some(self.depth),
            ("fld", Some(paragraph)) => {
                paragraph.begin_run();
                // The number of the slide and today's date.
                return Ok(tag
                    .get("type")
                    .is_some_and(|kind| kind == "slidenum" || kind.starts_with("datetime")));
            }
            ("r", Some(paragraph)) => {
                paragraph.run = paragraph.text.len();
                paragraph.begin_run();
            }
            ("rPr", Some(paragraph)) => {
                paragraph.is_tiny = tag.number("sz").is_some_and(|size: f32| is_tiny(size / 100.0));
                paragraph.runs.is_struck = tag.get("strike").is_some_and(|value| value != "noStrike");
                paragraph.runs.script = match tag.number::<i32>("baseline").unwrap_or(0).signum() {
                    1 => Script::Raised,
                    -1 => Script::Lowered,
                    _ => Script::Line,
                };
            }
            ("hlinkClick", Some(paragraph)) if !shape.is_title() => {
                let link = relations.and_then(|relations| relations.link(tag));
                link.unwrap_or_default().clone_into(&mut paragraph.link);
            }
            ("srgbClr" | "schemeClr", Some(paragraph)) => paragraph.is_white = is_paper(tag),
            ("lumMod" | "shade", Some(paragraph)) => paragraph.is_white = false,
            ("highlight", Some(paragraph)) => {
                paragraph.is_white = false;
                return Ok(true);
            }
            ("t", Some(_)) => self.is_text = true,
            ("br", Some(paragraph)) => {
                self.bytes += EACH;
                paragraph.text.push('\n');
            }
            ("tbl", None) => self.table = Some(Table::default()),
            ("tc", None) => {
                self.bytes += EACH;
                if let Some(table) = &mut self.table {
                    table.cell = Some(String::new());
                    table.span = tag.number("gridSpan").unwrap_or(1);
                    let is = |name: &str| tag.flag(name) == Some(true);
                    table.merged = match (is("hMerge"), is("vMerge")) {
                        (true, _) => Some(""),
                        (false, true) => Some("(as above)"),
                        (false, false) => None,
                    };
                }
            }
            (_, None) => return self.graphic(parts, tag),
            _ => {}
        }
        Ok(false)
    }

    /// Takes what a shape shows besides text, and what is said about it; returns whether to pass over the element.
    fn graphic(&mut self, parts: Parts<'_>, tag: &Tag<'_>) -> Result<bool> {
        let Some(shape) = &mut self.shape else { return Ok(false) };
        let relations = self.relations;
        let relation = |id: &str| relations.and_then(|relations| relations.get(id));
        let by_id = |name: &str| relations.and_then(|relations| relations.part(&tag.prefixed(name)?));
        match tag.name {
            "cNvPr" if shape.description.is_empty() => {
                shape.description = one_line(&tag.get("descr").unwrap_or_default());
                self.bytes += shape.description.len();
            }
            "hlinkClick" => {
                if let Some(link) = relations.and_then(|relations| relations.link(tag)) {
                    link.clone_into(&mut shape.link);
                    self.bytes += link.len();
                }
            }
            "videoFile" | "audioFile" => {
                let id = tag.prefixed("link").unwrap_or_default();
                let kind = tag.name.strip_suffix("File").unwrap_or_default();
                let target = relation(&id).map_or("", |found| start_of(&found.target, LONGEST_NAME));
                let before = shape.text.len();
                let _ = writeln!(shape.text, "[{kind}: {}]", target.strip_prefix("ppt/").unwrap_or(target));
                self.bytes += shape.text.len() - before;
            }
            "blip" if shape.is_picture && !shape.has_image => {
                shape.has_image = tag.prefixed("embed").or_else(|| tag.prefixed("link")).is_some();
                shape.picture = by_id("embed").map(|part| parts.picture(part)).transpose()?.flatten();
            }
            "relIds" => shape.diagram = Some(by_id("dm").unwrap_or_default().to_owned()),
            "chart" if tag.prefixed("id").is_some() => {
                let mark = described(&parts.chart(by_id("id"), shown_number)?, &shape.description);
                self.bytes += mark.len();
                let _ = writeln!(shape.text, "{mark}");
            }
            "oleObj" => {
                let id = tag.prefixed("id").unwrap_or_default();
                let found = relation(&id);
                let name = tag.get("progId").filter(|name| !name.is_empty());
                let named = start_of(name.as_deref().unwrap_or("unknown"), LONGEST_NAME).to_owned();
                let place = found.map_or(String::new(), |found| {
                    let target = start_of(&found.target, LONGEST_NAME);
                    format!(" in {}", target.strip_prefix("ppt/").unwrap_or(target))
                });
                self.bytes += EACH + named.len() + place.len();
                let _ = writeln!(shape.text, "[object: {named}{place}]");
                return Ok(true);
            }
            _ => {}
        }
        Ok(false)
    }

    fn text(&mut self, text: &str, left_out: u64) {
        if let Some(paragraph) = &mut self.paragraph {
            if !text.trim().is_empty() && self.table.is_none() {
                let is_white = std::mem::take(&mut paragraph.is_white);
                let is_tiny = std::mem::take(&mut paragraph.is_tiny);
                self.tiny_runs += usize::from(is_tiny);
                self.white_runs += usize::from(is_white && !is_tiny);
            }
            let before = paragraph.text.len();
            paragraph.runs.push(&mut paragraph.text, text);
            // In a cell, some characters become several.
            let lines = text.bytes().filter(|byte| *byte == b'\n').count();
            self.bytes += paragraph.text.len() - before
                + EACH * lines
                + text.bytes().filter(|byte| *byte == b'|').count();
            if left_out > 0 {
                let _ = write!(paragraph.text, " … [{left_out} more characters]");
            }
        }
    }

    fn end(&mut self, name: &str) {
        match self.math {
            Some(depth) if depth == self.depth + 1 => self.math = None,
            Some(_) if !matches!(name, "r" | "t") => {
                let after = self.equation.end();
                self.bytes += after.len();
                if let Some(paragraph) = &mut self.paragraph {
                    paragraph.text.push_str(&after);
                }
                return;
            }
            _ => {}
        }
        match name {
            "AlternateContent" => drop(self.alternatives.pop()),
            "grpSp" => drop(self.groups.pop()),
            "grpSpPr" => self.end_group_place(),
            "t" => self.is_text = false,
            "r" => {
                if let Some(paragraph) =
                    self.paragraph.as_mut().filter(|paragraph| !paragraph.link.is_empty())
                {
                    paragraph.runs.end(&mut paragraph.text);
                    let run = paragraph.text.split_off(paragraph.run.min(paragraph.text.len()));
                    // A link may be several runs.
                    let end = format!("]({})", paragraph.link);
                    if paragraph.text.ends_with(&end) {
                        paragraph.text.truncate(paragraph.text.len() - end.len());
                    } else {
                        paragraph.text.push('[');
                    }
                    let _ = write!(paragraph.text, "{run}{end}");
                    self.bytes += end.len();
                    paragraph.link.clear();
                }
            }
            "p" => self.end_paragraph(),
            "tc" | "tr" | "tbl" => self.end_of_table(name),
            _ => {}
        }
        if self.shape.as_ref().is_some_and(|shape| shape.depth == self.depth + 1) {
            self.end_shape();
        }
    }

    fn end_group_place(&mut self) {
        let (Some(GroupPlace([off, ext, child_off, child_ext])), Some(outer)) =
            (self.group.take(), self.groups.last_mut())
        else {
            return;
        };
        let ratio = |outside: f64, inside: f64| if inside == 0.0 { 1.0 } else { outside / inside };
        let inner = (ratio(ext.0, child_ext.0), ratio(ext.1, child_ext.1));
        let begin = (off.0 - child_off.0 * inner.0, off.1 - child_off.1 * inner.1);
        outer.at = (outer.at.0 + begin.0 * outer.scale.0, outer.at.1 + begin.1 * outer.scale.1);
        outer.scale = (outer.scale.0 * inner.0, outer.scale.1 * inner.1);
    }

    fn end_paragraph(&mut self) {
        self.is_text = false;
        let (Some(mut paragraph), Some(shape)) = (self.paragraph.take(), &mut self.shape) else { return };
        paragraph.runs.end(&mut paragraph.text);
        let text = paragraph.text.trim_end();
        if text.trim().is_empty() {
            return;
        }
        if let Some(cell) = self.table.as_mut().and_then(|table| table.cell.as_mut()) {
            let separator = if cell.is_empty() { "" } else { "\n" };
            let _ = write!(cell, "{separator}{text}");
            return;
        }
        let numbers = &mut shape.numbers;
        if let (Some(placeholder), Some(layout)) = (&mut shape.placeholder, self.layout) {
            layout.complete(placeholder);
        }
        let is_content = shape
            .placeholder
            .as_ref()
            .is_some_and(|placeholder| placeholder.kind.is_empty() || placeholder.kind == "body");
        let inherited = shape.placeholder.as_ref().and_then(|placeholder| placeholder.has_bullets);
        let has_bullets = self.layout.is_some() && inherited.unwrap_or(is_content);
        let is_number = matches!(paragraph.bullet, Bullet::Number(..));
        // A number goes on until a paragraph of its level, or of one above it, has none.
        for number in numbers.iter_mut().skip(paragraph.level + usize::from(is_number)) {
            *number = 0;
        }
        let sign = match paragraph.bullet {
            Bullet::Number(kind, first) => {
                let number = &mut numbers[paragraph.level];
                *number = if *number == 0 { first.max(1) } else { number.saturating_add(1) };
                format!("{} ", label(&kind, *number))
            }
            Bullet::Sign => "- ".to_owned(),
            Bullet::Inherited if has_bullets => "- ".to_owned(),
            _ => String::new(),
        };
        let level = if sign.is_empty() { 0 } else { paragraph.level };
        let mut first = &*sign;
        for line in text.lines() {
            let escape = if looks_like_heading(line) && !shape.is_title() { "\\" } else { "" };
            let _ = writeln!(shape.text, "{:width$}{first}{escape}{line}", "", width = 2 * level);
            first = if sign.is_empty() { "" } else { "  " };
        }
    }

    fn end_of_table(&mut self, name: &str) {
        let Some(table) = &mut self.table else { return };
        match name {
            "tc" => {
                let Some(cell) = table.cell.take() else { return };
                let mut shown = cell.replace('|', "\\|").replace('\n', "<br>");
                if let Some(merged) = table.merged {
                    merged.clone_into(&mut shown);
                }
                if table.span > 1 && table.merged != Some("") {
                    let _ = write!(shown, " ({} columns)", table.span);
                }
                table.row.push(shown);
            }
            "tr" if !table.row.is_empty() => {
                let _ = writeln!(table.text, "| {} |", table.row.join(" | "));
                if table.rows == 0 {
                    let _ = writeln!(table.text, "|{}", " --- |".repeat(table.row.len()));
                }
                table.rows += 1;
                table.row.clear();
            }
            "tbl" => {
                if let (Some(table), Some(shape)) = (self.table.take(), &mut self.shape) {
                    shape.text.push_str(&table.text);
                }
            }
            _ => {}
        }
    }

    fn end_shape(&mut self) {
        let Some(mut shape) = self.shape.take() else { return };
        let (frame, at) = (self.groups.last(), shape.at);
        let moved = |(x, y): (f64, f64)| {
            frame.map_or((y, x), |frame| (frame.at.1 + y * frame.scale.1, frame.at.0 + x * frame.scale.0))
        };
        if let Some(placeholder) = &mut shape.placeholder {
            placeholder.at = at.map(moved);
            if let Some(layout) = self.layout {
                layout.complete(placeholder);
            }
        }
        if self.is_layout {
            self.placeholders.extend(shape.placeholder);
            return;
        }
        let found = shape.placeholder.as_ref().map_or(at.map(moved), |placeholder| placeholder.at);
        (shape.top, shape.left) = found.unwrap_or((f64::NEG_INFINITY, 0.0));
        if shape.is_title() && !shape.text.is_empty() {
            let words = shape.text.split_whitespace();
            let line = words.fold(String::from("#"), |line, word| line + " " + word);
            shape.text = line + "\n";
        }
        if shape.has_image {
            shape.description = joined(&shape.description, &shape.link);
        } else {
            let described = format!("[shape: {}]\n", shape.description);
            let is_alone = shape.text.is_empty() && shape.diagram.is_none() && !shape.description.is_empty();
            shape.text.push_str(if is_alone { &described } else { "" });
            if !shape.link.is_empty() {
                let _ = writeln!(shape.text, "[link: {}]", shape.link);
            }
        }
        if !shape.text.is_empty() || shape.has_image || shape.diagram.is_some() {
            self.shapes.push(shape);
        }
    }
}

/// A number of a list as its kind says, such as `arabicPeriod` or `alphaLcParenBoth`.
fn label(kind: &str, number: u32) -> String {
    let formats = [
        ("alphaLc", "lowerLetter"),
        ("alphaUc", "upperLetter"),
        ("romanLc", "lowerRoman"),
        ("romanUc", "upperRoman"),
        ("arabic", "decimal"),
        ("ea1Chs", "chineseCountingThousand"),
        ("ea1Cht", "taiwaneseCountingThousand"),
        ("circleNumDb", "decimalEnclosedCircle"),
    ];
    let found = formats.iter().find_map(|(name, format)| Some((*format, kind.strip_prefix(name)?)));
    let (format, end) = found.unwrap_or(("decimal", "Period"));
    let number = numeral(number, format);
    match end {
        "ParenBoth" => format!("({number})"),
        "ParenR" => format!("{number})"),
        "Plain" => number,
        _ => format!("{number}."),
    }
}
