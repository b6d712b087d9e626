//! Lines of documents.

use anyread_core::allowed::Allowed;
use anyread_core::document::{self as core, Counts, Rendering};
use anyread_core::lines::Wanted;
use pyo3::prelude::*;

use crate::cancel::Cancel;
use crate::opened::Opened;
use crate::packages::{PyPicture, as_tuple, run};

/// Number, the characters of the whole line, and images, each after so many characters.
type SpecialLine = (u64, u64, Vec<(u64, PyPicture)>);

/// Lines of a document, and what was found on the way to them.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct DocumentLines {
    text: Option<String>,
    special: Vec<SpecialLine>,
    total: Option<u64>,
    images: u64,
    tracked_changes: u64,
    hidden_runs: u64,
    unseen_runs: u64,
    has_unknown_labels: bool,
    is_lossy: bool,
    has_macros: bool,
}

/// Shows lines of a Word document.
#[pyfunction]
#[pyo3(signature = (opened, *, first, lines, column, chars, max_bytes, max_inflated_bytes, cancel=None))]
#[expect(clippy::too_many_arguments, reason = "the limits of a page, by name")]
pub fn document_lines(
    py: Python<'_>,
    opened: &Bound<'_, Opened>,
    first: u64,
    lines: u64,
    column: u64,
    chars: u64,
    max_bytes: usize,
    max_inflated_bytes: u64,
    cancel: Option<Py<Cancel>>,
) -> PyResult<DocumentLines> {
    let wanted = Wanted { first, lines, column, chars, bytes: max_bytes };
    let file = opened.get().file()?;
    let (found, media_type) =
        run(py, &file, cancel, &Allowed::new(max_inflated_bytes), |stream, state, allowed| {
            let document = core::open(stream, state, allowed)?;
            Ok((document.lines(stream, allowed, wanted)?, document.media_type()))
        })?;
    let Rendering { lines, pictures, counts, has_unknown_labels } = found;
    let Counts { images, tracked_changes, hidden_runs, unseen_runs } = counts;
    let picture = |&(at, index): &(u64, usize)| Some((at, as_tuple(pictures.get(index)?.clone())));
    let special = lines.lines.iter().filter(|line| line.is_cut() || !line.images.is_empty());
    let special =
        special.map(|line| (line.number, line.chars, line.images.iter().filter_map(picture).collect()));
    let texts: Vec<&str> = lines.lines.iter().map(|line| line.text.as_str()).collect();
    Ok(DocumentLines {
        text: (!texts.is_empty()).then(|| texts.join("\n")),
        special: special.collect(),
        total: lines.total,
        is_lossy: lines.is_lossy,
        images,
        tracked_changes,
        hidden_runs,
        unseen_runs,
        has_unknown_labels,
        has_macros: media_type.contains("macroEnabled"),
    })
}
