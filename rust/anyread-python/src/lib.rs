//! The binding: only names arguments, releases the GIL, and converts results and errors.

mod arguments;
mod base64;
#[allow(unsafe_code)]
mod calls;
mod cancel;
mod copies;
mod counter;
mod directory;
mod documents;
mod entries;
mod errors;
#[cfg(target_os = "linux")]
mod faulthandler;
#[allow(unsafe_code)]
mod fill;
mod find;
mod fork;
mod ignore_rules;
mod json;
mod layout;
mod notebook;
mod notices;
mod opened;
mod packages;
mod pending;
mod records;
mod result;
mod sandbox;
mod sheets;
mod slides;
mod waiting;
mod window;

use pyo3::prelude::*;

/// The native part of anyread.
#[pymodule]
mod _native {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::sync::atomic::Ordering;

    use anyread_core::cache;
    use anyread_core::encoding::{self, Codec};
    use anyread_core::engine::{self as core, BatchFile, Batched, Memory};
    use anyread_core::error::{Blocked, Error, ErrorKind};
    use anyread_core::lock::NoLockHeld;
    use anyread_core::mapping::Mapping;
    use anyread_core::open::{self, Opener};
    use anyread_core::page::build;
    use anyread_core::scan::{Never, Wait};
    use anyread_core::tokens;
    use pyo3::prelude::*;
    use pyo3::pybacked::PyBackedBytes;
    use pyo3::types::PyString;

    use crate::arguments::{
        CallBudget, Limits, PathArgument, PyGutter, ReadRequest, ReaderOptions, path_from,
    };
    #[pymodule_export]
    use crate::base64::b64encode;
    #[pymodule_export]
    use crate::cancel::Cancel;
    use crate::cancel::{FlagInterrupt, interruptible};
    #[pymodule_export]
    use crate::copies::PartialCopy;
    use crate::counter::{CallCounter, TokenCounter, named};
    #[pymodule_export]
    use crate::directory::Directory;
    #[pymodule_export]
    use crate::documents::{DocumentLines, document_lines};
    use crate::entries::EntryIterator;
    use crate::errors;
    #[pymodule_export]
    use crate::errors::NeedsBytes;
    #[pymodule_export]
    use crate::find::Pattern;
    use crate::fork;
    #[pymodule_export]
    use crate::ignore_rules::{IgnoreFile, ignored_names, is_ignored};
    #[pymodule_export]
    use crate::json::{count_values, json_string};
    #[pymodule_export]
    use crate::layout::Layout;
    #[pymodule_export]
    use crate::notebook::{Notebook, NotebookCell, NotebookOutput, ShownCell, ShownImage, ShownPart};
    #[pymodule_export]
    use crate::opened::{Opened, open_passed};
    #[pymodule_export]
    use crate::packages::{chart_points, package_part};
    #[pymodule_export]
    use crate::pending::PendingRead;
    #[pymodule_export]
    use crate::records::{Json, JsonRow};
    use crate::result;
    #[pymodule_export]
    use crate::result::Content;
    #[pymodule_export]
    use crate::sandbox::{can_map, enter_sandbox, openat2_errno};
    #[pymodule_export]
    use crate::sheets::{SheetCell, SheetInfo, SheetRow, SheetRows, Workbook, package_type};
    #[pymodule_export]
    use crate::slides::{Presentation, ShownSlide};
    use crate::waiting::{self, without_gil};
    #[pymodule_export]
    use crate::window::{Utf8Check, Window};

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the standard Python name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// The codes of all errors of the core.
    #[pymodule_export]
    const ERROR_CODES: &[&str] = ErrorKind::CODES;
    /// The space that a page has for its footer, in bytes.
    #[pymodule_export]
    const FOOTER_BYTES: u64 = build::FOOTER_BYTES;
    /// The space that a page has for its footer, in tokens.
    #[pymodule_export]
    const FOOTER_TOKENS: u64 = build::FOOTER_TOKENS;
    /// The footers for which a page must have space to have one.
    #[pymodule_export]
    const LEAST_FOOTERS: u64 = build::LEAST_FOOTERS;

    /// The native part of a Reader: its roots, rules and limits.
    #[pyclass(frozen, module = "anyread._native")]
    struct Engine {
        inner: core::Engine,
        limits: Limits,
        counter: Option<TokenCounter>,
        gutter: PyGutter,
        options: ReaderOptions,
    }

