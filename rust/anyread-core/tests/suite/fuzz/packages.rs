//! Documents and presentations of any XML: nothing panics, and a window has the lines of the whole text.

use std::path::Path;

use anyread_core::allowed::Allowed;
use anyread_core::document::Document;
use anyread_core::inflate::crc32;
use anyread_core::lines::Wanted;
use anyread_core::scan::Never;
use anyread_core::slides::Presentation;
use anyread_core::source::Source;
use anyread_core::stream::Stream;

use super::run;
use crate::input::Input;

/// What documents consist of; an end ends the innermost element, whatever it is.
const PIECES: [&str; 46] = [
    "<w:p>",
    "<w:p>",
    "<w:r>",
    "<w:t>",
    "<w:tbl>",
    "<w:tr>",
    "<w:tc>",
    "<w:sdtContent>",
    "<w:hyperlink r:id='l'>",
    "<w:txbxContent>",
    "<mc:AlternateContent>",
    "<mc:Choice>",
    "<mc:Fallback>",
    "<w:ins>",
    "<w:del>",
    "<w:object>",
    "<w:pPr>",
    "<w:rPr>",
    "<m:oMath>",
    "<m:d>",
    "<m:e>",
    "<m:rad>",
    "<m:deg>",
    "<w:fldSimple w:instr='HYPERLINK http://a'>",
    "<w:gridSpan w:val='3'/>",
    "<w:gridBefore w:val='2'/>",
    "<w:vMerge/>",
    "<w:b/>",
    "<w:vanish/>",
    "<w:pStyle w:val='Heading2'/>",
    "<w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr>",
    "<w:fldChar w:fldCharType='begin'/>",
    "<w:fldChar w:fldCharType='separate'/>",
    "<w:fldChar w:fldCharType='end'/>",
    "<w:instrText>HYPERLINK \"http://b\"</w:instrText>",
    "<w:footnoteReference w:id='1'/>",
    "<w:br/>",
    "<w:sym w:font='Symbol' w:char='F061'/>",
    "<a:blip r:embed='l'/>",
    "<w:altChunk r:id='l'/>",
    "</w>",
    "</w>",
    "</w>",
    "</w></w></w>",
    "text ",
    "|",
];
/// What slides consist of.
const SLIDE_PIECES: [&str; 20] = [
    "<p:sp>",
    "<p:grpSp>",
    "<p:grpSpPr>",
    "<p:ph type='title'/>",
    "<a:off x='5' y='7'/>",
    "<a:p>",
    "<a:r>",
    "<a:t>",
    "<a:tbl>",
    "<a:tr>",
    "<a:tc vMerge='1'>",
    "<a:pPr lvl='2'>",
    "<a:buAutoNum type='romanLcParenR' startAt='3'/>",
    "<a:hlinkClick r:id='l'/>",
    "<m:oMath>",
    "<m:e>",
    "</a>",
    "</a>",
    "</a></a>",
    "text",
];
const NUMBERING: &str = "<n><abstractNum abstractNumId='0'><lvl ilvl='1'><lvlText val='%1.%2'/></lvl></abstractNum>\
    <num numId='1'><abstractNumId val='0'/></num></n>";

#[derive(Debug)]
struct Case {
    document: String,
    slide: String,
    first: u64,
    lines: u64,
}

/// Pieces in any order, of which each end has a start before it, and each start has an end.
fn balanced(input: &mut Input<'_>, pieces: &[&'static str]) -> String {
    let (mut content, mut depth) = (String::new(), 0);
    for piece in input.list(0..400, |input| input.pick(pieces)) {
        let count = |what: &str| piece.matches(what).count() as i32;
        let opened = count("<") - count("/>") - 2 * count("</");
        if depth + opened >= 0 {
            content.push_str(piece);
            depth += opened;
        }
    }
    content + &"</w>".repeat(depth as usize)
}

fn case(input: &mut Input<'_>) -> Case {
    let (document, slide) = (balanced(input, &PIECES), balanced(input, &SLIDE_PIECES));
    let (first, lines) = (input.within(1..40) as u64, input.within(1..9) as u64);
    Case { document, slide, first, lines }
}

