//! What can go wrong in a read, as data.
//!
//! The layer that shows an error words it (Python has its own classes and messages), and finds the class by
//! `code`, and its fields by the names of `facts`. `Display` here is one plain sentence for Rust callers.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of every function of this crate that may fail.
pub type Result<T> = std::result::Result<T, Error>;

/// An error about one path.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// The path as the caller gave it.
    pub path: PathBuf,
    /// What happened.
    pub kind: ErrorKind,
}

impl Error {
    /// An error about `path`.
    pub fn new(path: impl Into<PathBuf>, kind: ErrorKind) -> Self {
        Self { path: path.into(), kind }
    }

    /// The error that an archive is damaged.
    pub fn damaged(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::new(path, ErrorKind::Damaged { media_type: "application/zip", reason: reason.into() })
    }
}

/// The kinds of error, with the facts that a caller needs for its next step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The path does not exist.
    NotFound {
        /// Up to five siblings with the nearest names.
        near: Vec<PathBuf>,
        /// The symbolic link on the path whose target does not exist.
        dangling_link: Option<PathBuf>,
    },
    /// No file has exactly this name, and several have a name that looks the same.
    AmbiguousPath {
        /// The files with such names.
        candidates: Vec<PathBuf>,
    },
    /// The operating system denied access.
    Access {
        /// The component to which access was denied: the file, or a directory above it.
        part: PathBuf,
    },
    /// The path leads out of every root.
    OutsideRoot {
        /// The allowed roots.
        roots: Vec<PathBuf>,
    },
    /// A deny rule matches.
    Denied {
        /// The rule.
        rule: String,
    },
    /// The path is a directory.
    Directory {
        /// Some of its entries, sorted, hidden ones last.
        entries: Vec<PathBuf>,
        /// Whether it has more entries than those.
        more: bool,
    },
    /// The path is neither a regular file nor a directory.
    NotRegularFile {
        /// "FIFO", "socket", "character device" or "block device".
        file_type: &'static str,
    },
    /// No file can have this path.
    BadPath {
        /// Why not.
        fault: PathFault,
    },
    /// A system call failed.
    FileSystem {
        /// The error number.
        errno: i32,
        /// What was attempted, as a verb: "open", "read".
        operation: &'static str,
    },
    /// The file changed, so that no consistent state of it could be read.
    FileChanged {
        /// "truncated" or "rewritten".
        change: &'static str,
    },
    /// The file is not text, nor anything else that can be shown.
    Binary {
        /// The media type, `application/octet-stream` if unknown.
        media_type: String,
        /// The size of the file in bytes.
        size_bytes: u64,
    },
    /// The file has a known format that cannot be shown.
    UnsupportedFormat {
        /// The media type.
        media_type: String,
        /// The size of the file in bytes.
        size_bytes: u64,
    },
    /// The file is compressed, and what is in it is not text.
    CompressedFormat {
        /// The media type of what is in it.
        media_type: String,
        /// The size of the file in bytes.
        size_bytes: u64,
    },
    /// The file has a known format that its content violates.
    Damaged {
        /// The media type, that of the container if nothing more is known.
        media_type: &'static str,
        /// What is wrong, as a clause.
        reason: String,
    },
    /// The file is encrypted.
    PasswordRequired,
    /// The file, or what must be inflated of it, is larger than a limit.
    TooLarge {
        /// The size, in `unit`, as far as it is known.
        size: u64,
        /// The limit, in `unit`.
        maximum: u64,
        /// What is limited: "bytes", "members" of an archive.
        unit: &'static str,
    },
    /// A workbook has no such sheet.
    NoSuchSheet {
        /// The sheet as it was requested.
        sheet: String,
        /// The names of all sheets that are not hidden.
        sheets: Vec<String>,
    },
    /// The window does not fit the budget, and the caller chose an error in that case.
    OverBudget {
        /// The size of the window, in `unit`.
        used: u64,
        /// The size that is allowed, in `unit`.
        budget: u64,
        /// "tokens" or "bytes".
        unit: &'static str,
        /// The largest `limit` that fits; 0 if not even the first line does.
        largest_limit: u64,
        /// What does not fit: the "lines" of a window, or "ranges" of lines.
        of: &'static str,
    },
    /// The window begins after the last line.
    OffsetPastEnd {
        /// The first line requested.
        offset: u64,
        /// How many lines there are.
        total_lines: u64,
    },
    /// The window starts after the last character of its first line.
    ColumnPastEnd {
        /// The first character requested, from 1.
        column: u64,
        /// The line; negative if it is counted from the end.
        line: i64,
        /// The characters of the line.
        characters: u64,
    },
    /// A root is not a directory, or cannot be opened.
    BadRoot,
    /// A deny rule is not a glob.
    BadRule {
        /// The rule.
        rule: String,
        /// Why the rule cannot be used.
        fault: RuleFault,
    },
    /// The name of the encoding is unknown, or the encoding cannot be decoded.
    UnknownEncoding {
        /// The name as it was passed.
        label: String,
        /// Known names that resemble it, nearest first.
        near: Vec<&'static str>,
        /// The encoding of that name, if it is known but cannot be decoded.
        undecodable: Option<&'static str>,
    },
    /// An argument does not fit the kind of the file.
    WrongKind {
        /// The argument's name.
        argument: String,
        /// The file's kind.
        kind: &'static str,
    },
    /// The caller canceled the read.
    Cancelled,
    /// An attempt that must not block reached a step that might block.
    WouldBlock(Blocked),
}

