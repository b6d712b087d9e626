//! The block around a line: a function, a class, an object of a data file, a section of a document.
//!
//! It is found in the lines around it, from indentation, brackets at the ends of lines, and the words that begin
//! a function or a class. A line is looked at a fixed number of times, so the time is linear in what is read.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use crate::error::{ErrorKind, Result};
use crate::page::LineRange;
use crate::page::view::View;

/// How many lines before and after a line are looked at, at most.
const MOST_LINES: isize = 2_500;
/// How many bytes before and after it are looked at, at most; in a large file, few are read if they are enough.
const MOST_BYTES: u64 = 128 << 10;
const FEW_BYTES: u64 = 8 << 10;
/// How many lines are looked at closely, at most; of those that are indented more, only the indentation counts.
const MOST_LOOKS: usize = 512;
/// The maximum number of lines of a block that are shown.
const MOST_SHOWN: i64 = 200;
/// Blocks of data grow to those around them up to this size, so that they show as much as the lines around would.
const SMALL: isize = 21;
/// The maximum number of lines of a signature.
const SIGNATURE: isize = 64;
/// The maximum number of lines with a body around a place that are looked at.
const MOST_HEADERS: usize = 32;

/// The words that begin a function.
#[rustfmt::skip] // one word on each line would be long
const FUNCTIONS: &[&str] = &[
    "def", "fn", "func", "fun", "function", "sub", "proc", "defp", "defmacro", "macro_rules!",
];
/// The words that begin what contains functions.
#[rustfmt::skip] // one word on each line would be long
const CLASSES: &[&str] = &[
    "class", "struct", "enum", "interface", "trait", "impl", "module", "namespace", "mod", "object",
    "record", "union", "protocol", "extension", "contract", "message", "service",
];
/// The words that may precede those.
#[rustfmt::skip] // one word on each line would be long
const MODIFIERS: &[&str] = &[
    "export", "default", "declare", "async", "public", "private", "protected", "static", "final",
    "abstract", "override", "virtual", "inline", "const", "unsafe", "extern", "pub", "internal",
    "suspend", "open", "sealed", "data", "local", "partial", "crate", "super", "C", "in", "typedef",
    "readonly", "native",
];
/// The words after which a bracket opens no function.
#[rustfmt::skip] // one word on each line would be long
const STATEMENTS: &[&str] = &[
    "if", "for", "while", "switch", "else", "do", "try", "catch", "finally", "with", "match", "loop",
    "unless", "until", "foreach", "return", "throw", "case", "select", "synchronized", "using", "lock",
    "elif", "elsif", "except", "rescue", "ensure", "begin", "when", "let", "new", "default", "defer",
    "go", "yield", "await",
];
/// The words that end a block.
const ENDS: &[&str] = &["end", "fi", "done", "esac", "END", "endif"];
/// The words with which a block goes on, at the indentation of its first line.
#[rustfmt::skip] // one word on each line would be long
const GOES_ON: &[&str] = &[
    "else", "elif", "elsif", "except", "finally", "rescue", "ensure", "catch", "when", "where",
    "throws",
];

/// A line without the white space around it.
#[derive(Clone, Copy)]
struct Line<'a> {
    indent: usize,
    text: &'a [u8],
}

/// The lines around a line, which is number 0.
struct Lines<'a> {
    bytes: &'a [u8],
    ending: u8,
    above: Vec<Line<'a>>,
    below: Vec<Line<'a>>,
    /// Where the next line upward ends, and the next one downward begins.
    top: Option<usize>,
    bottom: Option<usize>,
    /// Whether the bytes are those at the start and at the end of the text.
    is_at_start: bool,
    is_at_end: bool,
    /// Whether a line was requested that is not completely in the bytes.
    is_cut: bool,
    /// How many lines have been looked at closely.
    looks: usize,
}

/// A block, as lines counted from the place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    lines: RangeInclusive<isize>,
    /// Whether it may go on after the lines that were looked at.
    is_open: bool,
}

