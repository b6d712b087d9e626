//! How bytes become characters: detection, decoding, counting, cutting, and what a file is at all.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyread_core::encoding::{Codec, Detected, detect, with_codec};
use anyread_core::sniff::{ControlCounts, Kind, SNIFF_BYTES, count_controls, promised_by_name, sniff};
use encoding_rs::Encoding;
use proptest::prelude::*;

// ---------------------------------------------------------------------------------------------- helpers

fn codec(label: &str) -> Codec {
    Codec::from_label(label).unwrap_or_else(|| panic!("{label} is unknown"))
}

fn decode(codec: Codec, bytes: &[u8]) -> String {
    let mut text = String::new();
    codec.decode_into(bytes, &mut text);
    text
}

fn chars(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap()
}

fn encode(label: &str, text: &str) -> Vec<u8> {
    let (bytes, _, unmappable) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    assert!(!unmappable, "{label} cannot say {text}");
    bytes.into_owned()
}

fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(if big_endian { u16::to_be_bytes } else { u16::to_le_bytes }).collect()
}

fn text_of(head: &[u8]) -> (Detected, String) {
    let detected = detect(head, true);
    (detected, decode(detected.codec, &head[detected.bom_len..]))
}

fn kind(head: &[u8], name: &str) -> Kind {
    sniff(head, OsStr::new(name))
}

fn is_text(head: &[u8]) -> bool {
    matches!(kind(head, "file"), Kind::Text { .. })
}

fn is_binary(head: &[u8]) -> bool {
    matches!(kind(head, "file"), Kind::Binary { .. })
}

// ------------------------------------------------------------------------------- decoding and counting

/// One U+FFFD for each maximal subpart, as Unicode recommends and Python and Rust do.
#[test]
fn test_utf8_replaces_maximal_subparts() {
    for (bytes, expected) in [
        (&b"\x80"[..], "\u{FFFD}"),
        (b"\xC0\xAF", "\u{FFFD}\u{FFFD}"),
        (b"\xE0\x80\xAF", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xF0\x80\x80\xAF", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xED\xA0\x80", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xF0\x9F\x98", "\u{FFFD}"),
        (b"\xF4\x90\x80\x80", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        (b"\xE1\x80A", "\u{FFFD}A"),
    ] {
        let mut text = String::from("before ");
        assert!(Codec::Utf8.decode_into(bytes, &mut text));
        assert_eq!(text, format!("before {expected}"), "{bytes:X?}");
        assert_eq!(Codec::Utf8.count_chars(bytes), chars(expected));
    }
    assert!(!Codec::Utf8.decode_into("é😀".as_bytes(), &mut String::new()));
}

#[test]
fn test_wide_encodings_replace_one_for_each_unit() {
    for big_endian in [false, true] {
        let utf16 = Codec::Utf16 { big_endian };
        let bytes = |units: &[u16]| -> Vec<u8> {
            units
                .iter()
                .flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
                .collect()
        };
        let lone = bytes(&[0x61, 0xD83D, 0x62, 0xDE00, 0xD83D, 0xD83D, 0xDE00]);
        assert_eq!(decode(utf16, &lone), "a\u{FFFD}b\u{FFFD}\u{FFFD}😀");
        let mut odd = bytes(&[0x61, 0xD83D]);
        odd.push(0x61);
        assert_eq!(decode(utf16, &odd), "a\u{FFFD}\u{FFFD}");
        assert_eq!(utf16.count_chars(&odd), 3);

        let utf32 = Codec::Utf32 { big_endian };
        let mut bytes: Vec<u8> = [0x61_u32, 0xD800, 0x11_0000, 0x1_F600]
            .iter()
            .flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect();
        assert_eq!(decode(utf32, &bytes), "a\u{FFFD}\u{FFFD}😀");
        bytes.extend([0, 0]);
        assert_eq!(decode(utf32, &bytes), "a\u{FFFD}\u{FFFD}😀\u{FFFD}");
    }
}

/// What the codec of the reported name encodes must be what was decoded: where the Web's and Python's tables
/// differ, ours are Python's.
#[test]
fn test_japanese_and_chinese_signs_decode_as_in_python() {
    assert_eq!(decode(codec("euc-jp"), b"\xA1\xC1\xA1\xDD\xA1\xC2"), "〜−‖");
    assert_eq!(decode(codec("iso2022_jp"), b"\x1B$B!A\x1B(B~"), "〜~");
    assert_eq!(decode(codec("cp932"), b"\x81\x60"), "～");
    assert_eq!(decode(codec("big5"), b"\xA1\x45\xA2\x41"), "•／");
}

/// Two characters for one sequence: the skip goes past both, so that whoever pages by it advances.
#[test]
fn test_skip_passes_both_characters_of_one_sequence() {
    let big5 = codec("big5");
    assert_eq!(decode(big5, b"\x88\x62a"), "\u{CA}\u{304}a");
    assert_eq!(big5.skip_chars(b"\x88\x62a", 1), (2, 2));
    assert_eq!(big5.skip_chars(b"\x88\x62a", 3), (3, 3));
}

const FAMILIES: &[&str] = &[
    "utf-8",
    "utf-16-le",
    "utf-16-be",
    "utf-32-le",
    "utf-32-be",
    "latin-1",
    "windows-1252",
    "windows-1253",
    "koi8-r",
    "cp874",
    "gb18030",
    "big5",
    "cp932",
    "euc-jp",
    "cp949",
];

/// Bytes that are special in one encoding or another, among any others.
fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => any::<u8>(),
        2 => prop::sample::select(&b"a0 \n\x80\x81\x8E\x8F\xA0\xA1\xBF\xC2\xE2\xED\xF0\xF4\xFE\xFF"[..]),
        2 => prop::sample::select(&b"\x00\x30\x31\x39\x40\x7E\x88\x62\xD8\xD9\xDC\xDF"[..]),
    ];
    prop::collection::vec(byte, 0..48)
}

