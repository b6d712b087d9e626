//! Finding and counting line endings in bytes, under each of the rules.
//!
//! An ending may have several bytes, and a scan is divided into blocks.
//! So each ending is counted at one of its bytes, chosen so that the few bytes before it determine whether it
//! is an ending: CR LF is counted at its CR, any other ending at its last byte.

use std::ops::Range;

use super::vectors;
use crate::encoding::Codec;

/// Bytes before a block that determine how its first endings are counted; a multiple of every code unit.
pub const BEHIND: usize = 4;
/// Bytes that are compared in parallel before the search examines each of them.
const STRIPE: usize = 32;
/// How many comparisons are summed at a time, so that their count does not overflow a byte.
const GROUP: usize = 192;

const CR: u32 = 0x0D;

/// Which characters end a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineEnds {
    /// LF and CR LF; CR in a file that has no LF.
    #[default]
    Detected,
    /// LF; a CR before it belongs to the line.
    Lf,
    /// LF and CR LF.
    LfCrlf,
    /// LF, CR LF and CR.
    LfCrlfCr,
    /// The characters at which Python's `str.splitlines` splits.
    SplitLines,
}

/// What ends a line: a code unit of `width` bytes, and the additions of `rule`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Terminator {
    /// Bytes of a code unit: 1, 2 or 4. Positions are multiples of it.
    pub width: usize,
    /// Byte order of units wider than a byte.
    pub big_endian: bool,
    /// The value of LF or CR: `b'\n'` or `b'\r'`, and 0x25 for the LF of EBCDIC.
    pub value: u8,
    /// What else ends a line.
    pub rule: Rule,
}

/// What belongs to an ending in addition to its code unit, and what else is an ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Only the code unit is an ending.
    Unit,
    /// A CR before the unit belongs to the ending.
    OptionalCr,
    /// A CR is also an ending; a CR and the unit after it are one ending.
    AnyNewline,
    /// The characters of `str.splitlines`, in this encoding.
    SplitLines(Charset),
}

