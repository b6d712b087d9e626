//! Documents made by hand, and the lines that they must have.

use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::allowed::Allowed;
use crate::error::ErrorKind;
use crate::lines::Line;
use crate::package::tests::{archive, member};
use crate::scan::Never;
use crate::source::Source;
use crate::stream::Stream;

const ALL: Wanted = Wanted { first: 1, lines: 1 << 50, column: 1, chars: 1 << 50, bytes: 1 << 40 };
const TYPES: &str = "<Types><Override PartName='/word/document.xml' ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></Types>";
const NUMBERING: &str = "<w:numbering><w:abstractNum w:abstractNumId='7'>\
    <w:lvl w:ilvl='0'><w:start w:val='3'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>\
    <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='(%2)'/></w:lvl>\
    <w:lvl w:ilvl='2'><w:start w:val='4'/><w:numFmt w:val='upperRoman'/><w:lvlText w:val='%1.%3'/></w:lvl>\
    <w:lvl w:ilvl='3'><w:numFmt w:val='bullet'/><w:lvlText w:val='\u{f0b7}'/></w:lvl></w:abstractNum>\
    <w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num>\
    <w:num w:numId='2'><w:abstractNumId w:val='7'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='9'/>\
    </w:lvlOverride></w:num></w:numbering>";
const STYLES: &str = "<w:styles><w:docDefaults><w:rPr><w:vanish/></w:rPr></w:docDefaults>\
    <w:style w:type='paragraph' w:default='1' w:styleId='Normal'><w:name w:val='Normal'/></w:style>\
    <w:style w:type='paragraph' w:styleId='T2'><w:name w:val='\u{dc}berschrift 2'/></w:style>\
    <w:style w:type='paragraph' w:styleId='Mine'><w:basedOn w:val='T2'/></w:style>\
    <w:style w:type='paragraph' w:styleId='Toc'><w:basedOn w:val='T2'/><w:pPr><w:outlineLvl w:val='9'/></w:pPr></w:style>\
    <w:style w:type='character' w:styleId='Strong'><w:rPr><w:b/></w:rPr></w:style>\
    <w:style w:type='character' w:styleId='Old'><w:rPr><w:strike/></w:rPr></w:style>\
    <w:style w:type='character' w:styleId='Gone'><w:rPr><w:vanish/></w:rPr></w:style></w:styles>";

/// A document with a body, and other parts of it: the kind of relationship, the name, the content.
fn document(body: &str, others: &[(&str, &str, &str)]) -> Vec<u8> {
    let main = format!("<w:document xmlns:w='x'><w:body>{body}</w:body></w:document>");
    let mut relations = String::from("<Relationships>");
    for (index, (kind, name, _)) in others.iter().enumerate() {
        let mode = if name.contains(':') { " TargetMode='External'" } else { "" };
        let _ = write!(relations, "<Relationship Id='r{index}' Type='x/{kind}' Target='{name}'{mode}/>");
    }
    relations += "</Relationships>";
    let root = "<Relationships><Relationship Id='r1' Type='x/officeDocument' Target='word/document.xml'/></Relationships>";
    let names: Vec<String> = others.iter().map(|(_, name, _)| format!("word/{name}")).collect();
    let mut members = vec![
        member("[Content_Types].xml", TYPES),
        member("_rels/.rels", root),
        member("word/document.xml", &main),
        member("word/_rels/document.xml.rels", &relations),
    ];
    let inside = names.iter().zip(others).filter(|(name, _)| !name.contains(':'));
    members.extend(inside.map(|(name, (_, _, content))| member(name, content)));
    archive(b"", &members, false)
}

fn rendered(bytes: &[u8], wanted: Wanted) -> Result<Rendering> {
    let file = Stream::new(Source::Memory(bytes), Path::new("a"), &Never, 0..bytes.len() as u64);
    let allowed = Allowed::new(1 << 30);
    Document::read(&file, &allowed)?.lines(&file, &allowed, wanted)
}

fn shown_with(body: &str, others: &[(&str, &str, &str)]) -> String {
    let found = rendered(&document(body, others), ALL).unwrap();
    assert_eq!(found.lines.total, Some(found.lines.lines.len() as u64));
    found.lines.lines.iter().map(|line| &*line.text).collect::<Vec<_>>().join("\n")
}

fn p(properties: &str, content: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>")
}

fn r(text: &str) -> String {
    format!("<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>")
}

fn item(list: u32, level: u32, text: &str) -> String {
    let list = format!("<w:numPr><w:ilvl w:val='{level}'/><w:numId w:val='{list}'/></w:numPr>");
    p(&list, &r(text))
}

