//! The pipeline of a read: open, sniff, decide, find the window, build the page, and look whether it still holds.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::mounts;
use crate::device::{Device, DeviceClass};
use crate::encoding::Codec;
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::index::registry::{self, Fresh, Key};
use crate::open::{Opened, Opener};
use crate::page::build::build;
use crate::page::view::View;
use crate::page::{Layout, Page, Window};
use crate::scan::{Interrupt, LargeScans, Mapping, Never, to_usize};
use crate::sniff::{ControlCounts, Kind, SNIFF_BYTES, count_controls, is_plain, sniff, sniff_plain};
use crate::source::{Allowance, Patience, Snapshot, Source, read_stream};
use crate::text::TextPlan;

/// Files up to this size are read whole and have no index.
const SMALL_BYTES: u64 = 1 << 20;
/// The most that is read of a file whose size says nothing.
const STREAM_BYTES: usize = 16 << 20;
/// How often a read begins anew because the file changed under it.
const ATTEMPTS: u32 = 4;

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

/// The answer to a request.
#[derive(Debug)]
pub enum Answer {
    /// A window of text.
    Text(Box<TextAnswer>),
    /// Something that others decode: the opened file.
    Media(Box<MediaAnswer>),
    /// The file still has the version that the caller has seen.
    Unchanged {
        /// That version.
        version: String,
    },
}

/// A file that is no text, opened and recognised.
#[derive(Debug)]
pub struct MediaAnswer {
    /// The file.
    pub opened: Opened,
    /// What to read it as.
    pub kind: MediaKind,
    /// What its bytes say.
    pub media_type: &'static str,
    /// The media type that the name promises and the bytes do not keep.
    pub promised: Option<&'static str>,
    /// The version; empty while a rewrite could go unseen.
    pub version: String,
}

/// The kinds of file that others decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A PDF.
    Pdf,
    /// A Jupyter notebook.
    Notebook,
}

/// What a look at an opened file came to.
enum Found {
    Text(Box<TextAnswer>),
    Unchanged { version: String },
    Media { kind: MediaKind, found: Kind, version: String },
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

/// How the engine deals with large files.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Most bytes of indexes in this process.
    pub index_bytes: u64,
    /// Whether a grown file may keep its index if samples of it are as they were.
    pub trust_append: bool,
    /// Whether large files of local file systems may be mapped.
    pub mapping: Mapping,
}

/// Counts of what happened, since the engine was made.
#[derive(Debug, Default)]
pub struct Counters {
    /// Reads that were answered.
    pub reads: AtomicU64,
    /// Reads that began anew because the file changed under them.
    pub retries: AtomicU64,
    /// Reads that found a line index from an earlier read.
    pub indexed: AtomicU64,
    /// Reads that were answered without waiting for anything.
    pub inline: AtomicU64,
    /// Attempts not to wait that were given up, in the order of [`Blocked::ALL`].
    pub blocked: [AtomicU64; Blocked::ALL.len()],
}

/// Reads files below some roots, or any.
#[derive(Debug)]
pub struct Engine {
    opener: Opener,
    memory: Memory,
    counters: Counters,
    scans: LargeScans,
}

impl Engine {
    /// An engine that opens files with `opener`; the environment may limit how ([`Mapping::or_environment`]).
    #[must_use]
    pub fn new(opener: Opener, memory: Memory) -> Self {
        let scans = LargeScans::new(memory.mapping.or_environment());
        Self { opener, memory, counters: Counters::default(), scans }
    }

    /// What happened so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What opens the files.
    #[must_use]
    pub fn opener(&self) -> &Opener {
        &self.opener
    }

    /// What its large scans came to.
    #[must_use]
    pub fn scans(&self) -> &LargeScans {
        &self.scans
    }

