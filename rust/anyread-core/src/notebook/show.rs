//! A cell as a page shows it: selects which contents to show as text or as an image, and which only to name.

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::gutter::Gutter;

use super::JsonPosition;
use super::cell::{Cell, CellOutput, Data, Datum};
use super::checks::{Checks, Stopped};
use super::clean::cleaned;
use super::image::{ShownImage, is_image, look};
use super::json::{JsonPositions, Text, TextPositions, owned, position};
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
pub fn show(
    cell: &Cell<'_>,
    style: &Style<'_>,
    positions: &mut JsonPositions<'_>,
    checks: &Checks<'_>,
) -> Result<ShownCell, Stopped> {
    let text = cell.source_text(checks)?;
    let origin = match cell.source {
        Some(source) if cell.heading_level.is_none() => verbatim(source, positions, checks),
        Some(source) => Origin::Derived(position(positions.json(), source.value)),
        None => Origin::Derived(0),
    };
    let shape = Shape {
        gutter: style.gutter,
        is_numbered: true,
        max_line_chars: style.max_line_chars,
        max_bytes: style.max_source_bytes,
        keeps_end: false,
    };
    let source = passage(&text, origin, shape, positions, checks)?;
    let attachments = cell.attachments.iter();
    let attachments = attachments.map(|(name, contents)| attachment(name, contents, positions, checks));
    let attachments = attachments.collect::<Result<_, _>>()?;
    let most = (style.max_output_bytes / LEAST_OUTPUT_BYTES).max(1);
    let (outputs, count) = cell.outputs(most, checks)?;
    let more_at =
        (count > most).then(|| outputs.last().map(|last| positions.place(end_of(last.value, positions))));
    Ok(ShownCell {
        kind: cell.kind.clone(),
        id: cell.id.clone(),
        execution_count: cell.execution_count,
        source,
        attachments,
        more_attachments: cell.more_attachments,
        outputs: show_outputs(&outputs, style, positions, checks)?,
        more_outputs: count.saturating_sub(most),
        more_at: more_at.flatten(),
    })
}

/// The origin of a text that is decoded without changes.
fn verbatim<'a, 'c>(text: Text<'a>, positions: &JsonPositions<'_>, checks: &'c Checks<'c>) -> Origin<'a, 'c> {
    Origin::Verbatim(position(positions.json(), text.value), TextPositions::new(text, checks))
}

fn end_of(value: &str, positions: &JsonPositions<'_>) -> usize {
    position(positions.json(), value) + value.len()
}

fn attachment(
    name: &str,
    data: &Data<'_>,
    positions: &JsonPositions<'_>,
    checks: &Checks<'_>,
) -> Result<ShownPart, Stopped> {
    let chosen = data.all.iter().position(|datum| is_image(&datum.media_type));
    Ok(ShownPart {
        kind: "attachment".to_owned(),
        name: Some(name.to_owned()),
        image: image(chosen, &data.all, positions, checks)?,
        others: others(&data.all, |at| Some(at) == chosen),
        more_others: data.more,
        ..ShownPart::default()
    })
}