#[test]
fn test_headings_are_known_by_name_level_and_base() {
    let style = |name: &str| p(&format!("<w:pStyle w:val='{name}'/>"), &r(name));
    let body = ["T2", "Mine", "Toc", "Heading3", "Other"].map(style).concat()
        + &p("<w:outlineLvl w:val='0'/>", &r("level"));
    let shown = shown_with(&body, &[("styles", "s.xml", STYLES)]);
    assert_eq!(shown, "## T2\n\n## Mine\n\nToc\n\n### Heading3\n\nOther\n\n# level");
    let text = |text| shown_with(&p("", &r(text)), &[]);
    assert_eq!(["# a", "#", "#1"].map(text), ["\\# a", "\\#", "#1"]);
}

#[test]
fn test_lists_are_counted_as_numbering_says() {
    let body = [
        (1, 0, "a"),
        (1, 1, "b"),
        (1, 1, "c"),
        (1, 2, "d"),
        (1, 0, "e"),
        (1, 1, "f"),
        (2, 0, "g"),
        (1, 3, "h"),
    ]
    .map(|(list, level, text)| item(list, level, text))
    .concat()
        + &item(0, 0, "no item");
    let expected = "3. a\n   (a) b\n   (b) c\n      3.IV d\n4. e\n   (a) f\n9. g\n         - h\n\nno item";
    assert_eq!(shown_with(&body, &[("numbering", "n.xml", NUMBERING)]), expected);
}

#[test]
fn test_labels_are_written_in_the_scripts_of_lists() {
    let label = |format: &str, number: u32| {
        let numbering = format!(
            "<w:numbering><w:abstractNum w:abstractNumId='0'><w:lvl w:ilvl='0'><w:start w:val='{number}'/>\
             <w:numFmt w:val='{format}'/><w:lvlText w:val='%1'/></w:lvl></w:abstractNum>\
             <w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num></w:numbering>"
        );
        let bytes = document(&item(1, 0, "x"), &[("numbering", "n.xml", &numbering)]);
        let found = rendered(&bytes, ALL).unwrap();
        (found.lines.lines[0].text.trim_end_matches(" x").to_owned(), found.has_unknown_labels)
    };
    let numbers = [1, 10, 21, 105, 2010];
    for (format, expected) in [
        ("decimal", "1 10 21 105 2010"),
        ("chineseCountingThousand", "一 十 二十一 一百零五 二千零一十"),
        ("japaneseCounting", "一 十 二十一 百五 二千十"),
        ("koreanCounting", "일 십 이십일 백오 이천십"),
        ("ideographDigital", "一 一〇 二一 一〇五 二〇一〇"),
        ("koreanDigital", "일 일영 이일 일영오 이영일영"),
        ("decimalEnclosedCircle", "① ⑩ 21 105 2010"),
        ("ordinal", "1st 10th 21st 105th 2010th"),
        ("hebrew1", "א י כא קה 2010"),
        ("russianUpper", "А К Х ТТТТ 2010"),
    ] {
        let found = numbers.map(|number| label(format, number));
        assert_eq!(found.clone().map(|(text, _)| text).join(" "), expected, "{format}");
        assert!(found.iter().all(|(_, is_unknown)| !is_unknown), "{format}");
    }
    let words = [0, 3, 12, 20, 342, 500, 999].map(|number| label("ordinalText", number).0);
    let expected = "Zeroth, Third, Twelfth, Twentieth, Three hundred forty-second, Five hundredth, Nine hundred ninety-ninth";
    assert_eq!(words.join(", "), expected);
    assert_eq!(label("cardinalText", 118).0, "One hundred eighteen");
    assert_eq!(
        ["hebrew1", "thaiNumbers"].map(|format| label(format, 15)),
        [("טו".into(), false), ("15".into(), true)]
    );
}

#[test]
fn test_formatting_that_is_content() {
    let run = |properties: &str, text: &str| {
        format!("<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>")
    };
    let (up, down) = ("<w:vertAlign w:val='superscript'/>", "<w:vertAlign w:val='subscript'/>");
    let line = |runs: &[String]| shown_with(&p("", &runs.concat()), &[("styles", "s.xml", STYLES)]);
    for (runs, expected) in [
        (vec![run("", "10"), run(up, "5"), run("", " CO"), run(down, "2"), run("", " end")], "10^5 CO_2 end"),
        (vec![run("", "x"), run(up, "n"), run(up, "2"), run("", "y"), run(down, "i+1")], "x^n2y_(i+1)"),
        (vec![run("", "m"), run(up, "n-1"), run("", " and 10"), run(up, "−3")], "m^(n-1) and 10^−3"),
        // Marks of notes, and endings.
        (
            vec![
                run("", "see"),
                run(up, "*"),
                run("", " and "),
                run(up, "1"),
                run("", " or 1"),
                run(up, "st"),
            ],
            "see* and 1 or 1st",
        ),
        (vec![run("", "pays "), run("<w:strike/>", "500 "), run("", "700 EUR")], "pays ~~500~~ 700 EUR"),
        (vec![run("<w:dstrike/><w:b/>", "old"), run("<w:strike w:val='0'/>", "new")], "~~**old**~~new"),
        (vec![run("<w:rStyle w:val='Old'/>", "old")], "~~old~~"),
    ] {
        assert_eq!(line(&runs), expected);
    }
    let heading =
        p("<w:pStyle w:val='T2'/>", &(run("<w:b/>", "CO") + &run(down, "2") + &run("<w:strike/>", " no")));
    assert_eq!(shown_with(&heading, &[("styles", "s.xml", STYLES)]), "## CO_2 ~~no~~");
    let drop_cap = p("<w:framePr w:dropCap='drop'/>", &r("O")) + &p("", &r("nce upon"));
    assert_eq!(shown_with(&drop_cap, &[]), "Once upon");
}

