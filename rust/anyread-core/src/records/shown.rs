//! A value as one line: its own text without blanks, shortened outside of its quotes if it is too long.
//!
//! What fits is shown whole. Otherwise strings are cut to the largest length of [`LENGTHS`] with which the value
//! fits, then the deepest containers are replaced by their number of items, and last only the first items are
//! shown. What is shortened cannot be taken for JSON. Each attempt is one pass over the value, which ends where it
//! exceeds the line, so memory depends on the line alone.

use super::tokens::{Fault, Step, Token, Tokens, What};
use crate::encoding::count_starts;
use crate::error::Result;
use crate::stream::Stream;

/// The lengths to which strings are cut, in characters.
const LENGTHS: [u64; 6] = [u64::MAX, 1_000, 500, 200, 100, 50];
/// How deep containers are shown at most.
const DEEPEST: usize = 512;
/// Room for the mark of items that are left out.
const MARK: u64 = 24;

/// A value as one line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one text")]
pub struct Shown {
    /// The line.
    pub text: String,
    /// Whether strings were cut or containers folded.
    pub is_clipped: bool,
    /// Whether it has what JSON does not allow, and parsers of other languages accept.
    pub is_odd: bool,
    /// Whether invalid UTF-8 was replaced.
    pub is_lossy: bool,
    /// Whether the file ends before the value does.
    pub is_torn: bool,
    /// The offset in the file at which it is not JSON.
    pub wrong_at: Option<u64>,
    /// The offset after the value.
    pub end: u64,
}

/// Shows the value that begins at `start` as a line of at most `most` characters, if that is possible.
///
/// # Errors
/// Those of reading.
pub fn show(stream: &mut Stream<'_>, start: u64, most: u64) -> Result<Shown> {
    let mut shown = fitted(stream, start, most)?;
    // What ends before the file does is damaged; the rest of it will not be written.
    if shown.is_torn && stream.ends_early() {
        (shown.is_torn, shown.wrong_at) = (false, Some(stream.end()));
    }
    Ok(shown)
}

fn fitted(stream: &mut Stream<'_>, start: u64, most: u64) -> Result<Shown> {
    for keep in LENGTHS {
        stream.seek(start);
        let shown = Line::new(stream, Style { keep, fold: DEEPEST, cuts: None, most }).run()?;
        if let Some(shown) = shown {
            return Ok(shown);
        }
    }
    stream.seek(start);
    let whole = match measured(stream, most)? {
        Ok(whole) => whole,
        // It is shown as in the file.
        Err(fault) => return Ok(Shown::default().with(Some(fault))),
    };
    let cuts = Some(whole).filter(|whole| whole.fold.is_none());
    let style = Style { keep: LENGTHS[5], fold: whole.fold.unwrap_or(1), cuts, most };
    for style in [style, Style { fold: 1, cuts: Some(whole), ..style }] {
        stream.seek(start);
        if let Some(shown) = Line::new(stream, style).run()? {
            return Ok(shown);
        }
    }
    Ok(Shown::default())
}

impl Shown {
    fn with(mut self, fault: Option<Fault>) -> Self {
        self.is_torn = fault == Some(Fault::Torn);
        self.wrong_at = if let Some(Fault::Wrong(at)) = fault { Some(at) } else { None };
        self
    }
}

/// How a value is shown.
#[derive(Debug, Clone, Copy)]
struct Style {
    /// The most characters of a string.
    keep: u64,
    /// The level from which on containers are shown by their number of items.
    fold: usize,
    /// The value, if items of it that do not fit are left out; otherwise a line that does not fit is given up.
    cuts: Option<Whole>,
    /// The most characters of the line.
    most: u64,
}

/// A line that is being written.
struct Line<'s, 'a> {
    tokens: Tokens<'s, Stream<'a>>,
    style: Style,
    text: Vec<u8>,
    chars: u64,
    is_clipped: bool,
    /// The level of the container that is being passed over.
    folded: Option<usize>,
    /// The length of the line, and its characters, after the last item of the root that fits.
    fitting: (usize, u64),
    /// The number of items of the root that are shown.
    shown: u64,
    is_full: bool,
}

