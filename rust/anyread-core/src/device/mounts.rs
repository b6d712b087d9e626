//! What this process has learnt of mounts: which file system is under them, and when an open was slow there.
//!
//! Asking a file system may be a call to a server far away, so it is asked once, where waiting is allowed, and
//! an attempt that must not wait goes by what is known here. The table has atomics and no lock: a host may fork
//! at any moment.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{Statx, StatxFlags};

use super::{Device, DeviceClass};

/// An open that took longer shows that somebody looks into each one: a virus scanner, a slow server.
pub const SLOW_OPEN: Duration = Duration::from_millis(5);
/// How long such a mount is not opened without a hop.
const DEMOTION: Duration = Duration::from_secs(60);
/// How long after a page that was not cached the next reads do not try: a cold directory comes file by file.
const PAUSE: Duration = Duration::from_millis(2);
/// Mounts remembered; with more, the oldest is learnt again.
const SLOTS: usize = 64;

/// Asks `statx` for a mount's number that is never given to another: `STATX_MNT_ID_UNIQUE` in linux/stat.h.
pub const UNIQUE_MOUNT_ID: StatxFlags = StatxFlags::from_bits_retain(0x4000);
/// Marks a key that is made of a device number.
const BY_DEVICE: u64 = 1 << 63;

/// Which mount a file is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mount(u64);

impl Mount {
    /// The mount in a `statx` answer for the mask [`Snapshot::MASK`](crate::source::Snapshot::MASK).
    #[must_use]
    pub fn of(stat: &Statx) -> Self {
        if stat.stx_mask & UNIQUE_MOUNT_ID.bits() != 0 {
            return Self(stat.stx_mnt_id & !BY_DEVICE);
        }
        Self(u64::from(stat.stx_dev_major) << 32 | u64::from(stat.stx_dev_minor) | BY_DEVICE)
    }

    /// Whether the kernel never gives this key to another mount (Linux 6.8 and newer).
    #[must_use]
    pub fn is_unique(self) -> bool {
        self.0 & BY_DEVICE == 0
    }
}

/// Why a mount is not to be read from without a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Nothing has been read from it yet.
    Unknown,
    /// Each call may block.
    Device,
    /// An open was slow.
    Slow,
    /// A page was not cached just now.
    Cold,
}

struct MountSlot {
    /// The mount's key, 0 for none.
    key: AtomicU64,
    /// Its [`Device`] as [`packed`] makes it.
    device: AtomicU64,
    /// When its opens may be tried again, by the clock of [`now`].
    demoted_until: AtomicU64,
    /// When its pages may be tried again.
    paused_until: AtomicU64,
}

/// Mounts by key.
struct MountTable {
    slots: [MountSlot; SLOTS],
    /// How many were ever learnt.
    learnt: AtomicUsize,
}

static TABLE: MountTable = MountTable::new();

/// Remembers what was found out about a mount.
pub fn learn(mount: Mount, device: Device) {
    TABLE.learn(mount, device);
}

/// What is known of a mount, if it may be read from without a hop now.
///
/// # Errors
/// The reason why it may not.
pub fn readable_now(mount: Mount) -> Result<Device, Obstacle> {
    TABLE.readable_now(mount)
}

/// Notes that an open on a mount was slow.
pub fn demote(mount: Mount) {
    TABLE.demote(mount);
}

/// Notes that a page of a file on a mount was not cached.
pub fn pause(mount: Mount) {
    TABLE.pause(mount);
}

impl MountTable {
    const fn new() -> Self {
        let slots = [const {
            MountSlot {
                key: AtomicU64::new(0),
                device: AtomicU64::new(0),
                demoted_until: AtomicU64::new(0),
                paused_until: AtomicU64::new(0),
            }
        }; SLOTS];
        Self { slots, learnt: AtomicUsize::new(0) }
    }

    fn slot(&self, mount: Mount) -> Option<&MountSlot> {
        self.slots.iter().find(|slot| slot.key.load(Ordering::Acquire) == mount.0)
    }