#[test]
fn test_text_that_people_do_not_see_is_counted() {
    let run = |properties: &str| format!("<w:r><w:rPr>{properties}</w:rPr><w:t>a</w:t><w:t>b</w:t></w:r>");
    let white = "<w:color w:val='FFFFFF'/>";
    let count = |body: &str| {
        rendered(&document(body, &[("styles", "s.xml", STYLES)]), ALL).unwrap().counts.unseen_runs
    };
    assert_eq!(count(&p("", &(run(white) + &run("<w:sz w:val='2'/>") + &run("<w:sz w:val='24'/>")))), 2);
    assert_eq!(count(&p("", &run(&(white.to_owned() + "<w:shd w:fill='000000'/>")))), 0);
    assert_eq!(count(&p("<w:shd w:fill='000000'/>", &run(white))), 0);
    assert_eq!(count(&format!("<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", p("", &run(white)))), 0);
}

#[test]
fn test_form_fields_show_what_is_chosen() {
    let field = |data: &str, result: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType='begin'><w:ffData>{data}</w:ffData></w:fldChar></w:r>\
             <w:r><w:instrText> FORM </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>{result}\
             <w:r><w:fldChar w:fldCharType='end'/></w:r>{}",
            r(" x")
        )
    };
    let list = |chosen: &str| {
        let entries = ["France", "Norway"].map(|name| format!("<w:listEntry w:val='{name}'/>")).concat();
        format!("<w:ddList>{chosen}{entries}</w:ddList>")
    };
    for (data, result, expected) in [
        ("<w:checkBox><w:sizeAuto/><w:default w:val='0'/><w:checked/></w:checkBox>".to_owned(), "", "☒ x"),
        ("<w:checkBox><w:default w:val='1'/></w:checkBox>".to_owned(), "", "☒ x"),
        ("<w:checkBox><w:default w:val='1'/><w:checked w:val='0'/></w:checkBox>".to_owned(), "", "☐ x"),
        (list("<w:result w:val='1'/>"), "", "Norway x"),
        (list(""), "", "France x"),
        (list("<w:result w:val='7'/>"), "", "x"),
        (list("<w:result w:val='1'/>"), "<w:r><w:t>shown</w:t></w:r>", "shown x"),
        ("<w:textInput><w:default w:val='no'/></w:textInput>".to_owned(), "", "x"),
    ] {
        assert_eq!(shown_with(&p("", &field(&data, result)), &[]).trim(), expected);
    }
}

#[test]
fn test_tables_in_cells_follow_their_row() {
    let cell =
        |properties: &str, content: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>");
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let inner = format!("<w:tbl>{}</w:tbl>", row(&[cell("", &p("", &r("inner")))]));
    let table = row(&[cell("<w:gridSpan w:val='2'/>", &p("", &r("a"))), cell("", &p("", &r("b")))])
        + &row(&[
            cell("<w:vMerge w:val='restart'/>", &p("", &r("c|d"))),
            cell("", &(p("", &r("e")) + &inner + &p("", &r("f")))),
            cell("", &p("", "")),
        ])
        + &row(&[cell("<w:vMerge/>", &p("", &r("hidden"))), cell("", ""), cell("", &p("", &r("g")))])
        + "<w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:r><w:t>deleted</w:t></w:r></w:p></w:tc></w:tr>";
    let shown = shown_with(&(p("", &r("x")) + "<w:tbl>" + &table + "</w:tbl>" + &p("", &r("y"))), &[]);
    let expected = "x\n\n| a (2 columns) | | b |\n| --- | --- | --- |\n| c\\|d | e<br>f |  |\n\
        [table in row 2, column B]\n| inner |\n| --- |\n| (as above) |  | g |\n\ny";
    assert_eq!(shown, expected);
}

#[test]
fn test_the_final_text_of_changes_is_shown() {
    let body =
        p("", &format!("<w:ins>{}</w:ins><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>", r("new ")))
            + &p("<w:rPr><w:del/></w:rPr>", &r("joined "))
            + &p("", &format!("{}<w:moveFrom>{}</w:moveFrom>", r("line"), r("moved")))
            + &p("", &format!("<w:moveTo>{}</w:moveTo>", r("moved")));
    let found = rendered(&document(&body, &[]), ALL).unwrap();
    assert_eq!(found.counts.tracked_changes, 4);
    assert_eq!(shown_with(&body, &[]), "new\n\njoined line\n\nmoved");
}

