//! What the styles of a document say about headings, lists, and the text in them.

use std::collections::HashMap;

use crate::error::Result;
use crate::package::{Parts, Script, is_tiny, is_white};
use crate::xml::{Event, Tag, start_of};

/// The most styles, and the most that are based on one another.
const STYLES: usize = 16_384;
const CHAIN: usize = 16;
/// The most bytes of an ID.
const LONGEST_ID: usize = 256;

/// What the names of the styles of headings begin with, in lower case, in the languages of Office.
const HEADINGS: [&str; 24] = [
    "heading",
    "überschrift",
    "titre",
    "título",
    "titolo",
    "titulo",
    "kop",
    "rubrik",
    "overskrift",
    "otsikko",
    "nagłówek",
    "nadpis",
    "cím",
    "címsor",
    "titlu",
    "başlık",
    "заголовок",
    "επικεφαλίδα",
    "標題",
    "标题",
    "見出し",
    "제목",
    "naslov",
    "antraštė",
];

/// What a paragraph and its text look like; `None`: as the style on which it is based.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Style {
    /// The level of a heading from 1 on; 0 or more than 9: none.
    pub(super) heading: Option<u8>,
    pub(super) list: List,
    pub(super) look: Look,
}

/// A list by its number, 0 for none, and a level from 0 on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct List {
    pub(super) id: Option<u32>,
    pub(super) level: Option<usize>,
}

impl List {
    /// Takes an element of the properties of a list.
    pub(super) fn take(&mut self, tag: &Tag<'_>) {
        match tag.name {
            "numId" => self.id = tag.number("val"),
            "ilvl" => self.level = tag.number("val"),
            _ => {}
        }
    }
}

/// What a text looks like.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_field_names, reason = "they are assertions")]
pub(super) struct Look {
    pub(super) is_bold: Option<bool>,
    pub(super) is_italic: Option<bool>,
    pub(super) is_hidden: Option<bool>,
    pub(super) is_struck: Option<bool>,
    pub(super) script: Option<Script>,
    pub(super) is_white: Option<bool>,
    pub(super) is_tiny: Option<bool>,
    /// Whether it has a background of its own.
    pub(super) is_shaded: Option<bool>,
}

impl Look {
    /// Takes an element of run properties.
    pub(super) fn take(&mut self, tag: &Tag<'_>) {
        let is_on = || Some(tag.flag("val").unwrap_or(true));
        match tag.name {
            "b" => self.is_bold = is_on(),
            "i" => self.is_italic = is_on(),
            "vanish" => self.is_hidden = is_on(),
            "strike" | "dstrike" => self.is_struck = is_on(),
            "color" => self.is_white = tag.get("val").map(|color| is_white(&color)),
            "sz" => self.is_tiny = tag.number("val").map(|half_points: f32| is_tiny(half_points / 2.0)),
            "shd" => self.is_shaded = tag.get("fill").map(|fill| fill != "auto"),
            "highlight" => self.is_shaded = tag.get("val").map(|value| value != "none"),
            "vertAlign" => self.script = tag.get("val").map(|value| Script::of(&value)),
            _ => {}
        }
    }

    /// Whether people do not see it on white paper.
    pub(super) fn is_unseen(self) -> bool {
        self.is_tiny == Some(true) || (self.is_white == Some(true) && self.is_shaded != Some(true))
    }

    /// The same, as far as this does not say otherwise.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            is_bold: self.is_bold.or(other.is_bold),
            is_italic: self.is_italic.or(other.is_italic),
            is_hidden: self.is_hidden.or(other.is_hidden),
            is_struck: self.is_struck.or(other.is_struck),
            script: self.script.or(other.script),
            is_white: self.is_white.or(other.is_white),
            is_tiny: self.is_tiny.or(other.is_tiny),
            is_shaded: self.is_shaded.or(other.is_shaded),
        }
    }
}

/// The styles by their IDs.
#[derive(Debug, Default)]
pub(super) struct Styles {
    /// Each together with those on which it is based.
    by_id: HashMap<String, Style>,
    /// The style of paragraphs that name none.
    pub(super) default: Style,
    /// About their memory.
    bytes: usize,
}

