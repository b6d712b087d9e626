//! Labels and names of encodings.

use anyread_core::encoding::Codec;

use super::support::*;

#[test]
fn test_python_and_web_labels_are_accepted() {
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
        ("tis-620", "tis-620"),
        ("cp437", "cp437"),
        ("IBM850", "cp850"),
        ("iso8859_16", "iso-8859-16"),
        ("latin5", "iso-8859-9"),
        ("koi8-u", "koi8-u"),
        ("MacGreek", "mac-greek"),
        ("EBCDIC-CP-US", "cp037"),
        ("iso8859-2", "iso-8859-2"),
        ("iso_8859_15", "iso-8859-15"),
        (" latin2 ", "iso-8859-2"),
    ] {
        assert_eq!(codec(label).name(), name, "{label}");
        assert_eq!(codec(name).name(), name, "a reported name can be passed back in");
    }
    for label in ["", "utf-7", "johab", "hz", "replacement", "x-user-defined", "klingon", "iso2022_kr"] {
        assert_eq!(Codec::from_label(label), None, "{label}");
    }
    for (label, name) in
        [("Johab", Some("johab")), ("UTF-7", Some("utf_7")), ("cp1361", Some("johab")), ("klingon", None)]
    {
        assert_eq!(Codec::unreadable(label), name, "{label}");
    }
}

#[test]
fn test_near_labels_contain_intended_label() {
    assert!(Codec::near_labels("utf9").contains(&"utf-8"));
    assert!(Codec::near_labels("widnows-1252").contains(&"windows-1252"));
    assert!(Codec::near_labels("shiftjs").contains(&"shift_jis"));
    for label in ["utf9", "koi9", "shiftjs"] {
        let near = Codec::near_labels(label);
        assert!((1..=5).contains(&near.len()));
        assert!(near.iter().all(|name| Codec::from_label(name).is_some()));
    }
}

/// The error for `cp437`, when it was unknown, once suggested `cp932`.
#[test]
fn test_near_labels_exclude_other_code_pages() {
    for label in
        ["windows-1259", "cp438", "cp4377", "iso-8859-12", "klingon", "", "x".repeat(10_000).as_str()]
    {
        assert_eq!(Codec::near_labels(label), [] as [&str; 0], "{label}");
    }
}

#[test]
fn test_codec_properties() {
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
