//! An opened file with its detected type: windows of its text, facts about its content, and its first bytes.
//!
//! Everything comes from one descriptor, so that a text and a checksum belong to the same file even if the
//! path is replaced in between. If a file is changed in place, a read returns one state of it or an error.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::reading::{FileBytes, Reading, is_stream, kind_of_text};
use super::{Counters, Memory, Request, Shared, without_waiting, would_block};
use crate::cache::FileState;
use crate::device::{COARSE_TICK_NS, Device, DeviceClass};
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::facts::{self, Facts, Sha256, Utf8Fault};
use crate::inflate::gzip::{self, GzipText, name_of_text};
use crate::mapping::{LargeScans, Mapping};
use crate::memory::zeros;
use crate::open::RegularFile;
use crate::package::RENDERING;
use crate::page::{Layout, Page};
use crate::scan::{Interrupt, Never, Wait};
use crate::size::to_usize;
use crate::snapshot::now_ns;
use crate::sniff::{Kind, SNIFF_BYTES, sniff};
use crate::source::{InlineLimit, Snapshot, Source, Waiting, fill};
use crate::stream::Stream;
use crate::system::{self, AsDescriptor, Descriptor};
use crate::tokens::Tokenizer;

/// How many times as long counting the tokens of some bytes takes as reading a window of them.
const TOKEN_SLOWDOWN: u64 = 8;
/// How many times a fact is computed if the file changes meanwhile.
const ATTEMPTS: u32 = 4;

/// An opened file with its detected type.
#[derive(Debug)]
pub struct OpenedFile {
    /// The path as given.
    pub path: PathBuf,
    /// The file.
    pub opened: RegularFile,
    /// What its content is.
    pub kind: Kind,
    /// The media type that the name suggests, if the content is something else.
    pub promised: Option<&'static str>,
    /// The version; empty while a rewrite could go undetected.
    pub version: String,
    /// Its first bytes; empty if `content` has all of them.
    head: Vec<u8>,
    content: OnceLock<FileBytes>,
    /// Its text once it was read, if it is a gzip file whose text is read.
    gzip: Option<OnceLock<Box<GzipText>>>,
    shared: Arc<Shared>,
}

/// The version of a file that was just opened.
pub(super) fn version_of(opened: &RegularFile) -> String {
    match &opened.present {
        Some(present) => present.version().to_owned(),
        None if is_stream(opened) => String::new(),
        None => opened.snapshot.version(opened.device.tick_ns, opened.opened_ns),
    }
}

/// The state of a file that was just opened: its version, even while a rewrite could go undetected.
pub(super) fn state_of(opened: &RegularFile) -> String {
    match &opened.present {
        Some(present) => present.state().to_owned(),
        None if is_stream(opened) => String::new(),
        None => opened.snapshot.to_string(),
    }
}

/// The version of a file as its pages have it: the lines of a package also depend on how it is shown.
fn with_rendering(mut version: String, kind: Kind) -> String {
    if kind.is_package() && !version.is_empty() {
        let _ = write!(version, "-r{RENDERING}");
    }
    version
}

impl OpenedFile {
    pub(super) fn new(
        path: &Path,
        opened: RegularFile,
        shared: Arc<Shared>,
        version: String,
        kind: Kind,
        content: Option<FileBytes>,
        gzip: Option<OnceLock<Box<GzipText>>>,
    ) -> Self {
        let name = opened.real_path.file_name().unwrap_or_default();
        let promised = kind.broken_promise(if gzip.is_some() { name_of_text(name) } else { name });
        Self {
            path: path.to_path_buf(),
            opened,
            kind,
            promised,
            version: with_rendering(version, kind),
            head: Vec::new(),
            content: content.map_or_else(OnceLock::new, OnceLock::from),
            gzip,
            shared,
        }
    }

