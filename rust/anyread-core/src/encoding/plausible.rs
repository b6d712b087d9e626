//! How much decoded bytes look like text.
//!
//! A detector returns the best encoding that it knows, even for a text in one that it does not know. Such a
//! text then decodes to combinations that occur in no language, and those are counted here:
//!
//! - in single-byte encodings: capitals after small letters, signs within words, letters of two scripts in
//!   one word, many accented Latin letters in a row, accented letters that no language has together, letters
//!   that only South Slavic languages have together with letters that only East Slavic ones have, Cyrillic or
//!   Greek without small letters, C1 controls and unassigned bytes;
//! - in multi-byte encodings: malformed pieces, and characters outside the rows of frequent characters.
//!   All East Asian national standards have separate rows for frequent characters (level 1 of JIS, GB 2312
//!   and Big5, the syllables of KS X 1001), and prose in the right encoding hardly uses others.

use std::collections::BTreeMap;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

/// The oddities that were counted in a sample.
#[derive(Debug, Clone, Copy)]
pub struct Plausibility {
    /// The number of characters other than ASCII.
    non_ascii: u32,
    /// The weighted number of odd characters.
    odd: f32,
    /// The share of odd characters at which the confidence is 0.
    limit: f32,
}

/// The share of odd characters from which on a guess is wrong, in single-byte and in multi-byte encodings.
/// In the right encoding, prose has less than 1 % of odd words and less than 10 % of rare ideographs.
const WORD_LIMIT: f32 = 0.04;
const ROW_LIMIT: f32 = 0.4;

/// The confidence if nothing is odd; a detector is never certain.
const MAX_CONFIDENCE: f32 = 0.99;

/// Below this confidence a guess is not used.
const HOPELESS: f32 = 0.15;

/// How many odd characters may occur by chance, even in the shortest text.
const CHANCE: f32 = 5.0;

/// How many characters are needed to overrule the detector.
const ENOUGH: u32 = 8;

impl Plausibility {
    fn new(limit: f32) -> Self {
        Self { non_ascii: 0, odd: 0.0, limit }
    }

    /// The confidence, from 0 to 0.99.
    ///
    /// It is lower for more odd characters, of which one is ignored, and for fewer characters in all: a
    /// single one gives 0.49, six give 0.85.
    pub fn confidence(self) -> f32 {
        if self.non_ascii == 0 {
            return 0.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "a sample has far less than 2^24 characters")]
        let count = self.non_ascii as f32;
        let evidence = count / (count + 1.05);
        let share = (self.odd - 1.0).max(0.0) / count;
        ((1.0 - share / self.limit) * evidence).clamp(0.0, MAX_CONFIDENCE)
    }

    /// The weighted number of odd characters.
    pub fn oddity(self) -> f32 {
        self.odd
    }

    /// Whether the text cannot be in this encoding.
    pub fn is_hopeless(self) -> bool {
        self.odd > CHANCE && self.confidence() < HOPELESS
    }

    /// Whether `other` has so much fewer odd characters that the text must be in its encoding.
    pub fn is_beaten_by(self, other: Self) -> bool {
        self.odd >= 3.0 && other.non_ascii >= ENOUGH && other.odd * 4.0 < self.odd
    }
}

/// Counts the oddities of `sample` as text in `encoding`.
pub fn assess(encoding: &'static Encoding, sample: &[u8]) -> Plausibility {
    if encoding.is_single_byte() {
        let (text, _) = encoding.decode_without_bom_handling(sample);
        assess_words(&text)
    } else {
        assess_rows(encoding, sample)
    }
}

/// The maximum number of consecutive accented Latin letters in an ordinary word, such as Turkish "açığı".
const MAX_ACCENTED: u32 = 4;

/// The letters besides ASCII of languages, or of groups of languages whose texts often quote one another.
///
/// Texts quote foreign names, so a few other letters are no evidence; but a text in another encoding has many
/// letters that no language has together.
const ALPHABETS: &[&str] = &[
    // French, German, Spanish, Catalan, Portuguese, Italian, Dutch.
    "àáâãäçèéêëìíîïñòóôõöùúûüÿœß",
    // Danish, Norwegian, Swedish, Finnish.
    "àáäåæéêóôöøü",
    // Icelandic and Faroese.
    "áæðéíóöøúýþ",
    "ąćęłńóśźż",
    "áčďéěíňóřšťúůýž",
    "áäčďéíĺľňóôŕšťúýž",
    "áéíóöúüőű",
    // Croatian, Bosnian, Slovene.
    "ćčđšž",
    "âîăşţșț",
    "âçîöûüğıişé",
    "ąčėęįšūųž",
    "āčēģīķļņōŗšūž",
    "äõöüšž",
    "ĉĝĥĵŝŭ",
    "àèìòùċġħż",
    // Welsh.
    "àáâäèéêëìíîïòóôöùúûüýÿŵŷ",
    // Northern Sami.
    "áčđŋšŧžåäöæø",
    // Vietnamese, with its combining marks.
    "àáâãèéêìíòóôõùúýăđĩũơư",
    // Azerbaijani.
    "çöüğışə",
];

