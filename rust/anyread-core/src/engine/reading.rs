//! One read of an opened file: sniff, choose the text plan, find the window, build the page, and verify it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::verify::verify;
use super::{Request, Shared, TextAnswer, WantedKind, would_block};
use crate::cache::{About, FileState};
use crate::device::DeviceClass;
use crate::encoding::{Codec, has_hz_shift, is_slow_to_detect};
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::inflate::gzip::{self, GzipText, name_of_text};
use crate::open::{RegularFile, is_still};
use crate::page::view::View;
use crate::page::{Layout, LineRule, Page};
use crate::registry::{self, Fresh, Key};
use crate::scan::{Interrupt, Terminator, to_usize, vectors};
use crate::snapshot::now_ns;
use crate::sniff::{ControlCounts, Kind, SNIFF_BYTES, count_controls, sniff, sniff_plain};
use crate::source::{Snapshot, Source, Waiting};
use crate::system::AsDescriptor;
use crate::text::{Learned, TextPlan};

/// Files up to this size are read completely and have no index.
const SMALL_BYTES: u64 = 64 << 10;
/// Files up to this size are read completely if they may be changing.
const MEDIUM_BYTES: u64 = 1 << 20;
/// The maximum that is read of a file whose size is unknown.
const STREAM_BYTES: usize = 16 << 20;
/// The maximum length of text in a stateful encoding for a non-blocking read; 64 KiB take milliseconds.
const QUICK_STATEFUL_BYTES: u64 = 8 << 10;

/// All bytes of one state of a file.
#[derive(Debug)]
pub(super) struct FileBytes {
    pub(super) bytes: Vec<u8>,
    /// Whether that is the state of the snapshot; otherwise it is a later one.
    pub(super) is_of_snapshot: bool,
}

/// The first bytes of a file, and its type.
#[derive(Debug)]
pub(super) struct Head {
    bytes: Vec<u8>,
    kind: Kind,
}

/// The outcome of a read.
pub(super) enum Found {
    Text(Box<TextAnswer>),
    Unchanged,
    /// A file that another layer shows.
    Media(Kind),
}

/// An opened file and how it may be read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) shared: &'a Shared,
    pub(super) path: &'a Path,
    pub(super) opened: &'a RegularFile,
    pub(super) version: &'a str,
    /// Its first bytes, once they were read to detect its type; `None` if they are not kept.
    pub(super) head: Option<&'a OnceLock<Head>>,
    pub(super) content: &'a OnceLock<FileBytes>,
    /// Its text once it was read, if gzip files are decompressed.
    pub(super) gzip: Option<&'a OnceLock<Box<GzipText>>>,
    /// Whether the state of `opened` is that of its descriptor ([`crate::open::Opener::open_to_confirm`]).
    pub(super) is_confirmed: bool,
    pub(super) waiting: Waiting<'a>,
}