impl ErrorKind {
    /// The process has no memory for the bytes that it reads.
    pub const OUT_OF_MEMORY: Self =
        Self::FileSystem { errno: crate::system::Errno::NOMEM.raw_os_error(), operation: "read" };

    /// The facts of this kind by name.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, Fact<'_>)> {
        match self {
            Self::NotFound { near, dangling_link } => {
                let link = dangling_link.as_deref().map_or(Fact::None, Fact::Path);
                vec![("near", Fact::Paths(near)), ("dangling_link", link)]
            }
            Self::AmbiguousPath { candidates } => vec![("candidates", Fact::Paths(candidates))],
            Self::Access { part } => vec![("part", Fact::Path(part))],
            Self::OutsideRoot { roots } => vec![("roots", Fact::Paths(roots))],
            Self::Denied { rule } => vec![("rule", Fact::Text(rule))],
            Self::Directory { entries, more } => {
                vec![("entries", Fact::Paths(entries)), ("more", Fact::Flag(*more))]
            }
            Self::NotRegularFile { file_type } => vec![("file_type", Fact::Text(file_type))],
            Self::BadPath { fault } => fault.facts(),
            Self::FileSystem { errno, operation } => vec![
                ("errno", Fact::Number(u64::from(errno.unsigned_abs()))),
                ("operation", Fact::Text(operation)),
            ],
            Self::FileChanged { change } => vec![("change", Fact::Text(change))],
            Self::Binary { media_type, size_bytes } | Self::UnsupportedFormat { media_type, size_bytes } => {
                vec![("media_type", Fact::Text(media_type)), ("size_bytes", Fact::Number(*size_bytes))]
            }
            Self::CompressedFormat { media_type, size_bytes } => vec![
                ("media_type", Fact::Text(media_type)),
                ("size_bytes", Fact::Number(*size_bytes)),
                ("compression", Fact::Text("gzip")),
            ],
            Self::Damaged { media_type, reason } => {
                vec![("media_type", Fact::Text(media_type)), ("reason", Fact::Text(reason))]
            }
            Self::TooLarge { size, maximum, unit } => vec![
                ("size", Fact::Number(*size)),
                ("maximum", Fact::Number(*maximum)),
                ("unit", Fact::Text(unit)),
            ],
            Self::NoSuchSheet { sheet, sheets } => {
                vec![("sheet", Fact::Text(sheet)), ("sheets", Fact::Names(sheets))]
            }
            Self::OverBudget { used, budget, unit, largest_limit, of } => vec![
                ("used", Fact::Number(*used)),
                ("budget", Fact::Number(*budget)),
                ("unit", Fact::Text(unit)),
                ("largest_limit", Fact::Number(*largest_limit)),
                ("of", Fact::Text(of)),
            ],
            Self::OffsetPastEnd { offset, total_lines } => {
                vec![("offset", Fact::Number(*offset)), ("total_lines", Fact::Number(*total_lines))]
            }
            Self::ColumnPastEnd { column, line, characters } => vec![
                ("column", Fact::Number(*column)),
                ("line", Fact::Number(line.unsigned_abs())),
                ("characters", Fact::Number(*characters)),
            ],
            Self::BadRule { rule, fault } => fault.facts(rule),
            Self::UnknownEncoding { label, near, undecodable } => vec![
                ("value", Fact::Text(label)),
                ("near", Fact::Texts(near)),
                ("undecodable", undecodable.map_or(Fact::None, Fact::Text)),
            ],
            Self::WrongKind { argument, kind } => {
                vec![("argument", Fact::Text(argument)), ("kind", Fact::Text(kind))]
            }
            Self::PasswordRequired | Self::BadRoot | Self::Cancelled | Self::WouldBlock(_) => vec![],
        }
    }
}

