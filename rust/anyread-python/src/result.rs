//! Converts the core's answers to the result classes of `anyread.results`.

use std::path::Path;

use anyread_core::engine::{Answer, OpenedFile, TextAnswer};
use anyread_core::open::{Listing, display_path};
use anyread_core::page::{LineRange, Position};
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyMemoryError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyString, PyTuple, PyType};

use crate::arguments::ReadRequest;
use crate::calls;
use crate::directory::Directory;
use crate::errors;
use crate::fill::Slots;
use crate::notices::{self, NoticeDraft};
use crate::opened::Opened;

/// The bytes of a page, which are decoded when its content is requested.
#[pyclass(frozen, module = "anyread._native")]
pub struct Content {
    content: anyread_core::page::Content,
}

#[pymethods]
impl Content {
    /// The text of the window.
    fn decode<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let text = py.detach(|| self.content.decode());
        let text = text.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        // Unlike `PyString::new`, this does not panic when memory runs out.
        PyString::from_bytes(py, text.as_bytes())
    }

    /// A copy or a pickle is the decoded text, which is also what a page stores after its first use.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyString>,))> {
        Ok((PyString::type_object(py), (self.decode(py)?,)))
    }
}

/// The result classes, looked up once.
struct Classes {
    page: Slots<29>,
    unchanged: Slots<2>,
    continuation: Slots<2>,
    /// The confidence in most encodings: 1.0.
    certain: Py<PyAny>,
    /// Makes a notice: `anyread.results.notices.make_notice`.
    notice: Py<PyAny>,
}

fn classes(py: Python<'_>) -> PyResult<&'static Classes> {
    static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
    CLASSES.get_or_try_init(py, || {
        let results = calls::import(intern!(py, "anyread.results"))?;
        let class = |name| -> PyResult<Bound<'_, PyType>> { Ok(results.getattr(name)?.cast_into()?) };
        Ok(Classes {
            page: Slots::of(class("TextPage")?, TEXT_PAGE)?,
            unchanged: Slots::of(class("Unchanged")?, ["path", "version"])?,
            continuation: Slots::of(class("Continuation")?, ["arguments", "version"])?,
            certain: PyFloat::new(py, 1.0).into_any().unbind(),
            notice: calls::import(intern!(py, "anyread.results.notices"))?.getattr("make_notice")?.unbind(),
        })
    })
}

/// Looks up the result classes, so that the first read does not have to.
pub fn prepare(py: Python<'_>) -> PyResult<()> {
    classes(py).map(|_| ())
}

/// Converts an opened file to a Python object.
pub fn opened<'py>(
    py: Python<'py>,
    file: OpenedFile,
    request: Option<&ReadRequest>,
) -> PyResult<Bound<'py, PyAny>> {
    let notices = notices(py, notices::of_opened(py, &file, request)?)?.unbind();
    Ok(Bound::new(py, Opened::new(file, notices))?.into_any())
}

/// Converts an open directory to a Python object.
pub fn directory(py: Python<'_>, path: &Path, listing: Listing) -> PyResult<Directory> {
    let notices = notices(py, notices::of_directory(py, &listing)?)?.unbind();
    Ok(Directory::new(path, listing, notices))
}

/// Converts an answer to a Python object; the path comes with its `str`, if there is one already.
pub fn to_python<'py>(
    py: Python<'py>,
    (path, shown_path): (&Path, Option<Bound<'py, PyAny>>),
    answer: Answer,
    request: &ReadRequest,
) -> PyResult<Bound<'py, PyAny>> {
    let shown = || shown_path.unwrap_or_else(|| text(py, &display_path(path)));
    match answer {
        Answer::Text(answer) => text_page(py, path, shown(), *answer, request),
        Answer::Opened(file) => opened(py, *file, Some(request)),
        Answer::Unchanged { version } => classes(py)?.unchanged.fill(py, [shown(), text(py, &version)]),
    }
}

