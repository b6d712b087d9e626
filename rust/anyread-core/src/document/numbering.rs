//! The labels of lists: numbers, letters or bullets, counted as the document's numbering says.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::numerals::{known_format, numeral};
use super::styles::Styles;
use crate::error::Result;
use crate::package::{Parts, one_line};
use crate::xml::{Event, start_of};

/// The levels of a list.
const LEVELS: usize = 9;
/// What each list takes in a table besides, in bytes, and the least that a text takes.
const EACH: usize = 64;
const TEXT: usize = 24;
/// The most definitions of lists whose counters are copied.
const COPIED_LISTS: usize = 256;
/// The most bytes of the text of a label.
const LABEL: usize = 64;

/// A level of a list.
#[derive(Debug, Clone, Default)]
struct Level {
    start: Option<u32>,
    /// Its format, if that is known; it is shown in decimal otherwise.
    format: Option<&'static str>,
    is_unknown: bool,
    /// The label; `%1` is the number of the first level.
    text: Box<str>,
    is_legal: bool,
    /// An item of a level before this one, counted from 0, lets it begin again; `None`: any level above it.
    restart: Option<u8>,
}

/// A list, and what it says instead of its definition.
#[derive(Debug, Default)]
struct List {
    definition: u32,
    own: Option<Box<Own>>,
}

#[derive(Debug, Default)]
struct Own {
    starts: [Option<u32>; LEVELS],
    levels: HashMap<usize, Level>,
}

/// How far the lists of a document are counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbering {
    lists: Arc<Lists>,
    /// The number of the last item of each level, by definition; `None` before the first.
    counted: HashMap<u32, [Option<u32>; LEVELS]>,
    begun: HashSet<u32>,
    /// Whether a label has a number in a format that is not known.
    pub(super) has_unknown: bool,
}

/// The lists of a document.
#[derive(Debug, Default)]
struct Lists {
    /// The levels of lists by their definitions.
    definitions: HashMap<u32, Box<[Level; LEVELS]>>,
    by_number: HashMap<u32, List>,
    /// About their memory.
    bytes: usize,
}

impl Lists {
    fn read(parts: Parts<'_>, part: Option<&str>, styles: &Styles) -> Result<Self> {
        let mut found = Self::default();
        // Definitions that are those of a style of lists.
        let mut links: HashMap<u32, String> = HashMap::new();
        let Some(mut xml) = part.map(|part| parts.xml(part)).transpose()?.flatten() else { return Ok(found) };
        let (mut definition, mut list, mut level) = (None, None, 0);
        loop {
            let tag = match xml.next()? {
                Event::Start(tag) => tag,
                Event::Done => break,
                _ => continue,
            };
            let number = tag.number::<u32>("val");
            let bytes = match tag.name {
                "abstractNum" => size_of::<[Level; LEVELS]>() + EACH,
                "num" => EACH,
                "lvlOverride" => size_of::<Own>(),
                "lvl" if definition.is_none() => 4 * size_of::<Level>(),
                "lvlText" => TEXT.max(LABEL.min(tag.get("val").unwrap_or_default().len())),
                "numStyleLink" => LABEL + EACH,
                _ => 0,
            };
            found.bytes += bytes;
            parts.keep(bytes)?;
            let levels = definition.and_then(|id| found.definitions.get_mut(&id));
            let of_list =
                list.filter(|_| definition.is_none()).and_then(|list| found.by_number.get_mut(&list));
            let at = match (levels, of_list) {
                (Some(levels), _) => levels.get_mut(level),
                (None, Some(list)) => list.own.as_mut().and_then(|own| own.levels.get_mut(&level)),
                (None, None) => None,
            };
            match (tag.name, at) {
                ("abstractNum", _) => {
                    definition = tag.number::<u32>("abstractNumId");
                    found.definitions.extend(definition.map(|id| (id, Box::default())));
                }
                ("num", _) => (definition, list) = (None, tag.number::<u32>("numId")),
                ("abstractNumId", _) => {
                    let of = |definition| List { definition, own: None };
                    found.by_number.extend(list.zip(number).map(|(list, definition)| (list, of(definition))));
                }
                ("numStyleLink", _) => {
                    let style = tag.get("val").map(|style| start_of(&style, LABEL).to_owned());
                    links.extend(definition.zip(style));
                }
                ("lvlOverride", _) => level = tag.number("ilvl").unwrap_or(LEVELS),
                ("lvl", _) => {
                    level = tag.number("ilvl").unwrap_or(LEVELS);
                    let of_list = list.filter(|_| definition.is_none() && level < LEVELS);
                    if let Some(list) = of_list.and_then(|list| found.by_number.get_mut(&list)) {
                        list.own.get_or_insert_default().levels.insert(level, Level::default());
                    }
                }
                ("startOverride", _) => {
                    let of_list = list.and_then(|list| found.by_number.get_mut(&list));
                    let own = of_list.map(|list| list.own.get_or_insert_default());
                    if let Some(start) = own.and_then(|own| own.starts.get_mut(level)) {
                        *start = number;
                    }
                }
                ("start", Some(at)) => at.start = number,
                ("numFmt", Some(at)) => {
                    let format = tag.get("val").unwrap_or_default();
                    at.format = known_format(&format);
                    at.is_unknown = at.format.is_none();
                }
                ("lvlText", Some(at)) => {
                    at.text = start_of(&tag.get("val").unwrap_or_default(), LABEL).into();
                }
                ("isLgl", Some(at)) => at.is_legal = tag.flag("val").unwrap_or(true),
                ("lvlRestart", Some(at)) => at.restart = tag.number("val"),
                _ => {}
            }
        }
        let linked = |style: &String| Some(found.by_number.get(&styles.get(style).list.id?)?.definition);
        let targets: HashMap<u32, u32> =
            links.iter().filter_map(|(id, style)| Some((*id, linked(style)?))).collect();
        for list in found.by_number.values_mut() {
            list.definition = targets.get(&list.definition).copied().unwrap_or(list.definition);
        }
        Ok(found)
    }
}