/// The scripts whose letters do not share a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Other,
}

/// The role of a character in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A letter.
    Letter { script: Alphabet, upper: bool, lower: bool, ascii: bool },
    /// Part of any word: marks, apostrophes, soft hyphens.
    Joiner,
    /// A sign, which occurs before, after or between words.
    Sign,
    /// A sign between two letters of ASCII, as in `m²K`, is no oddity.
    Link,
    /// Spaces, digits and all other ASCII.
    Gap,
    /// C1 controls and U+FFFD, which never occur in text.
    Never,
}

fn role(character: char) -> Role {
    match character {
        'A'..='Z' => Role::Letter { script: Alphabet::Latin, upper: true, lower: false, ascii: true },
        'a'..='z' => Role::Letter { script: Alphabet::Latin, upper: false, lower: true, ascii: true },
        // ª and º follow letters and digits; dashes separate words.
        '\u{0}'..='\u{7F}' | '\u{A0}' | 'ª' | 'º' | '\u{2010}'..='\u{2015}' | '…' => Role::Gap,
        '\u{80}'..='\u{9F}' | '\u{FFFD}' => Role::Never,
        '\u{300}'..='\u{36F}' | '´' | '·' | '\u{AD}' | '’' | '\u{200C}'..='\u{200F}' | 'ـ' => {
            Role::Joiner
        }
        _ if character.is_alphabetic() => Role::Letter {
            script: script(character),
            upper: character.is_uppercase(),
            lower: character.is_lowercase(),
            ascii: false,
        },
        '°' | '²' | '³' | '×' | '÷' | '±' | '€' | '®' | '™' | '»' | '«' => Role::Link,
        // Vowel marks above and below letters, and Hebrew marks of abbreviations.
        '\u{591}'..='\u{5C7}' | '\u{5F3}' | '\u{5F4}' | '\u{64B}'..='\u{65F}' | '\u{E31}'..='\u{E4E}' => {
            Role::Joiner
        }
        _ => Role::Sign,
    }
}

fn script(letter: char) -> Alphabet {
    match letter {
        '\u{0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Alphabet::Latin,
        '\u{370}'..='\u{3FF}' => Alphabet::Greek,
        '\u{400}'..='\u{52F}' => Alphabet::Cyrillic,
        '\u{590}'..='\u{5FF}' => Alphabet::Hebrew,
        '\u{600}'..='\u{6FF}' => Alphabet::Arabic,
        _ => Alphabet::Other,
    }
}

/// Whether only the alphabets of Serbian and Macedonian have the letter.
fn is_south_slavic(character: char) -> bool {
    matches!(character, 'Ђ' | 'Ѓ' | 'Љ' | 'Њ' | 'Ћ' | 'Ќ' | 'Џ' | 'ђ' | 'ѓ' | 'љ' | 'њ' | 'ћ' | 'ќ' | 'џ')
}

/// Whether an alphabet of Russian, Ukrainian, Belarusian or Bulgarian has the letter, but not those of
/// Serbian and Macedonian.
fn is_east_slavic(character: char) -> bool {
    matches!(character, 'й' | 'щ' | 'ъ' | 'ы' | 'ь' | 'э' | 'ю' | 'я')
}

/// How many of some accented letters, of which each occurs so often, are not in the best alphabet for them.
fn foreign_letters(letters: &BTreeMap<char, u16>) -> u16 {
    let small = |letter: char| letter.to_lowercase().next().unwrap_or(letter);
    let foreign = |alphabet: &&str| -> u16 {
        letters.iter().filter(|(letter, _)| !alphabet.contains(small(**letter))).map(|(_, count)| count).sum()
    };
    ALPHABETS.iter().map(foreign).min().unwrap_or_default()
}

