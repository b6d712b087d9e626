//! What an engine answers.

use std::path::PathBuf;

use super::OpenedFile;
use crate::page::Page;
use crate::sniff::ControlCounts;
use crate::text::TextPlan;

/// The answer to a request.
#[derive(Debug)]
pub enum Answer {
    /// A window of text.
    Text(Box<TextAnswer>),
    /// Something that others decode: the opened file.
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
    /// Where the file really is.
    pub real_path: PathBuf,
    /// Whether a symbolic link led there.
    pub link_followed: bool,
    /// Whether the path was mended.
    pub repaired: bool,
    /// `text/plain`, or what is written in text.
    pub media_type: &'static str,
    /// The media type that the name promises and the bytes do not keep.
    pub promised: Option<&'static str>,
    /// Size in bytes.
    pub size_bytes: u64,
    /// When the content last changed, in nanoseconds since the epoch.
    pub modified_ns: i64,
    /// The version; empty while a rewrite could go unseen.
    pub version: String,
    /// Characters that a reader cannot see.
    pub controls: ControlCounts,
    /// Whether a stream had more than is ever read of one.
    pub stream_cut: bool,
}
