//! What marks say about images, shapes and files, and who wrote comments.

use std::collections::HashMap;

use super::Parts;
use crate::error::Result;
use crate::xml::{Event, start_of};

/// The most bytes of a name.
pub const LONGEST_NAME: usize = 256;
/// The most persons of whom the names are kept.
pub const PERSONS: usize = 4_096;

impl Parts<'_> {
    /// The names of the persons who write comments, by their IDs.
    ///
    /// # Errors
    /// Those of reading.
    pub fn persons(&self, part: Option<&str>) -> Result<HashMap<String, String>> {
        let mut found = HashMap::new();
        let Some(mut xml) = part.map(|part| self.xml(part)).transpose()?.flatten() else { return Ok(found) };
        loop {
            match xml.next()? {
                Event::Start(tag)
                    if matches!(tag.name, "person" | "cmAuthor" | "author") && found.len() < PERSONS =>
                {
                    self.keep(2 * LONGEST_NAME)?;
                    let name = tag.get("displayName").or_else(|| tag.get("name")).unwrap_or_default();
                    let id = tag.get("id").unwrap_or_default();
                    found.insert(
                        start_of(&id, LONGEST_NAME).to_owned(),
                        start_of(&name, LONGEST_NAME).to_owned(),
                    );
                }
                Event::Done => return Ok(found),
                _ => {}
            }
        }
    }
}

/// The most bytes of a title or a description.
pub const LONGEST: usize = 500;

/// The beginning of a text, without line breaks.
#[must_use]
pub fn one_line(text: &str) -> String {
    let start = start_of(text, LONGEST);
    let mut line = start.split_whitespace().collect::<Vec<_>>().join(" ");
    if start.len() < text.len() {
        line.push('…');
    }
    line
}

/// The mark of a chart with what it is said to show.
#[must_use]
pub fn described(mark: &str, description: &str) -> String {
    let (first, rest) = mark.split_at(mark.find('\n').unwrap_or(mark.len()));
    match first.strip_suffix(']') {
        Some(first) if !description.is_empty() => format!("{first} · {description}]{rest}"),
        _ => mark.to_owned(),
    }
}

/// What something is said to show, and the address to which it is a link.
#[must_use]
pub fn joined(description: &str, link: &str) -> String {
    let between = if description.is_empty() || link.is_empty() { "" } else { " · " };
    format!("{description}{between}{link}")
}
