//! Lines of a text that is decoded or made while it is read.

use memchr::memchr;

use crate::encoding::{count_starts, is_start};

/// What a line counts besides its text, in bytes.
const EACH: usize = 16;

/// A line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number, counted from 1.
    pub number: u64,
    /// As much of it as was requested, without its line ending.
    pub text: String,
    /// The number of its characters.
    pub chars: u64,
    /// The images that were put into it, each after so many characters of `text`.
    pub images: Vec<(u64, usize)>,
}

impl Line {
    /// Whether `text` is not all of it.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.chars > count_starts(self.text.as_bytes())
    }
}

/// Which lines of a text are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The first line, counted from 1.
    pub first: u64,
    /// The number of lines.
    pub lines: u64,
    /// The first character of the first line, counted from 1.
    pub column: u64,
    /// The most characters of a line.
    pub chars: u64,
    /// Roughly the most bytes of all lines; at least one line is returned.
    pub bytes: usize,
}

/// Some lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// The lines.
    pub lines: Vec<Line>,
    /// The number of all lines, if the end of the text was reached.
    pub total: Option<u64>,
    /// Whether bytes were replaced that are not valid UTF-8.
    pub is_lossy: bool,
    /// Whether the text has no end, as a torn string.
    pub is_torn: bool,
}

/// Takes the wanted lines from a text that is made part after part.
pub struct LineTaker {
    wanted: Wanted,
    found: Lines,
    line: OpenLine,
    /// The bytes of the lines that are complete.
    bytes: usize,
    /// Whether the last line has any text.
    has_text: bool,
    is_full: bool,
}

impl LineTaker {
    /// A taker at the start of a text.
    #[must_use]
    pub fn new(wanted: Wanted) -> Self {
        Self::at(1, wanted)
    }

    /// A taker at the start of a line, which is not after the first one that is wanted.
    #[must_use]
    pub fn at(line: u64, wanted: Wanted) -> Self {
        let line = OpenLine::new(line, wanted);
        Self { wanted, found: Lines::default(), line, bytes: 0, has_text: false, is_full: false }
    }

    /// The number of the line that begins here; `None` inside of a line.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        (!self.has_text && !self.is_full).then_some(self.line.number)
    }

    /// Takes the next part, which is valid UTF-8, and whether it replaces bytes that are not; returns whether more
    /// is wanted.
    pub fn take(&mut self, part: &[u8], is_replaced: bool) -> bool {
        self.line.is_lossy |= is_replaced && self.line.last > 0;
        self.has_text |= !part.is_empty();
        let mut rest = part;
        while let Some(at) = memchr(b'\n', rest).filter(|_| !self.is_full) {
            self.line.push(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            let number = self.line.number;
            if number >= self.wanted.first {
                // An empty line takes memory, too.
                self.bytes += self.line.text.len() + EACH;
                self.found.take(&mut self.line);
            }
            self.line = OpenLine::new(number + 1, self.wanted);
            self.has_text = !rest.is_empty();
            self.is_full = number + 1 >= self.wanted.first.saturating_add(self.wanted.lines)
                || self.bytes > self.wanted.bytes;
        }
        if !self.is_full {
            self.line.push(rest);
        }
        !self.is_full
    }

    /// Puts an image after the last character, unless that is not wanted.
    pub fn put_image(&mut self, image: usize) {
        let line = &mut self.line;
        if !self.is_full && line.is_kept(line.chars) {
            line.images.push((line.chars - (line.first - 1), image));
        }
    }

    /// Whether the next character is in a line before those that are wanted.
    #[must_use]
    pub fn is_before(&self) -> bool {
        self.line.number < self.wanted.first
    }

    /// The lines, and how many there are if all parts were taken.
    #[must_use]
    pub fn finish(mut self) -> Lines {
        if !self.is_full {
            self.found.total = Some(self.line.number - u64::from(!self.has_text));
            if self.line.number >= self.wanted.first && self.has_text {
                self.found.take(&mut self.line);
            }
        }
        self.found
    }
}

impl Lines {
    fn take(&mut self, line: &mut OpenLine) {
        let mut bytes = std::mem::take(&mut line.text);
        // The CR of a line ending.
        if line.ends_with_cr {
            line.chars -= 1;
            if line.is_kept(line.chars + 1) {
                bytes.pop();
            }
        }
        self.is_lossy |= line.is_lossy;
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let images = std::mem::take(&mut line.images);
        self.lines.push(Line { number: line.number, text, chars: line.chars, images });
    }
}

/// A line that is being decoded.
struct OpenLine {
    number: u64,
    text: Vec<u8>,
    chars: u64,
    /// The characters that are kept, counted from 1.
    first: u64,
    last: u64,
    ends_with_cr: bool,
    is_lossy: bool,
    images: Vec<(u64, usize)>,
}

impl OpenLine {
    fn new(number: u64, wanted: Wanted) -> Self {
        let first = if number == wanted.first { wanted.column } else { 1 };
        let last = if number < wanted.first { 0 } else { (first - 1).saturating_add(wanted.chars) };
        Self {
            number,
            text: Vec::new(),
            chars: 0,
            first,
            last,
            ends_with_cr: false,
            is_lossy: false,
            images: Vec::new(),
        }
    }

    fn is_kept(&self, char: u64) -> bool {
        (self.first..=self.last).contains(&char)
    }

    fn push(&mut self, part: &[u8]) {
        if self.last == 0 {
            self.chars += u64::from(!part.is_empty());
            return;
        }
        let chars = count_starts(part);
        if self.chars > self.last {
            self.chars += chars;
        } else if self.is_kept(self.chars.max(1)) && self.chars + chars <= self.last {
            self.text.extend_from_slice(part);
            self.chars += chars;
        } else {
            for &byte in part {
                self.chars += u64::from(is_start(byte));
                if self.is_kept(self.chars) {
                    self.text.push(byte);
                }
            }
        }
        if let Some(&last) = part.last() {
            self.ends_with_cr = last == b'\r';
        }
    }
}
