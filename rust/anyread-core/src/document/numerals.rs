//! Numbers as the labels of lists write them.
//!
//! Source: ECMA-376-1, section 17.18.59.

/// The formats of numbers that are shown besides `decimal`.
const FORMATS: &str = "bullet none lowerLetter upperLetter lowerRoman upperRoman decimalZero ordinal ordinalText \
    cardinalText chineseCounting chineseCountingThousand taiwaneseCounting taiwaneseCountingThousand \
    japaneseCounting koreanCounting ideographDigital japaneseDigitalTenThousand taiwaneseDigital koreanDigital \
    koreanDigital2 decimalFullWidth decimalFullWidth2 decimalEnclosedCircle decimalEnclosedCircleChinese \
    ideographTraditional ganada hebrew1 russianLower russianUpper";

/// The format of a name, if that is known.
pub(super) fn known_format(name: &str) -> Option<&'static str> {
    FORMATS.split_whitespace().chain(["decimal"]).find(|known| *known == name)
}

/// What a number is made of: the digits, and tens, hundreds and thousands.
const HAN: (&str, &str) = ("〇一二三四五六七八九", "十百千");
const HANGUL: (&str, &str) = ("영일이삼사오육칠팔구", "십백천");
const ONES: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
    fifteen sixteen seventeen eighteen nineteen";
const TENS: &str = "- - twenty thirty forty fifty sixty seventy eighty ninety";
/// The ends of numbers whose ordinals do not only add `th`, each before that of the ordinal.
const ORDINALS: &str =
    "one first two second three third five fifth eight eighth nine ninth twelve twelfth y ieth";
const ROMAN: &str = "M 1000 CM 900 D 500 CD 400 C 100 XC 90 L 50 XL 40 X 10 IX 9 V 5 IV 4 I 1";
const LATIN: &str = "abcdefghijklmnopqrstuvwxyz";
const RUSSIAN: &str = "абвгдежзиклмнопрстуфхцчшщыэюя";
/// The values of these are 1 to 9, 10 to 90, and 100 to 400.
const HEBREW: &str = "אבגדהוזחטיכלמנסעפצקרשת";

/// A number in a format of numbers; in decimal if the format is another one, or has no such number.
pub(crate) fn numeral(number: u32, format: &str) -> String {
    let found = match format {
        "none" => Some(String::new()),
        "lowerLetter" => letters(number, LATIN),
        "upperLetter" => letters(number, LATIN).map(|text| text.to_uppercase()),
        "lowerRoman" => roman(number).map(|text| text.to_lowercase()),
        "upperRoman" => roman(number),
        "decimalZero" => Some(format!("{number:02}")),
        "ordinal" => Some(ordinal(number)),
        "ordinalText" => words(number).map(|words| capitalized(&nth(&words))),
        "cardinalText" => words(number).map(|words| capitalized(&words)),
        "chineseCounting" | "chineseCountingThousand" | "taiwaneseCounting" | "taiwaneseCountingThousand" => {
            counted(number, HAN, "零")
        }
        "japaneseCounting" => counted(number, HAN, ""),
        "koreanCounting" => counted(number, HANGUL, ""),
        "ideographDigital" | "japaneseDigitalTenThousand" | "taiwaneseDigital" | "koreanDigital2" => {
            Some(digits(number, HAN.0))
        }
        "koreanDigital" => Some(digits(number, HANGUL.0)),
        "decimalFullWidth" | "decimalFullWidth2" => Some(digits(number, "０１２３４５６７８９")),
        "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" => at(number, "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"),
        "ideographTraditional" => at(number, "甲乙丙丁戊己庚辛壬癸"),
        "ganada" => at(number, "가나다라마바사아자차카타파하"),
        "hebrew1" => hebrew(number),
        "russianLower" => letters(number, RUSSIAN),
        "russianUpper" => letters(number, RUSSIAN).map(|text| text.to_uppercase()),
        _ => None,
    };
    found.unwrap_or_else(|| number.to_string())
}

/// The character of a number, counted from 1.
fn at(number: u32, characters: &str) -> Option<String> {
    characters.chars().nth(number.checked_sub(1)? as usize).map(String::from)
}

