//! Characters of the fonts of symbols, which Word names by their codes.

/// What the Symbol font has at 0x20 to 0x7E, and at 0xA0 to 0xFE.
const SYMBOL: [&str; 2] = [
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\u{FFFD}⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
];
/// Those of Wingdings and of Wingdings 2 that forms and lists use.
const WINGDINGS: [(u32, char); 19] = [
    (0x4A, '☺'),
    (0x4C, '☹'),
    (0x6C, '●'),
    (0x6E, '■'),
    (0x6F, '□'),
    (0x76, '❖'),
    (0xA7, '▪'),
    (0xA8, '☐'),
    (0xD8, '➢'),
    (0xDF, '←'),
    (0xE0, '→'),
    (0xE1, '↑'),
    (0xE2, '↓'),
    (0xF0, '⇨'),
    (0xFB, '✗'),
    (0xFC, '✓'),
    (0xFD, '☒'),
    (0xFE, '☑'),
    (0xB7, '•'),
];
const WINGDINGS_2: [(u32, char); 6] =
    [(0x4F, '✗'), (0x50, '✓'), (0x51, '☒'), (0x52, '☑'), (0x54, '☒'), (0xA3, '□')];

/// The character that a font has at a code, or the replacement character; `None` for control characters.
pub(super) fn symbol(font: &str, code: u32) -> Option<char> {
    // Fonts of symbols have their characters from 0xF000 on, too.
    let index = if (0xF000..=0xF0FF).contains(&code) { code - 0xF000 } else { code };
    let in_table = |table: &[(u32, char)]| {
        table.iter().find(|(known, _)| *known == index).map(|(_, character)| *character)
    };
    let known = match font {
        "Symbol" => {
            let (table, first) = if index < 0xA0 { (SYMBOL[0], 0x20) } else { (SYMBOL[1], 0xA0) };
            index.checked_sub(first).and_then(|at| table.chars().nth(at as usize))
        }
        "Wingdings" => in_table(&WINGDINGS),
        "Wingdings 2" => in_table(&WINGDINGS_2),
        _ => None,
    };
    let is_private = |shown: char| ('\u{E000}'..='\u{F8FF}').contains(&shown);
    let shown = |shown: char| if is_private(shown) { char::REPLACEMENT_CHARACTER } else { shown };
    known.or_else(|| char::from_u32(code).filter(|shown| !shown.is_control()).map(shown))
}