const TEXT_PAGE: [&str; 29] = [
    "path",
    "resolved_path",
    "media_type",
    "size_bytes",
    "modified_ns",
    "version",
    "truncated",
    "next",
    "notices",
    "footer",
    "text",
    "start_line",
    "end_line",
    "ranges",
    "hits",
    "total_lines",
    "total_lines_estimate",
    "clipped",
    "encoding",
    "encoding_confidence",
    "bom",
    "line_ending",
    "final_newline",
    "lossy",
    "compression",
    "text_bytes",
    "verified",
    "token_estimate",
    "content",
];

fn text_page<'py>(
    py: Python<'py>,
    path: &Path,
    shown_path: Bound<'py, PyAny>,
    answer: TextAnswer,
    request: &ReadRequest,
) -> PyResult<Bound<'py, PyAny>> {
    let drafts = notices::of_text(py, &answer, request)?;
    let notices = notices(py, drafts)?;
    // Compared byte by byte, because `Path` treats paths that differ in `//` or `/./` as equal.
    let real_path = if answer.real_path.as_os_str() == path.as_os_str() {
        shown_path.clone()
    } else {
        text(py, &display_path(&answer.real_path))
    };
    let TextAnswer { page, plan, .. } = answer;
    let version = text(py, &answer.version);
    let seen = (text(py, &answer.state), version.clone());
    let limit = request.rest_of_limit(&page).or(request.limit);
    let next = match (page.next, &*page.rest) {
        (None, _) => None,
        (Some(position), []) => Some(continuation(py, request, position, limit, &seen)?),
        (Some(position), rest) => Some(continuation_of_ranges(py, request, (rest, position.column), &seen)?),
    };
    let clipped = page.clipped.iter().map(|position| rest_of_line(py, request, *position, &seen));
    let clipped = clipped.collect::<PyResult<Vec<_>>>()?;
    let truncated = next.is_some() || !clipped.is_empty();
    let footer = &page.text[page.text.len() - page.footer_bytes..];
    let is_empty = page.total_lines == Some(0);
    let content = Content { content: page.content };
    let classes = classes(py)?;
    let values = [
        shown_path,
        real_path,
        interned(py, answer.media_type),
        answer.size_bytes.into_pyobject(py)?.into_any(),
        answer.modified_ns.into_pyobject(py)?.into_any(),
        version,
        boolean(py, truncated),
        next.into_pyobject(py)?,
        notices,
        text(py, footer),
        if is_empty {
            intern!(py, "[the file is empty]").clone().into_any()
        } else {
            errors::text(py, path, &page.text)?
        },
        page.start_line.into_pyobject(py)?.into_any(),
        page.end_line.into_pyobject(py)?.into_any(),
        PyTuple::new(py, pairs(&page.shown))?.into_any(),
        PyTuple::new(py, page.hits)?.into_any(),
        page.total_lines.into_pyobject(py)?,
        page.total_lines_estimate.into_pyobject(py)?,
        PyTuple::new(py, clipped)?.into_any(),
        interned(py, plan.codec.name()),
        if plan.confidence < 1.0 {
            PyFloat::new(py, plan.confidence.into()).into_any()
        } else {
            classes.certain.bind(py).clone()
        },
        boolean(py, plan.bom_len > 0),
        interned(py, plan.line_ending.name()),
        boolean(py, page.final_newline),
        boolean(py, page.lossy_line.is_some()),
        answer.gzip.map(|_| intern!(py, "gzip")).into_pyobject(py)?.into_any(),
        answer.gzip.map(|(size, _)| size).into_pyobject(py)?.into_any(),
        answer.gzip.map(|(_, fault)| fault.is_none()).into_pyobject(py)?.into_any(),
        // The core counts the lines of the file, of which there are none.
        page.tokens.filter(|_| !is_empty).into_pyobject(py)?.into_any(),
        Bound::new(py, content)?.into_any(),
    ];
    classes.page.fill(py, values)
}

