//! Detection of encodings.

use anyread_core::encoding::{Codec, DetectedEncoding, detect, is_slow_to_detect, with_codec};

use super::support::*;

#[test]
fn test_legacy_encoding_of_prose_is_detected() {
    for (label, name, text) in [
        ("windows-1251", "windows-1251", RUSSIAN),
        ("koi8-r", "koi8-r", RUSSIAN),
        ("ibm866", "cp866", RUSSIAN),
        ("iso-8859-5", "iso-8859-5", RUSSIAN),
        ("koi8-u", "koi8-u", UKRAINIAN),
        ("windows-1253", "windows-1253", GREEK),
        ("iso-8859-7", "windows-1253", GREEK),
        ("iso-8859-8", "windows-1255", HEBREW),
        ("iso-8859-6", "iso-8859-6", ARABIC),
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
        assert!(!detected.stands_in);
    }
}

#[test]
fn test_ascii_and_utf8_are_certain() {
    for text in
        ["", "a", "plain\n", "naïve café", SIMPLIFIED, "log \u{1B}[31mred\u{1B}(B\u{1B}[m", "a \u{1B}$5 b"]
    {
        let expected = DetectedEncoding {
            codec: Codec::Utf8,
            confidence: 1.0,
            bom_len: 0,
            stands_in: false,
            declared: None,
        };
        assert_eq!(detect(text.as_bytes(), true), expected, "{text:?}");
    }
}

#[test]
fn test_bom_determines_encoding_and_is_hidden_once() {
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
fn test_explicit_encoding_hides_only_its_own_bom() {
    let with_label = |label, head| {
        let detected = with_codec(codec(label), head);
        (detected.codec.name(), detected.bom_len)
    };
    assert_eq!(with_label("utf-8", b"\xEF\xBB\xBFa"), ("utf-8", 3));
    assert_eq!(with_label("utf-8", b"a"), ("utf-8", 0));
    assert_eq!(with_label("latin-1", b"\xEF\xBB\xBFa"), ("iso-8859-1", 0));
    assert_eq!(with_label("utf-16", b"\xFE\xFF\0a"), ("utf-16-be", 2));
    assert_eq!(with_label("utf-16-le", b"\xFF\xFE\0\0"), ("utf-16-le", 2));
    assert_eq!(with_label("utf-32", b"\0\0\xFE\xFF"), ("utf-32-be", 4));
    assert_eq!(with_label("gbk", b"\x84\x31\x95\x33"), ("gb18030", 4));
}

#[test]
fn test_utf16_without_bom_is_detected_by_nuls() {
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

/// Small numbers of two bytes each are not Chinese. This was a bug with compiled Python modules.
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
    // A single character is a guess.
    assert!(detected.confidence > 0.4 && !detected.stands_in);
    assert_eq!(decoded.matches('é').count(), 1);
    let ascii = b"a".repeat(5000);
    assert_eq!(text_of(&[&ascii[..], "è".as_bytes()].concat()).0.codec, Codec::Utf8);
}

#[test]
fn test_damaged_utf8_is_detected_as_utf8() {
    for text in ["naïve café, “quoted” — done", RUSSIAN, SIMPLIFIED, KOREAN, "😀 fine", FRENCH] {
        for bad in [&b"\xE9"[..], b"\xFF", b"\x80", b"\xED\xA0\xBD", b"\xC0\x80"] {
            for at in [0, text.len()] {
                let mut bytes = text.as_bytes().to_vec();
                bytes.splice(at..at, bad.iter().copied().chain([b' ']));
                let (detected, decoded) = text_of(&bytes);
                assert_eq!(detected.codec, Codec::Utf8, "{text} with {bad:X?} at {at}");
                assert!(decoded.contains(text) && decoded.contains('\u{FFFD}'));
                assert!(detected.confidence < 1.0 && !detected.stands_in);
            }
        }
    }
    let wtf8 = b"smile \xED\xA0\xBD\xED\xB8\x80 end\n";
    assert_eq!(text_of(wtf8), (detect(wtf8, true), format!("smile {} end\n", "\u{FFFD}".repeat(6))));
}

/// One invalid byte excludes an encoding from the statistics; it must still be detected.
#[test]
fn test_damaged_legacy_text_is_detected() {
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
        assert!(!detected.stands_in);
        assert!(decoded.contains(text) && decoded.contains('\u{FFFD}'));
    }
}