/// A zip file of members that are stored as they are.
fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let offset = bytes.len() as u32;
        let mut fields = vec![0; 8];
        fields.extend(crc32(0, content.as_bytes()).to_le_bytes());
        fields.extend((content.len() as u32).to_le_bytes().repeat(2));
        fields.extend((name.len() as u16).to_le_bytes());
        bytes.extend(b"PK\x03\x04\x14\0");
        bytes.extend(&fields);
        bytes.extend([0; 2]);
        bytes.extend(name.as_bytes());
        bytes.extend(content.as_bytes());
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        directory.extend(&fields);
        directory.extend([0; 12]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (length, offset, count) = (directory.len() as u32, bytes.len() as u32, members.len() as u16);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes().repeat(2));
    bytes.extend(length.to_le_bytes());
    bytes.extend(offset.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// A package whose main part is `m.xml`, with relations from it.
fn package(kind: &str, main: &str, relations: &[(&str, &str)], others: &[(&str, &str)]) -> Vec<u8> {
    let of_main: String = relations
        .iter()
        .map(|(kind, target)| format!("<Relationship Id='{target}' Type='x/{kind}' Target='{target}'/>"))
        .collect::<Vec<_>>()
        .concat();
    let types = format!(
        "<Types><Override PartName='/m.xml' \
         ContentType='application/vnd.openxmlformats-officedocument.{kind}.main+xml'/></Types>"
    );
    let of_main = format!(
        "<Relationships>{of_main}<Relationship Id='l' Type='x/link' Target='http://a' TargetMode='External'/></Relationships>"
    );
    let root = "<Relationships><Relationship Id='m' Type='x/officeDocument' Target='m.xml'/></Relationships>";
    let mut members = vec![
        ("[Content_Types].xml", &*types),
        ("_rels/.rels", root),
        ("_rels/m.xml.rels", &of_main),
        ("m.xml", main),
    ];
    members.extend(others);
    archive(&members)
}

fn check_document(case: &Case) {
    // Long enough for places at which the text can be continued.
    let filler = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "x".repeat(70_000));
    let main = format!("<d><b>{filler}{0}{filler}{0}</b></d>", case.document);
    let notes = "<f><footnote id='1'><p><r><t>note</t></r></p></footnote></f>";
    let relations = [("numbering", "n.xml"), ("footnotes", "f.xml")];
    let others = [("n.xml", NUMBERING), ("f.xml", notes)];
    let bytes = package("wordprocessingml.document", &main, &relations, &others);
    let file = Stream::new(Source::Memory(&bytes), Path::new("a"), &Never, 0..bytes.len() as u64);
    let allowed = Allowed::new(1 << 40);
    let read = || Document::read(&file, &allowed).unwrap();
    let all = Wanted { first: 1, lines: 1 << 40, column: 1, chars: 50, bytes: 1 << 30 };
    let known = read();
    let Ok(whole) = known.lines(&file, &allowed, all) else { return };
    let total = whole.lines.total.unwrap();
    assert_eq!(total, whole.lines.lines.len() as u64);
    for first in [case.first, total.saturating_sub(case.first).max(1)] {
        let wanted = Wanted { first, lines: case.lines, ..all };
        let expected: Vec<_> = whole
            .lines
            .lines
            .iter()
            .filter(|line| (first..first + case.lines).contains(&line.number))
            .cloned()
            .collect();
        assert_eq!(known.lines(&file, &allowed, wanted).unwrap().lines.lines, expected);
        assert_eq!(read().lines(&file, &allowed, wanted).unwrap().lines.lines, expected);
    }
}

fn check_slide(case: &Case) {
    let slide = format!("<sld><cSld><spTree>{}</spTree></cSld></sld>", case.slide);
    let main = "<presentation><sldIdLst><sldId r:id='s.xml'/></sldIdLst></presentation>";
    let bytes = package("presentationml.presentation", main, &[("slide", "s.xml")], &[("s.xml", &slide)]);
    let file = Stream::new(Source::Memory(&bytes), Path::new("a"), &Never, 0..bytes.len() as u64);
    let allowed = Allowed::new(1 << 40);
    let Ok(presentation) = Presentation::read(&file, &allowed) else { return };
    let Ok(first) = presentation.show(&file, &allowed, &[1], 1 << 30) else { return };
    assert_eq!(presentation.show(&file, &allowed, &[1], 1 << 30).unwrap(), first);
}

#[test]
fn test_windows_of_any_document_match_whole_text() {
    run("packages", 300, case, |case| {
        check_document(case);
        check_slide(case);
    });
}
