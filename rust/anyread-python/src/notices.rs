//! The notices of a page: what a reader of its text should know and cannot see. Their wording lives here.

use anyread_core::engine::TextAnswer;
use anyread_core::open::display_path;
use anyread_core::text::LineEnding;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Below this confidence a detected encoding is called a guess.
const LOW_CONFIDENCE: f32 = 0.5;

/// A notice before it becomes a Python object: code, message, data.
pub type Draft<'py> = (&'static str, String, Bound<'py, PyDict>);

/// The notices of an answer, in a fixed order.
pub fn of_text<'py>(
    py: Python<'py>,
    answer: &TextAnswer,
    since_version: Option<&str>,
) -> PyResult<Vec<Draft<'py>>> {
    let mut notices = Vec::new();
    let mut add = |code, message: String, data: &[(&str, Bound<'py, PyAny>)]| -> PyResult<()> {
        let fields = PyDict::new(py);
        for (name, value) in data {
            fields.set_item(name, value)?;
        }
        notices.push((code, message, fields));
        Ok(())
    };
    let number = |value: u64| value.into_pyobject(py).map(Bound::into_any);
    let text = |value: &str| value.into_pyobject(py).map(Bound::into_any);
    let page = &answer.page;
    let controls = answer.controls;
    if page.total_lines == Some(0) {
        add("empty_file", "the file is empty".to_owned(), &[])?;
    }
    if since_version.is_some_and(|since| since.is_empty() || since != answer.version) {
        let message = "the file may have changed since the page before this one was read".to_owned();
        add("changed_since", message, &[("version", text(&answer.version)?)])?;
    }
    if answer.repaired {
        let real_path = display_path(&answer.real_path);
        let message = format!("no file has exactly that name; `{real_path}` was read");
        add("path_repaired", message, &[("resolved_path", text(&real_path)?)])?;
    }
    if answer.link_followed {
        let real_path = display_path(&answer.real_path);
        let message = format!("a symbolic link leads to `{real_path}`");
        add("link_followed", message, &[("resolved_path", text(&real_path)?)])?;
    }
    if let Some(promised) = answer.promised {
        let message = format!("the name promises {promised}, the content is {}", answer.media_type);
        let data = [("promised", text(promised)?), ("media_type", text(answer.media_type)?)];
        add("name_content_mismatch", message, &data)?;
    }
    if let Some(line) = page.lossy_line {
        let name = answer.plan.codec.name();
        let message =
            format!("from line {line} on some bytes are not valid {name} and are shown as substitutes");
        add("lossy", message, &[("line", line.into_pyobject(py)?.into_any()), ("encoding", text(name)?)])?;
    }
    if answer.plan.confidence < LOW_CONFIDENCE {
        let percent = (answer.plan.confidence * 100.0).round();
        let message = format!(
            "the encoding {} is a guess ({percent} % sure); pass encoding= if you know it",
            answer.plan.codec.name()
        );
        let confidence = f64::from(answer.plan.confidence).into_pyobject(py)?.into_any();
        add(
            "low_confidence",
            message,
            &[("encoding", text(answer.plan.codec.name())?), ("confidence", confidence)],
        )?;
    }
    if answer.plan.line_ending == LineEnding::Mixed {
        add("mixed_line_endings", "some lines end with CR LF and some with LF alone".to_owned(), &[])?;
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
            add(code, message, &[("count", number(count)?)])?;
        }
    }
    if !page.clipped.is_empty() {
        let count = page.clipped.len();
        let message =
            if count == 1 { "1 line is clipped".to_owned() } else { format!("{count} lines are clipped") };
        add("clipped", message, &[("count", number(count as u64)?)])?;
    }
    if answer.stream_cut {
        let message = format!("only the first {} bytes of this stream were read", answer.size_bytes);
        add("output_truncated", message, &[("bytes", number(answer.size_bytes)?)])?;
    }
    Ok(notices)
}
