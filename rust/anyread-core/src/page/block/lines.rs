//! The lines around a line, which are found as far as they are looked at.

use super::line::Line;

/// How many lines before and after a line are looked at, at most.
const MOST_LINES: isize = 2_500;
/// How many lines are looked at closely, at most; of those that are indented more, only the indentation counts.
const MOST_LOOKS: usize = 512;
/// The maximum number of lines of a signature.
pub const SIGNATURE: isize = 64;
/// How far quotes are searched for at once, in bytes.
const QUOTES: usize = 256;

/// The lines around a line, which is number 0.
pub struct Lines<'a> {
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
    pub is_cut: bool,
    /// How many lines have been looked at closely.
    looks: usize,
}

impl<'a> Lines<'a> {
    /// The lines of some bytes; the place begins at `start`. Each code unit is a byte, and `ending` ends a line.
    ///
    /// `is_at` is whether the bytes are those at the start and at the end of the text.
    pub fn new(bytes: &'a [u8], start: usize, ending: u8, is_at: (bool, bool)) -> Self {
        let (top, bottom) = (start.checked_sub(1), Some(start));
        let (above, below) = (Vec::new(), Vec::new());
        let (is_at_start, is_at_end) = is_at;
        Self { bytes, ending, above, below, top, bottom, is_at_start, is_at_end, is_cut: false, looks: 0 }
    }

    /// Whether one more line may be looked at closely.
    pub fn may_look(&mut self) -> bool {
        self.looks += 1;
        self.looks <= MOST_LOOKS
    }

    /// Whether the last line of the text was looked at.
    pub fn is_ended(&self) -> bool {
        self.bottom.is_none() && self.is_at_end
    }

    /// A line, if it is among those that are looked at.
    #[inline]
    pub fn at(&mut self, number: isize) -> Option<Line<'a>> {
        let known = if number < 0 { &self.above } else { &self.below };
        known.get(index(number)).copied().or_else(|| self.find(number))
    }

    /// A line that is not known yet; also finds some after it.
    #[cold]
    fn find(&mut self, number: isize) -> Option<Line<'a>> {
        if number.abs() > MOST_LINES {
            return None;
        }
        let wanted = index(number) + 1;
        let most = (wanted + wanted / 4).min(index(if number < 0 { -MOST_LINES } else { MOST_LINES }) + 1);
        if number < 0 {
            while self.above.len() < most
                && let Some(end) = self.top
            {
                self.top = memchr::memrchr(self.ending, &self.bytes[..end]);
                if self.top.is_some() || self.is_at_start {
                    self.above.push(Line::of(&self.bytes[self.top.map_or(0, |at| at + 1)..end]));
                }
            }
            self.is_cut |= self.above.len() < wanted && !self.is_at_start;
            return self.above.get(index(number)).copied();
        }
        while self.below.len() < most
            && let Some(start) = self.bottom
        {
            let rest = &self.bytes[start..];
            let length = memchr::memchr(self.ending, rest);
            self.bottom = length.map(|length| start + length + 1).filter(|next| *next < self.bytes.len());
            if length.is_some() || self.is_at_end {
                self.below.push(Line::of(&rest[..length.unwrap_or(rest.len())]));
            }
        }
        self.is_cut |= self.below.len() < wanted && !self.is_at_end;
        self.below.get(index(number)).copied()
    }

    /// Whether a line may have a quote; before `next`, which is found for one line after another, there is none.
    pub fn may_have_quote(&self, line: Line<'_>, next: &mut usize) -> bool {
        let start = line.text.as_ptr() as usize - self.bytes.as_ptr() as usize;
        if *next < start {
            let rest = &self.bytes[start..self.bytes.len().min(start + QUOTES)];
            *next = start + memchr::memchr2(b'"', b'\'', rest).unwrap_or(rest.len());
        }
        *next < start + line.text.len()
    }

    /// The next line that is not blank, from a line in one direction.
    pub fn filled(&mut self, mut number: isize, step: isize) -> Option<(isize, Line<'a>)> {
        loop {
            match self.at(number)? {
                line if line.is_blank() => number += step,
                line => return Some((number, line)),
            }
        }
    }

    /// The next line after a line that is not indented more, if it is near.
    pub fn level_after(&mut self, number: isize, indent: usize) -> Option<Line<'a>> {
        let lines = (number + 1)..(number + SIGNATURE);
        lines
            .map_while(|each| self.at(each).filter(|_| self.may_look()))
            .find(|line| !line.is_blank() && line.indent <= indent)
    }
}

/// Where a line is among those above, or those below.
fn index(number: isize) -> usize {
    if number < 0 { number.unsigned_abs() - 1 } else { number.unsigned_abs() }
}