/// The encoding of the characters of `str.splitlines` if a code unit is one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Charset {
    /// UTF-8, in which three of them have two or three bytes.
    Utf8,
    /// An encoding in which they are these single bytes.
    Bytes(ByteSet),
}

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    fn contains(self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

/// Whether `str.splitlines` splits at a character.
fn splits(character: u32) -> bool {
    matches!(character, 0x0A..=0x0D | 0x1C..=0x1E | 0x85 | 0x2028 | 0x2029)
}

impl Charset {
    fn of(codec: Codec) -> Self {
        if codec == Codec::Utf8 {
            return Self::Utf8;
        }
        let mut bytes = ByteSet::default();
        for byte in 0..=u8::MAX {
            let mut text = String::new();
            // In multi-byte encodings a non-ASCII byte is not a character by itself.
            let is_character =
                (byte.is_ascii() || codec.is_single_byte()) && !codec.decode_into(&[byte], &mut text);
            if is_character && text.chars().all(|character| splits(character.into())) && !text.is_empty() {
                bytes.insert(byte);
            }
        }
        Self::Bytes(bytes)
    }
}

impl Terminator {
    /// The terminator for a text in `codec` under a rule; for [`LineEnds::Detected`] it is LF and CR LF.
    #[must_use]
    pub fn new(codec: Codec, ends: LineEnds) -> Self {
        let big_endian =
            matches!(codec, Codec::Utf16 { big_endian: true } | Codec::Utf32 { big_endian: true });
        let rule = match ends {
            LineEnds::Detected | LineEnds::LfCrlf => Rule::OptionalCr,
            LineEnds::Lf => Rule::Unit,
            LineEnds::LfCrlfCr => Rule::AnyNewline,
            LineEnds::SplitLines => Rule::SplitLines(Charset::of(codec)),
        };
        Self { width: codec.unit(), big_endian, value: codec.line_feed(), rule }
    }

    /// A terminator that is only a code unit, with another value.
    #[must_use]
    pub fn unit(self, value: u8) -> Self {
        Self { value, rule: Rule::Unit, ..self }
    }

    /// Whether a CR before the unit belongs to the ending.
    #[must_use]
    pub fn takes_cr(self) -> bool {
        self.rule == Rule::OptionalCr
    }

    /// Whether a single code unit determines where a line ends.
    #[must_use]
    pub fn is_single(self) -> bool {
        matches!(self.rule, Rule::Unit | Rule::OptionalCr)
    }

    /// Whether each LF byte, and nothing else, ends a line.
    #[must_use]
    pub fn is_line_feed(self) -> bool {
        self.width == 1 && self.is_single() && self.value == b'\n'
    }

    /// How many bytes before a block determine how its first endings are counted.
    #[must_use]
    pub fn behind(self) -> usize {
        if self.is_single() { 0 } else { BEHIND }
    }

    /// How many endings are counted in `bytes`, which begins at the start of a unit and follows `before`.
    #[must_use]
    pub fn count(self, before: &[u8], bytes: &[u8]) -> usize {
        match (self.width, self.big_endian) {
            _ if !self.is_single() => self.count_behind(before, bytes),
            (1, _) => vectors::count(bytes, self.value),
            (2, false) => self.count_units(bytes, |unit: [u8; 2]| u16::from_le_bytes(unit).into()),
            (2, true) => self.count_units(bytes, |unit: [u8; 2]| u16::from_be_bytes(unit).into()),
            (_, false) => self.count_units(bytes, u32::from_le_bytes),
            (_, true) => self.count_units(bytes, u32::from_be_bytes),
        }
    }

    fn count_units<const WIDTH: usize>(self, bytes: &[u8], unit: impl Fn([u8; WIDTH]) -> u32) -> usize {
        let value = u32::from(self.value);
        bytes.as_chunks::<WIDTH>().0.iter().filter(|chunk| unit(**chunk) == value).count()
    }

    /// Counts endings under a rule that depends on the bytes before them.
    fn count_behind(self, before: &[u8], bytes: &[u8]) -> usize {
        let before = &before[before.len().saturating_sub(BEHIND)..];
        let (edge, rest) = bytes.split_at(BEHIND.min(bytes.len()));
        let joined = [before, edge].concat();
        let is_counted = |bytes: &[u8], at: usize| usize::from(self.is_counted(bytes, at));
        let first: usize =
            (before.len()..joined.len()).step_by(self.width).map(|at| is_counted(&joined, at)).sum();
        if self.width > 1 || matches!(self.rule, Rule::SplitLines(Charset::Bytes(_))) {
            let others = (edge.len()..bytes.len()).step_by(self.width);
            return first + others.map(|at| is_counted(bytes, at)).sum::<usize>();
        }
        let triples = |test: fn(u8, u8, u8, u8) -> bool| {
            let (second, third) = (bytes.get(3..).unwrap_or_default(), bytes.get(2..).unwrap_or_default());
            let groups = rest.chunks(GROUP).zip(second.chunks(GROUP)).zip(third.chunks(GROUP));
            let sums = groups.map(|((here, second), third)| {
                let bytes = here.iter().zip(second).zip(third);
                bytes.fold(0_u8, |sum, ((here, second), third)| {
                    sum.wrapping_add(u8::from(test(*here, *second, *third, self.value)))
                })
            });
            sums.map(usize::from).sum::<usize>()
        };
        first + if self.rule == Rule::AnyNewline { triples(is_newline) } else { triples(is_split) }
    }

    /// Whether an ending is counted at the unit at `at`.
    fn is_counted(self, bytes: &[u8], at: usize) -> bool {
        let unit = self.value_at(bytes, at);
        let is_pair = unit == Some(u32::from(self.value))
            && at.checked_sub(self.width).is_some_and(|before| self.value_at(bytes, before) == Some(CR));
        !is_pair && self.ends_at(bytes, at).is_some()
    }

    /// The value of the unit that begins at `at`.
    fn value_at(self, bytes: &[u8], at: usize) -> Option<u32> {
        let unit = bytes.get(at..at + self.width)?;
        let digit = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        Some(if self.big_endian { unit.iter().fold(0, digit) } else { unit.iter().rev().fold(0, digit) })
    }

    /// The start of the ending whose last unit, or whose CR, begins at `at`.
    fn ends_at(self, bytes: &[u8], at: usize) -> Option<usize> {
        let unit = self.value_at(bytes, at)?;
        let is_here = match self.rule {
            Rule::Unit | Rule::OptionalCr => unit == u32::from(self.value),
            Rule::AnyNewline => unit == u32::from(self.value) || unit == CR,
            Rule::SplitLines(_) if self.width > 1 => splits(unit),
            Rule::SplitLines(Charset::Bytes(set)) => set.contains(bytes[at]),
            Rule::SplitLines(Charset::Utf8) => match unit {
                0x85 => return at.checked_sub(1).filter(|start| bytes[*start] == 0xC2),
                0xA8 | 0xA9 => return at.checked_sub(2).filter(|start| bytes[*start..at] == [0xE2, 0x80]),
                _ => splits(unit),
            },
        };
        is_here.then_some(at)
    }

    /// The range of the first ending at or after `from`, without a CR that [belongs to it](Self::takes_cr).
    ///
    /// An incomplete ending at the end of `bytes` is not found; see [`Terminator::may_go_on`] for a CR.
    #[must_use]
    pub fn find(self, bytes: &[u8], from: usize) -> Option<Range<usize>> {
        let tail = bytes.get(from..)?;
        if self.is_single() {
            let start = if self.width == 1 {
                memchr::memchr(self.value, tail).map(|at| from + at)
            } else {
                memchr::memchr_iter(self.value, tail).find_map(|at| self.unit_with_value_at(bytes, from + at))
            };
            return start.map(|start| start..start + self.width);
        }
        let mut at = from;
        loop {
            at = self.candidate(bytes, at)?;
            if let Some(start) = self.ends_at(bytes, at).filter(|start| *start >= from) {
                let end = at + self.width;
                let has_lf = self.value_at(bytes, at) == Some(CR)
                    && self.value_at(bytes, end) == Some(u32::from(self.value));
                return Some(start..if has_lf { end + self.width } else { end });
            }
            at += self.width;
        }
    }

    /// The first unit at or after `at` that may be the last of an ending.
    fn candidate(self, bytes: &[u8], at: usize) -> Option<usize> {
        let tail = bytes.get(at..)?;
        match self.rule {
            Rule::AnyNewline if self.width == 1 => {
                memchr::memchr2(self.value, b'\r', tail).map(|found| at + found)
            }
            Rule::SplitLines(Charset::Utf8) => {
                // Vector comparisons skip stripes that contain none of these bytes.
                let is_any = |stripe: &[u8]| stripe.iter().fold(false, |any, byte| any | may_split(*byte));
                let stripe = tail.chunks(STRIPE).position(is_any)? * STRIPE;
                tail[stripe..].iter().position(|byte| may_split(*byte)).map(|found| at + stripe + found)
            }
            _ => (at..bytes.len()).step_by(self.width).find(|at| self.ends_at(bytes, *at).is_some()),
        }
    }

    /// Whether `ending` is at the end of `bytes` and begins with a CR, so that the next LF may belong to it.
    #[must_use]
    pub fn may_go_on(self, bytes: &[u8], ending: &Range<usize>) -> bool {
        !self.is_single() && ending.end == bytes.len() && self.value_at(bytes, ending.start) == Some(CR)
    }

    /// The unit at which an ending of `bytes` is counted.
    #[must_use]
    pub fn counted_at(self, bytes: &[u8], ending: &Range<usize>) -> usize {
        let is_cr = self.value_at(bytes, ending.start) == Some(CR);
        if is_cr { ending.start } else { ending.end - self.width }
    }

    /// The start of the last terminator in `bytes`, if it [is a single unit](Self::is_single).
    #[must_use]
    pub fn rfind(self, bytes: &[u8]) -> Option<usize> {
        if self.width == 1 {
            return memchr::memrchr(self.value, bytes);
        }
        memchr::memrchr_iter(self.value, bytes).find_map(|at| self.unit_with_value_at(bytes, at))
    }

    /// Whether `bytes` ends with an ending.
    #[must_use]
    pub fn ends(self, bytes: &[u8]) -> bool {
        let last = bytes.len().checked_sub(self.width).filter(|last| last.is_multiple_of(self.width));
        last.is_some_and(|last| self.ends_at(bytes, last).is_some())
    }

    /// Whether the code unit itself begins at `at`.
    #[must_use]
    pub fn is_at(self, bytes: &[u8], at: usize) -> bool {
        at.is_multiple_of(self.width) && self.value_at(bytes, at) == Some(u32::from(self.value))
    }

    /// The end of the line from `start`, whose ending begins at `end`, without a CR of that ending.
    #[must_use]
    pub fn without_cr(self, bytes: &[u8], start: usize, end: usize) -> usize {
        match end.checked_sub(self.width) {
            Some(before) if self.takes_cr() && before >= start && self.unit(b'\r').is_at(bytes, before) => {
                before
            }
            _ => end,
        }
    }

    /// The start of the unit whose value byte is at `at`, if that unit is a terminator.
    fn unit_with_value_at(self, bytes: &[u8], at: usize) -> Option<usize> {
        let start = if self.big_endian { (at + 1).checked_sub(self.width)? } else { at };
        self.is_at(bytes, start).then_some(start)
    }
}

/// Whether an ending of LF, CR LF or CR is counted at `here`.
#[expect(clippy::needless_bitwise_bool, reason = "can be vectorized")]
fn is_newline(here: u8, before: u8, _: u8, lf: u8) -> bool {
    (here == b'\r') | ((here == lf) & (before != b'\r'))
}

/// Whether an ending of `str.splitlines` is counted at `here`, its last byte in UTF-8.
#[expect(clippy::needless_bitwise_bool, reason = "can be vectorized")]
fn is_split(here: u8, before: u8, second: u8, _: u8) -> bool {
    let is_control = (here.wrapping_sub(0x0B) < 3) | (here.wrapping_sub(0x1C) < 3);
    let is_lf = (here == b'\n') & (before != b'\r');
    let is_nel = (here == 0x85) & (before == 0xC2);
    let is_separator = ((here == 0xA8) | (here == 0xA9)) & (before == 0x80) & (second == 0xE2);
    is_control | is_lf | is_nel | is_separator
}

/// Whether a byte may be the last of an ending of `str.splitlines` in UTF-8.
#[expect(clippy::needless_bitwise_bool, reason = "can be vectorized")]
fn may_split(byte: u8) -> bool {
    (byte.wrapping_sub(0x0A) < 4)
        | (byte.wrapping_sub(0x1C) < 3)
        | (byte == 0x85)
        | (byte == 0xA8)
        | (byte == 0xA9)
}
