//! The engine opens files and reads windows of them.

mod answer;
mod batch;
mod opened;
mod reading;
mod request;
mod verify;

use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::copies::PartialCopy;
use crate::device::mounts;
use crate::device::{Device, DeviceClass};
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::inflate::gzip::GzipText;
use crate::mapping::{LargeScans, Mapping};
use crate::open::{Listings, Opener, RegularFile, is_still};
use crate::page::Layout;
use crate::scan::{Interrupt, Never, Wait};
use crate::sniff::SNIFF_BYTES;
use crate::source::{InlineLimit, Waiting};

pub use answer::{Answer, TextAnswer};
pub use batch::{BatchFile, Batched};
pub use opened::OpenedFile;
use reading::{FileBytes, Found, Head, Reading};
pub use request::{Find, Request, WantedKind};

/// How many times a read is attempted if the file changes during it.
const ATTEMPTS: u32 = 4;

/// How much of a file the engine reads at once and keeps in memory.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Maximum size of all indexes in this process, in bytes.
    pub index_bytes: u64,
    /// Maximum number of bytes of a file that a call reads if it may not wait.
    pub inline_bytes: u64,
    /// Whether a file that has grown may keep its index if samples of its content are unchanged.
    pub trust_append: bool,
    /// Whether large files of local file systems may be mapped.
    pub mapping: Mapping,
}

/// Counts of events since the engine was created.
#[derive(Debug, Default)]
pub struct Counters {
    /// Reads that were answered.
    pub reads: AtomicU64,
    /// Reads that were repeated because the file changed during them.
    pub retries: AtomicU64,
    /// Reads that found a line index from an earlier read.
    pub indexed: AtomicU64,
    /// Reads that were answered without blocking.
    pub inline: AtomicU64,
    /// Non-blocking attempts that gave up, in the order of [`Blocked::ALL`].
    pub blocked: [AtomicU64; Blocked::ALL.len()],
}

/// The state that an engine shares with the files that it has opened.
#[derive(Debug)]
struct Shared {
    memory: Memory,
    counters: Counters,
    scans: LargeScans,
    rules: u64,
    /// The most bytes of text in a gzip file; `None`: such files are not decompressed.
    most_text: Option<u64>,
}

