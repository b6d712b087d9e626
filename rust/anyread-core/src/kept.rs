//! What is known about the files that were read last, each for one state of its file.

use std::sync::Arc;

use crate::error::Result;
use crate::lock::Lock;
use crate::snapshot::Snapshot;

/// What is known about a state of a file.
pub(crate) trait Known: Sized {
    /// What it points to takes in memory, in bytes.
    fn bytes(&self) -> u64;

    /// All memory of an entry in [`Kept`].
    fn entry_bytes(&self) -> u64 {
        self.bytes() + (size_of::<Self>() + size_of::<(Snapshot, Arc<Self>)>()) as u64
    }
}

/// What is kept; the latest is at the end.
pub(crate) struct Kept<T> {
    found: Lock<Vec<(Snapshot, Arc<T>)>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { found: Lock::new(Vec::new()) }
    }
}

impl<T: Known> Kept<T> {
    /// Returns what is kept for the state of a file, or else reads and keeps it.
    ///
    /// All that is kept takes at most `max_bytes`. Without a snapshot, nothing is kept.
    pub(crate) fn open(
        &self,
        snapshot: Option<Snapshot>,
        max_bytes: u64,
        read: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let known = snapshot.and_then(|snapshot| self.take(&snapshot));
        let known = match known {
            Some(known) => known,
            None => Arc::new(read()?),
        };
        if let Some(snapshot) = snapshot {
            self.keep(snapshot, &known, max_bytes);
        }
        Ok(known)
    }

    fn take(&self, snapshot: &Snapshot) -> Option<Arc<T>> {
        let mut found = self.found.lock();
        let at = found.iter().position(|(other, _)| other == snapshot)?;
        Some(found.remove(at).1)
    }

    /// Drops others of the same file, and those that were not used for the longest time.
    fn keep(&self, snapshot: Snapshot, known: &Arc<T>, max_bytes: u64) {
        let mut dropped = Vec::new();
        let mut found = self.found.lock();
        let is_of_file = |(other, _): &mut (Snapshot, _)| other.identity() == snapshot.identity();
        dropped.extend(found.extract_if(.., is_of_file));
        found.push((snapshot, Arc::clone(known)));
        let mut bytes: u64 = found.iter().map(|(_, known)| known.entry_bytes()).sum();
        while bytes > max_bytes && !found.is_empty() {
            let oldest = found.remove(0);
            bytes -= oldest.1.entry_bytes();
            dropped.push(oldest);
        }
        // Without the lock.
        drop(found);
        drop(dropped);
    }

    /// Drops everything.
    pub(crate) fn clear(&self) {
        let dropped = std::mem::take(&mut *self.found.lock());
        drop(dropped);
    }
}
