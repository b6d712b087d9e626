//! Workbooks, made by hand.

use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::input::{Input, check_random};
use crate::package::tests::{Member, archive, member};
use crate::scan::Never;
use crate::source::Source;

const TYPES: &str = "<Types><Override PartName='/odd/book' \
    ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'/></Types>";
const RELATIONS: &str =
    "<Relationships><Relationship Id='r1' Target='odd/book' Type='x/officeDocument'/></Relationships>";
const BOOK_RELATIONS: &str = "<Relationships>\
    <Relationship Id='r1' Target='one' Type='x/worksheet'/>\
    <Relationship Id='r2' Target='../odd/two' Type='x/chartsheet'/>\
    <Relationship Id='r3' Target='strings' Type='x/sharedStrings'/>\
    <Relationship Id='r4' Target='/odd/styles' Type='x/styles'/></Relationships>";
const BOOK: &str = "<x:workbook xmlns:x='y'><x:workbookPr date1904='0'/><x:sheets>\
    <x:sheet name='A &amp; B' sheetId='7' r:id='r1'/>\
    <x:sheet name='Chart' sheetId='8' state='veryHidden' r:id='r2'/></x:sheets></x:workbook>";
const STYLES: &str = "<styleSheet><numFmts><numFmt numFmtId='200' formatCode='0.00\" EUR\"'/></numFmts>\
    <cellStyleXfs><xf numFmtId='9'/></cellStyleXfs>\
    <cellXfs><xf numFmtId='0'/><xf numFmtId='200'/><xf numFmtId='14'/></cellXfs></styleSheet>";
const STRINGS: &str = "<sst><si><t>zero</t></si>\
    <si><r><t xml:space='preserve'>o </t></r><r><t>ne_x000D_</t></r><rPh><t>reading</t></rPh></si></sst>";

/// A workbook with one sheet.
fn book(sheet: &str, strings: &str) -> Vec<u8> {
    book_of(sheet.as_bytes(), strings.as_bytes(), true)
}

fn book_of(sheet: &[u8], strings: &[u8], is_deflated: bool) -> Vec<u8> {
    book_with(sheet, strings, STYLES, is_deflated)
}

fn book_with(sheet: &[u8], strings: &[u8], styles: &str, is_deflated: bool) -> Vec<u8> {
    let members = [
        member("[Content_Types].xml", TYPES),
        member("_rels/.rels", RELATIONS),
        member("odd/book", BOOK),
        member("odd\\_rels\\book.rels", BOOK_RELATIONS),
        Member { content: sheet, is_deflated, ..member("odd/one", "") },
        Member { content: strings, is_deflated, ..member("odd/strings", "") },
        member("odd/styles", styles),
    ];
    archive(b"", &members, false)
}