/// Text in scripts of one to four bytes.
fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(&['a', '\n', 'é', 'я', '中', 'の', '한', '😀', '\u{FEFF}'][..]),
        0..40,
    )
    .prop_map(|characters| characters.into_iter().collect())
}

/// Checks everything that can be asked about `bytes` against `decode_into`.
fn check_codec(codec: Codec, bytes: &[u8]) {
    let whole = decode(codec, bytes);
    let total = chars(&whole);
    assert_eq!(codec.count_chars(bytes), total);
    for wanted in 0..=total + 1 {
        let (length, found) = codec.skip_chars(bytes, wanted);
        assert!(found == wanted.min(total) || found == wanted + 1, "{wanted} → {found} of {total}");
        assert_eq!(found == total, length == bytes.len(), "{wanted} → {length}");
        assert_eq!(chars(&decode(codec, &bytes[..length])), found);
        assert_eq!(decode(codec, &bytes[..length]) + &decode(codec, &bytes[length..]), whole);
    }
    for at in 0..=bytes.len() {
        if let Some(found) = codec.boundary(bytes, at) {
            assert!(found >= at && found < at + 4);
            assert_eq!(
                decode(codec, &bytes[..found]) + &decode(codec, &bytes[found..]),
                whole,
                "boundary {at}"
            );
        }
        let found = codec.floor_boundary(bytes, at);
        assert!(found <= at && found + codec.max_char_bytes() > at, "floor {at} → {found}");
        assert_eq!(decode(codec, &bytes[..found]) + &decode(codec, &bytes[found..]), whole, "floor {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn test_every_codec_agrees_with_itself_on_any_bytes(bytes in hostile_bytes()) {
        for family in FAMILIES {
            check_codec(codec(family), &bytes);
        }
    }

    #[test]
    fn test_every_codec_agrees_with_itself_on_text(text in any_text()) {
        check_codec(Codec::Utf8, text.as_bytes());
        for big_endian in [false, true] {
            check_codec(Codec::Utf16 { big_endian }, &utf16(&text, big_endian));
        }
        for label in ["gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"] {
            let (bytes, _, _) = Encoding::for_label(label.as_bytes()).unwrap().encode(&text);
            check_codec(codec(label), &bytes);
        }
    }

    #[test]
    fn test_utf8_decodes_as_the_standard_library_does(bytes in hostile_bytes()) {
        prop_assert_eq!(decode(Codec::Utf8, &bytes), String::from_utf8_lossy(&bytes));
    }

    /// A boundary is found in a window that starts anywhere, and is one of the whole.
    #[test]
    fn test_boundary_holds_in_a_window(bytes in hostile_bytes(), start in 0..24_usize, at in 0..24_usize) {
        for label in ["utf-8", "utf-16-le", "utf-16-be", "utf-32-be"] {
            let codec = codec(label);
            let start = (start / codec.unit() * codec.unit()).min(bytes.len() / codec.unit() * codec.unit());
            let Some(found) = codec.boundary(&bytes[start..], at) else { continue };
            let cut = start + found;
            prop_assert_eq!(decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]), decode(codec, &bytes));
        }
    }

    #[test]
    fn test_iso_2022_jp_is_cut_where_it_is_ascii(text in "[a-c あ-お日本語\n]{0,30}") {
        let codec = codec("iso2022_jp");
        let bytes = encode("iso-2022-jp", &text);
        prop_assert_eq!(codec.count_chars(&bytes), chars(&text));
        for wanted in 0..=chars(&text) {
            let (length, found) = codec.skip_chars(&bytes, wanted);
            prop_assert_eq!(found, wanted);
            prop_assert_eq!(chars(&decode(codec, &bytes[..length])), wanted);
        }
        for at in 0..=bytes.len() {
            let cut = codec.floor_boundary(&bytes, at);
            prop_assert!(cut <= at);
            if !bytes.starts_with(b"\x1B") {
                prop_assert_eq!(decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]), &text[..]);
            }
        }
    }

    #[test]
    fn test_detection_and_sniffing_take_any_bytes(bytes in hostile_bytes(), complete: bool) {
        let detected = detect(&bytes, complete);
        prop_assert!((0.0..=1.0).contains(&detected.confidence));
        prop_assert!(detected.bom_len <= bytes.len());
        prop_assert!(!sniff(&bytes, OsStr::new("x.ipynb")).media_type().is_empty());
    }

    #[test]
    fn test_controls_are_counted_as_one_by_one(text in "[a-z\n\r\t\u{0}\u{1B}\u{7F}\u{85}éя中\u{200B}-\u{200F}\u{2028}-\u{2030}\u{2060}-\u{206A}\u{61C}\u{FEFF}\u{E0041}😀]{0,300}") {
        let mut expected = ControlCounts::default();
        for character in text.chars() {
            match character {
                '\0' => expected.nul += 1,
                '\t' | '\n' | '\r' => {}
                _ if character.is_control() => expected.control += 1,
                '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => expected.bidi += 1,
                '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}' => expected.invisible += 1,
                _ => {}
            }
        }
        prop_assert_eq!(count_controls(&text), expected);
        prop_assert_eq!(expected.is_clear(), expected == ControlCounts::default());
    }
}