    /// Detects the type of a file from its first bytes and its name; reads it completely if it has at most
    /// `whole` bytes.
    pub(super) fn recognize(
        path: &Path,
        opened: RegularFile,
        shared: Arc<Shared>,
        whole: usize,
        waiting: Waiting<'_>,
    ) -> Result<Self> {
        let version = version_of(&opened);
        let size = opened.snapshot.size;
        let (bytes, is_whole) = if size <= whole as u64 {
            let read = || opened.read(path, opened.reported_size(), whole, waiting);
            let bytes = read()?;
            // A file of `/proc` has no size; it ends where a read returns less than requested.
            let has_ended = if size == 0 { bytes.len() < whole } else { bytes.len() as u64 == size };
            // Bytes that were read during a write may belong to several states of the file.
            // Just after a change, a write in between may have left the same state.
            let is_clear = opened.device.pseudo || bytes.is_empty() || !opened.is_racy();
            let is_whole = has_ended && opened.now() == Ok(opened.snapshot) && (is_clear || read()? == bytes);
            (bytes, is_whole)
        } else {
            let source = Source::File {
                descriptor: opened.descriptor.as_descriptor(),
                size,
                scans: None,
                waiting,
                head: &[],
                present: opened.present.as_deref(),
            };
            (source.bytes(path, 0, SNIFF_BYTES)?.into_owned(), false)
        };
        let name = opened.real_path.file_name().unwrap_or_default();
        let head = &bytes[..bytes.len().min(SNIFF_BYTES)];
        let mut kind = sniff(head, name);
        let is_gzip = kind.media_type == gzip::MEDIA_TYPE && shared.most_text.is_some();
        if is_gzip {
            kind = kind_of_text(&GzipText::head(head, path, SNIFF_BYTES)?, name);
        }
        let (head, content) = if is_whole {
            (Vec::new(), Some(FileBytes { bytes, is_of_snapshot: true }))
        } else {
            (bytes, None)
        };
        let gzip = is_gzip.then(OnceLock::new);
        let file = Self::new(path, opened, shared, version, kind, content, gzip);
        Ok(Self { head, ..file })
    }

    /// A file that another process has opened, without a path, and without an engine: for reading its bytes.
    ///
    /// `size` is what the other process takes as its end.
    ///
    /// # Errors
    /// Those of asking for its state.
    pub fn passed(descriptor: Descriptor, size: u64) -> Result<Self> {
        let path = Path::new("");
        let state = system::state(descriptor.as_descriptor()).map_err(|errno| {
            Error::new(path, ErrorKind::FileSystem { errno: errno.raw_os_error(), operation: "stat" })
        })?;
        let opened = RegularFile {
            descriptor,
            snapshot: Snapshot { size, ..state.snapshot },
            opened_ns: now_ns(),
            real_path: PathBuf::new(),
            link_followed: false,
            repaired: false,
            // To ask for its file system is not allowed in a sandbox.
            device: Device { class: DeviceClass::Hop, tick_ns: COARSE_TICK_NS, pseudo: false },
            mount: state.mount,
            present: None,
        };
        // Its process forgets everything when this file is closed.
        let memory =
            Memory { index_bytes: u64::MAX, inline_bytes: 0, trust_append: false, mapping: Mapping::Never };
        let scans = LargeScans::new(memory.mapping);
        let shared =
            Arc::new(Shared { memory, counters: Counters::default(), scans, rules: 0, most_text: None });
        Ok(Self::new(path, opened, shared, String::new(), sniff(&[], path.as_os_str()), None, None))
    }

    /// Whether it is a gzip file whose text is read.
    #[must_use]
    pub fn is_gzip(&self) -> bool {
        self.gzip.is_some()
    }

    /// Fails unless all bytes are present, as whoever gets the descriptor needs them.
    ///
    /// # Errors
    /// [`Blocked::Missing`].
    pub fn require_all(&self) -> Result<()> {
        self.opened.require(&self.path, 0, self.opened.snapshot.size)
    }

    /// A number for the roots and deny rules of its engine ([`crate::open::Opener::rules`]).
    #[must_use]
    pub fn rules(&self) -> u64 {
        self.shared.rules
    }

    /// Its version, even while a rewrite could go undetected, to notice changes between pages.
    #[must_use]
    pub fn state(&self) -> String {
        with_rendering(state_of(&self.opened), self.kind)
    }

