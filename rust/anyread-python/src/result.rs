//! Answers of the core as the result classes of `anyread.results`.

use std::path::Path;

use anyread_core::engine::{Answer, TextAnswer};
use anyread_core::open::display_path;
use anyread_core::page::Place;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::arguments::Asked;
use crate::fill::instance;
use crate::notices;

/// The bytes of a page, decoded when somebody asks for its content.
#[pyclass(frozen, module = "anyread._native")]
pub struct Content {
    content: anyread_core::page::Content,
}

#[pymethods]
impl Content {
    /// The window's own text.
    fn decode(&self, py: Python<'_>) -> String {
        py.detach(|| self.content.decode())
    }
}

/// The result classes, looked up once.
struct Classes {
    page: Py<PyType>,
    unchanged: Py<PyType>,
    continuation: Py<PyType>,
    notice: Py<PyType>,
}

fn classes(py: Python<'_>) -> PyResult<&'static Classes> {
    static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
    CLASSES.get_or_try_init(py, || {
        let results = py.import("anyread.results")?;
        let class =
            |name| -> PyResult<Py<PyType>> { Ok(results.getattr(name)?.cast_into::<PyType>()?.unbind()) };
        Ok(Classes {
            page: class("TextPage")?,
            unchanged: class("Unchanged")?,
            continuation: class("Continuation")?,
            notice: class("Notice")?,
        })
    })
}

/// The Python object of an answer.
pub fn to_python<'py>(
    py: Python<'py>,
    path: &Path,
    answer: Answer,
    asked: &Asked,
) -> PyResult<Bound<'py, PyAny>> {
    match answer {
        Answer::Text(answer) => text_page(py, path, *answer, asked),
        Answer::Unchanged { version } => {
            let slots = [
                (intern!(py, "path"), display_path(path).into_pyobject(py)?.into_any()),
                (intern!(py, "version"), version.into_pyobject(py)?.into_any()),
            ];
            instance(classes(py)?.unchanged.bind(py), slots)
        }
    }
}

fn text_page<'py>(
    py: Python<'py>,
    path: &Path,
    answer: TextAnswer,
    asked: &Asked,
) -> PyResult<Bound<'py, PyAny>> {
    let drafts = notices::of_text(py, &answer, asked.since_version.as_deref())?;
    let notice = classes(py)?.notice.bind(py);
    let notices = drafts.into_iter().map(|(code, message, data)| {
        let slots = [
            (intern!(py, "code"), PyString::intern(py, code).into_any()),
            (intern!(py, "message"), message.into_pyobject(py)?.into_any()),
            (intern!(py, "data"), data.into_any()),
        ];
        instance(notice, slots)
    });
    let notices = PyTuple::new(py, notices.collect::<PyResult<Vec<_>>>()?)?;
    let TextAnswer { page, plan, version, .. } = answer;
    let next = page.next.map(|place| continuation(py, asked, place, asked.limit, &version)).transpose()?;
    // The rest of a line is one line; without a limit its page would go on behind it.
    let clipped = page.clipped.iter().map(|place| continuation(py, asked, *place, Some(1), &version));
    let clipped = PyTuple::new(py, clipped.collect::<PyResult<Vec<_>>>()?)?;
    let truncated = next.is_some() || !clipped.is_empty();
    let footer = &page.text[page.text.len() - page.footer_bytes..];
    let content = Content { content: page.content };
    let slots = [
        (intern!(py, "path"), display_path(path).into_pyobject(py)?.into_any()),
        (intern!(py, "resolved_path"), display_path(&answer.real_path).into_pyobject(py)?.into_any()),
        (intern!(py, "media_type"), answer.media_type.into_pyobject(py)?.into_any()),
        (intern!(py, "size_bytes"), answer.size_bytes.into_pyobject(py)?.into_any()),
        (intern!(py, "modified_ns"), answer.modified_ns.into_pyobject(py)?.into_any()),
        (intern!(py, "version"), version.into_pyobject(py)?.into_any()),
        (intern!(py, "truncated"), truncated.into_pyobject(py)?.to_owned().into_any()),
        (intern!(py, "next"), next.into_pyobject(py)?),
        (intern!(py, "notices"), notices.into_any()),
        (intern!(py, "footer"), footer.into_pyobject(py)?.into_any()),
        (intern!(py, "text"), page.text.into_pyobject(py)?.into_any()),
        (intern!(py, "start_line"), page.start_line.into_pyobject(py)?.into_any()),
        (intern!(py, "end_line"), page.end_line.into_pyobject(py)?.into_any()),
        (intern!(py, "total_lines"), page.total_lines.into_pyobject(py)?),
        (intern!(py, "total_lines_estimate"), page.total_lines_estimate.into_pyobject(py)?),
        (intern!(py, "clipped"), clipped.into_any()),
        (intern!(py, "encoding"), plan.codec.name().into_pyobject(py)?.into_any()),
        (intern!(py, "encoding_confidence"), f64::from(plan.confidence).into_pyobject(py)?.into_any()),
        (intern!(py, "bom"), (plan.bom_len > 0).into_pyobject(py)?.to_owned().into_any()),
        (intern!(py, "line_ending"), plan.line_ending.name().into_pyobject(py)?.into_any()),
        (intern!(py, "final_newline"), page.final_newline.into_pyobject(py)?.to_owned().into_any()),
        (intern!(py, "lossy"), page.lossy_line.is_some().into_pyobject(py)?.to_owned().into_any()),
        (intern!(py, "_tokens"), page.tokens.into_pyobject(py)?.into_any()),
        (intern!(py, "_content"), Bound::new(py, content)?.into_any()),
    ];
    instance(classes(py)?.page.bind(py), slots)
}

/// The next call: what the caller passed, from another place on.
fn continuation<'py>(
    py: Python<'py>,
    asked: &Asked,
    place: Place,
    limit: Option<u64>,
    version: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = PyDict::new(py);
    arguments.set_item(intern!(py, "offset"), place.offset)?;
    if place.column > 1 {
        arguments.set_item(intern!(py, "column"), place.column)?;
    }
    if let Some(limit) = limit {
        arguments.set_item(intern!(py, "limit"), limit)?;
    }
    if let Some(encoding) = &asked.encoding {
        arguments.set_item(intern!(py, "encoding"), encoding)?;
    }
    if let Some(kind) = &asked.kind {
        arguments.set_item(intern!(py, "kind"), kind)?;
    }
    if let Some(gutter) = &asked.gutter {
        arguments.set_item(intern!(py, "gutter"), &gutter.object)?;
    }
    arguments.set_item(intern!(py, "since_version"), version)?;
    let slots = [
        (intern!(py, "arguments"), arguments.into_any()),
        (intern!(py, "version"), version.into_pyobject(py)?.into_any()),
    ];
    instance(classes(py)?.continuation.bind(py), slots)
}
