//! Text of cells and of shared strings, of which a limited part is kept.

use crate::error::Result;
use crate::package::{Runs, Script};
use crate::xml::{Event, KEPT, Xml, start_of};

/// The most bytes of text that are kept of a row, and of the shared strings of some rows.
pub const ROOM: usize = 1 << 20;

/// More bytes than the marks have that end one run and begin the next.
const MARKS: usize = 16;

/// A text, and how many characters after it were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    pub text: String,
    pub left_out: u64,
}

impl Kept {
    /// Appends a text; keeps [`KEPT`] bytes in all.
    pub fn push(&mut self, text: &str, left_out: u64) {
        let room = if self.left_out > 0 { 0 } else { KEPT.saturating_sub(self.text.len()) };
        let (kept, rest) = text.split_at(start_of(text, room).len());
        self.text.push_str(kept);
        self.left_out += left_out + rest.chars().count() as u64;
    }

    /// Keeps only the first characters, and only as many bytes as there is room for.
    pub fn limit(&mut self, most: usize, room: &mut usize) {
        if self.text.len() > most.min(*room) {
            *self = self.limited(most, *room);
        } else if self.text.capacity() > 2 * self.text.len() {
            self.text.shrink_to_fit();
        }
        *room -= self.text.len();
    }

    /// A copy of the first characters, and of as many bytes as there is room for.
    pub fn limited(&self, most: usize, room: usize) -> Self {
        let end = self.text.char_indices().nth(most).map_or(self.text.len(), |(end, _)| end);
        let (kept, rest) = self.text.split_at(start_of(&self.text, end.min(room)).len());
        Self { text: kept.to_owned(), left_out: self.left_out + rest.chars().count() as u64 }
    }

    /// The characters of the whole text.
    pub fn chars(&self) -> u64 {
        self.text.chars().count() as u64 + self.left_out
    }
}

/// The text of the element that has just begun, without the readings of its characters ("phonetic runs").
pub fn read_rich(xml: &mut Xml<'_>) -> Result<Kept> {
    let outside = xml.depth().saturating_sub(1);
    let mut kept = Kept::default();
    let mut is_text = false;
    let mut runs = Runs::default();
    while xml.depth() > outside {
        match xml.next()? {
            Event::Start(tag) if tag.name == "rPh" => xml.skip_element()?,
            Event::Start(tag) => {
                is_text = tag.name == "t";
                match tag.name {
                    "r" => runs.begin(),
                    "strike" => runs.is_struck = tag.flag("val").unwrap_or(true),
                    "vertAlign" => runs.script = Script::of(&tag.get("val").unwrap_or_default()),
                    _ => {}
                }
            }
            Event::End(_) => is_text = false,
            Event::Text(text, left_out) if is_text => {
                let room = KEPT.saturating_sub(kept.text.len() + MARKS);
                if runs.are_plain() || kept.left_out > 0 || text.len() > room {
                    kept.push(text, left_out);
                } else {
                    runs.push(&mut kept.text, text);
                }
            }
            Event::Text(..) => {}
            Event::Done => break,
        }
    }
    runs.end(&mut kept.text);
    kept.text = unescaped(kept.text);
    Ok(kept)
}

/// The text of the element that has just begun, as it is.
pub fn read_plain(xml: &mut Xml<'_>) -> Result<Kept> {
    let outside = xml.depth().saturating_sub(1);
    let mut kept = Kept::default();
    while xml.depth() > outside {
        match xml.next()? {
            Event::Text(text, left_out) => kept.push(text, left_out),
            Event::Done => break,
            _ => {}
        }
    }
    Ok(kept)
}

/// Replaces `_x000D_`, which stands for a character that XML does not allow.
///
/// Source: ECMA-376-1, 22.9.2.19.
pub fn unescaped(text: String) -> String {
    if !text.contains("_x") {
        return text;
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find("_x") {
        let (before, after) = rest.split_at(at);
        result.push_str(before);
        let digits = after.get(2..6).filter(|_| after.get(6..7) == Some("_"));
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let (shown, length) = code.and_then(char::from_u32).map_or(('_', 1), |character| (character, 7));
        result.push(shown);
        rest = after.get(length..).unwrap_or_default();
    }
    result.push_str(rest);
    result
}
