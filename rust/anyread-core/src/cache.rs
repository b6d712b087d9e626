//! What this process knows about files: the line counts, facts, positions and packages of those that were read last.
//!
//! All of it is in one cache, so that `index_bytes` limits the whole. What was not used for the longest time is
//! dropped first.

use std::any::Any;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use crate::error::Result;
use crate::fork::PerProcess;
use crate::lock::Lock;
use crate::scan::LineEnds;
use crate::snapshot::{Identity, Snapshot};

/// Something that is known about a file.
pub trait Keep: Any + Send + Sync {
    /// All that it takes in memory, in bytes.
    fn bytes(&self) -> u64;
}

/// What is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum About {
    /// The lines of a text, in the encoding that was requested; of one inside a gzip file, if the last is true.
    Lines(Option<&'static str>, LineEnds, bool),
    /// The text of a gzip file.
    Gzip,
    /// Facts about all of its bytes.
    Facts,
    /// The parts of a workbook or a document.
    Package,
    /// Where the elements of a container of JSON begin.
    Elements {
        /// The offset of the container.
        begin: u64,
        /// Whether it is a sequence, which begins where its first value does.
        is_sequence: bool,
    },
}

struct Entry {
    content: Arc<dyn Keep>,
    /// The state of the file that it is about; `None` if the content says it.
    snapshot: Option<Snapshot>,
    used: u64,
    bytes: u64,
}

#[derive(Default)]
struct Cache {
    entries: HashMap<(Identity, About), Entry>,
    clock: u64,
    /// The memory of all entries in bytes, of each when it was last kept.
    bytes: u64,
}

static CACHE: PerProcess<Lock<Cache>> = PerProcess::new();

/// Drops everything that is known about files in this process.
pub fn clear() {
    let dropped = std::mem::take(&mut *CACHE.get().lock());
    drop(dropped);
}

/// What is known about a file in this state.
pub(crate) fn get<T: Keep>(file: Identity, about: About, snapshot: Option<&Snapshot>) -> Option<Arc<T>> {
    let mut cache = CACHE.get().lock();
    cache.clock += 1;
    let now = cache.clock;
    let entry = cache.entries.get_mut(&(file, about)).filter(|entry| entry.snapshot.as_ref() == snapshot)?;
    entry.used = now;
    let content: Arc<dyn Any + Send + Sync> = Arc::<dyn Keep>::clone(&entry.content);
    content.downcast().ok()
}

/// What is known about a file in any state, created if there is nothing.
pub(crate) fn get_or_default<T: Keep + Default>(file: Identity, about: About) -> Arc<T> {
    if let Some(content) = get(file, about, None) {
        return content;
    }
    let content: Arc<T> = Arc::default();
    let bytes = bytes_of(&*content);
    let mut cache = CACHE.get().lock();
    let used = cache.clock;
    let is_missing = !cache.entries.contains_key(&(file, about));
    if is_missing {
        cache.bytes += bytes;
        let entry = Entry { content: Arc::<T>::clone(&content), snapshot: None, used, bytes };
        cache.entries.insert((file, about), entry);
    }
    drop(cache);
    // Another thread may have been faster.
    if is_missing { content } else { get(file, about, None).unwrap_or(content) }
}

/// The memory of what is known and of its entry, in bytes.
fn bytes_of(content: &dyn Keep) -> u64 {
    content.bytes() + (size_of::<(Identity, About)>() + size_of::<Entry>()) as u64
}

/// Keeps what is known about a file in this state, instead of what was known before, and counts its memory.
///
/// Above `max_bytes` others are dropped, an eighth at once, because this looks at all of them.
pub(crate) fn keep(
    file: Identity,
    about: About,
    snapshot: Option<Snapshot>,
    content: Arc<dyn Keep>,
    max_bytes: u64,
) {
    let bytes = bytes_of(&*content);
    let entry = Entry { content, snapshot, used: 0, bytes };
    let dropped = CACHE.get().lock().keep((file, about), entry, max_bytes);
    // Without the lock, because their memory may take long to release.
    drop(dropped);
}

