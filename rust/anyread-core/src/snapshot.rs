//! The identity of an opened file and the state that it was in.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::device::COARSE_TICK_NS;

pub(crate) const SECOND_NS: i64 = 1_000_000_000;
/// The most bytes of one `write`.
const MOST_WRITTEN: u64 = 2 << 30;
/// How long a `write` that is still copying may take for each byte: 50 MB/s.
const WRITE_NS_PER_BYTE: u64 = 20;
/// Up to this size, [`Snapshot::version`] takes no account of writes that are still copying.
const QUICKLY_WRITTEN: u64 = 4 << 20;

/// The time in nanoseconds since the epoch; before the epoch, a time at which nothing is at rest.
#[must_use]
pub fn now_ns() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    elapsed.and_then(|elapsed| i64::try_from(elapsed.as_nanos()).ok()).unwrap_or(i64::MIN)
}

/// The state of an opened file: device, inode and birth time identify the file; size, mtime and
/// ctime show whether it has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// Device number, major and minor.
    pub device: (u32, u32),
    /// Inode number.
    pub inode: u64,
    /// Birth time in nanoseconds since the epoch, 0 if the file system has none.
    pub birth_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of content, in nanoseconds since the epoch.
    pub modified_ns: i64,
    /// Time of the last change of content or metadata, in nanoseconds since the epoch.
    pub changed_ns: i64,
}

/// The part of a [`Snapshot`] that stays the same while a file exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    device: (u32, u32),
    inode: u64,
    birth_ns: i64,
}

impl Snapshot {
    /// The identity of the file.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity { device: self.device, inode: self.inode, birth_ns: self.birth_ns }
    }

    /// When a `write` of the last `bytes` of the file has ended, in nanoseconds since the epoch.
    ///
    /// The kernel changes the times once, when a `write` begins, and may copy long after that.
    /// In the first `tick_ns`, another write could also leave the same times.
    ///
    /// Some files on a file system with fine times have times in whole seconds: ext2, ext3, and ext4 with inodes
    /// of 128 bytes, also below an overlay. They are recognized by their ctime, which no program can set.
    #[must_use]
    pub fn rests_ns(&self, tick_ns: i64, bytes: u64) -> i64 {
        let is_in_whole_seconds = self.changed_ns % SECOND_NS == 0;
        let tick_ns = if is_in_whole_seconds { tick_ns.max(COARSE_TICK_NS) } else { tick_ns };
        let copying_ns = (bytes.min(MOST_WRITTEN) * WRITE_NS_PER_BYTE).cast_signed();
        self.modified_ns.max(self.changed_ns).saturating_add(tick_ns).saturating_add(copying_ns)
    }

    /// Whether a write within a clock tick of `tick_ns` before `at_ns` could leave the snapshot unchanged.
    ///
    /// Such a snapshot cannot prove later that the file is unchanged. Git calls this problem "racy clean".
    #[must_use]
    pub fn is_racy(&self, tick_ns: i64, at_ns: i64) -> bool {
        at_ns < self.rests_ns(tick_ns, 0)
    }

    /// An opaque token that is equal while the file is unchanged; empty while a rewrite could go undetected.
    #[must_use]
    pub fn version(&self, tick_ns: i64, at_ns: i64) -> String {
        let written = if self.size > QUICKLY_WRITTEN { self.size } else { 0 };
        if at_ns < self.rests_ns(tick_ns, written) { String::new() } else { self.text() }
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// More than the text of any snapshot has, in bytes.
const MOST_TEXT: usize = 7 * 17;

impl Snapshot {
    /// Its fields as hexadecimal numbers; the formatter would take ten times as long.
    fn text(&self) -> String {
        let (major, minor) = self.device;
        let fields = [
            (u64::from(major), '.'),
            (u64::from(minor), '-'),
            (self.inode, '-'),
            (self.birth_ns.cast_unsigned(), '-'),
            (self.size, '-'),
            (self.modified_ns.cast_unsigned(), '-'),
        ];
        let mut text = String::with_capacity(MOST_TEXT);
        for (field, separator) in fields {
            push_hexadecimal(field, &mut text);
            text.push(separator);
        }
        push_hexadecimal(self.changed_ns.cast_unsigned(), &mut text);
        text
    }
}

fn push_hexadecimal(number: u64, text: &mut String) {
    let mut digits = [0; 16];
    let (pairs, _) = digits.as_chunks_mut::<2>();
    for (pair, byte) in pairs.iter_mut().zip(number.to_be_bytes()) {
        *pair = PAIRS[usize::from(byte)];
    }
    let zeros = (number.leading_zeros() / 4).min(15) as usize;
    text.push_str(std::str::from_utf8(&digits[zeros..]).unwrap_or_default());
}

/// The two hexadecimal digits of each byte.
static PAIRS: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < pairs.len() {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::FINE_TICK_NS;

    /// A snapshot of a file that was changed at a time.
    fn changed_at(changed_ns: i64) -> Snapshot {
        Snapshot { device: (0, 7), inode: 1, birth_ns: 0, size: 5, modified_ns: changed_ns, changed_ns }
    }

    #[test]
    fn test_version_is_in_hexadecimal_digits() {
        let snapshot = Snapshot { birth_ns: -1, size: u64::MAX, modified_ns: 0, ..changed_at(0x12_3456) };
        assert_eq!(
            snapshot.to_string(),
            format!("0.7-1-{:x}-{:x}-0-123456", snapshot.birth_ns, snapshot.size)
        );
    }

    #[test]
    fn test_file_is_racy_for_one_tick() {
        let at = |age_ns: i64| changed_at(1 << 60 | 1).is_racy(FINE_TICK_NS, (1 << 60) + 1 + age_ns);
        assert!(at(FINE_TICK_NS - 1));
        assert!(!at(FINE_TICK_NS));
        assert!(at(-SECOND_NS), "a time in the future proves nothing");
        assert!(changed_at(1).is_racy(i64::MAX, SECOND_NS));
        assert!(!changed_at(1).is_racy(FINE_TICK_NS, now_ns()));
    }

    #[test]
    fn test_large_file_has_no_version_while_a_write_of_it_may_be_copying() {
        let has_version = |size: u64, age_ns: i64| {
            !Snapshot { size, ..changed_at(1) }.version(FINE_TICK_NS, 1 + age_ns).is_empty()
        };
        assert!(has_version(4 << 20, FINE_TICK_NS));
        assert!(!has_version(50_000_000, SECOND_NS));
        assert!(has_version(50_000_000, FINE_TICK_NS + SECOND_NS));
        assert!(!has_version(1 << 40, 42 * SECOND_NS));
        assert!(has_version(1 << 40, 43 * SECOND_NS), "one write has at most 2 GiB");
    }

    #[test]
    fn test_file_with_times_in_whole_seconds_is_racy_for_two_seconds() {
        let second = 1_000 * SECOND_NS;
        assert!(changed_at(second).is_racy(FINE_TICK_NS, second + 2 * SECOND_NS - 1));
        assert!(!changed_at(second).is_racy(FINE_TICK_NS, second + 2 * SECOND_NS));
        // A program can set the time of the content, but not the ctime.
        let restored = Snapshot { modified_ns: 0, ..changed_at(second | 1) };
        assert!(!restored.is_racy(FINE_TICK_NS, second + SECOND_NS));
    }
}