impl<'a> Lines<'a> {
    /// The lines of some bytes; the place begins at `start`. Each code unit is a byte, and `ending` ends a line.
    fn new(bytes: &'a [u8], start: usize, ending: u8) -> Self {
        let (top, bottom) = (start.checked_sub(1), Some(start));
        let (above, below) = (Vec::new(), Vec::new());
        let (is_at_start, is_at_end, is_cut) = (true, true, false);
        Self { bytes, ending, above, below, top, bottom, is_at_start, is_at_end, is_cut, looks: 0 }
    }

    /// Whether one more line may be looked at closely.
    fn may_look(&mut self) -> bool {
        self.looks += 1;
        self.looks <= MOST_LOOKS
    }

    /// Whether the last line of the text was looked at.
    fn is_ended(&self) -> bool {
        self.bottom.is_none() && self.is_at_end
    }

    /// A line, if it is among those that are looked at.
    fn at(&mut self, number: isize) -> Option<Line<'a>> {
        let index = if number < 0 { number.unsigned_abs() - 1 } else { number.unsigned_abs() };
        if number.abs() > MOST_LINES {
            return None;
        }
        while number < 0 && self.above.len() <= index {
            let Some(end) = self.top else {
                self.is_cut |= !self.is_at_start;
                return None;
            };
            let ending = memchr::memrchr(self.ending, &self.bytes[..end]);
            self.top = ending;
            if ending.is_none() && !self.is_at_start {
                continue;
            }
            self.above.push(Line::of(&self.bytes[ending.map_or(0, |at| at + 1)..end]));
        }
        while number >= 0 && self.below.len() <= index {
            let Some(rest) = self.bottom.map(|at| &self.bytes[at..]) else {
                self.is_cut |= !self.is_at_end;
                return None;
            };
            let ending = memchr::memchr(self.ending, rest);
            let next = ending.map(|at| self.bytes.len() - rest.len() + at + 1);
            self.bottom = next.filter(|at| *at < self.bytes.len());
            if ending.is_none() && !self.is_at_end {
                continue;
            }
            self.below.push(Line::of(&rest[..ending.unwrap_or(rest.len())]));
        }
        Some(if number < 0 { self.above[index] } else { self.below[index] })
    }
}

impl<'a> Line<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let (mut indent, mut rest) = (0, bytes);
        loop {
            // Of deep indentation, many at once.
            while let Some(after) = rest.strip_prefix(&[b' '; 16]) {
                (indent, rest) = (indent + 16, after);
            }
            match rest.split_first() {
                Some((b' ', after)) => (indent, rest) = (indent + 1, after),
                Some((b'\t', after)) => (indent, rest) = ((indent / 8 + 1) * 8, after),
                _ => return Self { indent, text: rest.trim_ascii() },
            }
        }
    }

    fn is_blank(self) -> bool {
        self.text.is_empty()
    }

    /// The words at the start of the line.
    fn words(self) -> impl Iterator<Item = &'a str> {
        let words = self.text.split(|byte| !(byte.is_ascii_alphanumeric() || b"_!".contains(byte)));
        words.filter(|word| !word.is_empty()).map(|word| std::str::from_utf8(word).unwrap_or_default())
    }

    fn begins_with(self, words: &[&str]) -> bool {
        self.text.first().is_some_and(u8::is_ascii_alphabetic)
            && self.words().next().is_some_and(|word| words.contains(&word))
    }

    /// Whether it begins with one of these words, perhaps after modifiers, and a name follows.
    fn declares(self, words: &[&str]) -> bool {
        if !self.text.first().is_some_and(u8::is_ascii_alphabetic) {
            return false;
        }
        let found = self.words().take(8).find(|word| !MODIFIERS.contains(word));
        found.is_some_and(|word| {
            let after = word.as_ptr() as usize - self.text.as_ptr() as usize + word.len();
            let is_named = self.text.get(after).is_none_or(|byte| b" *<{".contains(byte));
            words.contains(&word) && (is_named || (self.text[after] == b'(' && self.opens()))
        })
    }

    /// The text without a comment at its end.
    fn code(self) -> &'a [u8] {
        let is_end = |byte: &u8| b"{([:,;=".contains(byte);
        let is_bare = memchr::memchr2(b'/', b'#', self.text).is_none();
        if is_bare || self.text.last().is_some_and(is_end) {
            return self.text;
        }
        let comment = [b" //".as_slice(), b" #", b" /*"].into_iter();
        let starts = comment.filter_map(|mark| find(self.text, mark));
        let code = starts.min().map_or(self.text, |start| self.text[..start].trim_ascii_end());
        if code.last().is_some_and(is_end) { code } else { self.text }
    }

    fn opens(self) -> bool {
        self.code().last().is_some_and(|byte| b"{([".contains(byte))
    }

    fn closes(self) -> bool {
        self.text.first().is_some_and(|byte| b"})]".contains(byte))
    }

    /// Whether it is a comment or a line of a preprocessor.
    fn is_comment(self) -> bool {
        let begins = |mark: &[u8]| self.text.starts_with(mark);
        (begins(b"#") && !begins(b"#[")) || begins(b"//") || begins(b"/*") || begins(b"*") || begins(b"--")
    }

    /// Whether it is one word with a colon.
    fn is_label(self) -> bool {
        self.text.strip_suffix(b":").is_some_and(|name| name.iter().all(u8::is_ascii_alphanumeric))
    }

    /// Whether it belongs to the declaration after it.
    fn is_attached(self) -> bool {
        self.is_comment()
            || self.text.starts_with(b"@")
            || self.text.starts_with(b"#[")
            || self.text == b"\"\"\""
    }

    /// Whether lines that are indented more may belong to it.
    fn is_header(self) -> bool {
        let code = self.code();
        self.text.starts_with(b"- ")
            || (self.text.starts_with(b"<") && code.ends_with(b">"))
            || code.last().is_some_and(|byte| b"{([:=|".contains(byte))
            || [b"=>".as_slice(), b"->", b" do", b" then"].iter().any(|end| code.ends_with(end))
            || self.declares(FUNCTIONS)
            || self.declares(CLASSES)
            || self.begins_with(STATEMENTS)
            || self.begins_with(GOES_ON)
    }
}

