//! A cell as a page shows it: which of its contents are text, which are images, which are only named.

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::gutter::Gutter;

use super::JsonPosition;
use super::cell::{Cell, CellOutput, Data, Datum};
use super::clean::cleaned;
use super::json::{JsonPositions, Text, position};
use super::passage::{Origin, Passage, Shape, passage};
use super::picture::{ShownPicture, is_picture, look};

/// The least that an output may show before others of its cell are left out instead.
const LEAST_OUTPUT_BYTES: usize = 256;

/// The longest name of an object that stands for it: a module, a class and an address.
const LONGEST_NAME_BYTES: usize = 512;

/// How cells are shown.
#[derive(Debug, Clone, Copy)]
pub struct Style<'a> {
    /// What stands before lines: with numbers before those of a source, without before those of outputs.
    pub gutter: &'a Gutter,
    /// Characters of a line that are shown.
    pub max_line_chars: usize,
    /// Bytes that the source of a cell may show.
    pub max_source_bytes: usize,
    /// Bytes that all outputs of a cell together may show.
    pub max_output_bytes: usize,
}

/// A cell as it is shown.
#[derive(Debug, Default)]
pub struct ShownCell {
    /// As in [`Cell`].
    pub kind: String,
    /// As in [`Cell`].
    pub id: Option<String>,
    /// As in [`Cell`].
    pub execution_count: Option<i64>,
    /// What was typed.
    pub source: Passage,
    /// Files that the source refers to: names, and what there is to be shown.
    pub attachments: Vec<ShownPart>,
    /// How many more of those there are.
    pub more_attachments: usize,
    /// What came out.
    pub outputs: Vec<ShownPart>,
    /// How many more outputs there are.
    pub more_outputs: usize,
    /// Where the file has those.
    pub more_at: Option<JsonPosition>,
}

/// An output, or an attachment, as it is shown.
#[derive(Debug, Default)]
pub struct ShownPart {
    /// As in [`CellOutput`]; "attachment" for an attachment.
    pub kind: String,
    /// The name of a stream or an attachment, of an error its class.
    pub name: Option<String>,
    /// As in [`CellOutput`].
    pub execution_count: Option<i64>,
    /// The media type of the text; `None` if there is no text to show.
    pub media_type: Option<String>,
    /// The text, cleaned.
    pub passage: Passage,
    /// The image, if it has one.
    pub picture: Option<ShownPicture>,
    /// Media types that are not shown, each with the bytes that it takes in the file.
    pub others: Vec<(String, usize)>,
    /// How many more of those there are.
    pub more_others: usize,
    /// Where the file has the output.
    pub at: Option<JsonPosition>,
}

impl ShownCell {
    /// Bytes of all shown texts.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.source.text.len() + self.outputs.iter().map(|output| output.passage.text.len()).sum::<usize>()
    }
}

/// Shows a cell.
pub fn show(cell: &Cell<'_>, style: &Style<'_>, places: &mut JsonPositions<'_>) -> ShownCell {
    let text = cell.source_text();
    let start = |text: &Text<'_>, places: &JsonPositions<'_>| position(places.json(), text.value);
    let origin = match cell.source {
        Some(source) if cell.heading_level.is_none() => Origin::Exactly(source),
        Some(source) => Origin::Made(start(&source, places)),
        None => Origin::Made(0),
    };
    let shape = Shape {
        gutter: style.gutter,
        is_numbered: true,
        max_line_chars: style.max_line_chars,
        max_bytes: style.max_source_bytes,
        keeps_end: false,
    };
    let source = passage(&text, origin, shape, places);
    let attachments = cell.attachments.iter().map(|(name, contents)| attachment(name, contents, places));
    let attachments = attachments.collect();
    let most = (style.max_output_bytes / LEAST_OUTPUT_BYTES).max(1);
    let (outputs, count) = cell.outputs(most);
    let more_at = (count > most).then(|| outputs.last().map(|last| places.place(end_of(last.value, places))));
    ShownCell {
        kind: cell.kind.clone(),
        id: cell.id.clone(),
        execution_count: cell.execution_count,
        source,
        attachments,
        more_attachments: cell.more_attachments,
        outputs: show_outputs(&outputs, style, places),
        more_outputs: count.saturating_sub(most),
        more_at: more_at.flatten(),
    }
}

fn end_of(value: &str, places: &JsonPositions<'_>) -> usize {
    position(places.json(), value) + value.len()
}

fn attachment(name: &str, data: &Data<'_>, places: &JsonPositions<'_>) -> ShownPart {
    let chosen = data.all.iter().position(|datum| is_picture(&datum.media_type));
    ShownPart {
        kind: "attachment".to_owned(),
        name: Some(name.to_owned()),
        picture: chosen.and_then(|at| data.all.get(at)).map(|datum| picture(datum, places)),
        others: others(&data.all, |at| Some(at) == chosen),
        more_others: data.more,
        ..ShownPart::default()
    }
}

