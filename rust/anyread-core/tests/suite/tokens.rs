//! Token estimates and budgets compared with the exact tokenizer, on text of many kinds.

#![allow(clippy::unwrap_used, reason = "test helpers may panic")]

mod material;

use std::sync::atomic::{AtomicU32, Ordering};

use anyread_core::error::{Error, ErrorKind, Result};
use anyread_core::lock::NoLockHeld;
use anyread_core::tokens::{Counter, Estimate, Tokenizer, ceiling, estimate, longest_prefix};
use material::{hard_kinds, logs, samples};
use proptest::prelude::*;

/// The ratio of estimated to exact `o200k_base` tokens.
fn ratio(text: &str) -> f64 {
    let exact = Tokenizer::O200k.count(text);
    to_f64(estimate(text).tokens()) / to_f64(exact)
}

fn to_f64(tokens: u64) -> f64 {
    f64::from(u32::try_from(tokens).unwrap())
}

fn numbered(text: &str, gutter: impl Fn(usize) -> String) -> String {
    text.lines().enumerate().map(|(index, line)| gutter(index + 1) + line + "\n").collect()
}

#[track_caller]
fn assert_within(name: &str, text: &str, tolerance: f64) {
    let ratio = ratio(text);
    assert!((ratio - 1.0).abs() <= tolerance, "{name}: estimated {ratio:.3} of the exact count");
}

#[test]
fn test_estimate_of_samples_is_within_tolerance() {
    let samples = samples();
    assert!(samples.len() >= 20, "the samples were not found");
    for (name, text) in samples {
        let tolerance = if name.starts_with("cjk") { 0.30 } else { 0.15 };
        assert_within(&name, &text, tolerance);
        assert_within(&name, &numbered(&text, |number| format!("{number}\t")), tolerance);
        assert_within(&name, &numbered(&text, |number| format!("{number:>6}→")), tolerance);
        assert_within(&name, &numbered(&text, |number| format!("{number:>4} | ")), tolerance);
    }
}

#[test]
fn test_estimate_of_logs_is_within_tolerance() {
    for (name, text) in logs() {
        assert_within(name, &text, 0.15);
        assert_within(name, &numbered(&text, |number| format!("{number}\t")), 0.15);
    }
}

#[test]
fn test_estimate_of_hard_kinds_is_not_far_too_low() {
    for (name, text) in hard_kinds() {
        let ratio = ratio(&text);
        assert!((0.8..=1.5).contains(&ratio), "{name}: estimated {ratio:.3} of the exact count");
    }
}

#[test]
fn test_estimate_of_one_repeated_character_is_not_far_too_low() {
    for character in (b' '..=b'~').map(char::from).chain(['\t', '\n', 'é', 'я', 'あ', '─', '🎉']) {
        let text = character.to_string().repeat(4096);
        let ratio = ratio(&text);
        assert!(ratio >= 0.8, "{character:?}: estimated {ratio:.3} of the exact count");
    }
}

#[test]
fn test_estimate_distinguishes_common_and_rare_han_and_hangul() {
    // For every character, the packed tables must record whether the vocabulary has it as one token.
    for (first, last) in [('\u{4E00}', '\u{9FFF}'), ('\u{AC00}', '\u{D7A3}')] {
        let (mut common, mut rare) = (Vec::new(), Vec::new());
        for character in first..=last {
            let text = character.to_string();
            let group = if Tokenizer::O200k.count(&text) == 1 { &mut common } else { &mut rare };
            group.push(estimate(&text));
        }
        common.dedup();
        rare.dedup();
        assert_eq!((common.len(), rare.len()), (1, 1));
        assert!(common < rare);
    }
}

#[test]
fn test_estimate_of_every_character_is_bounded() {
    for character in '\0'..=char::MAX {
        let tokens = estimate(character.encode_utf8(&mut [0; 4])).tokens();
        // At most one per byte, and two more.
        assert!(tokens <= character.len_utf8() as u64 + 2, "{character:?} {tokens}");
    }
}

#[test]
fn test_estimate_of_nothing_is_zero() {
    assert_eq!(estimate(""), Estimate::default());
    assert_eq!(Estimate::default().tokens(), 0);
    assert_eq!(estimate("\n").tokens(), 1);
}

