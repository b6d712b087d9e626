//! How near the second-best encoding of a short text is, which the detector does not report.
//!
//! Each encoding has a cost: about the negative logarithm of the frequency of its letters and of their places in
//! words. Each word counts once. The constants were chosen with translated messages in 44 pairs of a language
//! and an encoding.

use std::collections::BTreeSet;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, ISO_8859_2, ISO_8859_5, KOI8_U, MACINTOSH, SHIFT_JIS,
    WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255,
    WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
};

use crate::encoding::plausible::assess;

/// A rival is near if its cost exceeds that of the guess by less than this: odds of one in five.
const NEAR: f32 = 1.5;

/// So few different characters of an East Asian encoding may be frequent in another one, too.
const FEW_IDEOGRAPHS: usize = 5;

/// The cost of Hebrew that is one word without a final form, since many short words in Cyrillic look like that.
const SCANT_HEBREW: f32 = 4.0;

#[rustfmt::skip]
static RIVALS: &[&Encoding] = &[
    WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256,
    WINDOWS_1257, WINDOWS_1258, WINDOWS_874, ISO_8859_2, ISO_8859_5, KOI8_U, IBM866, MACINTOSH,
];

static EAST_ASIAN: &[&Encoding] = &[GB18030, BIG5, SHIFT_JIS, EUC_JP, EUC_KR];

/// The letters of alphabets, the most frequent first; of Latin ones, those besides ASCII for each language.
const LATIN: &str = "éàèêôçîûùâïëœü üäöß óáéíñúü ãçáéíóõêúâàô èàùòìé äöåéü åøæéä æðáíéþóöúýø łóżęąćśźń \
    íáéřěžčýšůúťňóďü áíéčžýšľúťňôóäďĺŕ áéöóőíüúű čšžćđ ăîşâţșț ıüişçğöâİ ėšįžąųūčę āīēšūņļžķģčŗō äõüöšž \
    éëïèóöü âûîôê ươđêâôă";
const OTHERS: &str = "оаинетрсвлкпдмузяыьгбчйхжшюцщіјєїфэъљњћўђџёґ \
    ατοιενσρπηκμςλυίόάέδγχήωύθώφβξζψϊϋΐΰ יוהלראתמבםשנקדןחפטסגעכזצךףץ \
    اليمنرتوبةعفدسكقحجىهأشطصزخءضذغثئإؤظآ านรอกเงมยลวดตสทปคบพหไแชผขจถซธศษณใโญฟภำฐฏฤฎ";

/// The letters of names that texts in other languages quote.
const QUOTED: &str = "éáíóüöñäèúçãôå";

/// The encoding other than the guessed one that explains a text best, and by how much its cost is less, if it
/// is near.
pub(super) fn rival(guessed: &'static Encoding, sample: &[u8]) -> Option<(&'static Encoding, f32)> {
    let text = guessed.decode_without_bom_handling(sample).0;
    let own = if guessed.is_single_byte() { cost(&text) } else { wide_cost(guessed, &text, sample) };
    let rivals = RIVALS.iter().filter_map(|rival| {
        let other = rival.decode_without_bom_handling(sample).0;
        (other != text).then(|| (*rival, own - cost(&other)))
    });
    rivals.max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, advantage)| *advantage > -NEAR)
}

/// The cost of a text in an East Asian encoding, infinite if too few characters distinguish it from another one.
fn wide_cost(encoding: &'static Encoding, text: &str, sample: &[u8]) -> f32 {
    let characters: BTreeSet<char> = text.chars().filter(|character| !character.is_ascii()).collect();
    let mut others = EAST_ASIAN.iter().filter(|other| **other != encoding);
    if characters.len() <= FEW_IDEOGRAPHS && others.any(|other| assess(other, sample).oddity() < 1.0) {
        return f32::INFINITY;
    }
    let each = |it: &char| if matches!(it, '\u{3040}'..='\u{30FF}') { 4.5 } else { 7.6 };
    characters.iter().map(each).sum::<f32>() + assess(encoding, sample).oddity() * 4.0
}

