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

/// A value that Python names with a word.
#[derive(Clone, Copy)]
struct Named<T>(T);

/// The words for the values of each type; another one is a `ValueError`.
macro_rules! words {
    ($($type:ty: $($word:literal => $value:expr),+;)+) => {$(
        impl<'py> FromPyObject<'_, 'py> for Named<$type> {
            type Error = PyErr;

            fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                match value.extract::<&str>()? {
                    $($word => Ok(Self($value)),)+
                    other => Err(PyValueError::new_err(format!("{other:?} is not one of {:?}", [$($word),+]))),
                }
            }
        }
    )+};
}

/// What the budget of a window counts.
#[derive(Clone, Copy)]
struct Counted {
    gutters: bool,
    line_feeds: bool,
}

/// What happens to NULs, which may also be an error.
#[derive(Clone, Copy)]
struct Nul(Hidden);

/// The unit of a budget; `None`: tokens.
type BudgetUnit = Option<Unit>;

words! {
    LineEnds:
        "detected" => LineEnds::Detected, "lf" => LineEnds::Lf, "lf+crlf" => LineEnds::LfCrlf,
        "lf+crlf+cr" => LineEnds::LfCrlfCr, "splitlines" => LineEnds::SplitLines;
    FinalNewline: "ends" => FinalNewline::Ends, "starts" => FinalNewline::Starts;
    Align: "last" => Align::Last, "total" => Align::Total;
    Unit: "chars" => Unit::Chars, "utf16" => Unit::Utf16, "bytes" => Unit::Bytes;
    BudgetUnit:
        "chars" => Some(Unit::Chars), "utf16" => Some(Unit::Utf16), "bytes" => Some(Unit::Bytes), "tokens" => None;
    Counted:
        "text" => Counted { gutters: false, line_feeds: true },
        "lines" => Counted { gutters: true, line_feeds: false },
        "answer" => Counted { gutters: true, line_feeds: true };
    OverBudget: "stop" => OverBudget::Stop, "after" => OverBudget::After, "error" => OverBudget::Error;
    Hidden: "keep" => Hidden::Keep, "drop" => Hidden::Drop, "show" => Hidden::Show;
    Nul:
        "keep" => Nul(Hidden::Keep), "drop" => Nul(Hidden::Drop), "show" => Nul(Hidden::Show),
        "error" => Nul(Hidden::Error);
    Total: "always" => Total::Exact, "known" => Total::Known, "never" => Total::Never;
    // Whether a character at a cut is kept.
    bool: "down" => false, "up" => true;
}

/// A width in columns, or the number that determines it.
#[derive(Clone, Copy, FromPyObject)]
enum Width {
    Columns(usize),
    Of(Named<Align>),
}

#[pymethods]
impl Layout {
    #[new]
    #[pyo3(signature = (
        *, line_ends=Named(LineEnds::LfCrlf), final_newline=Named(FinalNewline::Ends), before=String::new(),
        separator=None, width=Width::Columns(0), splits_again=false, clip_unit=Named(Unit::Chars), clip_length=None,
        clip_keep=None, clip_round=Named(false), clip_marker=String::new(), budget=None,
        budget_unit=Named(Some(Unit::Bytes)), budget_of=Named(Counted { gutters: true, line_feeds: true }),
        over_budget=Named(OverBudget::Stop), tokenizer=None, max_bytes=None, cr=Named(Hidden::Keep),
        bom=Named(Hidden::Keep), nul=Named(Nul(Hidden::Keep)), total=Named(Total::Exact)
    ))]
    #[expect(clippy::too_many_arguments, reason = "the values of a layout, by name")]
    fn new(
        line_ends: Named<LineEnds>,
        final_newline: Named<FinalNewline>,
        before: String,
        separator: Option<String>,
        width: Width,
        splits_again: bool,
        clip_unit: Named<Unit>,
        clip_length: Option<u64>,
        clip_keep: Option<u64>,
        clip_round: Named<bool>,
        clip_marker: String,
        budget: Option<u64>,
        budget_unit: Named<BudgetUnit>,
        budget_of: Named<Counted>,
        over_budget: Named<OverBudget>,
        tokenizer: Option<&Bound<'_, PyAny>>,
        max_bytes: Option<u64>,
        cr: Named<Hidden>,
        bom: Named<Hidden>,
        nul: Named<Nul>,
        total: Named<Total>,
    ) -> PyResult<Self> {
        let (width, align) = match width {
            Width::Columns(columns) => (columns, Align::Gutter),
            Width::Of(Named(align)) => (0, align),
        };
        let clip = clip_length.map(|length| ClipSetting {
            unit: clip_unit.0,
            length,
            keep: clip_keep.unwrap_or(length),
            rounds_up: clip_round.0,
            marker: clip_marker,
        });
        let Counted { gutters: counts_gutters, line_feeds: counts_line_feeds } = budget_of.0;
        let of_unit =
            |maximum| budget_unit.0.map(|unit| Budget { maximum, unit, counts_gutters, counts_line_feeds });
        let in_tokens = budget.filter(|_| budget_unit.0.is_none());
        Ok(Self {
            lines: LineRule { ends: line_ends.0, final_newline: final_newline.0, bom: bom.0 },
            gutter: Gutter { before, width, separator, every: 0 },
            align,
            splits_again,
            clip,
            cr: cr.0,
            nul: nul.0.0,
            max_bytes: in_tokens
                .map_or(u64::MAX, |tokens| tokens.saturating_mul(LONGEST_TOKEN_BYTES))
                .min(max_bytes.unwrap_or(u64::MAX)),
            max_tokens: in_tokens.unwrap_or(u64::MAX),
            counter: tokenizer.map(TokenCounter::new).transpose()?,
            budget: budget.and_then(of_unit),
            over_budget: over_budget.0,
            total: total.0,
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
    /// How a text is divided into lines.
    pub fn lines(&self) -> LineRule {
        self.lines
    }

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
