//! The pieces of a text, each of which becomes tokens of its own: tiktoken's regular expressions.
//!
//! tiktoken's last two alternatives are `\s+(?!\S)|\s+`, but the engine that is used here has no look-ahead.
//! So `\s+\s` is matched instead, and the last character is left for the next piece; `\s+$` matches at the end.

use regex_automata::meta::{BuildError, Regex};
use regex_automata::{Anchored, Input};

/// The alternatives of `o200k_base` before those for blanks.
pub(super) const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$",
);
/// The alternatives of `cl100k_base` before those for blanks.
pub(super) const CL100K: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|",
    r"\s*[\r\n]+|\s+$",
);
/// The index of the pattern whose last character belongs to the next piece.
const ALL_BUT_LAST: usize = 1;

/// Splits texts into pieces.
#[derive(Debug)]
pub(super) struct Splitter(Regex);

impl Splitter {
    /// # Errors
    /// The expression is invalid.
    pub(super) fn new(alternatives: &str) -> Result<Self, Box<BuildError>> {
        Regex::new_many(&[alternatives, r"\s+\s", r"\s+"]).map(Self).map_err(Box::new)
    }

    /// The pieces of a text, in order.
    pub(super) fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let found = self.0.find(Input::new(rest).anchored(Anchored::Yes))?;
            let mut end = found.end();
            if found.pattern().as_usize() == ALL_BUT_LAST {
                end -= rest[..end].chars().next_back().map_or(0, char::len_utf8);
            }
            let (piece, after) = rest.split_at(end);
            rest = after;
            Some(piece)
        })
    }
}