#[test]
fn test_mac_cyrillic_is_found() {
    let (detected, decoded) = text_of(&encode("x-mac-cyrillic", RUSSIAN));
    assert_eq!((detected.codec.name(), &decoded[..]), ("mac-cyrillic", RUSSIAN));
}

/// Text in an encoding that is not supported must not be reported with high confidence.
#[test]
fn test_unknown_encodings_have_low_confidence() {
    for (name, bytes) in [("IBM855", IBM855), ("Johab", JOHAB), ("ISO-2022-KR", ISO_2022_KR)] {
        let detected = detect(bytes, true);
        assert!(detected.stands_in && detected.confidence < 0.5, "{name}: {detected:?}");
        assert!(is_text(bytes), "{name}");
    }
    let hz = b"a line\n~{J@=gHKH(P{QT~}\n~{PrQT~}\n";
    assert!(detect(hz, true).stands_in && detect(hz, true).confidence < 0.5);
    for code in [&b"format ~{~a~^, ~}"[..], b"cp x~{1,22} y~}", b"~{ab}"] {
        assert!(detect(code, true).confidence > 0.99);
    }
}

#[test]
fn test_utf32_without_bom_is_detected_by_nuls() {
    for text in ["plain", "{\"a\": \"one\"}\n", "fn main() {}\r\n", RUSSIAN, JAPANESE] {
        for big_endian in [false, true] {
            let order = if big_endian { u32::to_be_bytes } else { u32::to_le_bytes };
            let bytes: Vec<u8> = text.chars().flat_map(|character| order(character.into())).collect();
            let (detected, decoded) = text_of(&bytes);
            assert_eq!((detected.codec, &decoded[..]), (Codec::Utf32 { big_endian }, text));
            assert!(is_text(&bytes) && detected.confidence > 0.9);
        }
    }
    let numbers: Vec<u8> = (0..400_u32).flat_map(|n| (n * 7 % 300).to_le_bytes()).collect();
    assert!(is_binary(&numbers) && detect(&numbers, true).confidence < 0.5);
}

/// Short texts were shown with wrong letters, a confidence of up to 0.97 and no notice.
#[test]
fn test_short_text_is_decoded_correctly_or_with_low_confidence() {
    for (label, text) in [
        ("gbk", "/* 内存块检查 */"),
        ("gbk", "/* 内存块检查 */ /* 内存块检查 */ /* 内存块检查 */ /* 内存块检查 */"),
        ("gbk", "错误"),
        ("euc-jp", "設定"),
        ("shift_jis", "終了"),
        ("big5", "錯誤"),
        ("windows-1251", "%s: байт %s"),
        ("windows-1251", "з файла."),
        ("windows-1251", "Няма памет"),
        ("windows-1251", "брой = %lu"),
        ("koi8-r", "ВАЖНО"),
        ("koi8-r", "не найден"),
        ("koi8-u", "помилка"),
        ("ibm866", "ошибка"),
        ("windows-1253", "σφάλμα"),
        ("windows-1255", "שגיאה"),
        ("windows-1256", "خطأ"),
        ("windows-874", "ผิดพลาด"),
        ("windows-1257", "Neteisingas skaičius, klaidų"),
        ("windows-1250", "pamäť, čítať"),
        ("windows-1250", "megszűnő időtúllépés"),
        ("macintosh", "opción no válida"),
    ] {
        let (detected, decoded) = text_of(&encode(label, text));
        assert!(decoded == text || detected.confidence < 0.5, "{label} {text}: {detected:?} {decoded}");
    }
}

