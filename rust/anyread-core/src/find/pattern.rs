//! A pattern: a regular expression, or a text as it is, that is looked for in lines.

use std::fmt;
use std::ops::Range;

use regex_automata::Input;
use regex_automata::meta::{Builder, Config, Regex};
use regex_syntax::hir::Hir;

use super::syntax::{Parsed, may_have, may_have_others, needs_other, parse, without_looks};

/// The maximum size of a compiled pattern in bytes.
const MAX_COMPILED: usize = 8 << 20;
/// The maximum size of the states that a search makes as it goes, in bytes, for each thread.
const MAX_STATES: usize = 2 << 20;
/// How many bytes after the first end of a match are looked at to find where the leftmost match begins.
///
/// Otherwise, each of many matches in a long line could be followed to the end of the line.
const START_DISTANCE: usize = 4 << 10;

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// It has too many characters.
    TooLong {
        /// How many it has.
        chars: usize,
        /// How many it may have.
        maximum: usize,
    },
    /// It is too large when compiled.
    TooLarge,
    /// It matches the empty text, and thereby every line.
    MatchesEmptyText,
    /// It can match only the end of a line, or across it.
    LineEnd,
    /// It has a look-around, of which this is the start.
    LookAround(String),
    /// It has this back-reference.
    BackReference(String),
}

impl PatternError {
    /// The stable name of the error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => "too_long",
            Self::TooLarge => "too_large",
            Self::MatchesEmptyText => "empty",
            Self::LineEnd => "line_end",
            Self::LookAround(_) => "look_around",
            Self::BackReference(_) => "back_reference",
        }
    }

    /// The part of the pattern at fault, or what its limit is; empty if there is nothing to add.
    #[must_use]
    pub fn detail(&self) -> String {
        match self {
            Self::TooLong { chars, maximum } => format!("{chars} of at most {maximum} characters"),
            Self::LookAround(part) | Self::BackReference(part) => part.clone(),
            Self::TooLarge | Self::MatchesEmptyText | Self::LineEnd => String::new(),
        }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.code(), self.detail())
    }
}

impl std::error::Error for PatternError {}

/// A pattern that is looked for in lines.
///
/// Its syntax is that of `rg`, and as with `rg --smart-case --crlf` its letters match in either case unless one of
/// them is uppercase, and no match includes the end of a line. A search takes time in proportion to the text.
///
/// # Example
/// ```
/// use anyread_core::find::Pattern;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pattern = Pattern::new(r"err(or)?\b", false)?;
/// assert_eq!(pattern.find(b"2 Errors, 1 error"), Some(12..17));
/// assert!(!pattern.is_match("errata"));
/// assert!(Pattern::new("main(", false)?.is_literal());
/// # Ok(())
/// # }
/// ```
pub struct Pattern {
    hir: Hir,
    regex: Regex,
    /// Finds at least the lines that match, faster.
    candidates: Option<Regex>,
    is_literal: bool,
}

impl Pattern {
    /// A pattern of a text: a regular expression, or its letters as they are if `literal` is set or if the text is
    /// not the syntax of one.
    ///
    /// # Errors
    /// A [`PatternError`].
    pub fn new(text: &str, literal: bool) -> Result<Self, PatternError> {
        let Parsed { hir, without_words, is_literal } = parse(text, literal)?;
        let regex = compile(&hir)?;
        let candidates = without_words.as_ref().map(compile).transpose()?;
        Ok(Self { hir, regex, candidates, is_literal })
    }

    /// Whether the text is matched as it is.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.is_literal
    }

    /// Whether a line of a text matches.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.matches(text.as_bytes())
    }

    /// Whether each match has a character that is not among some: those of a text, and all that are not ASCII if
    /// the text has one of these.
    pub(crate) fn needs_other_than(&self, text: impl IntoIterator<Item = char>) -> bool {
        let (mut ascii, mut others) = ([false; 128], false);
        for letter in text {
            match ascii.get_mut(letter as usize) {
                Some(is_among) => *is_among = true,
                None => others = true,
            }
        }
        needs_other(&self.hir, &ascii, others)
    }

    /// Whether a match may have one of some characters of ASCII.
    pub(crate) fn may_have(&self, letters: &[u8]) -> bool {
        may_have(&self.hir, letters)
    }

    /// Whether a match may have characters that are not ASCII, other than the two that are K and S in another case.
    pub(crate) fn may_have_others(&self) -> bool {
        may_have_others(&self.hir)
    }

    /// What finds out whether a text in the source of a file may match: `rewritten` are expressions for what is
    /// written there in another way. `None` if they are too large.
    pub(crate) fn in_source(&self, rewritten: &[String]) -> Option<SourceFilter> {
        let others = rewritten.join("|");
        let others = regex_syntax::ParserBuilder::new().utf8(false).build().parse(&others).ok()?;
        Some(SourceFilter { text: compile(&without_looks(&self.hir)).ok()?, others: compile(&others).ok()? })
    }

    /// The first match in a text, in bytes.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Option<Range<usize>> {
        let mut found = self.regex.find(text)?.range();
        // Only `$` matches a CR, that of a CR LF.
        if text[..found.end].ends_with(b"\r") {
            found.end -= 1;
        }
        Some(found)
    }

    /// Whether a line of a text matches.
    pub(super) fn matches(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }

    /// The end of a match in the next line, from `at` on, that may match.
    pub(super) fn candidate(&self, text: &[u8], at: usize) -> Option<usize> {
        let regex = self.candidates.as_ref().unwrap_or(&self.regex);
        let input = Input::new(text).range(at..).earliest(true);
        regex.search_half(&input).map(|found| found.offset())
    }

    /// Whether [`Pattern::candidate`] also finds lines that do not match.
    pub(super) fn has_false_candidates(&self) -> bool {
        self.candidates.is_some()
    }

    /// Where the first match in a part of a long line begins; what surrounds the part is seen by `\b`, `^` and `$`.
    pub(super) fn start_in(&self, text: &[u8], part: Range<usize>) -> Option<usize> {
        let input = Input::new(text).range(part.clone()).earliest(true);
        if let Some(candidates) = &self.candidates {
            candidates.search_half(&input)?;
        }
        let end = self.regex.search_half(&input)?.offset();
        let limit = end.saturating_add(START_DISTANCE).min(part.end);
        self.regex.find(Input::new(text).range(part.start..limit)).map(|found| found.start())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // All that is compiled takes megabytes.
        formatter.debug_struct("Pattern").field("is_literal", &self.is_literal).finish_non_exhaustive()
    }
}

/// Finds out whether a text in the source of a file may match.
///
/// There are two expressions, because the first one alone is searched for fast.
pub(crate) struct SourceFilter {
    text: Regex,
    others: Regex,
}

impl SourceFilter {
    /// Whether a text in some bytes of the file may match.
    pub(crate) fn may_match(&self, source: &[u8]) -> bool {
        self.text.is_match(source) || self.others.is_match(source)
    }
}

fn compile(hir: &Hir) -> Result<Regex, PatternError> {
    let config =
        Config::new().utf8_empty(false).nfa_size_limit(Some(MAX_COMPILED)).hybrid_cache_capacity(MAX_STATES);
    Builder::new().configure(config).build_from_hir(hir).map_err(|_| PatternError::TooLarge)
}
