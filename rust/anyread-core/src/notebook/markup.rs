//! HTML, SVG and Markdown as text: without style sheets, scripts, and the bytes of data URLs.

use std::fmt::Write as _;
use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::page::footer::Grouped;

use super::JsonPosition;
use super::checks::{Checks, Stopped};
use super::image::{ShownImage, is_image, look};
use super::json::{JsonPositions, Text, TextPositions, position, short};

/// The longest content of a data URL that is shown as it is, in bytes.
const SHORT_BYTES: usize = 100;

/// The longest media type of a data URL with its parameters, in bytes; real ones have a few dozen.
const LONGEST_TYPE_BYTES: usize = 200;

/// The maximum number of pictures of a text, and of positions of other contents; more are named only.
const MOST_PICTURES: usize = 64;

/// What is shown of a text in HTML, SVG or Markdown.
#[derive(Debug, Default)]
pub struct Markup {
    /// The text.
    pub text: String,
    /// The images in data URLs, in order.
    pub pictures: Vec<ShownImage>,
    /// The positions in the file of the contents of other data URLs.
    pub hidden: Vec<JsonPosition>,
    /// The size of the scripts in bytes, and the position of the first one.
    pub scripts: Option<(usize, JsonPosition)>,
}

impl Markup {
    /// Shows HTML or SVG that was decoded from `source`; `None` if it is shown as it is.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn of_html(
        text: &str,
        source: Text<'_>,
        positions: &mut JsonPositions<'_>,
        checks: &Checks<'_>,
    ) -> Result<Option<Self>, Stopped> {
        Self::of(text, elements(text, checks)?, source, positions, checks)
    }

    /// Shows Markdown that was decoded from `source`; `None` if it is shown as it is.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn of_markdown(
        text: &str,
        source: Text<'_>,
        positions: &mut JsonPositions<'_>,
        checks: &Checks<'_>,
    ) -> Result<Option<Self>, Stopped> {
        Self::of(text, Vec::new(), source, positions, checks)
    }

    fn of(
        text: &str,
        removed: Vec<Element>,
        source: Text<'_>,
        positions: &mut JsonPositions<'_>,
        checks: &Checks<'_>,
    ) -> Result<Option<Self>, Stopped> {
        if removed.is_empty() && memmem::find(text.as_bytes(), b"data:").is_none() {
            return Ok(None);
        }
        let mut markup = Self::default();
        markup.text.try_reserve_exact(text.len())?;
        let mut raw = TextPositions::new(source, checks);
        let start = position(positions.json(), source.value);
        let (mut at, mut is_changed) = (0, !removed.is_empty());
        let end = Element { range: text.len()..text.len(), is_script: false };
        for element in removed.into_iter().chain([end]) {
            while let Some(url) = DataUrl::next(text, at..element.range.start, checks)? {
                is_changed = true;
                markup.text.push_str(text.get(at..url.content.start).unwrap_or_default());
                let content = raw.range_of(&url.content)?;
                let range = start + content.start..start + content.end;
                markup.push_url(&url, range, positions, checks)?;
                at = url.content.end;
            }
            markup.text.push_str(text.get(at..element.range.start).unwrap_or_default());
            at = element.range.end;
            if element.is_script {
                let (bytes, place) = match markup.scripts {
                    Some(scripts) => scripts,
                    None => (0, positions.place(start + raw.position_of(element.range.start)?)),
                };
                markup.scripts = Some((bytes + element.range.len(), place));
            }
        }
        Ok(is_changed.then_some(markup))
    }

    /// Adds a mark for the content of a data URL, which is at a range of the file.
    fn push_url(
        &mut self,
        url: &DataUrl<'_>,
        range: Range<usize>,
        positions: &mut JsonPositions<'_>,
        checks: &Checks<'_>,
    ) -> Result<(), Stopped> {
        let bytes = Grouped(url.content.len() as u64);
        if url.is_image && self.pictures.len() < MOST_PICTURES {
            let value = positions.json().get(range.clone()).unwrap_or_default();
            self.pictures.push(look(&short(url.media_type), value, range.start, checks)?);
            // Writing to a string cannot fail.
            let _ = write!(self.text, "[{bytes} bytes]");
        } else {
            let place = positions.place(range.start);
            // Each is named in the text too.
            if self.hidden.len() < MOST_PICTURES {
                self.hidden.push(place);
            }
            let _ = write!(self.text, "[{bytes} bytes: {place}]");
        }
        Ok(())
    }
}

/// A data URL.
struct DataUrl<'t> {
    media_type: &'t str,
    /// Whether its content is an image in base64.
    is_image: bool,
    /// The range of its content in the text.
    content: Range<usize>,
}

