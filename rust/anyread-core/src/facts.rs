//! Facts about the whole content of a file: its SHA-256, its first invalid UTF-8, its first NUL, its tokens.
//!
//! They are kept for the latest version of each file, so that they are computed once and then cost a lookup.
//! The registry keeps a fixed number of files, the most recently used ones; an entry has a fixed size.
//! The line count comes from the [`index`](crate::index), which is kept in a similar registry.

mod first_nul;
mod sha256;
mod tokens;
mod utf8;

use std::collections::HashMap;

use crate::fork::PerProcess;
use crate::lock::Lock;
use crate::source::{Identity, Snapshot};
use crate::tokens::Tokenizer;

pub use first_nul::find_nul;
pub use sha256::{Sha256, sha256};
pub use tokens::count_tokens;
pub(crate) use utf8::check_window_with;
pub use utf8::{Utf8Fault, utf8_fault};

/// The maximum number of entries; at about 200 bytes each, they take less than 1 MB.
const FILES: usize = 4096;

/// The known facts about one version of a file; `None` means not computed yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// The SHA-256 of all bytes.
    pub sha256: Option<Sha256>,
    /// Where the bytes first are not valid UTF-8, if anywhere.
    pub utf8_fault: Option<Option<Utf8Fault>>,
    /// The offset of the first NUL, if there is one.
    pub nul: Option<Option<u64>>,
    /// The number of tokens of all bytes as UTF-8, by tokenizer.
    tokens: [Option<u64>; 2],
}

impl Facts {
    /// The slot for the count of a tokenizer.
    pub fn tokens(&mut self, tokenizer: Tokenizer) -> &mut Option<u64> {
        let [o200k, cl100k] = &mut self.tokens;
        match tokenizer {
            Tokenizer::O200k => o200k,
            Tokenizer::Cl100k => cl100k,
        }
    }
}

#[derive(Debug)]
struct FactsEntry {
    snapshot: Snapshot,
    facts: Facts,
    used: u64,
}

#[derive(Debug, Default)]
struct Files {
    entries: HashMap<Identity, FactsEntry>,
    clock: u64,
}

impl Files {
    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Evicts the least recently used quarter of the files.
    fn evict(&mut self) {
        let mut used: Vec<u64> = self.entries.values().map(|entry| entry.used).collect();
        used.sort_unstable();
        if let Some(oldest_kept) = used.get(FILES / 4).copied() {
            self.entries.retain(|_, entry| entry.used >= oldest_kept);
        }
    }
}

static REGISTRY: PerProcess<Lock<Files>> = PerProcess::new();

/// The known facts about the file in this state.
#[must_use]
pub fn known(snapshot: &Snapshot) -> Facts {
    let mut files = REGISTRY.get().lock();
    let now = files.tick();
    match files.entries.get_mut(&snapshot.identity()) {
        Some(entry) if entry.snapshot == *snapshot => {
            entry.used = now;
            entry.facts
        }
        _ => Facts::default(),
    }
}

/// Stores a fact about the file in this state and discards the facts about other states.
///
/// The snapshot must not be racy, because it must identify the state (see [`Snapshot::is_racy`]).
pub fn keep(snapshot: &Snapshot, update: impl FnOnce(&mut Facts)) {
    let mut files = REGISTRY.get().lock();
    let now = files.tick();
    if files.entries.len() >= FILES && !files.entries.contains_key(&snapshot.identity()) {
        files.evict();
    }
    let entry = files.entries.entry(snapshot.identity()).or_insert_with(|| FactsEntry {
        snapshot: *snapshot,
        facts: Facts::default(),
        used: now,
    });
    if entry.snapshot != *snapshot {
        *entry = FactsEntry { snapshot: *snapshot, facts: Facts::default(), used: now };
    }
    entry.used = now;
    update(&mut entry.facts);
}

/// Discards the facts about all files.
pub fn drop_facts() {
    REGISTRY.get().lock().entries.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(inode: u64, modified_ns: i64) -> Snapshot {
        Snapshot { device: (0, 7), inode, birth_ns: 0, size: 5, modified_ns, changed_ns: modified_ns }
    }

    #[test]
    fn test_facts_are_discarded_when_the_version_changes() {
        let (old, new) = (snapshot(1 << 40, 1), snapshot(1 << 40, 2));
        keep(&old, |facts| facts.nul = Some(None));
        keep(&old, |facts| *facts.tokens(Tokenizer::Cl100k) = Some(3));
        assert_eq!(known(&old).nul, Some(None));
        assert_eq!(*known(&old).tokens(Tokenizer::Cl100k), Some(3));
        assert_eq!(known(&new), Facts::default());
        keep(&new, |facts| facts.nul = Some(Some(1)));
        assert_eq!(known(&old), Facts::default());
        assert_eq!(known(&new), Facts { nul: Some(Some(1)), ..Facts::default() });
    }

    #[test]
    fn test_evict_keeps_the_most_recently_used_files() {
        let mut files = Files::default();
        for inode in 0..FILES as u64 {
            let snapshot = snapshot(inode, 1);
            let used = files.tick();
            files.entries.insert(snapshot.identity(), FactsEntry { snapshot, facts: Facts::default(), used });
        }
        files.evict();
        assert_eq!(files.entries.len(), FILES - FILES / 4);
        assert!(!files.entries.contains_key(&snapshot(0, 1).identity()));
        assert!(files.entries.contains_key(&snapshot(FILES as u64 - 1, 1).identity()));
    }
}