#[test]
fn test_tokenizers_have_names_and_count() {
    assert_eq!(Tokenizer::names(), ["o200k_base", "cl100k_base"]);
    for name in Tokenizer::names() {
        let tokenizer = Tokenizer::from_name(name).unwrap();
        assert_eq!((tokenizer.count(""), tokenizer.count("hello world")), (0, 2));
    }
    assert_eq!(Tokenizer::from_name("O200K_BASE"), None);
    // The vocabularies differ most in scripts other than Latin.
    let greek = "Καλημέρα κόσμε";
    assert!(Tokenizer::O200k.count(greek) < Tokenizer::Cl100k.count(greek));
}

/// Counts a token for every three bytes, and the number of calls.
struct Thirds(AtomicU32);

impl Counter for Thirds {
    fn count(&self, text: &str, _proof: NoLockHeld) -> Result<u64> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok((text.len() as u64).div_ceil(3))
    }
}

/// A counter that is not monotone.
struct Erratic;

impl Counter for Erratic {
    fn count(&self, text: &str, _proof: NoLockHeld) -> Result<u64> {
        Ok((text.len() as u64).wrapping_mul(2_654_435_761) % 97)
    }
}

struct Failing;

impl Counter for Failing {
    fn count(&self, _: &str, _proof: NoLockHeld) -> Result<u64> {
        Err(Error::new("x", ErrorKind::Cancelled))
    }
}

fn line_ends(text: &str) -> Vec<usize> {
    text.split_inclusive('\n')
        .scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        })
        .collect()
}

#[test]
fn test_longest_prefix_of_a_page_takes_few_counts() {
    let text: String = samples().into_iter().map(|(_, text)| text).collect::<String>().repeat(3);
    let ends = line_ends(&text);
    for budget in [10, 1_000, 7_777, 20_000, 1_000_000] {
        let thirds = Thirds(AtomicU32::new(0));
        longest_prefix(&thirds, &text, &ends, budget).unwrap();
        assert!(
            thirds.0.load(Ordering::Relaxed) <= 8,
            "{budget} tokens: {} counts",
            thirds.0.load(Ordering::Relaxed)
        );
    }
}

#[test]
fn test_longest_prefix_of_everything_takes_one_count() {
    let thirds = Thirds(AtomicU32::new(0));
    assert_eq!(longest_prefix(&thirds, "ab\ncd\n", &[3, 6], 1000).unwrap(), (2, 2));
    assert_eq!(thirds.0.load(Ordering::Relaxed), 1);
}

#[test]
fn test_longest_prefix_of_nothing_counts_nothing() {
    assert_eq!(longest_prefix(&Failing, "", &[], 5).unwrap(), (0, 0));
}

#[test]
fn test_longest_prefix_over_budget_from_the_first_piece_is_empty() {
    assert_eq!(longest_prefix(&Thirds(AtomicU32::new(0)), "abcdefghi\n", &[10], 3).unwrap(), (0, 0));
}