/// Shows the outputs, cutting the largest ones so that together they fit `max_output_bytes`.
fn show_outputs(
    outputs: &[CellOutput<'_>],
    style: &Style<'_>,
    positions: &mut JsonPositions<'_>,
    checks: &Checks<'_>,
) -> Result<Vec<ShownPart>, Stopped> {
    let texts: Vec<_> =
        outputs.iter().map(|output| OutputText::of(output, checks)).collect::<Result<_, _>>()?;
    let mut show_text = |content: &OutputText<'_>, max_bytes| {
        let shape = Shape {
            gutter: style.gutter,
            is_numbered: false,
            max_line_chars: style.max_line_chars,
            max_bytes,
            keeps_end: true,
        };
        passage(&content.text, content.origin(positions, checks), shape, positions, checks)
    };
    let mut passages: Vec<_> =
        texts.iter().map(|content| show_text(content, style.max_output_bytes)).collect::<Result<_, _>>()?;
    let lengths: Vec<_> = passages.iter().map(|passage: &Passage| passage.text.len()).collect();
    let fair_bytes = fair_share(&lengths, style.max_output_bytes);
    for (passed, content) in passages.iter_mut().zip(&texts) {
        if passed.text.len() > fair_bytes {
            *passed = show_text(content, fair_bytes)?;
        }
    }
    let shown = outputs.iter().zip(texts).zip(passages);
    shown.map(|((output, content), passage)| content.into_shown(output, passage, positions, checks)).collect()
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
    fn of(output: &CellOutput<'a>, checks: &Checks<'_>) -> Result<Self, Stopped> {
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
                joined(output.text.iter().map(|text| text.decoded(checks)), "")?
            }
            "error" => traceback(output, checks)?,
            _ => {
                content.choose(&output.data.all, checks)?;
                let datum = content.chosen.and_then(|chosen| output.data.all.get(chosen));
                content.exact = datum.filter(|datum| !datum.is_json()).map(|datum| datum.content);
                datum.map_or(Ok(String::new()), |datum| datum.decoded(checks))?
            }
        };
        if content.chosen.is_none() && !text.is_empty() {
            content.media_type = Some("text/plain".to_owned());
        }
        let is_html = content.media_type.as_deref() == Some("text/html");
        let shown = if is_html { without_styles(&text, checks)? } else { Cow::Borrowed(text.as_str()) };
        content.text = owned(cleaned(&shown, checks)?)?;
        if content.text != text {
            content.exact = None;
        }
        Ok(content)
    }

    /// Chooses one text and one image among the media types; plain text is preferred to markup.
    fn choose(&mut self, data: &[Datum<'_>], checks: &Checks<'_>) -> Result<(), Stopped> {
        let ranks = data.iter().map(|datum| text_rank(datum, checks)).collect::<Result<Vec<_>, _>>()?;
        let best = |ranks: &mut dyn Iterator<Item = Option<usize>>| {
            let ranked = ranks.enumerate().filter_map(|(at, rank)| Some((rank?, at)));
            ranked.min().map(|(_, at)| at)
        };
        self.image = best(&mut data.iter().map(image_rank));
        let text = best(&mut ranks.iter().copied());
        let rank = |at: usize| ranks.get(at).copied().flatten();
        let html = (0..data.len()).find(|&at| rank(at) == Some(HTML_RANK));
        let is_opaque = match text.and_then(|at| data.get(at)) {
            Some(datum) => is_opaque(datum, checks)?,
            None => false,
        };
        self.chosen = match (self.image, html) {
            // Next to an image, markup only repeats its content.
            (Some(_), _) => text.filter(|&at| rank(at).is_some_and(|rank| rank < PLAIN.len())),
            (None, Some(_)) if is_opaque => html,
            _ => text,
        };
        self.media_type = self.chosen.and_then(|at| data.get(at)).map(|datum| datum.media_type.clone());
        Ok(())
    }

    fn origin<'c>(&self, positions: &JsonPositions<'_>, checks: &'c Checks<'c>) -> Origin<'a, 'c> {
        match self.exact {
            Some(text) => verbatim(text, positions, checks),
            None => Origin::Derived(position(positions.json(), self.value)),
        }
    }

    fn into_shown(
        self,
        output: &CellOutput<'_>,
        passage: Passage,
        positions: &mut JsonPositions<'_>,
        checks: &Checks<'_>,
    ) -> Result<ShownPart, Stopped> {
        let others = others(&output.data.all, |at| Some(at) == self.chosen || Some(at) == self.image);
        let is_named = self.media_type.is_none() && self.image.is_none();
        Ok(ShownPart {
            kind: output.kind.clone(),
            name: output.name.clone().or_else(|| output.ename.clone()),
            execution_count: output.execution_count,
            media_type: self.media_type,
            passage,
            image: image(self.image, &output.data.all, positions, checks)?,
            others,
            more_others: output.data.more,
            at: is_named.then(|| positions.place(position(positions.json(), output.value))),
        })
    }
}

/// Media types that are readable as they are, the best first.
const PLAIN: [&str; 3] = ["text/plain", "text/markdown", "text/latex"];

/// The rank of HTML among the texts, after the plain ones and JSON.
const HTML_RANK: usize = PLAIN.len() + 1;

