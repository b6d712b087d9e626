//! Facts about the whole content of a file: its SHA-256, its first invalid UTF-8, its first NUL, its tokens.
//!
//! They are kept for the latest version of each file, so that they are computed once and then cost a lookup.

mod first_nul;
mod sha256;
mod tokens;
mod utf8;

use std::sync::Arc;

use crate::cache::{About, FileState, Keep};
use crate::lock::Lock;
use crate::tokens::Tokenizer;

pub use first_nul::find_nul;
pub use sha256::{Sha256, sha256};
pub use tokens::count_tokens;
pub(crate) use utf8::check_window_with;
pub use utf8::{Utf8Fault, utf8_fault};

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

/// The facts about a state of a file.
#[derive(Debug)]
struct Found {
    /// Whether no `write` can have been copying any more when they were found.
    is_final: bool,
    facts: Lock<Facts>,
}

impl Keep for Found {
    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64
    }
}

fn found(state: &FileState, is_final: bool) -> Option<Arc<Found>> {
    state.get::<Found>(About::Facts).filter(|found| found.is_final >= is_final)
}

/// The known facts about the file in this state; `is_final`: only those that were kept as final.
#[must_use]
pub fn known(state: &FileState, is_final: bool) -> Facts {
    found(state, is_final).map_or_else(Facts::default, |found| *found.facts.lock())
}

/// Stores a fact about the file in this state and discards the facts about other states.
///
/// The state must not be racy, because it must identify the content (see [`Snapshot::is_racy`]). `is_final` is
/// whether no `write` could still copy bytes when the fact was found (see [`Snapshot::rests_ns`]).
///
/// [`Snapshot::is_racy`]: crate::snapshot::Snapshot::is_racy
/// [`Snapshot::rests_ns`]: crate::snapshot::Snapshot::rests_ns
pub fn keep(state: &FileState, is_final: bool, update: impl FnOnce(&mut Facts)) {
    let found =
        found(state, is_final).unwrap_or_else(|| Arc::new(Found { is_final, facts: Lock::default() }));
    if found.is_final == is_final {
        update(&mut found.facts.lock());
    }
    state.keep(About::Facts, found);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Snapshot;

    fn state(inode: u64, modified_ns: i64) -> FileState {
        let snapshot =
            Snapshot { device: (0, 7), inode, birth_ns: 0, size: 5, modified_ns, changed_ns: modified_ns };
        FileState { snapshot, max_bytes: 1 << 20 }
    }

    #[test]
    fn test_facts_are_discarded_when_the_version_changes() {
        let (old, new) = (state(1 << 40, 1), state(1 << 40, 2));
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
        let state = state(1 << 41, 1);
        keep(&state, false, |facts| facts.nul = Some(Some(7)));
        assert_eq!(known(&state, false).nul, Some(Some(7)));
        assert_eq!(known(&state, true), Facts::default());
        keep(&state, true, |facts| facts.nul = Some(None));
        // Another reader began before the end of the write.
        keep(&state, false, |facts| facts.nul = Some(Some(7)));
        assert_eq!([false, true].map(|is_final| known(&state, is_final).nul), [Some(None); 2]);
    }
}
