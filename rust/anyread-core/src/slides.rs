//! Presentations (pptx) as slides: their shapes as Markdown, in the order in which a reader sees them.
//!
//! A slide is one pass over its part, without recursion ([`walk`]); its layout and the master say where placeholders
//! are ([`layout`]), and what a slide only refers to is named, or shown by its text ([`related`]).
//!
//! Source: ECMA-376-1, parts 19 to 21.

mod layout;
mod related;
mod walk;

use std::collections::{HashMap, HashSet};

use crate::allowed::Allowed;
use crate::error::{Error, ErrorKind, Result};
use crate::package::{Package, Parts, Picture, Relations};
use crate::stream::Stream;
use crate::xml::Event;

use layout::Layout;
use walk::{Shape, Walk};

/// The most slides.
const SLIDES: usize = 16_384;
/// The most layouts that are known at once, and the most bytes that are kept of each.
const LAYOUTS: usize = 64;
const LONGEST_LAYOUT: usize = 64 << 10;
/// Up to which difference of their tops shapes are beside each other: a twentieth of an inch.
const BESIDE: f64 = 45_720.0;

type Slides = Vec<(Box<str>, bool)>;

/// A presentation, but not yet its slides.
pub struct Presentation {
    package: Package,
    /// The part of each slide, and whether it is hidden.
    slides: Slides,
    /// The authors of comments by their numbers.
    authors: HashMap<String, String>,
    /// Width and height of its slides.
    size: (f64, f64),
}

/// Something on a slide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text, of one shape or of several.
    Text(String),
    /// An image, `None` if it is not in the file, and what it is said to show.
    Picture(Option<Picture>, String),
}

/// What is on a slide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slide {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its title in one line, if it has one.
    pub title: String,
    /// The name of its layout.
    pub layout: String,
    /// Whether it is left out when the presentation is shown.
    pub is_hidden: bool,
    /// Its title, then its other shapes by top and left. Texts end with a line feed.
    pub pieces: Vec<Piece>,
    /// The notes of the speaker.
    pub notes: String,
    /// The author and the text of each comment.
    pub comments: Vec<(String, String)>,
    /// Whether only the beginning of it is here, because it has more than 1 MiB of text.
    pub is_cut: bool,
    /// Whether characters could not be decoded.
    pub is_lossy: bool,
    /// Runs that people do not see: very small, white where nothing else has a color, or beyond the slide.
    pub unseen_runs: usize,
}

impl Slide {
    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Picture(_, description) => size_of::<Piece>() + description.len(),
        });
        let comments = self.comments.iter().map(|(author, text)| author.len() + text.len());
        let texts = self.title.len() + self.layout.len() + self.notes.len();
        size_of::<Self>() + texts + pieces.chain(comments).sum::<usize>()
    }
}

impl Presentation {
    /// Reads which slides there are, and which of them are hidden.
    ///
    /// # Errors
    /// Those of [`Package::open`]; [`ErrorKind::UnsupportedFormat`] if it is no presentation.
    pub fn read(file: &Stream<'_>, allowed: &Allowed) -> Result<Self> {
        let package = Package::open(file, allowed)?;
        if !package.media_type.contains("presentationml") && !package.media_type.contains("powerpoint") {
            let media_type = package.media_type.to_owned();
            let kind = ErrorKind::UnsupportedFormat { media_type, size_bytes: file.end() };
            return Err(Error::new(file.path(), kind));
        }
        let parts = package.parts(file, allowed);
        let relations = parts.relations(&package.main)?;
        let mut authors = parts.persons(relations.find("commentAuthors"))?;
        authors.extend(parts.persons(relations.find("authors"))?);
        let (slides, size) = slides_of(parts, &package.main, &relations)?;
        Ok(Self { package, slides, authors, size })
    }