fn text_rank(datum: &Datum<'_>, checks: &Checks<'_>) -> Result<Option<usize>, Stopped> {
    let media_type = datum.media_type.as_str();
    if let Some(rank) = PLAIN.iter().position(|plain| *plain == media_type) {
        return Ok(Some(rank));
    }
    Ok(match media_type {
        "application/json" => Some(PLAIN.len()),
        // A page with a script (such as an interactive plot) is not readable as text.
        "text/html" if is_program(datum.content.value, checks)? => None,
        "text/html" => Some(HTML_RANK),
        _ if media_type.starts_with("text/") => Some(HTML_RANK + 1),
        _ => None,
    })
}

fn is_program(html: &str, checks: &Checks<'_>) -> Result<bool, Stopped> {
    // Maps and plots are often a whole page, escaped in an attribute.
    Ok(tag(html, "<script", checks)?.is_some() || html.contains("&lt;script"))
}

/// Whether a plain text only names the object: `<pandas.io.formats.style.Styler at 0x7f…>`, `<… object>`.
fn is_opaque(datum: &Datum<'_>, checks: &Checks<'_>) -> Result<bool, Stopped> {
    if datum.media_type != "text/plain" || datum.content.value.len() > LONGEST_NAME_BYTES {
        return Ok(false);
    }
    let text = datum.decoded(checks)?;
    let name = text.trim().strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    Ok(name
        .is_some_and(|name| !name.contains('\n') && (name.contains(" at 0x") || name.ends_with(" object"))))
}

/// HTML without its style sheets, which are of no use as text: pandas tables begin with one.
fn without_styles<'h>(html: &'h str, checks: &Checks<'_>) -> Result<Cow<'h, str>, Stopped> {
    let mut shown = String::new();
    let mut rest = html;
    while let Some(start) = tag(rest, "<style", checks)? {
        shown.try_reserve_exact(rest.len())?;
        shown.push_str(rest.get(..start).unwrap_or_default());
        let sheet = rest.get(start..).unwrap_or_default();
        let end = tag(sheet, "</style", checks)?
            .and_then(|end| sheet.get(end..)?.find('>').map(|close| end + close + 1));
        rest = end.and_then(|end| sheet.get(end..)).unwrap_or_default().trim_start();
    }
    if rest.len() == html.len() {
        return Ok(Cow::Borrowed(html));
    }
    shown.push_str(rest);
    Ok(Cow::Owned(shown))
}

/// The offset of the first tag with this name, ignoring case.
fn tag(html: &str, name: &str, checks: &Checks<'_>) -> Result<Option<usize>, Stopped> {
    let mut passed = 0;
    for at in memchr_iter(b'<', html.as_bytes()) {
        if starts_with(html, at, name) {
            return Ok(Some(at));
        }
        checks.passed(at - passed)?;
        passed = at;
    }
    Ok(None)
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

fn image(
    chosen: Option<usize>,
    data: &[Datum<'_>],
    positions: &JsonPositions<'_>,
    checks: &Checks<'_>,
) -> Result<Option<ShownImage>, Stopped> {
    let Some(datum) = chosen.and_then(|at| data.get(at)) else { return Ok(None) };
    let start = position(positions.json(), datum.content.value);
    look(&datum.media_type, datum.content, start, checks).map(Some)
}

fn others(data: &[Datum<'_>], is_shown: impl Fn(usize) -> bool) -> Vec<(String, usize)> {
    let others = data.iter().enumerate().filter(|(at, _)| !is_shown(*at));
    others.map(|(_, datum)| (datum.media_type.clone(), datum.content.value.len())).collect()
}

/// Texts in a row, each followed by `after`.
fn joined(texts: impl Iterator<Item = Result<String, Stopped>>, after: &str) -> Result<String, Stopped> {
    let mut joined = String::new();
    for text in texts {
        let text = text?;
        joined.try_reserve(text.len() + after.len())?;
        joined.extend([&*text, after]);
    }
    Ok(joined)
}

/// The traceback, or if there is none, what its last line would be.
fn traceback(output: &CellOutput<'_>, checks: &Checks<'_>) -> Result<String, Stopped> {
    let mut text = joined(output.traceback_lines(checks), "\n")?;
    text.pop();
    if !text.is_empty() {
        return Ok(text);
    }
    let name = output.ename.as_deref().unwrap_or("error");
    Ok(match output.evalue.as_deref() {
        None | Some("") => name.to_owned(),
        Some(message) => format!("{name}: {message}"),
    })
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