#[test]
fn test_what_is_no_text_is_left_out() {
    let field = "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>DATE</w:instrText></w:r>\
        <w:r><w:t>code</w:t></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>result</w:t></w:r>\
        <w:r><w:fldChar w:fldCharType='end'/></w:r>";
    let body = p("<w:tabs><w:tab/></w:tabs>", field)
        + &p(
            "",
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:rPr><w:rStyle w:val='Gone'/></w:rPr><w:t>hidden</w:t></w:r>",
        )
        + &p(
            "",
            "<w:r><w:ruby><w:rt><w:r><w:t>reading</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>base</w:t></w:r></w:rubyBase></w:ruby></w:r>",
        )
        + &p("", "<w:r><w:fldChar w:fldCharType='begin'/></w:r>")
        + &p("", &r("after a field without an end"));
    let found = rendered(&document(&body, &[("styles", "s.xml", STYLES)]), ALL).unwrap();
    assert_eq!(found.counts.hidden_runs, 2);
    assert_eq!(
        shown_with(&body, &[]).replace("\n\nhidden", ""),
        "result\n\nbase\n\nafter a field without an end"
    );
}

#[test]
fn test_text_boxes_are_shown_once_after_their_paragraph() {
    let text_box =
        |text: &str| format!("<w:pict><w:txbxContent>{}</w:txbxContent></w:pict>", p("", &r(text)));
    let alternates = format!(
        "<w:r><mc:AlternateContent><mc:Choice>{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent></w:r>\
        <w:r><mc:AlternateContent><mc:Choice><a/></mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent></w:r>",
        text_box("box"),
        text_box("fallback"),
        text_box("second")
    );
    let body = p("", &(r("before ") + &alternates + &r("after")));
    assert_eq!(shown_with(&body, &[]), "before after\n\nbox\n\nsecond");
}

#[test]
fn test_emphasis_and_links_do_not_take_words_apart() {
    let bold = |text: &str| format!("<w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r>");
    let strong = "<w:r><w:rPr><w:rStyle w:val='Strong'/><w:i/></w:rPr><w:t>both</w:t></w:r>";
    let body =
        p("", &(r("was ") + &bold("not ") + &bold("so") + &r(", in") + &bold("side") + &r(" ") + strong))
            + &p("", &format!("{}<w:hyperlink r:id='r1'>{}</w:hyperlink>{}", r("see "), bold("it"), r(".")));
    let others = [("styles", "s.xml", STYLES), ("hyperlink", "https://a.invalid/b(c)", "")];
    assert_eq!(
        shown_with(&body, &others),
        "was **not so**, inside ***both***\n\nsee [**it**](https://a.invalid/b%28c%29)."
    );
}

#[test]
fn test_notes_comments_and_margins_are_at_the_end() {
    let notes = format!(
        "<w:footnotes><w:footnote w:id='0' w:type='separator'>{}</w:footnote><w:footnote w:id='5'>{}</w:footnote></w:footnotes>",
        p("", &r("line")),
        p("", &r("note"))
    );
    let comments = format!(
        "<w:comments><w:comment w:id='3' w:author='A'>{}</w:comment></w:comments>",
        p("", &r("check"))
    );
    let header = format!("<w:hdr>{}</w:hdr>", p("", &r("top")));
    let body = p(
        "",
        &(r("text") + "<w:r><w:footnoteReference w:id='5'/></w:r><w:r><w:commentReference w:id='3'/></w:r>"),
    ) + "<w:sectPr><w:headerReference r:id='r2'/><w:headerReference r:id='r2'/><w:footerReference r:id='r9'/></w:sectPr>";
    let others =
        [("footnotes", "f.xml", &*notes), ("comments", "c.xml", &*comments), ("header", "h.xml", &*header)];
    assert_eq!(
        shown_with(&body, &others),
        "text[^1][comment 1]\n\n[^1]: note\n\n[comment 1 · A] check\n\n[header] top"
    );
}

#[test]
fn test_images_charts_objects_and_equations_are_marks() {
    let chart = "<c:chartSpace><c:chart><c:title><c:tx><a:p><a:r><a:t>Flow</a:t></a:r></a:p></c:tx></c:title><c:plotArea>\
        <c:ser><c:tx><c:v>Spring</c:v></c:tx><c:cat><c:v>x</c:v></c:cat></c:ser></c:plotArea></c:chart></c:chartSpace>";
    let body = p("", "<w:r><w:drawing><wp:docPr descr='A pump'/><a:blip r:embed='r0'/></w:drawing></w:r>")
        + &p("", "<w:r><w:drawing><c:chart r:id='r1'/></w:drawing></w:r>")
        + &p(
            "",
            "<w:r><w:object><v:imagedata r:id='r0'/><o:OLEObject ProgID='Excel.Sheet' r:id='r2'/></w:object></w:r>",
        )
        + &p(
            "",
            "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>",
        );
    let others = [("image", "media/i.png", "0123"), ("chart", "c.xml", chart), ("package", "e.xlsx", "")];
    let expected = "[image 1 · image/png · 4 bytes · A pump]\n\n[chart: Flow; 1 series: Spring]\n\n\
        [object: Excel.Sheet in word/e.xlsx]\n\n(a)/(b)";
    assert_eq!(shown_with(&body, &others), expected);
}

