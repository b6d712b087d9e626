//! What this process has learned about mounts: their file systems, and when an open on them was slow.
//!
//! Querying a file system may call a remote server, so each one is queried only where blocking is allowed,
//! and non-blocking attempts use this table. The table consists of atomics and has no lock, because a host
//! may fork at any time.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;

use super::{Device, DeviceClass};

/// A slower open indicates that every open is inspected, by a virus scanner or by a slow server.
pub const SLOW_OPEN: Duration = Duration::from_millis(5);
/// How long files on such a mount are opened only after a hop.
const DEMOTION: Duration = Duration::from_secs(60);
/// How long non-blocking reads are not attempted after a page was not cached: if one file of a directory is
/// not cached, the next ones usually are not either.
const PAUSE: Duration = Duration::from_millis(2);
/// How many mounts are remembered; after that, a new mount replaces the oldest.
const SLOTS: usize = 64;

/// Marks a key that was built from a device number.
const BY_DEVICE: u64 = 1 << 63;

/// Which mount a file is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mount(u64);

impl Mount {
    /// The mount with an ID that is never reused.
    #[cfg(all(target_os = "linux", not(anyread_system = "unix")))]
    pub(crate) fn unique(id: u64) -> Self {
        Self(id & !BY_DEVICE)
    }

    /// The mount of a device, where mounts have no such ID.
    pub(crate) fn of_device((major, minor): (u32, u32)) -> Self {
        Self(u64::from(major) << 32 | u64::from(minor) | BY_DEVICE)
    }

    /// Whether the kernel never assigns this key to another mount (Linux 6.8 and later).
    #[must_use]
    pub fn is_unique(self) -> bool {
        self.0 & BY_DEVICE == 0
    }
}

/// Why a mount must not be read from without a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Nothing has been read from it yet.
    Unknown,
    /// Each call may block.
    Device,
    /// An open was slow.
    Slow,
    /// A page was recently not cached.
    Cold,
}

struct MountSlot {
    /// The mount's key, 0 for none.
    key: AtomicU64,
    /// Its [`Device`], encoded by [`packed`].
    device: AtomicU64,
    /// When non-blocking opens may be attempted again, by the clock of [`now`].
    demoted_until: AtomicU64,
    /// When non-blocking reads may be attempted again.
    paused_until: AtomicU64,
}

/// Mounts by key.
struct MountTable {
    slots: [MountSlot; SLOTS],
    /// How many mounts were ever added.
    added: AtomicUsize,
}

static TABLE: MountTable = MountTable::new();

/// Stores the properties of a mount.
pub fn learn(mount: Mount, device: Device) {
    TABLE.learn(mount, device);
}

/// Whether this call is the first to see a mount.
pub fn is_new(mount: Mount) -> bool {
    TABLE.is_new(mount)
}

/// The properties of a mount, if it may currently be read from without a hop.
///
/// # Errors
/// The reason why it may not.
pub fn readable_now(mount: Mount) -> Result<Device, Obstacle> {
    TABLE.readable_now(mount)
}

/// Records that an open on a mount was slow.
pub fn demote(mount: Mount) {
    TABLE.demote(mount);
}

/// Records that a page of a file on a mount was not cached.
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
        Self { slots, added: AtomicUsize::new(0) }
    }

    fn slot(&self, mount: Mount) -> Option<&MountSlot> {
        self.slots.iter().find(|slot| slot.key.load(Ordering::Acquire) == mount.0)
    }

    fn is_new(&self, mount: Mount) -> bool {
        let is_new = self.slot(mount).is_none();
        if is_new {
            self.add(mount, UNKNOWN);
        }
        is_new
    }

    fn learn(&self, mount: Mount, device: Device) {
        let device = packed(device);
        if let Some(slot) = self.slot(mount) {
            if slot.device.load(Ordering::Acquire) != device {
                slot.device.store(device, Ordering::Release);
            }
            return;
        }
        self.add(mount, device);
    }

    fn add(&self, mount: Mount, device: u64) {
        // If two threads add the same mount, they use two slots, and lookups find the first.
        let slot = &self.slots[self.added.fetch_add(1, Ordering::AcqRel) % SLOTS];
        // Clear the device first, so that the old mount's device is never visible under the new key.
        slot.device.store(UNKNOWN, Ordering::Release);
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

/// Nanoseconds since the first call, at least 1.
fn now() -> u64 {
    static START: OnceBox<Instant> = OnceBox::new();
    nanoseconds(START.get_or_init(|| Box::new(Instant::now())).elapsed()).saturating_add(1)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// No device.
const UNKNOWN: u64 = 0;

/// A device as one word, so that it can be replaced atomically; never [`UNKNOWN`].
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
    fn test_packed_device_round_trip() {
        for class in [DeviceClass::NoWait, DeviceClass::Memory, DeviceClass::Overlay, DeviceClass::Hop] {
            for pseudo in [false, true] {
                let device = Device { class, tick_ns: 2_000_000_000, pseudo };
                assert_eq!(unpacked(packed(device)), Some(device));
            }
        }
        assert_eq!(unpacked(0), None);
    }

    #[test]
    fn test_readable_now_after_learn_pause_and_demote() {
        let table = MountTable::new();
        let (disk, remote) = (Mount(1), Mount(2));
        assert_eq!(table.readable_now(disk), Err(Obstacle::Unknown));
        assert!(table.is_new(disk));
        assert!(!table.is_new(disk));
        assert_eq!(table.readable_now(disk), Err(Obstacle::Unknown));
        table.learn(disk, DISK);
        table.learn(remote, REMOTE);
        assert!(!table.is_new(remote));
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
    fn test_learn_of_more_mounts_than_slots() {
        let table = MountTable::new();
        for mount in (1..=2 * SLOTS as u64).map(Mount) {
            table.learn(mount, DISK);
            assert_eq!(table.readable_now(mount), Ok(DISK));
        }
    }
}