/// Long enough for every fast path, with damage in the middle.
#[test]
fn test_long_texts_agree_with_themselves() {
    let unit = "2024-01-01 héllo мир 中文字 😀\n";
    let mut utf8: Vec<u8> = unit.bytes().cycle().take(200_000).collect();
    utf8[100_000..100_004].copy_from_slice(b"\xFF\xE4\x80\xF0");
    let gbk: Vec<u8> = encode("gb18030", unit).into_iter().cycle().take(200_000).collect();
    let wide: Vec<u8> = utf16(unit, false).into_iter().cycle().take(200_000).collect();
    for (codec, bytes) in [(Codec::Utf8, utf8), (codec("gbk"), gbk), (codec("utf-16-le"), wide)] {
        let whole = decode(codec, &bytes);
        assert_eq!(codec.count_chars(&bytes), chars(&whole));
        for wanted in [1, 1000, 50_000, 60_000, 60_001, 1 << 40] {
            let (length, found) = codec.skip_chars(&bytes, wanted);
            assert_eq!(found, wanted.min(chars(&whole)));
            let expected: String = whole.chars().take(usize::try_from(wanted).unwrap()).collect();
            assert_eq!(decode(codec, &bytes[..length]), expected);
        }
        for at in [99_999, 100_000, 100_001, 100_002, 150_003] {
            let cut = codec.floor_boundary(&bytes, at);
            assert!(at - cut < codec.max_char_bytes());
            assert_eq!(decode(codec, &bytes[..cut]) + &decode(codec, &bytes[cut..]), whole);
        }
    }
}

// ---------------------------------------------------------------------------------------------- names

#[test]
fn test_labels_of_python_and_the_web_are_known() {
    for (label, name) in [
        ("utf8", "utf-8"),
        ("UTF_8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("ascii", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf_16_be", "utf-16-be"),
        ("UTF-32", "utf-32-le"),
        ("latin-1", "iso-8859-1"),
        ("ISO-8859-1", "iso-8859-1"),
        ("cp1252", "windows-1252"),
        ("x-cp1252", "windows-1252"),
        ("gbk", "gb18030"),
        ("GB2312", "gb18030"),
        ("cp932", "cp932"),
        ("shift-jis", "cp932"),
        ("Shift_JIS", "cp932"),
        ("windows-31j", "cp932"),
        ("cp949", "cp949"),
        ("euc_kr", "cp949"),
        ("ks_c_5601-1987", "cp949"),
        ("big5", "big5hkscs"),
        ("eucjp", "euc-jp"),
        ("ISO-2022-JP", "iso2022_jp"),
        ("mac_roman", "mac-roman"),
        ("koi8_r", "koi8-r"),
        ("cp866", "cp866"),
        ("tis-620", "cp874"),
        ("iso8859-2", "iso-8859-2"),
        ("iso_8859_15", "iso-8859-15"),
        (" latin2 ", "iso-8859-2"),
    ] {
        assert_eq!(codec(label).name(), name, "{label}");
        assert_eq!(codec(name).name(), name, "a reported name can be passed back in");
    }
    for label in
        ["", "utf-7", "johab", "cp437", "hz", "replacement", "x-user-defined", "klingon", "iso2022_kr"]
    {
        assert_eq!(Codec::from_label(label), None, "{label}");
    }
}

#[test]
fn test_near_labels_name_what_was_meant() {
    assert!(Codec::near_labels("utf9").contains(&"utf-8"));
    assert!(Codec::near_labels("windows-1259").contains(&"windows-1252"));
    assert!(Codec::near_labels("shiftjs").contains(&"shift_jis"));
    for label in ["utf9", "klingon", "", "x".repeat(10_000).as_str()] {
        let near = Codec::near_labels(label);
        assert!((1..=5).contains(&near.len()));
        assert!(near.iter().all(|name| Codec::from_label(name).is_some()));
    }
}

#[test]
fn test_codecs_tell_their_shape() {
    let shape = |label| (codec(label).unit(), codec(label).max_char_bytes(), codec(label).is_stateful());
    assert_eq!(shape("utf-8"), (1, 4, false));
    assert_eq!(shape("utf-16-be"), (2, 4, false));
    assert_eq!(shape("utf-32"), (4, 4, false));
    assert_eq!(shape("koi8-r"), (1, 1, false));
    assert_eq!(shape("gbk"), (1, 4, false));
    assert_eq!(shape("euc-jp"), (1, 3, false));
    assert_eq!(shape("cp932"), (1, 2, false));
    assert_eq!(shape("iso2022_jp"), (1, 5, true));
    assert_eq!(codec("gbk").boundary(b"abc", 1), None);
}

// ------------------------------------------------------------------------------------------- detection

const RUSSIAN: &str = "Все люди рождаются свободными и равными в своём достоинстве и правах. Они наделены \
    разумом и совестью и должны поступать в отношении друг друга в духе братства. Каждый человек должен \
    обладать всеми правами и всеми свободами, провозглашёнными настоящей Декларацией. Я знаю, что Россия и \
    Япония далеки.";
const GREEK: &str = "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι \
    προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.";
const POLISH: &str = "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni \
    obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa. Każdy człowiek \
    posiada wszystkie prawa i wolności zawarte w niniejszej Deklaracji bez względu na jakiekolwiek różnice.";
const HUNGARIAN: &str = "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, \
    ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek. Mindenki, \
    bármely megkülönböztetésre való tekintet nélkül hivatkozhat e jogokra, űrlapok nélkül.";
const TURKISH: &str = "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana \
    sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Açığı, çığlığı ve \
    çalışışı da öyle.";
const FRENCH: &str = "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués \
    de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité. Ça, où ?";
const HEBREW: &str = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך \
    חובה עליהם לנהוג איש ברעהו ברוח של אחווה.";
const ARABIC: &str = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل \
    بعضهم بعضا بروح الإخاء.";
const THAI: &str = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม \
    และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ";
const SIMPLIFIED: &str = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。\
    人人有资格享有本宣言所载的一切权利和自由，不分种族、肤色、性别、语言、宗教、政治或其他见解。";
const TRADITIONAL: &str = "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。\
    人人有資格享有本宣言所載的一切權利和自由，不分種族、膚色、性別、語言、宗教、政治或其他見解。";
const JAPANESE: &str = "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、\
    理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。";
const KOREAN: &str = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 \
    양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.";

