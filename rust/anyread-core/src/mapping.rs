//! Whether large scans may map a file, and what happened when they did.

use std::sync::atomic::AtomicU64;

use crate::guard;

/// How large scans access a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// For 64 MiB and more the faster of mapping and `pread`, otherwise `pread`.
    Auto,
    /// Always `pread`.
    Never,
    /// Mapping for files of any size, where the guard allows it; for tests, whose files are small.
    Always,
}

impl Mapping {
    /// This choice, unless the environment overrides it.
    ///
    /// `ANYREAD_MMAP=0` and `ANYREAD_PORTABLE=1` turn mapping off for the whole process;
    /// `ANYREAD_MMAP=always` changes [`Mapping::Auto`] to [`Mapping::Always`]; other values have no effect.
    #[must_use]
    pub fn or_environment(self) -> Self {
        let value = |name| std::env::var_os(name).unwrap_or_default();
        if value("ANYREAD_PORTABLE") == "1" || value("ANYREAD_MMAP") == "0" {
            return Self::Never;
        }
        if self == Self::Auto && value("ANYREAD_MMAP") == "always" { Self::Always } else { self }
    }

    /// Whether a scan in this process may map its file now; installs the guard's handler if that is allowed.
    #[must_use]
    pub fn is_possible(self) -> bool {
        self.or_environment() != Self::Never && guard::arm()
    }
}

/// How the large scans of one engine access bytes, and counts of what happened.
#[derive(Debug)]
pub struct LargeScans {
    pub(crate) mapping: Mapping,
    /// Scans that used a mapping.
    pub mapped: AtomicU64,
    /// Windows that were read again by `pread`, because the file changed while they were mapped.
    pub mapping_repeats: AtomicU64,
    /// Those of them that accessed a page after the file was truncated, so that the guard handled a SIGBUS.
    pub mapping_hits: AtomicU64,
}

impl LargeScans {
    /// The state before the first scan.
    #[must_use]
    pub fn new(mapping: Mapping) -> Self {
        let zero = || AtomicU64::new(0);
        Self { mapping, mapped: zero(), mapping_repeats: zero(), mapping_hits: zero() }
    }
}