/// Gives each kind its code, and lists all codes.
macro_rules! codes {
    ($($kind:ident => $code:literal,)*) => {
        impl ErrorKind {
            /// The codes of all kinds.
            pub const CODES: &'static [&'static str] = &[$($code),*];

            /// The code of this kind, which never changes.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self {
                    $(Self::$kind { .. } => $code,)*
                }
            }
        }
    };
}

codes! {
    NotFound => "not_found",
    AmbiguousPath => "ambiguous_path",
    Access => "permission_denied",
    OutsideRoot => "outside_root",
    Denied => "denied",
    Directory => "is_a_directory",
    NotRegularFile => "not_a_regular_file",
    BadPath => "bad_path",
    FileSystem => "io_error",
    FileChanged => "changed_during_read",
    Binary => "binary",
    UnsupportedFormat => "unsupported_format",
    CompressedFormat => "unsupported_format",
    Damaged => "damaged",
    PasswordRequired => "password_required",
    TooLarge => "too_large",
    NoSuchSheet => "no_such_sheet",
    OverBudget => "over_budget",
    OffsetPastEnd => "offset_past_end",
    ColumnPastEnd => "column_past_end",
    BadRoot => "bad_root",
    BadRule => "bad_rule",
    UnknownEncoding => "unknown_encoding",
    WrongKind => "wrong_kind",
    Cancelled => "cancelled",
    WouldBlock => "would_block",
}

/// A fact about an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fact<'a> {
    /// It does not apply.
    None,
    /// Whether something is so.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A word or a text.
    Text(&'a str),
    /// Several words.
    Texts(&'a [&'static str]),
    /// Several words of the file.
    Names(&'a [String]),
    /// A path.
    Path(&'a Path),
    /// Several paths.
    Paths(&'a [PathBuf]),
}

/// Why no file can have a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathFault {
    /// It is empty.
    Empty,
    /// It contains a NUL byte.
    Nul,
    /// One of its components is longer than the file system allows.
    NameTooLong,
    /// It has more bytes than any system call accepts.
    PathTooLong {
        /// The maximum length in bytes.
        max_bytes: usize,
    },
}

impl PathFault {
    fn facts(self) -> Vec<(&'static str, Fact<'static>)> {
        match self {
            Self::Empty => vec![("fault", Fact::Text("empty"))],
            Self::Nul => vec![("fault", Fact::Text("nul"))],
            Self::NameTooLong => vec![("fault", Fact::Text("name_too_long"))],
            Self::PathTooLong { max_bytes } => {
                vec![("fault", Fact::Text("path_too_long")), ("max_bytes", Fact::Number(max_bytes as u64))]
            }
        }
    }
}

/// Why a deny rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleFault {
    /// It is empty.
    Empty,
    /// It begins with `~`, and `HOME` is not an absolute path in UTF-8.
    NoHome,
    /// Its syntax is wrong, in the words of the `globset` crate.
    Syntax(String),
}

impl RuleFault {
    fn facts<'a>(&'a self, rule: &'a str) -> Vec<(&'static str, Fact<'a>)> {
        let rule = ("rule", Fact::Text(rule));
        match self {
            Self::Empty => vec![rule, ("fault", Fact::Text("empty"))],
            Self::NoHome => vec![rule, ("fault", Fact::Text("no_home"))],
            Self::Syntax(message) => {
                vec![rule, ("fault", Fact::Text("syntax")), ("message", Fact::Text(message))]
            }
        }
    }
}

/// Why an attempt that must not block gave up; a call that may block gets an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// `ANYREAD_PORTABLE=1`: the non-blocking calls are not used.
    Portable,
    /// The path is not in the kernel's cache, or it needs a full lookup.
    Lookup,
    /// Nothing has been read from this mount yet.
    UnknownMount,
    /// Each call of this file system may block.
    Device,
    /// An open on this mount was slow a short time ago.
    SlowOpen,
    /// The file is not in the page cache, or a file on the same mount recently was not.
    Pages,
    /// The read is more work than a caller that must not block has time for.
    Work,
    /// Bytes of a copy must be fetched first ([`crate::present`]).
    Missing {
        /// The number of the copy.
        copy: u64,
        /// The first of them.
        start: u64,
        /// The offset after the last.
        end: u64,
    },
    /// The LF in a part of a copy must be counted first, where the file is.
    Uncounted {
        /// The number of the copy.
        copy: u64,
        /// The first byte.
        start: u64,
        /// The offset after the last.
        end: u64,
    },
}

