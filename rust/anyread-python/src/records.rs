//! JSON by its parts, as small Python objects.

use std::ops::Range;

use anyread_core::cache::FileState;
use anyread_core::engine::OpenedFile;
use anyread_core::error::Result;
use anyread_core::find::Pattern;
use anyread_core::lines::Wanted;
use anyread_core::records::{
    self as core, Container, Form, Pointer, RecordHit, Row, Rows, Shape, Value, ValueHit, WantedRecords,
};
use anyread_core::stream::Stream;
use pyo3::exceptions::{PyLookupError, PyValueError};
use pyo3::prelude::*;

use crate::cancel::{Cancel, interruptible};
use crate::errors;
use crate::opened::Opened;

/// A JSON file: how its records follow one another, and the values in it.
#[pyclass(frozen, module = "anyread._native")]
pub struct Json {
    opened: Py<Opened>,
    form: Form,
    begin: u64,
    /// Where it ends.
    end: u64,
}

/// A record or an entry as a line.
#[pyclass(frozen, get_all, module = "anyread._native")]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one text")]
pub struct JsonRow {
    number: u64,
    name: Option<String>,
    text: String,
    is_clipped: bool,
    is_odd: bool,
    is_lossy: bool,
    is_torn: bool,
    wrong_at: Option<u64>,
}

/// The lines of a string: number, text, characters of each; how many there are; whether bytes were replaced, and
/// whether the string has no end.
type StringLines = (Vec<(u64, String, u64)>, Option<u64>, bool, bool);

/// A record that matches: its number, its name, and of its first values that match the address, the line, the text
/// and the characters left out before and after it; and how many match.
type FoundRecord = (u64, Option<String>, Vec<(String, u64, String, u64, u64)>, u64);

impl Json {
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        cancel: Option<Py<Cancel>>,
        work: impl FnOnce(&mut Stream<'_>, Option<FileState>) -> Result<T> + Send,
    ) -> PyResult<T> {
        run(py, &*self.opened.get().file()?, cancel, |stream, state| {
            stream.end_at(self.end);
            work(stream, state)
        })
    }
}

fn run<T: Send>(
    py: Python<'_>,
    file: &OpenedFile,
    cancel: Option<Py<Cancel>>,
    work: impl FnOnce(&mut Stream<'_>, Option<FileState>) -> Result<T> + Send,
) -> PyResult<T> {
    let outcome = interruptible(py, cancel, |interrupt| file.with_stream(interrupt, work))?;
    outcome.map_err(|error| errors::to_python(py, error))
}

fn container(name: &str) -> PyResult<Container> {
    match name {
        "sequence" => Ok(Container::Sequence),
        "list" => Ok(Container::List),
        "object" => Ok(Container::Object),
        _ => Err(PyValueError::new_err(format!("there is no container {name:?}"))),
    }
}

fn name_of(value: Value) -> &'static str {
    match value {
        Value::Container(Container::List) => "list",
        Value::Container(_) => "object",
        Value::String => "string",
        Value::Scalar => "scalar",
    }
}

fn json_row(row: Row) -> JsonRow {
    JsonRow {
        number: row.number,
        name: row.name.as_deref().map(core::escaped),
        text: row.shown.text,
        is_clipped: row.shown.is_clipped,
        is_odd: row.shown.is_odd,
        is_lossy: row.shown.is_lossy,
        is_torn: row.shown.is_torn,
        wrong_at: row.wrong_at,
    }
}

#[pymethods]
impl Json {
    /// Finds out how a file is made from its first values.
    #[new]
    #[pyo3(signature = (opened, *, is_named_lines=false, cancel=None))]
    fn new(
        py: Python<'_>,
        opened: &Bound<'_, Opened>,
        is_named_lines: bool,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<Self> {
        let file = opened.get().file()?;
        let (form, begin) = run(py, &file, cancel, |stream, state| Form::of(stream, is_named_lines, state))?;
        Ok(Self { opened: opened.clone().unbind(), form, begin, end: u64::MAX })
    }

    /// How its records follow one another: "lines", "list" or "sequence".
    #[getter]
    fn form(&self) -> &'static str {
        match self.form {
            Form::Lines => "lines",
            Form::List => "list",
            Form::Sequence => "sequence",
        }
    }

    /// The offset of its first value.
    #[getter]
    fn begin(&self) -> u64 {
        self.begin
    }

    /// The line that begins at an offset as a file of its own; `None` if it is blank.
    #[pyo3(signature = (start, *, cancel=None))]
    fn line(&self, py: Python<'_>, start: u64, cancel: Option<Py<Cancel>>) -> PyResult<Option<Self>> {
        let found = self.run(py, cancel, |stream, _| core::line(stream, start))?;
        Ok(found.map(|Range { start: begin, end }| Self {
            opened: self.opened.clone_ref(py),
            form: self.form,
            begin,
            end,
        }))
    }

    /// The record that an address names, and its steps; raises `ValueError` if it is none.
    #[staticmethod]
    fn parse(address: &str) -> PyResult<(Option<u64>, Vec<String>)> {
        let pointer = Pointer::parse(address);
        let Pointer { record, steps } = pointer.ok_or_else(|| PyValueError::new_err("not an address"))?;
        Ok((record, steps))
    }

