//! The answers of an engine.

use std::path::PathBuf;

use super::OpenedFile;
use crate::page::Page;
use crate::sniff::ControlCounts;
use crate::text::TextPlan;

/// The answer to a request.
///
/// # Example
/// ```
/// # use anyread_core::engine::{Engine, Request};
/// # use anyread_core::gutter::Gutter;
/// # use anyread_core::page::{Layout, Window};
/// # use anyread_core::scan::Never;
/// use anyread_core::engine::Answer;
/// use anyread_core::sniff::Kind;
///
/// # use anyread_core::engine::Memory;
/// # use anyread_core::open::Opener;
/// # use anyread_core::mapping::Mapping;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.txt");
/// # let memory = Memory { index_bytes: 64 << 20, inline_bytes: 64 << 10, trust_append: true, mapping: Mapping::Auto };
/// # let engine = Engine::new(Opener::new(&[], &[])?, memory);
/// # let gutter = Gutter { before: String::new(), width: 0, separator: None, every: 0 };
/// # let window = Window { offset: 1, limit: 10, column: 1 };
/// # let request = Request { kind: None, formats: &["application/pdf".to_owned()], ..Request::of_text(window, None) };
/// std::fs::write(&path, b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj\n")?;
/// let shown = match engine.read(&path, &request, &Layout::reader(&gutter), Some(&Never))? {
///     Answer::Text(answer) => answer.page.text,
///     Answer::Opened(file) if file.kind == Kind::PDF => "a PDF, for a decoder".to_owned(),
///     Answer::Opened(file) => file.kind.media_type.to_owned(),
///     Answer::Unchanged { version } => version,
/// };
/// assert_eq!(shown, "a PDF, for a decoder");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub enum Answer {
    /// A window of text.
    Text(Box<TextAnswer>),
    /// The opened file, which another layer decodes.
    Opened(Box<OpenedFile>),
    /// The file still has the version that the caller has seen.
    Unchanged {
        /// That version.
        version: String,
    },
}

/// A page and the facts about its file.
#[derive(Debug)]
pub struct TextAnswer {
    /// The page.
    pub page: Page,
    /// The decisions about the text.
    pub plan: TextPlan,
    /// The path of the file without symbolic links.
    pub real_path: PathBuf,
    /// Whether a symbolic link was followed.
    pub link_followed: bool,
    /// Whether the path was repaired.
    pub repaired: bool,
    /// `text/plain`, or a more specific text type.
    pub media_type: &'static str,
    /// The media type that the name suggests, if the content is something else.
    pub promised: Option<&'static str>,
    /// Size in bytes.
    pub size_bytes: u64,
    /// When the content last changed, in nanoseconds since the epoch.
    pub modified_ns: i64,
    /// The version; empty while a rewrite could go undetected.
    pub version: String,
    /// The same without that exception, to notice changes between pages; empty for a stream.
    pub state: String,
    /// Counts of control and invisible characters.
    pub controls: ControlCounts,
    /// Whether a stream was cut at the maximum length.
    pub stream_cut: bool,
    /// If the text was in a gzip file, its size, and why it is not complete or not verified, if so.
    pub gzip: Option<(u64, Option<&'static str>)>,
}
