//! A cell as a page shows it: selects which contents to show as text or as an image, and which only to name.

use crate::gutter::Gutter;

use super::JsonPosition;
use super::cell::{Cell, CellOutput, Data, Datum};
use super::checks::{Checks, Stopped};
use super::clean::cleaned;
use super::image::{ShownImage, is_image, look};
use super::json::{JsonPositions, Text, TextPositions, owned, position};
use super::markup::{Markup, is_readable};
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
    /// The lines of a source end after the one that reaches this size, in bytes; the others are counted.
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
    /// The images in data URLs of a Markdown source.
    pub pictures: Vec<ShownImage>,
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
    /// The images in data URLs of the text, if it is markup.
    pub pictures: Vec<ShownImage>,
    /// Media types that are not shown, each with its size in the file in bytes.
    pub others: Vec<(String, usize)>,
    /// The number of media types that are not even listed in `others`.
    pub more_others: usize,
    /// The position in the file of the first of `others`.
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
    let markup = match cell.source {
        Some(source) if cell.kind == "markdown" && cell.heading_level.is_none() => {
            Markup::of_markdown(&text, source, positions, checks)?
        }
        _ => None,
    };
    let origin = match cell.source {
        Some(source) if cell.heading_level.is_none() && markup.is_none() => {
            verbatim(source, positions, checks)
        }
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
    let shown = markup.as_ref().map_or(text.as_str(), |markup| &markup.text);
    let mut source = passage(shown, origin, shape, positions, checks)?;
    let mut pictures = Vec::new();
    if let Some(markup) = markup {
        source.hidden.extend(markup.hidden);
        pictures = markup.pictures;
        // Programs get the source as it is in the file.
        source.bytes = text.len();
        source.plain = text;
    }
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
        pictures,
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
    positions: &mut JsonPositions<'_>,
    checks: &Checks<'_>,
) -> Result<ShownPart, Stopped> {
    let chosen = data.all.iter().position(|datum| is_image(&datum.media_type));
    let (others, at) = others(&data.all, |at| Some(at) == chosen, positions);
    Ok(ShownPart {
        kind: "attachment".to_owned(),
        name: Some(name.to_owned()),
        image: image(chosen, &data.all, positions, checks)?,
        others,
        more_others: data.more,
        at,
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
        outputs.iter().map(|output| OutputText::of(output, positions, checks)).collect::<Result<_, _>>()?;
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
    /// The plain text that says nothing, which is not even named if anything else is shown.
    opaque: Option<usize>,
    markup: Markup,
}

impl<'a> OutputText<'a> {
    fn of(
        output: &CellOutput<'a>,
        positions: &mut JsonPositions<'_>,
        checks: &Checks<'_>,
    ) -> Result<Self, Stopped> {
        let mut content = Self {
            text: String::new(),
            media_type: None,
            value: output.value,
            exact: None,
            chosen: None,
            image: None,
            opaque: None,
            markup: Markup::default(),
        };
        let mut text = match output.kind.as_str() {
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
        if let Some(source) = content.exact {
            let markup = match content.media_type.as_deref() {
                Some("text/html" | SVG) => Markup::of_html(&text, source, positions, checks)?,
                Some("text/markdown") => Markup::of_markdown(&text, source, positions, checks)?,
                _ => None,
            };
            if let Some(mut markup) = markup {
                content.exact = None;
                text = std::mem::take(&mut markup.text);
                content.markup = markup;
            }
        }
        content.text = owned(cleaned(&text, checks)?)?;
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
        self.opaque = ranks.iter().position(|rank| *rank == Some(OPAQUE_RANK));
        // Next to an image, markup only repeats its content.
        let repeats = |rank: usize| self.image.is_some() && (PLAIN.len()..OPAQUE_RANK).contains(&rank);
        self.chosen = best(&mut ranks.iter().map(|rank| rank.filter(|&rank| !repeats(rank))));
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
        mut passage: Passage,
        positions: &mut JsonPositions<'_>,
        checks: &Checks<'_>,
    ) -> Result<ShownPart, Stopped> {
        let is_shown = |at| [self.chosen, self.image, self.opaque].contains(&Some(at));
        let (mut others, mut at) = others(&output.data.all, is_shown, positions);
        if let Some((bytes, place)) = self.markup.scripts {
            others.insert(0, ("text/javascript".to_owned(), bytes));
            at = Some(place);
        }
        let is_empty = self.media_type.is_none() && self.image.is_none() && others.is_empty();
        if is_empty && !KINDS.contains(&output.kind.as_str()) {
            others.push(("application/json".to_owned(), output.value.len()));
            at = Some(positions.place(position(positions.json(), output.value)));
        }
        passage.hidden.extend(self.markup.hidden);
        Ok(ShownPart {
            kind: output.kind.clone(),
            name: output.name.clone().or_else(|| output.ename.clone()),
            execution_count: output.execution_count,
            media_type: self.media_type,
            passage,
            image: image(self.image, &output.data.all, positions, checks)?,
            pictures: self.markup.pictures,
            others,
            more_others: output.data.more,
            at,
        })
    }
}

/// The types of outputs that the format has.
const KINDS: [&str; 4] = ["stream", "error", "execute_result", "display_data"];

/// Media types that are readable as they are, the best first.
const PLAIN: [&str; 3] = ["text/plain", "text/markdown", "text/latex"];

/// The media type of SVG, which is text.
const SVG: &str = "image/svg+xml";

/// The rank of a plain text that says nothing: after every other text.
const OPAQUE_RANK: usize = PLAIN.len() + 4;

fn text_rank(datum: &Datum<'_>, checks: &Checks<'_>) -> Result<Option<usize>, Stopped> {
    let media_type = datum.media_type.as_str();
    let rank = match media_type {
        "text/plain" if is_opaque(datum, checks)? => OPAQUE_RANK,
        // A page that only has a script (such as an interactive plot) is not readable as text.
        "text/html" if !is_readable(datum.content, checks)? => return Ok(None),
        // What has a vendor is for a program of that vendor.
        _ if datum.is_json() && !media_type.starts_with("application/vnd.") => PLAIN.len(),
        SVG => PLAIN.len() + 1,
        "text/html" => PLAIN.len() + 2,
        _ => match PLAIN.iter().position(|plain| *plain == media_type) {
            Some(rank) => rank,
            None if media_type.starts_with("text/") => PLAIN.len() + 3,
            None => return Ok(None),
        },
    };
    Ok(Some(rank))
}

/// Whether a plain text is blank or only names the object: `<pandas.io.formats.style.Styler at 0x7f…>`,
/// `<… object>`.
fn is_opaque(datum: &Datum<'_>, checks: &Checks<'_>) -> Result<bool, Stopped> {
    if datum.content.value.len() > LONGEST_NAME_BYTES {
        return Ok(false);
    }
    let text = datum.decoded(checks)?;
    let text = text.trim();
    let name = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    Ok(text.is_empty()
        || name.is_some_and(|name| {
            !name.contains('\n') && (name.contains(" at 0x") || name.ends_with(" object"))
        }))
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
    look(&datum.media_type, datum.content.value, start, checks).map(Some)
}

/// The media types that are not shown with their sizes, and where the first of them is.
fn others(
    data: &[Datum<'_>],
    is_shown: impl Fn(usize) -> bool,
    positions: &mut JsonPositions<'_>,
) -> (Vec<(String, usize)>, Option<JsonPosition>) {
    let others: Vec<_> =
        data.iter().enumerate().filter(|(at, _)| !is_shown(*at)).map(|(_, datum)| datum).collect();
    let at = others.first().map(|datum| positions.place(position(positions.json(), datum.content.value)));
    (others.iter().map(|datum| (datum.media_type.clone(), datum.content.value.len())).collect(), at)
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

/// The traceback, and what its last line would be if it lacks the message.
fn traceback(output: &CellOutput<'_>, checks: &Checks<'_>) -> Result<String, Stopped> {
    let mut text = joined(output.traceback_lines(checks), "\n")?;
    text.pop();
    let message = output.evalue.as_deref().unwrap_or_default();
    if !text.is_empty() && cleaned(&text, checks)?.contains(cleaned(message, checks)?.trim()) {
        return Ok(text);
    }
    let name = output.ename.as_deref().unwrap_or("error");
    let last = if message.is_empty() { name.to_owned() } else { format!("{name}: {message}") };
    let between = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    text.try_reserve(between.len() + last.len())?;
    text.extend([between, &last]);
    Ok(text)
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