/// The parts of the images of some lines; each is after the end of its mark.
fn parts_of_images(found: &Rendering) -> Vec<String> {
    let images =
        found.lines.lines.iter().flat_map(|line| line.images.iter().map(move |image| (line, *image)));
    let part = |(line, (at, image)): (&Line, (u64, usize))| {
        let before: String = line.text.chars().take(usize::try_from(at).unwrap()).collect();
        assert!(before.ends_with(']'), "{before}");
        found.pictures[image].part.clone()
    };
    images.map(part).collect()
}

#[test]
fn test_images_are_in_the_line_and_the_part_of_it_with_the_end_of_their_mark() {
    let image = |id: usize| format!("<w:r><w:drawing><a:blip r:embed='r{id}'/></w:drawing></w:r>");
    let cell = |content: &str| format!("<w:tc>{content}</w:tc>");
    let inner = format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", cell(&p("", &image(2))));
    let body = p("", &(r("before") + &image(0) + &r("after") + &image(1)))
        + &format!(
            "<w:tbl><w:tr>{}{}</w:tr></w:tbl>",
            cell(&(p("", &r("x")) + &inner)),
            cell(&p("", &image(3)))
        )
        + &p("", &format!("<w:r><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></w:r>", p("", &image(4))));
    let names: Vec<String> = (0..5).map(|number| format!("i{number}.png")).collect();
    let others: Vec<_> = names.iter().map(|name| ("image", &**name, "0123")).collect();
    let bytes = document(&body, &others);
    let whole = rendered(&bytes, ALL).unwrap();
    // The table inside of a cell follows its row.
    let expected = ["word/i0.png", "word/i1.png", "word/i3.png", "word/i2.png", "word/i4.png"];
    assert_eq!((parts_of_images(&whole), whole.counts.images), (expected.map(str::to_owned).to_vec(), 5));
    let mut by_line = Vec::new();
    for line in &whole.lines.lines {
        let wanted = Wanted { first: line.number, lines: 1, ..ALL };
        let found = rendered(&bytes, wanted).unwrap();
        assert_eq!(
            found.lines.lines[0],
            Line { images: found.lines.lines[0].images.clone(), ..line.clone() }
        );
        by_line.extend(parts_of_images(&found));
        let mut by_part = Vec::new();
        for column in (1..=line.chars).step_by(9) {
            by_part
                .extend(parts_of_images(&rendered(&bytes, Wanted { column, chars: 9, ..wanted }).unwrap()));
        }
        assert_eq!(by_part, parts_of_images(&found), "line {}", line.number);
    }
    assert_eq!(by_line, expected);
}

#[test]
fn test_every_window_shows_the_same_lines() {
    let note = "<w:r><w:footnoteReference w:id='@'/></w:r><w:r><w:commentReference w:id='@'/></w:r>";
    let link = "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>TOC</w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>";
    let blocks = |number: u32| {
        let text = r(&format!("line {number}"));
        let row = format!("<w:tr><w:tc>{}</w:tc><w:tc>{}</w:tc></w:tr>", p("", &text), p("", ""));
        match number % 7 {
            0 => format!("<w:tbl>{}</w:tbl>", row.repeat(20)),
            1 => format!("<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>", p("", &text).repeat(3)),
            2 => p("<w:rPr><w:del/></w:rPr>", &text),
            3 => p("", &(text + &note.replace('@', &number.to_string()))),
            4 => p("", "<w:r><w:drawing><wp:docPr descr='A pump'/></w:drawing></w:r>"),
            5 => p("", &format!("{link}<w:r><w:pict><v:imagedata r:id='r0'/></w:pict></w:r>")),
            _ => item(1, number % 4, "item") + &item(2, 0, "item"),
        }
    };
    let body: String = (0..80).map(blocks).collect();
    let notes = |kind: &str| {
        let note = |id| {
            format!(
                "<w:{kind} w:id='{id}'>{}</w:{kind}>",
                (0..3).map(|_| item(1, 0, kind)).collect::<String>()
            )
        };
        format!("<w:{kind}s>{}</w:{kind}s>", (0..80).map(note).collect::<String>())
    };
    let (footnotes, comments) = (notes("footnote"), notes("comment"));
    let others = [
        ("numbering", "n.xml", NUMBERING),
        ("footnotes", "f.xml", &*footnotes),
        ("comments", "c.xml", &*comments),
    ];
    let bytes = document(&body, &others);
    let whole = rendered(&bytes, ALL).unwrap();
    let file = Stream::new(Source::Memory(&bytes), Path::new("a"), &Never, 0..bytes.len() as u64);
    let allowed = Allowed::new(1 << 30);
    let document = Document::read(&file, &allowed).unwrap();
    let (lines, count) = (&whole.lines.lines, whole.lines.lines.len() as u64);
    // In steps that lead to all of them, forward and backward.
    for step in 0..=count {
        let first = step * 37 % (count + 1) + 1;
        let found = document.lines(&file, &allowed, Wanted { first, lines: 5, ..ALL }).unwrap();
        let skipped = usize::try_from(first - 1).unwrap();
        // The indices of images are those of the window.
        let shown = |lines: &[Line], pictures: &[Picture]| -> Vec<_> {
            let parts = |line: &Line| -> Vec<_> {
                line.images.iter().map(|&(at, image)| (at, pictures[image].part.clone())).collect()
            };
            lines.iter().map(|line| (line.number, line.text.clone(), line.chars, parts(line))).collect()
        };
        let most = lines.len().min(skipped + 5);
        let expected = shown(&lines[skipped.min(most)..most], &whole.pictures);
        assert_eq!(shown(&found.lines.lines, &found.pictures), expected, "from line {first}");
        if let Some(total) = found.lines.total {
            assert_eq!((total, found.counts.tracked_changes), (count, whole.counts.tracked_changes));
        }
    }
    let reached = document.reached.lock();
    assert!(reached.points.len() > RESUME_POINTS / 2 && reached.every > EVERY, "{}", reached.points.len());
    assert!(reached.points.is_sorted_by(|a, b| a.at < b.at && a.line() <= b.line()));
    assert!((0..3).all(|part| reached.points.iter().any(|point| point.at.0 == part)));
}