impl Shared {
    /// Counts a call that may not wait and had to; returns whether it had to.
    fn count_blocked<T>(&self, outcome: &Result<T>) -> bool {
        let Err(Error { kind: ErrorKind::WouldBlock(blocked), .. }) = outcome else { return false };
        let position = Blocked::ALL.iter().position(|other| other == blocked);
        if let Some(counter) = position.and_then(|position| self.counters.blocked.get(position)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        true
    }

    /// Counts a read that may not wait.
    fn count_inline<T>(&self, outcome: &Result<T>) {
        if !self.count_blocked(outcome) {
            self.counters.reads.fetch_add(1, Ordering::Relaxed);
            self.counters.inline.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Reads files, optionally only those below some roots.
///
/// # Example
/// ```
/// use anyread_core::engine::{Answer, Engine, Memory, Request};
/// use anyread_core::gutter::Gutter;
/// use anyread_core::open::Opener;
/// use anyread_core::page::{Layout, Window};
/// use anyread_core::mapping::Mapping;
/// use anyread_core::scan::Never;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("a.txt");
/// let memory = Memory { index_bytes: 64 << 20, inline_bytes: 64 << 10, trust_append: true, mapping: Mapping::Auto };
/// let engine = Engine::new(Opener::new(&[], &[])?, memory);
///
/// std::fs::write(&path, "one\ntwo\n")?;
/// let gutter = Gutter { before: String::new(), width: 0, separator: Some("\t".to_owned()), every: 0 };
/// let request = Request::of_text(Window { offset: 1, limit: 1, column: 1 }, None);
/// let answer = engine.read(&path, &request, &Layout::reader(&gutter), Some(&Never))?;
/// let Answer::Text(answer) = answer else { return Err("this is not text".into()) };
/// assert_eq!(answer.page.text, "1\tone\n[line 1 of 2 · next: offset=2]");
/// assert_eq!(answer.page.content.decode()?, "one\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Engine {
    opener: Arc<Opener>,
    shared: Arc<Shared>,
}

impl Engine {
    /// An engine that opens files with `opener`; the environment may override `mapping`
    /// ([`Mapping::or_environment`]).
    #[must_use]
    pub fn new(opener: Opener, memory: Memory) -> Self {
        Self::decompressing(opener, memory, None)
    }

    /// The same, which reads the text in a gzip file, of at most so many bytes.
    #[must_use]
    pub fn decompressing(opener: Opener, memory: Memory, most_text: Option<u64>) -> Self {
        let scans = LargeScans::new(memory.mapping.or_environment());
        let rules = opener.rules();
        let opener = Arc::new(opener);
        let shared = Shared { memory, counters: Counters::default(), scans, rules, most_text };
        Self { opener, shared: Arc::new(shared) }
    }

    /// The counts of events so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// The opener of its files.
    #[must_use]
    pub fn opener(&self) -> &Arc<Opener> {
        &self.opener
    }

    /// The setting and the counts of its large scans.
    #[must_use]
    pub fn scans(&self) -> &LargeScans {
        &self.shared.scans
    }

    /// Opens a file and detects its type; `repair` as for [`Opener::open`], which needs a call that may wait.
    ///
    /// A file of at most `whole` bytes is read completely.
    ///
    /// # Errors
    /// Those of opening, and of reading the first bytes.
    pub fn open(&self, path: &Path, repair: bool, whole: usize, wait: Wait<'_>) -> Result<OpenedFile> {
        let shared = Arc::clone(&self.shared);
        if wait.is_some() {
            let opened = self.opener.open(path, repair)?;
            return OpenedFile::recognize(path, opened, shared, whole, Waiting::Allowed);
        }
        let open = || {
            let opened = self.opener.open_now(path).map_err(|blocked| would_block(path, blocked))?;
            let (mount, device) = (opened.mount, opened.device);
            // One more read is needed to detect the end of a file, and a file that has just changed is read twice.
            let limit = InlineLimit::new(device.class, 4 * whole.max(SNIFF_BYTES) as u64 + 4);
            OpenedFile::recognize(path, opened, shared, whole, Waiting::Refused(&limit))
                .inspect_err(|error| learn(mount, device, error))
        };
        let outcome = open();
        self.shared.count_blocked(&outcome);
        outcome
    }

    /// Opens a file and reads a window of it; without waiting, it reads at most [`Memory::inline_bytes`] of the file.
    ///
    /// # Errors
    /// Every [`ErrorKind`] that applies to text.
    pub fn read(
        &self,
        path: &Path,
        request: &Request<'_>,
        layout: &Layout<'_>,
        wait: Wait<'_>,
    ) -> Result<Answer> {
        self.read_on(&mut None, path, request, layout, wait)
    }

    /// [`Engine::read`] of a file that an earlier call has left open in `pending` because it would have had to wait.
    ///
    /// # Errors
    /// Those of [`Engine::read`].
    pub fn read_on(
        &self,
        pending: &mut Option<Box<Pending>>,
        path: &Path,
        request: &Request<'_>,
        layout: &Layout<'_>,
        wait: Wait<'_>,
    ) -> Result<Answer> {
        let Some(interrupt) = wait else {
            let outcome = self.read_now(pending, path, request, layout);
            self.shared.count_inline(&outcome);
            return outcome;
        };
        if let Some(counter) = layout.counter {
            counter.prepare(path)?;
        }
        let counters = self.counters();
        let mut attempt = 1;
        loop {
            let file = match pending.take() {
                Some(pending) => pending.resume(),
                None => Pending::new(self.opener.open_meant(path, &Listings::default())?, true),
            };
            match file.find(&self.shared, path, request, layout, interrupt, Waiting::Allowed) {
                Err(Error { kind: ErrorKind::FileChanged { .. }, .. }) if attempt < ATTEMPTS => {
                    counters.retries.fetch_add(1, Ordering::Relaxed);
                    attempt += 1;
                }
                outcome => {
                    counters.reads.fetch_add(1, Ordering::Relaxed);
                    return outcome.map(|found| file.into_answer(&self.shared, path, request, found));
                }
            }
        }
    }

    /// [`Engine::read`] of a file that is elsewhere and was copied; roots and deny rules are the caller's.
    ///
    /// # Errors
    /// Those of [`Engine::read`], and [`Blocked::Missing`] or [`Blocked::Uncounted`]: then the call starts again once
    /// the copy has more.
    pub fn read_copy(
        &self,
        copy: &PartialCopy,
        path: &Path,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Answer> {
        if let Some(counter) = layout.counter {
            counter.prepare(path)?;
        }
        let file = Pending::new(copied(path, copy)?, true);
        let found = file.find(&self.shared, path, request, layout, interrupt, Waiting::Allowed)?;
        self.counters().reads.fetch_add(1, Ordering::Relaxed);
        Ok(file.into_answer(&self.shared, path, request, found))
    }

    /// [`Engine::open`] of a file that is elsewhere and was copied; roots and deny rules are the caller's.
    ///
    /// # Errors
    /// Those of [`Engine::open`] and [`Blocked::Missing`].
    pub fn open_copy(&self, copy: &PartialCopy, path: &Path, whole: usize) -> Result<OpenedFile> {
        let opened = copied(path, copy)?;
        OpenedFile::recognize(path, opened, Arc::clone(&self.shared), whole, Waiting::Allowed)
    }

    fn read_now(
        &self,
        pending: &mut Option<Box<Pending>>,
        path: &Path,
        request: &Request<'_>,
        layout: &Layout<'_>,
    ) -> Result<Answer> {
        // A tokenizer is slow, and slower still when it is first used.
        if layout.counter.is_some() {
            return Err(would_block(path, Blocked::Work));
        }
        let opened = self.opener.open_to_confirm(path).map_err(|blocked| would_block(path, blocked))?;
        let mut file = Pending::new(opened.0, opened.1);
        let limit = InlineLimit::new(file.opened.device.class, self.shared.memory.inline_bytes);
        match file.find(&self.shared, path, request, layout, &Never, Waiting::Refused(&limit)) {
            Ok(found) => Ok(file.into_answer(&self.shared, path, request, found)),
            Err(error) => {
                let opens_again = matches!(error.kind, ErrorKind::FileChanged { .. });
                let error = without_waiting(path, &file.opened, error);
                if matches!(error.kind, ErrorKind::WouldBlock(_)) && !opens_again {
                    // Later a mere rename would look like another file.
                    file.is_confirmed = file.is_confirmed || is_still(&file.opened);
                    *pending = file.is_confirmed.then(|| Box::new(file));
                }
                Err(error)
            }
        }
    }
}

/// A file that is opened for one answer.
#[derive(Debug)]
pub struct Pending {
    opened: RegularFile,
    version: String,
    /// Its first bytes, once they were read to detect its type.
    head: OnceLock<Head>,
    content: OnceLock<FileBytes>,
    /// Its text, if it is a gzip file.
    gzip: OnceLock<Box<GzipText>>,
    /// Whether its state is that of the opened file, or must be confirmed
    /// ([`crate::open::Opener::open_to_confirm`]).
    is_confirmed: bool,
}

impl Pending {
    fn new(opened: RegularFile, is_confirmed: bool) -> Self {
        let version = opened::version_of(&opened);
        let (head, content, gzip) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { opened, version, head, content, gzip, is_confirmed }
    }

    /// The same file after a wait, during which it may have changed.
    fn resume(mut self) -> Self {
        if self.head.get().is_some() && !is_still(&self.opened) {
            self.head = OnceLock::new();
        }
        self
    }

    fn find(
        &self,
        shared: &Shared,
        path: &Path,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
        waiting: Waiting<'_>,
    ) -> Result<Found> {
        let Self { opened, version, head, content, gzip, is_confirmed } = self;
        let is_confirmed = *is_confirmed;
        let gzip = shared.most_text.map(|_| gzip);
        Reading { shared, path, opened, version, head: Some(head), content, gzip, is_confirmed, waiting }
            .find(request, layout, interrupt)
    }

    fn into_answer(self, shared: &Arc<Shared>, path: &Path, request: &Request<'_>, found: Found) -> Answer {
        match found {
            Found::Text(mut answer) => {
                answer.state = opened::state_of(&self.opened);
                (answer.real_path, answer.version) = (self.opened.real_path, self.version);
                let content = self.content.into_inner();
                answer.page.content.complete(|| content.map(|content| content.bytes).unwrap_or_default());
                Answer::Text(answer)
            }
            Found::Unchanged => Answer::Unchanged { version: self.version },
            Found::Media(kind) => {
                let content = self.content.into_inner();
                let shared = Arc::clone(shared);
                let gzip = self.gzip.get().is_some().then_some(self.gzip);
                let file = OpenedFile::new(path, self.opened, shared, self.version, kind, content, gzip);
                if !file.version.is_empty() && request.unless_version == Some(&file.version) {
                    return Answer::Unchanged { version: file.version };
                }
                Answer::Opened(Box::new(file))
            }
        }
    }
}

fn copied(path: &Path, copy: &PartialCopy) -> Result<RegularFile> {
    copy.open().map_err(|error| {
        Error::new(
            path,
            ErrorKind::FileSystem { errno: error.raw_os_error().unwrap_or(0), operation: "open" },
        )
    })
}

fn would_block(path: &Path, blocked: Blocked) -> Error {
    Error::new(path, ErrorKind::WouldBlock(blocked))
}

/// The error of a call that may not wait: whether a file that has changed can still be read is found out by waiting.
fn without_waiting(path: &Path, opened: &RegularFile, error: Error) -> Error {
    learn(opened.mount, opened.device, &error);
    match error.kind {
        ErrorKind::FileChanged { .. } => would_block(path, Blocked::Work),
        _ => error,
    }
}

/// Records for later reads of the mount why a read of one of its files would have blocked.
fn learn(mount: mounts::Mount, device: Device, error: &Error) {
    match error.kind {
        ErrorKind::WouldBlock(Blocked::Pages) => mounts::pause(mount),
        ErrorKind::WouldBlock(Blocked::Device) => {
            mounts::learn(mount, Device { class: DeviceClass::Hop, ..device });
        }
        _ => {}
    }
}
