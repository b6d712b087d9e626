//! `anyread._native.Layout`: how a contract shows lines; created once per contract.

use std::path::Path;

use anyread_core::gutter::Gutter;
use anyread_core::page::build::build;
use anyread_core::page::view::View;
use anyread_core::page::{
    self, Align, Budget, Clip, FinalNewline, Hidden, Layout as CoreLayout, LineRule, Marker, OverBudget,
    Total, Unit,
};
use anyread_core::scan::LineEnds;
use anyread_core::tokens::Counter;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::counter::{CallCounter, TokenCounter};
use crate::errors;
use crate::window::Window;

/// The maximum size of a token in bytes, in all vocabularies of the core.
const LONGEST_TOKEN_BYTES: u64 = 128;

/// How the lines of a window look.
#[pyclass(frozen, module = "anyread._native")]
pub struct Layout {
    lines: LineRule,
    gutter: Gutter,
    align: Align,
    splits_again: bool,
    clip: Option<ClipSetting>,
    cr: Hidden,
    nul: Hidden,
    max_bytes: u64,
    max_tokens: u64,
    counter: Option<TokenCounter>,
    budget: Option<Budget>,
    over_budget: OverBudget,
    total: Total,
}

/// How long lines are clipped: a [`Clip`] that owns its marker.
struct ClipSetting {
    unit: Unit,
    length: u64,
    keep: u64,
    rounds_up: bool,
    marker: String,
}

/// A width in columns, or the name of the number that determines it.
#[derive(FromPyObject)]
enum Width {
    Columns(usize),
    Of(String),
}

#[pymethods]
impl Layout {
    #[new]
    #[pyo3(signature = (
        *, line_ends="lf+crlf", final_newline="ends", before=String::new(), separator=None,
        width=Width::Columns(0), splits_again=false, clip_unit="chars", clip_length=None, clip_keep=None, clip_round="down",
        clip_marker=String::new(), budget=None, budget_unit="bytes", budget_of="answer", over_budget="stop",
        tokenizer=None, max_bytes=None, cr="keep", bom="keep", nul="keep", total="always"
    ))]
    #[expect(clippy::too_many_arguments, reason = "the values of a layout, by name")]
    fn new(
        line_ends: &str,
        final_newline: &str,
        before: String,
        separator: Option<String>,
        width: Width,
        splits_again: bool,
        clip_unit: &str,
        clip_length: Option<u64>,
        clip_keep: Option<u64>,
        clip_round: &str,
        clip_marker: String,
        budget: Option<u64>,
        budget_unit: &str,
        budget_of: &str,
        over_budget: &str,
        tokenizer: Option<&Bound<'_, PyAny>>,
        max_bytes: Option<u64>,
        cr: &str,
        bom: &str,
        nul: &str,
        total: &str,
    ) -> PyResult<Self> {
        let lines = LineRule {
            ends: match line_ends {
                "detected" => LineEnds::Detected,
                "lf" => LineEnds::Lf,
                "lf+crlf" => LineEnds::LfCrlf,
                "lf+crlf+cr" => LineEnds::LfCrlfCr,
                "splitlines" => LineEnds::SplitLines,
                _ => return unknown("line_ends", line_ends),
            },
            final_newline: match final_newline {
                "ends" => FinalNewline::Ends,
                "starts" => FinalNewline::Starts,
                _ => return unknown("final_newline", final_newline),
            },
            bom: hidden("bom", bom)?,
        };
        let (width, align) = match width {
            Width::Columns(columns) => (columns, Align::Gutter),
            Width::Of(name) if name == "last" => (0, Align::Last),
            Width::Of(name) if name == "total" => (0, Align::Total),
            Width::Of(name) => return unknown("width", &name),
        };
        let clip = match clip_length {
            None => None,
            Some(length) => Some(ClipSetting {
                unit: unit("clip_unit", clip_unit)?,
                length,
                keep: clip_keep.unwrap_or(length),
                rounds_up: match clip_round {
                    "down" => false,
                    "up" => true,
                    _ => return unknown("clip_round", clip_round),
                },
                marker: clip_marker,
            }),
        };
        let (counts_gutters, counts_line_feeds) = match budget_of {
            "text" => (false, true),
            "lines" => (true, false),
            "answer" => (true, true),
            _ => return unknown("budget_of", budget_of),
        };
        let in_tokens = budget.filter(|_| budget_unit == "tokens");
        let budget = match budget.filter(|_| in_tokens.is_none()) {
            None => None,
            Some(maximum) => {
                let unit = unit("budget_unit", budget_unit)?;
                Some(Budget { maximum, unit, counts_gutters, counts_line_feeds })
            }
        };
        Ok(Self {
            lines,
            gutter: Gutter { before, width, separator, every: 0 },
            align,
            splits_again,
            clip,
            cr: hidden("cr", cr)?,
            nul: hidden("nul", nul)?,
            max_bytes: in_tokens
                .map_or(u64::MAX, |tokens| tokens.saturating_mul(LONGEST_TOKEN_BYTES))
                .min(max_bytes.unwrap_or(u64::MAX)),
            max_tokens: in_tokens.unwrap_or(u64::MAX),
            counter: tokenizer.map(TokenCounter::new).transpose()?,
            budget,
            over_budget: match over_budget {
                "stop" => OverBudget::Stop,
                "after" => OverBudget::After,
                "error" => OverBudget::Error,
                _ => return unknown("over_budget", over_budget),
            },
            total: match total {
                "always" => Total::Exact,
                "known" => Total::Known,
                "never" => Total::Never,
                _ => return unknown("total", total),
            },
        })
    }

    /// Shows lines of a text in memory, detached from the interpreter.
    #[pyo3(signature = (text, offset, limit, *, first_number=None))]
    fn window(
        &self,
        py: Python<'_>,
        text: &[u8],
        offset: i64,
        limit: u64,
        first_number: Option<i64>,
    ) -> PyResult<Window> {
        let window = page::Window { offset, limit, column: 1 };
        let counter = self.counter();
        let layout = self.of_window(first_number, counter.as_ref());
        match py.detach(|| build(&View::of_utf8(text, self.lines)?, window, &layout)) {
            Ok(page) => Window::new(py, Path::new(""), &page),
            Err(error) => Err(counter
                .and_then(CallCounter::into_failure)
                .unwrap_or_else(|| errors::to_python(py, error))),
        }
    }
}