impl<'a> Reading<'a> {
    /// The requested window of text, or the kind of the file if it is not text.
    ///
    /// The caller moves the real path and the version into the answer.
    pub(super) fn find(
        &self,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Found> {
        let Self { path, opened, .. } = *self;
        let is_known_version = !self.version.is_empty() && request.unless_version == Some(self.version);
        if is_known_version && request.find.is_none() {
            return Ok(Found::Unchanged);
        }
        let is_known = self.is_known(request, layout.lines);
        let exceeds_limit = !is_known && self.exceeds_limit();
        // Reading a small file without blocking confirms its state by itself.
        let is_small = !is_stream(opened) && opened.snapshot.size <= SMALL_BYTES && !exceeds_limit;
        let is_confirmed_later = is_small && matches!(self.waiting, Waiting::Refused(_));
        if !(self.is_confirmed || is_confirmed_later || is_still(opened)) {
            return self.changed("rewritten");
        }
        if exceeds_limit {
            // The content of an image is not read here, so that its size does not matter.
            let name = opened.real_path.file_name().unwrap_or_default();
            let kind = self.kind(self.file(), name, false)?;
            let is_media = !is_stream(opened) && !self.is_gzip(kind) && is_shown_elsewhere(kind, request);
            return if is_media { Ok(Found::Media(kind)) } else { Err(would_block(path, Blocked::Work)) };
        }
        // Without blocking, reading an unknown file once is all that the limit is for.
        let by_windows = is_known || matches!(self.waiting, Waiting::Allowed);
        if by_windows && self.is_medium() && !opened.is_racy() && self.content.get().is_none() {
            match self.find_in(self.file(), request, layout, interrupt) {
                // Its complete content shows whether it can still be read.
                Err(Error { kind: ErrorKind::FileChanged { .. }, .. }) => {}
                outcome => return outcome,
            }
        }
        self.find_in(self.source()?, request, layout, interrupt)
    }

    fn find_in(
        &self,
        source: Source<'a>,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Found> {
        let Self { path, opened, .. } = *self;
        let is_stream = is_stream(opened);
        let name = opened.real_path.file_name().unwrap_or_default();
        // This single check replaces several slower ones for most small files.
        let is_plain = is_plain_text(source);
        let kind = self.kind(source, name, is_plain)?;
        if self.is_gzip(kind) {
            return self.find_in_gzip(source.size(), request, layout, interrupt);
        }
        // Now its first bytes are known.
        let source = if source.is_in_memory() { source } else { self.file() };
        let is_empty_file = source.size() == 0 && !opened.device.pseudo;
        let may_be_empty = request.kind == Some(WantedKind::Format { may_be_empty: true });
        if (!is_stream || (may_be_empty && is_empty_file)) && is_shown_elsewhere(kind, request) {
            return Ok(Found::Media(kind));
        }
        let media_type = check_kind(path, kind, source.size(), request)?;
        let (page, plan) = self.text(source, is_plain, true, request, layout, interrupt)?;
        let is_clear = plan.is_plain && layout.gutter.is_plain();
        let controls = if is_clear { ControlCounts::default() } else { count_controls(&page.text) };
        Ok(Found::Text(Box::new(TextAnswer {
            controls,
            page,
            plan,
            real_path: PathBuf::new(),
            link_followed: opened.link_followed,
            repaired: opened.repaired,
            media_type,
            // Bytes with NULs, which the caller wants as text, are of the type that the name says.
            promised: kind.broken_promise(name).filter(|promised| *promised != media_type),
            size_bytes: source.size(),
            modified_ns: opened.snapshot.modified_ns,
            version: String::new(),
            state: String::new(),
            stream_cut: is_stream && source.size() >= STREAM_BYTES as u64,
            gzip: None,
        })))
    }

    /// Whether a file of a kind is a gzip file whose text is read.
    fn is_gzip(&self, kind: Kind) -> bool {
        kind.media_type == gzip::MEDIA_TYPE && self.gzip.is_some()
    }

    /// [`Reading::find_in`] of the text in a gzip file.
    fn find_in_gzip(
        &self,
        size_bytes: u64,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Found> {
        let Self { path, opened, .. } = *self;
        let gzip = self.gzip_text(interrupt)?;
        let source = gzip.source();
        let name = opened.real_path.file_name().unwrap_or_default();
        let kind = kind_of_text(&source.bytes(path, 0, SNIFF_BYTES)?, name);
        if kind.is_text && is_shown_elsewhere(kind, request) {
            return Ok(Found::Media(kind));
        }
        let media_type = check_kind(path, kind, size_bytes, request).map_err(|error| match error.kind {
            ErrorKind::Binary { media_type, size_bytes }
            | ErrorKind::UnsupportedFormat { media_type, size_bytes } => {
                Error::new(path, ErrorKind::CompressedFormat { media_type, size_bytes })
            }
            _ => error,
        })?;
        let (page, plan) = self.text(source, is_plain_text(source), false, request, layout, interrupt)?;
        Ok(Found::Text(Box::new(TextAnswer {
            controls: count_controls(&page.text),
            page,
            plan,
            real_path: PathBuf::new(),
            link_followed: opened.link_followed,
            repaired: opened.repaired,
            media_type,
            promised: kind.broken_promise(name_of_text(name)).filter(|promised| *promised != media_type),
            size_bytes,
            modified_ns: opened.snapshot.modified_ns,
            version: String::new(),
            state: String::new(),
            stream_cut: false,
            gzip: Some((gzip.known().size(), gzip.fault())),
        })))
    }

    /// The text in the file, which is a gzip file; the first call reads it completely, unless an earlier one has.
    pub(super) fn gzip_text(&self, interrupt: &dyn Interrupt) -> Result<&'a GzipText> {
        let Self { path, opened, .. } = *self;
        let (Some(cell), Some(most)) = (self.gzip, self.shared.most_text) else {
            return Err(would_block(path, Blocked::Work));
        };
        if let Some(text) = cell.get() {
            return Ok(text.as_ref());
        }
        if matches!(self.waiting, Waiting::Refused(_)) {
            return Err(would_block(path, Blocked::Work));
        }
        // The whole of it is inflated.
        opened.require(path, 0, u64::MAX)?;
        let size = opened.snapshot.size;
        let file = if is_stream(opened) {
            gzip::File::Memory(self.content()?.bytes.clone())
        } else if size <= MEDIUM_BYTES {
            gzip::File::Memory(self.read_small()?.bytes)
        } else {
            let copy = opened.descriptor.try_clone().map_err(|error| {
                let errno = error.raw_os_error().unwrap_or_default();
                Error::new(path, ErrorKind::FileSystem { errno, operation: "open" })
            })?;
            gzip::File::Open(copy, size)
        };
        let state = FileState { snapshot: opened.snapshot, max_bytes: self.shared.memory.index_bytes };
        let may_keep = !opened.is_racy() && !is_stream(opened);
        let known = may_keep.then(|| state.get(About::Gzip)).flatten();
        let text = if let Some(known) = known {
            GzipText::known_before(file, known, path, most)?
        } else {
            let text = GzipText::read(file, path, interrupt, most)?;
            self.check(&text)?;
            // Checksums show that no `write` was copying any more.
            let is_final = now_ns() >= opened.snapshot.rests_ns(opened.device.tick_ns, size);
            if may_keep && (is_final || text.fault().is_none()) {
                state.keep(About::Gzip, Arc::<gzip::Known>::clone(text.known()));
            }
            text
        };
        Ok(cell.get_or_init(|| Box::new(text)).as_ref())
    }

    /// Checks that a gzip file has not changed since its text was read, if it was.
    pub(super) fn check_gzip(&self) -> Result<()> {
        self.gzip.and_then(OnceLock::get).map_or(Ok(()), |text| self.check(text))
    }

    fn check(&self, text: &GzipText) -> Result<()> {
        if text.is_in_memory() {
            return Ok(());
        }
        let now = self.now()?;
        if now.size < self.opened.snapshot.size {
            return self.changed("truncated");
        }
        let is_same = now == self.opened.snapshot && !self.opened.is_racy();
        if is_same || text.is_unchanged(self.path)? { Ok(()) } else { self.changed("rewritten") }
    }

    /// The requested window of the file as text, whatever its content.
    pub(super) fn page(
        &self,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<Page> {
        if self.exceeds_limit() {
            return Err(would_block(self.path, Blocked::Work));
        }
        // A medium file is kept in memory, so that all windows show the same state of it.
        let source = self.text_source(interrupt)?;
        self.text(source, is_plain_text(source), false, request, layout, interrupt).map(|(page, _)| page)
    }

    /// The page and the text plan.
    fn text(
        &self,
        source: Source<'a>,
        is_plain: bool,
        moves_bytes: bool,
        request: &Request<'_>,
        layout: &Layout<'_>,
        interrupt: &dyn Interrupt,
    ) -> Result<(Page, TextPlan)> {
        let view = self.quick_view(source, request, layout.lines, interrupt, is_plain)?;
        let page = request.page(&view, layout, moves_bytes).and_then(|page| {
            if self.gzip.is_some_and(|text| text.get().is_some()) {
                return self.check_gzip().map(|()| page);
            }
            verify(&view, self.opened, self.is_medium(), request, layout, &page)?;
            Ok(page)
        });
        // What the registry has of a text; the file may have changed.
        if let Some((entry, _)) = &view.shared {
            if matches!(&page, Err(error) if matches!(error.kind, ErrorKind::FileChanged { .. })) {
                entry.forget();
            }
            registry::account(
                &self.key(view.source, request, view.lines),
                entry,
                self.shared.memory.index_bytes,
            );
        }
        Ok((page?, view.plan))
    }

    /// A view of a text, or [`ErrorKind::WouldBlock`] if it takes too long to decode without blocking.
    fn quick_view<'v>(
        &self,
        source: Source<'v>,
        request: &Request<'_>,
        lines: LineRule,
        interrupt: &'v dyn Interrupt,
        is_plain: bool,
    ) -> Result<View<'v>>
    where
        'a: 'v,
    {
        let Self { path, waiting, .. } = *self;
        // A file that is small enough to be read without blocking may be too large for the statistics.
        let is_slow = |bytes: &[u8]| request.encoding.is_none() && !is_plain && is_slow_to_detect(bytes);
        if matches!((waiting, source), (Waiting::Refused(_), Source::Memory(bytes)) if is_slow(bytes)) {
            return Err(would_block(path, Blocked::Work));
        }
        let view = self.view(source, request, lines, interrupt, is_plain)?;
        // A stateful encoding must be decoded from the start of the line.
        if matches!(waiting, Waiting::Refused(_))
            && view.plan.codec.is_stateful()
            && source.size() > QUICK_STATEFUL_BYTES
        {
            return Err(would_block(path, Blocked::Work));
        }
        Ok(view)
    }

    /// Whether the size is between those of small files and of files that are never read completely.
    pub(super) fn is_medium(&self) -> bool {
        !is_stream(self.opened) && (SMALL_BYTES + 1..=MEDIUM_BYTES).contains(&self.opened.snapshot.size)
    }

    /// Whether an earlier read has learnt all that is needed to read only a window of a medium file.
    fn is_known(&self, request: &Request<'_>, lines: LineRule) -> bool {
        self.is_medium()
            && !self.opened.is_racy()
            && registry::is_known(&self.key(self.file(), request, lines), self.fresh(self.file()))
    }

    /// Whether reading the whole file is too much work for a non-blocking read.
    fn exceeds_limit(&self) -> bool {
        let size = self.opened.snapshot.size;
        let Waiting::Refused(limit) = self.waiting else { return false };
        self.content.get().is_none() && size <= MEDIUM_BYTES && !limit.covers(size)
    }

    /// The bytes of the file, in memory if they are few or if their number is unknown.
    pub(super) fn source(&self) -> Result<Source<'a>> {
        let is_small = is_stream(self.opened) || self.opened.snapshot.size <= MEDIUM_BYTES;
        // Of a copy, all bytes are not fetched because they are few.
        let is_present = self.opened.present.as_ref().is_none_or(|present| present.is_complete());
        if is_small && is_present || self.content.get().is_some() {
            Ok(Source::Memory(&self.content()?.bytes))
        } else {
            Ok(self.file())
        }
    }

