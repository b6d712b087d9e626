//! Conversion of Python arguments to the types of the core.

use std::borrow::Cow;
use std::ops::Deref;
use std::path::Path;

use anyread_core::encoding::Codec;
use anyread_core::engine::{Find, Request, WantedKind};
use anyread_core::error::{Error, ErrorKind, Result};
use anyread_core::gutter::Gutter;
use anyread_core::page::{Clip, Hidden, Layout, LineRange, OverBudget, Page, Span, Total, Window};
use anyread_core::system::path_from_bytes;
use anyread_core::tokens::Counter;
use pyo3::exceptions::PyKeyError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyString};

use crate::calls;
use crate::counter::{CallCounter, TokenCounter};
use crate::find::Pattern;

/// Converts the bytes of `os.fsencode` to a path.
pub fn path_from(bytes: &[u8]) -> Cow<'_, Path> {
    path_from_bytes(bytes)
}

/// A path as Python passes it: the bytes of `os.fsencode`, or a `str` of ASCII characters only, which has the
/// same bytes.
#[derive(Clone, Copy)]
pub struct PathArgument<'a, 'py> {
    object: Borrowed<'a, 'py, PyAny>,
    bytes: &'a [u8],
}

impl<'a, 'py> FromPyObject<'a, 'py> for PathArgument<'a, 'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let bytes = if object.is_instance_of::<PyString>() {
            <&'a str>::extract(object)?.as_bytes()
        } else {
            <&'a [u8]>::extract(object)?
        };
        Ok(Self { object, bytes })
    }
}

impl<'a, 'py> PathArgument<'a, 'py> {
    /// The path.
    pub fn path(self) -> Cow<'a, Path> {
        path_from(self.bytes)
    }

    /// The path as a Python `str`, if it was passed as one, so that it needs no copy.
    pub fn text(self) -> Option<Bound<'py, PyAny>> {
        self.object.is_exact_instance_of::<PyString>().then(|| self.object.to_owned())
    }
}

/// The codec for the encoding that a caller requested for the file at `path`.
pub fn codec(path: &Path, label: Option<&str>) -> Result<Option<Codec>> {
    let Some(label) = label else { return Ok(None) };
    if let Some(codec) = Codec::from_label(label) {
        return Ok(Some(codec));
    }
    let (near, undecodable) = (Codec::near_labels(label), Codec::unreadable(label));
    Err(Error::new(path, ErrorKind::UnknownEncoding { label: label.to_owned(), near, undecodable }))
}

/// The fields of `anyread.Limits` that apply to text.
#[derive(FromPyObject)]
pub struct Limits {
    pub max_lines: u64,
    max_line_chars: u64,
    fill_one_line: bool,
    max_bytes: u64,
    max_tokens: u64,
    tokenizer: Option<Py<PyAny>>,
    over_budget: String,
    exact_total: bool,
    count_bytes: u64,
    pub inline_bytes: u64,
    pub index_bytes: u64,
    nul: String,
    pub trust_append: bool,
    pub max_gzip_bytes: u64,
}

impl Limits {
    /// The token counter: one of the core's tokenizers or the host's callable; `None` for the estimate.
    pub fn counter(&self, py: Python<'_>) -> PyResult<Option<TokenCounter>> {
        self.tokenizer.as_ref().map(|tokenizer| TokenCounter::new(tokenizer.bind(py))).transpose()
    }
}

/// An `anyread.Gutter`.
pub struct PyGutter {
    /// The gutter in the core's form.
    pub gutter: Gutter,
}

impl<'py> FromPyObject<'_, 'py> for PyGutter {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let gutter = Gutter {
            before: String::new(),
            width: object.getattr("width")?.extract()?,
            separator: object.getattr("separator")?.extract()?,
            every: object.getattr("every")?.extract()?,
        };
        Ok(Self { gutter })
    }
}

