//! UTF-16 and UTF-32.

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::{as_count, legacy};

/// How many units of UTF-16 `skip_16` processes at a time.
const PIECE_UNITS: usize = 4096;

/// The high bytes of lead and trail surrogates, without their low two bits.
const LEAD: u8 = 0xD8;
const TRAIL: u8 = 0xDC;

/// The index of the high byte in a unit.
fn high_byte(big_endian: bool) -> usize {
    usize::from(!big_endian)
}

/// Whether the unit at `position` exists and is a surrogate of the given kind.
fn is_surrogate(bytes: &[u8], position: usize, big_endian: bool, kind: u8) -> bool {
    position + 2 <= bytes.len() && bytes[position + high_byte(big_endian)] & 0xFC == kind
}

/// See [`super::Codec::decode_into`].
pub fn decode_16_into(bytes: &[u8], big_endian: bool, out: &mut String) -> bool {
    // The odd byte is not passed to the decoder, which would merge it with a lone surrogate before it.
    let (whole, odd) = bytes.split_at(bytes.len() / 2 * 2);
    let replaced = legacy::decode_into(if big_endian { UTF_16BE } else { UTF_16LE }, whole, out);
    if !odd.is_empty() {
        out.push(char::REPLACEMENT_CHARACTER);
    }
    replaced || !odd.is_empty()
}

/// See [`super::Codec::count_chars`].
pub fn count_16(bytes: &[u8], big_endian: bool) -> u64 {
    as_count(bytes.len().div_ceil(2)) - count_pairs(bytes, big_endian)
}

/// How many lead surrogates are followed by a trail surrogate.
///
/// The compiler vectorizes 16-bit sums over blocks that cannot overflow them. The mask is byte-swapped
/// instead of the data.
fn count_pairs(bytes: &[u8], big_endian: bool) -> u64 {
    let in_order = |high: u8| u16::from_le_bytes(if big_endian { [high, 0] } else { [0, high] });
    let (mask, lead, trail) = (in_order(0xFC), in_order(LEAD), in_order(TRAIL));
    let (units, _) = bytes.as_chunks::<2>();
    let Some((_, followers)) = units.split_first() else { return 0 };
    units
        .chunks(4096)
        .zip(followers.chunks(4096))
        .map(|(units, followers)| {
            units.iter().zip(followers).fold(0_u16, |pairs, (unit, follower)| {
                let leads = u16::from_le_bytes(*unit) & mask == lead;
                let follows = u16::from_le_bytes(*follower) & mask == trail;
                pairs.wrapping_add(u16::from(leads & follows))
            })
        })
        .map(u64::from)
        .sum()
}

/// See [`super::Codec::skip_chars`].
pub fn skip_16(bytes: &[u8], big_endian: bool, chars: u64) -> (usize, u64) {
    let mut position = 0;
    let mut done = 0;
    while done < chars && position < bytes.len() {
        let rest = &bytes[position..];
        // A character takes at least one unit, so this many units cannot hold too many characters.
        let units = usize::try_from(chars - done).unwrap_or(usize::MAX).min(PIECE_UNITS);
        let mut length = (2 * units).min(rest.len());
        if is_surrogate(rest, length.saturating_sub(2), big_endian, LEAD)
            && is_surrogate(rest, length, big_endian, TRAIL)
        {
            // The last unit is half a pair: leave it out, or take both halves if it is the only unit.
            length = if length > 2 { length - 2 } else { 4 };
        }
        done += count_16(&rest[..length], big_endian);
        position += length;
    }
    (position, done)
}

/// See [`super::Codec::boundary`].
pub fn boundary_16(bytes: &[u8], big_endian: bool, at: usize) -> usize {
    let position = at.next_multiple_of(2);
    // The other half of the pair may lie before the start of `bytes`.
    let may_follow_lead = position < 2 || is_surrogate(bytes, position - 2, big_endian, LEAD);
    let inside = may_follow_lead && is_surrogate(bytes, position, big_endian, TRAIL);
    (position + if inside { 2 } else { 0 }).min(bytes.len())
}

/// See [`super::Codec::floor_boundary`].
pub fn floor_16(bytes: &[u8], big_endian: bool, at: usize) -> usize {
    let position = at / 2 * 2;
    let is_half = position >= 2
        && is_surrogate(bytes, position - 2, big_endian, LEAD)
        && (position + 2 > bytes.len() || is_surrogate(bytes, position, big_endian, TRAIL));
    if is_half { position - 2 } else { position }
}

/// See [`super::Codec::decode_into`].
pub fn decode_32_into(bytes: &[u8], big_endian: bool, out: &mut String) -> bool {
    let mut replaced = false;
    let units = bytes.chunks_exact(4);
    let tail = units.remainder();
    out.reserve(bytes.len() / 4);
    for unit in units {
        let unit = [unit[0], unit[1], unit[2], unit[3]];
        let value = if big_endian { u32::from_be_bytes(unit) } else { u32::from_le_bytes(unit) };
        let character = char::from_u32(value);
        replaced |= character.is_none();
        out.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !tail.is_empty() {
        out.push(char::REPLACEMENT_CHARACTER);
    }
    replaced || !tail.is_empty()
}

/// See [`super::Codec::count_chars`].
pub fn count_32(bytes: &[u8]) -> u64 {
    as_count(bytes.len().div_ceil(4))
}

/// See [`super::Codec::skip_chars`].
pub fn skip_32(bytes: &[u8], chars: u64) -> (usize, u64) {
    let taken = usize::try_from(chars).unwrap_or(usize::MAX).saturating_mul(4).min(bytes.len());
    (taken, count_32(&bytes[..taken]))
}
