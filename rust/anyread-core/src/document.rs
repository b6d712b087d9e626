//! Word documents (docx) as Markdown, line by line.
//!
//! The parts of the package are read once, from their start on, without recursion: what an element shows is written
//! where it begins or ends. What must be shown later, such as a table inside of a cell, is held until its row has
//! ended. The text depends on nothing but the file, so that a line number means the same tomorrow.

mod marks;
mod numbering;
mod numerals;
mod paragraph;
mod styles;
mod symbols;
mod text;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::allowed::Allowed;
use crate::cache::{FileState, Keep, Kept};
use crate::error::{Error, ErrorKind, Result};
use crate::inflate::Checkpoints;
use crate::lines::{LineTaker, Lines, Wanted};
use crate::lock::Lock;
use crate::package::{Package, Parts, Picture, Relations};
use crate::stream::Stream;
use crate::xml::{Event, Xml};

use numbering::Numbering;
use styles::Styles;
use text::{Referred, ResumePoint, Text};

pub(crate) use marks::looks_like_heading;
pub(crate) use numerals::numeral;

/// The media types of documents that are shown.
pub const MEDIA_TYPES: [&str; 4] = [
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
    "application/vnd.ms-word.document.macroEnabled.12",
    "application/vnd.ms-word.template.macroEnabled.12",
];
/// How many bytes of a part are between points where the text can be continued, and between checkpoints of inflating.
const EVERY: u64 = if cfg!(test) { 256 } else { 64 << 10 };
const CHECKPOINTS: u64 = if cfg!(test) { 4 << 10 } else { 512 << 10 };
/// The most of these points.
const RESUME_POINTS: usize = if cfg!(test) { 16 } else { 512 };
/// About the most memory for them, in bytes.
const POINT_BYTES: usize = 4 << 20;
/// The most headers and footers that are shown.
const MARGINS: usize = 256;

/// Lines of a document, and what was found on the way to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// The lines. `is_torn` is never set.
    pub lines: Lines,
    /// The images that `lines` have, and perhaps others.
    pub pictures: Vec<Picture>,
    /// What there was up to them.
    pub counts: Counts,
    /// Whether labels of lists are decimal because their format is not known.
    pub has_unknown_labels: bool,
}

/// What was counted on the way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Images.
    pub images: u64,
    /// Insertions, deletions and moves of which the final state is shown.
    pub tracked_changes: u64,
    /// Runs with text that are hidden.
    pub hidden_runs: u64,
    /// Runs that are shown, though people do not see them: white outside of tables and text boxes, or very small.
    pub unseen_runs: u64,
}

/// A document, and where its text can be continued.
pub struct Document {
    package: Package,
    styles: Arc<Styles>,
    /// The lists, of which no item is counted yet.
    numbering: Numbering,
    /// Those of the main part.
    relations: Arc<Relations>,
    /// The main part, then those of its footnotes, endnotes and comments.
    parts: Vec<String>,
    reached: Lock<Reached>,
    /// The memory of what is known, in bytes.
    bytes: AtomicU64,
}

/// How far the parts were read.
#[derive(Clone)]
struct Reached {
    /// Of each part.
    checkpoints: Vec<Checkpoints>,
    /// How many bytes of a part are between points.
    every: u64,
    points: Vec<Arc<ResumePoint>>,
    point_bytes: usize,
    /// What was referred to before the last point, and perhaps after it.
    referred: Arc<Referred>,
}

impl Reached {
    /// The part of the last point, and the offset in it.
    fn last(&self) -> (usize, u64) {
        self.points.last().map_or((0, 0), |point| point.at)
    }

    /// Whether a point at an offset of a part is far enough from the last one.
    fn is_due(&self, at: (usize, u64)) -> bool {
        let (part, offset) = self.last().max((at.0, 0));
        at >= (part, offset.saturating_add(self.every))
    }

    /// Adds a point; if there are too many, every other one is dropped.
    fn add(&mut self, point: ResumePoint) {
        self.point_bytes += point.bytes();
        if self.points.len() >= RESUME_POINTS || self.point_bytes > POINT_BYTES {
            let mut is_kept = false;
            self.points.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.every = self.every.saturating_mul(2);
            self.point_bytes = self.points.iter().map(|point| point.bytes()).sum();
        }
        self.points.push(Arc::new(point));
    }

    fn bytes(&self) -> u64 {
        let checkpoints: u64 = self.checkpoints.iter().map(Checkpoints::bytes).sum();
        checkpoints + (self.point_bytes + self.referred.bytes()) as u64
    }
}

impl Document {
    /// Reads what the document consists of, but no text.
    ///
    /// # Errors
    /// Those of [`Package::open`]; [`ErrorKind::UnsupportedFormat`] if it is no document.
    pub fn read(file: &Stream<'_>, allowed: &Allowed) -> Result<Self> {
        let package = Package::open(file, allowed)?;
        if !MEDIA_TYPES.contains(&package.media_type) {
            let media_type = package.media_type.to_owned();
            let kind = ErrorKind::UnsupportedFormat { media_type, size_bytes: file.end() };
            return Err(Error::new(file.path(), kind));
        }
        let parts = package.parts(file, allowed);
        let relations = parts.relations(&package.main)?;
        let target = |kind: &str| relations.find(kind);
        let styles = Styles::read(parts, target("styles"))?;
        let numbering = Numbering::read(parts, target("numbering"), &styles)?;
        let mut names = vec![package.main.clone()];
        names.extend(
            ["footnotes", "endnotes", "comments"].into_iter().filter_map(target).map(ToOwned::to_owned),
        );
        let reached = Reached {
            checkpoints: vec![Checkpoints::new(CHECKPOINTS); names.len()],
            every: EVERY,
            points: Vec::new(),
            point_bytes: 0,
            referred: Arc::default(),
        };
        let relations = Arc::new(relations);
        let (styles, reached, bytes) = (Arc::new(styles), Lock::new(reached), AtomicU64::new(0));
        Ok(Self { package, styles, numbering, relations, parts: names, reached, bytes })
    }