impl Numbering {
    /// Reads the part of the numbering.
    pub(super) fn read(parts: Parts<'_>, part: Option<&str>, styles: &Styles) -> Result<Self> {
        Ok(Self { lists: Arc::new(Lists::read(parts, part, styles)?), ..Self::default() })
    }

    /// Whether a copy of the counters takes little memory.
    pub(super) fn is_small(&self) -> bool {
        self.counted.len() <= COPIED_LISTS && self.begun.len() <= 8 * COPIED_LISTS
    }

    /// The memory of the lists in bytes, about.
    pub(super) fn bytes(&self) -> usize {
        self.lists.bytes
    }

    /// The memory of the counters in bytes, about.
    pub(super) fn counter_bytes(&self) -> usize {
        self.counted.capacity() * size_of::<(u32, [Option<u32>; LEVELS])>() + 5 * self.begun.capacity()
    }

    /// Counts an item of a list and returns its label, `-` for bullets; `None` if the list has no labels or does
    /// not exist.
    pub(super) fn label(&mut self, id: u32, level: usize) -> Option<String> {
        let list = self.lists.by_number.get(&id)?;
        let levels = self.lists.definitions.get(&list.definition)?;
        let level = level.min(LEVELS - 1);
        let counted = self.counted.entry(list.definition).or_default();
        let own = list.own.as_deref();
        if self.begun.insert(id) {
            for (number, start) in counted.iter_mut().zip(own.map(|own| own.starts).unwrap_or_default()) {
                *number = start.map_or(*number, |start| start.checked_sub(1));
            }
        }
        let of = |at: usize| own.and_then(|own| own.levels.get(&at)).unwrap_or(&levels[at]);
        let start = |at: usize| own.and_then(|own| own.starts[at]).or(of(at).start).unwrap_or(1);
        for (at, number) in counted.iter_mut().enumerate() {
            match at.cmp(&level) {
                std::cmp::Ordering::Less => *number = number.or(Some(start(at))),
                std::cmp::Ordering::Equal => {
                    *number = Some(number.map_or(start(at), |number| number.saturating_add(1)));
                }
                std::cmp::Ordering::Greater
                    if of(at).restart.is_none_or(|restart| level < usize::from(restart)) =>
                {
                    *number = None;
                }
                std::cmp::Ordering::Greater => {}
            }
        }
        let shown = of(level);
        if shown.format == Some("bullet") {
            return (!shown.text.is_empty()).then(|| "-".to_owned());
        }
        let mut label = String::new();
        let mut rest = shown.text.chars().peekable();
        while let Some(next) = rest.next() {
            let at = rest.peek().filter(|_| next == '%').and_then(|digit| digit.to_digit(10));
            match at.and_then(|at| (at as usize).checked_sub(1)).filter(|&at| at < LEVELS) {
                Some(at) => {
                    rest.next();
                    let format = of(at).format.filter(|_| !shown.is_legal).unwrap_or("decimal");
                    self.has_unknown |= !shown.is_legal && of(at).is_unknown;
                    label += &numeral(counted[at].unwrap_or(start(at)), format);
                }
                None => label.push(next),
            }
        }
        let label = one_line(&label);
        (!label.is_empty()).then_some(label)
    }
}