impl<'s, 'a> Line<'s, 'a> {
    fn new(stream: &'s mut Stream<'a>, style: Style) -> Self {
        Self {
            tokens: Tokens::new(stream),
            style,
            text: Vec::new(),
            chars: 0,
            is_clipped: style.cuts.is_some(),
            folded: None,
            fitting: (0, 0),
            shown: 0,
            is_full: false,
        }
    }

    /// Writes the line; `None` if it does not fit.
    fn run(mut self) -> Result<Option<Shown>> {
        let fault = loop {
            let keep = match self.style.keep {
                // One more than fits shows that it does not.
                u64::MAX => (self.style.most + 1).saturating_sub(self.chars),
                keep => keep,
            };
            match self.tokens.next(if self.folded.is_some() { 0 } else { keep })? {
                Step::Token(token) => self.take(token),
                Step::End => break None,
                Step::Fault(fault) => break Some(fault),
            }
            if self.style.cuts.is_none() && self.chars > self.style.most {
                return Ok(None);
            }
            if self.is_full {
                break None;
            }
        };
        let (mut end, mut is_odd) = (self.tokens.offset(), self.tokens.is_odd || self.tokens.has_control);
        if let Some(whole) = self.style.cuts.filter(|_| self.is_full) {
            let left_out = counted(whole.items.saturating_sub(self.shown), whole.item());
            self.push(format!("…(+{left_out})").as_bytes());
            self.push(&[whole.closing]);
            (end, is_odd) = (whole.end, is_odd || whole.is_odd);
        }
        let is_lossy = std::str::from_utf8(&self.text).is_err();
        Ok(Some(
            Shown {
                text: String::from_utf8_lossy(&self.text).into_owned(),
                is_clipped: self.is_clipped,
                is_odd,
                is_lossy,
                end,
                ..Shown::default()
            }
            .with(fault),
        ))
    }

    fn push(&mut self, text: &[u8]) {
        self.chars += count_starts(text);
        self.text.extend_from_slice(text);
    }

    fn take(&mut self, token: Token) {
        if let Some(level) = self.folded {
            if let What::Close(byte, items) = token.what
                && token.level == level
            {
                self.folded = None;
                self.is_clipped |= items > 0;
                self.push(folded(byte, items).as_bytes());
                self.after_item(token);
            }
            return;
        }
        match token.what {
            What::Open(_) if token.level >= self.style.fold => {
                if token.has_comma {
                    self.push(b",");
                }
                self.folded = Some(token.level);
            }
            What::Open(byte) => {
                if token.has_comma {
                    self.push(b",");
                }
                self.push(&[byte]);
                if token.level == 0 {
                    self.fitting = (self.text.len(), self.chars);
                }
            }
            What::Close(byte, _) => {
                if token.has_comma {
                    self.push(b",");
                }
                self.push(&[byte]);
                self.after_item(token);
            }
            What::Key | What::Value | What::Comment => {
                if token.has_comma {
                    self.push(b",");
                }
                let text = std::mem::take(&mut self.tokens.text);
                self.push(&text);
                self.tokens.text = text;
                if let Some(chars) = token.cut_from {
                    self.is_clipped = true;
                    self.push(format!("…({})", counted(chars, "char")).as_bytes());
                }
                if token.what == What::Key {
                    self.push(b":");
                } else {
                    self.after_item(token);
                }
            }
        }
    }

    /// Leaves out the last item of the root if it does not fit.
    fn after_item(&mut self, token: Token) {
        if self.style.cuts.is_none() || token.level != 1 {
            return;
        }
        if self.chars + MARK > self.style.most {
            self.text.truncate(self.fitting.0);
            self.chars = self.fitting.1;
            self.is_full = true;
        } else {
            self.fitting = (self.text.len(), self.chars);
            self.shown += u64::from(token.what != What::Comment);
        }
    }
}

