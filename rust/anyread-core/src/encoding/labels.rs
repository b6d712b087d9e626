//! The names of encodings.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_2022_JP, ISO_8859_2, ISO_8859_3, ISO_8859_4,
    ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_8_I, ISO_8859_10, ISO_8859_13, ISO_8859_14,
    ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, REPLACEMENT, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255,
    WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC, X_USER_DEFINED,
};

use super::Codec;
use super::tables::CodePage;

/// The longest label that is compared with the known ones, in bytes.
const MAX_LABEL_BYTES: usize = 64;

/// How many near names are listed.
const MAX_NEAR: usize = 5;

/// The encodings of the WHATWG standard and the names of the equivalent Python codecs, or of the nearest
/// superset that Python has.
///
/// Source: Python's `encodings.aliases` (3.11 to 3.14) and the indexes of the WHATWG standard.
static PYTHON_NAMES: &[(&Encoding, &str)] = &[
    (WINDOWS_1252, "windows-1252"),
    (GB18030, "gb18030"),
    (GBK, "gb18030"),
    (BIG5, "big5hkscs"),
    (SHIFT_JIS, "cp932"),
    (EUC_JP, "euc-jp"),
    (ISO_2022_JP, "iso2022_jp"),
    (EUC_KR, "cp949"),
    (WINDOWS_1250, "windows-1250"),
    (WINDOWS_1251, "windows-1251"),
    (WINDOWS_1253, "windows-1253"),
    (WINDOWS_1254, "windows-1254"),
    (WINDOWS_1255, "windows-1255"),
    (WINDOWS_1256, "windows-1256"),
    (WINDOWS_1257, "windows-1257"),
    (WINDOWS_1258, "windows-1258"),
    (WINDOWS_874, "cp874"),
    (ISO_8859_2, "iso-8859-2"),
    (ISO_8859_3, "iso-8859-3"),
    (ISO_8859_4, "iso-8859-4"),
    (ISO_8859_5, "iso-8859-5"),
    (ISO_8859_6, "iso-8859-6"),
    (ISO_8859_7, "iso-8859-7"),
    (ISO_8859_8, "iso-8859-8"),
    (ISO_8859_8_I, "iso-8859-8"),
    (ISO_8859_10, "iso-8859-10"),
    (ISO_8859_13, "iso-8859-13"),
    (ISO_8859_14, "iso-8859-14"),
    (ISO_8859_15, "iso-8859-15"),
    (KOI8_R, "koi8-r"),
    (IBM866, "cp866"),
    (MACINTOSH, "mac-roman"),
    (X_MAC_CYRILLIC, "mac-cyrillic"),
];

const LE: bool = false;
const BE: bool = true;

/// The names of ASCII, in lower case without punctuation.
static ASCII: &[&str] = &[
    "ascii",
    "usascii",
    "646",
    "us",
    "iso646us",
    "ansix341968",
    "cp367",
    "ibm367",
    "ansix341986",
    "csascii",
    "iso646irv1991",
    "isoir6",
];

