//! Packages of parts: zip files that are Office documents ("Open Packaging Conventions").
//!
//! What a file is, and where its parts are, is decided by its content types and relationships, never by its name.
//!
//! Source: ECMA-376-2.

mod chart;
mod directory;
mod ole;
mod picture;
mod relations;
mod runs;
mod words;

use std::sync::OnceLock;

use crate::allowed::Allowed;
use crate::error::{Error, ErrorKind, Result};
use crate::inflate::{Checkpoints, Inflated, Packed};
use crate::lock::NoLockHeld;
use crate::stream::{Bytes, Stream};
use crate::xml::Xml;

use directory::Directory;

pub use chart::{ChartTable, ShowNumber, mark_of};
pub use picture::Picture;
pub use relations::{Relation, Relations, address};
pub use runs::{Runs, Script, is_tiny, is_white};
pub use words::{LONGEST, LONGEST_NAME, PERSONS, described, joined, one_line};

/// Changes when the same document, presentation or workbook is shown in another way, so that the numbers of its lines
/// mean something else. It is a part of the version of such files.
pub const RENDERING: u32 = 3;

/// What opening a part costs at least, as inflated bytes: a document may name one that is nearly empty very often.
const OPENING: usize = 8 << 10;

/// A zip file, and what kind of document it is.
#[derive(Debug)]
pub struct Package {
    directory: Directory,
    /// The media type: that of a document, or `application/zip`.
    pub media_type: &'static str,
    /// The name of the part where the document begins; empty if it is no document.
    pub main: String,
    /// The parts of its charts in order, once that is known.
    charts: OnceLock<Box<[Box<str>]>>,
}

/// Reads parts of a package.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    package: &'a Package,
    file: &'a Stream<'a>,
    allowed: &'a Allowed,
}

impl Package {
    /// Reads the directory and what the file declares to be.
    ///
    /// # Errors
    /// Those of reading, [`ErrorKind::Damaged`] and [`ErrorKind::TooLarge`]; [`ErrorKind::PasswordRequired`] for an
    /// encrypted document; [`ErrorKind::UnsupportedFormat`] for any other compound file ("OLE").
    pub fn open(file: &Stream<'_>, allowed: &Allowed) -> Result<Self> {
        let mut start = file.of(0..file.end());
        if start.ahead(ole::MAGIC.len())?.starts_with(ole::MAGIC) {
            let media_type = "application/x-ole-storage".to_owned();
            let is_encrypted = ole::is_encrypted(file)?;
            let other = ErrorKind::UnsupportedFormat { media_type, size_bytes: file.end() };
            return Err(Error::new(
                file.path(),
                if is_encrypted { ErrorKind::PasswordRequired } else { other },
            ));
        }
        let directory = Directory::read(file)?;
        let (main, charts) = (String::new(), OnceLock::new());
        let mut package = Self { directory, media_type: "application/zip", main, charts };
        if let Some((main, media_type)) = relations::main_part(package.parts(file, allowed))? {
            (package.main, package.media_type) = (main, media_type);
        }
        Ok(package)
    }

    /// Its parts, for one call.
    #[must_use]
    pub fn parts<'a>(&'a self, file: &'a Stream<'a>, allowed: &'a Allowed) -> Parts<'a> {
        Parts { package: self, file, allowed }
    }

    /// Whether it has a part.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.directory.has(name)
    }

    /// The names of its members, in lower case and with slashes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.directory.names()
    }

    /// Its memory in bytes, about.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let charts = self
            .charts
            .get()
            .map_or(0, |charts| charts.iter().map(|name| size_of::<Box<str>>() + name.len()).sum());
        self.directory.bytes() + charts as u64
    }
}

impl<'a> Parts<'a> {
    /// Where the bytes of a part are; `None` if there is none of this name.
    ///
    /// # Errors
    /// Those of reading; [`ErrorKind::Damaged`] if several have the name, or if it overlaps another one;
    /// [`ErrorKind::PasswordRequired`].
    pub fn locate(&self, name: &str) -> Result<Option<Packed>> {
        self.package.directory.locate(self.file, name)
    }

    /// The content of a part.
    ///
    /// # Errors
    /// [`ErrorKind::OUT_OF_MEMORY`] and [`ErrorKind::TooLarge`].
    pub fn content(&self, packed: Packed, checkpoints: Checkpoints) -> Result<Inflated<'a>> {
        self.allowed.inflate(self.file.path(), OPENING)?;
        Inflated::new(self.file, packed, checkpoints, self.allowed)
    }

    /// A part as XML, from its start on; `None` if there is none of this name.
    ///
    /// # Errors
    /// Those of [`Parts::locate`] and [`Parts::content`].
    pub fn xml(&self, name: &str) -> Result<Option<Xml<'a>>> {
        let Some(packed) = self.locate(name)? else { return Ok(None) };
        Xml::new(self.content(packed, Checkpoints::new(u64::MAX))?).map(Some)
    }

    /// The relationships of a part; of the package, if the name is empty.
    ///
    /// # Errors
    /// Those of [`Parts::xml`] and of reading it.
    pub fn relations(&self, part: &str) -> Result<Relations> {
        relations::read(*self, part, |_| true)
    }

    /// Those that refer to other parts: a sheet may have very many links to the outside.
    ///
    /// # Errors
    /// Those of [`Parts::relations`].
    pub fn internal_relations(&self, part: &str) -> Result<Relations> {
        relations::read(*self, part, |_| false)
    }

    /// Those that refer to other parts, and some that do not, by their IDs.
    ///
    /// # Errors
    /// Those of [`Parts::relations`].
    pub fn some_relations(&self, part: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Relations> {
        relations::read(*self, part, is_wanted)
    }

    /// Counts memory that is kept of a part.
    ///
    /// # Errors
    /// Those of [`Allowed::keep`].
    pub fn keep(&self, bytes: usize) -> Result<()> {
        self.allowed.keep(self.file.path(), bytes)
    }

    /// About the most bytes of text of a slide.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        self.allowed.text_bytes()
    }

    /// Checks whether the call goes on, between two pieces of work that read nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`].
    pub fn require_uninterrupted(&self) -> Result<()> {
        if self.file.interrupt().interrupted(NoLockHeld::check()) {
            return Err(Error::new(self.file.path(), ErrorKind::Cancelled));
        }
        Ok(())
    }

    /// The error that a part is damaged.
    #[must_use]
    pub fn damaged(&self, reason: impl Into<String>) -> Error {
        Error::damaged(self.file.path(), reason)
    }
}

/// Whether an error is about one part alone, so that the rest of the package can be shown.
#[must_use]
pub fn is_of_part(error: &Error) -> bool {
    matches!(error.kind, ErrorKind::Damaged { .. } | ErrorKind::PasswordRequired)
}

/// A number of some bytes, the lowest first.
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let bytes = bytes.get(at..at + width).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
pub(crate) mod tests;
