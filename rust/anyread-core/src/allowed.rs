//! What one read may take of a file that nobody trusts: the bytes that it inflates, and the memory that it keeps.
//!
//! A few bytes of a compressed file become very many, and a few of these may ask for a copy of a long text. So every
//! list and every string that is kept of such a file is counted here, by its capacity, before it grows. What only one
//! row, paragraph or slide needs has a limit of its own, and is dropped with it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind, Result};
use crate::size::to_usize;

/// The most memory that one call keeps of a file. The largest document known has 3 MiB.
const MOST_KEPT: u64 = 12 << 20;
/// How much of that may be the text of one slide: 1 MiB.
const TEXT: u64 = 12;

/// What may be inflated and kept.
#[derive(Debug)]
pub struct Allowed {
    most_inflated: u64,
    most_kept: u64,
    /// What all calls for the opened file have inflated.
    inflated: Arc<AtomicU64>,
    /// What is kept now, and the windows of new checkpoints.
    kept: AtomicU64,
    windows: AtomicU64,
}

impl Allowed {
    /// At most so many inflated bytes, and 12 MiB that are kept.
    #[must_use]
    pub fn new(most_inflated: u64) -> Self {
        Self::keeping(most_inflated, MOST_KEPT)
    }

    /// At most so many inflated bytes, and so many that are kept.
    #[must_use]
    pub fn keeping(most_inflated: u64, most_kept: u64) -> Self {
        let (kept, windows) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { most_inflated, most_kept, inflated: Arc::default(), kept, windows }
    }

    /// What is left to inflate, with nothing kept yet: for the next call, or for a part that is dropped before the next.
    #[must_use]
    pub fn anew(&self) -> Self {
        let Self { most_inflated, most_kept, .. } = *self;
        Self { inflated: Arc::clone(&self.inflated), ..Self::keeping(most_inflated, most_kept) }
    }

    /// Counts the window of a checkpoint; returns whether there is memory for it, as much as for what is kept.
    pub fn has_window(&self, bytes: usize) -> bool {
        self.windows.fetch_add(bytes as u64, Ordering::Relaxed) < self.most_kept
    }

    /// The most bytes of text of one slide.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        to_usize(self.most_kept / TEXT)
    }

    /// What was inflated so far.
    #[must_use]
    pub fn inflated(&self) -> u64 {
        self.inflated.load(Ordering::Relaxed)
    }

    /// Counts bytes that were inflated.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`].
    pub fn inflate(&self, path: &Path, bytes: usize) -> Result<()> {
        spend(path, &self.inflated, bytes, self.most_inflated, "decompressed bytes")
    }

    /// Counts memory that is about to be kept, in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`].
    pub fn keep(&self, path: &Path, bytes: usize) -> Result<()> {
        spend(path, &self.kept, bytes, self.most_kept, "bytes of structure")
    }
}

fn spend(path: &Path, used: &AtomicU64, bytes: usize, maximum: u64, unit: &'static str) -> Result<()> {
    let size = used.fetch_add(bytes as u64, Ordering::Relaxed).saturating_add(bytes as u64);
    if size > maximum {
        return Err(Error::new(path, ErrorKind::TooLarge { size, maximum, unit }));
    }
    Ok(())
}
