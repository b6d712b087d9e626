//! Error numbers, with the values of the C library of Windows, which Python's `errno` has too.

use std::fmt;
use std::io;

use windows_sys::Win32::Foundation as code;

/// An error number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(i32);

macro_rules! numbers {
    ($($name:ident = $value:literal),* $(,)?) => {
        impl Errno {
            $(
                #[doc = concat!("`E", stringify!($name), "`")]
                pub const $name: Self = Self($value);
            )*
        }

        impl fmt::Display for Errno {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self {
                    $(Self::$name => f.write_str(concat!("E", stringify!($name))),)*
                    Self(number) => write!(f, "error {number}"),
                }
            }
        }
    };
}

numbers! {
    PERM = 1,
    NOENT = 2,
    INTR = 4,
    IO = 5,
    NXIO = 6,
    BADF = 9,
    AGAIN = 11,
    NOMEM = 12,
    ACCESS = 13,
    XDEV = 18,
    NOTDIR = 20,
    INVAL = 22,
    MFILE = 24,
    NAMETOOLONG = 38,
    NOSYS = 40,
    LOOP = 114,
    OPNOTSUPP = 130,
}

impl Errno {
    /// The number.
    #[must_use]
    pub const fn raw_os_error(self) -> i32 {
        self.0
    }

    /// The error number for an error code of Windows.
    pub(super) fn of_code(found: u32) -> Self {
        match found {
            code::ERROR_FILE_NOT_FOUND
            | code::ERROR_PATH_NOT_FOUND
            | code::ERROR_BAD_NETPATH
            | code::ERROR_BAD_NET_NAME
            | code::ERROR_INVALID_NAME
            | code::ERROR_BAD_PATHNAME
            | code::ERROR_DELETE_PENDING => Self::NOENT,
            code::ERROR_ACCESS_DENIED | code::ERROR_SHARING_VIOLATION | code::ERROR_LOCK_VIOLATION => {
                Self::ACCESS
            }
            code::ERROR_DIRECTORY => Self::NOTDIR,
            code::ERROR_FILENAME_EXCED_RANGE | code::ERROR_BUFFER_OVERFLOW => Self::NAMETOOLONG,
            code::ERROR_CANT_RESOLVE_FILENAME | code::ERROR_CANT_ACCESS_FILE => Self::LOOP,
            code::ERROR_NOT_ENOUGH_MEMORY
            | code::ERROR_OUTOFMEMORY
            | code::ERROR_NO_SYSTEM_RESOURCES
            | code::ERROR_COMMITMENT_LIMIT => Self::NOMEM,
            code::ERROR_TOO_MANY_OPEN_FILES => Self::MFILE,
            code::ERROR_INVALID_HANDLE => Self::BADF,
            code::ERROR_INVALID_PARAMETER => Self::INVAL,
            code::ERROR_NOT_SUPPORTED => Self::OPNOTSUPP,
            _ => Self::IO,
        }
    }

    /// The error number of the last call of this thread.
    pub(super) fn last() -> Self {
        io::Error::last_os_error().into()
    }
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error() {
            Some(number) => Self::of_code(number.cast_unsigned()),
            // For example a NUL in a path.
            None => Self::INVAL,
        }
    }
}

impl From<Errno> for io::Error {
    fn from(errno: Errno) -> Self {
        Self::other(errno.to_string())
    }
}
