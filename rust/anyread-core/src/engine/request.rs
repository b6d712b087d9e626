//! What an engine is asked.

use std::path::Path;

use crate::encoding::Codec;
use crate::page::Window;

/// What to read.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The file.
    pub path: &'a Path,
    /// The window.
    pub window: Window,
    /// Overrides the detection of the encoding.
    pub encoding: Option<Codec>,
    /// Overrides the detection of the kind.
    pub kind: Option<WantedKind>,
    /// An argument that does not fit text, if the caller passed one.
    pub foreign: Option<&'a str>,
    /// A version that need not be read again.
    pub unless_version: Option<&'a str>,
    /// Whether a notebook is left to who shows its cells; else it is read as the JSON that it is.
    pub notebook_cells: bool,
}

/// A kind that the caller insists on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedKind {
    /// Text, whatever the bytes look like.
    Text,
    /// A picture.
    Image,
    /// A PDF.
    Pdf,
    /// A notebook.
    Notebook,
}
