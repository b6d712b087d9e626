//! A cell as a page shows it: selects which contents to show as text or as an image, and which only to name.

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::gutter::Gutter;

use super::JsonPosition;
use super::cell::{Cell, CellOutput, Data, Datum};
use super::clean::cleaned;
use super::image::{ShownImage, is_image, look};
use super::json::{JsonPositions, Text, position};
use super::passage::{Origin, Passage, Shape, passage};

/// The minimum share of an output; if a cell has too many outputs, the last ones are left out.
const LEAST_OUTPUT_BYTES: usize = 256;

/// The longest text that [`is_opaque`] considers: a module, a class and an address.
const LONGEST_NAME_BYTES: usize = 512;

/// How cells are shown.
#[derive(Debug, Clone, Copy)]
pub struct Style<'a> {
    /// The gutter: with numbers for the source, blank for outputs.
    pub gutter: &'a Gutter,
    /// The maximum number of characters shown of a line.
    pub max_line_chars: usize,
    /// The maximum size of the shown source of a cell, in bytes.
    pub max_source_bytes: usize,
    /// The maximum size of all shown outputs of a cell together, in bytes.
    pub max_output_bytes: usize,
}

/// A cell as it is shown.
#[derive(Debug, Default)]
pub struct ShownCell {
    /// Same as in [`Cell`].
    pub kind: String,
    /// Same as in [`Cell`].
    pub id: Option<String>,
    /// Same as in [`Cell`].
    pub execution_count: Option<i64>,
    /// The source of the cell.
    pub source: Passage,
    /// The attachments: files that the source refers to.
    pub attachments: Vec<ShownPart>,
    /// The number of attachments that are left out.
    pub more_attachments: usize,
    /// The outputs.
    pub outputs: Vec<ShownPart>,
    /// The number of outputs that are left out.
    pub more_outputs: usize,
    /// The position of those in the file.
    pub more_at: Option<JsonPosition>,
}

/// An output, or an attachment, as it is shown.
#[derive(Debug, Default)]
pub struct ShownPart {
    /// Same as in [`CellOutput`]; "attachment" for an attachment.
    pub kind: String,
    /// The name of a stream or an attachment, or the class of an error.
    pub name: Option<String>,
    /// Same as in [`CellOutput`].
    pub execution_count: Option<i64>,
    /// The media type of the text; `None` if there is no text to show.
    pub media_type: Option<String>,
    /// The cleaned text.
    pub passage: Passage,
    /// The image, if there is one.
    pub image: Option<ShownImage>,
    /// Media types that are not shown, each with its size in the file in bytes.
    pub others: Vec<(String, usize)>,
    /// The number of media types that are not even listed in `others`.
    pub more_others: usize,
    /// The position of the output in the file, if nothing of it is shown.
    pub at: Option<JsonPosition>,
}

impl ShownCell {
    /// The total size of the shown texts in bytes.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.source.text.len() + self.outputs.iter().map(|output| output.passage.text.len()).sum::<usize>()
    }
}

/// Shows a cell.
pub fn show(cell: &Cell<'_>, style: &Style<'_>, positions: &mut JsonPositions<'_>) -> ShownCell {
    let text = cell.source_text();
    let start = |text: &Text<'_>, positions: &JsonPositions<'_>| position(positions.json(), text.value);
    let origin = match cell.source {
        Some(source) if cell.heading_level.is_none() => Origin::Verbatim(source),
        Some(source) => Origin::Derived(start(&source, positions)),
        None => Origin::Derived(0),
    };
    let shape = Shape {
        gutter: style.gutter,
        is_numbered: true,
        max_line_chars: style.max_line_chars,
        max_bytes: style.max_source_bytes,
        keeps_end: false,
    };
    let source = passage(&text, origin, shape, positions);
    let attachments = cell.attachments.iter().map(|(name, contents)| attachment(name, contents, positions));
    let attachments = attachments.collect();
    let most = (style.max_output_bytes / LEAST_OUTPUT_BYTES).max(1);
    let (outputs, count) = cell.outputs(most);
    let more_at =
        (count > most).then(|| outputs.last().map(|last| positions.place(end_of(last.value, positions))));
    ShownCell {
        kind: cell.kind.clone(),
        id: cell.id.clone(),
        execution_count: cell.execution_count,
        source,
        attachments,
        more_attachments: cell.more_attachments,
        outputs: show_outputs(&outputs, style, positions),
        more_outputs: count.saturating_sub(most),
        more_at: more_at.flatten(),
    }
}

fn end_of(value: &str, positions: &JsonPositions<'_>) -> usize {
    position(positions.json(), value) + value.len()
}

