//! Detection of paths that lead into a mount whose calls may hang, without any call to that mount.
//!
//! A path is followed component by component through local file systems only; the mount table says where
//! those end. So a caller can detect a path on a dead server without hanging.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::lock::Lock;
use crate::system::path_from_bytes;

/// The maximum number of links that the kernel follows in one path.
const MAX_LINKS: usize = 40;
/// How long a mount table is used; reading it takes as long as reading a small file.
const FRESH: Duration = Duration::from_secs(1);

/// File systems whose calls wait for nothing but a local disk, by their names in the mount table.
const LOCAL: [&str; 37] = [
    "bcachefs",
    "binfmt_misc",
    "bpf",
    "btrfs",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "erofs",
    "exfat",
    "ext2",
    "ext3",
    "ext4",
    "f2fs",
    "fusectl",
    "hugetlbfs",
    "iso9660",
    "jfs",
    "mqueue",
    "nsfs",
    "ntfs3",
    "overlay",
    "proc",
    "pstore",
    "ramfs",
    "rootfs",
    "securityfs",
    "squashfs",
    "sysfs",
    "tmpfs",
    "tracefs",
    "vfat",
    "xfs",
    "zfs",
];

/// The mount points, each with its mount ID if the file system is not local.
type Remotes = HashMap<PathBuf, Option<u64>>;

/// The ID of the mount into which the absolute path `path` leads, if its calls may hang.
#[must_use]
pub fn remote_mount(path: &Path) -> Option<u64> {
    let remotes = remotes();
    if remotes.values().all(Option::is_none) { None } else { follow(path, &remotes) }
}

fn follow(path: &Path, remotes: &Remotes) -> Option<u64> {
    let mut rest: VecDeque<OsString> = names(path).collect();
    let mut prefix = PathBuf::from("/");
    let mut links = 0;
    loop {
        if let Some(Some(mount)) = remotes.get(&prefix) {
            return Some(*mount);
        }
        let name = rest.pop_front()?;
        if name == ".." {
            prefix.pop();
            continue;
        }
        prefix.push(&name);
        let is_remote = matches!(remotes.get(&prefix), Some(Some(_)));
        // Even checking for a link would be a call to the remote mount.
        let Some(target) = (!is_remote).then(|| std::fs::read_link(&prefix).ok()).flatten() else { continue };
        links += 1;
        if links > MAX_LINKS {
            return None;
        }
        prefix.pop();
        if target.is_absolute() {
            prefix = PathBuf::from("/");
        }
        for name in names(&target).collect::<Vec<_>>().into_iter().rev() {
            rest.push_front(name);
        }
    }
}

/// The components of a path except the root and `.`.
fn names(path: &Path) -> impl Iterator<Item = OsString> + '_ {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// The mount table, at most [`FRESH`] old.
fn remotes() -> Arc<Remotes> {
    static LAST: Lock<Option<(Instant, Arc<Remotes>)>> = Lock::new(None);
    // Never wait for the lock, because a fork may have left it locked.
    let Some(mut last) = LAST.try_lock() else { return Arc::new(read_table()) };
    match &*last {
        Some((read, remotes)) if read.elapsed() < FRESH => Arc::clone(remotes),
        _ => {
            let remotes = Arc::new(read_table());
            *last = Some((Instant::now(), Arc::clone(&remotes)));
            remotes
        }
    }
}

/// Reads the mount table; it is empty without `/proc`, so that no path counts as remote.
fn read_table() -> Remotes {
    std::fs::read("/proc/self/mountinfo").map(|table| parse(&table)).unwrap_or_default()
}

/// Parses a mount table; a later line for a mount point replaces an earlier one.
///
/// Source: `proc_pid_mountinfo(5)`.
fn parse(table: &[u8]) -> Remotes {
    let mut remotes = Remotes::new();
    for line in table.split(|byte| *byte == b'\n') {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let Some(dash) = fields.iter().position(|field| *field == b"-") else { continue };
        let (Some(id), Some(point), Some(name)) = (fields.first(), fields.get(4), fields.get(dash + 1))
        else {
            continue;
        };
        let is_local = std::str::from_utf8(name).is_ok_and(|name| LOCAL.contains(&name));
        let id = std::str::from_utf8(id).ok().and_then(|id| id.parse().ok());
        remotes.insert(unescaped(point), id.filter(|_| !is_local));
    }
    remotes
}

/// A mount point without escapes such as `\040` for a space.
fn unescaped(point: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(point.len());
    let mut rest = point;
    while let [first, after @ ..] = rest {
        let code = after
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    path_from_bytes(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] = b"\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
22 21 0:21 / /proc rw shared:2 - proc proc rw
30 21 0:40 / /mnt/my\\040share rw shared:9 master:3 - nfs4 server:/x rw
31 21 0:41 / /mnt/gone rw - fuse.sshfs host:/ rw
32 21 0:42 / /mnt/gone rw - tmpfs tmpfs rw
garbage
33 21 0:43 / /odd
";

    #[test]
    fn test_parse_finds_remote_mounts() {
        let remotes = parse(TABLE);
        assert_eq!(remotes.get(Path::new("/mnt/my share")), Some(&Some(30)));
        // The later mount hides the earlier one.
        assert_eq!(remotes.get(Path::new("/mnt/gone")), Some(&None));
        assert_eq!(remotes.values().flatten().count(), 1);
    }

    #[test]
    fn test_follow_stops_at_a_remote_mount() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let remote = base.join("remote");
        std::fs::create_dir(base.join("local")).unwrap();
        for (link, target) in [("in", "remote/deep"), ("loop", "loop"), ("up", "local/../remote")] {
            std::os::unix::fs::symlink(target, base.join(link)).unwrap();
        }
        std::os::unix::fs::symlink(&remote, base.join("absolute")).unwrap();
        let remotes = Remotes::from([(remote, Some(7)), (base.join("covered"), None)]);
        for (path, expected) in [
            ("remote", Some(7)),
            ("remote/a/b", Some(7)),
            ("local/../remote/a", Some(7)),
            ("in/x", Some(7)),
            ("absolute/x", Some(7)),
            ("up", Some(7)),
            ("loop/x", None),
            ("local/x", None),
            ("covered/x", None),
            ("remote2", None),
        ] {
            assert_eq!(follow(&base.join(path), &remotes), expected, "{path}");
        }
    }

    #[test]
    fn test_names_skip_the_root_and_dots() {
        let seen: Vec<_> = names(Path::new("/a/./b//../c")).collect();
        assert_eq!(seen, ["a", "b", "..", "c"]);
    }

    #[test]
    fn test_local_names_are_sorted() {
        assert!(LOCAL.is_sorted());
    }
}