/// Up to this length, comparing at each place is faster than preparing a search.
const SHORT: usize = 128;

/// Where a few bytes first occur.
fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    if text.len() > SHORT {
        return memchr::memmem::find(text, word);
    }
    text.windows(word.len()).position(|found| found == word)
}

/// Where a few bytes last occur.
fn rfind(text: &[u8], word: &[u8]) -> Option<usize> {
    if text.len() > SHORT {
        return memchr::memmem::rfind(text, word);
    }
    text.windows(word.len()).rposition(|found| found == word)
}

/// How many more brackets are opened than closed.
fn depth(text: &[u8]) -> i32 {
    text.iter().map(|byte| i32::from(b"([{".contains(byte)) - i32::from(b")]}".contains(byte))).sum()
}

/// Whether a text that ends with `=>` is the beginning of a function, and not of a case of a match.
fn is_arrow(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
    let mut open = 0;
    let start = if before.ends_with(b")") {
        let opening = before.iter().rposition(|byte| {
            open += i32::from(*byte == b')') - i32::from(*byte == b'(');
            open == 0
        });
        // Its parameters may have begun in a line before.
        let Some(start) = opening else { return true };
        start
    } else if find(before, b"):").is_some() || before.starts_with(b"}") {
        return true;
    } else {
        let start = before.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
        if start == 0 {
            return false;
        }
        start
    };
    let before = before[..start].trim_ascii_end();
    let word = before.iter().rposition(|byte| !is_word(byte)).map_or(before, |at| &before[at + 1..]);
    word.is_empty() && !before.ends_with(b">") && !before.ends_with(b"]")
        || [b"async".as_slice(), b"return", b"default", b"yield", b"await"].contains(&word)
}

/// Whether a text begins a function of more than one line, by its brackets.
fn begins_function(line: Line<'_>) -> bool {
    let code = line.code();
    if let Some(at) = rfind(code, b"=>") {
        let rest = &code[at + 2..];
        if (rest.is_empty() || depth(rest) > 0) && is_arrow(&code[..at]) {
            return true;
        }
    }
    if depth(code) > 0
        && [b"function".as_slice(), b"func("].iter().any(|word| {
            rfind(code, word).is_some_and(|at| {
                let before = at.checked_sub(1).map_or(b' ', |before| code[before]);
                !before.is_ascii_alphanumeric() && depth(&code[at..]) > 0
            })
        })
    {
        return true;
    }
    let Some(before) = code.strip_suffix(b"{").map(<[u8]>::trim_ascii_end) else { return false };
    let is_case = before.ends_with(b"->") || before.ends_with(b"=>");
    let is_call = is_case || before.last().is_some_and(|byte| b"(,[=:?&|+<".contains(byte));
    let is_statement = line.begins_with(STATEMENTS) || line.begins_with(GOES_ON) || line.closes();
    !is_call && !is_statement && !line.declares(CLASSES) && depth(before) == 0 && before.contains(&b'(')
}

