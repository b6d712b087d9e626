//! The notices of a page: what a reader of its text should know and cannot see. Their wording lives here.

use std::path::Path;

use anyread_core::encoding::Declaration;
use anyread_core::engine::{OpenedFile, TextAnswer};
use anyread_core::open::display_path;
use anyread_core::page::Grouped;
use anyread_core::text::LineEnding;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::arguments::Asked;

/// Below this confidence a detected encoding is called a guess.
const LOW_CONFIDENCE: f32 = 0.5;

/// A notice before it becomes a Python object: code, message, data.
pub type Draft<'py> = (&'static str, String, Bound<'py, PyDict>);

/// Notices as they come together.
struct Notices<'py> {
    py: Python<'py>,
    drafts: Vec<Draft<'py>>,
}

impl<'py> Notices<'py> {
    fn add(
        &mut self,
        code: &'static str,
        message: String,
        data: &[(&str, Bound<'py, PyAny>)],
    ) -> PyResult<()> {
        let fields = PyDict::new(self.py);
        for (name, value) in data {
            fields.set_item(name, value)?;
        }
        self.drafts.push((code, message, fields));
        Ok(())
    }

    fn text(&self, text: &str) -> Bound<'py, PyAny> {
        PyString::new(self.py, text).into_any()
    }
}

/// How a file was found, whatever it holds.
struct Found<'a> {
    real_path: &'a Path,
    link_followed: bool,
    repaired: bool,
    media_type: &'static str,
    promised: Option<&'static str>,
    version: &'a str,
}

impl Found<'_> {
    fn add_to(&self, notices: &mut Notices<'_>, since_version: Option<&str>) -> PyResult<()> {
        if since_version.is_some_and(|since| since.is_empty() || since != self.version) {
            let message = "the file may have changed since the page before this one was read".to_owned();
            notices.add("changed_since", message, &[("version", notices.text(self.version))])?;
        }
        let real_path = || display_path(self.real_path);
        if self.repaired {
            let message = format!("no file has exactly that name; `{}` was read", real_path());
            notices.add("path_repaired", message, &[("resolved_path", notices.text(&real_path()))])?;
        }
        if self.link_followed {
            let message = format!("a symbolic link leads to `{}`", real_path());
            notices.add("link_followed", message, &[("resolved_path", notices.text(&real_path()))])?;
        }
        if let Some(promised) = self.promised {
            let message = format!("the name promises {promised}, the content is {}", self.media_type);
            let data = [("promised", notices.text(promised)), ("media_type", notices.text(self.media_type))];
            notices.add("name_content_mismatch", message, &data)?;
        }
        Ok(())
    }
}

/// The notices of a file that others decode.
pub fn of_opened<'py>(
    py: Python<'py>,
    answer: &OpenedFile,
    asked: Option<&Asked>,
) -> PyResult<Vec<Draft<'py>>> {
    let mut notices = Notices { py, drafts: Vec::new() };
    let found = Found {
        real_path: &answer.opened.real_path,
        link_followed: answer.opened.link_followed,
        repaired: answer.opened.repaired,
        media_type: answer.media_type,
        promised: answer.promised,
        version: &answer.version,
    };
    found.add_to(&mut notices, asked.and_then(|asked| asked.since_version.as_deref()))?;
    // Models that fill in every argument name an encoding for pictures, too.
    if asked.is_some_and(|asked| asked.encoding.is_some()) {
        let message = format!(
            "the argument `encoding` was ignored, because the file is {}; pass kind=\"text\" to decode its bytes as text",
            answer.media_type
        );
        notices.add("ignored_argument", message, &[("argument", notices.text("encoding"))])?;
    }
    Ok(notices.drafts)
}