/// A letter, after the last one twice, and so on.
fn letters(number: u32, alphabet: &str) -> Option<String> {
    let (index, count) = (number.checked_sub(1)? as usize, alphabet.chars().count());
    let letter = alphabet.chars().nth(index % count).filter(|_| index < 9 * count)?;
    Some(std::iter::repeat_n(letter, index / count + 1).collect())
}

fn digits(number: u32, of: &str) -> String {
    let digit = |digit: char| digit.to_digit(10).and_then(|digit| of.chars().nth(digit as usize));
    number.to_string().chars().filter_map(digit).collect()
}

/// A number below 10,000 with the signs of tens, hundreds and thousands; `zero` stands for digits inside that are 0.
///
/// Before such a sign there is no one where `zero` is empty, nor in 10 to 19.
fn counted(number: u32, (digits, units): (&str, &str), zero: &str) -> Option<String> {
    let mut text = String::new();
    let mut is_gap = false;
    for (place, power) in [1_000, 100, 10, 1].into_iter().enumerate() {
        let digit = number / power % 10;
        if digit == 0 {
            is_gap = !text.is_empty();
            continue;
        }
        text.push_str(if is_gap { zero } else { "" });
        is_gap = false;
        let is_silent = digit == 1 && power > 1 && (zero.is_empty() || (text.is_empty() && power == 10));
        text.extend(digits.chars().nth(digit as usize).filter(|_| !is_silent));
        text.extend(3_usize.checked_sub(place + 1).and_then(|unit| units.chars().nth(unit)));
    }
    (1..10_000).contains(&number).then_some(text)
}

fn hebrew(number: u32) -> Option<String> {
    let letter = |at: u32| HEBREW.chars().nth(at as usize);
    let mut text = String::new();
    let (hundreds, rest) = (number / 100, number % 100);
    text.extend(hundreds.checked_sub(1).and_then(|at| letter(18 + at)));
    // 15 and 16 are 9 and 6, and 9 and 7, since the others would begin a name of God.
    if matches!(rest, 15 | 16) {
        text.extend([letter(8), letter(rest - 10)].into_iter().flatten());
    } else {
        text.extend((rest / 10).checked_sub(1).and_then(|at| letter(9 + at)));
        text.extend((rest % 10).checked_sub(1).and_then(letter));
    }
    (1..500).contains(&number).then_some(text)
}

/// `1st`, `2nd`.
fn ordinal(number: u32) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A number below 1,000 in English.
fn words(number: u32) -> Option<String> {
    let word = |of: &'static str, at: u32| of.split_whitespace().nth(at as usize);
    let rest = number % 100;
    let mut words: Vec<String> = Vec::new();
    words.extend(word(ONES, number / 100).filter(|_| number >= 100).map(|digit| format!("{digit} hundred")));
    match (rest / 10, rest % 10) {
        (0, 0) if number > 0 => {}
        (0 | 1, _) => words.extend(word(ONES, rest).map(ToOwned::to_owned)),
        (tens, 0) => words.extend(word(TENS, tens).map(ToOwned::to_owned)),
        (tens, ones) => words.push(format!("{}-{}", word(TENS, tens)?, word(ONES, ones)?)),
    }
    (number < 1_000).then(|| words.join(" "))
}

/// The ordinal of a number in words.
fn nth(words: &str) -> String {
    let mut ends = ORDINALS.split_whitespace();
    while let (Some(end), Some(nth)) = (ends.next(), ends.next()) {
        if let Some(start) = words.strip_suffix(end) {
            return start.to_owned() + nth;
        }
    }
    format!("{words}th")
}

fn capitalized(text: &str) -> String {
    text.get(..1).unwrap_or_default().to_uppercase() + text.get(1..).unwrap_or_default()
}

fn roman(mut number: u32) -> Option<String> {
    let mut text = String::new();
    let mut steps = ROMAN.split_whitespace();
    while let (true, Some(letters), Some(value)) = (number < 4000, steps.next(), steps.next()) {
        let value = value.parse().ok()?;
        while number >= value {
            text += letters;
            number -= value;
        }
    }
    (!text.is_empty()).then_some(text)
}
