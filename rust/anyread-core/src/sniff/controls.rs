//! Invisible characters, and characters that change how others are displayed.

/// How many bytes are examined together; a multiple of the size of vector registers.
const BLOCK: usize = 128;

/// Counts of characters that change or hide what a text appears to say.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ControlCounts {
    /// U+0000.
    pub nul: u64,
    /// The other C0 controls except TAB, LF and CR; DEL; the C1 controls U+0080 to U+009F.
    pub control: u64,
    /// Characters that change text direction: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
    pub bidi: u64,
    /// Characters without width (U+200B to U+200D, U+2060, U+FEFF), and the tags U+E0000 to U+E007F.
    pub invisible: u64,
}

impl ControlCounts {
    /// Whether all counts are 0.
    #[must_use]
    pub fn is_clear(self) -> bool {
        self == Self::default()
    }
}

/// Counts the characters; a text without any costs one vectorized pass, or two if it is not ASCII.
#[must_use]
pub fn count_controls(text: &str) -> ControlCounts {
    let mut counts = ControlCounts::default();
    let bytes = text.as_bytes();
    for start in (0..bytes.len()).step_by(BLOCK) {
        let block = &bytes[start..bytes.len().min(start + BLOCK)];
        if !block.iter().fold(false, |any, byte| any | is_not_plain(*byte)) {
            continue;
        }
        let pairs = block.iter().zip(&bytes[start + 1..]);
        let is_last = start + block.len() == bytes.len();
        if is_last || pairs.fold(false, |any, (byte, next)| any | may_be_counted(*byte, *next)) {
            count_block(bytes, start, block.len(), &mut counts);
        }
    }
    counts
}

/// Whether bytes are only printable ASCII, TAB and LF, in which case most checks of a text can be skipped.
#[expect(clippy::inline_always, reason = "it must be compiled with the target features of its caller")]
#[inline(always)]
#[must_use]
pub fn is_plain(bytes: &[u8]) -> bool {
    let others = |block: &[u8]| block.iter().fold(0, |others, byte| others | u8::from(!is_plain_byte(*byte)));
    bytes.chunks(BLOCK).all(|block| others(block) == 0)
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators branch, and branches do not become vector code"
)]
#[inline]
fn is_plain_byte(byte: u8) -> bool {
    (byte.wrapping_sub(b' ') < 0x5F) | (byte == b'\n') | (byte == b'\t')
}

/// Whether a byte is neither printable ASCII nor layout.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators branch, and branches do not become vector code"
)]
fn is_not_plain(byte: u8) -> bool {
    let is_printable = byte.wrapping_sub(b' ') < 0x5F;
    !is_printable & (byte != b'\n') & (byte != b'\t') & (byte != b'\r')
}

/// Whether a byte is a control, or may begin a counted character, given the next byte.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "lazy operators branch, and branches do not become vector code"
)]
fn may_be_counted(byte: u8, next: u8) -> bool {
    ((byte < 0x80) & is_not_plain(byte))
        | ((byte == 0xC2) & (next < 0xA0))
        | ((byte == 0xD8) & (next == 0x9C))
        | ((byte == 0xE2) & (next & 0xFE == 0x80))
        | ((byte == 0xEF) & (next == 0xBB))
        | ((byte == 0xF3) & (next == 0xA0))
}

/// Counts the characters that start in one block.
fn count_block(bytes: &[u8], start: usize, length: usize, counts: &mut ControlCounts) {
    for position in start..start + length {
        // A character has at most four bytes; the last one of the block may extend into the next block.
        let window = &bytes[position..bytes.len().min(position + 4)];
        match window {
            [b' '..=b'~' | b'\t' | b'\n' | b'\r', ..] => {}
            [0, ..] => counts.nul += 1,
            [0x01..=0x1F | 0x7F, ..] | [0xC2, 0x80..=0x9F, ..] => counts.control += 1,
            [0xD8, 0x9C, ..]
            | [0xE2, 0x80, 0x8E | 0x8F | 0xAA..=0xAE, ..]
            | [0xE2, 0x81, 0xA6..=0xA9, ..] => counts.bidi += 1,
            [0xE2, 0x80, 0x8B..=0x8D, ..]
            | [0xE2, 0x81, 0xA0, ..]
            | [0xEF, 0xBB, 0xBF, ..]
            | [0xF3, 0xA0, 0x80 | 0x81, _] => counts.invisible += 1,
            _ => {}
        }
    }
}
