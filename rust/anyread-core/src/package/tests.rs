//! Zip files, made by hand, and what kind of document they are.

#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use std::path::Path;

use miniz_oxide::deflate::compress_to_vec;

use super::*;
use crate::inflate::crc32;
use crate::input::check_random;
use crate::scan::Never;
use crate::source::Source;

const PLENTY: u64 = 1 << 30;

/// A member of an archive, and what is unusual about it.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    pub name: &'a str,
    pub content: &'a [u8],
    pub is_deflated: bool,
    pub flags: u16,
    pub is_64: bool,
}

pub fn member<'a>(name: &'a str, content: &'a str) -> Member<'a> {
    Member { name, content: content.as_bytes(), is_deflated: true, flags: 0, is_64: false }
}

/// A zip file; with `is_64`, its end has zip64.
pub fn archive(before: &[u8], members: &[Member<'_>], is_64: bool) -> Vec<u8> {
    let mut bytes = before.to_vec();
    let mut directory = Vec::new();
    for Member { name, content, is_deflated, flags, is_64 } in members {
        let offset = (bytes.len() - before.len()) as u64;
        let packed = if *is_deflated { compress_to_vec(content, 6) } else { content.to_vec() };
        let (sizes, name) = ([packed.len() as u64, content.len() as u64], name.as_bytes());
        let mut fields = Vec::new();
        fields.extend(flags.to_le_bytes());
        fields.extend(if *is_deflated { [8, 0] } else { [0, 0] });
        fields.extend([0; 4]);
        fields.extend(crc32(0, content).to_le_bytes());
        fields.extend(
            sizes.iter().flat_map(|size| if *is_64 { [0xFF; 4] } else { (*size as u32).to_le_bytes() }),
        );
        fields.extend((name.len() as u16).to_le_bytes());
        let extra: Vec<u8> = if *is_64 {
            let numbers = [sizes[1], sizes[0], offset].into_iter().flat_map(u64::to_le_bytes);
            [9, 0, 1, 0, 0, 1, 0, 24, 0].into_iter().chain(numbers).collect()
        } else {
            Vec::new()
        };
        bytes.extend(b"PK\x03\x04\x14\0");
        bytes.extend(&fields);
        bytes.extend([0, 0]);
        bytes.extend(name);
        bytes.extend(packed);
        if flags & 8 != 0 {
            bytes.extend(b"PK\x07\x08a descriptor");
        }
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        directory.extend(&fields);
        directory.extend((extra.len() as u16).to_le_bytes());
        directory.extend([0; 10]);
        directory.extend(if *is_64 { [0xFF; 4] } else { (offset as u32).to_le_bytes() });
        directory.extend(name);
        directory.extend(extra);
    }
    let offset = (bytes.len() - before.len()) as u64;
    let numbers = [directory.len() as u64, offset];
    bytes.extend(&directory);
    let end = bytes.len() as u64;
    if is_64 {
        bytes.extend(b"PK\x06\x06");
        bytes.extend([0; 36]);
        bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend(end.to_le_bytes());
        bytes.extend([0; 4]);
    }
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([0xFF; 4]);
    bytes.extend(
        numbers.iter().flat_map(|number| if is_64 { [0xFF; 4] } else { (*number as u32).to_le_bytes() }),
    );
    bytes.extend(b"\x07\0comment");
    bytes
}

fn with<T>(bytes: &[u8], work: impl FnOnce(&Stream<'_>, &Allowed) -> Result<T>) -> Result<T> {
    let file = Stream::new(Source::Memory(bytes), Path::new("a"), &Never, 0..bytes.len() as u64);
    work(&file, &Allowed::new(PLENTY))
}

fn read(bytes: &[u8], name: &str) -> Result<Option<Vec<u8>>> {
    with(bytes, |file, allowed| {
        let package = Package::open(file, allowed)?;
        let parts = package.parts(file, allowed);
        let Some(packed) = parts.locate(name)? else { return Ok(None) };
        let mut content = parts.content(packed, Checkpoints::new(PLENTY))?;
        let mut bytes = Vec::new();
        loop {
            let chunk = content.chunk()?.to_vec();
            if chunk.is_empty() {
                return Ok(Some(bytes));
            }
            content.skip(chunk.len());
            bytes.extend(chunk);
        }
    })
}

const TYPES: &str = "<Types xmlns='x'><Override PartName='/XL/book.xml' \
    ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'/></Types>";
const RELATIONS: &str = "<Relationships><Relationship Id='r1' Target='\\xl\\..\\xl\\book.xml' \
    Type='http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument'/></Relationships>";

#[test]
fn test_members_are_found_whatever_the_archive_is_like() {
    let long = "0123456789".repeat(30_000);
    for (before, is_64, flags) in [(&b""[..], false, 0), (b"#!before", true, 8)] {
        let members = [
            Member { flags, is_64, ..member("A\\b.xml", &long) },
            Member { is_64, is_deflated: false, ..member("stored", "content") },
            Member { is_64, ..member("empty", "") },
        ];
        let bytes = archive(before, &members, is_64);
        assert_eq!(read(&bytes, "a/B.XML").unwrap().unwrap(), long.as_bytes());
        assert_eq!(read(&bytes, "/stored").unwrap().unwrap(), b"content");
        assert_eq!(read(&bytes, "empty").unwrap().unwrap(), b"");
        assert_eq!(read(&bytes, "missing").unwrap(), None);
    }
}

#[test]
fn test_members_that_cannot_be_trusted_are_refused() {
    let damaged = |bytes: &[u8], name: &str| {
        let error = read(bytes, name).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error}");
        error.to_string()
    };
    let twice = archive(b"", &[member("a", "1"), member("b", "2"), member("A", "3")], false);
    assert!(damaged(&twice, "a").contains("more than once"));
    assert_eq!(read(&twice, "b").unwrap().unwrap(), b"2");

    let two = [Member { is_deflated: false, ..member("a", "x") }, member("b", "y")];
    let mut overlap = archive(b"", &two, false);
    // The sizes of the first member, in the directory, reach into the second one.
    let entry = memchr::memmem::find(&overlap, b"PK\x01\x02").unwrap();
    overlap[entry + 20] = 9;
    overlap[entry + 24] = 9;
    assert!(damaged(&overlap, "a").contains("overlaps"));
    let mut same = archive(b"", &two, false);
    let second = memchr::memmem::rfind(&same, b"PK\x01\x02").unwrap();
    same[second + 42] = 0;
    assert!(damaged(&same, "b").contains("overlaps"));

    let locked = archive(b"", &[Member { flags: 1, ..member("a", "x") }], false);
    assert_eq!(read(&locked, "a").unwrap_err().kind, ErrorKind::PasswordRequired);
    let whole = archive(b"", &[member("a", "x")], false);
    assert!(damaged(&whole[..whole.len() - 30], "a").contains("no directory"));
    let many: Vec<Member<'_>> = (0..65_537).map(|_| member("x", "")).collect();
    let kind = read(&archive(b"", &many, true), "x").unwrap_err().kind;
    assert_eq!(kind, ErrorKind::TooLarge { size: 65_537, maximum: 65_536, unit: "members" });
}

#[test]
fn test_images_are_read_whole_or_refused() {
    let header = "\u{89}PNG";
    let gif = "GIF89a\u{1}\0\u{2}\0and more";
    let members =
        [member("a/x.png", gif), member("a/y.EMF", header), Member { flags: 1, ..member("z", gif) }];
    let bytes = archive(b"", &members, false);
    let found = |bytes: &[u8], part: &str, most: u64| {
        with(bytes, |file, allowed| {
            let package = Package::open(file, allowed)?;
            let parts = package.parts(file, allowed);
            Ok((parts.picture(part)?, parts.bytes(part, most)))
        })
        .unwrap()
    };
    let picture = |part: &str, media_type: &str, size, bytes| {
        let (part, media_type) = (part.to_owned(), media_type.to_owned());
        Some(Picture { part, media_type, size, bytes })
    };
    let (image, content) = found(&bytes, "a/x.png", 18);
    assert_eq!(image, picture("a/x.png", "image/gif", Some((1, 2)), 18));
    assert_eq!(content.unwrap(), gif.as_bytes());
    assert!(matches!(found(&bytes, "a/x.png", 17).1.unwrap_err().kind, ErrorKind::TooLarge { .. }));
    assert_eq!(found(&bytes, "a/y.EMF", 99).0, picture("a/y.EMF", "image/emf", None, 5));
    let (image, content) = found(&bytes, "z", 99);
    assert_eq!(image, picture("z", "image/z", None, 0));
    assert!(matches!(content.unwrap_err().kind, ErrorKind::PasswordRequired));
    let (image, content) = found(&bytes, "b", 99);
    assert_eq!(image, None);
    assert!(matches!(content.unwrap_err().kind, ErrorKind::Damaged { .. }));
    // Only all of its bytes show that one of them is wrong.
    let mut damaged = archive(b"", &[Member { is_deflated: false, ..members[0] }], false);
    let at = damaged.windows(4).position(|bytes| bytes == b"more").unwrap();
    damaged[at] ^= 1;
    let (image, content) = found(&damaged, "a/x.png", 99);
    assert!(image.is_some());
    assert!(matches!(content.unwrap_err().kind, ErrorKind::Damaged { .. }));
}

#[test]
fn test_charts_name_their_title_and_series() {
    let series = |name: &str| {
        format!(
            "<c:ser><c:idx/><c:tx><c:strRef><c:f>A1</c:f><c:v>{name}</c:v></c:strRef></c:tx>\
        <c:dLbls><c:dLbl><c:tx><a:t>label</a:t></c:tx></c:dLbl></c:dLbls><c:cat><c:v>x</c:v></c:cat></c:ser>"
        )
    };
    let shown = |content: &str| {
        let bytes = archive(b"", &[member("c", content)], false);
        let show: ShowNumber = |code, number, is_1904| Some(format!("{code}:{number}:{is_1904}"));
        with(&bytes, |file, allowed| {
            Package::open(file, allowed)?.parts(file, allowed).chart(Some("c"), show)
        })
        .unwrap()
    };
    let title = "<c:title><a:p><a:t>Flow</a:t></a:p><a:p><a:t>by month</a:t></a:p></c:title>";
    let axis = "<c:valAx><c:title><a:t>m</a:t></c:title></c:valAx>";
    let chart = |content: &str| format!("<c:chartSpace><c:chart>{content}{axis}</c:chart></c:chartSpace>");
    assert_eq!(
        shown(&chart(&(title.to_owned() + &series("in") + &series("out")))),
        "[chart: Flow by month; 2 series: in, out]"
    );
    let many: String = (0..25).map(|number| series(&number.to_string())).collect();
    let listed: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(shown(&chart(&many)), format!("[chart: 25 series: {}, … 5 more]", listed.join(", ")));
    assert_eq!(shown(&chart("")), "[chart]");
}

#[test]
fn test_charts_show_their_first_points_as_a_table() {
    let shown = |content: &str| {
        let content = format!("<c:chartSpace><c:date1904/><c:chart>{content}</c:chart></c:chartSpace>");
        let bytes = archive(b"", &[member("c", &content)], false);
        let show: ShowNumber = |code, number, is_1904| Some(format!("{code}:{number}:{is_1904}"));
        with(&bytes, |file, allowed| {
            Package::open(file, allowed)?.parts(file, allowed).chart(Some("c"), show)
        })
        .unwrap()
    };
    let points = |texts: &[(usize, &str)]| {
        let point = |(index, text): &(usize, &str)| format!("<c:pt idx='{index}'><c:v>{text}</c:v></c:pt>");
        texts.iter().map(point).collect::<String>()
    };
    let series = |name: &str, categories: &str, values: &str| {
        format!(
            "<c:ser><c:tx><c:v>{name}</c:v></c:tx><c:cat><c:strRef>{categories}</c:strRef></c:cat><c:val><c:numRef>\
             <c:f>S!$B$1:$B$30</c:f><c:numCache><c:ptCount val='3'/>{values}</c:numCache></c:numRef></c:val></c:ser>"
        )
    };
    // Levels of categories, and a gap.
    let levels = format!(
        "<c:multiLvlStrCache><c:lvl>{}</c:lvl><c:lvl>{}</c:lvl></c:multiLvlStrCache>",
        points(&[(0, "Q1"), (1, "Q2"), (2, "Q|1")]),
        points(&[(0, "2025"), (2, "2026")])
    );
    let both = series("in", &levels, &points(&[(0, "4711"), (2, "3")]))
        + &series("", &levels, &points(&[(1, "0.5")]));
    assert_eq!(
        shown(&both),
        "[chart: 2 series: in]\n|  | in | series 2 |\n| --- | --- | --- |\n| 2025 / Q1 | 4711 |  |\n\
         | 2025 / Q2 |  | 0.5 |\n| 2026 / Q\\|1 | 3 |  |"
    );
    // Each series of a scatter chart has its own places.
    let scatter = |x: &str, y: &str| {
        let values = |name: &str, text: &str| format!("<c:{name}>{}</c:{name}>", points(&[(0, text)]));
        format!("<c:ser>{}{}</c:ser>", values("xVal", x), values("yVal", y))
    };
    assert_eq!(
        shown(&(scatter("1", "2") + &scatter("3", "4"))),
        "[chart: 2 series]\n|  | series 1 |  | series 2 |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 | 4 |"
    );
    // Numbers have the format of their cells.
    let dates = format!("<c:formatCode>yyyy</c:formatCode>{}", points(&[(0, "45000")]));
    assert!(shown(&series("a", &dates, &points(&[(0, "1")]))).contains("\n| yyyy:45000:true | 1 |"));
    let names: Vec<String> = (0..30).map(|number| format!("n{number}")).collect();
    let many: Vec<(usize, &str)> = names.iter().enumerate().map(|(at, name)| (at, &**name)).collect();
    let table = shown(&series("a", &points(&many), &points(&many)));
    assert!(table.ends_with("| n19 | n19 |\n[points 1-20 of 30 · S!$B$1:$B$30]"), "{table}");
}

#[test]
fn test_content_types_and_relationships_decide_what_a_file_is() {
    let type_of = |members: &[Member<'_>]| {
        let bytes = archive(b"", members, false);
        with(&bytes, |file, allowed| {
            Package::open(file, allowed).map(|package| (package.media_type, package.main))
        })
    };
    let sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let all = [
        member("[Content_Types].xml", TYPES),
        member("_rels/.rels", RELATIONS),
        member("xl/book.xml", "<a/>"),
    ];
    assert_eq!(type_of(&all).unwrap(), (sheet, "xl/book.xml".to_owned()));
    assert_eq!(type_of(&[all[0], all[2]]).unwrap().0, sheet, "the type alone is enough");
    assert_eq!(type_of(&all[..2]).unwrap().0, "application/zip", "the part is missing");
    assert_eq!(type_of(&[member("xl/workbook.xml", "<a/>")]).unwrap().0, "application/zip");
    let macros =
        TYPES.replace("openxmlformats-officedocument.spreadsheetml.sheet", "ms-excel.sheet.macroEnabled");
    let macros = [member("[content_types].xml", &macros), all[1], all[2]];
    assert_eq!(type_of(&macros).unwrap().0, "application/vnd.ms-excel.sheet.macroEnabled.12");
    let entities = [member("[Content_Types].xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>")];
    assert!(matches!(type_of(&entities).unwrap_err().kind, ErrorKind::Damaged { .. }));
}

/// A compound file with an entry in a directory far from its start.
fn compound(entry: &str) -> Vec<u8> {
    let mut bytes = vec![0; 300 << 10];
    bytes[..8].copy_from_slice(ole::MAGIC);
    let name: Vec<u8> = entry.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    let at = bytes.len() - 3 * 128;
    bytes[at..at + name.len()].copy_from_slice(&name);
    bytes[at + 64] = u8::try_from(name.len()).unwrap();
    // The words in a text are no entry.
    bytes[1_001..1_001 + 34].copy_from_slice(
        &"EncryptedPackage\0".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    bytes
}

#[test]
fn test_encrypted_documents_are_told_from_other_compound_files() {
    let kind = |bytes: &[u8]| with(bytes, Package::open).unwrap_err().kind;
    assert_eq!(kind(&compound("EncryptedPackage")), ErrorKind::PasswordRequired);
    assert!(matches!(kind(&compound("Workbook")), ErrorKind::UnsupportedFormat { .. }));
}

#[test]
fn test_mutants_of_an_archive_are_typed_or_right() {
    let members = [
        member("[Content_Types].xml", TYPES),
        member("_rels/.rels", RELATIONS),
        member("xl/book.xml", "<a/>"),
    ];
    for is_64 in [false, true] {
        let bytes = archive(b"", &members.map(|member| Member { is_64, ..member }), is_64);
        check_random(1_000, |input| {
            let mut mutant = bytes.clone();
            for _ in 0..input.within(1..4) {
                let at = input.within(0..mutant.len());
                mutant[at] = input.byte();
            }
            mutant.truncate(if input.flip() { mutant.len() } else { input.within(1..mutant.len()) });
            match read(&mutant, "xl/book.xml") {
                Ok(Some(found)) => assert_eq!(found, b"<a/>"),
                Ok(None) => {}
                Err(error) => assert!(
                    matches!(
                        error.kind,
                        ErrorKind::Damaged { .. } | ErrorKind::PasswordRequired | ErrorKind::TooLarge { .. }
                    ),
                    "{error}"
                ),
            }
        });
    }
}