impl Layout {
    /// The token counter for one call.
    pub fn counter(&self) -> Option<CallCounter<'_>> {
        self.counter.as_ref().map(CallCounter::of)
    }

    /// The layout of one window.
    pub fn of_window<'a>(
        &'a self,
        first_number: Option<i64>,
        counter: Option<&'a CallCounter<'a>>,
    ) -> CoreLayout<'a> {
        CoreLayout {
            align: self.align,
            first_number,
            splits_again: self.splits_again,
            clip: self.clip.as_ref().map(|clip| Clip {
                unit: clip.unit,
                length: clip.length,
                keep: clip.keep,
                rounds_up: clip.rounds_up,
                marker: Marker::Text(&clip.marker),
            }),
            cr: self.cr,
            nul: self.nul,
            max_bytes: self.max_bytes,
            max_tokens: self.max_tokens,
            counter: counter.map(|counter| counter as &dyn Counter),
            budget: self.budget,
            over_budget: self.over_budget,
            total: self.total,
            ..CoreLayout::lines(&self.gutter, self.lines)
        }
    }
}

fn hidden(name: &str, value: &str) -> PyResult<Hidden> {
    match value {
        "keep" => Ok(Hidden::Keep),
        "drop" => Ok(Hidden::Drop),
        "show" => Ok(Hidden::Show),
        "error" if name == "nul" => Ok(Hidden::Error),
        _ => unknown(name, value),
    }
}

fn unit(name: &str, value: &str) -> PyResult<Unit> {
    match value {
        "chars" => Ok(Unit::Chars),
        "utf16" => Ok(Unit::Utf16),
        "bytes" => Ok(Unit::Bytes),
        _ => unknown(name, value),
    }
}

fn unknown<T>(name: &str, value: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!("{name}={value:?}")))
}
