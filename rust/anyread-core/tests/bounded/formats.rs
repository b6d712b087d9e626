//! Reading a file as the Python package does: what it opens, which pages it asks for, and what it keeps.

use std::cell::Cell;
use std::path::Path;
use std::sync::PoisonError;

use anyread_core::allowed::Allowed;
use anyread_core::cache::{self, FileState};
use anyread_core::document::{self, Document};
use anyread_core::gutter::Gutter;
use anyread_core::ignore_rules::{IgnorePatterns, ignored_names};
use anyread_core::lines::Wanted;
use anyread_core::lock::NoLockHeld;
use anyread_core::notebook::{Checks, Notebook, Style};
use anyread_core::records::{self, Container, Shape, Value};
use anyread_core::scan::Interrupt;
use anyread_core::sheet::format::shown_number;
use anyread_core::sheet::{self, DrawingKind, RowsRequest, Values, Workbook};
use anyread_core::slides::Presentation;
use anyread_core::snapshot::Snapshot;
use anyread_core::source::Source;
use anyread_core::stream::Stream;

use crate::allocator::{Counts, counts, reset};
use crate::samples::{Part, Site, archive, sites_of_json, sites_of_lines, sites_of_xml};

/// The limits of a page, which are smaller than usual, so that it ends soon.
const PAGE_BYTES: usize = 64 << 10;
const LINES: u64 = 201;
const LINE_CHARS: u64 = 400;
const CELL_CHARS: usize = 32_767;
/// What a read may inflate, and what it may keep, which is less than usual, so that lists end soon.
const INFLATED: usize = 1 << 30;
const KEPT: u64 = 256 << 10;
/// How much text ignore files may have.
const MOST_RULES: usize = 128 << 10;
/// A read that has allocated more is stopped where it looks at its interrupt, so that the test itself survives.
const RUNAWAY: isize = 256 << 20;

/// The values that can be long, and the elements that can be many.
type Sites = fn(&[Part]) -> (Vec<Site>, Vec<Site>);
/// Reads pages, and returns what was allocated while only what is kept of the file was left.
type Read = fn(&File<'_>) -> isize;
/// Reads pages of a file of which at most so many bytes are kept in the process.
type Keep = fn(&File<'_>, u64);

/// A format, and how it is read.
pub struct Format {
    pub sample: &'static str,
    pub sites: Sites,
    bytes: fn(&[Part]) -> Vec<u8>,
    read: Read,
    keep: Option<Keep>,
    /// How much content a file may have, and what may be allocated for each byte of it.
    pub most_content: usize,
    pub most_work: isize,
}

pub const FORMATS: [(&str, Format); 7] = [
    ("docx", package(include_str!("samples/docx.txt"), read_document, Some(keep_document))),
    ("places", package(include_str!("samples/places.txt"), read_document, Some(keep_document))),
    ("xlsx", package(include_str!("samples/xlsx.txt"), read_workbook, Some(keep_workbook))),
    ("pptx", package(include_str!("samples/pptx.txt"), read_slides, None)),
    ("ipynb", plain(include_str!("samples/ipynb.txt"), sites_of_json, read_notebook)),
    ("json", plain(include_str!("samples/json.txt"), sites_of_json, read_records)),
    // What compiles patterns takes much more, but of at most 128 KiB.
    (
        "ignore",
        Format {
            most_content: MOST_RULES,
            most_work: 8 << 10,
            ..plain(include_str!("samples/ignore.txt"), sites_of_lines, read_rules)
        },
    ),
];

const fn package(sample: &'static str, read: Read, keep: Option<Keep>) -> Format {
    let (sites, bytes) = (sites_of_xml as Sites, archive);
    Format { sample, sites, bytes, read, keep, most_content: INFLATED, most_work: 1 << 10 }
}

const fn plain(sample: &'static str, sites: Sites, read: Read) -> Format {
    let bytes = |parts: &[Part]| parts[0].text.clone().into_bytes();
    Format { sample, sites, bytes, read, keep: None, most_content: 4 << 20, most_work: 1 << 10 }
}

/// What one read of a file takes, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// The size of the file, and what is inflated of it.
    size: isize,
    inflated: isize,
    /// The most that was allocated at once, and what is kept when the pages are gone.
    pub peak: isize,
    pub kept: isize,
    /// All that was allocated, and the most of it between two looks at the interrupt.
    pub work: isize,
    pub gap: isize,
    /// Whether the file was read without an error.
    pub is_read: bool,
}

impl Cost {
    /// How many bytes a read has to look at.
    pub fn content(&self) -> isize {
        self.size + self.inflated
    }

    /// How much larger this content is than a smaller one; a read may end early in what is larger.
    pub fn added(&self, last: &Self) -> isize {
        (self.content() - last.content()).max(self.size - last.size).max(1)
    }
}

/// A file that is read, which as an interrupt notes how much was allocated since that was looked at.
struct File<'a> {
    bytes: &'a [u8],
    allowed: Allowed,
    start: Counts,
    last: Cell<isize>,
    gap: Cell<isize>,
    is_read: Cell<bool>,
}