    /// Reads a window.
    ///
    /// # Errors
    /// Everything of [`ErrorKind`] that can happen to a text.
    pub fn read(
        &self,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Answer> {
        let mut attempt = 1;
        loop {
            let opened = self.opener.open(request.path, true)?;
            match self.read_opened(&opened, request, layout, interrupt, Patience::Waits) {
                Err(Error { kind: ErrorKind::FileChanged { .. }, .. }) if attempt < ATTEMPTS => {
                    self.counters.retries.fetch_add(1, Ordering::Relaxed);
                    attempt += 1;
                }
                outcome => {
                    self.counters.reads.fetch_add(1, Ordering::Relaxed);
                    return outcome.map(|found| answer(found, opened));
                }
            }
        }
    }

    /// Reads a window if that needs no waiting, whether for a disk, a server or another reader.
    ///
    /// At most `maximum` bytes of the file are looked at, which bounds the work.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] where [`Engine::read`] must answer, and what that would say of the content.
    pub fn read_now(&self, request: &Request<'_>, layout: &Layout<'_>, maximum: u64) -> Result<Answer> {
        let outcome = self.try_now(request, layout, maximum);
        match &outcome {
            Err(Error { kind: ErrorKind::WouldBlock(blocked), .. }) => {
                let position = Blocked::ALL.iter().position(|other| other == blocked);
                if let Some(counter) = position.and_then(|position| self.counters.blocked.get(position)) {
                    counter.fetch_add(1, Ordering::Relaxed);
                }
            }
            _ => {
                self.counters.reads.fetch_add(1, Ordering::Relaxed);
                self.counters.inline.fetch_add(1, Ordering::Relaxed);
            }
        }
        outcome
    }

    fn try_now(&self, request: &Request<'_>, layout: &Layout<'_>, maximum: u64) -> Result<Answer> {
        let blocked = |blocked| Error::new(request.path, ErrorKind::WouldBlock(blocked));
        // A tokenizer is slow, and slower still when it is first used.
        if layout.counter.is_some() {
            return Err(blocked(Blocked::Work));
        }
        let opened = self.opener.open_now(request.path).map_err(blocked)?;
        let allowance = Allowance::new(opened.device.class, maximum);
        let outcome = self.read_opened(&opened, request, layout, &Never, Patience::Now(&allowance));
        match outcome {
            Err(Error { kind: ErrorKind::FileChanged { .. }, .. }) => Err(blocked(Blocked::Work)),
            Err(Error { kind: ErrorKind::WouldBlock(reason), .. }) => {
                match reason {
                    Blocked::Pages => mounts::pause(opened.mount),
                    Blocked::Device => {
                        mounts::learn(opened.mount, Device { class: DeviceClass::Hop, ..opened.device });
                    }
                    _ => {}
                }
                Err(blocked(reason))
            }
            outcome => outcome.map(|found| answer(found, opened)),
        }
    }

    fn read_opened(
        &self,
        opened: &Opened,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
        patience: Patience<'_>,
    ) -> Result<Found> {
        let path = request.path;
        let snapshot = opened.snapshot;
        let is_stream = opened.device.pseudo || snapshot.size == 0;
        let version = if is_stream { String::new() } else { snapshot.version(opened.device.tick_ns) };
        if !version.is_empty() && request.unless_version == Some(version.as_str()) {
            return Ok(Found::Unchanged { version });
        }
        let scans = (opened.device.class != DeviceClass::Hop).then_some(&self.scans);
        let file =
            Source::File { descriptor: opened.descriptor.as_fd(), size: snapshot.size, scans, patience };
        // A picture is not read here, so that its size says nothing about the work.
        let is_too_much = matches!(patience, Patience::Now(allowance) if !allowance.covers(snapshot.size));
        if is_too_much && snapshot.size <= SMALL_BYTES {
            let kind = sniff_source(file, opened, path, false)?;
            return match media_kind(kind, request) {
                Some(kind_read) if !is_stream => Ok(Found::Media { kind: kind_read, found: kind, version }),
                _ => Err(Error::new(path, ErrorKind::WouldBlock(Blocked::Work))),
            };
        }
        let bytes;
        let source = if is_stream {
            bytes = read_stream(path, &opened.descriptor, 0, STREAM_BYTES, patience)?;
            // An ordinary file that was empty for a moment is no stream: what came may be of several writes.
            if !opened.device.pseudo && Snapshot::of(&opened.descriptor).is_ok_and(|now| now.size > 0) {
                return Err(Error::new(path, ErrorKind::FileChanged { change: "rewritten" }));
            }
            Source::Memory(&bytes)
        } else if snapshot.size <= SMALL_BYTES {
            bytes = read_small(path, opened, patience)?;
            Source::Memory(&bytes)
        } else {
            file
        };
        // One look that settles most small files saves several closer ones.
        let is_plain = matches!(source, Source::Memory(bytes) if is_plain(bytes));
        let kind = sniff_source(source, opened, path, is_plain)?;
        if let Some(kind_read) = media_kind(kind, request).filter(|_| !is_stream) {
            return Ok(Found::Media { kind: kind_read, found: kind, version });
        }
        let media_type = check_kind(kind, source.size(), request)?;
        let view = self.view(source, opened, request, interrupt, is_plain)?;
        let page = build(&view, request.window, layout).and_then(|page| {
            if !is_stream {
                verify(&view, opened, request, layout, &page, patience)?;
            }
            Ok(page)
        });
        if let Some((entry, _)) = &view.shared {
            if matches!(&page, Err(error) if matches!(error.kind, ErrorKind::FileChanged { .. })) {
                entry.forget();
            }
            registry::trim(self.memory.index_bytes);
        }
        let page = page?;
        let is_clear = view.plan.is_plain && layout.gutter.is_plain();
        let controls = if is_clear { ControlCounts::default() } else { count_controls(&page.text) };
        Ok(Found::Text(Box::new(TextAnswer {
            controls,
            page,
            plan: view.plan,
            real_path: opened.real_path.clone(),
            link_followed: opened.link_followed,
            repaired: opened.repaired,
            media_type,
            promised: kind.broken_promise(opened.real_path.file_name().unwrap_or_default()),
            size_bytes: source.size(),
            modified_ns: snapshot.modified_ns,
            version,
            stream_cut: is_stream && source.size() >= STREAM_BYTES as u64,
        })))
    }

    fn view<'a>(
        &self,
        source: Source<'a>,
        opened: &Opened,
        request: &Request<'a>,
        interrupt: &'a dyn Interrupt,
        is_plain: bool,
    ) -> Result<View<'a>> {
        let path = request.path;
        let decide = || TextPlan::decide(source, path, request.encoding);
        if let Source::Memory(bytes) = source {
            let is_settled = is_plain && request.encoding.is_none() && memchr::memchr(b'\n', bytes).is_some();
            let plan = if is_settled { TextPlan::PLAIN } else { decide()? };
            return Ok(View { source, path, plan, shared: None, interrupt });
        }
        let key = Key { identity: opened.snapshot.identity(), encoding: request.encoding.map(Codec::name) };
        let fresh = Fresh {
            snapshot: opened.snapshot,
            racy: opened.snapshot.is_racy(opened.device.tick_ns),
            trust_append: self.memory.trust_append,
        };
        let entry = registry::entry(&key);
        let known = entry.known(source, path, fresh, decide)?;
        if known.index.blocks() > 0 {
            self.counters.indexed.fetch_add(1, Ordering::Relaxed);
        }
        Ok(View { source, path, plan: known.plan, shared: Some((entry, known)), interrupt })
    }
}