impl<'a> Lines<'a> {
    /// The next line that is not blank, from a line in one direction.
    fn filled(&mut self, mut number: isize, step: isize) -> Option<(isize, Line<'a>)> {
        loop {
            match self.at(number)? {
                line if line.is_blank() => number += step,
                line => return Some((number, line)),
            }
        }
    }

    /// The next line after a line that is not indented more, if it is near.
    fn level_after(&mut self, number: isize, indent: usize) -> Option<Line<'a>> {
        let lines = (number + 1)..(number + SIGNATURE);
        lines
            .map_while(|each| self.at(each).filter(|_| self.may_look()))
            .find(|line| !line.is_blank() && line.indent <= indent)
    }

    /// Whether a line begins a function of more than one line.
    fn is_function(&mut self, number: isize) -> bool {
        let Some(line) = self.at(number) else { return false };
        if line.is_comment() {
            return false;
        }
        let Some((_, next)) = self.filled(number + 1, 1) else { return false };
        let is_signature = next.text == b"{" || next.begins_with(&["where", "throws"]);
        let has_body = next.indent > line.indent || line.opens() || is_signature;
        if !has_body {
            return false;
        }
        if line.declares(FUNCTIONS) {
            return !line.code().ends_with(b";");
        }
        if begins_function(line) {
            return true;
        }
        if next.text == b"{" && next.indent == line.indent {
            let is_statement = line.begins_with(STATEMENTS) || line.declares(CLASSES);
            return !is_statement
                && line.text.ends_with(b")")
                && line.text.first().is_some_and(u8::is_ascii_alphabetic);
        }
        if depth(line.code()) <= 0 || line.begins_with(STATEMENTS) || line.closes() || line.declares(CLASSES)
        {
            return false;
        }
        if self.is_aligned(number) {
            return true;
        }
        // A signature of several lines: its last one opens the body.
        let Some(end) = self.level_after(number, line.indent) else { return false };
        let is_end = end.closes() && end.indent == line.indent && !end.text.starts_with(b"} ");
        let code = end.code();
        is_end
            && (code.ends_with(b"=>")
                || (find(code, b"=>").is_some() && depth(code) >= 0 && end.opens())
                || (code.ends_with(b"{")
                    && !end.text.starts_with(b"],")
                    && !end.text.starts_with(b"),")
                    && !end.text.starts_with(b"},")))
    }

    /// Whether a line begins a signature of several lines, such as those of C, that are all indented more.
    fn is_aligned(&mut self, number: isize) -> bool {
        let Some(line) = self.at(number).filter(|line| line.text.contains(&b'(')) else { return false };
        let mut open = depth(line.code());
        for each in number + 1..number + SIGNATURE {
            let Some(next) = self.at(each).filter(|_| open >= 0 && self.may_look()) else { return false };
            let code = next.code();
            if next.indent <= line.indent || next.is_blank() {
                return open == 0 && next.text == b"{" && next.indent == line.indent;
            }
            open += depth(code);
            if open == 1 && code.ends_with(b"{") && code.contains(&b')') {
                return true;
            }
        }
        false
    }

    /// The last line of a block, and whether it may go on after the lines that are looked at.
    fn end(&mut self, header: isize) -> (isize, bool) {
        let Some(first) = self.at(header) else { return (header, true) };
        let is_aligned = !first.opens() && depth(first.code()) > 0 && self.is_aligned(header);
        let (level, mut in_brackets) = (first.indent, first.opens() || is_aligned);
        let (mut last, mut number, mut in_string) = (header, header, is_open_string(first.text));
        loop {
            number += 1;
            let Some(line) = self.at(number) else { break };
            if line.is_blank() {
                continue;
            }
            let was_in_string = in_string;
            in_string ^= !in_brackets && is_open_string(line.text);
            if line.indent > level {
                last = number;
                continue;
            }
            if !self.may_look() {
                return (last, true);
            }
            let is_level = line.indent == level;
            let is_declared = is_level && (line.declares(FUNCTIONS) || line.declares(CLASSES));
            let goes_on = is_level && (line.text.starts_with(b"{") || line.begins_with(GOES_ON));
            if was_in_string && !is_declared {
                last = number;
            } else if line.closes() && (in_brackets || is_level) {
                last = number;
                if !is_level || !(line.opens() || self.body_after(number, level)) {
                    return (last, false);
                }
                in_brackets = line.opens();
            } else if goes_on && (last == header || !in_brackets) {
                (last, in_brackets) = (number, line.opens());
            } else if is_level && !in_brackets && line.begins_with(ENDS) {
                return (number, false);
            } else if !(in_brackets && !is_declared || line.is_comment()) {
                return (last, false);
            }
        }
        (last, !self.is_ended())
    }

    /// Whether a closing line at this indentation is followed by more of its block.
    fn body_after(&mut self, number: isize, level: usize) -> bool {
        let Some(line) = self.at(number) else { return false };
        let code = line.code();
        let is_open = code.last().is_some_and(|byte| b":=".contains(byte))
            || code.ends_with(b"=>")
            || code.ends_with(b"->");
        let next = self.filled(number + 1, 1).map(|(_, next)| next);
        is_open
            || next
                .is_some_and(|next| next.indent == level && (next.text == b"{" || next.begins_with(GOES_ON)))
    }

    /// The first line of what belongs to a declaration: attributes, and the comments before it.
    fn top(&mut self, header: isize) -> isize {
        let Some(line) = self.at(header) else { return header };
        let (level, mut first, mut number) = (line.indent, header, header);
        let is_typed = !line.declares(FUNCTIONS) && line.text.contains(&b'(') && !line.text.contains(&b'=');
        loop {
            number -= 1;
            let Some(mut line) = self.at(number).filter(|_| header - number < SIGNATURE) else {
                return first;
            };
            if line.is_blank() {
                // The comment before a declaration may have a blank line after it.
                line = match self.at(number - 1) {
                    Some(above) if first == header && above.text.ends_with(b"*/") => above,
                    _ => return first,
                };
                number -= 1;
            }
            if line.indent == level + 1 && line.text.starts_with(b"*")
                || line.indent == level && line.is_attached()
            {
                first = number;
            } else if line.indent == level && line.closes() {
                // An attribute of several lines.
                let mut start = number - 1;
                while self.at(start).is_some_and(|each| each.is_blank() || each.indent > level)
                    && number - start < SIGNATURE
                {
                    start -= 1;
                }
                match self.at(start) {
                    Some(each) if each.indent == level && each.opens() && each.is_attached() => {
                        (first, number) = (start, start);
                    }
                    _ => return first,
                }
            } else if is_typed && number == header - 1 && line.indent == level && line.is_type() {
                first = number;
            } else {
                return first;
            }
        }
    }

    /// Whether a bracket at the start of a line belongs to no line before it, as that of an object in a list.
    fn is_element(&mut self, number: isize) -> bool {
        let indent = self.at(number).map_or(0, |line| line.indent);
        self.filled(number - 1, -1)
            .is_none_or(|(_, above)| above.opens() || (above.indent == indent && above.text.ends_with(b",")))
    }

    /// The block that begins at a line, with what belongs to it.
    fn whole(&mut self, header: isize) -> Block {
        let (last, is_open) = self.end(header);
        Block { lines: self.top(header)..=last, is_open }
    }

    /// Whether a line is above the declaration to which it belongs; the number of that.
    fn declaration_below(&mut self, from: isize) -> Option<isize> {
        let (first, mut after_comment) = (self.at(from)?, false);
        if !first.is_attached() && !first.is_type() && !first.closes() {
            return None;
        }
        for number in from..from + SIGNATURE {
            let line = self.at(number)?;
            let is_level = (first.indent.saturating_sub(1)..=first.indent).contains(&line.indent);
            if is_level && (self.is_function(number) || line.declares(CLASSES)) {
                return Some(number);
            }
            let is_above =
                line.is_attached() || line.indent > first.indent || line.closes() || line.is_type();
            if !(is_above || line.is_blank() && after_comment) {
                return None;
            }
            after_comment = line.text.ends_with(b"*/");
        }
        None
    }
}

