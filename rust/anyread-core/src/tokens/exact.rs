//! Exact token counts with public vocabularies.

use std::path::Path;

use once_cell::race::OnceBox;

use super::merging::{self, Scratch};
use super::pieces::{self, Splitter};
use super::vocabulary::Vocabulary;
use crate::error::Result;
use crate::fork::PerProcess;
use crate::lock::Lock;
use crate::memory;

/// More memory than unpacking a vocabulary takes, which without it would abort the process: `o200k_base` takes
/// 8 MB, and as much again while it is unpacked, and the C library reserves 64 MiB for the thread that does so.
const UNPACKED_BYTES: usize = 96 << 20;

/// The vocabularies, packed by `rust/vocabularies.py`.
const O200K: &[u8] = include_bytes!("../../vocabularies/o200k_base.zlib");
const CL100K: &[u8] = include_bytes!("../../vocabularies/cl100k_base.zlib");

/// A byte-pair encoding with its vocabulary.
///
/// The vocabulary is unpacked on first use, which takes some tens of milliseconds, and stays in memory.
/// Text that spells a special token (`<|endoftext|>`) is counted as ordinary text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tokenizer {
    /// `o200k_base`.
    O200k,
    /// `cl100k_base`.
    Cl100k,
}

impl Tokenizer {
    /// The tokenizer called `name`, as in [`Tokenizer::names`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "o200k_base" => Some(Self::O200k),
            "cl100k_base" => Some(Self::Cl100k),
            _ => None,
        }
    }

    /// The names that [`Tokenizer::from_name`] accepts.
    #[must_use]
    pub fn names() -> &'static [&'static str] {
        &["o200k_base", "cl100k_base"]
    }

    /// The number of tokens of `text`.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        self.count_till_limit(text, u64::MAX).unwrap_or(u64::MAX)
    }

    /// The number of tokens of `text`; `None`, soon after the limit is reached, if it is more than `limit`.
    #[must_use]
    pub fn count_till_limit(self, text: &str, limit: u64) -> Option<u64> {
        let Unpacked { vocabulary, splitter } = self.encoding();
        let mut scratch = Scratch::default();
        let mut total = 0;
        for piece in splitter.pieces(text) {
            total += merging::count(vocabulary, piece.as_bytes(), &mut scratch) as u64;
            if total > limit {
                return None;
            }
        }
        Some(total)
    }

    /// Checks that there is memory for the vocabulary, if it is not unpacked yet; the error is about `path`.
    ///
    /// # Errors
    /// [`ErrorKind::OUT_OF_MEMORY`](crate::error::ErrorKind::OUT_OF_MEMORY).
    pub fn prepare(self, path: &Path) -> Result<()> {
        if self.is_unpacked() { Ok(()) } else { memory::require_memory(path, UNPACKED_BYTES) }
    }

    /// Whether the vocabulary is unpacked, so that counting a short text takes microseconds.
    #[must_use]
    pub fn is_unpacked(self) -> bool {
        self.cell().get().is_some()
    }

    fn cell(self) -> &'static OnceBox<Unpacked> {
        static UNPACKED: [OnceBox<Unpacked>; 2] = [const { OnceBox::new() }; 2];
        let [o200k, cl100k] = &UNPACKED;
        match self {
            Self::O200k => o200k,
            Self::Cl100k => cl100k,
        }
    }

    /// The unpacked vocabulary.
    ///
    /// The lock only prevents threads from unpacking it several times. It belongs to the process, so a child that
    /// was forked meanwhile unpacks the vocabulary itself.
    fn encoding(self) -> &'static Unpacked {
        static UNPACKING: PerProcess<Lock<()>> = PerProcess::new();
        let cell = self.cell();
        if let Some(encoding) = cell.get() {
            return encoding;
        }
        let _unpacking = UNPACKING.get().lock();
        cell.get_or_init(|| Box::new(on_a_large_stack(move || self.unpacked())))
    }

    fn unpacked(self) -> Unpacked {
        let (packed, alternatives) = match self {
            Self::O200k => (O200K, pieces::O200K),
            Self::Cl100k => (CL100K, pieces::CL100K),
        };
        let (Some(vocabulary), Ok(splitter)) = (Vocabulary::unpack(packed), Splitter::new(alternatives))
        else {
            unreachable!("both are compiled in, and the tests use them")
        };
        Unpacked { vocabulary, splitter }
    }
}

/// A vocabulary, and how a text is split before it is applied.
struct Unpacked {
    vocabulary: Vocabulary,
    splitter: Splitter,
}

/// Runs `unpack` in a thread of its own: the smallest threads of Python have too little stack for it.
fn on_a_large_stack<T: Send + 'static>(unpack: impl Fn() -> T + Send + Copy + 'static) -> T {
    let thread = std::thread::Builder::new().spawn(unpack);
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(unpack)
}
