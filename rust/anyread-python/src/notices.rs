//! The notices of a page, as codes and facts: what a model should know but cannot see in the text.
//!
//! `anyread.results.notices` turns them into messages.

use std::path::Path;

use anyread_core::encoding::Declaration;
use anyread_core::engine::{OpenedFile, TextAnswer};
use anyread_core::open::{Listing, display_path};
use anyread_core::text::LineEnding;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::ReadRequest;

/// Below this confidence a detected encoding gets the notice `low_confidence`.
const LOW_CONFIDENCE: f32 = 0.5;

/// A notice without its message: the code, and the facts by name.
pub type NoticeDraft<'py> = (&'static str, Bound<'py, PyDict>);

/// A list of notices that is being built.
struct Notices<'py> {
    py: Python<'py>,
    drafts: Vec<NoticeDraft<'py>>,
}

impl<'py> Notices<'py> {
    fn new(py: Python<'py>) -> Self {
        Self { py, drafts: Vec::new() }
    }

    /// Adds a notice and returns its facts, to be filled in.
    fn add(&mut self, code: &'static str) -> Bound<'py, PyDict> {
        let facts = PyDict::new(self.py);
        self.drafts.push((code, facts.clone()));
        facts
    }
}

/// The properties of a file of any kind that cause notices.
struct FileFacts<'a> {
    real_path: &'a Path,
    link_followed: bool,
    repaired: bool,
    media_type: &'static str,
    promised: Option<&'static str>,
    version: &'a str,
    state: &'a str,
}

impl FileFacts<'_> {
    fn add_to(&self, notices: &mut Notices<'_>, since_version: Option<&str>) -> PyResult<()> {
        if since_version.is_some_and(|since| since.is_empty() || since != self.state) {
            notices.add("changed_since").set_item("version", self.version)?;
        }
        add_path(notices, self.real_path, self.repaired, self.link_followed)?;
        if let Some(promised) = self.promised {
            let facts = notices.add("name_content_mismatch");
            facts.set_item("promised", promised)?;
            facts.set_item("media_type", self.media_type)?;
        }
        Ok(())
    }
}

/// The notices of a file that is not decoded in the core.
pub fn of_opened<'py>(
    py: Python<'py>,
    answer: &OpenedFile,
    request: Option<&ReadRequest>,
) -> PyResult<Vec<NoticeDraft<'py>>> {
    let mut notices = Notices::new(py);
    let state = answer.state();
    let file = FileFacts {
        real_path: &answer.opened.real_path,
        link_followed: answer.opened.link_followed,
        repaired: answer.opened.repaired,
        media_type: answer.kind.media_type,
        promised: answer.promised,
        version: &answer.version,
        state: &state,
    };
    file.add_to(&mut notices, request.and_then(|request| request.since_version.as_deref()))?;
    // Models that fill in every argument pass an encoding for images too.
    if request.is_some_and(|request| request.encoding.is_some()) {
        let facts = notices.add("ignored_argument");
        facts.set_item("argument", "encoding")?;
        facts.set_item("media_type", answer.kind.media_type)?;
    }
    Ok(notices.drafts)
}

/// The notices of a directory.
pub fn of_directory<'py>(py: Python<'py>, listing: &Listing) -> PyResult<Vec<NoticeDraft<'py>>> {
    let mut notices = Notices::new(py);
    add_path(&mut notices, &listing.real_path, listing.repaired, listing.link_followed)?;
    Ok(notices.drafts)
}

/// Adds the notices about where a path led.
fn add_path(
    notices: &mut Notices<'_>,
    real_path: &Path,
    repaired: bool,
    link_followed: bool,
) -> PyResult<()> {
    for (code, applies) in [("path_repaired", repaired), ("link_followed", link_followed)] {
        if applies {
            notices.add(code).set_item("resolved_path", display_path(real_path))?;
        }
    }
    Ok(())
}

/// Adds the notice about an encoding that the text declares.
fn add_declared(notices: &mut Notices<'_>, declared: Declaration, encoding: &str) -> PyResult<()> {
    let code = if declared.followed { "declared_encoding" } else { "declaration_ignored" };
    let facts = notices.add(code);
    facts.set_item("encoding", encoding)?;
    facts.set_item("declared", declared.name)?;
    facts.set_item("declared_by", declared.declared_by.code())?;
    if !declared.followed {
        facts.set_item("decodable", declared.codec.is_some())?;
    }
    Ok(())
}

/// The notices of a page of text, in a fixed order.
pub fn of_text<'py>(
    py: Python<'py>,
    answer: &TextAnswer,
    request: &ReadRequest,
) -> PyResult<Vec<NoticeDraft<'py>>> {
    let mut notices = Notices::new(py);
    let page = &answer.page;
    let encoding = answer.plan.codec.name();
    if page.total_lines == Some(0) {
        notices.add("empty_file");
    }
    let file = FileFacts {
        real_path: &answer.real_path,
        link_followed: answer.link_followed,
        repaired: answer.repaired,
        media_type: answer.media_type,
        promised: answer.promised,
        version: &answer.version,
        state: &answer.state,
    };
    file.add_to(&mut notices, request.since_version.as_deref())?;
    if let Some((_, Some(reason))) = answer.gzip {
        notices.add("gzip_damaged").set_item("reason", reason)?;
    }
    if let (Some(limit), Some(rest)) = (request.limit, request.rest_of_limit(page)) {
        let facts = notices.add("page_full");
        facts.set_item("lines", limit - rest)?;
        facts.set_item("limit", limit)?;
    }
    if page.is_literal {
        notices.add("literal_pattern");
    }
    if let Some(line) = page.lossy_line {
        let facts = notices.add("lossy");
        facts.set_item("line", line)?;
        facts.set_item("encoding", encoding)?;
    }
    if let Some(declared) = answer.plan.declared {
        add_declared(&mut notices, declared, encoding)?;
    }
    if answer.plan.confidence < LOW_CONFIDENCE {
        let facts = notices.add("low_confidence");
        facts.set_item("encoding", encoding)?;
        facts.set_item("confidence", f64::from(answer.plan.confidence))?;
    }
    if answer.plan.line_ending == LineEnding::Mixed {
        notices.add("mixed_line_endings");
    }
    let controls = answer.controls;
    let counts = [
        ("nul", controls.nul),
        ("control_characters", controls.control),
        ("bidi", controls.bidi),
        ("invisible", controls.invisible),
        ("clipped", page.clipped.len() as u64),
    ];
    for (code, count) in counts {
        if count > 0 {
            notices.add(code).set_item("count", count)?;
        }
    }
    if answer.stream_cut {
        notices.add("output_truncated").set_item("bytes", answer.size_bytes)?;
    }
    Ok(notices.drafts)
}