fn notices<'py>(py: Python<'py>, drafts: Vec<NoticeDraft<'py>>) -> PyResult<Bound<'py, PyAny>> {
    if drafts.is_empty() {
        return Ok(PyTuple::empty(py).into_any());
    }
    let notice = classes(py)?.notice.bind(py);
    let made = drafts
        .into_iter()
        .map(|(code, facts)| calls::call(notice, &(code,).into_pyobject(py)?, Some(&facts)));
    Ok(PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

fn text<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyAny> {
    PyString::new(py, text).into_any()
}

/// A text that results often contain; the most common ones are interned.
fn interned<'py>(py: Python<'py>, word: &str) -> Bound<'py, PyAny> {
    let common = match word {
        "text/plain" => intern!(py, "text/plain"),
        "utf-8" => intern!(py, "utf-8"),
        "lf" => intern!(py, "lf"),
        _ => return text(py, word),
    };
    common.clone().into_any()
}

fn boolean(py: Python<'_>, value: bool) -> Bound<'_, PyAny> {
    PyBool::new(py, value).to_owned().into_any()
}

/// Ranges of lines as Python has them.
fn pairs(ranges: &[LineRange]) -> Vec<(i64, i64)> {
    ranges.iter().map(|range| (range.first, range.last_argument())).collect()
}

/// The continuation: the caller's arguments, for the ranges that are left.
fn continuation_of_ranges<'py>(
    py: Python<'py>,
    request: &ReadRequest,
    (rest, column): (&[LineRange], u64),
    seen: &(Bound<'py, PyAny>, Bound<'py, PyAny>),
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = PyDict::new(py);
    arguments.set_item(intern!(py, "ranges"), pairs(rest))?;
    if let Some(limit) = request.most_hits() {
        arguments.set_item(intern!(py, "limit"), limit)?;
    }
    if column > 1 {
        arguments.set_item(intern!(py, "column"), column)?;
    }
    repeated(py, request, arguments, seen)
}

/// The continuation: the caller's arguments, from another position.
fn continuation<'py>(
    py: Python<'py>,
    request: &ReadRequest,
    position: Position,
    limit: Option<u64>,
    seen: &(Bound<'py, PyAny>, Bound<'py, PyAny>),
) -> PyResult<Bound<'py, PyAny>> {
    repeated(py, request, from_position(py, position, limit)?, seen)
}

/// The continuation for the rest of a clipped line, whatever a search looks for.
fn rest_of_line<'py>(
    py: Python<'py>,
    request: &ReadRequest,
    position: Position,
    seen: &(Bound<'py, PyAny>, Bound<'py, PyAny>),
) -> PyResult<Bound<'py, PyAny>> {
    // Without a limit the page would continue after the line.
    let arguments = from_position(py, position, Some(1))?;
    request.add_repeated(&arguments)?;
    if arguments.contains(intern!(py, "find"))? {
        arguments.del_item(intern!(py, "find"))?;
    }
    completed(py, arguments, seen)
}

fn from_position(py: Python<'_>, position: Position, limit: Option<u64>) -> PyResult<Bound<'_, PyDict>> {
    let arguments = PyDict::new(py);
    arguments.set_item(intern!(py, "offset"), position.offset)?;
    if position.column > 1 {
        arguments.set_item(intern!(py, "column"), position.column)?;
    }
    if let Some(limit) = limit {
        arguments.set_item(intern!(py, "limit"), limit)?;
    }
    Ok(arguments)
}

/// The continuation with these arguments and those that each call repeats.
fn repeated<'py>(
    py: Python<'py>,
    request: &ReadRequest,
    arguments: Bound<'py, PyDict>,
    seen: &(Bound<'py, PyAny>, Bound<'py, PyAny>),
) -> PyResult<Bound<'py, PyAny>> {
    request.add_repeated(&arguments)?;
    completed(py, arguments, seen)
}

fn completed<'py>(
    py: Python<'py>,
    arguments: Bound<'py, PyDict>,
    (state, version): &(Bound<'py, PyAny>, Bound<'py, PyAny>),
) -> PyResult<Bound<'py, PyAny>> {
    arguments.set_item(intern!(py, "since_version"), state)?;
    classes(py)?.continuation.fill(py, [arguments.into_any(), version.clone()])
}