#[test]
fn test_short_text_without_doubt_has_no_notice() {
    for (label, text) in [
        // These were ISO-8859-2 with `Ť` and `ť`.
        ("windows-1252", "/* « %s » : ôté, forcé et éliminé du dépôt « %s » */"),
        ("windows-1252", "option «\u{A0}%s\u{A0}» inconnue, utilisée deux fois\u{A0}: vérifiée"),
        ("windows-1252", "Größe der Datei für Übersetzung geändert"),
        ("windows-1252", "no se encontró la opción válida; año"),
        ("windows-1252", "l'opzione non è più valida perché è già attiva"),
        ("windows-1250", "Nie można odczytać pliku, ponieważ został usunięty"),
        ("windows-1251", "не удалось прочитать файл настроек"),
        ("koi8-r", "не удалось прочитать файл настроек"),
        ("windows-1253", "δεν ήταν δυνατή η ανάγνωση του αρχείου"),
        ("windows-1255", "לא ניתן לקרוא את הקובץ מהדיסק"),
        ("windows-1256", "تعذر فتح الملف المطلوب من القرص"),
        ("gbk", "无法读取配置文件，因为权限不够"),
        ("euc-kr", "설정 파일을 읽을 수 없습니다"),
        ("macintosh", "la opción no es válida; añada el número de línea más próximo según la sección única"),
    ] {
        let (detected, decoded) = text_of(&encode(label, text));
        assert_eq!(decoded, text, "{label}: {detected:?}");
        assert!(detected.confidence >= 0.5, "{label} {text}: {detected:?}");
    }
    // Repeated words are no further evidence.
    let comment = encode("gbk", "/* 内存块检查 */\n");
    let (once, often) = (detect(&comment, true), detect(&comment.repeat(5), true));
    assert!((once.confidence - often.confidence).abs() < f32::EPSILON, "{once:?} {often:?}");
}

/// `>>` of PowerShell 5.1 appends UTF-16 to ASCII, and other programs ASCII to UTF-16, which no encoding fits.
#[test]
fn test_utf16_with_lines_of_ascii_has_low_confidence() {
    let wide = |text: &str| utf16(text, false);
    let marked = [b"\xFF\xFE".to_vec(), wide("first line\r\nnext\r\n")].concat();
    let many = "x\r\n".repeat(3);
    for mixed in [
        [b"hello!\r\n".to_vec(), wide(&many)].concat(),
        [b"hello\r\n".to_vec(), wide(&many)].concat(),
        [b"hello!!\n".to_vec(), wide("line\n").repeat(3)].concat(),
        [b"ok\r\n".to_vec(), wide("Größe und Länge\r\n").repeat(9)].concat(),
        [marked.clone(), b"appended by cmd\r\n".to_vec()].concat(),
        [marked.clone(), b"appended by sh\n".to_vec()].concat(),
    ] {
        let detected = detect(&mixed, true);
        assert_eq!(detected.codec.unit(), 2, "{mixed:?}");
        assert!(detected.confidence < 0.5, "{mixed:?}");
    }
    let gurmukhi = "ਪੰਜਾਬੀ ਭਾਸ਼ਾ\n".repeat(9);
    let malayalam = "മലയാളം ഊഞ്ഞാൽ\r\nഊ\n".repeat(9);
    for text in
        [SIMPLIFIED, TRADITIONAL, JAPANESE, KOREAN, RUSSIAN, &gurmukhi, &malayalam, "上海上午\n", "line\r\n"]
    {
        for big_endian in [false, true] {
            let mark: &[u8] = if big_endian { b"\xFE\xFF" } else { b"\xFF\xFE" };
            let bytes = [mark, &utf16(&text.repeat(20), big_endian)].concat();
            assert!(detect(&bytes, true).confidence > 0.9, "{text}");
            let unmarked = detect(&bytes[2..], true);
            assert!(unmarked.codec.unit() == 1 || unmarked.confidence > 0.9, "{text}");
        }
    }
}