    /// The media type of the file.
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.package.media_type
    }

    /// Whether it has macros.
    #[must_use]
    pub fn has_macros(&self) -> bool {
        self.package.names().any(|name| name.ends_with("vbaproject.bin"))
    }

    /// Whether each slide is hidden, in order.
    pub fn hidden(&self) -> impl Iterator<Item = bool> {
        self.slides.iter().map(|(_, is_hidden)| *is_hidden)
    }

    /// Shows slides by their numbers, up to the one that reaches so many bytes of text.
    ///
    /// # Errors
    /// Those of reading; [`ErrorKind::Damaged`].
    pub fn show(
        &self,
        file: &Stream<'_>,
        allowed: &Allowed,
        numbers: &[usize],
        most: usize,
    ) -> Result<Vec<Slide>> {
        let (mut layouts, mut shown, mut bytes) = (HashMap::new(), Vec::new(), 0);
        for number in numbers {
            let Some((part, is_hidden)) = number.checked_sub(1).and_then(|index| self.slides.get(index))
            else {
                break;
            };
            let slide = Slide { number: *number, is_hidden: *is_hidden, ..Slide::default() };
            let of_slide = allowed.anew();
            let slide = show(self.package.parts(file, &of_slide), part, slide, &mut layouts, self)?;
            bytes += slide.bytes();
            shown.push(slide);
            if bytes >= most {
                break;
            }
        }
        Ok(shown)
    }
}

/// The parts of the slides in the order of the presentation and whether each is hidden, and the size of slides.
fn slides_of(parts: Parts<'_>, main: &str, relations: &Relations) -> Result<(Slides, (f64, f64))> {
    let mut xml = parts.xml(main)?.ok_or_else(|| parts.damaged("its main part is missing"))?;
    let (mut slides, mut size) = (Vec::new(), (f64::MAX, f64::MAX));
    let mut seen = HashSet::new();
    loop {
        match xml.next()? {
            // Sections have the same element.
            Event::Start(tag) if tag.name == "extLst" => xml.skip_element()?,
            Event::Start(tag) if tag.name == "sldId" => {
                let Some(id) = tag.prefixed("id") else { continue };
                // Each slide occurs once.
                let part = relations.get(&id).filter(|found| !found.is_external && seen.insert(&*found.id));
                let part = &*part.ok_or_else(|| parts.damaged("a slide of it is missing"))?.target;
                if slides.len() == SLIDES {
                    return Err(parts.damaged("it has too many slides"));
                }
                parts.keep(size_of::<(Box<str>, bool)>() + part.len())?;
                slides.push((part.into(), is_hidden(parts, part)?));
            }
            Event::Start(tag) if tag.name == "sldSz" => {
                size = (tag.number("cx").unwrap_or(size.0), tag.number("cy").unwrap_or(size.1));
            }
            Event::Done => return Ok((slides, size)),
            _ => {}
        }
    }
}

fn is_hidden(parts: Parts<'_>, part: &str) -> Result<bool> {
    let mut xml = parts.xml(part)?.ok_or_else(|| parts.damaged("a slide of it is missing"))?;
    loop {
        match xml.next()? {
            Event::Start(tag) => return Ok(tag.flag("show") == Some(false)),
            Event::Done => return Err(parts.damaged("a slide of it is empty")),
            _ => {}
        }
    }
}