    #[pymethods]
    impl Engine {
        #[new]
        #[pyo3(signature = (*, roots, deny, limits, gutter, mmap, blocks, decompress, token_factor, formats, extensions, as_text))]
        #[expect(clippy::too_many_arguments, reason = "the settings of a reader, by name")]
        #[expect(clippy::needless_pass_by_value, reason = "extracted values are owned")]
        fn new(
            py: Python<'_>,
            roots: Vec<PyBackedBytes>,
            deny: Vec<String>,
            limits: Limits,
            gutter: PyGutter,
            mmap: bool,
            blocks: bool,
            decompress: bool,
            token_factor: f64,
            formats: Vec<(String, String)>,
            extensions: Vec<(String, String, bool)>,
            as_text: Vec<String>,
        ) -> PyResult<Self> {
            ReadRequest::of(py, None)?;
            anyread_core::sniff::declare(extensions);
            result::prepare(py)?;
            let roots: Vec<PathBuf> = roots.iter().map(|root| path_from(root).into_owned()).collect();
            let open = if decompress { Opener::decompressing } else { Opener::new };
            let opener = open(&roots, &deny).map_err(|error| errors::to_python(py, error))?;
            #[cfg(target_os = "linux")]
            crate::faulthandler::install_owner_hook();
            let memory = Memory {
                index_bytes: limits.index_bytes,
                inline_bytes: limits.inline_bytes,
                trust_append: limits.trust_append,
                mapping: if mmap { Mapping::Auto } else { Mapping::Never },
            };
            let counter = limits.counter(py)?;
            let shown = formats.iter().filter(|(_, kind)| !as_text.contains(kind));
            let shown = shown.map(|(media_type, _)| media_type.clone()).collect();
            let options = ReaderOptions { formats, shown, max_lines: limits.max_lines, blocks, token_factor };
            let most_text = decompress.then_some(limits.max_gzip_bytes);
            let inner = core::Engine::decompressing(opener, memory, most_text);
            Ok(Self { inner, limits, counter, gutter, options })
        }