/// The level of the heading that a style's name or ID is for: "heading 2", "Heading2", "Überschrift 2", "Title".
fn heading(name: &str) -> Option<u8> {
    let name = name.trim().to_lowercase();
    if name == "title" {
        return Some(1);
    }
    let (stem, level) = (name.trim_end_matches(|last: char| last.is_ascii_digit()), name.chars().last()?);
    let level = level.to_digit(10).and_then(|level| u8::try_from(level).ok()).filter(|&level| level > 0)?;
    (name.len() == stem.len() + 1 && HEADINGS.contains(&stem.trim_end())).then_some(level)
}

impl Styles {
    /// Reads the part of the styles.
    pub(super) fn read(parts: Parts<'_>, part: Option<&str>) -> Result<Self> {
        let Some(mut xml) = part.map(|part| parts.xml(part)).transpose()?.flatten() else {
            return Ok(Self::default());
        };
        // Each style with the ID of the one on which it is based.
        let mut found: HashMap<String, (Style, String)> = HashMap::new();
        let (mut id, mut style, mut base, mut default) =
            (String::new(), Style::default(), String::new(), None);
        let mut bytes = 0;
        loop {
            let is_skipped = match xml.next()? {
                Event::Start(tag) => {
                    match tag.name {
                        "style" => {
                            start_of(&tag.get("styleId").unwrap_or_default(), LONGEST_ID).clone_into(&mut id);
                            style = Style { heading: heading(&id), ..Style::default() };
                            base.clear();
                            let is_of_paragraphs = tag.get("type").is_some_and(|of| of == "paragraph");
                            if is_of_paragraphs && tag.flag("default") == Some(true) {
                                default = Some(id.clone());
                            }
                        }
                        "name" => {
                            style.heading = tag.get("val").and_then(|name| heading(&name)).or(style.heading);
                        }
                        "basedOn" => {
                            start_of(&tag.get("val").unwrap_or_default(), LONGEST_ID).clone_into(&mut base);
                        }
                        "outlineLvl" => {
                            style.heading = tag.number("val").map(|level: u8| level.saturating_add(1));
                        }
                        "numId" | "ilvl" => style.list.take(&tag),
                        _ => style.look.take(&tag),
                    }
                    // The defaults of the document, and the styles of parts of tables.
                    matches!(
                        tag.name,
                        "docDefaults" | "tblStylePr" | "latentStyles" | "rPrChange" | "pPrChange"
                    )
                }
                Event::End("style") => {
                    if found.len() < STYLES {
                        let size = size_of::<(String, Style)>() + id.len();
                        bytes += size;
                        parts.keep(2 * size + base.len())?;
                        found.insert(std::mem::take(&mut id), (style, std::mem::take(&mut base)));
                    }
                    false
                }
                Event::Done => break,
                _ => false,
            };
            if is_skipped {
                xml.skip_element()?;
            }
        }
        let styles: HashMap<_, _> = found.keys().map(|id| (id.clone(), resolved(&found, id))).collect();
        let default = default.and_then(|id| styles.get(&id)).copied().unwrap_or_default();
        Ok(Self { by_id: styles, default, bytes })
    }

    /// Their memory in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What a style says; without a definition, what its ID does.
    pub(super) fn get(&self, id: &str) -> Style {
        let known = self.by_id.get(id).copied();
        known.unwrap_or_else(|| Style { heading: heading(id), ..self.default })
    }
}

/// What a style says, together with those on which it is based.
fn resolved(styles: &HashMap<String, (Style, String)>, id: &str) -> Style {
    let mut found = Style::default();
    let mut next = styles.get(id);
    for _ in 0..CHAIN {
        let Some((style, base)) = next else { break };
        found.heading = found.heading.or(style.heading);
        found.list.id = found.list.id.or(style.list.id);
        found.list.level = found.list.level.or(style.list.level);
        found.look = found.look.or(style.look);
        next = styles.get(base);
    }
    found
}