impl Line<'_> {
    /// Whether it is the type of a function whose name is in the next line.
    fn is_type(self) -> bool {
        self.text.first().is_some_and(u8::is_ascii_alphabetic)
            && self.text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_ *&<>:".contains(byte))
            && !self.text.ends_with(b":")
            && self.text.len() < 80
            && !self.begins_with(STATEMENTS)
            && !self.begins_with(ENDS)
    }
}

/// Whether a line begins or ends a string of several lines.
fn is_open_string(text: &[u8]) -> bool {
    let is_odd = |mark: &[u8]| memchr::memmem::find_iter(text, mark).count() % 2 == 1;
    memchr::memchr2(b'"', b'\'', text).is_some() && (is_odd(b"\"\"\"") || is_odd(b"'''"))
}

/// The lines of the block around a line of a text that are shown and, if the block is longer, all of them.
///
/// `None`: there is no line with that number, or nothing is known about what is around it.
///
/// # Errors
/// Any error from reading.
pub(super) fn around(view: &View<'_>, line: i64) -> Result<Option<(LineRange, Option<LineRange>)>> {
    let terminator = view.plan.terminator;
    let is_known =
        terminator.is_single() && !view.plan.codec.is_stateful() && b"\r\n".contains(&terminator.value);
    let Some(number) = u64::try_from(line).ok().filter(|number| *number > 0 && is_known) else {
        return Ok(None);
    };
    let place = match view.line_start(number) {
        Err(error) if matches!(error.kind, ErrorKind::OffsetPastEnd { .. }) => return Ok(None),
        place => place?.byte,
    };
    let is_document =
        view.path.extension().is_some_and(|name| name == "md" || name == "markdown" || name == "mdx");
    let width = terminator.width as u64;
    let sizes = if view.source.is_in_memory() { &[MOST_BYTES][..] } else { &[FEW_BYTES, MOST_BYTES] };
    for size in sizes {
        let first = place.saturating_sub(size * width).max(view.start());
        let most = place + size * width - first;
        let bytes = view.source.bytes(view.path, first, usize::try_from(most).unwrap_or(usize::MAX))?;
        let is_at_end = first + bytes.len() as u64 >= view.size();
        let units = units(bytes, terminator.width, terminator.big_endian);
        let start = usize::try_from((place - first) / width).unwrap_or(usize::MAX);
        let mut lines = Lines::new(&units, start, terminator.value);
        (lines.is_at_start, lines.is_at_end) = (first <= view.start(), is_at_end);
        let found = if is_document { section(&mut lines, is_heading, |_| true) } else { block(&mut lines) };
        if lines.is_cut && *size == FEW_BYTES {
            continue;
        }
        return Ok(found.map(|block| {
            let (first, last) = (*block.lines.start() as i64, *block.lines.end() as i64);
            let (first, last) = (line + first.min(0), line + last.max(0));
            let all = LineRange { first, last: if block.is_open { i64::MAX } else { last } };
            if last - first < MOST_SHOWN {
                return (LineRange { first, last }, Some(all).filter(|_| block.is_open));
            }
            let start = (line - MOST_SHOWN / 2).clamp(first, last - MOST_SHOWN + 1);
            (LineRange { first: start, last: start + MOST_SHOWN - 1 }, Some(all))
        }));
    }
    Ok(None)
}