    /// The media type of the file.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.package.media_type
    }

    /// Shows lines.
    ///
    /// # Errors
    /// Those of reading, [`ErrorKind::Damaged`] and [`ErrorKind::TooLarge`].
    pub fn lines(&self, file: &Stream<'_>, allowed: &Allowed, wanted: Wanted) -> Result<Rendering> {
        let parts = self.package.parts(file, allowed);
        let mut reached = self.reached.lock().clone();
        let (styles, referred) = (Arc::clone(&self.styles), Arc::clone(&reached.referred));
        let mut text = Text::new(parts, LineTaker::new(wanted), styles, self.numbering.clone(), referred);
        let outcome = self.show_parts(parts, &mut text, &mut reached, wanted);
        // What was found before an error, too: a canceled call is often repeated.
        reached.referred = Arc::clone(&text.referred);
        self.keep(reached);
        outcome?;
        for (kind, id) in text.margins() {
            if let Some(part) = self.relations.part(&id) {
                show_margin(self.package.parts(file, &allowed.anew()), part, &mut text, kind)?;
            }
        }
        Ok(text.finish())
    }

    /// Shows the main part and the notes, from the last point before the wanted lines on.
    fn show_parts(
        &self,
        parts: Parts<'_>,
        text: &mut Text<'_>,
        reached: &mut Reached,
        wanted: Wanted,
    ) -> Result<()> {
        let after = reached.points.partition_point(|point| point.line() <= wanted.first);
        let mut point = after.checked_sub(1).and_then(|at| reached.points.get(at)).cloned();
        let first = point.as_ref().map_or(0, |point| point.at.0);
        for (index, part) in self.parts.iter().enumerate().skip(first) {
            if text.is_full() {
                break;
            }
            let Some(packed) = parts.locate(part)? else { continue };
            let relations =
                if index == 0 { Arc::clone(&self.relations) } else { Arc::new(parts.relations(part)?) };
            text.begin_part(relations, None);
            let mut xml = Xml::new(parts.content(packed, reached.checkpoints[index].clone())?)?;
            let outcome = match point.take() {
                Some(point) => xml.seek(point.at.1, point.depth).and_then(|()| {
                    text.resume(&point, wanted);
                    show(&mut xml, text, Some((index, reached)))
                }),
                None => show(&mut xml, text, Some((index, reached))),
            };
            reached.checkpoints[index] = xml.into_content().checkpoints().clone();
            outcome?;
        }
        Ok(())
    }

    /// Keeps what was reached, unless another call reached more meanwhile.
    fn keep(&self, reached: Reached) {
        let bytes = reached.bytes();
        let mut known = self.reached.lock();
        if reached.last() >= known.last() {
            *known = reached;
            self.bytes.store(bytes, Ordering::Relaxed);
        }
    }
}

impl Keep for Document {
    fn bytes(&self) -> u64 {
        let lists = self.relations.bytes() + self.styles.bytes() + self.numbering.bytes();
        self.bytes.load(Ordering::Relaxed) + self.package.bytes() + (lists + size_of::<Self>()) as u64
    }
}

/// Opens a document, or returns the one that is kept for the state of its file.
///
/// Without a state, none is kept.
///
/// # Errors
/// Those of [`Document::read`].
pub fn open(file: &Stream<'_>, state: Option<FileState>, allowed: &Allowed) -> Result<Kept<Document>> {
    Kept::open(state, || Document::read(file, allowed))
}

/// Shows a header or a footer unless there is enough.
fn show_margin(parts: Parts<'_>, part: &str, text: &mut Text<'_>, kind: &'static str) -> Result<()> {
    if text.is_full() {
        return Ok(());
    }
    let Some(mut xml) = parts.xml(part)? else { return Ok(()) };
    text.begin_part(Arc::new(parts.relations(part)?), Some(kind));
    show(&mut xml, text, None)
}

/// Shows what follows in a part until there is enough, and adds points in it if they are kept.
fn show(xml: &mut Xml<'_>, text: &mut Text<'_>, mut reached: Option<(usize, &mut Reached)>) -> Result<()> {
    while !text.is_full() {
        let due = reached.as_ref().and_then(|(part, reached)| {
            let at = (*part, xml.bytes()?.offset());
            reached.is_due(at).then_some(at)
        });
        let is_lossy = xml.is_lossy();
        match xml.next()? {
            Event::Start(tag) => {
                let is_block = matches!(tag.name, "p" | "tbl" | "tr" | "footnote" | "endnote" | "comment");
                if let (Some((_, reached)), Some(at), true) = (&mut reached, due, is_block)
                    && let Some(point) = text.point(at, is_lossy)
                {
                    reached.add(point);
                }
                if text.start(&tag)? {
                    xml.skip_element()?;
                }
            }
            Event::End(_) => text.end()?,
            Event::Text(content, left_out) => text.content(content, left_out),
            Event::Done => break,
        }
    }
    text.is_lossy |= xml.is_lossy();
    text.end_part()
}

#[cfg(test)]
mod tests;