fn attachment(name: &str, data: &Data<'_>, positions: &JsonPositions<'_>) -> ShownPart {
    let chosen = data.all.iter().position(|datum| is_image(&datum.media_type));
    ShownPart {
        kind: "attachment".to_owned(),
        name: Some(name.to_owned()),
        image: chosen.and_then(|at| data.all.get(at)).map(|datum| image(datum, positions)),
        others: others(&data.all, |at| Some(at) == chosen),
        more_others: data.more,
        ..ShownPart::default()
    }
}

/// Shows the outputs, cutting the largest ones so that together they fit `max_output_bytes`.
fn show_outputs(
    outputs: &[CellOutput<'_>],
    style: &Style<'_>,
    positions: &mut JsonPositions<'_>,
) -> Vec<ShownPart> {
    let texts: Vec<_> = outputs.iter().map(OutputText::of).collect();
    let shape = |max_bytes| Shape {
        gutter: style.gutter,
        is_numbered: false,
        max_line_chars: style.max_line_chars,
        max_bytes,
        keeps_end: true,
    };
    let mut passages: Vec<_> = texts
        .iter()
        .map(|content| {
            passage(&content.text, content.origin(positions), shape(style.max_output_bytes), positions)
        })
        .collect();
    let lengths: Vec<_> = passages.iter().map(|passage| passage.text.len()).collect();
    let fair_bytes = fair_share(&lengths, style.max_output_bytes);
    for (passed, content) in passages.iter_mut().zip(&texts) {
        if passed.text.len() > fair_bytes {
            *passed = passage(&content.text, content.origin(positions), shape(fair_bytes), positions);
        }
    }
    let shown = outputs.iter().zip(texts).zip(passages);
    shown.map(|((output, content), passage)| content.into_shown(output, passage, positions)).collect()
}

/// The largest share such that lengths capped to it add up to at most `total` (max-min fairness).
fn fair_share(lengths: &[usize], total: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = total;
    for (index, &length) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index);
        if length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}

/// The text of an output.
struct OutputText<'a> {
    text: String,
    media_type: Option<String>,
    value: &'a str,
    /// The value, if the text is that value decoded without changes.
    exact: Option<Text<'a>>,
    chosen: Option<usize>,
    image: Option<usize>,
}

impl<'a> OutputText<'a> {
    fn of(output: &CellOutput<'a>) -> Self {
        let mut content = Self {
            text: String::new(),
            media_type: None,
            value: output.value,
            exact: None,
            chosen: None,
            image: None,
        };
        let text = match output.kind.as_str() {
            "stream" => {
                content.exact = output.text.first().copied().filter(|_| output.text.len() == 1);
                output.text.iter().map(Text::decoded).collect()
            }
            "error" => traceback(output),
            _ => {
                content.choose(&output.data.all);
                let datum = content.chosen.and_then(|chosen| output.data.all.get(chosen));
                content.exact = datum.filter(|datum| !datum.is_json()).map(|datum| datum.content);
                datum.map(Datum::decoded).unwrap_or_default()
            }
        };
        if content.chosen.is_none() && !text.is_empty() {
            content.media_type = Some("text/plain".to_owned());
        }
        let is_html = content.media_type.as_deref() == Some("text/html");
        let shown = if is_html { without_styles(&text) } else { Cow::Borrowed(text.as_str()) };
        content.text = cleaned(&shown).into_owned();
        if content.text != text {
            content.exact = None;
        }
        content
    }

