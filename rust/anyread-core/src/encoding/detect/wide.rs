//! Detection of UTF-16 without a mark.

use memchr::{memchr, memchr_iter};

use super::{TEXT_BYTES_PER_CONTROL, WIDE_WINDOW};
use crate::encoding::{Codec, plausible};

/// How many rows of 256 characters have at least four in five letters of a text.
const SCRIPT_ROWS: usize = 6;

/// How many ideographs of one row a short text may contain.
const FEW_IDEOGRAPHS: usize = 32;

/// In fewer bytes than this, NULs alone are weak evidence of UTF-16.
const SHORT_WINDOW: usize = 16;

/// How many characters are enough evidence of UTF-32.
const SHORTEST_UTF32: usize = 4;

/// UTF-16 or UTF-32 without a mark.
pub(crate) fn unmarked(head: &[u8]) -> Option<Codec> {
    let utf32 = [false, true].into_iter().find(|big_endian| is_utf32(head, *big_endian));
    let utf16 = || wide_by_nul_parity(head).map(|big_endian| Codec::Utf16 { big_endian });
    utf32.map(|big_endian| Codec::Utf32 { big_endian }).or_else(utf16)
}

/// Whether this is UTF-32 without a mark: only usual characters, of which more than a third are letters or spaces.
///
/// Integers of four bytes are other characters, or controls.
fn is_utf32(head: &[u8], big_endian: bool) -> bool {
    let units = head[..head.len().min(WIDE_WINDOW)].as_chunks::<4>().0;
    let as_number = if big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
    let characters = || units.iter().map(|unit| char::from_u32(as_number(*unit)).unwrap_or_default());
    let is_word = |it: &char| it.is_alphabetic() || it.is_whitespace();
    units.len() >= SHORTEST_UTF32
        && characters().all(plausible::is_usual)
        && characters().filter(is_word).count() * 3 > units.len()
}

/// Whether UTF-16 without a mark is big-endian, which shows in the NULs that are the high bytes of ASCII;
/// `None` if this is not UTF-16.
///
/// Texts in all languages have such NULs, for spaces and newlines. The text must also look like text in that
/// byte order.
fn wide_by_nul_parity(head: &[u8]) -> Option<bool> {
    let window = &head[..head.len().min(WIDE_WINDOW)];
    if window.len() < 4 || memchr(0, window).is_none() {
        return None;
    }
    let is_utf8 = match std::str::from_utf8(window) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    // Read as UTF-8, it must have too many controls for a text: NULs, or the high bytes of Cyrillic. Those of
    // other scripts are tabs, line ends or letters, but most of them are the same byte.
    let controls = window.iter().filter(|byte| **byte < 8).count();
    let is_text = is_utf8 && controls * TEXT_BYTES_PER_CONTROL <= window.len();
    let is_possible = |big_endian: bool| !is_text || has_one_high_byte(window, big_endian);
    // Pairs of ASCII characters look like ideographs.
    let most_ideographs = |ascii: usize| if is_utf8 { ascii / 2 } else { usize::MAX };
    let least_ascii = window.len().div_ceil(200);
    // In a short text, a line feed that would be half of a character (U+0A62 in `a NUL b LF`) rules it out.
    let splits_lf = |big_endian: bool| {
        let lf = if big_endian { [0, b'\n'] } else { [b'\n', 0] };
        let has_lf = || window.as_chunks::<2>().0.contains(&lf);
        window.len() < SHORT_WINDOW && memchr(b'\n', window).is_some() && !has_lf()
    };
    let orders = [false, true].into_iter();
    orders.filter(|big_endian| is_possible(*big_endian) && !splits_lf(*big_endian)).find(|big_endian| {
        reads_as_text(window, *big_endian)
            .is_some_and(|seen| seen.ascii >= least_ascii && seen.ideographs <= most_ideographs(seen.ascii))
    })
}

/// Whether UTF-16 has a line of ASCII, which would be ideographs in it.
///
/// In UTF-16, a CR is not next to an LF, with two letters of ASCII before it. An LF alone may be half of a
/// character, such as U+4E0A, unless all bytes are ASCII or it is the last one.
pub(super) fn has_narrow_line(bytes: &[u8]) -> bool {
    let is_ascii = bytes.is_ascii();
    let may_end_line = |lf: usize| bytes.get(lf + 1).is_none_or(|next| is_ascii && *next != 0);
    memchr_iter(b'\n', bytes).any(|lf| {
        let line = &bytes[..lf];
        let (line, is_end) = match line.strip_suffix(b"\r") {
            Some(line) => (line, true),
            None => (line, may_end_line(lf)),
        };
        is_end && matches!(line, [.., b'\t' | b' '..=b'~', b'\t' | b' '..=b'~'])
    })
}

/// Whether more than half of the high bytes of UTF-16 are the same, as in a text of one script.
fn has_one_high_byte(window: &[u8], big_endian: bool) -> bool {
    let mut counts = [0_usize; 256];
    for byte in window.iter().skip(usize::from(!big_endian)).step_by(2) {
        counts[usize::from(*byte)] += 1;
    }
    counts.iter().any(|count| *count * 4 > window.len())
}

/// How many characters of a text are in some classes.
#[derive(Debug, Default, Clone, Copy)]
struct CharacterCounts {
    ascii: usize,
    ideographs: usize,
}

/// The character counts of UTF-16, if it is text.
///
/// In text, 98 in 100 characters are usual ones, the ideographs are not all from one row of 256, and the others
/// are from few rows, unlike those that small integers would be.
fn reads_as_text(window: &[u8], big_endian: bool) -> Option<CharacterCounts> {
    let pairs = window.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
    let units = pairs.map(if big_endian { u16::from_be_bytes } else { u16::from_le_bytes });
    let (mut seen, mut all, mut strange) = (CharacterCounts::default(), 0_usize, 0_usize);
    let (mut rows, mut other_rows) = ([0_usize; 256], [0_usize; 256]);
    for character in char::decode_utf16(units) {
        all += 1;
        let Some(character) = character.ok().filter(|character| plausible::is_usual(*character)) else {
            strange += 1;
            continue;
        };
        seen.ascii += usize::from(character.is_ascii());
        let is_ideograph = character >= '\u{3400}' && !matches!(character, '\u{A000}'..='\u{ABFF}');
        if is_ideograph {
            seen.ideographs += 1;
        }
        let rows = if is_ideograph { &mut rows } else { &mut other_rows };
        if let Some(row) = rows.get_mut(character as usize >> 8) {
            *row += 1;
        }
    }
    // A single lone surrogate may be a truncated pair or damage.
    let is_strange = strange * 50 > all && !(strange == 1 && seen.ascii * 2 > all);
    let in_one_row = rows.iter().any(|row| *row > FEW_IDEOGRAPHS && *row * 2 > seen.ideographs);
    other_rows.sort_unstable_by(|left, right| right.cmp(left));
    let others: usize = other_rows.iter().sum();
    let in_few_rows = other_rows.iter().take(SCRIPT_ROWS).sum::<usize>() * 5 >= others * 4;
    (!is_strange && !in_one_row && in_few_rows).then_some(seen)
}