/// Names that the WHATWG standard lacks or uses for another encoding, in lower case without punctuation.
static ALIASES: &[(Codec, &[&str])] = &[
    (
        Codec::Utf8,
        &[
            "utf", "u8", "utf8sig", "utf8ucs2", "utf8ucs4", "cp65001", "65001", "utf8bom", "utf8mb3",
            "utf8mb4",
        ],
    ),
    // ASCII is a subset of UTF-8; other bytes are decoded as UTF-8 or shown as U+FFFD.
    (Codec::Utf8, ASCII),
    (
        Codec::Utf16 { big_endian: LE },
        &["utf16", "u16", "utf16le", "unicodelittleunmarked", "ucs2le", "ucs2"],
    ),
    (Codec::Utf16 { big_endian: BE }, &["utf16be", "unicodebigunmarked", "ucs2be"]),
    (Codec::Utf32 { big_endian: LE }, &["utf32", "u32", "utf32le", "ucs4", "ucs4le"]),
    (Codec::Utf32 { big_endian: BE }, &["utf32be", "ucs4be"]),
    (
        Codec::Latin1,
        &[
            "latin1",
            "latin",
            "l1",
            "8859",
            "iso8859",
            "iso88591",
            "iso885911987",
            "cp819",
            "ibm819",
            "charmap",
        ],
    ),
    (Codec::Legacy(GB18030), &["gbk", "936", "cp936", "ms936", "gb2312", "gb231280", "gb23121980", "euccn"]),
    (Codec::Legacy(GB18030), &["eucgb2312cn", "chinese", "gb18030", "gb180302000", "xmacsimpchinese"]),
    (
        Codec::Legacy(BIG5),
        &["big5", "big5hkscs", "hkscs", "big5tw", "cp950", "950", "ms950", "xmactradchinese"],
    ),
    (Codec::Legacy(SHIFT_JIS), &["cp932", "932", "ms932", "mskanji", "windows31j", "shiftjis", "sjis"]),
    (Codec::Legacy(SHIFT_JIS), &["sjis", "csshiftjis", "xmacjapanese"]),
    (Codec::Legacy(EUC_JP), &["eucjp", "ujis"]),
    (Codec::Legacy(ISO_2022_JP), &["iso2022jp", "csiso2022jp"]),
    (
        Codec::Legacy(EUC_KR),
        &["cp949", "949", "ms949", "uhc", "euckr", "korean", "ksc5601", "ksc56011987", "ksx1001"],
    ),
    (Codec::Legacy(EUC_KR), &["xmackorean"]),
    (Codec::Legacy(WINDOWS_1250), &["cp1250", "windows1250", "1250"]),
    (Codec::Legacy(WINDOWS_1251), &["cp1251", "windows1251", "1251"]),
    (Codec::Legacy(WINDOWS_1252), &["cp1252", "windows1252", "1252", "ansi"]),
    (Codec::Legacy(WINDOWS_1253), &["cp1253", "windows1253", "1253"]),
    (Codec::Legacy(WINDOWS_1254), &["cp1254", "windows1254", "1254"]),
    (Codec::Legacy(WINDOWS_1255), &["cp1255", "windows1255", "1255"]),
    (Codec::Legacy(WINDOWS_1256), &["cp1256", "windows1256", "1256"]),
    (Codec::Legacy(WINDOWS_1257), &["cp1257", "windows1257", "1257"]),
    (Codec::Legacy(WINDOWS_1258), &["cp1258", "windows1258", "1258"]),
    (Codec::Legacy(WINDOWS_874), &["cp874", "ms874", "windows874", "874"]),
    (Codec::Legacy(ISO_8859_2), &["iso885921987"]),
    (Codec::Legacy(ISO_8859_3), &["iso885931988"]),
    (Codec::Legacy(ISO_8859_4), &["iso885941988"]),
    (Codec::Legacy(ISO_8859_5), &["iso885951988"]),
    (Codec::Legacy(ISO_8859_6), &["iso885961987"]),
    (Codec::Legacy(ISO_8859_7), &["iso885971987"]),
    (Codec::Legacy(ISO_8859_8), &["iso885981988"]),
    (Codec::Legacy(ISO_8859_10), &["latin6", "l6", "iso8859101992"]),
    (Codec::Legacy(ISO_8859_13), &["latin7", "l7"]),
    (Codec::Legacy(ISO_8859_14), &["latin8", "l8", "iso8859141998", "isoceltic", "isoir199"]),
    (Codec::Legacy(ISO_8859_15), &["latin9", "l9"]),
    (Codec::Legacy(KOI8_R), &["koi8r", "cskoi8r"]),
    (Codec::Legacy(IBM866), &["cp866", "866", "ibm866"]),
    (Codec::Legacy(MACINTOSH), &["macroman", "macintosh"]),
    (Codec::Legacy(X_MAC_CYRILLIC), &["maccyrillic"]),
];

/// Python's encodings that cannot be decoded here, and their names in lower case without punctuation.
///
/// Some are multi-byte encodings that `encoding_rs` lacks or would decode to other characters; some are
/// notations for single strings.
static UNREADABLE: &[(&str, &[&str])] = &[
    ("euc_jis_2004", &["eucjis2004", "jisx0213"]),
    ("euc_jisx0213", &["eucjisx0213"]),
    ("hz", &["hz", "hzgb", "hzgb2312"]),
    ("idna", &["idna"]),
    ("iso2022_jp_1", &["iso2022jp1"]),
    ("iso2022_jp_2", &["iso2022jp2"]),
    ("iso2022_jp_2004", &["iso2022jp2004"]),
    ("iso2022_jp_3", &["iso2022jp3"]),
    ("iso2022_jp_ext", &["iso2022jpext"]),
    ("iso2022_kr", &["csiso2022kr", "iso2022kr"]),
    ("johab", &["cp1361", "johab", "ms1361"]),
    ("punycode", &["punycode"]),
    ("raw_unicode_escape", &["rawunicodeescape"]),
    ("shift_jis_2004", &["shiftjis2004", "sjis2004"]),
    ("shift_jisx0213", &["shiftjisx0213", "sjisx0213"]),
    ("undefined", &["undefined"]),
    ("unicode_escape", &["unicodeescape"]),
    ("utf_7", &["u7", "unicode11utf7", "utf7"]),
];