        /// Reads one window of one file: with the GIL held if that cannot block, otherwise without it if it
        /// `may_wait`; else returns a `PendingRead`, which a call that may wait continues.
        ///
        /// With `pending` or `cancel`, an earlier call has tried to read with the GIL held. With `copy`, the file is
        /// elsewhere, and `NeedsBytes` is raised for bytes of it that are not present.
        #[pyo3(signature = (path, request, *, may_wait=false, most=None, cancel=None, pending=None, copy=None))]
        #[expect(clippy::too_many_arguments, reason = "the arguments of a read, by name")]
        fn read<'py>(
            &self,
            py: Python<'py>,
            path: PathArgument<'_, 'py>,
            request: Option<&Bound<'py, PyAny>>,
            may_wait: bool,
            most: Option<(u64, u64, bool)>,
            cancel: Option<Py<Cancel>>,
            pending: Option<Bound<'py, PendingRead>>,
            copy: Option<Bound<'py, PartialCopy>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let (shown_path, path, request) = (path.text(), &*path.path(), ReadRequest::of(py, request)?);
            let codec = request.codec(path).map_err(|error| errors::to_python(py, error))?;
            let core_request = request.request(codec, &self.options);
            let counter = self.counter.as_ref().map(CallCounter::of);
            let budget = CallBudget::of(most);
            let layout = request.layout(&self.limits, &self.gutter, counter.as_ref(), budget, &self.options);
            let tries_inline = !may_wait || (pending.is_none() && cancel.is_none() && copy.is_none());
            // If another thread has taken the file, it is opened again.
            let mut file = pending.and_then(|pending| pending.get().take());
            let copy = copy.map(|copy| Arc::clone(&copy.get().inner));
            let mut read = |wait: Wait<'_>| match (&copy, wait) {
                (Some(copy), Some(interrupt)) => {
                    self.inner.read_copy(copy, path, &core_request, &layout, interrupt)
                }
                _ => self.inner.read_on(&mut file, path, &core_request, &layout, wait),
            };
            let outcome = match if tries_inline { Some(read(None)) } else { None } {
                Some(Err(Error { kind: ErrorKind::WouldBlock(_), .. })) if !may_wait => {
                    return Ok(Bound::new(py, PendingRead::new(file))?.into_any());
                }
                None | Some(Err(Error { kind: ErrorKind::WouldBlock(_), .. })) => {
                    interruptible(py, cancel, |interrupt| read(Some(interrupt)))?
                }
                Some(outcome) => outcome,
            };
            if let Some(failure) = counter.and_then(CallCounter::into_failure) {
                return Err(failure);
            }
            match outcome {
                Ok(answer) => result::to_python(py, (path, shown_path), answer, &request),
                Err(error) => Err(errors::to_python(py, error)),
            }
        }

        /// Reads many files on native threads; an error is a value in the list.
        ///
        /// `None` means that the file is on a mount whose calls may hang, and must be read on its own thread,
        /// with `may_hang`; a number, that this one of its `unless` exists. With `sizes_only`, no file is read:
        /// the size of each is in a tuple of its own. Without `may_wait`, all are read in this thread, and the
        /// list is `None` if that cannot be done without waiting.
        #[pyo3(signature = (paths, requests, *, unless, max_bytes, max_tokens, threads, cancel, may_wait=true, may_hang=false, sizes_only=false))]
        #[expect(clippy::too_many_arguments, reason = "the arguments of the public read_many, by name")]
        #[expect(clippy::needless_pass_by_value, reason = "extracted values are owned")]
        fn read_batch<'py>(
            &self,
            py: Python<'py>,
            paths: Vec<PyBackedBytes>,
            requests: Vec<ReadRequest>,
            unless: Vec<Vec<PyBackedBytes>>,
            max_bytes: Option<u64>,
            max_tokens: Option<u64>,
            threads: usize,
            cancel: Option<Py<Cancel>>,
            may_wait: bool,
            may_hang: bool,
            sizes_only: bool,
        ) -> PyResult<Option<Vec<Option<Bound<'py, PyAny>>>>> {
            let Some(request) = requests.first() else { return Ok(Some(Vec::new())) };
            let request_of = |index: usize| requests.get(index).unwrap_or(request);
            let budget = CallBudget { max_bytes, max_tokens, whole: false };
            let paths: Vec<_> = paths.iter().map(|path| path_from(path)).collect();
            let unless: Vec<Vec<_>> =
                unless.iter().map(|names| names.iter().map(|name| path_from(name)).collect()).collect();
            let flag = cancel.map_or_else(Default::default, |cancel| cancel.get().flag());
            let counter = self.counter.as_ref().map(CallCounter::of);
            let read = || {
                let codec = match request.codec(Path::new("")) {
                    Ok(codec) => codec,
                    Err(Error { kind, .. }) => {
                        let refused = paths.iter().map(|path| Err(Error::new(&**path, kind.clone())));
                        return Ok(Some(refused.collect()));
                    }
                };
                let core_requests: Vec<_> =
                    requests.iter().map(|request| request.request(codec, &self.options)).collect();
                let names: Vec<Vec<&Path>> =
                    unless.iter().map(|names| names.iter().map(|name| &**name).collect()).collect();
                let files: Vec<_> = paths
                    .iter()
                    .enumerate()
                    .map(|(index, path)| BatchFile {
                        path,
                        request: core_requests.get(index).unwrap_or(&core_requests[0]),
                        unless: names.get(index).map_or(&[], |names| names),
                        may_hang,
                    })
                    .collect();
                let layout =
                    request.layout(&self.limits, &self.gutter, counter.as_ref(), budget, &self.options);
                if may_wait {
                    let layout = (!sizes_only).then_some(&layout);
                    self.inner.read_many(&files, layout, threads, &FlagInterrupt::new(flag)).map(Some)
                } else {
                    Ok(self.inner.read_many_now(&files, &layout))
                }
            };
            let answers = if may_wait { py.detach(read) } else { read() };
            if let Some(failure) = counter.and_then(CallCounter::into_failure) {
                return Err(failure);
            }
            let Some(answers) = answers.map_err(|error| errors::to_python(py, error))? else {
                return Ok(None);
            };
            let result = |(index, answer): (usize, _)| match answer {
                Ok(Batched::Answer(answer)) => {
                    result::to_python(py, (&paths[index], None), answer, request_of(index)).map(Some)
                }
                Ok(Batched::Size(size)) => Ok(Some((size,).into_pyobject(py)?.into_any())),
                Ok(Batched::Remote) => Ok(None),
                Ok(Batched::Named(position)) => Ok(Some(position.into_pyobject(py)?.into_any())),
                Err(error) => Ok(Some(errors::to_python(py, error).into_value(py).into_bound(py).into_any())),
            };
            answers.into_iter().enumerate().map(result).collect::<PyResult<_>>().map(Some)
        }

        /// Opens a file and detects its type, without the GIL if it may wait; reads a file of up to `whole`
        /// bytes completely.
        #[pyo3(signature = (path, *, repair, whole, may_wait=false, copy=None))]
        fn open<'py>(
            &self,
            py: Python<'py>,
            path: &[u8],
            repair: bool,
            whole: usize,
            may_wait: bool,
            copy: Option<Bound<'py, PartialCopy>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let path = &*path_from(path);
            let copy = copy.map(|copy| Arc::clone(&copy.get().inner));
            let open = |wait: Wait<'_>| match &copy {
                Some(copy) => self.inner.open_copy(copy, path, whole),
                None => self.inner.open(path, repair, whole, wait),
            };
            match if may_wait { without_gil(py, || open(Some(&Never))) } else { open(None) } {
                Ok(file) => result::opened(py, file, None),
                Err(error) => Err(errors::to_python(py, error)),
            }
        }

        /// Opens a directory and reads the names of at most `most` entries, in order.
        #[pyo3(signature = (path, *, most, cancel=None))]
        fn directory(
            &self,
            py: Python<'_>,
            path: &[u8],
            most: usize,
            cancel: Option<Py<Cancel>>,
        ) -> PyResult<Directory> {
            let path = &*path_from(path);
            let listing = interruptible(py, cancel, |interrupt| {
                self.inner.opener().list(path, most, &|| interrupt.interrupted(NoLockHeld::check()))
            })?;
            let listing = listing.map_err(|error| errors::to_python(py, error))?;
            result::directory(py, path, listing)
        }

        /// The entries of a directory, and whether these are all.
        #[pyo3(signature = (path, *, maximum))]
        fn list_directory(
            &self,
            py: Python<'_>,
            path: &[u8],
            maximum: usize,
        ) -> PyResult<(EntryIterator, bool)> {
            let path = path_from(path).into_owned();
            let found = without_gil(py, || self.inner.opener().entries(&path, maximum));
            let found = found.map_err(|error| errors::to_python(py, error))?;
            Ok((EntryIterator { path, entries: found.entries.into_iter() }, found.complete))
        }

        /// The id of the mount that a path leads into, if calls to that mount may hang.
        fn remote_mount(&self, py: Python<'_>, path: &[u8]) -> Option<u64> {
            py.detach(|| self.inner.opener().remote_mount(&path_from(path)))
        }

        /// The deny rule that matches the absolute path of a file that is elsewhere, below `base` or as it is.
        fn rule_of(&self, path: &[u8], base: &[u8]) -> Option<&str> {
            self.inner.opener().rule_of(&path_from(path), &path_from(base))
        }

        /// Counters of events since this engine was created.
        fn stats(&self) -> BTreeMap<&'static str, u64> {
            let (counters, scans) = (self.inner.counters(), self.inner.scans());
            let blocked = Blocked::ALL.iter().zip(&counters.blocked);
            let mut stats: BTreeMap<_, _> =
                blocked.map(|(blocked, count)| (blocked.name(), count.load(Ordering::Relaxed))).collect();
            stats.extend([
                ("reads", counters.reads.load(Ordering::Relaxed)),
                ("inline", counters.inline.load(Ordering::Relaxed)),
                ("retries", counters.retries.load(Ordering::Relaxed)),
                ("indexed", counters.indexed.load(Ordering::Relaxed)),
                ("mapped", scans.mapped.load(Ordering::Relaxed)),
                ("mapping_repeats", scans.mapping_repeats.load(Ordering::Relaxed)),
                ("mapping_hits", scans.mapping_hits.load(Ordering::Relaxed)),
            ]);
            stats
        }
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The first search asks the processor what it can do; in a virtual machine this takes 0.1 ms.
        std::hint::black_box(memchr::memchr(b'\n', b"\n"));
        fork::register(module.py())
    }

    /// Drops all line indexes, positions of records and other facts about files in this process.
    #[pyfunction]
    fn clear_caches() {
        cache::clear();
    }

    /// How many times work of this thread has waited without the GIL; `None` if that is not counted.
    #[pyfunction]
    fn thread_waits() -> Option<u64> {
        waiting::thread_waits()
    }

    /// Counts the tokens of a text; estimates them if `tokenizer` is `None`.
    #[pyfunction]
    fn count_tokens(py: Python<'_>, text: &Bound<'_, PyString>, tokenizer: Option<&str>) -> PyResult<u64> {
        let text: &str = &text.to_string_lossy();
        let Some(name) = tokenizer else { return Ok(tokens::estimate(text).tokens()) };
        let tokenizer = named(name)?;
        tokenizer.prepare(Path::new("")).map_err(|error| errors::to_python(py, error))?;
        Ok(py.detach(|| tokenizer.count(text)))
    }

    /// The encoding of a part of a text that begins at a line, and the confidence in it; a requested one is
    /// certain, and only its byte order is detected.
    #[pyfunction]
    fn detect_encoding(py: Python<'_>, data: &[u8], requested: Option<&str>) -> (&'static str, f32) {
        let found = match requested.and_then(Codec::from_label) {
            Some(codec) => encoding::with_codec(codec, data),
            None => py.detach(|| encoding::detect(data, false)),
        };
        (found.codec.name(), found.confidence)
    }

    /// A path as text, with bytes that are not UTF-8 as `\xff`.
    #[pyfunction]
    fn display_path(path: &[u8]) -> String {
        open::display_path(&path_from(path))
    }
}