#[test]
fn test_a_document_that_would_hold_too_much_is_refused() {
    let text = r(&"x".repeat(60_000)).repeat(150);
    let body = p("", &format!("<w:r><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></w:r>", p("", &text)));
    let error = rendered(&document(&body, &[]), ALL).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error:?}");
}

#[test]
fn test_labels_of_a_document_with_thousands_of_lists() {
    let level = |at| format!("<w:lvl w:ilvl='{at}'><w:lvlText w:val='%{}.'/></w:lvl>", at + 1);
    let levels = (0..9).map(level).collect::<Vec<_>>().concat();
    let list = |id: u32| {
        format!(
            "<w:abstractNum w:abstractNumId='{id}'>{levels}</w:abstractNum>\
            <w:num w:numId='{id}'><w:abstractNumId w:val='{id}'/></w:num>"
        )
    };
    let lists = (1..=8_000).map(list).collect::<Vec<_>>().concat();
    let numbering = format!("<w:numbering>{lists}</w:numbering>");
    let shown = shown_with(&item(8_000, 0, "last"), &[("numbering", "n.xml", &*numbering)]);
    assert_eq!(shown, "1. last");
}

#[test]
fn test_labels_follow_restarts_overrides_and_styles_of_lists() {
    let level = |at: u32, format: &str, text: &str, more: &str| {
        format!(
            "<w:lvl w:ilvl='{at}'><w:start w:val='1'/><w:numFmt w:val='{format}'/>{more}<w:lvlText w:val='{text}'/></w:lvl>"
        )
    };
    let numbering = format!(
        "<w:numbering><w:abstractNum w:abstractNumId='0'>{}{}{}</w:abstractNum>\
        <w:abstractNum w:abstractNumId='1'><w:numStyleLink w:val='Letters'/></w:abstractNum>\
        <w:abstractNum w:abstractNumId='2'>{}{}</w:abstractNum>\
        <w:abstractNum w:abstractNumId='3'>{}{}{}{}</w:abstractNum>\
        <w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>\
        <w:num w:numId='2'><w:abstractNumId w:val='1'/></w:num>\
        <w:num w:numId='3'><w:abstractNumId w:val='2'/></w:num>\
        <w:num w:numId='4'><w:abstractNumId w:val='3'/></w:num>\
        <w:num w:numId='5'><w:abstractNumId w:val='0'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='7'/>{}\
        </w:lvlOverride></w:num></w:numbering>",
        level(0, "decimal", "%1.", ""),
        level(1, "lowerLetter", "%2)", ""),
        level(2, "lowerRoman", "%3.", "<w:lvlRestart w:val='0'/>"),
        level(0, "upperLetter", "%1.", ""),
        level(1, "decimal", "%1.%2", ""),
        level(0, "upperRoman", "Part %1", ""),
        level(1, "decimalZero", "%1.%2", "<w:isLgl/>"),
        level(2, "none", "Note:", ""),
        level(3, "bullet", "", ""),
        level(0, "upperRoman", "<%1>", "").replace("<%1>", "&lt;%1&gt;"),
    );
    let of_styles = "<w:styles><w:style w:type='numbering' w:styleId='Letters'><w:pPr><w:numPr><w:numId w:val='3'/></w:numPr></w:pPr></w:style>\
        <w:style w:type='paragraph' w:styleId='A'><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:style>\
        <w:style w:type='paragraph' w:styleId='B'><w:basedOn w:val='A'/><w:pPr><w:numPr><w:ilvl w:val='1'/></w:numPr></w:pPr></w:style></w:styles>";
    let others = [("numbering", "n.xml", &*numbering), ("styles", "s.xml", of_styles)];
    let shown = |items: &[(u32, u32)]| {
        let body: String = items.iter().map(|(list, level)| item(*list, *level, "x")).collect();
        shown_with(&body, &others).replace("   ", "")
    };
    assert_eq!(
        shown(&[(1, 0), (1, 1), (1, 2), (1, 1), (1, 2), (1, 0), (1, 2)]),
        "1. x\na) x\ni. x\nb) x\nii. x\n2. x\niii. x"
    );
    assert_eq!(shown(&[(2, 0), (2, 1), (3, 0)]), "A. x\nA.1 x\nB. x");
    assert_eq!(shown(&[(4, 0), (4, 1), (4, 2)]), "Part I x\n1.1 x\nNote: x");
    assert_eq!(shown(&[(4, 3)]), "x");
    assert_eq!(shown(&[(1, 0), (5, 0), (5, 0), (1, 0)]), "1. x\n<VII> x\n<VIII> x\n9. x");
    let with = |style: &str| p(&format!("<w:pStyle w:val='{style}'/>"), &r(style));
    assert_eq!(shown_with(&(with("A") + &with("B") + &with("A")), &others), "1. A\n   a) B\n2. A");
}