/// Whether Windows adds the letter to a Latin encoding of ISO 8859, where it has C1 controls.
///
/// Every language that has one of them also has letters of ISO 8859, and DOS has frequent letters there.
fn is_added(letter: char) -> bool {
    matches!(letter, 'Š' | 'š' | 'Ž' | 'ž' | 'Œ' | 'œ' | 'Ÿ' | 'ƒ' | 'Ś' | 'ś' | 'Ť' | 'ť' | 'Ź' | 'ź')
}

/// Whether a sign begins a word or stands alone, but never ends a word.
fn never_ends_word(sign: char) -> bool {
    matches!(sign, '‚' | '„' | '¡' | '¿' | '•' | '¤' | '¢' | '†' | '‡')
}

/// Whether a character is never after a sign: a point or a comma after a dash or an ellipsis that follows a
/// letter, or a space after an opening quote.
fn is_misplaced(before: Role, sign: char, character: char) -> bool {
    match sign {
        '–' | '—' | '…' => {
            matches!(before, Role::Letter { .. }) && matches!(character, ',' | '.' | ';' | ':')
        }
        '‚' | '„' => character.is_whitespace(),
        _ => false,
    }
}

/// Counts the oddities of words.
fn assess_words(text: &str) -> Plausibility {
    let mut seen = Plausibility::new(WORD_LIMIT);
    let mut previous = Role::Gap;
    let mut before = Role::Gap;
    let mut accented_in_a_row = 0;
    let (mut south, mut east) = (0.0_f32, 0.0_f32);
    let mut letters = BTreeMap::new();
    let (mut capitals, mut small) = (0.0_f32, 0.0_f32);
    let (mut added, mut others) = (0_u16, 0_u16);
    let mut last = ' ';
    for character in text.chars() {
        let role = role(character);
        let follows_letter = matches!(previous, Role::Letter { .. });
        if (follows_letter && never_ends_word(character)) || is_misplaced(before, last, character) {
            seen.odd += 1.0;
        }
        last = character;
        seen.non_ascii += u32::from(!character.is_ascii());
        match (before, previous, role) {
            (_, _, Role::Never) => seen.odd += 3.0,
            // A sign within a word.
            (Role::Letter { .. }, Role::Sign, Role::Letter { .. }) => seen.odd += 2.0,
            (Role::Letter { ascii: a, .. }, Role::Link, Role::Letter { ascii: b, .. }) if !(a && b) => {
                seen.odd += 1.0;
            }
            (
                _,
                Role::Letter { script: left, lower, ascii: left_ascii, .. },
                Role::Letter { script: right, upper, ascii: right_ascii, .. },
            ) if (left != right || (lower && upper)) && !(left_ascii && right_ascii) => seen.odd += 1.0,
            _ => {}
        }
        let accented = matches!(role, Role::Letter { script: Alphabet::Latin, ascii: false, .. });
        if accented {
            if is_added(character) {
                added += 1;
            } else {
                others += 1;
            }
            *letters.entry(character).or_default() += 1;
        }
        if let Role::Letter { script: Alphabet::Greek | Alphabet::Cyrillic, upper, lower, .. } = role {
            capitals += f32::from(u8::from(upper));
            small += f32::from(u8::from(lower));
        }
        accented_in_a_row = if accented { accented_in_a_row + 1 } else { 0 };
        if accented_in_a_row > MAX_ACCENTED {
            seen.odd += 1.0;
        }
        if is_south_slavic(character) {
            south += 1.0;
        } else if is_east_slavic(character) {
            east += 1.0;
        }
        if role != Role::Joiner {
            before = previous;
            previous = role;
        }
    }
    seen.odd += south.min(east);
    seen.odd += f32::from(foreign_letters(&letters));
    if others == 0 {
        seen.odd += f32::from(added);
    }
    if small * 20.0 < capitals {
        seen.odd += capitals - CHANCE;
    }
    seen
}

/// The class of the row of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    /// Letters, syllables and frequent ideographs.
    Frequent,
    /// Punctuation and signs.
    Sign,
    /// Half-width forms.
    Half,
    /// Everything else.
    Rare,
}

impl Row {
    /// The weight of a character of this class; text has some punctuation and some half-width forms.
    fn oddity(self) -> f32 {
        match self {
            Self::Frequent => 0.0,
            Self::Sign => 0.1,
            Self::Half => 0.2,
            Self::Rare => 1.0,
        }
    }
}

