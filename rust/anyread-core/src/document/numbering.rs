//! The labels of lists: numbers, letters or bullets, counted as the document's numbering says.

use std::collections::{HashMap, HashSet};

use super::styles::List;
use crate::error::Result;
use crate::package::Parts;
use crate::xml::{Event, start_of};

/// The most lists of a document, and the levels of one.
const LISTS: usize = 16_384;
const LEVELS: usize = 9;
/// The most bytes of the text of a label.
const LABEL: usize = 64;

/// A level of a list.
#[derive(Debug, Clone, Default)]
struct Level {
    start: Option<u32>,
    format: String,
    /// The label; `%1` is the number of the first level.
    text: String,
    is_legal: bool,
}

/// The lists of a document, and how far they are counted.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    /// The levels of lists by their definitions.
    definitions: HashMap<u32, [Level; LEVELS]>,
    /// The definition of each list, and the numbers with which its levels begin instead.
    lists: HashMap<u32, (u32, [Option<u32>; LEVELS])>,
    /// The number of the last item of each level, 0 before the first, by definition.
    counted: HashMap<u32, [Option<u32>; LEVELS]>,
    begun: HashSet<u32>,
}

impl Numbering {
    /// Reads the part of the numbering.
    pub(super) fn read(parts: Parts<'_>, part: Option<&str>) -> Result<Self> {
        let mut found = Self::default();
        let Some(mut xml) = part.map(|part| parts.xml(part)).transpose()?.flatten() else { return Ok(found) };
        let (mut definition, mut list, mut level) = (None, None, 0);
        loop {
            let tag = match xml.next()? {
                Event::Start(tag) => tag,
                Event::Done => return Ok(found),
                _ => continue,
            };
            let number = tag.number::<u32>("val");
            let is_room = found.definitions.len().max(found.lists.len()) < LISTS;
            let levels = definition.and_then(|id| found.definitions.get_mut(&id));
            let at = levels.and_then(|levels| levels.get_mut(level));
            match (tag.name, at) {
                ("abstractNum", _) if is_room => {
                    definition = tag.number::<u32>("abstractNumId");
                    found.definitions.extend(definition.map(|id| (id, Default::default())));
                }
                ("num", _) if is_room => {
                    (definition, list) = (None, tag.number::<u32>("numId"));
                }
                ("abstractNumId", _) => {
                    found.lists.extend(list.zip(number).map(|(list, of)| (list, (of, [None; LEVELS]))));
                }
                ("lvl" | "lvlOverride", _) => level = tag.number("ilvl").unwrap_or(LEVELS),
                ("startOverride", _) => {
                    let starts = list.and_then(|list| found.lists.get_mut(&list));
                    if let Some(start) = starts.and_then(|(_, starts)| starts.get_mut(level)) {
                        *start = number;
                    }
                }
                ("start", Some(at)) => at.start = number,
                ("numFmt", Some(at)) => {
                    start_of(&tag.get("val").unwrap_or_default(), LABEL).clone_into(&mut at.format);
                }
                ("lvlText", Some(at)) => {
                    start_of(&tag.get("val").unwrap_or_default(), LABEL).clone_into(&mut at.text);
                }
                ("isLgl", Some(at)) => at.is_legal = tag.flag("val").unwrap_or(true),
                _ => {}
            }
        }
    }

    /// Counts an item and returns its label, `-` for bullets; `None` if its list has no labels or does not exist.
    pub(super) fn label(&mut self, list: List) -> Option<String> {
        let (id, starts) = self.lists.get(&list.id)?;
        let levels = self.definitions.get(id)?;
        let level = list.level.min(LEVELS - 1);
        let counted = self.counted.entry(*id).or_default();
        if self.begun.insert(list.id) {
            for (number, start) in counted.iter_mut().zip(starts) {
                *number = start.map_or(*number, |start| start.checked_sub(1));
            }
        }
        let start = |at: usize| starts[at].or(levels[at].start).unwrap_or(1);
        for (at, number) in counted.iter_mut().enumerate() {
            match at.cmp(&level) {
                std::cmp::Ordering::Less => *number = number.or(Some(start(at))),
                std::cmp::Ordering::Equal => {
                    *number = Some(number.map_or(start(at), |number| number.saturating_add(1)));
                }
                std::cmp::Ordering::Greater => *number = None,
            }
        }
        let of = &levels[level];
        if matches!(&*of.format, "bullet" | "none") {
            return (of.format == "bullet").then(|| "-".to_owned());
        }
        let mut label = String::new();
        let mut rest = of.text.chars().peekable();
        while let Some(next) = rest.next() {
            let at = rest.peek().filter(|_| next == '%').and_then(|digit| digit.to_digit(10));
            match at.and_then(|at| (at as usize).checked_sub(1)).filter(|&at| at < LEVELS) {
                Some(at) => {
                    rest.next();
                    let format = if of.is_legal { "decimal" } else { &levels[at].format };
                    label += &numeral(counted[at].unwrap_or(start(at)), format);
                }
                None => label.push(next),
            }
        }
        let label = label.trim();
        (!label.is_empty()).then(|| label.to_owned())
    }
}

/// A number in a format of numbers; in decimal if the format is another one.
fn numeral(number: u32, format: &str) -> String {
    let letters = |first: u8| {
        let index = number.checked_sub(1).filter(|index| *index < 26 * 9)?;
        let letter = char::from(first + u8::try_from(index % 26).ok()?);
        Some(std::iter::repeat_n(letter, index as usize / 26 + 1).collect::<String>())
    };
    match format {
        "lowerLetter" => letters(b'a'),
        "upperLetter" => letters(b'A'),
        "lowerRoman" => roman(number).map(|text| text.to_lowercase()),
        "upperRoman" => roman(number),
        "decimalZero" => Some(format!("{number:02}")),
        _ => None,
    }
    .unwrap_or_else(|| number.to_string())
}

fn roman(mut number: u32) -> Option<String> {
    const STEPS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let mut text = String::new();
    for (value, letters) in STEPS.iter().filter(|_| (1..4000).contains(&number)).collect::<Vec<_>>() {
        while number >= *value {
            text += letters;
            number -= value;
        }
    }
    (!text.is_empty()).then_some(text)
}