/// Common spellings that are suggested in addition to Python's names.
static SPELLINGS: &[&str] = &[
    "utf-8",
    "utf-16",
    "latin-1",
    "windows-1252",
    "gb18030",
    "utf-8-sig",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "utf-32-le",
    "utf-32-be",
    "ascii",
    "gbk",
    "gb2312",
    "big5",
    "shift_jis",
    "euc-kr",
    "iso-8859-1",
    "cp1250",
    "cp1251",
    "cp1252",
    "cp1253",
    "cp1254",
    "cp1255",
    "cp1256",
    "cp1257",
    "cp1258",
];

/// See [`Codec::name`].
pub fn name(codec: Codec) -> &'static str {
    match codec {
        Codec::Utf8 => "utf-8",
        Codec::Utf16 { big_endian: LE } => "utf-16-le",
        Codec::Utf16 { big_endian: BE } => "utf-16-be",
        Codec::Utf32 { big_endian: LE } => "utf-32-le",
        Codec::Utf32 { big_endian: BE } => "utf-32-be",
        Codec::Latin1 => "iso-8859-1",
        Codec::CodePage(table) => table.name,
        Codec::Legacy(encoding) => PYTHON_NAMES
            .iter()
            .find(|(known, _)| *known == encoding)
            .map_or_else(|| encoding.name(), |(_, name)| name),
    }
}

/// The codec of an encoding of the WHATWG standard; `None` for the two that do not encode text.
pub fn codec_of(encoding: &'static Encoding) -> Option<Codec> {
    if encoding == REPLACEMENT || encoding == X_USER_DEFINED {
        None
    } else if encoding == UTF_8 {
        Some(Codec::Utf8)
    } else if encoding == UTF_16LE || encoding == UTF_16BE {
        Some(Codec::Utf16 { big_endian: encoding == UTF_16BE })
    } else if encoding == GBK {
        // They decode identically; as an encoder, GB18030 is a superset.
        Some(Codec::Legacy(GB18030))
    } else if encoding == ISO_8859_8_I {
        Some(Codec::Legacy(ISO_8859_8))
    } else if encoding == KOI8_U {
        // The WHATWG standard has two Belarusian letters where Python and RFC 2319 have box drawings.
        CodePage::named("koi8u").map(Codec::CodePage)
    } else if encoding == ISO_8859_16 {
        CodePage::named("iso885916").map(Codec::CodePage)
    } else {
        Some(Codec::Legacy(encoding))
    }
}

/// Whether a label names ASCII, of which [`Codec::from_label`] returns the superset UTF-8.
pub fn is_ascii(label: &str) -> bool {
    ASCII.contains(&squash(label).as_str())
}

/// See [`Codec::from_label`].
pub fn from_label(label: &str) -> Option<Codec> {
    let squashed = squash(label);
    let known = ALIASES.iter().find(|(_, aliases)| aliases.contains(&squashed.as_str()));
    known.map(|(codec, _)| *codec).or_else(|| CodePage::named(&squashed).map(Codec::CodePage)).or_else(|| {
        let hyphenated = label.trim().replace(['_', ' '], "-");
        Encoding::for_label(label.as_bytes())
            .or_else(|| Encoding::for_label(hyphenated.as_bytes()))
            .or_else(|| Encoding::for_label(squashed.as_bytes()))
            .and_then(codec_of)
    })
}

/// See [`Codec::unreadable`].
pub fn unreadable(label: &str) -> Option<&'static str> {
    let squashed = squash(label);
    UNREADABLE.iter().find(|(_, labels)| labels.contains(&squashed.as_str())).map(|(name, _)| *name)
}

/// A label in lower case without punctuation.
fn squash(label: &str) -> String {
    label.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// See [`Codec::near_labels`].
pub fn near(label: &str) -> Vec<&'static str> {
    let squashed: Vec<u8> = squash(label).into_bytes().into_iter().take(MAX_LABEL_BYTES).collect();
    let mut scored: Vec<(usize, &'static str)> = Vec::new();
    let names = PYTHON_NAMES.iter().map(|(_, name)| *name).chain(CodePage::names());
    for name in SPELLINGS.iter().copied().chain(names) {
        let known = squash(name).into_bytes();
        let few = digits(&known).count() < 2 && digits(&squashed).count() < 2;
        let is_same_page = few || digits(&known).eq(digits(&squashed));
        let distance = edit_distance(&squashed, &known);
        // Names with at least half of their letters in common look alike.
        if is_same_page && 2 * distance <= squashed.len() && scored.iter().all(|(_, known)| *known != name) {
            scored.push((distance, name));
        }
    }
    scored.sort_by_key(|(distance, _)| *distance);
    scored.into_iter().map(|(_, name)| name).take(MAX_NEAR).collect()
}

/// The digits of a name; two or more are the number of a code page or of a part of ISO 8859.
fn digits(name: &[u8]) -> impl Iterator<Item = &u8> {
    name.iter().filter(|byte| byte.is_ascii_digit())
}

/// The Levenshtein distance in bytes.
fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
