//! The number formats of a workbook, by the numbers of styles that cells have, and which of these are struck through
//! or hide their cells.

use std::collections::{HashMap, HashSet};

use super::format::{DateSystem, LONGEST_CODE, NumberFormat, builtin};
use crate::error::Result;
use crate::package::{is_tiny, is_white};
use crate::xml::{Event, Xml, start_of};

/// The most formats, and the most styles of cells; Excel has 65,490.
const MOST: usize = 65_536;
/// What a format takes in memory, and each byte of its code.
const EACH: usize = 512;
const EACH_BYTE: usize = 16;
const GENERAL: &str = "General";
/// The format that shows nothing.
const HIDES: &str = ";;;";

/// Number formats.
#[derive(Debug)]
pub struct Styles {
    /// The first is the one of cells without a style.
    formats: Vec<Format>,
    /// The index of the format of each style.
    of_style: Vec<usize>,
    /// The styles that are struck through.
    struck: HashSet<usize>,
    /// Those of which people do not see the text.
    unseen: HashSet<usize>,
    /// About their memory.
    bytes: usize,
}

/// A number format.
#[derive(Debug)]
pub struct Format {
    /// Its code, or the beginning of one that is too long.
    pub code: Box<str>,
    /// What is shown: General if the code is too long.
    pub shown: NumberFormat,
    /// Whether the code is understood.
    pub is_understood: bool,
    /// Whether it is longer than Excel allows.
    pub is_too_long: bool,
}

impl Format {
    fn new(code: &str) -> Self {
        let end = code.char_indices().nth(LONGEST_CODE).map_or(code.len(), |(end, _)| end);
        let (code, is_too_long) = (code.get(..end).unwrap_or_default(), end < code.len());
        let shown = NumberFormat::parse(if is_too_long { GENERAL } else { code });
        let is_understood = !is_too_long && shown.show(1.0, DateSystem::From1900).is_some();
        Self { code: code.into(), shown, is_understood, is_too_long }
    }
}

impl Default for Styles {
    fn default() -> Self {
        let (struck, unseen) = (HashSet::new(), HashSet::new());
        Self { formats: vec![Format::new(GENERAL)], of_style: Vec::new(), struck, unseen, bytes: 0 }
    }
}

impl Styles {
    /// Reads the part of the styles.
    pub fn read(xml: &mut Xml<'_>) -> Result<Self> {
        let mut codes: HashMap<u32, Box<str>> = HashMap::new();
        let mut styles = Self::default();
        let mut indexes: HashMap<u32, usize> = HashMap::from([(0, 0)]);
        let mut is_of_cells = false;
        let (mut fonts, mut is_font, mut struck) = (0, false, HashSet::new());
        let (mut white, mut tiny) = (HashSet::new(), HashSet::new());
        loop {
            let mut bytes = 0;
            match xml.next()? {
                Event::Start(tag) if tag.name == "numFmt" && codes.len() < MOST => {
                    if let (Some(id), Some(code)) = (tag.number("numFmtId"), tag.get("formatCode")) {
                        // Longer than allowed if it is cut.
                        let code = start_of(&code, 4 * (LONGEST_CODE + 1));
                        bytes = EACH / 4 + code.len();
                        codes.insert(id, code.into());
                    }
                }
                Event::Start(tag) if tag.name == "font" => (fonts, is_font) = (fonts + 1, true),
                Event::End("font") => is_font = false,
                Event::Start(tag) if is_font && fonts <= MOST => {
                    let color = || tag.get("rgb").is_some_and(|color| is_white(&color));
                    let (fonts_with, has) = match tag.name {
                        "strike" => (&mut struck, tag.flag("val").unwrap_or(true)),
                        "sz" => (&mut tiny, tag.number("val").is_some_and(is_tiny)),
                        "color" => (
                            &mut white,
                            color() || (tag.number("theme") == Some(0) && tag.get("tint").is_none()),
                        ),
                        _ => continue,
                    };
                    if has {
                        bytes = EACH / 4;
                        fonts_with.insert(fonts);
                    }
                }
                Event::Start(tag) if tag.name == "cellXfs" => is_of_cells = true,
                Event::End("cellXfs") | Event::Done => return Ok(styles),
                Event::Start(tag) if is_of_cells && tag.name == "xf" && styles.of_style.len() < MOST => {
                    let id = tag.number("numFmtId").unwrap_or(0);
                    let formats = &mut styles.formats;
                    bytes = size_of::<usize>();
                    let index = *indexes.entry(id).or_insert_with(|| {
                        let code = codes.get(&id).map(|code| &**code).or_else(|| builtin(id));
                        let format = Format::new(code.unwrap_or(GENERAL));
                        bytes += EACH + EACH_BYTE * format.code.len();
                        formats.push(format);
                        formats.len() - 1
                    });
                    let font = tag.number("fontId").map_or(0, |font: usize| font.saturating_add(1));
                    let has_fill = tag.number("fillId").is_some_and(|fill: usize| fill > 0);
                    let code = styles.formats.get(index).map_or("", |format| &format.code);
                    let is_unseen =
                        tiny.contains(&font) || (white.contains(&font) && !has_fill) || code == HIDES;
                    for (set, has) in
                        [(&mut styles.struck, struck.contains(&font)), (&mut styles.unseen, is_unseen)]
                    {
                        if has {
                            bytes += EACH / 4;
                            set.insert(styles.of_style.len());
                        }
                    }
                    styles.of_style.push(index);
                    styles.bytes += bytes;
                }
                _ => {}
            }
            xml.keep(bytes)?;
        }
    }

    /// The format of a style.
    pub fn format(&self, style: usize) -> &Format {
        let index = self.of_style.get(style).copied().unwrap_or(0);
        self.formats.get(index).unwrap_or(&self.formats[0])
    }

    /// All formats.
    pub fn formats(&self) -> &[Format] {
        &self.formats
    }

    /// Whether a style strikes all text of its cells through.
    pub fn is_struck(&self, style: usize) -> bool {
        self.struck.contains(&style)
    }

    /// Whether people do not see what its cells have.
    pub fn is_unseen(&self, style: usize) -> bool {
        self.unseen.contains(&style)
    }

    /// Its memory in bytes, about.
    pub fn bytes(&self) -> u64 {
        self.bytes as u64
    }
}
