//! Reading a file as the Python package does: what it opens, which pages it asks for, and what it keeps.

use std::cell::Cell;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use anyread_core::allowed::Allowed;
use anyread_core::document::{self, Document};
use anyread_core::gutter::Gutter;
use anyread_core::ignore_rules::{IgnorePatterns, ignored_names};
use anyread_core::lines::Wanted;
use anyread_core::lock::NoLockHeld;
use anyread_core::notebook::{Checks, Notebook, Style};
use anyread_core::records::{self, Container, Shape, Value};
use anyread_core::scan::Interrupt;
use anyread_core::sheet::{self, DrawingKind, RowsRequest, Values, Workbook};
use anyread_core::slides::Presentation;
use anyread_core::snapshot::Snapshot;
use anyread_core::source::Source;
use anyread_core::stream::Stream;

use crate::allocator::{counts, reset};
use crate::samples::{Part, Site, archive, sites_of_json, sites_of_lines, sites_of_xml};

/// The limits of a page, which are smaller than usual, so that it ends soon.
const PAGE_BYTES: usize = 64 << 10;
const LINES: u64 = 201;
const LINE_CHARS: u64 = 400;
const CELL_CHARS: usize = 32_767;
const INFLATED: u64 = 1 << 30;
const KEPT: usize = 64 << 10;
/// A read that has allocated more is stopped where it looks at its interrupt, so that the test itself survives.
const RUNAWAY: isize = 256 << 20;

/// A format, and how it is read.
pub struct Format {
    pub sample: &'static str,
    pub sites: fn(&[Part]) -> (Vec<Site>, Vec<Site>),
    pub bytes: fn(&[Part]) -> Vec<u8>,
    /// Reads pages, and returns what was allocated while only what is kept of the file was left.
    read: fn(&[u8], &Watch, &Allowed) -> isize,
    /// Whether what is kept after reading is within a limit, by what the format says to keep.
    pub keeps: Option<fn(&[u8], u64) -> isize>,
    /// How much content a file of 4 MB may have.
    pub most_content: usize,
}

pub const FORMATS: [(&str, Format); 7] = [
    ("docx", package(include_str!("samples/docx.txt"), read_document, Some(keep_document))),
    ("places", package(include_str!("samples/places.txt"), read_document, Some(keep_document))),
    ("xlsx", package(include_str!("samples/xlsx.txt"), read_workbook, Some(keep_workbook))),
    ("pptx", package(include_str!("samples/pptx.txt"), read_slides, None)),
    ("ipynb", plain(include_str!("samples/ipynb.txt"), sites_of_json, read_notebook, 4 << 20)),
    ("json", plain(include_str!("samples/json.txt"), sites_of_json, read_records, 4 << 20)),
    // Ignore files above 128 KiB are refused.
    ("ignore", plain(include_str!("samples/ignore.txt"), sites_of_lines, read_rules, 128 << 10)),
];

const fn package(
    sample: &'static str,
    read: fn(&[u8], &Watch, &Allowed) -> isize,
    keeps: Option<fn(&[u8], u64) -> isize>,
) -> Format {
    Format { sample, sites: sites_of_xml, bytes: archive, read, keeps, most_content: 1 << 30 }
}

const fn plain(
    sample: &'static str,
    sites: fn(&[Part]) -> (Vec<Site>, Vec<Site>),
    read: fn(&[u8], &Watch, &Allowed) -> isize,
    most_content: usize,
) -> Format {
    Format {
        sample,
        sites,
        bytes: |parts| parts[0].text.clone().into_bytes(),
        read,
        keeps: None,
        most_content,
    }
}

/// What one read of a file takes, in bytes; the content is what it has and inflates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    pub content: isize,
    /// The most that was allocated at once, and what is kept when the pages are gone.
    pub peak: isize,
    pub kept: isize,
    /// All that was allocated, and the most of it between two looks at the interrupt.
    pub work: isize,
    pub gap: isize,
    /// How many blocks of the size of a long value were allocated.
    pub blocks: isize,
}