    /// The offset of the element with a number, counted from 1, or `None`; and the number of all, if known.
    #[pyo3(signature = (kind, begin, number, *, cancel=None))]
    fn find(
        &self,
        py: Python<'_>,
        kind: &str,
        begin: u64,
        number: u64,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<(Option<u64>, Option<u64>)> {
        let kind = container(kind)?;
        let found = self.run(py, cancel, |stream, state| core::find(stream, kind, begin, number, state))?;
        Ok((found.ok(), found.err()))
    }

    /// The number of elements.
    #[pyo3(signature = (kind, begin, *, cancel=None))]
    fn count(&self, py: Python<'_>, kind: &str, begin: u64, cancel: Option<Py<Cancel>>) -> PyResult<u64> {
        let kind = container(kind)?;
        self.run(py, cancel, |stream, state| core::count(stream, kind, begin, state))
    }

    /// What steps lead to from the value at an offset: its kind, its offset, and whether a name was not unique.
    ///
    /// Raises `LookupError(steps, kind, items, names)` if they lead nowhere: the number of steps that exist,
    /// what is there, how many items it has, and its first names.
    #[pyo3(signature = (begin, steps, *, cancel=None))]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 converts to owned values")]
    fn follow(
        &self,
        py: Python<'_>,
        begin: u64,
        steps: Vec<String>,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<(&'static str, u64, bool)> {
        match self.run(py, cancel, |stream, state| core::follow(stream, begin, &steps, state))? {
            Ok(place) => Ok((name_of(place.value), place.begin, place.is_duplicate)),
            Err(nowhere) => Err(PyLookupError::new_err((
                nowhere.steps,
                name_of(nowhere.is),
                nowhere.items,
                nowhere.names,
            ))),
        }
    }

    /// Shows elements, or with the kind "lines" the lines from an offset on, and how many there are, if known; then
    /// whether there are none, but something odd, and whether the container has no end.
    #[pyo3(signature = (kind, begin, *, first, rows, chars, max_bytes, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "the limits of a page, by name")]
    fn rows(
        &self,
        py: Python<'_>,
        kind: &str,
        begin: u64,
        first: u64,
        rows: u64,
        chars: u64,
        max_bytes: usize,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<(Vec<JsonRow>, Option<u64>, bool, bool)> {
        let is_file = self.form == Form::List && begin == self.begin;
        let shape = Shape { first, rows, chars, bytes: max_bytes, is_file };
        let of = if kind == "lines" { None } else { Some(container(kind)?) };
        let Rows { rows, total, is_odd, is_torn } = self.run(py, cancel, |stream, state| match of {
            Some(kind) => core::rows(stream, kind, begin, shape, state),
            None => core::line_rows(stream, begin, shape),
        })?;
        Ok((rows.into_iter().map(json_row).collect(), total, is_odd, is_torn))
    }

    /// Searches elements, or with the kind "lines" the lines from an offset on: the number of each record that
    /// matches, its name, its first values that match, and how many do; and the number of the last record looked at.
    #[pyo3(signature = (kind, begin, *, first, last, find, literal, records, values, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "what is looked at, by name")]
    fn search(
        &self,
        py: Python<'_>,
        kind: &str,
        begin: u64,
        first: u64,
        last: u64,
        find: &str,
        literal: bool,
        records: u64,
        values: u64,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<(Vec<FoundRecord>, u64)> {
        let pattern = Pattern::new(find, literal).map_err(|error| crate::find::to_python(&error))?;
        let size = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
        let wanted = WantedRecords {
            pattern: &pattern,
            numbers: (first, last),
            records: size(records),
            values: size(values),
        };
        let of = if kind == "lines" { None } else { Some(container(kind)?) };
        let found = self.run(py, cancel, |stream, state| core::search(stream, of, begin, wanted, state))?;
        let value = |hit: ValueHit| (hit.at, hit.line, hit.text, hit.left_out.0, hit.left_out.1);
        let record = |hit: RecordHit| {
            let name = hit.name.as_deref().map(core::escaped);
            (hit.number, name, hit.values.into_iter().map(value).collect(), hit.total)
        };
        Ok((found.records.into_iter().map(record).collect(), found.last))
    }

    /// Shows one value as a line.
    #[pyo3(signature = (begin, chars, *, cancel=None))]
    fn value(&self, py: Python<'_>, begin: u64, chars: u64, cancel: Option<Py<Cancel>>) -> PyResult<JsonRow> {
        self.run(py, cancel, |stream, _| core::value(stream, begin, chars)).map(json_row)
    }

    /// Decodes lines of the string at an offset.
    #[pyo3(signature = (begin, *, first, lines, column, chars, max_bytes, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "the limits of a page, by name")]
    fn string_lines(
        &self,
        py: Python<'_>,
        begin: u64,
        first: u64,
        lines: u64,
        column: u64,
        chars: u64,
        max_bytes: usize,
        cancel: Option<Py<Cancel>>,
    ) -> PyResult<StringLines> {
        let wanted = Wanted { first, lines, column, chars, bytes: max_bytes };
        let found = self.run(py, cancel, |stream, _| core::string_lines(stream, begin, wanted))?;
        let lines = found.lines.into_iter().map(|line| (line.number, line.text, line.chars));
        Ok((lines.collect(), found.total, found.is_lossy, found.is_torn))
    }
}