#[test]
fn test_links_by_fields_and_inside_of_one_another() {
    let field = |code: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>{code}</w:instrText></w:r>\
            <w:r><w:fldChar w:fldCharType='separate'/></w:r>{}<w:r><w:fldChar w:fldCharType='end'/></w:r>",
            r("b")
        )
    };
    let simple =
        format!("<w:fldSimple w:instr=' HYPERLINK &quot;http://s.invalid&quot; '>{}</w:fldSimple>", r("s"));
    let link = |attributes: &str, content: &str| {
        format!("<w:hyperlink r:id='r0'{attributes}>{content}</w:hyperlink>")
    };
    let body = p("", &field("HYPERLINK \"http://a.invalid/b c\" \\o \"tip\""))
        + &p("", &field("HYPERLINK \\l \"place\""))
        + &p("", &simple)
        + &p("", &link(" w:anchor='part'", &r("a")))
        + &p("", &link("", &(r("a") + &field("HYPERLINK http://in.invalid") + &r("c"))));
    let expected = "[b](http://a.invalid/b%20c)\n\nb\n\n[s](http://s.invalid)\n\n[a](http://e.invalid/%20x#part)\n\n\
        [a](http://e.invalid/%20x)[b](http://in.invalid)c";
    assert_eq!(shown_with(&body, &[("hyperlink", "http://e.invalid/&#10;x", "")]), expected);
    let long = format!("http://e.invalid/{}", "x".repeat(3_000));
    assert_eq!(shown_with(&p("", &link("", &r("a"))), &[("hyperlink", &long, "")]), "a");
}

#[test]
fn test_equations_keep_their_structure() {
    let t = |text: &str| format!("<m:r><w:rPr><w:i/></w:rPr><m:t>{text}</m:t></m:r>");
    let e = |text: &str| format!("<m:e>{}</m:e>", t(text));
    for (equation, expected) in [
        (
            "<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val='['/></m:dPr>".to_owned() + &e("x") + "</m:d>",
            "[x[",
        ),
        ("<m:d>".to_owned() + &e("x") + &e("y") + "</m:d>", "(x|y)"),
        (
            format!("<m:m><m:mr>{}{}</m:mr><m:mr>{}{}</m:mr></m:m>", e("1"), e("0"), e("0"), e("1")),
            "1 0; 0 1",
        ),
        (format!("<m:rad><m:deg>{}</m:deg>{}</m:rad>", t("3"), e("x")), "√(3&x)"),
        (
            "<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/>".to_owned() + &e("x") + "</m:rad>",
            "√(x)",
        ),
        (format!("<m:func><m:fName>{}</m:fName>{}</m:func>", t("sin"), e("x")), "sin x"),
        (format!("<m:limLow>{}<m:lim>{}</m:lim></m:limLow>", e("lim"), t("n")), "lim_(n)"),
        (format!("<m:eqArr>{}{}</m:eqArr>", e("a"), e("b")), "a; b"),
        (
            format!(
                "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{}</m:sub><m:sup/>{}</m:nary>",
                t("i"),
                e("x")
            ),
            "∑_(i)^()x",
        ),
        (
            "<m:nary><m:naryPr><m:subHide/><m:supHide/></m:naryPr><m:sub/><m:sup/>".to_owned()
                + &e("f")
                + "</m:nary>",
            "∫f",
        ),
        (format!("<m:sSup>{}<m:sup>{}</m:sup></m:sSup>", e("x"), t("2")), "x^(2)"),
    ] {
        let bold = "<w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r>";
        let body = p("", &format!("{bold}{}<m:oMath>{equation}</m:oMath>", r(" ")));
        assert_eq!(shown_with(&body, &[]), format!("**b** {expected}"));
    }
}