/// The validated and complete arguments of one call: an `anyread.arguments.request.Request`.
pub struct ReadRequest {
    pub offset: i64,
    pub limit: Option<u64>,
    pub column: u64,
    pub ranges: Vec<Span>,
    /// The line that `around` names without a limit.
    around: Option<Span>,
    pub encoding: Option<String>,
    pub kind: Option<String>,
    /// Whether a value inside the file is requested, which Python finds.
    is_addressed: bool,
    pub max_tokens: Option<u64>,
    pub max_bytes: Option<u64>,
    pub unless_version: Option<String>,
    pub since_version: Option<String>,
    find: Option<Patterns>,
    pub gutter: Option<PyGutter>,
    /// An argument that does not apply to text, if there is one.
    foreign: Option<String>,
    /// All of them as Python passed them.
    arguments: Py<PyDict>,
}

/// What `anyread.arguments.request` declares about the arguments of a text.
#[derive(FromPyObject)]
struct Declared {
    /// Those that the next call repeats.
    #[pyo3(attribute("REPEATED"))]
    repeated: Vec<DeclaredArgument>,
    /// Those that do not apply to text.
    #[pyo3(attribute("FOREIGN"))]
    foreign: Vec<DeclaredArgument>,
}

/// An argument's name and default.
#[derive(FromPyObject)]
struct DeclaredArgument(Py<PyString>, Py<PyAny>);

impl Declared {
    fn get(py: Python<'_>) -> PyResult<&Self> {
        static DECLARED: PyOnceLock<Declared> = PyOnceLock::new();
        DECLARED.get_or_try_init(py, || calls::import(intern!(py, "anyread.arguments.request"))?.extract())
    }
}

impl DeclaredArgument {
    /// The value that was passed, unless it is the default.
    fn passed<'py>(&self, request: &Bound<'py, PyDict>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Self(name, default) = self;
        Ok(request.get_item(name)?.filter(|value| !value.is(default)))
    }
}

/// A pattern, and the same letters as they are.
#[derive(FromPyObject)]
struct Patterns(Py<Pattern>, Option<Py<Pattern>>);

impl Patterns {
    fn of(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let module = calls::import(intern!(text.py(), "anyread.arguments.patterns"))?;
        let compiled = module.getattr(intern!(text.py(), "compiled"))?;
        calls::call(&compiled, &(text,).into_pyobject(text.py())?, None)?.extract()
    }
}

impl ReadRequest {
    /// The request that Python passed; `None` for a request without arguments.
    pub fn of<'a>(py: Python<'a>, request: Option<&Bound<'_, PyAny>>) -> PyResult<MaybeOwned<'a, Self>> {
        static DEFAULT: PyOnceLock<ReadRequest> = PyOnceLock::new();
        if let Some(request) = request {
            return request.extract().map(MaybeOwned::Owned);
        }
        let without_arguments = || {
            let defaults = calls::import(intern!(py, "anyread.arguments.request"))?.getattr("DEFAULTS")?;
            defaults.extract()
        };
        DEFAULT.get_or_try_init(py, without_arguments).map(MaybeOwned::Borrowed)
    }

    /// Adds the arguments that the next call for a text repeats, as `anyread.arguments.request` declares them.
    pub fn add_repeated(&self, next: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = next.py();
        for argument in &Declared::get(py)?.repeated {
            if let Some(passed) = argument.passed(self.arguments.bind(py))? {
                next.set_item(&argument.0, passed)?;
            }
        }
        Ok(())
    }
}

/// A value of a call, or one that all calls share.
pub enum MaybeOwned<'a, T> {
    Owned(T),
    Borrowed(&'a T),
}