/// What became of the encoding that a text declares.
fn add_declared(notices: &mut Notices<'_>, declared: Declaration, encoding: &str) -> PyResult<()> {
    let place = declared.place;
    let (code, message) = match declared.name {
        Some(name) if declared.followed => {
            ("declared_encoding", format!("the text is decoded as {name}, which {place} declares"))
        }
        Some(name) => {
            let why = if declared.codec.is_some() { "the bytes contradict" } else { "anyread cannot decode" };
            ("declaration_ignored", format!("{place} declares {name}, which {why}; read as {encoding}"))
        }
        None => (
            "declaration_ignored",
            format!("{place} declares an encoding of an unknown name; read as {encoding}"),
        ),
    };
    let declared = declared.name.map(|name| notices.text(name));
    let declared = declared.unwrap_or_else(|| notices.py.None().into_bound(notices.py));
    notices.add(code, message, &[("encoding", notices.text(encoding)), ("declared", declared)])
}

/// The notices of an answer, in a fixed order.
pub fn of_text<'py>(py: Python<'py>, answer: &TextAnswer, asked: &Asked) -> PyResult<Vec<Draft<'py>>> {
    let mut notices = Notices { py, drafts: Vec::new() };
    let number = |value: u64| value.into_pyobject(py).map(Bound::into_any);
    let text = |value: &str| value.into_pyobject(py).map(Bound::into_any);
    let page = &answer.page;
    let controls = answer.controls;
    if page.total_lines == Some(0) {
        notices.add("empty_file", "the file is empty".to_owned(), &[])?;
    }
    let found = Found {
        real_path: &answer.real_path,
        link_followed: answer.link_followed,
        repaired: answer.repaired,
        media_type: answer.media_type,
        promised: answer.promised,
        version: &answer.version,
    };
    found.add_to(&mut notices, asked.since_version.as_deref())?;
    if let (Some(limit), Some(rest)) = (asked.limit, asked.rest_of_limit(page)) {
        let shown = limit - rest;
        let message = format!(
            "the page reached its limit of tokens or bytes after {} of the {} lines requested",
            Grouped(shown),
            Grouped(limit)
        );
        notices.add("page_full", message, &[("lines", number(shown)?), ("limit", number(limit)?)])?;
    }
    if let Some(line) = page.lossy_line {
        let name = answer.plan.codec.name();
        let message =
            format!("from line {line} on some bytes are not valid {name} and are shown as substitutes");
        notices.add(
            "lossy",
            message,
            &[("line", line.into_pyobject(py)?.into_any()), ("encoding", text(name)?)],
        )?;
    }
    if let Some(declared) = answer.plan.declared {
        add_declared(&mut notices, declared, answer.plan.codec.name())?;
    }
    if answer.plan.confidence < LOW_CONFIDENCE {
        let percent = (answer.plan.confidence * 100.0).round();
        let message = format!(
            "the encoding {} is a guess ({percent} % sure); pass encoding= if you know it",
            answer.plan.codec.name()
        );
        let confidence = f64::from(answer.plan.confidence).into_pyobject(py)?.into_any();
        notices.add(
            "low_confidence",
            message,
            &[("encoding", text(answer.plan.codec.name())?), ("confidence", confidence)],
        )?;
    }
    if answer.plan.line_ending == LineEnding::Mixed {
        notices.add(
            "mixed_line_endings",
            "some lines end with CR LF and some with LF alone".to_owned(),
            &[],
        )?;
    }
    for (code, count, what) in [
        ("nul", controls.nul, "NUL"),
        ("control_characters", controls.control, "control"),
        ("bidi", controls.bidi, "bidirectional control"),
        ("invisible", controls.invisible, "invisible"),
    ] {
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("the text holds {count} {what} character{plural}");
            notices.add(code, message, &[("count", number(count)?)])?;
        }
    }
    if !page.clipped.is_empty() {
        let count = page.clipped.len();
        let message =
            if count == 1 { "1 line is clipped".to_owned() } else { format!("{count} lines are clipped") };
        notices.add("clipped", message, &[("count", number(count as u64)?)])?;
    }
    if answer.stream_cut {
        let message = format!("only the first {} bytes of this stream were read", answer.size_bytes);
        notices.add("output_truncated", message, &[("bytes", number(answer.size_bytes)?)])?;
    }
    Ok(notices.drafts)
}
