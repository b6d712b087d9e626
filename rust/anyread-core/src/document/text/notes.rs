//! Footnotes, endnotes and comments: what refers to them, and their labels.

use std::collections::HashMap;
use std::sync::Arc;

use super::Text;
use crate::error::Result;
use crate::package::one_line;
use crate::xml::{Tag, start_of};

/// The most notes and comments whose numbers are kept.
const NOTES: usize = 65_536;
const LONGEST_ID: usize = 32;
/// What is kept for each, in bytes.
const EACH_NOTE: usize = 96;

/// What was referred to so far. Where it is read again, it stays the same, so that all points share it.
#[derive(Clone, Default)]
pub(in crate::document) struct Referred {
    /// The numbers of footnotes, endnotes and comments by their IDs.
    notes: [HashMap<String, usize>; 3],
    /// Headers and footers: their labels, and the IDs of their relationships.
    pub(super) margins: Vec<(&'static str, Box<str>)>,
}

impl Referred {
    /// Its memory in bytes, about.
    pub(in crate::document) fn bytes(&self) -> usize {
        let notes: usize = self.notes.iter().map(HashMap::capacity).sum();
        (notes + self.margins.len()) * EACH_NOTE
    }
}

impl Text<'_> {
    /// A reference to a note or a comment; they are numbered in the order of their references.
    pub(super) fn refer(&mut self, tag: &Tag<'_>) -> Result<()> {
        let kind = kind_of_note(tag.name);
        let id = start_of(&tag.get("id").unwrap_or_default(), LONGEST_ID).to_owned();
        let next = self.referred.notes[kind].len() + 1;
        let known = self.referred.notes[kind].get(&id).copied();
        let number = match known {
            Some(number) => number,
            None if next > NOTES => return Ok(()),
            None => {
                self.parts.keep(EACH_NOTE + id.len())?;
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
        Ok(())
    }

    /// What precedes a note or a comment; `None` if nothing refers to it.
    pub(super) fn note_label(&self, tag: &Tag<'_>) -> Option<String> {
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

/// 0: footnotes, 1: endnotes, 2: comments.
fn kind_of_note(name: &str) -> usize {
    match name.as_bytes().first() {
        Some(b'f') => 0,
        Some(b'e') => 1,
        _ => 2,
    }
}