/// The row of a two-byte character.
fn row(encoding: &'static Encoding, lead: u8, trail: u8) -> Row {
    let full = trail >= 0xA1;
    if encoding == SHIFT_JIS {
        match lead {
            0x81 | 0x87 => Row::Sign,
            0x82..=0x84 | 0x88..=0x97 => Row::Frequent,
            0x98 if trail <= 0x72 => Row::Frequent,
            _ => Row::Rare,
        }
    } else if encoding == EUC_JP {
        match lead {
            0x8E => Row::Half,
            0xA1 | 0xA2 | 0xAD => Row::Sign,
            0xA3..=0xA7 | 0xB0..=0xCF => Row::Frequent,
            _ => Row::Rare,
        }
    } else if encoding == EUC_KR {
        match lead {
            0xA1..=0xA3 if full => Row::Sign,
            0xA4 | 0xB0..=0xC8 if full => Row::Frequent,
            _ => Row::Rare,
        }
    } else if encoding == BIG5 {
        match lead {
            0xA1..=0xA3 => Row::Sign,
            0xA4..=0xC6 => Row::Frequent,
            _ => Row::Rare,
        }
    } else {
        match lead {
            0xA1..=0xA3 if full => Row::Sign,
            0xB0..=0xD7 if full => Row::Frequent,
            _ => Row::Rare,
        }
    }
}

/// Counts malformed pieces and characters outside the rows of frequent characters.
fn assess_rows(encoding: &'static Encoding, sample: &[u8]) -> Plausibility {
    let mut seen = Plausibility::new(ROW_LIMIT);
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut rest = sample;
    while let Some(start) = rest.iter().position(|byte| *byte >= 0x80) {
        let follows_letter = start > 0 && rest.get(start - 1).is_some_and(u8::is_ascii_alphabetic);
        rest = &rest[start..];
        seen.non_ascii += 1;
        let length = sequence_length(encoding, rest);
        let Some(sequence) = rest.get(..length) else { break };
        // A single character within a Latin word.
        if follows_letter && rest.get(length).is_some_and(u8::is_ascii_alphabetic) {
            seen.odd += 2.0;
        }
        let mut units = [0; 8];
        let (_, _, written, malformed) = decoder.decode_to_utf16(sequence, &mut units, false);
        let is_private = units[..written].iter().any(|unit| (0xE000..0xF900).contains(unit));
        seen.odd += match sequence {
            _ if malformed || is_private => 5.0,
            [_] => Row::Half.oddity(),
            [lead, trail] => row(encoding, *lead, *trail).oddity(),
            _ => Row::Rare.oddity(),
        };
        // A malformed sequence may end earlier than its lead byte indicates.
        rest = if malformed {
            decoder = encoding.new_decoder_without_bom_handling();
            &rest[1..]
        } else {
            &rest[length..]
        };
    }
    seen
}

/// The length of the sequence at the start of `bytes`, according to its lead byte.
fn sequence_length(encoding: &'static Encoding, bytes: &[u8]) -> usize {
    let (Some(lead), second) = (bytes.first(), bytes.get(1)) else { return 1 };
    if encoding == SHIFT_JIS && matches!(lead, 0x80 | 0xA0..=0xDF) {
        1
    } else if encoding == EUC_JP && *lead == 0x8F {
        3
    } else if (encoding == GB18030 || encoding == GBK) && second.is_some_and(u8::is_ascii_digit) {
        4
    } else {
        2
    }
}

/// Whether a character is common in texts: a letter of a living script, a common sign, or layout.
pub fn is_usual(character: char) -> bool {
    matches!(character,
        '\u{8}'..='\u{D}' | '\u{1B}' | ' '..='~'
        | '\u{A0}'..='\u{18FF}' | '\u{1950}'..='\u{206F}' | '\u{20A0}'..='\u{22FF}' | '\u{2460}'..='\u{27BF}'
        | '\u{2C00}'..='\u{2DDF}' | '\u{3000}'..='\u{33FF}' | '\u{4E00}'..='\u{ABFF}'
        | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{FE0F}' | '\u{FE30}'..='\u{FE4F}'
        | '\u{FEFF}' | '\u{FF01}'..='\u{FFEF}' | '\u{10000}'..='\u{11FFF}' | '\u{16800}'..='\u{16FFF}'
        | '\u{1D400}'..='\u{1D7FF}' | '\u{1E800}'..='\u{1E95F}' | '\u{1F000}'..='\u{1FAFF}' | '\u{20000}'..='\u{323AF}')
}
