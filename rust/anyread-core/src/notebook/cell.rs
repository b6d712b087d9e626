//! The contents of a cell as slices of the file, under the names of nbformat 4 for every version.

use super::checks::{Checks, Stopped};
use super::json::{Text, fields, integer, items, name, owned, short, string};

/// The maximum number of attachments per cell and media types per output; real files have fewer.
const MOST_PARTS: usize = 64;

/// A cell. A field that the file lacks is absent here, even if the format requires it.
#[derive(Debug, Default)]
pub struct Cell<'a> {
    /// "code", "markdown", "raw", or another type that the file gives.
    pub kind: String,
    /// The id of the cell, since nbformat 4.5.
    pub id: Option<String>,
    /// The kernel's execution counter when the cell ran; `None` if it was not run.
    pub execution_count: Option<i64>,
    /// The language of the cell, in nbformat 2 and 3.
    pub language: Option<String>,
    /// The source of the cell.
    pub source: Option<Text<'a>>,
    /// The level of a heading cell, which only nbformat 2 and 3 have.
    pub heading_level: Option<usize>,
    /// The names and contents of files that the source refers to.
    pub attachments: Vec<(String, Data<'a>)>,
    /// The number of attachments that were not kept.
    pub more_attachments: usize,
    outputs: Option<&'a str>,
    is_old: bool,
}

/// An output of a cell.
#[derive(Debug, Default)]
pub struct CellOutput<'a> {
    /// "stream", "`execute_result`", "`display_data`", "error", or another type that the file gives.
    pub kind: String,
    /// The name of a stream: "stdout" or "stderr".
    pub name: Option<String>,
    /// The execution count of a result.
    pub execution_count: Option<i64>,
    /// The class of an error.
    pub ename: Option<String>,
    /// The message of an error.
    pub evalue: Option<String>,
    traceback: Option<&'a str>,
    /// The pieces of a stream.
    pub text: Vec<Text<'a>>,
    /// The same content in several media types.
    pub data: Data<'a>,
    /// The JSON of the output.
    pub value: &'a str,
}

/// Content in one media type.
#[derive(Debug, Clone)]
pub struct Datum<'a> {
    /// The media type.
    pub media_type: String,
    /// The content: text, base64, or JSON.
    pub content: Text<'a>,
}

/// The same content in several media types, in the order of the file.
#[derive(Debug, Default)]
pub struct Data<'a> {
    /// The content in each media type.
    pub all: Vec<Datum<'a>>,
    /// The number of media types that were not kept.
    pub more: usize,
}

impl<'a> Data<'a> {
    /// Adds the fields of an object: a media type each.
    fn extend(&mut self, value: &'a str, is_old: bool, checks: &Checks<'_>) -> Result<(), Stopped> {
        for field in fields(value, checks) {
            let (media_type, value) = field?;
            self.push(&media_type, Text { value, is_old });
        }
        Ok(())
    }

    fn push(&mut self, media_type: &str, content: Text<'a>) {
        let media_type = short(media_type);
        if let Some(previous) = self.all.iter_mut().find(|datum| datum.media_type == media_type) {
            // The last of several fields with the same name wins, as in most JSON parsers.
            previous.content = content;
        } else if self.all.len() < MOST_PARTS {
            self.all.push(Datum { media_type, content });
        } else {
            self.more += 1;
        }
    }
}

impl Datum<'_> {
    /// The content as text: JSON as written, anything else decoded.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn decoded(&self, checks: &Checks<'_>) -> Result<String, Stopped> {
        // In a JSON media type a list is data; in any other it is a text split into pieces.
        if self.is_json() && !self.content.value.starts_with('"') {
            return owned(self.content.value.into());
        }
        self.content.decoded(checks)
    }

    /// Whether the content is JSON data rather than text in a JSON string.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.media_type == "application/json" || self.media_type.ends_with("+json")
    }
}