/// The answer that a look at `opened` came to.
fn answer(found: Found, opened: Opened) -> Answer {
    match found {
        Found::Text(answer) => Answer::Text(answer),
        Found::Unchanged { version } => Answer::Unchanged { version },
        Found::Media { kind, found, version } => {
            let promised = found.broken_promise(opened.real_path.file_name().unwrap_or_default());
            let media_type = found.media_type();
            Answer::Media(Box::new(MediaAnswer { opened, kind, media_type, promised, version }))
        }
    }
}

/// What others decode a file as, if they do.
fn media_kind(found: Kind, request: &Request<'_>) -> Option<MediaKind> {
    match (request.kind, found) {
        (Some(WantedKind::Text), _) => None,
        (Some(WantedKind::Image), _) => Some(MediaKind::Image),
        (Some(WantedKind::Pdf), _) => Some(MediaKind::Pdf),
        (Some(WantedKind::Notebook), _) => Some(MediaKind::Notebook),
        // An encoding that the caller names makes text of what would look binary.
        (None, _) if request.encoding.is_some() => None,
        (None, Kind::Image { .. }) => Some(MediaKind::Image),
        (None, Kind::Pdf) => Some(MediaKind::Pdf),
        (None, Kind::Notebook) if request.notebook_cells => Some(MediaKind::Notebook),
        (None, _) => None,
    }
}