/// An interrupt that notes how much was allocated since it was looked at.
pub struct Watch {
    start: isize,
    last: Cell<isize>,
    gap: Cell<isize>,
}

impl Watch {
    fn look(&self) {
        let all = counts().all;
        self.gap.set(self.gap.get().max(all - self.last.replace(all)));
    }
}

impl Interrupt for Watch {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        self.look();
        counts().now - self.start > RUNAWAY
    }

    fn scanned(&self, _bytes: u64) {}
}

impl Format {
    /// Reads a file, and measures.
    pub fn cost(&self, parts: &[Part], block: usize) -> Cost {
        let file = (self.bytes)(parts);
        reset(block);
        let before = counts();
        let watch = Watch { start: before.now, last: Cell::new(before.all), gap: Cell::new(0) };
        let allowed = Allowed::new(INFLATED);
        let kept = (self.read)(&file, &watch, &allowed) - before.now;
        watch.look();
        let after = counts();
        let content = allowed.inflated().cast_signed() as isize + file.len().cast_signed();
        Cost {
            content,
            peak: after.most - before.now,
            kept,
            work: after.all - before.all,
            gap: watch.gap.get(),
            blocks: after.blocks,
        }
    }
}

fn stream<'a>(file: &'a [u8], watch: &'a dyn Interrupt) -> Stream<'a> {
    Stream::new(Source::Memory(file), Path::new("a"), watch, 0..file.len() as u64)
}

/// What a call may take for a file, of which it may keep only a little, so that its lists end soon.
fn less(all: &Allowed) -> Allowed {
    static REST: OnceLock<usize> = OnceLock::new();
    let path = Path::new("a");
    let rest = REST.get_or_init(|| {
        let most = Allowed::new(0);
        (0..).map(|count| count * KEPT).find(|_| most.keep(path, KEPT).is_err()).unwrap() - KEPT
    });
    let allowed = all.anew();
    allowed.keep(path, *rest).unwrap();
    allowed
}

fn show_document(document: &Document, file: &Stream<'_>, all: &Allowed) {
    let page = Wanted { first: 1, lines: LINES, column: 1, chars: LINE_CHARS, bytes: PAGE_BYTES };
    let after_all = Wanted { first: 1 << 50, lines: 1, chars: 1, ..page };
    for wanted in [page, after_all] {
        drop(document.lines(file, &less(all), wanted));
    }
}

fn read_document(file: &[u8], watch: &Watch, all: &Allowed) -> isize {
    let file = stream(file, watch);
    let Ok(document) = Document::read(&file, &less(all)) else { return counts().now };
    show_document(&document, &file, all);
    counts().now
}

fn show_workbook(book: &Workbook, file: &Stream<'_>, all: &Allowed) {
    for (sheet, values, max_chars) in [(0, Values::Shown, 2_000), (1, Values::Formulas, CELL_CHARS)] {
        let request = RowsRequest {
            sheet,
            first: 1,
            last: u32::MAX,
            most: 100,
            columns: Vec::new(),
            values,
            max_chars,
            max_bytes: PAGE_BYTES,
        };
        drop(book.rows(file, &less(all), &request));
    }
    for drawing in book.drawings(file, &less(all), 0).unwrap_or_default().iter().take(20) {
        match drawing.kind {
            DrawingKind::Image => drop(book.picture(file, &less(all), &drawing.part)),
            DrawingKind::Chart => drop(book.chart(file, &less(all), &drawing.part)),
            _ => {}
        }
    }
}

fn read_workbook(file: &[u8], watch: &Watch, all: &Allowed) -> isize {
    let file = stream(file, watch);
    let Ok(book) = Workbook::read(&file, &less(all)) else { return counts().now };
    show_workbook(&book, &file, all);
    counts().now
}

fn read_slides(file: &[u8], watch: &Watch, all: &Allowed) -> isize {
    let file = stream(file, watch);
    let Ok(slides) = Presentation::read(&file, &less(all)) else { return counts().now };
    drop(slides.show(&file, &less(all), &[1, 2, 3, 4, 5, 6, 7, 8], PAGE_BYTES));
    counts().now
}