impl<T> Deref for MaybeOwned<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Owned(value) => value,
            Self::Borrowed(value) => value,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for ReadRequest {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let request = object.cast::<PyDict>()?;
        Ok(Self {
            offset: value(&request, intern!(py, "offset"))?,
            limit: value(&request, intern!(py, "limit"))?,
            column: value(&request, intern!(py, "column"))?,
            ranges: ranges(value(&request, intern!(py, "ranges"))?),
            around: value::<Option<i64>>(&request, intern!(py, "around"))?.map(Span::Block),
            encoding: value(&request, intern!(py, "encoding"))?,
            kind: value(&request, intern!(py, "kind"))?,
            is_addressed: !value::<Bound<'_, PyAny>>(&request, intern!(py, "at"))?.is_none(),
            max_tokens: value(&request, intern!(py, "max_tokens"))?,
            max_bytes: value(&request, intern!(py, "max_bytes"))?,
            unless_version: value(&request, intern!(py, "unless_version"))?,
            since_version: value(&request, intern!(py, "since_version"))?,
            find: value::<Option<Bound<'_, PyAny>>>(&request, intern!(py, "find"))?
                .map(|text| Patterns::of(&text))
                .transpose()?,
            gutter: value(&request, intern!(py, "gutter"))?,
            foreign: foreign(&request)?,
            arguments: request.to_owned().unbind(),
        })
    }
}

fn foreign(request: &Bound<'_, PyDict>) -> PyResult<Option<String>> {
    for argument in &Declared::get(request.py())?.foreign {
        if argument.passed(request)?.is_some() {
            return argument.0.extract(request.py()).map(Some);
        }
    }
    Ok(None)
}

/// The value of one argument; every validated request contains all of them.
fn value<'py, T>(request: &Bound<'py, PyDict>, name: &Bound<'py, PyString>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    let found = request.get_item(name)?.ok_or_else(|| PyKeyError::new_err(name.clone().unbind()))?;
    found.extract().map_err(Into::into)
}

/// A range of lines, or a line, as Python passes it; a subclass of `int` is a line that is shown without its block.
enum PySpan {
    Block(i64),
    Line(i64, u64),
    Range(i64, i64),
}

impl FromPyObject<'_, '_> for PySpan {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if object.is_exact_instance_of::<PyInt>() {
            return object.extract().map(Self::Block);
        }
        if object.is_instance_of::<PyInt>() {
            let column = object.getattr(intern!(object.py(), "column"))?.extract()?;
            return object.extract().map(|line| Self::Line(line, column));
        }
        object.extract().map(|(first, last)| Self::Range(first, last))
    }
}

fn ranges(spans: Option<Vec<PySpan>>) -> Vec<Span> {
    let span = |span| match span {
        PySpan::Range(first, last) => Span::Range(LineRange { first, last }),
        PySpan::Block(line) => Span::Block(line),
        PySpan::Line(line, column) => Span::Line(line, column),
    };
    spans.into_iter().flatten().map(span).collect()
}

/// The options that a reader applies to all its requests.
#[derive(Debug, Clone)]
pub struct ReaderOptions {
    /// The media types that Python shows, each with the name of its kind.
    pub formats: Vec<(String, String)>,
    /// Those of files that it shows unless text is requested.
    pub shown: Vec<String>,
    pub max_lines: u64,
    /// Whether a line without a range is shown with the block around it.
    pub blocks: bool,
    /// Tokens of the reader's model for each token that this core counts.
    pub token_factor: f64,
}

impl ReaderOptions {
    /// The tokens of the reader's model as tokens that this core counts.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both numbers are at most 2^53, and positive"
    )]
    fn counted(&self, tokens: u64) -> u64 {
        ((tokens as f64 / self.token_factor) as u64).max(1)
    }
}

/// What files before this one have left of a budget that they share, in tokens that this core counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallBudget {
    pub max_bytes: Option<u64>,
    pub max_tokens: Option<u64>,
    /// Whether only whole lines are shown, perhaps none.
    pub whole: bool,
}

impl CallBudget {
    /// The bytes, the tokens, and whether only whole lines are shown, as Python passes them.
    pub fn of(most: Option<(u64, u64, bool)>) -> Self {
        most.map_or_else(Self::default, |(max_bytes, max_tokens, whole)| Self {
            max_bytes: Some(max_bytes),
            max_tokens: Some(max_tokens),
            whole,
        })
    }
}

impl ReadRequest {
    /// The codec for the encoding that the caller requested.
    pub fn codec(&self, path: &Path) -> Result<Option<Codec>> {
        codec(path, self.encoding.as_deref())
    }

