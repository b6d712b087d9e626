//! File systems of Linux, by their magic numbers.

use rustix::fs::StatFs;

use super::BorrowedDescriptor;
use crate::device::{COARSE_TICK_NS, Device, DeviceClass, FINE_TICK_NS};
use crate::system::{FileSystem, SystemResult};

const EXT: u32 = 0xef53;
const XFS: u32 = 0x5846_5342;
const BTRFS: u32 = 0x9123_683e;
const TMPFS: u32 = 0x0102_1994;
const RAMFS: u32 = 0x8584_58f6;
const OVERLAYFS: u32 = 0x794c_7630;
const F2FS: u32 = 0xf2f5_2010;
const ZFS: u32 = 0x2fc1_2fc1;
const PROCFS: u32 = 0x9fa0;

/// Other file systems whose files are generated: linux/magic.h.
const PSEUDO: [u32; 17] = [
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x6165_676c, // pstore
    0xcafe_4a11, // bpf
    0x6265_6570, // configfs
    0x1cd1,      // devpts
    0xf97c_ff8c, // selinuxfs
    0x4341_5d53, // smackfs
    0x5a3c_69f0, // apparmorfs
    0xde5e_81e4, // efivarfs
    0x0765_5821, // resctrl
    0x4249_4e4d, // binfmt_misc
    0x6e73_6673, // nsfs
];

/// `ST_NOSYMFOLLOW`: mounted with `nosymfollow`.
const FORBIDS_LINKS: u32 = 0x2000;

/// The file system of an opened file.
pub(crate) fn file_system(descriptor: BorrowedDescriptor<'_>) -> SystemResult<FileSystem> {
    let found = rustix::fs::fstatfs(descriptor)?;
    let magic = magic(&found);
    Ok(FileSystem {
        device: device(magic),
        is_procfs: magic == PROCFS,
        forbids_links: truncated(found.f_flags) & FORBIDS_LINKS != 0,
    })
}

/// The properties of a file system by its name in the mount table, for those that are not [`DeviceClass::Hop`].
#[cfg_attr(anyread_system = "unix", expect(dead_code, reason = "no read avoids blocking there"))]
pub(super) fn device_by_name(name: &str) -> Option<Device> {
    let magic = match name {
        "ext2" | "ext3" | "ext4" => EXT,
        "xfs" => XFS,
        "btrfs" => BTRFS,
        "tmpfs" => TMPFS,
        "ramfs" => RAMFS,
        "overlay" => OVERLAYFS,
        _ => return None,
    };
    Some(device(magic))
}

fn device(magic: u32) -> Device {
    let (class, tick_ns) = match magic {
        EXT | XFS | BTRFS => (DeviceClass::NoWait, FINE_TICK_NS),
        TMPFS | RAMFS => (DeviceClass::Memory, FINE_TICK_NS),
        OVERLAYFS => (DeviceClass::Overlay, FINE_TICK_NS),
        F2FS | ZFS => (DeviceClass::Hop, FINE_TICK_NS),
        _ => (DeviceClass::Hop, COARSE_TICK_NS),
    };
    Device { class, tick_ns, pseudo: magic == PROCFS || PSEUDO.contains(&magic) }
}

fn magic(file_system: &StatFs) -> u32 {
    truncated(file_system.f_type)
}

/// The low 32 bits; both fields are machine words whose sign and upper half have no meaning.
fn truncated(word: impl Into<i64>) -> u32 {
    let [_, _, _, _, low @ ..] = word.into().to_be_bytes();
    u32::from_be_bytes(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_class_by_magic() {
        for (magic, class, tick_ns, pseudo) in [
            (EXT, DeviceClass::NoWait, FINE_TICK_NS, false),
            (BTRFS, DeviceClass::NoWait, FINE_TICK_NS, false),
            (TMPFS, DeviceClass::Memory, FINE_TICK_NS, false),
            (OVERLAYFS, DeviceClass::Overlay, FINE_TICK_NS, false),
            (ZFS, DeviceClass::Hop, FINE_TICK_NS, false),
            (0x6969, DeviceClass::Hop, COARSE_TICK_NS, false), // NFS
            (PROCFS, DeviceClass::Hop, COARSE_TICK_NS, true),
            (0x6265_6572, DeviceClass::Hop, COARSE_TICK_NS, true),
        ] {
            assert_eq!(device(magic), Device { class, tick_ns, pseudo }, "{magic:#x}");
        }
    }

    #[test]
    fn test_truncated_ignores_the_sign() {
        // On 32-bit machines the magic number of btrfs is negative.
        assert_eq!(truncated(0x9123_683e_u32.cast_signed()), BTRFS);
        assert_eq!(truncated(0x9123_683e_i64), BTRFS);
    }
}