impl<'a> File<'a> {
    fn new(bytes: &'a [u8], allowed: Allowed) -> Self {
        let start = reset();
        let (last, gap, is_read) = (Cell::new(start.all), Cell::new(0), Cell::new(true));
        Self { bytes, allowed, start, last, gap, is_read }
    }

    fn stream(&self) -> Stream<'_> {
        Stream::new(Source::Memory(self.bytes), Path::new("a"), self, 0..self.bytes.len() as u64)
    }

    fn look(&self) {
        let all = counts().all;
        self.gap.set(self.gap.get().max(all - self.last.replace(all)));
    }

    /// Notes an error.
    fn read<T, E>(&self, result: Result<T, E>) -> Option<T> {
        self.is_read.set(self.is_read.get() && result.is_ok());
        result.ok()
    }
}

impl Interrupt for File<'_> {
    fn interrupted(&self, _proof: NoLockHeld) -> bool {
        self.look();
        counts().now - self.start.now > RUNAWAY
    }

    fn scanned(&self, _bytes: u64) {}
}

impl Format {
    /// Reads a file, and measures.
    pub fn cost(&self, parts: &[Part]) -> Cost {
        let bytes = (self.bytes)(parts);
        let file = File::new(&bytes, Allowed::keeping(INFLATED as u64, KEPT));
        let kept = (self.read)(&file) - file.start.now;
        file.look();
        let after = counts();
        Cost {
            size: bytes.len().cast_signed(),
            inflated: isize::try_from(file.allowed.inflated()).unwrap(),
            peak: after.most - file.start.now,
            kept,
            work: after.all - file.start.all,
            gap: file.gap.get(),
            is_read: file.is_read.get(),
        }
    }

    /// What is kept in the process of a file, if all of that may take at most so many bytes.
    pub fn kept(&self, parts: &[Part], most: isize) -> Option<isize> {
        /// What is kept is shared by all threads.
        #[expect(clippy::disallowed_types, reason = "one around locks of the core")]
        static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let keep = self.keep?;
        let _guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = (self.bytes)(parts);
        let file = File::new(&bytes, Allowed::new(INFLATED as u64));
        keep(&file, most.cast_unsigned() as u64);
        let kept = counts().now - file.start.now;
        cache::clear();
        Some(kept)
    }
}

fn show_document(document: &Document, file: &File<'_>) {
    let page = Wanted { first: 1, lines: LINES, column: 1, chars: LINE_CHARS, bytes: PAGE_BYTES };
    let after_all = Wanted { first: 1 << 50, lines: 1, chars: 1, ..page };
    for wanted in [page, after_all] {
        drop(file.read(document.lines(&file.stream(), &file.allowed.anew(), wanted)));
    }
}

fn read_document(file: &File<'_>) -> isize {
    let document = file.read(Document::read(&file.stream(), &file.allowed.anew()));
    if let Some(document) = &document {
        show_document(document, file);
    }
    counts().now
}

fn keep_document(file: &File<'_>, most: u64) {
    let state = FileState { snapshot: STATE, max_bytes: most };
    if let Some(document) = file.read(document::open(&file.stream(), Some(state), &file.allowed.anew())) {
        show_document(&document, file);
    }
}

