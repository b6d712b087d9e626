//! Exact counts, with the vocabularies that are public.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::fork::sections::uninterrupted;

/// A byte-pair encoding with its vocabulary.
///
/// The vocabulary is unpacked on first use, which takes some tens of milliseconds, and stays for the process.
/// Text that spells a special token (`<|endoftext|>`) counts as the ordinary text it is in a file.
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

    /// The names that [`Tokenizer::from_name`] knows.
    #[must_use]
    pub fn names() -> &'static [&'static str] {
        &["o200k_base", "cl100k_base"]
    }

    /// The number of tokens of `text`.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        self.vocabulary().count(text) as u64
    }

    /// The number of tokens of `text` if it is at most `limit`; stops soon after the limit otherwise.
    #[must_use]
    pub fn count_till_limit(self, text: &str, limit: u64) -> Option<u64> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let vocabulary = self.vocabulary();
        vocabulary.count_till_limit(&vocabulary.normalize(text), limit).map(|count| count as u64)
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

    /// The vocabulary, unpacked.
    ///
    /// A child that was forked while another thread unpacks it would wait for that thread forever.
    fn vocabulary(self) -> &'static bpe_openai::Tokenizer {
        let get: fn() -> &'static bpe_openai::Tokenizer = match self {
            Self::O200k => bpe_openai::o200k_base,
            Self::Cl100k => bpe_openai::cl100k_base,
        };
        if self.is_unpacked() {
            return get();
        }
        let vocabulary = uninterrupted(get);
        self.state().store(true, Ordering::Release);
        vocabulary
    }
}