#[test]
fn test_longest_prefix_returns_error_of_counter() {
    let error = longest_prefix(&Failing, "a\n", &[2], 5).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~\n\t]{0,400}",
        "[a-zA-Zäéñßşğı ,.\n\r]{0,400}",
        "[а-яёіїјћ ,.\n]{0,200}",
        "[一-龥ぁ-んァ-ヶ가-힣、。\n ]{0,200}",
        "\\PC{0,200}",
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn test_estimates_of_lines_with_endings_add_up_exactly(text in any_text()) {
        let sum: Estimate = text.split_inclusive('\n').map(estimate).sum();
        prop_assert_eq!(sum, estimate(&text));
    }

    #[test]
    fn test_estimates_of_lines_and_separate_endings_add_up_nearly(text in any_text()) {
        let lines: Vec<&str> = text.split('\n').collect();
        let ends = lines.len() as u64 - 1;
        let sum = lines.iter().map(|line| estimate(line)).sum::<Estimate>();
        let sum = sum + (0..ends).map(|_| estimate("\n")).sum();
        let whole = estimate(&text);
        prop_assert!(sum >= whole);
        prop_assert!(sum.tokens() <= whole.tokens() + ends.div_ceil(8));
    }

    #[test]
    fn test_count_till_limit_agrees_with_count(text in any_text(), limit in 0_u64..120) {
        for name in Tokenizer::names() {
            let tokenizer = Tokenizer::from_name(name).unwrap();
            let count = tokenizer.count(&text);
            prop_assert_eq!(tokenizer.count_till_limit(&text, limit), (count <= limit).then_some(count));
        }
    }

    #[test]
    fn test_longest_prefix_equals_brute_force(text in any_text(), budget in 0_u64..150) {
        let ends = line_ends(&text);
        let counter = Thirds(AtomicU32::new(0));
        let mut expected = (0, 0);
        for (index, &end) in ends.iter().enumerate() {
            let count = counter.count(&text[..end], NoLockHeld::check()).unwrap();
            if count <= budget {
                expected = (index + 1, count);
            }
        }
        prop_assert_eq!(longest_prefix(&counter, &text, &ends, budget).unwrap(), expected);
    }

    #[test]
    fn test_longest_prefix_fits_exactly_by_the_real_tokenizer(text in any_text(), budget in 0_u64..150) {
        let ends = line_ends(&text);
        let (pieces, counted) = longest_prefix(&Tokenizer::O200k, &text, &ends, budget).unwrap();
        let end = pieces.checked_sub(1).map_or(0, |last| ends[last]);
        prop_assert_eq!(counted, Tokenizer::O200k.count(&text[..end]));
        prop_assert!(counted <= budget);
        if let Some(&end) = ends.get(pieces) {
            prop_assert!(Tokenizer::O200k.count(&text[..end]) > budget);
        }
    }

    #[test]
    fn test_longest_prefix_never_exceeds_with_an_erratic_counter(text in any_text(), budget in 0_u64..150) {
        let ends = line_ends(&text);
        let (pieces, counted) = longest_prefix(&Erratic, &text, &ends, budget).unwrap();
        prop_assert!(pieces <= ends.len());
        if let Some(last) = pieces.checked_sub(1) {
            prop_assert_eq!(counted, Erratic.count(&text[..ends[last]], NoLockHeld::check()).unwrap());
            prop_assert!(counted <= budget);
        }
    }
}

proptest! {
    #[test]
    fn test_estimate_never_exceeds_its_ceiling(text in "\\PC{0,200}|[ -~\n\t]{0,200}|[\u{10000}-\u{1FFFF}]{0,60}") {
        prop_assert!(estimate(&text) <= ceiling(text.len()));
    }
}

/// Texts in which pieces, tokens and their borders are unusual.
fn unusual_texts() -> impl Strategy<Value = String> {
    let letters =
        "[a-e]{0,300}|[a-zA-Z]{0,400}|\\PC{0,60}|[ \t\r\n]{0,40}|[0-9]{0,20}|(don't|WE'LL|it's|\u{130}'S)";
    let others = "[\u{4e00}-\u{4fff}\u{ac00}-\u{ad00}]{0,40}|[\u{301}\u{200d}\u{1f600}-\u{1f64f}]{0,20}|[-/=_*#]{0,200}";
    proptest::collection::vec(proptest::string::string_regex(&format!("{letters}|{others}")).unwrap(), 0..6)
        .prop_map(|parts| parts.concat())
}

fn other_implementation(tokenizer: Tokenizer) -> &'static bpe_openai::Tokenizer {
    match tokenizer {
        Tokenizer::O200k => bpe_openai::o200k_base(),
        Tokenizer::Cl100k => bpe_openai::cl100k_base(),
    }
}

proptest! {
    #[test]
    fn test_exact_counts_match_another_implementation(text in unusual_texts()) {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
            let expected = other_implementation(tokenizer).count(&*text) as u64;
            prop_assert_eq!(tokenizer.count(&text), expected, "{:?} {:?}", tokenizer, &text);
            prop_assert_eq!(tokenizer.count_till_limit(&text, expected), Some(expected));
            if expected > 0 {
                prop_assert_eq!(tokenizer.count_till_limit(&text, expected - 1), None);
            }
        }
    }
}

#[test]
fn test_exact_counts_of_samples_match_another_implementation() {
    for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k] {
        for (name, text) in samples() {
            let expected = other_implementation(tokenizer).count(&*text) as u64;
            assert_eq!(tokenizer.count(&text), expected, "{name}");
            // Without blanks and line ends, a text becomes a few very long pieces.
            let unbroken: String = text.chars().filter(|character| character.is_alphabetic()).collect();
            let expected = other_implementation(tokenizer).count(&*unbroken) as u64;
            assert_eq!(tokenizer.count(&unbroken), expected, "{name}, letters only");
        }
    }
}
