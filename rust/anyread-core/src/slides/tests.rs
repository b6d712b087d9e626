//! Slides of packages made by hand: places of shapes, and files that cannot be trusted.

use std::path::Path;

use super::*;
use crate::input::check_random;
use crate::package::tests::{archive, member};
use crate::scan::Never;
use crate::source::Source;

const TYPES: &str = "<Types><Override PartName='/p.xml' \
    ContentType='application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml'/></Types>";
const MAIN: &str = "<presentation><sldIdLst><sldId id='256' r:id='r2'/><sldId id='257' r:id='r1'/></sldIdLst>\
    <extLst><sldId id='256' r:id='r1'/></extLst></presentation>";
const RELATIONS: &str = "<Relationships><Relationship Id='r1' Type='x/slide' Target='a.xml'/>\
    <Relationship Id='r2' Type='x/slide' Target='b.xml'/></Relationships>";
const OF_SLIDE: &str = "<Relationships><Relationship Id='l' Type='x/slideLayout' Target='layout.xml'/>\
    <Relationship Id='n' Type='x/notesSlide' Target='notes.xml'/>\
    <Relationship Id='d' Type='x/diagramData' Target='data.xml'/>\
    <Relationship Id='c' Type='x/chart' Target='chart.xml'/>\
    <Relationship Id='w' Type='x/hyperlink' Target='https://a.test/' TargetMode='External'/></Relationships>";
const LAYOUT: &str = "<sldLayout><cSld name='One'><spTree><sp><nvPr><ph idx='7'/></nvPr><off x='9' y='500000'/><txBody>\
    <lstStyle><lvl1pPr><buNone/></lvl1pPr><lvl2pPr><buChar/></lvl2pPr></lstStyle><p><r><t>prompt</t></r></p>\
    </txBody></sp></spTree></cSld></sldLayout>";

fn slides(members: &[(&str, &str)]) -> Result<Vec<Slide>> {
    let members: Vec<_> = [("[Content_Types].xml", TYPES), ("p.xml", MAIN), ("_rels/p.xml.rels", RELATIONS)]
        .iter()
        .filter(|(name, _)| members.iter().all(|(other, _)| other != name))
        .chain(members)
        .map(|(name, content)| member(name, content))
        .collect();
    show_all(&archive(b"", &members, false))
}

fn show_all(bytes: &[u8]) -> Result<Vec<Slide>> {
    let file = Stream::new(Source::Memory(bytes), Path::new("a"), &Never, 0..bytes.len() as u64);
    let allowed = Allowed::new(1 << 30);
    let presentation = Presentation::read(&file, &allowed)?;
    let numbers: Vec<usize> = (1..=presentation.hidden().count()).collect();
    presentation.show(&file, &allowed, &numbers, usize::MAX)
}

fn text(slide: &Slide) -> String {
    let texts = slide.pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Picture(picture, description) => format!("{picture:?}{description}\n"),
    });
    texts.collect()
}

fn shape(x: i32, y: i32, text: &str) -> String {
    format!("<sp><xfrm><off x='{x}' y='{y}000'/></xfrm><txBody><p><r><t>{text}</t></r></p></txBody></sp>")
}

fn slide(shapes: &str) -> String {
    format!("<sld><cSld><spTree>{shapes}</spTree></cSld></sld>")
}

