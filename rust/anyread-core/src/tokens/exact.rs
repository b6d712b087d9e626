//! Exact token counts with public vocabularies.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;
use crate::fork::sections::uninterrupted;
use crate::size;

/// More memory than unpacking a vocabulary takes, which without it would abort the process: `o200k_base` takes
/// 36 MB, and the C library reserves 64 MiB for the thread that unpacks it.
const UNPACKED_BYTES: usize = 112 << 20;

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
        self.vocabulary().count(text) as u64
    }

    /// The number of tokens of `text`; `None`, soon after the limit is reached, if it is more than `limit`.
    #[must_use]
    pub fn count_till_limit(self, text: &str, limit: u64) -> Option<u64> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let vocabulary = self.vocabulary();
        vocabulary.count_till_limit(&vocabulary.normalize(text), limit).map(|count| count as u64)
    }

    /// Checks that there is memory for the vocabulary, if it is not unpacked yet; the error is about `path`.
    ///
    /// # Errors
    /// [`ErrorKind::OUT_OF_MEMORY`](crate::error::ErrorKind::OUT_OF_MEMORY).
    pub fn prepare(self, path: &Path) -> Result<()> {
        if self.is_unpacked() { Ok(()) } else { size::require_memory(path, UNPACKED_BYTES) }
    }

    /// Whether the vocabulary is unpacked, so that counting a short text takes microseconds.
    #[must_use]
    pub fn is_unpacked(self) -> bool {
        self.state().load(Ordering::Acquire)
    }

    fn state(self) -> &'static AtomicBool {
        static UNPACKED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];
        let [o200k, cl100k] = &UNPACKED;
        match self {
            Self::O200k => o200k,
            Self::Cl100k => cl100k,
        }
    }

    /// The unpacked vocabulary.
    ///
    /// It is unpacked while forks are delayed: a child forked meanwhile would wait forever for this thread.
    fn vocabulary(self) -> &'static bpe_openai::Tokenizer {
        let get: fn() -> &'static bpe_openai::Tokenizer = match self {
            Self::O200k => bpe_openai::o200k_base,
            Self::Cl100k => bpe_openai::cl100k_base,
        };
        if self.is_unpacked() {
            return get();
        }
        let vocabulary = uninterrupted(|| on_a_large_stack(get));
        self.state().store(true, Ordering::Release);
        vocabulary
    }
}

/// Runs `unpack` in a thread of its own: the smallest threads of Python have too little stack for it.
fn on_a_large_stack<T: Send + 'static>(unpack: fn() -> T) -> T {
    let thread = std::thread::Builder::new().spawn(unpack);
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_else(unpack)
}