    /// Chooses one text and one image among the media types; plain text is preferred to markup.
    fn choose(&mut self, data: &[Datum<'_>]) {
        let best = |rank: fn(&Datum<'_>) -> Option<usize>| {
            let ranked = data.iter().enumerate().filter_map(|(at, datum)| Some((rank(datum)?, at)));
            ranked.min().map(|(_, at)| at)
        };
        self.image = best(image_rank);
        let text = best(text_rank);
        let is_plain = |&at: &usize| data.get(at).and_then(text_rank).is_some_and(|rank| rank < PLAIN.len());
        let html =
            data.iter().position(|datum| datum.media_type == "text/html" && text_rank(datum).is_some());
        let is_opaque = text.and_then(|at| data.get(at)).is_some_and(is_opaque);
        self.chosen = match (self.image, html) {
            // Next to an image, markup only repeats its content.
            (Some(_), _) => text.filter(is_plain),
            (None, Some(_)) if is_opaque => html,
            _ => text,
        };
        self.media_type = self.chosen.and_then(|at| data.get(at)).map(|datum| datum.media_type.clone());
    }

    fn origin(&self, positions: &JsonPositions<'_>) -> Origin<'a> {
        match self.exact {
            Some(text) => Origin::Verbatim(text),
            None => Origin::Derived(position(positions.json(), self.value)),
        }
    }

    fn into_shown(
        self,
        output: &CellOutput<'_>,
        passage: Passage,
        positions: &mut JsonPositions<'_>,
    ) -> ShownPart {
        let others = others(&output.data.all, |at| Some(at) == self.chosen || Some(at) == self.image);
        let is_named = self.media_type.is_none() && self.image.is_none();
        ShownPart {
            kind: output.kind.clone(),
            name: output.name.clone().or_else(|| output.ename.clone()),
            execution_count: output.execution_count,
            media_type: self.media_type,
            passage,
            image: self.image.and_then(|at| output.data.all.get(at)).map(|datum| image(datum, positions)),
            others,
            more_others: output.data.more,
            at: is_named.then(|| positions.place(position(positions.json(), output.value))),
        }
    }
}

/// Media types that are readable as they are, the best first.
const PLAIN: [&str; 3] = ["text/plain", "text/markdown", "text/latex"];

fn text_rank(datum: &Datum<'_>) -> Option<usize> {
    let media_type = datum.media_type.as_str();
    if let Some(rank) = PLAIN.iter().position(|plain| *plain == media_type) {
        return Some(rank);
    }
    match media_type {
        "application/json" => Some(PLAIN.len()),
        // A page with a script (such as an interactive plot) is not readable as text.
        "text/html" if is_program(datum.content.value) => None,
        "text/html" => Some(PLAIN.len() + 1),
        _ if media_type.starts_with("text/") => Some(PLAIN.len() + 2),
        _ => None,
    }
}

fn is_program(html: &str) -> bool {
    // Maps and plots are often a whole page, escaped in an attribute.
    let is_tag = |at: usize| starts_with(html, at, "<script");
    memchr_iter(b'<', html.as_bytes()).any(is_tag) || html.contains("&lt;script")
}

/// Whether a plain text only names the object: `<pandas.io.formats.style.Styler at 0x7f…>`, `<… object>`.
fn is_opaque(datum: &Datum<'_>) -> bool {
    if datum.media_type != "text/plain" || datum.content.value.len() > LONGEST_NAME_BYTES {
        return false;
    }
    let text = datum.decoded();
    let name = text.trim().strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| !name.contains('\n') && (name.contains(" at 0x") || name.ends_with(" object")))
}

/// HTML without its style sheets, which are of no use as text: pandas tables begin with one.
fn without_styles(html: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut rest = html;
    while let Some(start) = tag(rest, "<style") {
        shown.push_str(rest.get(..start).unwrap_or_default());
        let sheet = rest.get(start..).unwrap_or_default();
        let end =
            tag(sheet, "</style").and_then(|end| sheet.get(end..)?.find('>').map(|close| end + close + 1));
        rest = end.and_then(|end| sheet.get(end..)).unwrap_or_default().trim_start();
    }
    if rest.len() == html.len() {
        return Cow::Borrowed(html);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// The offset of the first tag with this name, ignoring case.
fn tag(html: &str, name: &str) -> Option<usize> {
    memchr_iter(b'<', html.as_bytes()).find(|&at| starts_with(html, at, name))
}

fn starts_with(html: &str, at: usize, name: &str) -> bool {
    html.as_bytes().get(at..at + name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
}

fn image_rank(datum: &Datum<'_>) -> Option<usize> {
    let preferred = ["image/png", "image/jpeg", "image/webp", "image/gif"];
    let media_type = datum.media_type.as_str();
    is_image(media_type)
        .then(|| preferred.iter().position(|known| *known == media_type).unwrap_or(preferred.len()))
}

fn image(datum: &Datum<'_>, positions: &JsonPositions<'_>) -> ShownImage {
    look(&datum.media_type, datum.content, position(positions.json(), datum.content.value))
}

fn others(data: &[Datum<'_>], is_shown: impl Fn(usize) -> bool) -> Vec<(String, usize)> {
    let others = data.iter().enumerate().filter(|(at, _)| !is_shown(*at));
    others.map(|(_, datum)| (datum.media_type.clone(), datum.content.value.len())).collect()
}

/// The traceback, or if there is none, what its last line would be.
fn traceback(output: &CellOutput<'_>) -> String {
    let text = output.traceback_text();
    if !text.is_empty() {
        return text;
    }
    let name = output.ename.as_deref().unwrap_or("error");
    match output.evalue.as_deref() {
        None | Some("") => name.to_owned(),
        Some(message) => format!("{name}: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::fair_share;

    #[test]
    fn test_fair_share_redistributes_unused_space() {
        assert_eq!(fair_share(&[10, 20, 30], 100), usize::MAX);
        assert_eq!(fair_share(&[10, 1_000, 1_000], 100), 45);
        assert_eq!(fair_share(&[1_000], 100), 100);
        assert_eq!(fair_share(&[], 100), usize::MAX);
    }
}