#[test]
fn test_slides_come_in_the_order_of_the_presentation() {
    let (a, b) = (slide(&shape(0, 0, "one")), slide(&shape(0, 0, "two")));
    let found = slides(&[("a.xml", &a), ("b.xml", &b.replace("<sld>", "<sld show='0'>"))]).unwrap();
    assert_eq!(found.iter().map(text).collect::<Vec<_>>(), ["two\n", "one\n"]);
    assert_eq!(found.iter().map(|slide| slide.is_hidden).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn test_shapes_are_ordered_by_where_they_are_on_the_slide() {
    // The group is drawn at half of its size; the placeholder is where its layout says; the last two are beside
    // each other.
    let group = format!(
        "<grpSp><grpSpPr><xfrm><off x='100' y='400000'/><ext cx='50' cy='50'/><chOff x='0' y='0'/>\
         <chExt cx='100' cy='100'/></xfrm></grpSpPr>{}<grpSp><grpSpPr/>{}</grpSp></grpSp>",
        shape(0, 220, "y 510"),
        shape(0, 20, "y 410")
    );
    let title = "<sp><nvPr><ph type='ctrTitle'/></nvPr><off x='0' y='9000'/><p><r><t>a</t></r><br/><r><t>b</t></r></p></sp>";
    let placed = "<sp><nvPr><ph type='body' idx='7'/></nvPr><p><r><t>y 500</t></r></p>\
        <p><pPr lvl='1'><buChar char='x'/></pPr><r><t>below</t></r></p></sp>";
    let shapes = format!("{group}{placed}{}{}{title}", shape(5, 600, "right"), shape(4, 640, "left"));
    let a = slide(&shapes);
    let b = slide("");
    let found = slides(&[
        ("a.xml", &a),
        ("b.xml", &b),
        ("_rels/a.xml.rels", OF_SLIDE),
        ("layout.xml", LAYOUT),
        ("notes.xml", "<notes><sp><nvPr><ph type='body'/></nvPr><p><r><t>say</t></r></p></sp></notes>"),
    ])
    .unwrap();
    assert_eq!(text(&found[1]), "# a b\ny 410\ny 500\n  - below\ny 510\nleft\nright\n");
    assert_eq!((&*found[1].title, &*found[1].layout, &*found[1].notes), ("a b", "One", "say"));
}

#[test]
fn test_formatting_that_is_content_and_what_shapes_are_said_to_show() {
    let run = |properties: &str, text: &str| format!("<r><rPr {properties}/><t>{text}</t></r>");
    let runs = run("", "10")
        + &run("baseline='30000'", "5")
        + &run("", " and CO")
        + &run("baseline='-25000'", "2")
        + &run("", " pays ")
        + &run("strike='sngStrike'", "500 ")
        + &run("strike='noStrike'", "700")
        + "<r><rPr strike='dblStrike'><hlinkClick r:id='w'/></rPr><t>old</t></r>";
    let a = slide(&format!(
        "<sp><cNvPr descr='not needed'><hlinkClick r:id='w'/></cNvPr><p>{runs}</p></sp>\
         <sp><cNvPr descr='An arrow'/></sp><pic><cNvPr descr='A pump'><hlinkClick r:id='w'/></cNvPr>\
         <nvPr><videoFile r:link='v'/></nvPr><blip r:embed='none'/></pic>"
    ));
    let relations = OF_SLIDE
        .replace("<Relationships>", "<Relationships><Relationship Id='v' Type='x/video' Target='v.mp4'/>");
    let found = slides(&[("a.xml", &a), ("b.xml", &slide("")), ("_rels/a.xml.rels", &relations)]).unwrap();
    let expected = "10^5 and CO_2 pays ~~500~~ 700[~~old~~](https://a.test/)\n[link: https://a.test/]\n\
        [shape: An arrow]\n[video: v.mp4]\nNoneA pump · https://a.test/\n";
    assert_eq!(text(&found[1]), expected);
}

#[test]
fn test_lists_tables_links_and_marks_are_markdown() {
    let content = "<sp><nvPr><ph idx='1'/></nvPr><p><pPr><buAutoNum type='x'/></pPr><r><t>n</t></r></p>\
        <p><pPr lvl='1'/><r><t>in</t></r></p><p><pPr><buAutoNum/></pPr><r><t>m</t></r></p>\
        <p><pPr><buNone/></pPr><r><rPr><hlinkClick r:id='w'/></rPr><t>to </t></r><r><rPr><hlinkClick r:id='w'/></rPr>\
        <t>it</t></r><fld type='slidenum'><t>7</t></fld></p></sp>\
        <sp><nvPr><ph type='dt'/></nvPr><p><r><t># 1 May</t></r><fld type='datetime1'><t>today</t></fld></p></sp>\
        <graphicFrame><off x='0' y='1'/><tbl><tr><tc><p><r><t>a|b</t></r></p></tc><tc><p><r><t>c</t></r></p>\
        <p><r><t>d</t></r></p></tc></tr><tr><tc/><tc><p><r><t>e</t></r></p></tc></tr></tbl></graphicFrame>\
        <graphicFrame><off x='0' y='2'/><relIds r:dm='d'/></graphicFrame>\
        <graphicFrame><off x='0' y='3'/><chart r:id='c'/></graphicFrame>\
        <graphicFrame><off x='0' y='4'/><AlternateContent><Choice><oleObj progId='X.1'><sp/></oleObj></Choice><Fallback>\
        <oleObj progId='Y.1'/></Fallback></AlternateContent></graphicFrame>";
    let chart = "<chartSpace><chart><title><p><r><t>Flow</t></r></p></title><ser/><ser/><valAx><title><t>m</t></title>\
        </valAx></chart></chartSpace>";
    let found = slides(&[
        ("a.xml", &slide(content)),
        ("b.xml", &slide("")),
        ("_rels/a.xml.rels", OF_SLIDE),
        ("data.xml", "<dataModel><pt><t><p><r><t>node</t></r></p></t></pt></dataModel>"),
        ("chart.xml", chart),
    ])
    .unwrap();
    let lists = "1. n\n  - in\n2. m\n[to it](https://a.test/)\n\\# 1 May\n";
    let table = "| a\\|b | c<br>d |\n| --- | --- |\n|  | e |\n";
    let marks = "node\n[chart: Flow; 2 series]\n[object: X.1]\n";
    assert_eq!(text(&found[1]), format!("{lists}{table}{marks}"));
}

#[test]
fn test_numbers_equations_and_merged_cells() {
    let item = |properties: &str, text: &str| format!("<p><pPr{properties}</pPr><r><t>{text}</t></r></p>");
    let list = item("><buAutoNum type='arabicPeriod' startAt='5'/>", "a")
        + &item("><buAutoNum type='arabicPeriod' startAt='5'/>", "b")
        + &item(" lvl='1'><buAutoNum type='alphaLcParenBoth'/>", "c")
        + &item("><buAutoNum type='arabicPlain' startAt='5'/>", "d");
    let t = |text: &str| format!("<r><rPr/><t>{text}</t></r>");
    let half = format!("<oMath><f><num>{}</num><den>{}</den></f></oMath>", t("1"), t("2"));
    let cell = |properties: &str, text: &str| format!("<tc {properties}><p>{}</p></tc>", t(text));
    let table = format!(
        "<tbl><tr>{}{}{}</tr><tr>{}{}{}</tr></tbl>",
        cell("gridSpan='2'", "a"),
        cell("hMerge='1'", "stale"),
        cell("", "b"),
        cell("vMerge='1'", "stale"),
        cell("vMerge='1' hMerge='1'", ""),
        cell("", "c")
    );
    let shapes = format!(
        "<sp><nvPr><ph idx='1'/></nvPr>{list}</sp><sp><off x='0' y='1'/><p>{}{half}{}</p></sp>\
        <graphicFrame><off x='0' y='2'/>{table}</graphicFrame>",
        t("x="),
        t(".")
    );
    let found = slides(&[("a.xml", &slide(&shapes)), ("b.xml", &slide(""))]).unwrap();
    let expected = "5. a\n6. b\n  (a) c\n7 d\nx=(1)/(2).\n| a (2 columns) |  | b |\n| --- | --- | --- |\n| (as above) |  | c |\n";
    assert_eq!(text(&found[1]), expected);
}

#[test]
fn test_comments_come_before_their_answers() {
    let relations = "<Relationships><Relationship Id='k' Type='x/comments' Target='c.xml'/></Relationships>";
    let said = |text: &str| format!("<txBody><p><r><t>{text}</t></r></p></txBody>");
    let comments = format!(
        "<cmLst><cm authorId='1'><replyLst><reply authorId='2'>{}</reply></replyLst>{}</cm><cm>{}</cm></cmLst>",
        said("answer"),
        said("question"),
        said("other")
    );
    let found = slides(&[
        ("a.xml", &slide("")),
        ("b.xml", &slide("")),
        ("_rels/a.xml.rels", relations),
        ("c.xml", &comments),
    ])
    .unwrap();
    let texts: Vec<_> = found[1].comments.iter().map(|(_, text)| text.trim()).collect();
    assert_eq!(texts, ["question", "answer", "other"]);
}

#[test]
fn test_slides_that_cannot_be_trusted_are_refused_or_cut() {
    let damaged = |members: &[(&str, &str)]| {
        let error = slides(members).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error}");
    };
    let empty = slide("");
    damaged(&[("a.xml", &empty)]);
    damaged(&[("a.xml", &empty), ("b.xml", "")]);
    // Nothing outside of the package is opened, and each slide occurs once.
    let outside = RELATIONS.replace("b.xml'", "file:///etc/passwd' TargetMode='External'");
    damaged(&[("a.xml", &empty), ("b.xml", &empty), ("_rels/p.xml.rels", &outside)]);
    damaged(&[("a.xml", &empty), ("b.xml", &empty), ("p.xml", &MAIN.replace("r2", "r1"))]);
    let deep = slide(&"<grpSp>".repeat(300));
    damaged(&[("a.xml", &deep), ("b.xml", &empty)]);
    let word = "word ".repeat(10_000);
    let long = slide(&shape(0, 0, &word).repeat(100));
    let found = slides(&[("a.xml", &long), ("b.xml", &empty)]).unwrap();
    let bytes = text(&found[1]).len();
    assert!(found[1].is_cut && bytes > 500_000 && bytes < 1_150_000, "{bytes}");
}

#[test]
fn test_damage_is_found_or_harmless() {
    let content = slide(&shape(1, 2, "text"));
    let members = [
        member("[Content_Types].xml", TYPES),
        member("p.xml", MAIN),
        member("_rels/p.xml.rels", RELATIONS),
        member("a.xml", &content),
        member("b.xml", &content),
    ];
    let bytes = archive(b"", &members, false);
    let whole = show_all(&bytes).unwrap();
    check_random(1_000, |input| {
        let mut mutant = bytes.clone();
        let at = input.within(0..mutant.len());
        mutant[at] = input.byte();
        // What the checksum of a part does not cover is the directory, which may then lack parts.
        match show_all(&mutant) {
            Ok(found) => assert!(found == whole || found.iter().all(|slide| slide.pieces.is_empty()), "{at}"),
            Err(error) => assert!(
                matches!(
                    error.kind,
                    ErrorKind::Damaged { .. }
                        | ErrorKind::PasswordRequired
                        | ErrorKind::TooLarge { .. }
                        | ErrorKind::UnsupportedFormat { .. }
                ),
                "{error}"
            ),
        }
    });
}