impl Blocked {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Portable,
        Self::Lookup,
        Self::UnknownMount,
        Self::Device,
        Self::SlowOpen,
        Self::Pages,
        Self::Work,
    ];

    /// Its name in the counters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "hop_portable",
            Self::Lookup => "hop_lookup",
            Self::UnknownMount => "hop_unknown_mount",
            Self::Device => "hop_device",
            Self::SlowOpen => "hop_slow_open",
            Self::Pages => "hop_pages",
            Self::Work => "hop_work",
            Self::Missing { .. } => "hop_missing",
            Self::Uncounted { .. } => "hop_uncounted",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            ErrorKind::NotFound { .. } => write!(f, "`{path}` does not exist"),
            ErrorKind::AmbiguousPath { candidates } => {
                write!(f, "`{path}` could be any of {} files", candidates.len())
            }
            ErrorKind::Access { part } => write!(f, "permission denied at `{}`", part.display()),
            ErrorKind::OutsideRoot { .. } => write!(f, "`{path}` is outside the allowed roots"),
            ErrorKind::Denied { rule } => write!(f, "`{path}` is denied by the rule `{rule}`"),
            ErrorKind::Directory { .. } => write!(f, "`{path}` is a directory"),
            ErrorKind::NotRegularFile { file_type } => write!(f, "`{path}` is a {file_type}"),
            ErrorKind::BadPath { fault } => write!(f, "`{path}` cannot be a path: {fault}"),
            ErrorKind::FileSystem { errno, operation } => {
                let reason = std::io::Error::from_raw_os_error(*errno);
                write!(f, "cannot {operation} `{path}`: {reason}")
            }
            ErrorKind::FileChanged { change } => write!(f, "`{path}` was {change} during the read"),
            ErrorKind::Binary { media_type, size_bytes } => {
                write!(f, "`{path}` is binary: {media_type}, {size_bytes} bytes")
            }
            ErrorKind::CompressedFormat { media_type, size_bytes } => {
                write!(f, "`{path}` cannot be shown: {media_type} in gzip, {size_bytes} bytes")
            }
            ErrorKind::UnsupportedFormat { media_type, size_bytes } => {
                write!(f, "`{path}` cannot be shown: {media_type}, {size_bytes} bytes")
            }
            ErrorKind::Damaged { media_type, reason } => {
                write!(f, "`{path}` is a damaged {media_type}: {reason}")
            }
            ErrorKind::PasswordRequired => write!(f, "`{path}` needs a password"),
            ErrorKind::TooLarge { size, maximum, unit } => {
                write!(f, "`{path}` exceeds the limit of {maximum} {unit}: {size}")
            }
            ErrorKind::NoSuchSheet { sheet, .. } => write!(f, "`{path}` has no sheet `{sheet}`"),
            ErrorKind::OverBudget { used, budget, unit, .. } => {
                write!(f, "`{path}` takes {used} {unit} of {budget} allowed")
            }
            ErrorKind::OffsetPastEnd { offset, total_lines } => {
                write!(f, "line {offset} is past the end of `{path}`, which has {total_lines}")
            }
            ErrorKind::ColumnPastEnd { column, line, characters } => {
                write!(f, "line {line} of `{path}` has {characters} characters, no column {column}")
            }
            ErrorKind::BadRoot => write!(f, "`{path}` is not a directory that can be opened"),
            ErrorKind::BadRule { rule, fault } => write!(f, "the deny rule `{rule}` is not a glob: {fault}"),
            ErrorKind::UnknownEncoding { label, undecodable: None, .. } => {
                write!(f, "no encoding is named `{label}`")
            }
            ErrorKind::UnknownEncoding { undecodable: Some(name), .. } => {
                write!(f, "the encoding {name} cannot be decoded")
            }
            ErrorKind::WrongKind { argument, kind } => {
                write!(f, "`{argument}` does not apply to `{path}`, which is {kind}")
            }
            ErrorKind::Cancelled => write!(f, "the read of `{path}` was cancelled"),
            ErrorKind::WouldBlock(_) => write!(f, "the read of `{path}` would block"),
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Nul => f.write_str("it contains a NUL byte"),
            Self::NameTooLong => f.write_str("one of its names is too long"),
            Self::PathTooLong { max_bytes } => write!(f, "it is longer than {max_bytes} bytes"),
        }
    }
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::NoHome => f.write_str("HOME is not an absolute path in UTF-8"),
            Self::Syntax(message) => f.write_str(message),
        }
    }
}