/// The outputs, the largest of them cut so that together they keep to the style's bytes.
fn show_outputs(
    outputs: &[CellOutput<'_>],
    style: &Style<'_>,
    places: &mut JsonPositions<'_>,
) -> Vec<ShownPart> {
    let texts: Vec<_> = outputs.iter().map(OutputText::of).collect();
    let within = |max_bytes| Shape {
        gutter: style.gutter,
        is_numbered: false,
        max_line_chars: style.max_line_chars,
        max_bytes,
        keeps_end: true,
    };
    let mut passages: Vec<_> = texts
        .iter()
        .map(|content| passage(&content.text, content.origin(places), within(style.max_output_bytes), places))
        .collect();
    let lengths: Vec<_> = passages.iter().map(|passage| passage.text.len()).collect();
    let share = fair_share(&lengths, style.max_output_bytes);
    for (passed, content) in passages.iter_mut().zip(&texts) {
        if passed.text.len() > share {
            *passed = passage(&content.text, content.origin(places), within(share), places);
        }
    }
    let shown = outputs.iter().zip(texts).zip(passages);
    shown.map(|((output, content), passage)| content.into_shown(output, passage, places)).collect()
}

/// The most that each may have so that all together have at most `total`: who needs less leaves the rest to others.
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

/// What of an output is text.
struct OutputText<'a> {
    text: String,
    media_type: Option<String>,
    value: &'a str,
    /// The value, if the text is exactly what it says.
    exact: Option<Text<'a>>,
    chosen: Option<usize>,
    picture: Option<usize>,
}

impl<'a> OutputText<'a> {
    fn of(output: &CellOutput<'a>) -> Self {
        let mut content = Self {
            text: String::new(),
            media_type: None,
            value: output.value,
            exact: None,
            chosen: None,
            picture: None,
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

    /// Chooses among the media types: plain text before what is marked up, and one image.
    fn choose(&mut self, data: &[Datum<'_>]) {
        let best = |rank: fn(&Datum<'_>) -> Option<usize>| {
            let ranked = data.iter().enumerate().filter_map(|(at, datum)| Some((rank(datum)?, at)));
            ranked.min().map(|(_, at)| at)
        };
        self.picture = best(picture_rank);
        let text = best(text_rank);
        let is_plain = |&at: &usize| data.get(at).and_then(text_rank).is_some_and(|rank| rank < PLAIN.len());
        let html =
            data.iter().position(|datum| datum.media_type == "text/html" && text_rank(datum).is_some());
        let is_opaque = text.and_then(|at| data.get(at)).is_some_and(is_opaque);
        self.chosen = match (self.picture, html) {
            // Beside an image, markup only says the same again.
            (Some(_), _) => text.filter(is_plain),
            (None, Some(_)) if is_opaque => html,
            _ => text,
        };
        self.media_type = self.chosen.and_then(|at| data.get(at)).map(|datum| datum.media_type.clone());
    }

    fn origin(&self, places: &JsonPositions<'_>) -> Origin<'a> {
        match self.exact {
            Some(text) => Origin::Exactly(text),
            None => Origin::Made(position(places.json(), self.value)),
        }
    }

    fn into_shown(
        self,
        output: &CellOutput<'_>,
        passage: Passage,
        places: &mut JsonPositions<'_>,
    ) -> ShownPart {
        let others = others(&output.data.all, |at| Some(at) == self.chosen || Some(at) == self.picture);
        let is_named = self.media_type.is_none() && self.picture.is_none();
        ShownPart {
            kind: output.kind.clone(),
            name: output.name.clone().or_else(|| output.ename.clone()),
            execution_count: output.execution_count,
            media_type: self.media_type,
            passage,
            picture: self.picture.and_then(|at| output.data.all.get(at)).map(|datum| picture(datum, places)),
            others,
            more_others: output.data.more,
            at: is_named.then(|| places.place(position(places.json(), output.value))),
        }
    }
}

/// Media types that are read as they are, the best first.
const PLAIN: [&str; 3] = ["text/plain", "text/markdown", "text/latex"];

fn text_rank(datum: &Datum<'_>) -> Option<usize> {
    let media_type = datum.media_type.as_str();
    if let Some(rank) = PLAIN.iter().position(|plain| *plain == media_type) {
        return Some(rank);
    }
    match media_type {
        "application/json" => Some(PLAIN.len()),
        // A page with a program in it (a plot that one can turn) says nothing as text.
        "text/html" if is_program(datum.content.value) => None,
        "text/html" => Some(PLAIN.len() + 1),
        _ if media_type.starts_with("text/") => Some(PLAIN.len() + 2),
        _ => None,
    }
}

fn is_program(html: &str) -> bool {
    // Maps and plots come as a whole page in an attribute, escaped.
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

/// HTML without its style sheets, which say nothing as text: tables of pandas begin with one.
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

/// Where a tag begins, in capitals or not.
fn tag(html: &str, name: &str) -> Option<usize> {
    memchr_iter(b'<', html.as_bytes()).find(|&at| starts_with(html, at, name))
}

fn starts_with(html: &str, at: usize, name: &str) -> bool {
    html.as_bytes().get(at..at + name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
}

fn picture_rank(datum: &Datum<'_>) -> Option<usize> {
    let preferred = ["image/png", "image/jpeg", "image/webp", "image/gif"];
    let media_type = datum.media_type.as_str();
    is_picture(media_type)
        .then(|| preferred.iter().position(|known| *known == media_type).unwrap_or(preferred.len()))
}

fn picture(datum: &Datum<'_>, places: &JsonPositions<'_>) -> ShownPicture {
    look(&datum.media_type, datum.content, position(places.json(), datum.content.value))
}

fn others(data: &[Datum<'_>], is_shown: impl Fn(usize) -> bool) -> Vec<(String, usize)> {
    let others = data.iter().enumerate().filter(|(at, _)| !is_shown(*at));
    others.map(|(_, datum)| (datum.media_type.clone(), datum.content.value.len())).collect()
}

/// The traceback; without one, what the last line of it would say.
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
    fn who_needs_less_leaves_the_rest_to_others() {
        assert_eq!(fair_share(&[10, 20, 30], 100), usize::MAX);
        assert_eq!(fair_share(&[10, 1_000, 1_000], 100), 45);
        assert_eq!(fair_share(&[1_000], 100), 100);
        assert_eq!(fair_share(&[], 100), usize::MAX);
    }
}