/// The code units of a text as bytes; those that are not ASCII as one that is none.
fn units(bytes: Cow<'_, [u8]>, width: usize, big_endian: bool) -> Cow<'_, [u8]> {
    if width == 1 {
        return bytes;
    }
    let unit = |unit: &[u8]| {
        let (value, rest) =
            if big_endian { unit.split_last() } else { unit.split_first() }.unwrap_or((&0, &[]));
        if rest.iter().all(|byte| *byte == 0) && value.is_ascii() { *value } else { u8::MAX }
    };
    bytes.chunks_exact(width).map(unit).collect::<Vec<_>>().into()
}

/// The block around line 0.
fn block(lines: &mut Lines<'_>) -> Option<Block> {
    let (mut place, mut line) = lines.filled(0, -1)?;
    if place < 0 {
        // Of the lines around a blank one, the one inside.
        let below = lines.filled(0, 1).filter(|(_, below)| below.indent >= line.indent);
        (place, line) = below.unwrap_or((place, line));
    }
    if let Some(below) = lines.declaration_below(place).filter(|_| !line.closes()) {
        (place, line) = (below, lines.at(below)?);
    }
    // The lines around the place that have a body, from the inside.
    let mut headers: Vec<isize> = Vec::new();
    let (mut number, mut level) = (place, line.indent + 1);
    // A label, a comment or a line of a preprocessor may be at the left of the function that it is in.
    let (left, is_left) = (line.indent, line.is_comment() || line.is_label());
    while level > 0 && headers.len() < MOST_HEADERS {
        if line.indent < level && !line.is_blank() {
            if !lines.may_look() {
                break;
            }
            if lines.is_function(number) {
                headers.push(number);
                let block = lines.whole(number);
                if *block.lines.end() >= place.max(0) {
                    return Some(block);
                }
                level = line.indent;
            } else if line.text.starts_with(b"{") && lines.is_element(number) {
                headers.push(number);
                level = line.indent;
            } else if line.closes() || line.text.starts_with(b"{") || line.begins_with(GOES_ON) {
                // What it ends, or goes on with, begins at the same indentation.
                level = line.indent + 1;
            } else if number == place
                || (line.is_header() && !line.is_comment() && !(is_left && line.indent == left))
            {
                headers.push(number);
                level = line.indent + usize::from(number == place && is_left);
                if number < place && line.is_attached() {
                    // The place is inside of an attribute of several lines.
                    let end = lines.end(number).0;
                    if let Some(below) = lines.declaration_below(end) {
                        return Some(lines.whole(below));
                    }
                }
            }
        }
        number -= 1;
        let Some(above) = lines.at(number) else { break };
        line = above;
    }
    let mut found = None;
    for header in headers {
        let (last, is_open) = lines.end(header);
        if last < place.max(0) || last == header {
            continue;
        }
        let size = last - header;
        if lines.at(header)?.declares(CLASSES) {
            return Some(lines.whole(header)).filter(|_| (size as i64) < MOST_SHOWN).or(found);
        }
        if found.is_none() || size < SMALL {
            found = Some(Block { lines: header..=last, is_open });
        }
        if size as i64 >= MOST_SHOWN {
            // Those around it are longer.
            break;
        }
    }
    found.or_else(|| section(lines, is_name, is_assigned))
}

/// Whether it is a heading of Markdown.
fn is_heading(line: Line<'_>) -> bool {
    let level = line.text.iter().take_while(|byte| **byte == b'#').count();
    (1..=6).contains(&level) && line.indent < 4 && line.text.get(level) == Some(&b' ')
}

/// Whether it begins a stanza of a configuration, as `[name]` does.
fn is_name(line: Line<'_>) -> bool {
    let name = line.text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or_default();
    line.indent == 0
        && name.first().is_some_and(|byte| !byte.is_ascii_digit())
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"[]_.-/:\"' ".contains(byte))
}

/// Whether it may be in a stanza.
fn is_assigned(line: Line<'_>) -> bool {
    line.indent > 0 || line.is_blank() || b"#;])}".contains(&line.text[0]) || line.text.contains(&b'=')
}

/// What is around line 0 from a line that names it to the next one, if every line in between may be in it.
fn section(
    lines: &mut Lines<'_>,
    is_name: fn(Line<'_>) -> bool,
    may_have: fn(Line<'_>) -> bool,
) -> Option<Block> {
    let mut first = 0;
    while !is_name(lines.at(first)?) {
        lines.at(first).filter(|line| may_have(*line) && lines.may_look())?;
        first -= 1;
    }
    let (mut last, mut number) = (0, 1);
    while let Some(line) = lines.at(number).filter(|line| !is_name(*line) && may_have(*line)) {
        last = if line.is_blank() { last } else { number };
        number += 1;
    }
    let is_open = lines.at(number).is_none() && !lines.is_ended();
    Some(Block { lines: first..=last, is_open })
}
