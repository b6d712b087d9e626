//! What marks say about images, shapes and files.

use crate::xml::start_of;

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

/// What something is said to show, and the address to which it is a link.
#[must_use]
pub fn joined(description: &str, link: &str) -> String {
    let between = if description.is_empty() || link.is_empty() { "" } else { " · " };
    format!("{description}{between}{link}")
}
