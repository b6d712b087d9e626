//! The shared strings of a workbook: only those of a window are read, and what is before them is passed over.

use std::collections::HashMap;

use super::find::{ElementFinder, Found};
use super::text::{Kept, ROOM, read_rich};
use crate::error::Result;
use crate::inflate::{Checkpoints, Packed};
use crate::package::Parts;
use crate::xml::{Event, Xml};

/// How many bytes of the part are between checkpoints: cells refer to strings in any order.
const EVERY: u64 = if cfg!(test) { 16 << 10 } else { 128 << 10 };

/// What is known about the part.
#[derive(Clone)]
pub struct StringsKnown {
    checkpoints: Checkpoints,
    /// The prefix of its elements.
    prefix: String,
    /// Numbers of strings, from 0, and where they begin.
    marks: Vec<(u32, u64)>,
    /// Whether it cannot be passed over, because of comments, CDATA or its encoding.
    is_irregular: bool,
}

impl StringsKnown {
    pub fn new() -> Self {
        let checkpoints = Checkpoints::new(EVERY);
        Self { checkpoints, prefix: String::new(), marks: Vec::new(), is_irregular: false }
    }

    /// Its memory in bytes.
    pub fn bytes(&self) -> u64 {
        self.checkpoints.bytes() + (self.marks.capacity() * size_of::<(u32, u64)>()) as u64
    }

    /// How much is known; unlike the memory, it never becomes less.
    pub fn reach(&self) -> usize {
        self.marks.len()
    }
}

/// Reads the strings with some numbers, which must be in order; only the first characters of each.
pub fn read(
    parts: Parts<'_>,
    packed: Packed,
    known: &mut StringsKnown,
    wanted: &[u32],
    most: usize,
) -> Result<HashMap<u32, Kept>> {
    if !known.is_irregular {
        let mut xml = Xml::new(parts.content(packed, known.checkpoints.clone())?)?;
        let outcome = read_marked(&mut xml, known, wanted, most);
        known.checkpoints = xml.into_content().checkpoints().clone();
        if let Some(found) = outcome? {
            return Ok(found);
        }
        known.is_irregular = true;
    }
    read_all(&mut Xml::new(parts.content(packed, known.checkpoints.clone())?)?, wanted, most)
}

/// Reads strings from the marks before them; `None` if that is not possible.
fn read_marked(
    xml: &mut Xml<'_>,
    known: &mut StringsKnown,
    wanted: &[u32],
    most: usize,
) -> Result<Option<HashMap<u32, Kept>>> {
    let mut found = HashMap::with_capacity(wanted.len());
    let mut room = ROOM;
    if known.marks.is_empty() {
        loop {
            match xml.next()? {
                Event::Start(tag) if tag.name == "sst" => {
                    tag.prefix.clone_into(&mut known.prefix);
                    break;
                }
                Event::Done => return Err(xml.damaged("its shared strings are missing")),
                _ => {}
            }
        }
        let Some(content) = xml.bytes() else { return Ok(None) };
        known.marks.push((0, content.offset()));
    }
    let mut finder = ElementFinder::new(&known.prefix, "si");
    let mut next: Option<u32> = None;
    for &index in wanted {
        let mark = known.marks.partition_point(|(first, _)| *first <= index).checked_sub(1);
        let (first, offset) = mark.and_then(|at| known.marks.get(at)).copied().unwrap_or_default();
        let mut number = match next {
            Some(next) if (first..=index).contains(&next) => next,
            _ => {
                let Some(content) = xml.bytes() else { return Ok(None) };
                content.seek(offset)?;
                first
            }
        };
        loop {
            let Some(content) = xml.bytes() else { return Ok(None) };
            match finder.find(content, |_| {})? {
                Found::Element => {}
                Found::Markup => return Ok(None),
                Found::End => return Err(xml.damaged("a cell refers to a string that does not exist")),
            }
            let offset = content.offset();
            let (last, last_offset) = known.marks.last().copied().unwrap_or_default();
            if number > last && content.has_checkpoint_since(last_offset) {
                known.marks.push((number, offset));
            }
            if number == index {
                xml.seek(offset, 1)?;
                xml.next()?;
                let mut string = read_rich(xml)?;
                string.limit(most, &mut room);
                found.insert(index, string);
                next = Some(number + 1);
                break;
            }
            content.skip(finder.tag_length());
            number += 1;
        }
    }
    Ok(Some(found))
}

/// Reads strings by all tags before them.
fn read_all(xml: &mut Xml<'_>, wanted: &[u32], most: usize) -> Result<HashMap<u32, Kept>> {
    let mut found = HashMap::with_capacity(wanted.len());
    let mut room = ROOM;
    let mut wanted = wanted.iter().copied().peekable();
    let mut number = 0;
    while let Some(&index) = wanted.peek() {
        match xml.next()? {
            Event::Start(tag) if tag.name == "si" => {
                if number == index {
                    let mut string = read_rich(xml)?;
                    string.limit(most, &mut room);
                    found.insert(index, string);
                    wanted.next();
                } else {
                    xml.skip_element()?;
                }
                number += 1;
            }
            Event::Done => return Err(xml.damaged("a cell refers to a string that does not exist")),
            _ => {}
        }
    }
    Ok(found)
}
