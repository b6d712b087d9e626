//! Presentations as small Python objects.

use std::sync::Arc;

use anyread_core::allowed::Allowed;
use anyread_core::slides as core;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::cancel::Cancel;
use crate::opened::Opened;
use crate::packages::{as_tuple, run};

/// What is on a slide.
#[pyclass(frozen, get_all, module = "anyread._native")]
pub struct ShownSlide {
    number: usize,
    title: String,
    layout: String,
    is_hidden: bool,
    pieces: Py<PyTuple>,
    notes: String,
    comments: Vec<(String, String)>,
    is_cut: bool,
    is_lossy: bool,
    unseen_runs: usize,
}

/// A presentation.
#[pyclass(frozen, module = "anyread._native")]
pub struct Presentation {
    opened: Py<Opened>,
    inner: Arc<core::Presentation>,
    allowed: Allowed,
}

fn shown(py: Python<'_>, slide: core::Slide) -> PyResult<ShownSlide> {
    let piece = |piece: core::Piece| match piece {
        core::Piece::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
        core::Piece::Picture(picture, description) => {
            Ok((picture.map(as_tuple), description).into_pyobject(py)?.into_any())
        }
    };
    let pieces = slide.pieces.into_iter().map(piece).collect::<PyResult<Vec<_>>>()?;
    let core::Slide {
        number, title, layout, is_hidden, notes, comments, is_cut, is_lossy, unseen_runs, ..
    } = slide;
    let pieces = PyTuple::new(py, pieces)?.unbind();
    Ok(ShownSlide {
        number,
        title,
        layout,
        is_hidden,
        pieces,
        notes,
        comments,
        is_cut,
        is_lossy,
        unseen_runs,
    })
}

#[pymethods]
impl Presentation {
    /// Reads which slides there are.
    #[new]
    #[pyo3(signature = (opened, *, max_inflated_bytes, cancel=None))]
    fn new(
        py: Python<'_>,
        opened: &Bound<'_, Opened>,
        max_inflated_bytes: u64,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<Self> {
        let file = opened.get().file()?;
        let allowed = Allowed::new(max_inflated_bytes);
        let inner = run(py, &file, cancel, &allowed, |stream, _, allowed| {
            core::Presentation::read(stream, allowed).map(Arc::new)
        })?;
        Ok(Self { opened: opened.clone().unbind(), inner, allowed })
    }

    /// The media type of the file.
    #[getter]
    fn media_type(&self) -> &'static str {
        self.inner.media_type()
    }

    /// Whether each slide is hidden, in order.
    #[getter]
    fn hidden<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.inner.hidden().collect::<Vec<_>>())
    }

    /// Whether it has macros.
    #[getter]
    fn has_macros(&self) -> bool {
        self.inner.has_macros()
    }

    /// Slides by their numbers, up to the one that reaches so many bytes of text.
    #[pyo3(signature = (numbers, *, max_bytes, cancel=None))]
    fn show<'py>(
        &self,
        py: Python<'py>,
        numbers: Vec<usize>,
        max_bytes: u64,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let file = self.opened.get().file()?;
        let most = usize::try_from(max_bytes).unwrap_or(usize::MAX);
        let slides = run(py, &file, cancel, &self.allowed.anew(), move |stream, _, allowed| {
            self.inner.show(stream, allowed, &numbers, most)
        })?;
        let slides = slides.into_iter().map(|slide| shown(py, slide)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, slides)
    }
}