fn show_workbook(book: &Workbook, file: &File<'_>) {
    let stream = &file.stream();
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
        drop(file.read(book.rows(stream, &file.allowed.anew(), &request)));
    }
    for name in ["absent", "prices"] {
        drop(file.read(book.refers_to(stream, &file.allowed.anew(), name, None)));
    }
    let drawings = file.read(book.drawings(stream, &file.allowed.anew(), 0)).unwrap_or_default();
    let allowed = file.allowed.anew();
    let parts = book.parts(stream, &allowed);
    for drawing in drawings.iter().take(20) {
        match drawing.kind {
            DrawingKind::Image => drop(parts.picture(&drawing.part)),
            DrawingKind::Chart => drop(parts.chart(Some(&drawing.part), shown_number)),
            _ => {}
        }
    }
}

fn read_workbook(file: &File<'_>) -> isize {
    let book = file.read(Workbook::read(&file.stream(), &file.allowed.anew()));
    if let Some(book) = &book {
        show_workbook(book, file);
    }
    counts().now
}

fn keep_workbook(file: &File<'_>, most: u64) {
    let state = FileState { snapshot: STATE, max_bytes: most };
    if let Some(book) = file.read(sheet::open(&file.stream(), Some(state), &file.allowed.anew())) {
        show_workbook(&book, file);
    }
}

fn read_slides(file: &File<'_>) -> isize {
    let stream = &file.stream();
    let slides = file.read(Presentation::read(stream, &file.allowed.anew()));
    if let Some(slides) = &slides {
        let numbers = [1, 2, 3, 4, 5, 6, 7, 8];
        drop(file.read(slides.show(stream, &file.allowed.anew(), &numbers, PAGE_BYTES)));
    }
    counts().now
}

fn read_notebook(file: &File<'_>) -> isize {
    let Some(notebook) = file.read(Notebook::parse(file.bytes, file)) else { return counts().now };
    let gutter = Gutter::default();
    let style = Style {
        gutter: &gutter,
        max_line_chars: 2_000,
        max_source_bytes: PAGE_BYTES,
        max_output_bytes: 20_480,
    };
    drop(file.read(notebook.show(0, 2_001, &style, PAGE_BYTES, file)));
    let checks = Checks::new(file);
    for index in 0..notebook.cell_count().min(100) {
        if let Ok(Some(cell)) = notebook.cell(index, &checks) {
            drop((cell.source_text(&checks), cell.all_outputs(&checks)));
        }
    }
    counts().now
}

fn read_records(file: &File<'_>) -> isize {
    let mut stream = file.stream();
    let end = stream.end();
    let shape = Shape { first: 1, rows: LINES, chars: LINE_CHARS, bytes: PAGE_BYTES, is_file: true };
    let wanted = Wanted { first: 1, lines: LINES, column: 1, chars: LINE_CHARS, bytes: PAGE_BYTES };
    let Some((_, begin)) = file.read(records::Form::of(&mut stream, false, None)) else {
        return counts().now;
    };
    drop(file.read(records::rows(&mut stream, Container::List, begin, shape, None)));
    file.read(records::count(&mut stream, Container::List, begin, None));
    drop(records::line_rows(&mut stream, begin, shape));
    for pointer in ["0/inner/a/b", "0/list", "1/text", "1/missing", "9"] {
        stream.end_at(end);
        let steps: Vec<String> = pointer.split('/').map(ToOwned::to_owned).collect();
        let Ok(Ok(place)) = records::follow(&mut stream, begin, &steps, None) else { continue };
        drop(records::value(&mut stream, place.begin, LINE_CHARS));
        if place.value == Value::String {
            drop(records::string_lines(&mut stream, place.begin, wanted));
        }
    }
    counts().now
}

fn read_rules(file: &File<'_>) -> isize {
    let text = String::from_utf8_lossy(file.bytes);
    let names = ["build/", "docs/", "x.pyc", &"a".repeat(255)].map(str::to_owned);
    let mut kept = counts().now;
    if IgnorePatterns::size_of(&text) <= MOST_RULES {
        for new in [IgnorePatterns::new, IgnorePatterns::git] {
            let rules = new(&text, "a");
            // There is no interrupt while they are compiled.
            file.last.set(counts().all);
            drop(ignored_names("a/", &names, &[&rules], || false));
            kept = kept.max(counts().now);
        }
    }
    kept
}

const STATE: Snapshot =
    Snapshot { device: (1, 1), inode: 1, birth_ns: 1, size: 1, modified_ns: 1, changed_ns: 1 };