#[test]
fn test_prose_in_legacy_encodings_is_found() {
    for (label, name, text) in [
        ("windows-1251", "windows-1251", RUSSIAN),
        ("koi8-r", "koi8-r", RUSSIAN),
        ("ibm866", "cp866", RUSSIAN),
        ("iso-8859-5", "iso-8859-5", RUSSIAN),
        ("windows-1253", "windows-1253", GREEK),
        ("windows-1250", "windows-1250", POLISH),
        ("iso-8859-2", "iso-8859-2", POLISH),
        ("windows-1250", "windows-1250", HUNGARIAN),
        ("windows-1254", "windows-1254", TURKISH),
        ("windows-1252", "windows-1252", FRENCH),
        ("windows-1255", "windows-1255", HEBREW),
        ("windows-1256", "windows-1256", ARABIC),
        ("windows-874", "cp874", THAI),
        ("gbk", "gb18030", SIMPLIFIED),
        ("big5", "big5hkscs", TRADITIONAL),
        ("shift_jis", "cp932", JAPANESE),
        ("euc-jp", "euc-jp", JAPANESE),
        ("iso-2022-jp", "iso2022_jp", JAPANESE),
        ("euc-kr", "cp949", KOREAN),
    ] {
        let (detected, decoded) = text_of(&encode(label, text));
        assert_eq!(detected.codec.name(), name, "{label}");
        assert_eq!(decoded, text, "{label}");
        assert!(detected.confidence >= 0.5 && detected.confidence < 1.0, "{label}: {}", detected.confidence);
        assert!(!detected.lossy_guess);
    }
}

#[test]
fn test_ascii_and_utf8_are_certain() {
    for text in
        ["", "a", "plain\n", "naïve café", SIMPLIFIED, "log \u{1B}[31mred\u{1B}(B\u{1B}[m", "a \u{1B}$5 b"]
    {
        let expected = Detected { codec: Codec::Utf8, confidence: 1.0, bom_len: 0, lossy_guess: false };
        assert_eq!(detect(text.as_bytes(), true), expected, "{text:?}");
    }
}

#[test]
fn test_marks_decide_and_are_hidden_once() {
    for (bytes, name, length, text) in [
        (&b"\xEF\xBB\xBFa"[..], "utf-8", 3, "a"),
        (b"\xEF\xBB\xBF\xEF\xBB\xBFa", "utf-8", 3, "\u{FEFF}a"),
        (b"a\xEF\xBB\xBFb", "utf-8", 0, "a\u{FEFF}b"),
        (b"\xFF\xFEa\0\r\0\n\0", "utf-16-le", 2, "a\r\n"),
        (b"\xFE\xFF\0a\0\n", "utf-16-be", 2, "a\n"),
        (b"\xFF\xFE\0\0a\0\0\0", "utf-32-le", 4, "a"),
        (b"\0\0\xFE\xFF\0\0\0a", "utf-32-be", 4, "a"),
        (b"\x84\x31\x95\x33\xD6\xD0", "gb18030", 4, "中"),
    ] {
        let (detected, decoded) = text_of(bytes);
        assert_eq!((detected.codec.name(), detected.bom_len, &decoded[..]), (name, length, text));
        assert!((detected.confidence - 1.0).abs() < f32::EPSILON);
        assert!(is_text(bytes), "{bytes:X?}");
    }
}

#[test]
fn test_explicit_encoding_hides_its_own_mark_and_no_other() {
    let asked = |label, head| {
        let detected = with_codec(codec(label), head);
        (detected.codec.name(), detected.bom_len)
    };
    assert_eq!(asked("utf-8", b"\xEF\xBB\xBFa"), ("utf-8", 3));
    assert_eq!(asked("utf-8", b"a"), ("utf-8", 0));
    assert_eq!(asked("latin-1", b"\xEF\xBB\xBFa"), ("iso-8859-1", 0));
    assert_eq!(asked("utf-16", b"\xFE\xFF\0a"), ("utf-16-be", 2));
    assert_eq!(asked("utf-16-le", b"\xFF\xFE\0\0"), ("utf-16-le", 2));
    assert_eq!(asked("utf-32", b"\0\0\xFE\xFF"), ("utf-32-be", 4));
    assert_eq!(asked("gbk", b"\x84\x31\x95\x33"), ("gb18030", 4));
}

#[test]
fn test_utf16_without_a_mark_is_found_by_its_nuls() {
    let mixed = format!("// {SIMPLIFIED}\nlet x = 1;\n{JAPANESE}\n");
    for text in
        ["// source\nfn main() {}\n", "ab", &mixed, RUSSIAN, KOREAN, "日本語 and English 一二三\n", "[\"é\"]"]
    {
        for big_endian in [false, true] {
            let bytes = utf16(text, big_endian);
            let (detected, decoded) = text_of(&bytes);
            assert_eq!(detected.codec, Codec::Utf16 { big_endian }, "{text}");
            assert_eq!(decoded, text);
            assert!(detected.confidence >= 0.5);
            assert!(is_text(&bytes), "{text}");
            let mut odd = bytes.clone();
            odd.push(b'x');
            assert_eq!(detect(&odd, true).codec, Codec::Utf16 { big_endian });
        }
    }
}

#[test]
fn test_utf16_with_a_lone_surrogate_is_text() {
    let mut bytes = utf16("a line of text\n", false);
    bytes.extend([0x3D, 0xD8]);
    bytes.extend(utf16(" and more text\n", false));
    assert_eq!(
        text_of(&bytes),
        (detect(&bytes, true), "a line of text\n\u{FFFD} and more text\n".to_owned())
    );
    assert!(is_text(&bytes));
}

/// Small numbers in two bytes each are not Chinese: found in compiled Python modules.
#[test]
fn test_binary_with_many_nuls_is_not_utf16() {
    let counts: Vec<u8> = (0..2000_u16).flat_map(|n| [0x64, u8::try_from(n % 23).unwrap()]).collect();
    assert!(!matches!(detect(&counts, true).codec, Codec::Utf16 { .. }));
    let padded = [&b"text and its padding "[..], &[0; 400]].concat();
    assert!(!matches!(detect(&padded, true).codec, Codec::Utf16 { .. }));
    let separated = b"sh\0-c\0echo\0".repeat(20);
    assert!(!matches!(detect(&separated, true).codec, Codec::Utf16 { .. }));
}

