//! Formatting that is content: what is struck through, raised or lowered, and what people do not see.

/// Text of fewer points is too small to be seen.
const TINY: f32 = 2.5;

/// Whether a color is white, perhaps after its opacity.
#[must_use]
pub fn is_white(color: &str) -> bool {
    color.get(color.len().saturating_sub(6)..).is_some_and(|color| color.eq_ignore_ascii_case("FFFFFF"))
}

/// Whether a size in points is too small to be seen.
#[must_use]
pub fn is_tiny(points: f32) -> bool {
    points < TINY
}

/// A text above or below its line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Script {
    /// Neither.
    #[default]
    Line,
    /// Above it.
    Raised,
    /// Below it.
    Lowered,
}

impl Script {
    /// What the attribute of `vertAlign` means.
    #[must_use]
    pub fn of(value: &str) -> Self {
        match value {
            "superscript" => Self::Raised,
            "subscript" => Self::Lowered,
            _ => Self::Line,
        }
    }

    /// What begins a text after a character, and what ends it: `^` or `_`, with brackets around operators.
    ///
    /// Nothing if the two would not join, as most marks of notes, or if it is the ending of an ordinal.
    #[must_use]
    pub fn marks(self, last: Option<char>, text: &str) -> (&'static str, &'static str) {
        let is_sign = |next: char| matches!(next, '+' | '-' | '−' | '–');
        let is_operator = |next: char| is_sign(next) || matches!(next, '*' | '/' | '=' | '·' | '×');
        let joins = last.is_some_and(|last| last.is_alphanumeric() || matches!(last, ')' | ']'));
        let begins = text.starts_with(|next: char| next.is_alphanumeric() || is_sign(next));
        let is_ordinal = last.is_some_and(|last| last.is_ascii_digit())
            && matches!(text.trim_end(), "st" | "nd" | "rd" | "th");
        if self == Self::Line || !joins || !begins || is_ordinal {
            return ("", "");
        }
        match (self, text.chars().skip(1).any(is_operator)) {
            (Self::Raised, false) => ("^", ""),
            (Self::Raised, true) => ("^(", ")"),
            (_, false) => ("_", ""),
            (_, true) => ("_(", ")"),
        }
    }
}

/// Writes runs with marks where their formatting changes: `~~500~~`, `10^5`.
#[derive(Debug, Default)]
pub struct Runs {
    /// Whether the run that is read is struck through.
    pub is_struck: bool,
    /// Whether it is raised or lowered.
    pub script: Script,
    /// The formatting of what was written, and what ends it.
    open: (bool, Script, &'static str),
}

impl Runs {
    /// Begins a run, which has no formatting yet.
    pub fn begin(&mut self) {
        (self.is_struck, self.script) = (false, Script::Line);
    }

    /// Whether neither the run nor what was written has any.
    #[must_use]
    pub fn are_plain(&self) -> bool {
        !self.is_struck && self.script == Script::Line && self.open == (false, Script::Line, "")
    }

    /// Writes a text of the run.
    pub fn push(&mut self, to: &mut String, text: &str) {
        let words = text.trim_start();
        if words.is_empty() || (self.is_struck, self.script) == (self.open.0, self.open.1) {
            return to.push_str(text);
        }
        self.end(to);
        to.push_str(&text[..text.len() - words.len()]);
        let (begin, end) = self.script.marks(to.chars().next_back(), words);
        to.push_str(begin);
        to.push_str(if self.is_struck { "~~" } else { "" });
        to.push_str(words);
        self.open = (self.is_struck, self.script, end);
    }

    /// Ends the formatting, before the spaces at the end.
    pub fn end(&mut self, to: &mut String) {
        let (is_struck, _, end) = std::mem::take(&mut self.open);
        let at = to.trim_end().len();
        to.insert_str(at, end);
        to.insert_str(at, if is_struck { "~~" } else { "" });
    }
}