/// A container by its number of items.
fn folded(closing: u8, items: u64) -> String {
    match (closing, items) {
        (b'}', 0) => "{}".to_owned(),
        (_, 0) => "[]".to_owned(),
        (b'}', _) => format!("{{…{}}}", counted(items, "key")),
        _ => format!("[…{}]", counted(items, "item")),
    }
}

/// The number of characters of [`folded`], without writing it.
fn folded_chars(closing: u8, items: u64) -> u64 {
    match items {
        0 => 2,
        _ => 3 + counted_chars(items, if closing == b'}' { 3 } else { 4 }),
    }
}

/// The number of characters of [`counted`], without writing it; `what` is the length of a word.
fn counted_chars(number: u64, what: u64) -> u64 {
    let digits = u64::from(number.checked_ilog10().unwrap_or_default()) + 1;
    digits + (digits - 1) / 3 + 1 + what + u64::from(number != 1)
}

/// A number with separators, and what it counts.
fn counted(number: u64, what: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{text} {what}{}", if number == 1 { "" } else { "s" })
}

/// A value that does not fit.
#[derive(Debug, Clone, Copy)]
struct Whole {
    /// The deepest level from which on containers are folded so that it fits; `None`: not even with level 1.
    fold: Option<usize>,
    /// If it is a container, the byte that closes it, and the number of its items.
    closing: u8,
    items: u64,
    /// Whether it has what JSON does not allow, other than control characters inside of strings.
    is_odd: bool,
    /// The offset after it.
    end: u64,
}

impl Whole {
    /// What its items are.
    fn item(&self) -> &'static str {
        if self.closing == b'}' { "key" } else { "item" }
    }
}

/// Reads a value to its end, or finds what is wrong with it.
fn measured(stream: &mut Stream<'_>, most: u64) -> Result<std::result::Result<Whole, Fault>> {
    let mut tokens = Tokens::new(stream);
    let (mut closing, mut items_of_all) = (b']', 0);
    // By level: what is directly in containers of the level, their brackets, and them as they are folded.
    let (mut own, mut brackets, mut as_folded) = (Vec::new(), Vec::new(), Vec::new());
    let add = |sums: &mut Vec<u64>, level: usize, chars: u64| {
        if level <= DEEPEST {
            if sums.len() <= level {
                sums.resize(level + 1, 0);
            }
            sums[level] += chars;
        }
    };
    loop {
        let token = match tokens.next(LENGTHS[5])? {
            Step::Token(token) => token,
            Step::End => break,
            Step::Fault(fault) => return Ok(Err(fault)),
        };
        let Token { what, level, has_comma, cut_from } = token;
        let mark = cut_from.map_or(0, |chars| 3 + counted_chars(chars, 4));
        let mut chars = u64::from(has_comma);
        match what {
            What::Open(_) => {}
            What::Close(byte, items) => {
                (closing, items_of_all) = (byte, items);
                // A comma before the end is inside of the container.
                add(&mut brackets, level, 2 + chars);
                add(&mut as_folded, level, folded_chars(byte, items));
                chars = 0;
            }
            What::Key => chars += count_starts(&tokens.text) + mark + 1,
            What::Value | What::Comment => chars += count_starts(&tokens.text) + mark,
        }
        add(&mut own, level, chars);
    }
    let at = |sums: &[u64], level: usize| sums.get(level).copied().unwrap_or(0);
    let (mut inside, mut found) = (at(&own, 0) + at(&brackets, 0), None);
    for level in 1..=own.len().max(as_folded.len()).min(DEEPEST) {
        inside += at(&own, level);
        if inside + at(&as_folded, level) > most {
            break;
        }
        found = Some(level);
        inside += at(&brackets, level);
    }
    let (is_odd, end) = (tokens.is_odd, tokens.offset());
    Ok(Ok(Whole { fold: found, closing, items: items_of_all, is_odd, end }))
}
