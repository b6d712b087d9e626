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
    /// Whether no `write` can have been copying any more when the facts were found.
    is_final: bool,
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

/// The known facts about the file in this state; `is_final`: only those that were kept as final.
#[must_use]
pub fn known(snapshot: &Snapshot, is_final: bool) -> Facts {
    let mut files = REGISTRY.get().lock();
    let now = files.tick();
    match files.entries.get_mut(&snapshot.identity()) {
        Some(entry) if entry.snapshot == *snapshot && entry.is_final >= is_final => {
            entry.used = now;
            entry.facts
        }
        _ => Facts::default(),
    }
}

/// Stores a fact about the file in this state and discards the facts about other states.
///
/// The snapshot must not be racy, because it must identify the state (see [`Snapshot::is_racy`]). `is_final` is
/// whether no `write` could still copy bytes when the fact was found (see [`Snapshot::rests_ns`]).
pub fn keep(snapshot: &Snapshot, is_final: bool, update: impl FnOnce(&mut Facts)) {
    let mut files = REGISTRY.get().lock();
    let used = files.tick();
    if files.entries.len() >= FILES && !files.entries.contains_key(&snapshot.identity()) {
        files.evict();
    }
    let new = || FactsEntry { snapshot: *snapshot, is_final, facts: Facts::default(), used };
    let entry = files.entries.entry(snapshot.identity()).or_insert_with(new);
    if entry.snapshot != *snapshot || (is_final && !entry.is_final) {
        *entry = new();
    }
    entry.used = used;
    if entry.is_final == is_final {
        update(&mut entry.facts);
    }
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
        keep(&old, true, |facts| facts.nul = Some(None));
        keep(&old, true, |facts| *facts.tokens(Tokenizer::Cl100k) = Some(3));
        assert_eq!(known(&old, true).nul, Some(None));
        assert_eq!(*known(&old, true).tokens(Tokenizer::Cl100k), Some(3));
        assert_eq!(known(&new, true), Facts::default());
        keep(&new, true, |facts| facts.nul = Some(Some(1)));
        assert_eq!(known(&old, true), Facts::default());
        assert_eq!(known(&new, true), Facts { nul: Some(Some(1)), ..Facts::default() });
    }

    /// The digest of a file that one long `write` was still filling was kept for the finished file.
    #[test]
    fn test_facts_found_during_a_write_are_found_again_after_it() {
        let snapshot = snapshot(1 << 41, 1);
        keep(&snapshot, false, |facts| facts.nul = Some(Some(7)));
        assert_eq!(known(&snapshot, false).nul, Some(Some(7)));
        assert_eq!(known(&snapshot, true), Facts::default());
        keep(&snapshot, true, |facts| facts.nul = Some(None));
        // Another reader began before the end of the write.
        keep(&snapshot, false, |facts| facts.nul = Some(Some(7)));
        assert_eq!([false, true].map(|is_final| known(&snapshot, is_final).nul), [Some(None); 2]);
    }

    #[test]
    fn test_evict_keeps_the_most_recently_used_files() {
        let mut files = Files::default();
        for inode in 0..FILES as u64 {
            let snapshot = snapshot(inode, 1);
            let used = files.tick();
            files.entries.insert(
                snapshot.identity(),
                FactsEntry { snapshot, is_final: true, facts: Facts::default(), used },
            );
        }
        files.evict();
        assert_eq!(files.entries.len(), FILES - FILES / 4);
        assert!(!files.entries.contains_key(&snapshot(0, 1).identity()));
        assert!(files.entries.contains_key(&snapshot(FILES as u64 - 1, 1).identity()));
    }
}