/// The cost of the words of a text that are not ASCII; no-break spaces and guillemets cost nothing.
fn cost(text: &str) -> f32 {
    let is_gap = |it: char| it.is_ascii() && !it.is_ascii_alphabetic() || matches!(it, '\u{A0}' | '«' | '»');
    let words: BTreeSet<&str> = text.split(is_gap).filter(|word| !word.is_ascii()).collect();
    let mut total = 0.0;
    let mut accented = Vec::new();
    for word in &words {
        let start = accented.len();
        let mut before = None;
        let mut letters = word.chars().peekable();
        while let Some(letter) = letters.next() {
            total += place_cost(before, letter, letters.peek().copied());
            let small = letter.to_lowercase().next().unwrap_or(letter);
            if is_latin(letter) && !letter.is_ascii() {
                accented.push(small);
            } else if !letter.is_ascii() {
                total += letter_cost(small);
            }
            before = Some(letter);
        }
        // Hardly any Latin word of two or more letters has only accented ones.
        if accented.len() - start >= 2 && !word.contains(|it: char| it.is_ascii_alphabetic()) {
            total += 2.0 * as_f32(accented.len() - start);
        }
    }
    let is_hebrew = |it: char| matches!(it, '\u{5D0}'..='\u{5EA}');
    let mut hebrew = words.iter().filter(|word| word.contains(is_hebrew) && word.chars().count() > 1);
    if hebrew.next().is_some_and(|word| !word.contains(['ם', 'ן', 'ך', 'ף', 'ץ'])) && hebrew.next().is_none()
    {
        total += SCANT_HEBREW;
    }
    let quoted = |letter| rank(QUOTED, letter).map_or(25, |rank| 10 + rank);
    let in_language = |alphabet: &str| -> f32 {
        // Each letter of a small alphabet is more frequent.
        let first = 1.55 + 0.05 * as_f32(alphabet.chars().count());
        let rank = |letter| rank(alphabet, letter).unwrap_or_else(|| quoted(letter));
        accented.iter().map(|letter| first + 0.2 * as_f32(rank(*letter))).sum()
    };
    total + LATIN.split(' ').map(in_language).fold(f32::INFINITY, f32::min)
}

#[expect(clippy::cast_precision_loss, reason = "a sample has far less than 2^24 characters")]
fn as_f32(count: usize) -> f32 {
    count as f32
}

fn rank(alphabet: &str, letter: char) -> Option<usize> {
    alphabet.chars().position(|known| known == letter)
}

fn is_latin(letter: char) -> bool {
    letter.is_alphabetic() && letter < '\u{250}'
}

/// The cost of a character that is not a Latin letter.
fn letter_cost(letter: char) -> f32 {
    match letter {
        '–' | '—' | '’' | '‘' | '“' | '”' | '„' | '…' | '№' | '°' | '´' | '·' | 'º' | '©' | '®' | '§' => {
            3.0
        }
        '\u{80}'..='\u{9F}' | '\u{FFFD}' => 9.0,
        '\u{300}'..='\u{36F}' => 4.5,
        // Vowel marks of Thai.
        '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E46}'..='\u{E4E}' => 3.1,
        _ => OTHERS
            .split(' ')
            .find_map(|alphabet| rank(alphabet, letter))
            .map_or(7.0, |rank| 2.2 + 0.11 * as_f32(rank)),
    }
}

/// The cost of a letter between two others: capitals, letters of another script, forms for the end of a word.
fn place_cost(before: Option<char>, letter: char, after: Option<char>) -> f32 {
    let is_mixed = before
        .is_some_and(|it| it.is_alphabetic() && letter.is_alphabetic() && is_latin(it) != is_latin(letter));
    let mixed = if is_mixed { 5.0 } else { 0.0 };
    let capital = match before {
        _ if letter.is_ascii() || !letter.is_uppercase() => 0.0,
        None => 2.0,
        Some(before) if before.is_uppercase() => 0.2,
        Some(_) => 5.0,
    };
    let form = match letter {
        'ם' | 'ן' | 'ך' | 'ף' | 'ץ' | 'ς' if after.is_some() => 4.0,
        'כ' | 'מ' | 'נ' | 'פ' | 'צ' | 'σ' if after.is_none() => 3.0,
        _ => 0.0,
    };
    mixed + capital + form
}