#[test]
fn test_one_latin_byte_in_a_megabyte_is_windows_1252() {
    let mut bytes: Vec<u8> =
        b"all work and no play makes Jack a dull boy\n".iter().copied().cycle().take(1 << 20).collect();
    bytes[700_003] = 0xE9;
    let (detected, decoded) = text_of(&bytes);
    assert_eq!(detected.codec.name(), "windows-1252");
    assert!(detected.confidence >= 0.5 && !detected.lossy_guess);
    assert_eq!(decoded.matches('é').count(), 1);
    let ascii = b"a".repeat(5000);
    assert_eq!(text_of(&[&ascii[..], "è".as_bytes()].concat()).0.codec, Codec::Utf8);
}

#[test]
fn test_damaged_utf8_stays_utf8() {
    for text in ["naïve café, “quoted” — done", RUSSIAN, SIMPLIFIED, KOREAN, "😀 fine", FRENCH] {
        for bad in [&b"\xE9"[..], b"\xFF", b"\x80", b"\xED\xA0\xBD", b"\xC0\x80"] {
            for at in [0, text.len()] {
                let mut bytes = text.as_bytes().to_vec();
                bytes.splice(at..at, bad.iter().copied().chain([b' ']));
                let (detected, decoded) = text_of(&bytes);
                assert_eq!(detected.codec, Codec::Utf8, "{text} with {bad:X?} at {at}");
                assert!(decoded.contains(text) && decoded.contains('\u{FFFD}'));
                assert!(detected.confidence < 1.0 && !detected.lossy_guess);
            }
        }
    }
    let wtf8 = b"smile \xED\xA0\xBD\xED\xB8\x80 end\n";
    assert_eq!(text_of(wtf8), (detect(wtf8, true), format!("smile {} end\n", "\u{FFFD}".repeat(6))));
}

/// One bad byte rules an encoding out for the statistics; what is meant is still found.
#[test]
fn test_damaged_legacy_text_is_still_found() {
    for (label, name, text) in
        [("gbk", "gb18030", SIMPLIFIED), ("shift_jis", "cp932", JAPANESE), ("big5", "big5hkscs", TRADITIONAL)]
    {
        let mut bytes = encode(label, &text.repeat(4));
        bytes.push(b'\n');
        let line = bytes.clone();
        bytes.extend(b"\xFF\n");
        bytes.extend(line);
        let (detected, decoded) = text_of(&bytes);
        assert_eq!(detected.codec.name(), name);
        assert!(!detected.lossy_guess);
        assert!(decoded.contains(text) && decoded.contains('\u{FFFD}'));
    }
}

/// What cannot be decoded must not look as if it could.
#[test]
fn test_unknown_encodings_are_never_confident() {
    for (name, bytes) in [("IBM855", IBM855), ("Johab", JOHAB), ("ISO-2022-KR", ISO_2022_KR)] {
        let detected = detect(bytes, true);
        assert!(detected.lossy_guess && detected.confidence < 0.5, "{name}: {detected:?}");
        assert!(is_text(bytes), "{name}");
    }
    let (detected, decoded) = text_of(&encode("x-mac-cyrillic", RUSSIAN));
    assert!(detected.confidence < 0.5);
    assert_eq!((detected.codec.name(), &decoded[..]), ("mac-cyrillic", RUSSIAN));
    // UTF-32 has no word without its mark.
    let utf32: Vec<u8> = "plain".chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
    assert!(detect(&utf32, true).confidence < 0.5);
    assert!(is_binary(&utf32));
}

/// The character that the end of a window cuts says nothing about the file.
#[test]
fn test_cut_characters_are_no_evidence() {
    for cut in [511, 512, 999, 1000, 1023, 1024, 4095, 4096, 8191, 8192, 65_535, 65_536] {
        for character in ["é", "—", "😀"] {
            for before in 1..=character.len() {
                let text = "a".repeat(cut - before) + character + "\n";
                let head = &text.as_bytes()[..cut];
                assert_eq!(
                    detect(head, false),
                    Detected { codec: Codec::Utf8, confidence: 1.0, bom_len: 0, lossy_guess: false }
                );
                assert!(is_text(head) && is_text(text.as_bytes()));
            }
        }
        let chinese = SIMPLIFIED.repeat(cut / SIMPLIFIED.len() + 1);
        let gbk = encode("gbk", &chinese);
        let head = &gbk[..gbk.len().min(cut)];
        assert_eq!(detect(head, false).codec.name(), "gb18030", "{cut}");
        assert!(is_text(head) && is_text(&chinese.as_bytes()[..cut]));
    }
}

// -------------------------------------------------------------------------------------------- sniffing

#[test]
fn test_text_under_the_name_of_a_picture_is_text() {
    for (bytes, name, media_type) in [
        (&b"hello\n"[..], "x.jpeg", "text/plain"),
        (b"<!DOCTYPE html>\n<html>", "x.png", "text/html"),
        (b"{\"image\": 1}", "x.png", "text/plain"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "x.png", "image/svg+xml"),
        (b"<?xml version='1.0'?>\n<!-- a -->\n<svg/>", "logo.svg", "image/svg+xml"),
        (b"", "x.png", "text/plain"),
        (b"BM is how this text begins\n", "x.bmp", "text/plain"),
        (b"GIF89a is a format\n", "x.gif", "text/plain"),
        (b"<html>no pdf</html>", "x.pdf", "text/html"),
        (b"just text", "x.pdf", "text/plain"),
    ] {
        let found = kind(bytes, name);
        assert_eq!(found, Kind::Text { media_type }, "{name}");
        let promised = promised_by_name(OsStr::new(name));
        assert_eq!(found.broken_promise(OsStr::new(name)), promised.filter(|_| name != "logo.svg"));
    }
}