    /// The bytes of its text: those of the file, or those in a gzip file.
    pub(super) fn text_source(&self, interrupt: &dyn Interrupt) -> Result<Source<'a>> {
        if self.gzip.is_some() { Ok(self.gzip_text(interrupt)?.source()) } else { self.source() }
    }

    /// The opened file, with its first bytes if they have been read.
    fn file(&self) -> Source<'a> {
        Source::File {
            descriptor: self.opened.descriptor.as_descriptor(),
            size: self.opened.snapshot.size,
            scans: (self.opened.device.class != DeviceClass::Hop).then_some(&self.shared.scans),
            waiting: self.waiting,
            head: self.head.and_then(OnceLock::get).map_or(&[], |head| &head.bytes),
            present: self.opened.present.as_deref(),
        }
    }

    /// All bytes, which the first call reads.
    fn content(&self) -> Result<&'a FileBytes> {
        if let Some(content) = self.content.get() {
            return Ok(content);
        }
        let content = if is_stream(self.opened) { self.read_stream()? } else { self.read_small()? };
        Ok(self.content.get_or_init(|| content))
    }

    /// Reads a file of `/proc` or `/sys` once, or a file that was empty when it was opened.
    ///
    /// The latter may be empty because it is being rewritten, so its bytes may come from several writes, even if it
    /// is empty again now. Some file systems in user space report no size for files that have content, though. So
    /// a second read must return the same bytes.
    fn read_stream(&self) -> Result<FileBytes> {
        let Self { path, opened, waiting, .. } = *self;
        let read = |expected| opened.read(path, expected, STREAM_BYTES, waiting);
        let bytes = read(opened.reported_size())?;
        if !opened.device.pseudo {
            let is_settled = || Ok(bytes.is_empty() || read(Some(bytes.len()))? == bytes);
            if self.now()?.size > 0 || !is_settled()? {
                return self.changed("rewritten");
            }
        }
        Ok(FileBytes { bytes, is_of_snapshot: false })
    }

    /// Reads a small file up to the size that it had when it was opened.
    ///
    /// If it may have changed since then, a second read must return the same bytes. Just after a change, a write
    /// during the first read may have left the same state.
    fn read_small(&self) -> Result<FileBytes> {
        let read = || {
            let size = to_usize(self.opened.snapshot.size);
            let bytes = self.opened.read(self.path, Some(size), size, self.waiting);
            // Before the state is confirmed, this may be the error of another file, and not even a regular one.
            let bytes = bytes.or_else(|error| match error.kind {
                ErrorKind::FileSystem { .. } if !self.is_confirmed => self.changed("rewritten"),
                _ => Err(error),
            })?;
            if bytes.len() < size { self.changed("truncated") } else { Ok(bytes) }
        };
        let bytes = read()?;
        if !self.is_confirmed && !is_still(self.opened) {
            return self.changed("rewritten");
        }
        // The state that was just confirmed needs no second look.
        let now = if self.is_confirmed { self.now()? } else { self.opened.snapshot };
        if now.size < self.opened.snapshot.size {
            return self.changed("truncated");
        }
        let is_of_snapshot = now == self.opened.snapshot;
        if !is_of_snapshot || self.opened.is_racy() {
            if let Waiting::Refused(limit) = self.waiting {
                limit.add(bytes.len() as u64 + 2);
            }
            if read()? != bytes {
                return self.changed("rewritten");
            }
        }
        Ok(FileBytes { bytes, is_of_snapshot })
    }

    /// The current state of the file.
    pub(super) fn now(&self) -> Result<Snapshot> {
        self.opened.now().map_err(|errno| {
            Error::new(self.path, ErrorKind::FileSystem { errno: errno.raw_os_error(), operation: "stat" })
        })
    }

    pub(super) fn changed<T>(&self, change: &'static str) -> Result<T> {
        Err(Error::new(self.path, ErrorKind::FileChanged { change }))
    }

    /// The kind of the file, from its name and its first bytes, which are kept.
    fn kind(&self, source: Source<'_>, name: &OsStr, is_plain: bool) -> Result<Kind> {
        if let Source::Memory(bytes) = source {
            let of = |head| if is_plain { sniff_plain(head, name) } else { sniff(head, name) };
            return Ok(of(&bytes[..bytes.len().min(SNIFF_BYTES)]));
        }
        if let Some(head) = self.head.and_then(OnceLock::get) {
            return Ok(head.kind);
        }
        let bytes = source.bytes(self.path, 0, SNIFF_BYTES)?.into_owned();
        let kind = sniff(&bytes, name);
        if let Some(head) = self.head {
            head.get_or_init(|| Head { bytes, kind });
        }
        Ok(kind)
    }

    fn view<'v>(
        &self,
        source: Source<'v>,
        request: &Request<'_>,
        lines: LineRule,
        interrupt: &'v dyn Interrupt,
        is_plain: bool,
    ) -> Result<View<'v>>
    where
        'a: 'v,
    {
        let Self { path, shared, .. } = *self;
        if source.is_in_memory() {
            let is_utf8 = request.encoding.is_none_or(|codec| codec == Codec::Utf8);
            // All rules for line ends agree if LF is the only character in the text that may end a line.
            let has_line_feed = |bytes: &[u8]| memchr::memchr(b'\n', bytes).is_some();
            let is_settled =
                is_utf8 && is_plain && matches!(source, Source::Memory(bytes) if has_line_feed(bytes));
            let decide = || TextPlan::decide(source, path, request.encoding, lines.ends);
            let plan = if is_settled { TextPlan::PLAIN } else { decide()? };
            return Ok(View { source, path, plan, lines, shared: None, interrupt });
        }
        let entry = registry::entry(&self.key(source, request, lines));
        let counted = entry.counted();
        let known = entry.known(source, path, self.fresh(source), || {
            let learned = Learned::of(source, path, request.encoding, lines.ends, interrupt)?;
            let Terminator { width, value, .. } = learned.plan.terminator;
            let counts_lf = width == 1 && value == b'\n' && learned.plan.terminator.is_single();
            Ok(match self.gzip.and_then(OnceLock::get).filter(|_| counts_lf) {
                Some(gzip) => Learned { index: gzip.lines().clone(), ..learned },
                None => learned,
            })
        })?;
        if known.was_counted(counted) {
            shared.counters.indexed.fetch_add(1, Ordering::Relaxed);
        }
        Ok(View { source, path, plan: known.plan, lines, shared: Some((entry, known)), interrupt })
    }

    /// The key of the file in the registry.
    fn key(&self, source: Source<'_>, request: &Request<'_>, lines: LineRule) -> Key {
        Key {
            identity: self.opened.snapshot.identity(),
            encoding: request.encoding.map(Codec::name),
            line_ends: lines.ends,
            is_decompressed: matches!(source, Source::Decompressed(_)),
        }
    }

    fn fresh(&self, source: Source<'_>) -> Fresh {
        Fresh {
            snapshot: self.opened.snapshot,
            tick_ns: self.opened.device.tick_ns,
            // The first bytes may have been read when the file was opened.
            at_ns: if self.head.is_some() { self.opened.opened_ns } else { now_ns() },
            // The lines of a gzip file that has grown are counted while it is inflated.
            trust_append: self.shared.memory.trust_append && !matches!(source, Source::Decompressed(_)),
        }
    }
}