fn read_notebook(file: &[u8], watch: &Watch, _: &Allowed) -> isize {
    let Ok(notebook) = Notebook::parse(file, watch) else { return counts().now };
    let gutter = Gutter::default();
    let style = Style {
        gutter: &gutter,
        max_line_chars: 2_000,
        max_source_bytes: PAGE_BYTES,
        max_output_bytes: 20_480,
    };
    drop(notebook.show(0, 2_001, &style, PAGE_BYTES, watch));
    let checks = Checks::new(watch);
    for index in 0..notebook.cell_count().min(100) {
        if let Ok(Some(cell)) = notebook.cell(index, &checks) {
            drop((cell.source_text(&checks), cell.all_outputs(&checks)));
        }
    }
    counts().now
}

fn read_records(file: &[u8], watch: &Watch, _: &Allowed) -> isize {
    let mut file = stream(file, watch);
    let end = file.end();
    let shape = Shape { first: 1, rows: LINES, chars: LINE_CHARS, bytes: PAGE_BYTES, is_file: true };
    if let Ok((_, begin)) = records::Form::of(&mut file, false, None) {
        drop(records::rows(&mut file, Container::List, begin, shape, None));
        drop(records::count(&mut file, Container::List, begin, None));
        drop(records::line_rows(&mut file, begin, shape));
        for steps in
            [&["0", "inner", "a", "b"][..], &["0", "list"], &["1", "text"], &["1", "missing"], &["9"]]
        {
            file.end_at(end);
            let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
            let Ok(Ok(place)) = records::follow(&mut file, begin, &steps, None) else { continue };
            drop(records::value(&mut file, place.begin, LINE_CHARS));
            if place.value == Value::String {
                let wanted =
                    Wanted { first: 1, lines: LINES, column: 1, chars: LINE_CHARS, bytes: PAGE_BYTES };
                drop(records::string_lines(&mut file, place.begin, wanted));
            }
        }
    }
    counts().now
}

fn read_rules(file: &[u8], _: &Watch, _: &Allowed) -> isize {
    let text = String::from_utf8_lossy(file);
    let rules = [IgnorePatterns::new(&text, "a"), IgnorePatterns::git(&text, "a")];
    let names = ["build/", "docs/", "x.pyc"].map(str::to_owned);
    drop(ignored_names("a/", &names, &[&rules[0], &rules[1]], || false));
    counts().now
}

/// What is kept for a state of a file in the process, if all of that may take at most so many bytes.
fn keep_document(file: &[u8], most: u64) -> isize {
    keep(file, |file| {
        let all = Allowed::new(INFLATED);
        let _ = document::open(file, Some(STATE), &Allowed::new(INFLATED), u64::MAX)
            .map(|book| show_document(&book, file, &all));
        // What is known since is counted when it is opened again.
        drop(document::open(file, Some(STATE), &Allowed::new(INFLATED), most));
    })
}

fn keep_workbook(file: &[u8], most: u64) -> isize {
    keep(file, |file| {
        let all = Allowed::new(INFLATED);
        let _ = sheet::open(file, Some(STATE), &Allowed::new(INFLATED), u64::MAX)
            .map(|book| show_workbook(&book, file, &all));
        drop(sheet::open(file, Some(STATE), &Allowed::new(INFLATED), most));
    })
}

const STATE: Snapshot =
    Snapshot { device: (1, 1), inode: 1, birth_ns: 1, size: 1, modified_ns: 1, changed_ns: 1 };

fn keep(file: &[u8], read: impl FnOnce(&Stream<'_>)) -> isize {
    /// What is kept is shared by all threads.
    static ALONE: Mutex<()> = Mutex::new(());
    let _guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = counts();
    let watch = Watch { start: before.now, last: Cell::new(before.all), gap: Cell::new(0) };
    read(&stream(file, &watch));
    let kept = counts().now - before.now;
    document::drop_documents();
    sheet::drop_workbooks();
    kept
}