#[test]
fn test_text_that_something_precedes_or_interrupts() {
    let boxed = |text: &str| {
        format!("<w:r><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></w:r>", p("", &r(text)))
    };
    let table = |cells: &str| format!("<w:tbl><w:tr>{cells}</w:tr></w:tbl>");
    let cell = |content: &str| format!("<w:tc>{content}</w:tc>");
    // In a cell, a text box is a line of it.
    let body = table(&cell(&p("", &(r("a") + &boxed("b") + &r("c")))));
    assert_eq!(shown_with(&body, &[]), "| a<br>b<br>c |\n| --- |");
    // A page break is between two words.
    let break_ = "<w:r><w:br w:type='page'/></w:r>";
    assert_eq!(shown_with(&p("", &(r("a.") + break_ + &r("b") + break_)), &[]), "a. b");
    // A header begins with an empty paragraph, a table or a text box.
    let margin = "<w:sectPr><w:headerReference r:id='r0'/></w:sectPr>";
    for (content, expected) in [
        (p("", "") + &p("", &r("top")), "[header] top"),
        (table(&cell(&p("", &r("top")))), "[header]\n\n| top |\n| --- |"),
        (p("", &boxed("top")), "[header]\n\ntop"),
    ] {
        let header = format!("<w:hdr>{content}</w:hdr>");
        let shown = shown_with(&(p("", &r("x")) + margin), &[("header", "h.xml", &header)]);
        assert_eq!(shown, format!("x\n\n{expected}"));
    }
    let embedded = shown_with("<w:altChunk r:id='r0'/>", &[("aFChunk", "a.html", "")]);
    assert_eq!(embedded, "[object: document in word/a.html]");
    // What only attributes have is never a line of its own.
    let body = p(
        "",
        &(r("a")
            + "<w:r><w:sym w:char='000A'/></w:r><m:oMath><m:acc><m:accPr><m:chr m:val='&#10;'/></m:accPr></m:acc></m:oMath>"
            + &r("b")),
    );
    assert_eq!(shown_with(&body, &[]), "a b");
}

#[test]
fn test_rows_that_are_deleted_or_shorter() {
    let cells = |texts: &str| {
        texts.split(' ').map(|text| "<w:tc>".to_owned() + &p("", &r(text)) + "</w:tc>").collect::<String>()
    };
    let row =
        |properties: &str, texts: &str| format!("<w:tr><w:trPr>{properties}</w:trPr>{}</w:tr>", cells(texts));
    let body = format!(
        "<w:tbl>{}{}{}{}</w:tbl>",
        row("<w:del/>", "x y z"),
        row("", "a b c"),
        row("<w:gridBefore w:val='2'/>", "d"),
        row("<w:gridAfter w:val='1'/>", "e f")
    );
    assert_eq!(shown_with(&body, &[]), "| a | b | c |\n| --- | --- | --- |\n|  |  | d |\n| e | f |  |");
}

#[test]
fn test_symbols_by_their_fonts() {
    let symbol = |font: &str, code: &str| format!("<w:r><w:sym w:font='{font}' w:char='{code}'/></w:r>");
    let body =
        [("Symbol", "F061"), ("Symbol", "F0A3"), ("Wingdings", "F0FE"), ("Arial", "20AC"), ("Other", "F061")]
            .map(|(font, code)| symbol(font, code));
    assert_eq!(shown_with(&p("", &body.concat()), &[]), "α≤☑€\u{FFFD}");
}

#[test]
fn test_replaced_characters_are_reported() {
    let mut bytes =
        format!("<w:document xmlns:w='x'><w:body>{}</w:body></w:document>", p("", &r("a@b"))).into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'@').unwrap();
    bytes[at] = 0xFF;
    let members = [
        member("[Content_Types].xml", TYPES),
        crate::package::tests::Member { content: &bytes, ..member("word/document.xml", "") },
    ];
    let found = rendered(&archive(b"", &members, false), ALL).unwrap().lines;
    assert_eq!((found.lines[0].text.as_str(), found.is_lossy), ("a\u{FFFD}b", true));
}

#[test]
fn test_names_and_addresses_that_are_too_long_are_missing() {
    let long = "a".repeat(300);
    let address = format!("http://a/{}", "b".repeat(2_048));
    let others = [("image", "i.png", ""), ("image", &*long, ""), ("hyperlink", &*address, "")];
    let link = format!("<w:hyperlink r:id='r2'>{}</w:hyperlink>", r("link"));
    let body = p("", &format!("<w:r><a:blip r:embed='r1'/></w:r>{link}"));
    assert_eq!(shown_with(&body, &others), "[image 1 · not in this file]link");
}