    /// How the caller wants the file to be read: as a kind or a media type.
    fn wanted_kind(&self, options: &ReaderOptions) -> Option<WantedKind> {
        let Some(wanted) = self.kind.as_deref() else {
            return self.is_addressed.then_some(WantedKind::Format { may_be_empty: true });
        };
        // A heading or a function is looked for by the format of text.
        if self.is_addressed && wanted == "text" {
            return Some(WantedKind::Format { may_be_empty: true });
        }
        let is_format = |(media_type, kind): &(String, String)| {
            // SVG is an image format, but its files are text.
            let begins = media_type.ends_with('/') && wanted != "image/svg+xml";
            wanted == kind || wanted == media_type || (begins && wanted.starts_with(media_type))
        };
        let found = options.formats.iter().find(|format| is_format(format));
        // Formats of text have their kind in place of a media type.
        let as_format = |(media_type, kind): &(_, _)| WantedKind::Format { may_be_empty: media_type == kind };
        Some(found.map_or(WantedKind::Text, as_format))
    }

    /// The request to the core.
    pub fn request<'a>(&'a self, encoding: Option<Codec>, options: &'a ReaderOptions) -> Request<'a> {
        // The window of `around` is that of other kinds of files, and of readers that show no blocks.
        let around = self.around.as_slice();
        let is_around = options.blocks && !around.is_empty();
        let limit = self.limit.filter(|_| !is_around && self.find.is_none());
        Request {
            window: Window {
                offset: self.offset,
                limit: limit.unwrap_or(options.max_lines),
                column: self.column,
            },
            ranges: if is_around { around } else { &self.ranges },
            blocks: options.blocks,
            find: self.find.as_ref().map(|Patterns(pattern, literal)| Find {
                pattern: &pattern.get().inner,
                or_literal: literal.as_ref().map(|pattern| &pattern.get().inner),
                limit: self.limit.unwrap_or(u64::MAX),
            }),
            encoding,
            kind: self.wanted_kind(options),
            formats: &options.shown,
            foreign: self.foreign.as_deref(),
            unless_version: self.unless_version.as_deref(),
        }
    }

    /// How many hits a page of a search has.
    pub fn most_hits(&self) -> Option<u64> {
        self.limit.filter(|_| self.find.is_some())
    }

    /// How many of the requested lines are left for the next page, because this one was full before `limit`.
    pub fn rest_of_limit(&self, page: &Page) -> Option<u64> {
        let limit = self.limit.filter(|_| self.find.is_none())?;
        let next = page.next?;
        let whole_lines = next.offset.abs_diff(page.start_line);
        (1..limit).contains(&whole_lines).then(|| limit - whole_lines)
    }

    /// The layout of the page.
    pub fn layout<'a>(
        &'a self,
        limits: &Limits,
        gutter: &'a PyGutter,
        counter: Option<&'a CallCounter<'a>>,
        budget: CallBudget,
        options: &ReaderOptions,
    ) -> Layout<'a> {
        let gutter = self.gutter.as_ref().map_or(&gutter.gutter, |own| &own.gutter);
        let least = |limit: u64, of: [Option<u64>; 2]| of.into_iter().flatten().fold(limit, u64::min);
        let own_tokens = self.max_tokens.map(|tokens| options.counted(tokens));
        Layout {
            max_bytes: least(limits.max_bytes, [self.max_bytes, budget.max_bytes]),
            max_tokens: least(options.counted(limits.max_tokens), [own_tokens, budget.max_tokens]),
            clip: Some(Clip::reader(limits.max_line_chars)),
            fill_one_line: limits.fill_one_line,
            count_bytes: limits.count_bytes,
            total: if limits.exact_total { Total::Exact } else { Total::Bounded },
            over_budget: match limits.over_budget.as_str() {
                "error" => OverBudget::Refuse,
                _ if budget.whole => OverBudget::Stop,
                _ => OverBudget::Shorten,
            },
            nul: match limits.nul.as_str() {
                "symbol" => Hidden::Show,
                "error" => Hidden::Error,
                _ => Hidden::Keep,
            },
            counter: counter.map(|counter| counter as &dyn Counter),
            ..Layout::reader(gutter)
        }
    }
}