impl<'t> DataUrl<'t> {
    /// The next data URL in a range of a text whose content is not short.
    fn next(text: &'t str, range: Range<usize>, checks: &Checks<'_>) -> Result<Option<Self>, Stopped> {
        let part = text.get(range.clone()).unwrap_or_default();
        let mut passed = 0;
        for at in memmem::find_iter(part.as_bytes(), b"data:") {
            checks.passed(at.saturating_sub(passed))?;
            passed = passed.max(at);
            if at < passed {
                // It is in the content of the previous one.
                continue;
            }
            let before = text.as_bytes().get(..range.start + at).and_then(<[u8]>::last);
            let rest = part.get(at + "data:".len()..).unwrap_or_default();
            let Some((media_type, is_base64, head)) = head(rest) else { continue };
            let content = rest.as_bytes().get(head..).unwrap_or_default();
            let quote = before.copied().filter(|byte| b"\"'".contains(byte));
            let length = content_length(content, is_base64, quote);
            let start = range.start + at + "data:".len() + head;
            checks.passed(length)?;
            passed = at + "data:".len() + head + length;
            if length > SHORT_BYTES {
                let is_plain = !content.iter().take(length).any(|byte| *byte == b'%');
                let is_image = is_base64 && is_plain && is_image(media_type);
                return Ok(Some(Self { media_type, is_image, content: start..start + length }));
            }
        }
        Ok(None)
    }
}

/// The media type of a data URL, whether it is base64, and where its content begins, from what follows "data:".
fn head(rest: &str) -> Option<(&str, bool, usize)> {
    let comma = rest.bytes().take(LONGEST_TYPE_BYTES).position(|byte| byte == b',')?;
    let head = rest.get(..comma)?;
    let is_type = |byte: u8| byte.is_ascii_alphanumeric() || b"/.+-;=_".contains(&byte);
    let media_type = head.split(';').next().filter(|media_type| media_type.contains('/'))?;
    head.bytes().all(is_type).then_some((media_type, head.ends_with(";base64"), comma + 1))
}

/// The length of the content of a data URL that follows a quote, or no quote.
fn content_length(bytes: &[u8], is_base64: bool, quote: Option<u8>) -> usize {
    let ends = |byte: &u8| match (is_base64, quote) {
        (true, Some(_)) if byte.is_ascii_whitespace() => false,
        (true, _) => !(byte.is_ascii_alphanumeric() || b"+/=_-%".contains(byte)),
        (false, Some(quote)) => *byte == quote || *byte == b'\n',
        (false, None) => byte.is_ascii_whitespace() || b")>\"'".contains(byte),
    };
    let length = bytes.iter().position(ends).unwrap_or(bytes.len());
    bytes.get(..length).map_or(0, |content| content.trim_ascii_end().len())
}

/// An HTML element that is of no use as text.
struct Element {
    /// Its range in the text, with the white space after it.
    range: Range<usize>,
    is_script: bool,
}

/// The style sheets, with which tables of pandas begin, and the scripts.
fn elements(html: &str, checks: &Checks<'_>) -> Result<Vec<Element>, Stopped> {
    let (mut found, mut end, mut passed) = (Vec::new(), 0, 0);
    for at in memchr_iter(b'<', html.as_bytes()) {
        checks.passed(at - passed)?;
        passed = at;
        let is_script = starts_with(html, at, "<script");
        if at < end || !(is_script || starts_with(html, at, "<style")) {
            continue;
        }
        end = end_of(html, at, if is_script { "</script" } else { "</style" }, checks)?;
        found.push(Element { range: at..end, is_script });
    }
    Ok(found)
}

/// The offset after the tag that ends an element, and after the white space that follows it.
fn end_of(html: &str, start: usize, tag: &str, checks: &Checks<'_>) -> Result<usize, Stopped> {
    let bytes = html.as_bytes().get(start..).unwrap_or_default();
    let mut passed = 0;
    for at in memchr_iter(b'<', bytes) {
        checks.passed(at - passed)?;
        passed = at;
        if starts_with(html, start + at, tag) {
            let rest = html.get(start + at..).unwrap_or_default();
            let Some(close) = rest.find('>') else { break };
            let after = rest.get(close + 1..).unwrap_or_default();
            return Ok(html.len() - after.trim_start().len());
        }
    }
    Ok(html.len())
}

fn starts_with(html: &str, at: usize, tag: &str) -> bool {
    let bytes = html.as_bytes();
    bytes.get(at..at + tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
        && !bytes.get(at + tag.len()).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

/// Whether HTML has something to show apart from its scripts.
///
/// # Errors
/// [`Stopped`]
pub fn is_readable(content: Text<'_>, checks: &Checks<'_>) -> Result<bool, Stopped> {
    // Maps and plots are often a whole page, escaped in an attribute.
    if content.value.contains("&lt;script") {
        return Ok(false);
    }
    let html = content.decoded(checks)?;
    let removed = elements(&html, checks)?;
    if !removed.iter().any(|element| element.is_script) {
        return Ok(true);
    }
    let mut at = 0;
    for element in removed {
        if has_content(html.get(at..element.range.start).unwrap_or_default()) {
            return Ok(true);
        }
        at = element.range.end;
    }
    Ok(has_content(html.get(at..).unwrap_or_default()))
}

/// Whether a part of an HTML text has words or a picture.
fn has_content(mut html: &str) -> bool {
    while let Some(at) = html.find('<') {
        let (words, tag) = html.split_at(at);
        let end = tag.find('>').unwrap_or(tag.len());
        let (tag, rest) = tag.split_at(end);
        if !words.trim().is_empty() || tag.contains("data:image/") {
            return true;
        }
        html = rest.strip_prefix('>').unwrap_or(rest);
    }
    !html.trim().is_empty()
}