fn show(
    parts: Parts<'_>,
    part: &str,
    mut slide: Slide,
    layouts: &mut HashMap<String, Layout>,
    Presentation { authors, size, .. }: &Presentation,
) -> Result<Slide> {
    let relations = parts.relations(part)?;
    let of_slide = relations.find("slideLayout").unwrap_or_default();
    if !layouts.contains_key(of_slide) {
        if layouts.len() == LAYOUTS {
            layouts.clear();
        }
        layouts.insert(of_slide.to_owned(), layout_of(parts, of_slide)?);
    }
    let layout = layouts.get(of_slide);
    let mut walk = Walk::new(layout, Some(&relations), parts.text_bytes());
    walk.run(parts, part)?;
    slide.layout = layout.map(|layout| layout.name.clone()).unwrap_or_default();
    let notes = relations.find("notesSlide").filter(|_| !walk.is_full());
    if let Some(part) = notes.filter(|part| parts.locate(part).is_ok_and(|found| found.is_some())) {
        let relations = parts.relations(part)?;
        let mut of_notes = Walk::new(None, Some(&relations), walk.left());
        of_notes.run(parts, part)?;
        let texts = of_notes.shapes.iter().filter(|shape| !shape.is_in_margin()).map(|shape| &*shape.text);
        texts.collect::<String>().trim_end().clone_into(&mut slide.notes);
        slide.is_lossy |= of_notes.is_lossy;
        slide.is_cut |= of_notes.is_full();
    }
    if let Some(part) = relations.find("comments") {
        slide.comments = related::comments(parts, part, authors, walk.left())?;
    }
    let has_colors = walk.has_colors || layout.is_some_and(|layout| layout.has_colors);
    let is_beyond = |shape: &&Shape| !shape.text.is_empty() && (shape.left >= size.0 || shape.top >= size.1);
    let beyond = walk.shapes.iter().filter(is_beyond).count();
    slide.unseen_runs = walk.tiny_runs + beyond + if has_colors { 0 } else { walk.white_runs };
    let mut left = walk.left();
    for shape in &mut walk.shapes {
        if let Some(data) = &shape.diagram {
            let text = related::diagram(parts, &relations, data, left)?;
            left = left.saturating_sub(text.len());
            shape.text.push_str(&text);
        }
    }
    sort(&mut walk.shapes);
    for shape in std::mem::take(&mut walk.shapes) {
        if shape.is_title() && slide.title.is_empty() {
            shape.text.trim_start_matches('#').trim().clone_into(&mut slide.title);
        }
        match slide.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push_str(&shape.text),
            _ if shape.text.is_empty() => {}
            _ => slide.pieces.push(Piece::Text(shape.text)),
        }
        if shape.has_image {
            slide.pieces.push(Piece::Picture(shape.picture, shape.description));
        }
    }
    slide.is_cut |= walk.is_full() || left == 0;
    slide.is_lossy |= walk.is_lossy;
    Ok(slide)
}

/// Sorts shapes as they are read: the title, then from top to bottom, and those beside each other from left to right.
///
/// Shapes in the same placeholder stay in the order of the file.
fn sort(shapes: &mut [Shape]) {
    shapes.sort_by(|a, b| b.is_title().cmp(&a.is_title()).then(a.top.total_cmp(&b.top)));
    let is_beside = |a: &Shape, b: &Shape| a.is_title() == b.is_title() && b.top - a.top <= BESIDE;
    let mut start = 0;
    while let Some(first) = shapes.get(start) {
        let row = shapes[start..].iter().take_while(|other| is_beside(first, other)).count().max(1);
        shapes[start..start + row].sort_by(|a, b| a.left.total_cmp(&b.left));
        start += row;
    }
}

/// Reads a layout and its master; one that is missing has no placeholders.
fn layout_of(parts: Parts<'_>, part: &str) -> Result<Layout> {
    let mut layout = places_of(parts, part)?;
    let relations = parts.internal_relations(part)?;
    if let Some(master) = relations.find("slideMaster").filter(|_| !part.is_empty()) {
        layout.inherit(&places_of(parts, master)?);
    }
    Ok(layout)
}

fn places_of(parts: Parts<'_>, part: &str) -> Result<Layout> {
    let mut walk = Walk::of_placeholders(LONGEST_LAYOUT);
    if parts.locate(part)?.is_some() {
        walk.run(parts, part)?;
    }
    Ok(Layout { name: walk.name, has_colors: walk.has_colors, placeholders: walk.placeholders })
}

#[cfg(test)]
mod tests;