impl Cache {
    /// Adds an entry, the latest one; returns what is dropped for it.
    fn keep(&mut self, key: (Identity, About), entry: Entry, max_bytes: u64) -> Vec<Entry> {
        self.clock += 1;
        self.bytes += entry.bytes;
        let latest = self.clock;
        let before = self.entries.insert(key, Entry { used: latest, ..entry });
        let mut dropped = Vec::from_iter(before);
        self.bytes -= dropped.iter().map(|entry| entry.bytes).sum::<u64>();
        if self.bytes <= max_bytes {
            return dropped;
        }
        let mut oldest: Vec<_> = self.entries.iter().map(|(key, entry)| (entry.used, *key)).collect();
        oldest.sort_unstable_by_key(|(used, _)| *used);
        for (used, key) in oldest {
            // The latest may need more than seven eighths.
            let target = if used == latest { max_bytes } else { max_bytes - max_bytes / 8 };
            if self.bytes <= target {
                break;
            }
            let entry = self.entries.remove(&key);
            self.bytes -= entry.as_ref().map_or(0, |entry| entry.bytes);
            dropped.extend(entry);
        }
        dropped
    }
}

/// A state of a file, for which what is found may be kept, if all that is kept takes at most `max_bytes`.
#[derive(Debug, Clone, Copy)]
pub struct FileState {
    /// The state.
    pub snapshot: Snapshot,
    /// The most memory of everything that is known about files.
    pub max_bytes: u64,
}

impl FileState {
    /// What is known about it.
    pub(crate) fn get<T: Keep>(&self, about: About) -> Option<Arc<T>> {
        get(self.snapshot.identity(), about, Some(&self.snapshot))
    }

    /// Keeps what is known about it.
    pub(crate) fn keep(&self, about: About, content: Arc<dyn Keep>) {
        keep(self.snapshot.identity(), about, Some(self.snapshot), content, self.max_bytes);
    }
}

/// A package while it is read. What the read adds to it is counted when it ends.
pub struct Kept<T: Keep> {
    content: Arc<T>,
    state: Option<FileState>,
}

impl<T: Keep> Kept<T> {
    /// The one that is kept for the state of a file, or else the one that `read` returns.
    pub(crate) fn open(state: Option<FileState>, read: impl FnOnce() -> Result<T>) -> Result<Self> {
        let content = match state.and_then(|state| state.get(About::Package)) {
            Some(content) => content,
            None => Arc::new(read()?),
        };
        Ok(Self { content, state })
    }
}

impl<T: Keep> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.content
    }
}

impl<T: Keep> Drop for Kept<T> {
    fn drop(&mut self) {
        if let Some(state) = self.state {
            state.keep(About::Package, Arc::<T>::clone(&self.content));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Keep for u64 {
        fn bytes(&self) -> u64 {
            *self
        }
    }

    fn keep(cache: &mut Cache, inode: u64, bytes: u64) -> Vec<u64> {
        let snapshot =
            Snapshot { device: (0, 7), inode, birth_ns: 0, size: 5, modified_ns: 1, changed_ns: 1 };
        let entry = Entry { content: Arc::new(inode), snapshot: None, used: 0, bytes };
        cache.keep((snapshot.identity(), About::Facts), entry, 800);
        let mut left: Vec<u64> = cache.entries.values().map(|entry| entry.content.bytes()).collect();
        left.sort_unstable();
        assert_eq!(cache.bytes, cache.entries.values().map(|entry| entry.bytes).sum::<u64>());
        left
    }

    #[test]
    fn test_what_was_not_used_for_the_longest_time_is_dropped_first() {
        let mut cache = Cache::default();
        for inode in 1..=4 {
            keep(&mut cache, inode, 200);
        }
        assert_eq!(keep(&mut cache, 1, 200), [1, 2, 3, 4], "kept again");
        assert_eq!(keep(&mut cache, 5, 10), [1, 3, 4, 5], "an eighth is dropped at once");
        assert_eq!(keep(&mut cache, 6, 790), [6], "the latest may take everything");
        assert!(keep(&mut cache, 7, 801).is_empty());
    }
}