impl<'a> Cell<'a> {
    /// Parses the JSON of a cell, which is known to be valid; `is_old` means nbformat 2 or 3.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn parse(value: &'a str, is_old: bool, checks: &Checks<'_>) -> Result<Self, Stopped> {
        let mut cell = Self { is_old, ..Self::default() };
        let text = |value| Text { value, is_old };
        for field in fields(value, checks) {
            let (field, value) = field?;
            match &*field {
                "cell_type" => cell.kind = name(value, checks)?.unwrap_or_default(),
                "id" => cell.id = name(value, checks)?.filter(|id| !id.is_empty()),
                "execution_count" | "prompt_number" => cell.execution_count = integer(value),
                "language" => cell.language = name(value, checks)?.filter(|language| !language.is_empty()),
                "source" | "input" => cell.source = Some(text(value)),
                "level" => {
                    cell.heading_level = integer(value).and_then(|level| usize::try_from(level).ok());
                }
                "outputs" => cell.outputs = Some(value),
                "attachments" => cell.add_attachments(value, checks)?,
                _ => {}
            }
        }
        if cell.kind == "heading" || cell.kind == "html" {
            "markdown".clone_into(&mut cell.kind);
        } else {
            cell.heading_level = None;
        }
        Ok(cell)
    }

    fn add_attachments(&mut self, value: &'a str, checks: &Checks<'_>) -> Result<(), Stopped> {
        for file in fields(value, checks) {
            let (file, value) = file?;
            if self.attachments.len() == MOST_PARTS {
                self.more_attachments += 1;
                continue;
            }
            let mut data = Data::default();
            data.extend(value, self.is_old, checks)?;
            self.attachments.push((short(&file), data));
        }
        Ok(())
    }

    /// The source; a heading cell as a Markdown heading.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn source_text(&self, checks: &Checks<'_>) -> Result<String, Stopped> {
        let source = self.source.map_or(Ok(String::new()), |source| source.decoded(checks))?;
        let Some(level) = self.heading_level else { return Ok(source) };
        // Markdown has six levels, but the file may contain any number.
        let mut heading = "#".repeat(level.clamp(1, 6));
        if source.is_empty() {
            heading.push(' ');
        }
        for line in source.lines() {
            checks.passed(line.len() + 1)?;
            heading.try_reserve(1 + line.len())?;
            heading.extend([" ", line]);
        }
        Ok(heading)
    }

    /// The first `most` outputs, and the number of all outputs.
    ///
    /// Consecutive pieces of one stream are merged: a progress bar writes hundreds of them.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn outputs(&self, most: usize, checks: &Checks<'_>) -> Result<(Vec<CellOutput<'a>>, usize), Stopped> {
        let (mut outputs, mut count) = (Vec::<CellOutput<'a>>::new(), 0);
        for value in items(self.outputs.unwrap_or_default(), checks) {
            let value = value?;
            if count > most {
                count += 1;
                continue;
            }
            let output = CellOutput::parse(value, self.is_old, checks)?;
            match outputs.last_mut() {
                Some(previous)
                    if count <= most
                        && output.kind == "stream"
                        && previous.is_stream(output.name.as_ref()) =>
                {
                    previous.text.extend(output.text);
                }
                _ => {
                    count += 1;
                    if outputs.len() < most {
                        outputs.push(output);
                    }
                }
            }
        }
        Ok((outputs, count))
    }

    /// All outputs, unmerged.
    ///
    /// # Errors
    /// [`Stopped`]
    pub fn all_outputs(&self, checks: &Checks<'_>) -> Result<Vec<CellOutput<'a>>, Stopped> {
        let outputs = items(self.outputs.unwrap_or_default(), checks);
        outputs.map(|value| CellOutput::parse(value?, self.is_old, checks)).collect()
    }
}

impl<'a> CellOutput<'a> {
    fn parse(value: &'a str, is_old: bool, checks: &Checks<'_>) -> Result<Self, Stopped> {
        let mut output = Self { value, ..Self::default() };
        let text = |value| Text { value, is_old };
        let (mut plain, mut inline) = (None, Data::default());
        for field in fields(value, checks) {
            let (field, value) = field?;
            match &*field {
                "output_type" => output.kind = name(value, checks)?.unwrap_or_default(),
                "name" | "stream" => output.name = name(value, checks)?,
                "execution_count" | "prompt_number" => output.execution_count = integer(value),
                "ename" => output.ename = name(value, checks)?,
                "evalue" => output.evalue = string(value, checks)?,
                "traceback" => output.traceback = Some(value).filter(|value| *value != "null"),
                "text" => plain = Some(text(value)),
                "data" => output.data.extend(value, is_old, checks)?,
                "metadata" => {}
                _ => {
                    if let Some(media_type) = media_type_of_field(&field, is_old) {
                        inline.push(media_type, text(value));
                    }
                }
            }
        }
        match output.kind.as_str() {
            "pyout" => "execute_result".clone_into(&mut output.kind),
            "pyerr" => "error".clone_into(&mut output.kind),
            _ => {}
        }
        match output.kind.as_str() {
            "stream" => {
                output.text.extend(plain);
                output.name.get_or_insert_with(|| "stdout".to_owned());
            }
            "error" => {}
            // nbformat 2 and 3 had no `data`: each format was a field of its own. Some later files have none, too.
            _ if output.data.all.is_empty() => {
                if let Some(plain) = plain {
                    output.data.push("text/plain", plain);
                }
                output.data.all.append(&mut inline.all);
                output.data.more = inline.more;
            }
            _ => {}
        }
        Ok(output)
    }

    /// The lines of an error's traceback, not cleaned.
    pub fn traceback_lines<'c>(
        &self,
        checks: &'c Checks<'c>,
    ) -> impl Iterator<Item = Result<String, Stopped>> + use<'a, 'c> {
        let value = self.traceback.unwrap_or_default();
        let single = Some(Ok(value)).filter(|_| !value.is_empty() && !value.starts_with('['));
        let lines = single.into_iter().chain(items(value, checks));
        lines.map(|line| Text { value: line?, is_old: false }.decoded(checks))
    }

    fn is_stream(&self, name: Option<&String>) -> bool {
        self.kind == "stream" && self.name.as_ref() == name
    }
}

/// The media type that a field of an output without `data` contains; `None` if it contains anything else.
fn media_type_of_field(name: &str, is_old: bool) -> Option<&str> {
    Some(match name {
        "html" => "text/html",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpeg" => "image/jpeg",
        "latex" => "text/latex",
        "json" => "application/json",
        "javascript" => "application/javascript",
        _ if is_old || name.contains('/') => name,
        _ => return None,
    })
}
