//! The shared strings of a workbook: only those of a window are read, and what is before them is passed over.

use std::collections::HashMap;

use super::find::{ElementFinder, Found};
use super::rows::LONGEST_PREFIX;
use super::text::{Kept, ROOM, read_rich};
use crate::error::Result;
use crate::inflate::{Checkpoints, Inflated, Packed};
use crate::package::Parts;
use crate::xml::{Event, Xml};

/// How many bytes of the part are between checkpoints: cells refer to strings in any order.
const EVERY: u64 = if cfg!(test) { 16 << 10 } else { 128 << 10 };
/// A part up to this size is always read to its end, so that damage is found.
const SMALL: u64 = if cfg!(test) { 16 << 10 } else { 4 << 20 };

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

    /// Whether the part was read to its end and has the declared CRC-32.
    pub fn is_verified(&self) -> bool {
        self.checkpoints.is_verified()
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

/// Some strings by their numbers.
#[derive(Default)]
pub struct Strings {
    pub found: HashMap<u32, Kept>,
    /// Whether there was no room for all of their texts.
    pub is_full: bool,
}

impl Strings {
    /// Keeps the first characters of a string, as far as there is room.
    fn keep(&mut self, index: u32, mut string: Kept, most: usize, room: &mut usize) {
        string.limit(most, room);
        // Perhaps a character did not fit.
        self.is_full |= *room < char::MAX.len_utf8();
        self.found.insert(index, string);
    }
}

/// Reads the strings with some numbers, which must be in order; only the first characters of each.
pub fn read(
    parts: Parts<'_>,
    packed: Packed,
    known: &mut StringsKnown,
    wanted: &[u32],
    most: usize,
) -> Result<Strings> {
    if !known.is_irregular {
        let mut xml = Xml::new(parts.content(packed, known.checkpoints.clone())?)?;
        let outcome = read_marked(&mut xml, known, wanted, most);
        let mut content = xml.into_content();
        let ended = if outcome.is_ok() { read_on(&mut content) } else { Ok(()) };
        known.checkpoints = content.checkpoints().clone();
        ended?;
        if let Some(found) = outcome? {
            return Ok(found);
        }
        known.is_irregular = true;
    }
    let mut xml = Xml::new(parts.content(packed, known.checkpoints.clone())?)?;
    let found = read_all(&mut xml, wanted, most)?;
    let mut content = xml.into_content();
    read_on(&mut content)?;
    known.checkpoints = content.checkpoints().clone();
    Ok(found)
}

/// Looks at all strings; returns which ones `is_wanted` accepts, a bit for each up to the last of these.
pub fn matching(
    parts: Parts<'_>,
    packed: Packed,
    known: &mut StringsKnown,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<u64>> {
    let mut xml = Xml::new(parts.content(packed, known.checkpoints.clone())?)?;
    let (mut found, mut number) = (Vec::new(), 0);
    loop {
        match xml.next()? {
            Event::Start(tag) if tag.name == "si" => {
                if is_wanted(&read_rich(&mut xml)?.text) {
                    found.resize((number / 64 + 1).max(found.len()), 0);
                    if let Some(bits) = found.last_mut() {
                        *bits |= 1 << (number % 64);
                    }
                }
                number += 1;
            }
            Event::Done => break,
            _ => {}
        }
    }
    known.checkpoints = xml.into_content().checkpoints().clone();
    Ok(found)
}

/// Reads a small part to its end, unless that was done before.
fn read_on(content: &mut Inflated<'_>) -> Result<()> {
    let is_small = content.declared_size().is_some_and(|size| size <= SMALL);
    while is_small && !content.checkpoints().is_verified() {
        let passed = content.chunk()?.len();
        if passed == 0 {
            break;
        }
        content.skip(passed);
    }
    Ok(())
}

/// Reads strings from the marks before them; `None` if that is not possible.
fn read_marked(
    xml: &mut Xml<'_>,
    known: &mut StringsKnown,
    wanted: &[u32],
    most: usize,
) -> Result<Option<Strings>> {
    let mut found = Strings::default();
    let mut room = ROOM;
    if known.marks.is_empty() {
        loop {
            match xml.next()? {
                Event::Start(tag) if tag.name == "sst" && tag.prefix.len() > LONGEST_PREFIX => {
                    return Ok(None);
                }
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
    let mut finder = ElementFinder::new(&known.prefix, "si", "sst");
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
                // The others that are wanted do not exist, either.
                Found::End => return Ok(Some(found)),
            }
            let offset = content.offset();
            let (last, last_offset) = known.marks.last().copied().unwrap_or_default();
            if number > last && content.has_checkpoint_since(last_offset) {
                known.marks.push((number, offset));
            }
            if number == index {
                xml.seek(offset, 1)?;
                xml.next()?;
                let string = read_rich(xml)?;
                found.keep(index, string, most, &mut room);
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
fn read_all(xml: &mut Xml<'_>, wanted: &[u32], most: usize) -> Result<Strings> {
    let mut found = Strings::default();
    let mut room = ROOM;
    let mut wanted = wanted.iter().copied().peekable();
    let mut number = 0;
    while let Some(&index) = wanted.peek() {
        match xml.next()? {
            Event::Start(tag) if tag.name == "si" => {
                if number == index {
                    let string = read_rich(xml)?;
                    found.keep(index, string, most, &mut room);
                    wanted.next();
                } else {
                    xml.skip_element()?;
                }
                number += 1;
            }
            Event::Done => break,
            _ => {}
        }
    }
    Ok(found)
}