    /// The bytes at its start that have been read.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        self.content.get().map_or(&self.head, |content| &content.bytes)
    }

    /// Whether [`OpenedFile::head`] is the complete content of one state of the file.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.content.get().is_some()
    }

    /// Whether the file is unchanged since it was opened.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        self.opened.now() == Ok(self.opened.snapshot)
    }

    /// Its first bytes, at most `maximum`, even if the file reports no size (`/proc`).
    ///
    /// # Errors
    /// Those of reading.
    pub fn read(&self, maximum: usize) -> Result<Cow<'_, [u8]>> {
        if let Some(content) = self.content.get() {
            return Ok(Cow::Borrowed(&content.bytes[..content.bytes.len().min(maximum)]));
        }
        let expected = self.opened.reported_size().map(|size| size.min(maximum));
        self.opened.read(&self.path, expected, maximum, Waiting::Allowed).map(Cow::Owned)
    }

    /// At most `maximum` bytes from an offset on; fewer only at the end of the file, which may have grown.
    ///
    /// # Errors
    /// Those of reading.
    pub fn read_at(&self, offset: u64, maximum: usize) -> Result<Vec<u8>> {
        self.opened.require(&self.path, offset, maximum as u64)?;
        let mut bytes = zeros(&self.path, maximum)?;
        let count = fill(&self.path, &self.opened.descriptor, offset, &mut bytes)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// All its bytes.
    ///
    /// # Errors
    /// Those of reading, and [`ErrorKind::FileChanged`] if it is not as it was when it was opened.
    pub fn contents(&self) -> Result<Vec<u8>> {
        let size = to_usize(self.opened.snapshot.size);
        let bytes = self.read_at(0, size)?;
        if bytes.len() < size {
            return self.reading(Waiting::Allowed).changed("truncated");
        }
        if self.is_unchanged() { Ok(bytes) } else { self.reading(Waiting::Allowed).changed("rewritten") }
    }

    /// Its current size in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::FileSystem`].
    pub fn current_size(&self) -> Result<u64> {
        let now = self.opened.now();
        now.map(|now| now.size).map_err(|errno| {
            let operation = "stat";
            Error::new(&self.path, ErrorKind::FileSystem { errno: errno.raw_os_error(), operation })
        })
    }

    /// Reads a window of its text; only the window and the encoding of the request are used.
    ///
    /// If bytes are changed in place during the read, the error is [`ErrorKind::FileChanged`], and the file
    /// must be opened again. If it is appended to, replaced or removed, it is read as it was when opened.
    ///
    /// # Errors
    /// Every [`ErrorKind`] that applies to text.
    pub fn window(&self, request: &Request<'_>, layout: &Layout<'_>, wait: Wait<'_>) -> Result<Page> {
        let Some(interrupt) = wait else {
            let outcome = self.window_now(request, layout);
            self.shared.count_inline(&outcome);
            return outcome;
        };
        if let Some(counter) = layout.counter {
            counter.prepare(&self.path)?;
        }
        self.reading(Waiting::Allowed).page(request, layout, interrupt)
    }

    fn window_now(&self, request: &Request<'_>, layout: &Layout<'_>) -> Result<Page> {
        if layout.counter.is_some() {
            return Err(would_block(&self.path, Blocked::Work));
        }
        let limit = InlineLimit::new(self.opened.device.class, self.shared.memory.inline_bytes);
        self.reading(Waiting::Refused(&limit))
            .page(request, layout, &Never)
            .map_err(|error| without_waiting(&self.path, &self.opened, error))
    }

    fn reading<'a>(&'a self, waiting: Waiting<'a>) -> Reading<'a> {
        Reading {
            shared: &self.shared,
            path: &self.path,
            opened: &self.opened,
            version: &self.version,
            head: None,
            content: &self.content,
            gzip: self.gzip.as_ref(),
            is_confirmed: true,
            waiting,
        }
    }

    /// Runs `work` over its bytes; the snapshot is that of the file if what is found may be kept for it.
    ///
    /// Bytes that are appended meanwhile have no effect.
    ///
    /// # Errors
    /// Those of `work`, and [`ErrorKind::FileChanged`] if bytes of it may have changed meanwhile.
    pub fn with_stream<T>(
        &self,
        interrupt: &dyn Interrupt,
        work: impl FnOnce(&mut Stream<'_>, Option<FileState>) -> Result<T>,
    ) -> Result<T> {
        let RegularFile { snapshot, device, .. } = &self.opened;
        let is_final = now_ns() >= snapshot.rests_ns(device.tick_ns, snapshot.size);
        let reading = self.reading(Waiting::Allowed);
        let source = reading.text_source(interrupt)?;
        let mut stream = Stream::new(source, &self.path, interrupt, 0..source.size());
        let found = work(&mut stream, is_final.then(|| self.file_state()))?;
        if !source.is_in_memory() && reading.now()?.size < snapshot.size {
            return reading.changed("truncated");
        }
        reading.check_gzip()?;
        Ok(found)
    }

    /// What was read of the text in it, if it is a gzip file whose text is read.
    ///
    /// # Errors
    /// Those of [`OpenedFile::window`].
    pub fn gzip(&self, wait: Wait<'_>) -> Result<Option<&GzipText>> {
        if self.gzip.is_none() {
            return Ok(None);
        }
        let Some(interrupt) = wait else { return Err(would_block(&self.path, Blocked::Work)) };
        self.reading(Waiting::Allowed).gzip_text(interrupt).map(Some)
    }

    /// The SHA-256 of all its bytes.
    ///
    /// # Errors
    /// Those of reading, [`ErrorKind::FileChanged`] and [`ErrorKind::Cancelled`].
    pub fn sha256(&self, wait: Wait<'_>) -> Result<Sha256> {
        self.fact(|facts| &mut facts.sha256, facts::sha256, self.quick_bytes(), wait)
    }

    /// Where its bytes first are not valid UTF-8, if anywhere.
    ///
    /// # Errors
    /// Those of [`OpenedFile::sha256`].
    pub fn utf8_fault(&self, wait: Wait<'_>) -> Result<Option<Utf8Fault>> {
        self.fact(|facts| &mut facts.utf8_fault, facts::utf8_fault, self.quick_bytes(), wait)
    }

    /// The offset of its first NUL, if it has one.
    ///
    /// # Errors
    /// Those of [`OpenedFile::sha256`].
    pub fn find_nul(&self, wait: Wait<'_>) -> Result<Option<u64>> {
        self.fact(|facts| &mut facts.nul, facts::find_nul, self.quick_bytes(), wait)
    }

    /// The number of tokens of all its text, decoded as UTF-8 with U+FFFD for malformed bytes.
    ///
    /// The whole text is held in memory, and only reading it can be interrupted.
    ///
    /// # Errors
    /// Those of [`OpenedFile::sha256`].
    pub fn count_tokens(&self, tokenizer: Tokenizer, wait: Wait<'_>) -> Result<u64> {
        let quick_bytes = if tokenizer.is_unpacked() { self.quick_bytes() / TOKEN_SLOWDOWN } else { 0 };
        self.fact(
            |facts| facts.tokens(tokenizer),
            |source, path, interrupt| facts::count_tokens(source, path, tokenizer, interrupt),
            quick_bytes,
            wait,
        )
    }

    /// The maximum number of bytes in memory that a call examines if it may not wait.
    fn quick_bytes(&self) -> u64 {
        self.shared.memory.inline_bytes
    }

    fn file_state(&self) -> FileState {
        FileState { snapshot: self.opened.snapshot, max_bytes: self.shared.memory.index_bytes }
    }

    /// A fact that is known about this state, or else the result of `find`.
    ///
    /// If the file changes meanwhile, or could without a change of its state, `find` must return the same value
    /// twice in a row. Without waiting, it examines at most `quick_bytes`, in memory.
    fn fact<T: Copy + PartialEq>(
        &self,
        slot: impl Fn(&mut Facts) -> &mut Option<T>,
        find: impl Fn(Source<'_>, &Path, &dyn Interrupt) -> Result<T>,
        quick_bytes: u64,
        wait: Wait<'_>,
    ) -> Result<T> {
        let RegularFile { snapshot, device, opened_ns, .. } = &self.opened;
        let is_racy = self.opened.is_racy();
        // Bytes in memory may have been read when the file was opened.
        let at_ns = if self.is_whole() { *opened_ns } else { now_ns() };
        let is_final = at_ns >= snapshot.rests_ns(device.tick_ns, snapshot.size);
        if !is_racy && let Some(known) = *slot(&mut facts::known(&self.file_state(), is_final)) {
            return Ok(known);
        }
        let is_quick = || self.content.get().is_some_and(|content| content.bytes.len() as u64 <= quick_bytes);
        let interrupt = match wait {
            Some(interrupt) => interrupt,
            None if is_quick() => &Never,
            None => return Err(would_block(&self.path, Blocked::Work)),
        };
        let keep = |found| {
            if !is_racy {
                facts::keep(&self.file_state(), is_final, |facts| *slot(facts) = Some(found));
            }
            Ok(found)
        };
        let reading = self.reading(Waiting::Allowed);
        let source = reading.source()?;
        if let Source::Memory(_) = source {
            let found = find(source, &self.path, interrupt)?;
            let is_of_snapshot = self.content.get().is_some_and(|content| content.is_of_snapshot);
            return if is_of_snapshot { keep(found) } else { Ok(found) };
        }
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let found = find(source, &self.path, interrupt)?;
            let now = reading.now()?;
            if now == *snapshot && !is_racy {
                return keep(found);
            }
            if now.size < snapshot.size {
                return reading.changed("truncated");
            }
            if last == Some(found) {
                return Ok(found);
            }
            last = Some(found);
        }
        reading.changed("rewritten")
    }
}