#[test]
fn test_pictures_are_known_by_their_bytes() {
    let png = [&b"\x89PNG\r\n\x1A\n"[..], &[0xA7; 2048]].concat();
    let bmp = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0";
    for (bytes, media_type) in [
        (&png[..], "image/png"),
        (b"\xFF\xD8\xFF\xE0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a\x01\0\x01\0\x80\0\0", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (bmp, "image/bmp"),
        (b"II*\0\x08\0\0\0", "image/tiff"),
        (b"MM\0*\0\0\0\x08", "image/tiff"),
        (b"\0\0\x01\0\x01\0\x10\x10\0\0", "image/vnd.microsoft.icon"),
        (b"\0\0\0\x1CftypavifZZZZavifmif1miaf", "image/avif"),
        (b"\0\0\0\x18ftypmif1\0\0\0\0mif1avif", "image/avif"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "image/heic"),
    ] {
        for name in ["picture", "x.txt", "x.png"] {
            assert_eq!(kind(bytes, name), Kind::Image { media_type });
        }
    }
    let jpeg = kind(b"\xFF\xD8\xFF\xE0\0\x10JFIF", "x.png");
    assert_eq!(jpeg.broken_promise(OsStr::new("x.png")), Some("image/png"));
    assert_eq!(jpeg.broken_promise(OsStr::new("x.JPG")), None);
    assert_eq!(kind(&png, "a.txt").broken_promise(OsStr::new("a.txt")), Some("text/plain"));
}

#[test]
fn test_pdf_is_what_calls_itself_one() {
    assert_eq!(kind(b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n", "x"), Kind::Pdf);
    assert_eq!(kind(b"%PDF-1.4 not really a pdf", "x.txt"), Kind::Pdf);
    assert_eq!(kind(b"\xEF\xBB\xBF\n %PDF-1.4", "x"), Kind::Pdf);
    assert_eq!(kind(b"junk before\n%PDF-1.4\n", "x.pdf"), Kind::Pdf);
    assert_eq!(kind(b"junk\0before\n%PDF-1.4\n", "x"), Kind::Pdf);
    assert_eq!(kind(b"if head.startswith(b'%PDF-1'):\n", "x.py"), Kind::Text { media_type: "text/x-python" });
}

#[test]
fn test_notebook_needs_its_name_and_a_brace() {
    assert_eq!(kind(b"\xEF\xBB\xBF\n { \"cells\": []}", "a.IPYNB"), Kind::Notebook);
    assert_eq!(kind(b"{\"cells\": []}", "a.json"), Kind::Text { media_type: "application/json" });
    assert_eq!(kind(b"not json", "a.ipynb"), Kind::Text { media_type: "text/plain" });
    assert_eq!(kind(b"", "a.ipynb"), Kind::Text { media_type: "text/plain" });
}

#[test]
fn test_typescript_is_text_and_a_transport_stream_is_not() {
    for name in ["a.ts", "a.mts", "a.cts", "a.S", "Makefile"] {
        assert_eq!(kind(b"Global const x: number = 1;\n", name), Kind::Text { media_type: "text/plain" });
    }
    let mut packet = [0xFF; 188];
    packet[..4].copy_from_slice(b"\x47\x40\x00\x10");
    assert_eq!(kind(&packet.repeat(8), "a.ts"), Kind::Binary { media_type: "video/mp2t" });
    let stamped: Vec<u8> = [&[0, 0, 0, 1], &packet[..]].concat().repeat(8);
    assert_eq!(kind(&stamped, "a.ts"), Kind::Binary { media_type: "video/mp2t" });
}

#[test]
fn test_binary_formats_are_named() {
    let zip = |members: &[&str]| -> Vec<u8> {
        let mut archive = Vec::new();
        for name in members {
            archive.extend(b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
            archive.extend([u8::try_from(name.len()).unwrap(), 0, 0, 0]);
            archive.extend(name.as_bytes());
            archive.extend([0x4B, 0, 0xFF, 0x03]);
        }
        archive
    };
    let declared = [&zip(&["mimetype"])[..38], b"application/vnd.oasis.opendocument.spreadsheet"].concat();
    for (bytes, media_type) in [
        (&b"\x1F\x8B\x08\0\0\0\0\0\0\x03"[..], "application/gzip"),
        (b"\x1F\x8B\x08\x08abcd", "application/gzip"),
        (b"\x28\xB5\x2F\xFD\x24\x05", "application/zstd"),
        (b"\x7FELF\x02\x01\x01\0", "application/x-executable"),
        (b"SQLite format 3\0\x10\0", "application/vnd.sqlite3"),
        (b"\0asm\x01\0\0\0", "application/wasm"),
        (b"\xA7\x0D\x0D\x0A\0\0\0\0", "application/x-python-code"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0", "application/x-ole-storage"),
        (b"\x89HDF\r\n\x1A\n\0", "application/x-hdf5"),
        (b"P6\n2 1\n255\n\xE0\xE1\xE2\xE3\xE4\xFF", "image/x-portable-anymap"),
        (b"\0\x01\x02\x03unknown", "application/octet-stream"),
        (b"BC\xC0\xDE\0\0", "application/octet-stream"),
        (&zip(&["a.txt"]), "application/zip"),
        (
            &zip(&["[Content_Types].xml", "_rels/.rels", "word/document.xml"]),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (
            &zip(&["[Content_Types].xml", "xl/workbook.xml"]),
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        (
            &zip(&["[Content_Types].xml", "ppt/presentation.xml"]),
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ),
        (&declared, "application/vnd.oasis.opendocument.spreadsheet"),
    ] {
        assert_eq!(kind(bytes, "renamed.bin"), Kind::Binary { media_type }, "{media_type}");
    }
    // The first members of a document may be all that the window shows.
    let hidden = kind(&zip(&["[Content_Types].xml"]), "a.docx");
    assert_eq!(
        hidden.media_type(),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    );
}

#[test]
fn test_controls_and_nuls_decide_about_text() {
    assert!(is_text(b"\x1B[31mred\x1B[0m\x07 bell\n and some more text to go with it"));
    assert!(is_text("tab\t form\u{C} vertical\u{B} back\u{8}space".as_bytes()));
    assert!(is_text(&[&b"a".repeat(90)[..], &[1; 10]].concat()));
    assert!(is_binary(&[&b"a".repeat(89)[..], &[1; 11]].concat()));
    assert!(is_binary(b"one\0nul"));
    let late = [&b"line\n".repeat(2000)[..], b"\0"].concat();
    assert!(late.len() > SNIFF_BYTES && is_text(&late));
    assert!(
        is_binary(&[&b"\xFF\xFE"[..], &[0, 0xD8, 1, 0].repeat(40)].concat()),
        "a mark alone proves nothing"
    );
    for (label, text) in
        [("koi8-r", RUSSIAN), ("gbk", SIMPLIFIED), ("shift_jis", JAPANESE), ("iso-2022-jp", JAPANESE)]
    {
        assert!(is_text(&encode(label, text)), "{label}");
    }
}

#[test]
fn test_controls_are_told_apart() {
    let counts = count_controls(
        "a\0b\u{1B}[0m\u{7F}\u{9B}\u{202E}x\u{2066}\u{200F}\u{61C}\u{200B}\u{FEFF}\u{E0041}\r\n\t",
    );
    assert_eq!(counts, ControlCounts { nul: 1, control: 3, bidi: 4, invisible: 3 });
    assert!(count_controls(&format!("{RUSSIAN}{JAPANESE}{FRENCH}\n").repeat(20)).is_clear());
    // At every place relative to the blocks that are looked at together.
    for padding in 0..300 {
        let text = "中".repeat(padding) + "\u{202E}" + &"é".repeat(padding);
        assert_eq!(count_controls(&text), ControlCounts { bidi: 1, ..ControlCounts::default() });
    }
}

// ---------------------------------------------------------------------------------------------- corpus

/// The encodings of the corpus that nobody here knows.
const UNKNOWN: &[&str] = &["IBM855", "Johab", "EUC-TW", "iso-2022-kr", "MacCyrillic"];

/// The folder of real files, where it is present.
fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("ANYREAD_CORPUS").map_or(default, PathBuf::from);
    Some(root.join("files/text/chardet-5.2.0")).filter(|folder| folder.is_dir())
}

/// The share of characters that are the same, place by place.
fn similarity(a: &str, b: &str) -> f64 {
    let same = a.chars().zip(b.chars()).filter(|(left, right)| left == right).count();
    let all = a.chars().count().max(b.chars().count()).max(1);
    f64::from(u32::try_from(same).unwrap()) / f64::from(u32::try_from(all).unwrap())
}

/// 97 of 100 files of 200 characters or more read as they should, and none in an unknown encoding does so with
/// confidence.
#[test]
fn test_corpus_of_legacy_files_is_read_right() {
    let Some(root) = corpus() else { return };
    let (mut all, mut wrong) = (0, Vec::new());
    for folder in fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        let name = folder.file_name().unwrap().to_str().unwrap();
        // "windows-1251-bulgarian" is windows-1251.
        let label = name.splitn(3, '-').take(2).collect::<Vec<_>>().join("-");
        let label = if name.starts_with("iso-") {
            name.splitn(4, '-').take(3).collect::<Vec<_>>().join("-")
        } else {
            label
        };
        for file in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = fs::read(&file).unwrap();
            let (detected, decoded) = text_of(&bytes);
            if UNKNOWN.contains(&name) {
                assert!(
                    detected.lossy_guess || detected.confidence < 0.5,
                    "{}: {detected:?}",
                    file.display()
                );
                continue;
            }
            let expected = with_codec(codec(&label), &bytes);
            let expected = decode(expected.codec, &bytes[expected.bom_len..]);
            if chars(&expected) < 200 {
                continue;
            }
            all += 1;
            if similarity(&expected, &decoded) < 0.99 {
                wrong.push(file);
            }
        }
    }
    assert!(all > 250 && wrong.len() * 100 <= 3 * all, "{} of {all}: {wrong:?}", wrong.len());
}

// ------------------------------------------------------------------- texts that nobody here can decode

/// The Russian text above, in IBM855.
const IBM855: &[u8] =
    b"\xEC\xE3\xA8\x20\xD0\x9C\xA6\xB7\x20\xE1\xD6\xE9\xA6\xA0\x9C\xE5\xE3\xDE\x20\xE3\xEB\xD6\xA2\xD6\xA6\
    \xD4\xF1\xD2\xB7\x20\xB7\x20\xE1\xA0\xEB\xD4\xF1\xD2\xB7\x20\xEB\x20\xE3\xEB\xD6\x84\xD2\x20\xA6\xD6\
    \xE3\xE5\xD6\xB7\xD4\xE3\xE5\xEB\xA8\x20\xB7\x20\xD8\xE1\xA0\xEB\xA0\xB5.\x20\xD7\xD4\xB7\x20\xD4\
    \xA0\xA6\xA8\xD0\xA8\xD4\xF1\x20\xE1\xA0\xF3\xE7\xD2\xD6\xD2\x20\xB7\x20\xE3\xD6\xEB\xA8\xE3\xE5\xED\
    \x9C\x20\xB7\x20\xA6\xD6\xD0\xE9\xD4\xF1\x20\xD8\xD6\xE3\xE5\xE7\xD8\xA0\xE5\xED\x20\xEB\x20\xD6\xE5\
    \xD4\xD6\xF5\xA8\xD4\xB7\xB7\x20\xA6\xE1\xE7\xAC\x20\xA6\xE1\xE7\xAC\xA0\x20\xEB\x20\xA6\xE7\xB5\xA8\
    \x20\xA2\xE1\xA0\xE5\xE3\xE5\xEB\xA0.\x20\xC7\xA0\xE9\xA6\xF1\xBD\x20\xFB\xA8\xD0\xD6\xEB\xA8\xC6\
    \x20\xA6\xD6\xD0\xE9\xA8\xD4\x20\xD6\xA2\xD0\xA0\xA6\xA0\xE5\xED\x20\xEB\xE3\xA8\xD2\xB7\x20\xD8\xE1\
    \xA0\xEB\xA0\xD2\xB7\x20\xB7\x20\xEB\xE3\xA8\xD2\xB7\x20\xE3\xEB\xD6\xA2\xD6\xA6\xA0\xD2\xB7,\x20\
    \xD8\xE1\xD6\xEB\xD6\xF3\xAC\xD0\xA0\xF5\x84\xD4\xD4\xF1\xD2\xB7\x20\xD4\xA0\xE3\xE5\xD6\xDE\xF9\xA8\
    \xBD\x20\xA7\xA8\xC6\xD0\xA0\xE1\xA0\xA4\xB7\xA8\xBD,\x20\xA2\xA8\xF3\x20\xC6\xA0\xC6\xD6\xAC\xD6\
    \x20\xA2\xF1\x20\xE5\xD6\x20\xD4\xB7\x20\xA2\xF1\xD0\xD6\x20\xE1\xA0\xF3\xD0\xB7\xFB\xB7\xDE.\x20\
    \xE0\x20\xF3\xD4\xA0\x9C,\x20\xFB\xE5\xD6\x20\xE2\xD6\xE3\xE3\xB7\xDE\x20\xB7\x20\xE0\xD8\xD6\xD4\
    \xB7\xDE\x20\xA6\xA0\xD0\xA8\xC6\xB7.";
/// The beginning of the Universal Declaration in Korean, in Johab.
const JOHAB: &[u8] =
    b"\xA1\xA1\x97e\x20\xB7\xA5\x88e\xB7e\x20\xC8\x81\xB4\xE1\x90i\x20\x98\x81\xA6\x81\xC8\xE1\x20\xB8a\
    \xB7A\x9D\xA1\xB6\x81\xA1a\x20\x8Ba\x20\xB9\xA5\xB4\xF1\x89\xC1\x20\x8A\xA5\x9F\xA1\xB5A\x20\xB7\xB6\
    \xB4\xE1\x20\x95\xB7\x97w\xD0a\x94a.\x20\xB7\xA5\x88e\xB7e\x20\xC0\xE5\xA6\x81\xB8\xE2\xB7a\x9D\xA1\
    \x20\xB7\xA1\xAC\xF7\x89\xC1\x20\xB4\xB7\xAF\xB1\xB7i\x20\xA6\x81\xB5a\xA4h\xB4v\xB7a\xA1a\x20\xAC\
    \xE1\x9D\xA1\x20\xD1w\xB9A\xB4\x81\xB7\x81\x20\xB8\xF7\xAF\xA5\xB7a\x9D\xA1\x20\xD0\x97\x95\xB7\xD0\
    a\xB5a\xB4\xA1\x20\xD0e\x94a.\x20\xA1\xA1\x97e\x20\xACa\x9Cq\xB7e\x20\xB7\xA5\xB9\xB7,\x20\xCF\xA1\
    \xA6\x81\xAC\x82,\x20\xAC\xF7,\x20\xB4\xE5\xB4\xE1,\x20\xB9\xB7\x8Aa\x20\x97w\x20\xB4\xE1\x98\xE1\
    \xD0e\x20\xB9\xB7\x9FA\xB7\x81\x20\xC0a\xA5i\xB7\xA1\x20\xB4\xF4\xB7\xA1,\x20\xB7\xA1\x20\xAC\xE5\
    \xB4\xE5\xB5A\x20\x8BA\xB8\xF7\x96E\x20\xA1\xA1\x97e\x20\x8A\xA5\x9F\xA1\xB5\xC1\x20\xB8a\xB7A\x9F\
    i\x20\xD0\xB7\xB7A\xD0i\x20\xB8a\x89b\xB7\xA1\x20\xB7\xB6\x94a.";
/// The same in ISO-2022-KR.
const ISO_2022_KR: &[u8] =
    b"\x1B$)C\x0E8p5g\x0F\x20\x0E@N0#@:\x0F\x20\x0EEB>n3/\x0F\x20\x0E6':NEM\x0F\x20\x0E@Z@/7N?l8g\x0F\x20\
    \x0E1W\x0F\x20\x0EA8>v0z\x0F\x20\x0E1G8.?!\x0F\x20\x0E@V>n\x0F\x20\x0E5?5nGO4Y\x0F.\x20\x0E@N0#@:\
    \x0F\x20\x0EC5:N@{@87N\x0F\x20\x0E@L<:0z\x0F\x20\x0E>g=I@;\x0F\x20\x0E:N?)9^>R@88g\x0F\x20\x0E<-7\
    N\x0F\x20\x0EG|A&>V@G\x0F\x20\x0EA$=E@87N\x0F\x20\x0EG`5?GO?)>_\x0F\x20\x0EGQ4Y\x0F.\x20\x0E8p5g\x0F\
    \x20\x0E;g6w@:\x0F\x20\x0E@NA>\x0F,\x20\x0EGG:N;v\x0F,\x20\x0E<:\x0F,\x20\x0E>p>n\x0F,\x20\x0EA>1\
    3\x0F\x20\x0E5n\x0F\x20\x0E>n60GQ\x0F\x20\x0EA>7y@G\x0F\x20\x0EBw:0@L\x0F\x20\x0E>x@L\x0F,\x20\x0E\
    @L\x0F\x20\x0E<1>p?!\x0F\x20\x0E1TA$5H\x0F\x20\x0E8p5g\x0F\x20\x0E1G8.?M\x0F\x20\x0E@Z@/8&\x0F\x20\
    \x0EGb@/GR\x0F\x20\x0E@Z0]@L\x0F\x20\x0E@V4Y\x0F.";