    fn learn(&self, mount: Mount, device: Device) {
        let device = packed(device);
        if let Some(slot) = self.slot(mount) {
            if slot.device.load(Ordering::Acquire) != device {
                slot.device.store(device, Ordering::Release);
            }
            return;
        }
        // Two threads that learn the same mount take two slots, of which the first is found.
        let slot = &self.slots[self.learnt.fetch_add(1, Ordering::AcqRel) % SLOTS];
        // The old mount's device under the new key would be wrong for a moment: nothing is known of it instead.
        slot.device.store(0, Ordering::Release);
        slot.key.store(mount.0, Ordering::Release);
        slot.demoted_until.store(0, Ordering::Release);
        slot.paused_until.store(0, Ordering::Release);
        slot.device.store(device, Ordering::Release);
    }

    fn readable_now(&self, mount: Mount) -> Result<Device, Obstacle> {
        let slot = self.slot(mount).ok_or(Obstacle::Unknown)?;
        let device = unpacked(slot.device.load(Ordering::Acquire)).ok_or(Obstacle::Unknown)?;
        let demoted_until = slot.demoted_until.load(Ordering::Acquire);
        let paused_until = slot.paused_until.load(Ordering::Acquire);
        if device.class == DeviceClass::Hop {
            Err(Obstacle::Device)
        } else if demoted_until > 0 && now() < demoted_until {
            Err(Obstacle::Slow)
        } else if paused_until > 0 && now() < paused_until {
            Err(Obstacle::Cold)
        } else {
            Ok(device)
        }
    }

    fn demote(&self, mount: Mount) {
        if let Some(slot) = self.slot(mount) {
            slot.demoted_until.store(now() + nanoseconds(DEMOTION), Ordering::Release);
        }
    }

    fn pause(&self, mount: Mount) {
        if let Some(slot) = self.slot(mount) {
            slot.paused_until.store(now() + nanoseconds(PAUSE), Ordering::Release);
        }
    }
}

/// Starts the clock; no fork may happen meanwhile.
pub(crate) fn prepare() {
    now();
}

/// Nanoseconds since the first call, 1 at the least.
fn now() -> u64 {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    nanoseconds(BEGINNING.get_or_init(Instant::now).elapsed()).saturating_add(1)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A device as one word, so that it is replaced at once; 0 is none.
fn packed(device: Device) -> u64 {
    let class = match device.class {
        DeviceClass::NoWait => 1,
        DeviceClass::Memory => 2,
        DeviceClass::Overlay => 3,
        DeviceClass::Hop => 4,
    };
    class | u64::from(device.pseudo) << 3 | device.tick_ns.cast_unsigned() << 4
}

fn unpacked(word: u64) -> Option<Device> {
    let class = match word & 7 {
        1 => DeviceClass::NoWait,
        2 => DeviceClass::Memory,
        3 => DeviceClass::Overlay,
        4 => DeviceClass::Hop,
        _ => return None,
    };
    Some(Device { class, tick_ns: (word >> 4).cast_signed(), pseudo: word & 8 != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISK: Device = Device { class: DeviceClass::NoWait, tick_ns: 20_000_000, pseudo: false };
    const REMOTE: Device = Device { class: DeviceClass::Hop, tick_ns: 2_000_000_000, pseudo: true };

    #[test]
    fn test_packed_round_trip() {
        for class in [DeviceClass::NoWait, DeviceClass::Memory, DeviceClass::Overlay, DeviceClass::Hop] {
            for pseudo in [false, true] {
                let device = Device { class, tick_ns: 2_000_000_000, pseudo };
                assert_eq!(unpacked(packed(device)), Some(device));
            }
        }
        assert_eq!(unpacked(0), None);
    }

    #[test]
    fn test_readable_now() {
        let table = MountTable::new();
        let (disk, remote) = (Mount(1), Mount(2));
        assert_eq!(table.readable_now(disk), Err(Obstacle::Unknown));
        table.learn(disk, DISK);
        table.learn(remote, REMOTE);
        assert_eq!(table.readable_now(disk), Ok(DISK));
        assert_eq!(table.readable_now(remote), Err(Obstacle::Device));

        table.pause(disk);
        assert_eq!(table.readable_now(disk), Err(Obstacle::Cold));
        std::thread::sleep(PAUSE);
        assert_eq!(table.readable_now(disk), Ok(DISK));

        table.demote(disk);
        assert_eq!(table.readable_now(disk), Err(Obstacle::Slow));
    }

    #[test]
    fn test_learn_more_mounts_than_slots() {
        let table = MountTable::new();
        for mount in (1..=2 * SLOTS as u64).map(Mount) {
            table.learn(mount, DISK);
            assert_eq!(table.readable_now(mount), Ok(DISK));
        }
    }
}