/// Looks whether the file changed under the read and, if so, whether the page still is what the file holds.
///
/// Appending only is harmless: nothing behind the first size was looked at.
/// Whatever else may have happened shows when the same window is read again, and in samples of what was counted.
fn verify(
    view: &View<'_>,
    opened: &Opened,
    request: &Request<'_>,
    layout: &Layout<'_>,
    page: &Page,
    patience: Patience<'_>,
) -> Result<()> {
    let failed = |change| Err(Error::new(request.path, ErrorKind::FileChanged { change }));
    let now = Snapshot::of(&opened.descriptor).map_err(|errno| {
        Error::new(request.path, ErrorKind::FileSystem { errno: errno.raw_os_error(), operation: "stat" })
    })?;
    if now == opened.snapshot {
        return Ok(());
    }
    if now.size < opened.snapshot.size {
        failed("truncated")
    } else if !is_same(view, opened, request, layout, page, patience)? {
        failed("rewritten")
    } else {
        Ok(())
    }
}

/// Whether a second look finds the same.
fn is_same(
    view: &View<'_>,
    opened: &Opened,
    request: &Request<'_>,
    layout: &Layout<'_>,
    page: &Page,
    patience: Patience<'_>,
) -> Result<bool> {
    match &view.shared {
        None => {
            let bytes = read_small(request.path, opened, patience)?;
            Ok(matches!(view.source, Source::Memory(seen) if seen == bytes))
        }
        Some((entry, known)) => {
            let latest = entry.latest(known);
            let again = build(view, request.window, layout)?;
            let is_same = again.content == page.content && again.start_byte == page.start_byte;
            Ok(is_same && registry::is_unchanged(&latest, view.source, request.path)?)
        }
    }
}

/// Reads a small file up to the size it had when it was opened.
fn read_small(path: &Path, opened: &Opened, patience: Patience<'_>) -> Result<Vec<u8>> {
    let size = to_usize(opened.snapshot.size);
    let bytes = read_stream(path, &opened.descriptor, size, size, patience)?;
    if bytes.len() < size {
        return Err(Error::new(path, ErrorKind::FileChanged { change: "truncated" }));
    }
    Ok(bytes)
}

/// What the first bytes and the name say.
fn sniff_source(source: Source<'_>, opened: &Opened, path: &Path, is_plain: bool) -> Result<Kind> {
    let name = opened.real_path.file_name().unwrap_or_default();
    match source {
        Source::Memory(bytes) if is_plain => Ok(sniff_plain(bytes, name)),
        Source::Memory(bytes) => Ok(sniff(&bytes[..bytes.len().min(SNIFF_BYTES)], name)),
        Source::File { .. } => Ok(sniff(&source.bytes(path, 0, SNIFF_BYTES)?, name)),
    }
}

/// The media type of a text, or the error that something else is.
fn check_kind(found: Kind, size_bytes: u64, request: &Request<'_>) -> Result<&'static str> {
    let refuse = |kind| Err(Error::new(request.path, kind));
    let as_text = request.kind == Some(WantedKind::Text) || request.encoding.is_some();
    let media_type = match found {
        Kind::Text { .. } | Kind::Notebook => found.media_type(),
        _ if as_text => "text/plain",
        // A stream (`/proc`) of a picture is not decoded.
        Kind::Image { media_type } => {
            return refuse(ErrorKind::UnsupportedFormat { media_type: media_type.to_owned(), size_bytes });
        }
        Kind::Pdf => {
            let media_type = found.media_type().to_owned();
            return refuse(ErrorKind::UnsupportedFormat { media_type, size_bytes });
        }
        Kind::Binary { media_type } => {
            return refuse(ErrorKind::Binary { media_type: media_type.to_owned(), size_bytes });
        }
    };
    match request.foreign {
        None => Ok(media_type),
        Some(argument) => refuse(ErrorKind::WrongKind { argument: argument.to_owned(), kind: "text" }),
    }
}
