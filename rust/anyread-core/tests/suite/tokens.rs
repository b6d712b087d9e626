//! Token estimates and budgets compared with the exact tokenizer, on text of many kinds.

#![allow(clippy::unwrap_used, reason = "test helpers may panic")]

mod material;

use std::sync::atomic::{AtomicU32, Ordering};

use anyread_core::error::{Error, ErrorKind, Result};
use anyread_core::lock::NoLockHeld;
use anyread_core::tokens::{Counter, Estimate, Tokenizer, ceiling, estimate, longest_prefix};

use crate::input::{Input, check_random};
use material::{hard_kinds, logs, samples};

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

/// A text of ASCII, of a script, or of any characters.
fn any_text(input: &mut Input<'_>) -> String {
    let (most, ranges): (usize, &[(char, char)]) = input.pick(&[
        (400, &[(' ', '~'), (' ', '~'), ('\n', '\n'), ('\t', '\t')]),
        (
            400,
            &[
                ('a', 'z'),
                ('A', 'Z'),
                ('ß', 'ÿ'),
                ('ğ', 'ğ'),
                ('ı', 'ı'),
                (' ', ' '),
                (',', '.'),
                ('\n', '\r'),
            ],
        ),
        (200, &[('а', 'я'), ('а', 'я'), ('ё', 'ќ'), (' ', ' '), (',', '.'), ('\n', '\n')]),
        (
            200,
            &[('一', '龥'), ('ぁ', 'ん'), ('ァ', 'ヶ'), ('가', '힣'), ('、', '。'), ('\n', '\n'), (' ', ' ')],
        ),
        (200, &[(' ', '~'), ('\u{A0}', '\u{FFFF}'), ('\u{10000}', '\u{1FFFF}')]),
        (100, &[('\0', char::MAX)]),
    ]);
    input.text(0..most, ranges)
}

#[test]
fn test_estimates_of_lines_with_endings_add_up_exactly() {
    check_random(256, |input| {
        let text = any_text(input);
        let sum: Estimate = text.split_inclusive('\n').map(estimate).sum();
        assert_eq!(sum, estimate(&text));
    });
}

#[test]
fn test_estimates_of_lines_and_separate_endings_add_up_nearly() {
    check_random(256, |input| {
        let text = any_text(input);
        let lines: Vec<&str> = text.split('\n').collect();
        let ends = lines.len() as u64 - 1;
        let sum = lines.iter().map(|line| estimate(line)).sum::<Estimate>();
        let sum = sum + (0..ends).map(|_| estimate("\n")).sum();
        let whole = estimate(&text);
        assert!(sum >= whole);
        assert!(sum.tokens() <= whole.tokens() + ends.div_ceil(8));
    });
}

#[test]
fn test_count_till_limit_agrees_with_count() {
    check_random(256, |input| {
        let (text, limit) = (any_text(input), input.within(0..120) as u64);
        for name in Tokenizer::names() {
            let tokenizer = Tokenizer::from_name(name).unwrap();
            let count = tokenizer.count(&text);
            for limit in [limit, count, count.saturating_sub(1)] {
                assert_eq!(tokenizer.count_till_limit(&text, limit), (count <= limit).then_some(count));
            }
        }
    });
}

#[test]
fn test_longest_prefix_equals_brute_force() {
    check_random(256, |input| {
        let (text, budget) = (any_text(input), input.within(0..150) as u64);
        let ends = line_ends(&text);
        let counter = Thirds(AtomicU32::new(0));
        let mut expected = (0, 0);
        for (index, &end) in ends.iter().enumerate() {
            let count = counter.count(&text[..end], NoLockHeld::check()).unwrap();
            if count <= budget {
                expected = (index + 1, count);
            }
        }
        assert_eq!(longest_prefix(&counter, &text, &ends, budget).unwrap(), expected);
    });
}

#[test]
fn test_longest_prefix_fits_exactly_by_the_real_tokenizer() {
    check_random(256, |input| {
        let (text, budget) = (any_text(input), input.within(0..150) as u64);
        let ends = line_ends(&text);
        let (pieces, counted) = longest_prefix(&Tokenizer::O200k, &text, &ends, budget).unwrap();
        let end = pieces.checked_sub(1).map_or(0, |last| ends[last]);
        assert_eq!(counted, Tokenizer::O200k.count(&text[..end]));
        assert!(counted <= budget);
        if let Some(&end) = ends.get(pieces) {
            assert!(Tokenizer::O200k.count(&text[..end]) > budget);
        }
    });
}

#[test]
fn test_longest_prefix_never_exceeds_with_an_erratic_counter() {
    check_random(256, |input| {
        let (text, budget) = (any_text(input), input.within(0..150) as u64);
        let ends = line_ends(&text);
        let (pieces, counted) = longest_prefix(&Erratic, &text, &ends, budget).unwrap();
        assert!(pieces <= ends.len());
        if let Some(last) = pieces.checked_sub(1) {
            assert_eq!(counted, Erratic.count(&text[..ends[last]], NoLockHeld::check()).unwrap());
            assert!(counted <= budget);
        }
    });
}

#[test]
fn test_estimate_never_exceeds_its_ceiling() {
    check_random(256, |input| {
        let text = any_text(input);
        assert!(estimate(&text) <= ceiling(text.len()));
    });
}