/// A character that is cut at the end of the window must not affect the detection.
#[test]
fn test_character_cut_at_window_end_is_ignored() {
    for cut in [511, 512, 999, 1000, 1023, 1024, 4095, 4096, 8191, 8192, 65_535, 65_536] {
        for character in ["é", "—", "😀"] {
            for before in 1..=character.len() {
                let text = "a".repeat(cut - before) + character + "\n";
                let head = &text.as_bytes()[..cut];
                assert_eq!(
                    detect(head, false),
                    DetectedEncoding {
                        codec: Codec::Utf8,
                        confidence: 1.0,
                        bom_len: 0,
                        stands_in: false,
                        declared: None
                    }
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

/// A list of all letters resembles no language. It was once decoded as UTF-8, each letter as U+FFFD.
#[test]
fn test_text_of_no_language_is_decoded_without_loss() {
    let letters =
        encode("latin1", "AÀÁÂÃÄÅ B C D EÈÉÊË G H IÌÍÎÏ NÑ OÒÓÔÕÖØ àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþßÿ");
    for (more, name) in [(&b""[..], "windows-1252"), (b"\x81", "iso-8859-1")] {
        let bytes = [b"let all = '", &letters[..], more, b"'\n"].concat();
        let (detected, decoded) = text_of(&bytes);
        assert_eq!(detected.codec.name(), name);
        assert!(detected.stands_in && detected.confidence < 0.5);
        assert!(!decoded.contains('\u{FFFD}'));
    }
}

#[test]
fn test_declaration_is_followed_if_bytes_allow() {
    let declared = |bytes: &[u8]| {
        let detected = detect(bytes, true);
        (detected.codec.name(), detected.declared.map(|declared| (declared.name, declared.followed)))
    };
    let followed = ("koi8-r", Some((Some("koi8-r"), true)));
    assert_eq!(declared(b"# coding: koi8-r\n\xD1\xC2\n"), followed);
    // Valid UTF-8 takes precedence, unless it is a control character.
    let ignored = ("utf-8", Some((Some("koi8-r"), false)));
    assert_eq!(declared("# coding: koi8-r\né\n".as_bytes()), ignored);
    assert_eq!(declared(b"# coding: koi8-r\n\xC2\x80\n"), followed);
    // Nearly all of it is UTF-8, so it is damaged UTF-8 despite the declaration.
    let damaged = [b"# coding: koi8-r\n", "déjà vu é ".repeat(9).as_bytes(), b"\xFF\n"].concat();
    assert_eq!(declared(&damaged), ignored);
    // The declaration was read as ASCII, so an encoding that is not a superset of ASCII is ignored.
    for label in ["utf-16", "utf-32-le", "cp037"] {
        let bytes = [b"# coding: ", label.as_bytes(), b"\ncaf\xE9\n"].concat();
        assert_eq!(declared(&bytes), ("windows-1252", Some((Some(codec(label).name()), false))));
    }
    assert_eq!(declared(b"# coding: koi8-r\nascii\n"), ("utf-8", None));
    assert_eq!(declared(b"\xFF\xFE#\0\n\0"), ("utf-16-le", None));
}

/// Detection of 64 KiB of legacy text once took up to 31 ms on the thread of an event loop.
#[test]
fn test_only_statistics_over_many_bytes_are_slow() {
    let cyrillic = encode("koi8-r", RUSSIAN);
    assert!(is_slow_to_detect(&cyrillic));
    assert!(!is_slow_to_detect(&cyrillic[..200]));
    assert!(!is_slow_to_detect(&RUSSIAN.as_bytes()[..501]), "cut in a character");
    assert!(!is_slow_to_detect(&utf16(RUSSIAN, true)));
    assert!(!is_slow_to_detect(&[b' '; 9000]));
}
