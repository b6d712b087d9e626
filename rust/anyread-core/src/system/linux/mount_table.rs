//! The file system of a mount from which nothing has been read, found in the kernel's mount table.
//!
//! `fstatfs` may ask a server, and a thread for it takes a hundred times as long as the read that waits for it.
//! The table in `/proc` comes from the kernel's memory, whatever is mounted.

use std::fs::File;
use std::io::Read;

use rustix::fs::{AtFlags, StatxFlags};

use super::BorrowedDescriptor;
use super::file_systems::device_by_name;
use crate::device::Device;
use crate::size::to_usize;

/// How much of the table is read; a longer one would take too long on an event loop.
const MOST_BYTES: u64 = 64 << 10;

/// The properties of the file system of a file that was only looked up, if it is one of those whose cached files
/// can be read without blocking.
///
/// The descriptor keeps the mount alive, so that its number in the table cannot belong to another one.
pub(crate) fn device_in_mount_table(look: BorrowedDescriptor<'_>) -> Option<Device> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let stat = rustix::fs::statx(look, c"", flags, StatxFlags::MNT_ID).ok()?;
    let mount = (stat.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(stat.stx_mnt_id)?;
    let mut table = Vec::new();
    // Without memory for it, nothing is known about the mount, as if it were not in the table.
    table.try_reserve_exact(to_usize(MOST_BYTES)).ok()?;
    File::open("/proc/self/mountinfo").ok()?.take(MOST_BYTES).read_to_end(&mut table).ok()?;
    device_by_name(name_in(&table, mount)?)
}

/// The name of the file system of a mount.
///
/// Source: `proc_pid_mountinfo(5)`.
fn name_in(table: &[u8], mount: u64) -> Option<&str> {
    let mount = mount.to_string();
    let lines = table.split_inclusive(|byte| *byte == b'\n');
    let mut complete = lines.filter_map(|line| line.strip_suffix(b"\n"));
    let line = complete.find(|line| line.split(|byte| *byte == b' ').next() == Some(mount.as_bytes()))?;
    let mut fields = line.split(|byte| *byte == b' ');
    fields.find(|field| *field == b"-")?;
    std::str::from_utf8(fields.next()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::file_system;
    use std::os::fd::AsFd;

    const TABLE: &[u8] = b"1 0 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
        21 1 0:20 / /dev rw - devtmpfs udev rw\n\
        22 1 0:21 / /mnt/a\\040b rw shared:2 master:1 - nfs4 server:/a rw\n\
        23 1 0:22 / /cut rw - ext";

    #[test]
    fn test_name_in_table() {
        assert_eq!(name_in(TABLE, 1), Some("ext4"));
        assert_eq!(name_in(TABLE, 22), Some("nfs4"));
        for absent in [2, 23, 24] {
            assert_eq!(name_in(TABLE, absent), None, "{absent}");
        }
    }

    #[test]
    fn test_device_in_the_table_is_that_of_fstatfs() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, "a").unwrap();
        for path in [path.as_path(), "/proc/version".as_ref(), "/dev/null".as_ref(), "/bin/sh".as_ref()] {
            let Ok(file) = File::open(path) else { continue };
            if let Some(device) = device_in_mount_table(file.as_fd()) {
                assert_eq!(device, file_system(file.as_fd()).unwrap().device, "{}", path.display());
            }
        }
    }
}