fn with<T>(bytes: &[u8], work: impl FnOnce(&Stream<'_>, &Workbook, &Allowed) -> Result<T>) -> Result<T> {
    let file = Stream::new(Source::Memory(bytes), Path::new("a"), &Never, 0..bytes.len() as u64);
    let allowed = Allowed::new(1 << 30);
    let workbook = Workbook::read(&file, &allowed)?;
    work(&file, &workbook, &allowed)
}

fn request() -> RowsRequest {
    RowsRequest {
        sheet: 0,
        first: 1,
        last: u32::MAX,
        most: usize::MAX,
        columns: Vec::new(),
        values: Values::Shown,
        max_chars: 100,
        max_bytes: usize::MAX,
    }
}

fn read(bytes: &[u8], request: &RowsRequest) -> Result<Rows> {
    with(bytes, |file, workbook, allowed| workbook.rows(file, allowed, request))
}

/// Rows as lines: number, column and text of each cell, with its formula.
fn lines(rows: &Rows) -> Vec<String> {
    let cell = |cell: &Cell| {
        let formula = cell.formula.as_ref().or(cell.shared_with.as_ref());
        let formula = formula.map_or(String::new(), |formula| format!(" ={formula}"));
        format!(" {}:{:?}{formula}", cell.column, cell.text)
    };
    rows.rows
        .iter()
        .map(|row| row.number.to_string() + &row.cells.iter().map(cell).collect::<String>())
        .collect()
}

const SHEET: &str = "<x:worksheet><x:dimension ref='A1:C9'/><x:cols><x:col min='2' max='3' hidden='1'/></x:cols>\
    <x:sheetData><x:row><x:c t='s'><x:v>1</x:v></x:c><x:c t='s'><x:v>0</x:v></x:c></x:row>\
    <x:row r='2' hidden='1'><x:c r='A2' s='1'><x:v>39.119999999999997</x:v></x:c><x:c r='C2' s='2'><x:v>60</x:v></x:c></x:row>\
    <x:row r='3'><x:c r='A3' s='1'/></x:row>\
    <x:row r='5'><x:c r='A5' t='b'><x:v>1</x:v></x:c><x:c r='B5' t='e'><x:v>#DIV/0!</x:v></x:c>\
    <x:c r='D5' t='inlineStr'><x:is><x:t>in &lt;line_x005F_x000D_</x:t></x:is></x:c></x:row>\
    <x:row r='6'><x:c r='A6'><x:f t='shared' ref='A6:A9' si='4'>B6*2</x:f><x:v>4</x:v></x:c></x:row>\
    <x:row r='9'><x:c r='A9'><x:f t='shared' si='4'/><x:v>8</x:v></x:c><x:c r='B9'><x:f>C9</x:f></x:c>\
    <x:c r='C9' t='d'><x:v>2020-01-02T10:00:00</x:v></x:c></x:row></x:sheetData>\
    <x:mergeCells><x:mergeCell ref='B7:C7'/></x:mergeCells></x:worksheet>";

#[test]
fn test_cells_are_shown_as_stored_in_the_ways_of_the_format() {
    let bytes = book(SHEET, STRINGS);
    let all = read(&bytes, &request()).unwrap();
    let expected = [
        r#"1 1:"o ne\r" 2:"zero""#,
        r#"2 1:"39.12 EUR" 3:"1900-02-29""#,
        r##"5 1:"TRUE" 2:"#DIV/0!" 4:"in <line_x000D_""##,
        r#"6 1:"4" =B6*2"#,
        r#"9 1:"8" =A6 2:"" =C9 3:"2020-01-02 10:00:00""#,
    ];
    assert_eq!(lines(&all), expected);
    assert!(all.rows[1].is_hidden && !all.rows[0].is_hidden);
    assert_eq!((all.facts.total_rows, all.next_row, all.is_verified), (Some(9), None, true));
    assert_eq!(all.facts.hidden_columns, [(2, 3)]);
    assert_eq!(all.facts.merged.unwrap(), [Area::parse("$B$7:C7").unwrap()]);
    let raw = RowsRequest { values: Values::Raw, columns: vec![(1, 1), (3, 3)], last: 2, ..request() };
    let raw = read(&bytes, &raw).unwrap();
    assert_eq!(lines(&raw)[1], r#"2 1:"39.119999999999997" 3:"1900-02-29""#);
    assert_eq!(raw.next_row, Some(5), "row 3 has no content");
    let shared = RowsRequest { values: Values::Formulas, first: 7, ..request() };
    assert_eq!(lines(&read(&bytes, &shared).unwrap()), [expected[4]]);
    let clipped = RowsRequest { max_chars: 2, most: 1, ..request() };
    let cell = &read(&bytes, &clipped).unwrap().rows[0].cells[0];
    assert_eq!((&*cell.text, cell.chars), ("o ", 5));
}

#[test]
fn test_parts_in_another_encoding_or_not_compressed_have_the_same_rows() {
    let rows = |bytes: &[u8], first| {
        let found = read(bytes, &RowsRequest { first, values: Values::Formulas, ..request() }).unwrap();
        assert!(found.is_verified || first > 9);
        (lines(&found), found.next_row, found.facts.total_rows, found.facts.hidden_columns)
    };
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let usual = book(SHEET, STRINGS);
    let stored = book_of(SHEET.as_bytes(), STRINGS.as_bytes(), false);
    let utf16 = book_of(&wide(SHEET), &wide(STRINGS), true);
    for first in [1, 3, 9, 10] {
        let expected = rows(&usual, first);
        assert_eq!(rows(&stored, first), expected);
        assert_eq!(rows(&utf16, first), expected);
    }
}

#[test]
fn test_rows_of_extensions_are_none() {
    let rest =
        "<extLst><ext><row r='2'><c><v>7</v></c></row><row><c r='A1'><v>7</v></c></row></ext></extLst>";
    for (begin, rows) in [("", 1), ("<!-- -->", 1), ("", 0)] {
        let table =
            if rows == 0 { "<sheetData/>" } else { "<sheetData><row><c><v>5</v></c></row></sheetData>" };
        let bytes = book(&format!("<worksheet>{begin}{table}{rest}</worksheet>"), STRINGS);
        let found = read(&bytes, &request()).unwrap();
        assert_eq!(lines(&found), &[r#"1 1:"5""#][..rows]);
        assert_eq!((found.facts.total_rows, found.is_verified), (u32::try_from(rows).ok(), true));
    }
}

#[test]
fn test_what_a_workbook_consists_of() {
    with(&book(SHEET, STRINGS), |file, workbook, allowed| {
        let sheets: Vec<_> =
            workbook.sheets.iter().map(|sheet| (&*sheet.name, sheet.state, sheet.kind)).collect();
        let expected = [
            ("A & B", SheetState::Visible, SheetKind::Table),
            ("Chart", SheetState::VeryHidden, SheetKind::Chart),
        ];
        assert_eq!(sheets, expected);
        assert_eq!((workbook.find(" a & b "), workbook.find("none")), (Some(0), None));
        let chart = workbook.rows(file, allowed, &RowsRequest { sheet: 1, ..request() })?;
        assert_eq!((chart.rows.len(), chart.facts.total_rows), (0, Some(0)));
        assert_eq!(workbook.count(file, allowed, 0)?, 9);
        Ok(())
    })
    .unwrap();
    let sheet = SHEET.replace("<x:v>1</x:v></x:c><x:c t='s'>", "<x:v>2</x:v></x:c><x:c t='s'>");
    let found = read(&book(&sheet, STRINGS), &request()).unwrap();
    assert!(lines(&found).concat().contains("[text · not in this file]"));
    let kind = read(&book(SHEET, "<x/>"), &request()).unwrap_err().kind;
    let ErrorKind::Damaged { media_type, .. } = kind else { panic!("{kind:?}") };
    assert!(media_type.ends_with("spreadsheetml.sheet"));
}

/// A random sheet and its strings: rows with gaps, without content, and with cells in strings of any order.
#[test]
fn test_drawings_are_at_the_cell_of_their_corner() {
    let relations = "<Relationships><Relationship Id='d' Target='d.xml' Type='x/drawing'/>\
        <Relationship Id='o' Target='embeddings/o.bin' Type='x/oleObject'/>\
        <Relationship Id='w' Target='http://a.test/' TargetMode='External' Type='x/drawing'/></Relationships>";
    let of_drawing = "<Relationships><Relationship Id='i' Target='i.png' Type='x/image'/>\
        <Relationship Id='c' Target='c.xml' Type='x/chart'/>\
        <Relationship Id='w' Target='http://a.test/i.png' TargetMode='External' Type='x/image'/></Relationships>";
    let from = |column: u32, row: u32| {
        format!("<from><col>{column}</col><colOff>7</colOff><row> {row} </row><rowOff>9</rowOff></from>")
    };
    let image = "<pic><blipFill><a:blip r:embed='i'/></blipFill></pic>";
    let drawing = format!(
        "<wsDr><twoCellAnchor>{}<to><col>9</col><row>9</row></to>{image}</twoCellAnchor>\
        <oneCellAnchor>{}<grpSp>{image}<pic><a:blip r:embed='w'/></pic></grpSp></oneCellAnchor>\
        <absoluteAnchor><pos x='1300000' y='400000'/>{image}</absoluteAnchor>\
        <mc:AlternateContent><mc:Choice><twoCellAnchor>{}<graphicFrame><c:chart r:id='c'/></graphicFrame>\
        </twoCellAnchor></mc:Choice><mc:Fallback>{image}</mc:Fallback></mc:AlternateContent></wsDr>",
        from(2, 6),
        from(0, 0),
        from(1, 6)
    );
    let members = [
        member("[Content_Types].xml", TYPES),
        member("_rels/.rels", RELATIONS),
        member("odd/book", BOOK),
        member("odd/_rels/book.rels", BOOK_RELATIONS),
        member("odd/one", "<worksheet/>"),
        member("odd/styles", STYLES),
        member("odd/_rels/one.rels", relations),
        member("odd/d.xml", &drawing),
        member("odd/_rels/d.xml.rels", of_drawing),
    ];
    let bytes = archive(b"", &members, false);
    let found = with(&bytes, |file, book, allowed| book.drawings(file, allowed, 0)).unwrap();
    let expected = [
        (1, 1, DrawingKind::Object, "odd/embeddings/o.bin"),
        (1, 1, DrawingKind::Image, "odd/i.png"),
        (1, 1, DrawingKind::Image, ""),
        (3, 3, DrawingKind::Image, "odd/i.png"),
        (7, 2, DrawingKind::Chart, "odd/c.xml"),
        (7, 3, DrawingKind::Image, "odd/i.png"),
    ];
    let mut found: Vec<_> =
        found.iter().map(|each| (each.row, each.column, each.kind, &*each.part)).collect();
    // An embedded file has no cell.
    found[..3].sort_by_key(|each| each.2 != DrawingKind::Object);
    assert_eq!(found, expected);
    let found = with(&bytes, |file, book, allowed| book.drawings(file, allowed, 1)).unwrap();
    assert_eq!(found.iter().map(|each| each.kind).collect::<Vec<_>>(), [DrawingKind::Missing]);
}

fn random_book(input: &mut Input<'_>, rows: u32) -> (String, String) {
    let strings = 3_000;
    let mut table = "<sst>".to_owned();
    for index in 0..strings {
        let length = input.within(1..60);
        write!(table, "<si><t>s{index}{}</t></si>", "x".repeat(length)).unwrap();
    }
    table += "</sst>";
    let mut sheet = "<worksheet><sheetData>".to_owned();
    let mut number = 0;
    for _ in 0..rows {
        let gap = input.pick(&[1, 1, 1, 1, 2, 50]);
        number += gap;
        let with_number = gap > 1 || input.flip();
        if with_number { write!(sheet, "<row r=\"{number}\">") } else { write!(sheet, "<row>") }.unwrap();
        let is_empty = input.within(0..8) == 0;
        for _ in 0..input.within(0..4) {
            match input.within(0..3) {
                _ if is_empty => sheet += "<c s=\"1\"/>",
                0 => write!(sheet, "<c t=\"s\"><v>{}</v></c>", input.within(0..strings)).unwrap(),
                1 => write!(sheet, "<c><v>{}</v></c>", input.within(0..1_000)).unwrap(),
                _ => sheet += "<c t=\"inlineStr\"><is><t>text</t></is></c>",
            }
        }
        sheet += "</row>\n";
    }
    (sheet + "</sheetData></worksheet>", table)
}

#[test]
fn test_windows_are_parts_of_the_whole() {
    check_random(12, |input| {
        let rows = input.pick(&[30, 6_000]);
        let (sheet, strings) = random_book(input, rows);
        let ordered = book(&sheet, &strings);
        // The same sheet, read tag by tag.
        let irregular = book(&sheet.replace("</sheetData>", "</sheetData><!-- -->"), &strings);
        let mut expected: Option<(Vec<String>, Option<u32>)> = None;
        for bytes in [irregular, ordered] {
            with(&bytes, |file, workbook, allowed| {
                let whole = workbook.rows(file, allowed, &request())?;
                let total = whole.facts.total_rows;
                let found = (lines(&whole), total);
                assert_eq!(expected.get_or_insert_with(|| found.clone()), &found);
                Ok(())
            })
            .unwrap();
            with(&bytes, |file, workbook, allowed| {
                let (whole, total) = expected.as_ref().unwrap();
                let numbers: Vec<u32> =
                    whole.iter().map(|line| line.split(' ').next().unwrap().parse().unwrap()).collect();
                for _ in 0..20 {
                    let last_row = usize::try_from(total.unwrap_or(0)).unwrap();
                    let first = u32::try_from(input.within(1..last_row + 20)).unwrap();
                    let last = first.saturating_add(input.pick(&[0, 5, 100, u32::MAX]));
                    let most = input.pick(&[1, 7, usize::MAX]);
                    let window =
                        workbook.rows(file, allowed, &RowsRequest { first, last, most, ..request() })?;
                    let inside = |number: &u32| (first..=last).contains(number);
                    let wanted: Vec<usize> =
                        (0..numbers.len()).filter(|at| inside(&numbers[*at])).take(most).collect();
                    let shown: Vec<&String> = wanted.iter().map(|at| &whole[*at]).collect();
                    assert_eq!(lines(&window).iter().collect::<Vec<_>>(), shown, "{first} to {last}, {most}");
                    let after = wanted.last().map_or(first, |at| numbers[*at] + 1);
                    let next = numbers.iter().copied().find(|number| *number >= after);
                    assert_eq!(window.next_row, next, "after {first} to {last}, {most}");
                }
                assert_eq!(workbook.count(file, allowed, 0)?, total.unwrap());
                Ok(())
            })
            .unwrap();
        }
    });
}

#[test]
fn test_rows_and_cells_out_of_order_are_sorted() {
    let sheet = "<worksheet><sheetData><row r='5'><c r='B5'><v>4</v></c><c r='A5'><v>3</v></c></row>\
        <row r='2'><c><v>2</v></c></row><row r='5'><c r='C5'><v>5</v></c></row><row r='1'><c><v>1</v></c></row>\
        </sheetData></worksheet>";
    let bytes = book(sheet, STRINGS);
    let all = read(&bytes, &request()).unwrap();
    assert_eq!(lines(&all), [r#"1 1:"1""#, r#"2 1:"2""#, r#"5 1:"3" 2:"4" 3:"5""#]);
    assert!(all.facts.is_unordered);
    let first = read(&bytes, &RowsRequest { most: 1, ..request() }).unwrap();
    assert_eq!((lines(&first).len(), first.next_row), (1, Some(2)));
    let few = read(&bytes, &RowsRequest { max_bytes: 18, ..request() }).unwrap();
    assert_eq!((lines(&few).len(), few.next_row), (2, Some(5)));
}

#[test]
fn test_rows_have_limits() {
    let sheet = |cells: usize, text: &str| {
        let cell = format!("<c t='inlineStr'><is><t>{text}</t></is></c>");
        format!("<worksheet><sheetData><row>{}</row></sheetData></worksheet>", cell.repeat(cells))
    };
    let many = read(&book(&sheet(16_385, ""), STRINGS), &request()).unwrap_err().to_string();
    assert!(many.contains("more than 16384 cells"), "{many}");
    let wanted = RowsRequest { max_chars: 65_536, ..request() };
    let long = read(&book(&sheet(100, &"x".repeat(70_000)), STRINGS), &wanted).unwrap();
    let cells = &long.rows[0].cells;
    assert!(cells.iter().all(|cell| cell.chars == 70_000));
    assert_eq!(cells.iter().map(|cell| cell.text.len()).sum::<usize>(), text::ROOM);
}

#[test]
fn test_long_formats_show_general_and_repeat_no_text_without_end() {
    let sheet = "<worksheet><sheetData><row><c t='s' s='1'><v>1</v></c><c s='1'><v>0.30000000000000004</v></c></row>\
        </sheetData></worksheet>";
    let read = |code: &str, wanted: &RowsRequest| {
        let styles = STYLES.replace("0.00\" EUR\"", code);
        read(&book_with(sheet.as_bytes(), STRINGS.as_bytes(), &styles, true), wanted).unwrap()
    };
    let found = read(&"0".repeat(256), &request());
    assert_eq!(lines(&found), [r#"1 1:"o ne\r" 2:"0.3""#]);
    assert_eq!(found.unknown_formats, ["0".repeat(255)]);
    let found = read(&"@".repeat(255), &RowsRequest { max_chars: 3, ..request() });
    let cell = &found.rows[0].cells[0];
    assert_eq!((&*cell.text, cell.chars), ("o n", 3 * 255 + 2));
}

#[test]
fn test_mutants_of_a_workbook_are_typed_or_rows() {
    check_random(1_500, |input| {
        let mutate = |input: &mut Input<'_>, text: &str| {
            let mut mutant = text.as_bytes().to_vec();
            for _ in 0..input.within(0..3) {
                let at = input.within(0..mutant.len());
                mutant[at] = input.pick(b"<>/!&;'\"= 0919a\xFF");
            }
            String::from_utf8_lossy(&mutant).into_owned()
        };
        let bytes = book(&mutate(input, SHEET), &mutate(input, STRINGS));
        let first = u32::try_from(input.within(1..12)).unwrap();
        if let Err(error) = read(&bytes, &RowsRequest { first, values: Values::Formulas, ..request() }) {
            assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error}");
        }
    });
}

#[test]
fn test_numbers_are_whole_however_long_the_texts_of_their_row_are() {
    let long = "x".repeat(2_000);
    let mut cells = format!("<c t='str'><f>{long}</f><v>{long}</v></c>").repeat(600);
    cells += "<c><v>1234567</v></c><c t='b'><v>1</v></c><c t='s'><v>1</v></c><c t='e'><v>#DIV/0!</v></c>";
    let sheet = format!("<worksheet><sheetData><row>{cells}</row></sheetData></worksheet>");
    let found = read(&book(&sheet, STRINGS), &RowsRequest { max_chars: 65_536, ..request() }).unwrap();
    let last: Vec<_> = found.rows[0].cells[600..].iter().map(|cell| (&*cell.text, cell.chars)).collect();
    // A text for which there is no room says how long it is.
    assert_eq!(last, [("1234567", 7), ("TRUE", 4), ("", 5), ("#DIV/0!", 7)]);
}