/// Whether the number of bytes of a file is known only after reading it.
pub(super) fn is_stream(opened: &RegularFile) -> bool {
    opened.device.pseudo || opened.snapshot.size == 0
}

/// The kind of the text in a gzip file, from its first bytes and the name of the file.
///
/// A notebook in it is shown as the JSON that it is.
pub(super) fn kind_of_text(head: &[u8], name: &OsStr) -> Kind {
    let kind = sniff(head, name_of_text(name));
    if kind == Kind::NOTEBOOK { Kind::text("application/json") } else { kind }
}

/// Whether a text is in memory and plain: printable ASCII, TAB and LF, which need no detection of an encoding.
fn is_plain_text(source: Source<'_>) -> bool {
    matches!(source, Source::Memory(bytes) if vectors::is_plain(bytes) && !has_hz_shift(bytes))
}

/// Whether another layer shows a file.
fn is_shown_elsewhere(found: Kind, request: &Request<'_>) -> bool {
    request.kind.map_or_else(|| found.is_among(request.formats), |kind| kind != WantedKind::Text)
}

/// The media type of a text, or the error if the file is not text.
fn check_kind(path: &Path, found: Kind, size_bytes: u64, request: &Request<'_>) -> Result<&'static str> {
    let refuse = |kind| Err(Error::new(path, kind));
    let as_text = request.kind == Some(WantedKind::Text);
    let media_type = match found {
        Kind { media_type, is_text: true } => media_type,
        _ if as_text => "text/plain",
        Kind { media_type, .. } => {
            let media_type = media_type.to_owned();
            // An image in a stream (`/proc`) is not decoded.
            return refuse(if found.is_among(request.formats) {
                ErrorKind::UnsupportedFormat { media_type, size_bytes }
            } else {
                ErrorKind::Binary { media_type, size_bytes }
            });
        }
    };
    // Only streams and empty files get here with a requested kind other than text.
    let is_wrong_kind = request.kind.is_some_and(|kind| kind != WantedKind::Text);
    match request.foreign.or(is_wrong_kind.then_some("kind")) {
        None => Ok(media_type),
        Some(argument) => refuse(ErrorKind::WrongKind { argument: argument.to_owned(), kind: "text" }),
    }
}
