//! The media types that file names suggest.

use std::ffi::OsStr;
use std::sync::OnceLock;

use memchr::memrchr;

/// Extensions in lower case and their media types.
///
/// Only unambiguous ones are listed: `.ts` is TypeScript or video, `.doc` and `.bin` may be anything.
///
/// Source: the IANA registry of media types; `text/x-…` if it has none.
const EXTENSIONS: &[(&str, &str)] = &[
    ("png", "image/png"),
    ("apng", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("jpe", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("bmp", "image/bmp"),
    ("dib", "image/bmp"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("ico", "image/vnd.microsoft.icon"),
    ("avif", "image/avif"),
    ("heic", "image/heic"),
    ("heif", "image/heic"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("tgz", "application/gzip"),
    ("zst", "application/zstd"),
    ("xz", "application/x-xz"),
    ("bz2", "application/x-bzip2"),
    ("7z", "application/x-7z-compressed"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("epub", "application/epub+zip"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/x-wav"),
    ("flac", "audio/x-flac"),
    ("ogg", "audio/ogg"),
    ("mp4", "video/mp4"),
    ("mov", "video/quicktime"),
    ("mkv", "video/x-matroska"),
    ("webm", "video/webm"),
    ("avi", "video/x-msvideo"),
    ("wasm", "application/wasm"),
    ("pyc", "application/x-python-code"),
    ("sqlite", "application/vnd.sqlite3"),
    ("ipynb", "application/x-ipynb+json"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("text", "text/plain"),
    ("log", "text/plain"),
    ("ini", "text/plain"),
    ("cfg", "text/plain"),
    ("conf", "text/plain"),
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("rst", "text/x-rst"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("xhtml", "application/xhtml+xml"),
    ("xml", "application/xml"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("ndjson", "application/x-ndjson"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("toml", "application/toml"),
    ("js", "text/javascript"),
    ("mjs", "text/javascript"),
    ("cjs", "text/javascript"),
    ("jsx", "text/javascript"),
    ("tsx", "text/x-typescript"),
    ("py", "text/x-python"),
    ("pyi", "text/x-python"),
    ("rs", "text/x-rust"),
    ("go", "text/x-go"),
    ("c", "text/x-c"),
    ("h", "text/x-c"),
    ("cc", "text/x-c++"),
    ("cpp", "text/x-c++"),
    ("hpp", "text/x-c++"),
    ("java", "text/x-java"),
    ("rb", "text/x-ruby"),
    ("php", "text/x-php"),
    ("sh", "text/x-shellscript"),
    ("bash", "text/x-shellscript"),
    ("sql", "application/sql"),
    ("tex", "text/x-tex"),
    ("rtf", "text/rtf"),
    ("diff", "text/x-diff"),
    ("patch", "text/x-diff"),
];

/// The extensions that other layers declare, as numbers, with their media types, and whether they are of text.
static DECLARED: OnceLock<Vec<(u64, &'static str, bool)>> = OnceLock::new();

/// Adds extensions to those that are known, each with its media type, and whether its files are text.
///
/// Only the first call in a process has an effect, and it keeps the names for as long as the process lives.
pub fn declare(extensions: impl IntoIterator<Item = (String, String, bool)>) {
    DECLARED.get_or_init(|| {
        let named = |(name, media_type, is_text): (String, String, bool)| {
            Some((packed(name.as_bytes())?, &*media_type.leak(), is_text))
        };
        extensions.into_iter().filter_map(named).collect()
    });
}

fn declared() -> &'static [(u64, &'static str, bool)] {
    DECLARED.get().map_or(&[], Vec::as_slice)
}

/// Whether another layer declares a media type of binary files.
pub(super) fn is_declared_binary(media_type: &str) -> bool {
    declared().iter().any(|(_, of, is_text)| *of == media_type && !is_text)
}

/// The media type that a file's name suggests, if any.
#[must_use]
pub fn promised_by_name(name: &OsStr) -> Option<&'static str> {
    let name = name.as_encoded_bytes();
    // A name that begins with its only dot, such as `.png`, has no extension.
    let dot = memrchr(b'.', name).filter(|dot| *dot > 0)?;
    let extension = packed(&name[dot + 1..])?;
    let found = PACKED.iter().position(|known| *known == extension);
    let declared = || declared().iter().find(|(known, ..)| *known == extension).map(|found| found.1);
    found.and_then(|found| EXTENSIONS.get(found)).map_or_else(declared, |(_, media_type)| Some(*media_type))
}

/// [`EXTENSIONS`] as numbers, which are compared in one instruction.
static PACKED: [u64; EXTENSIONS.len()] = {
    let mut numbers = [0; EXTENSIONS.len()];
    let mut index = 0;
    while index < numbers.len() {
        // An extension that is too long would be 0 and found for no name; a test checks that all are found.
        if let Some(number) = packed(EXTENSIONS[index].0.as_bytes()) {
            numbers[index] = number;
        }
        index += 1;
    }
    numbers
};

/// An extension of at most eight bytes as a number, in lower case.
const fn packed(extension: &[u8]) -> Option<u64> {
    // A NUL at the start would not change the number.
    if extension.is_empty() || extension[0] == 0 || extension.len() > 8 {
        return None;
    }
    let (mut number, mut index) = (0, 0);
    while index < extension.len() {
        number = number << 8 | extension[index].to_ascii_lowercase() as u64;
        index += 1;
    }
    Some(number)
}

/// Whether a media type is a type of text.
pub fn is_textual(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || matches!(
            media_type,
            "application/json"
                | "application/jsonl"
                | "application/x-ndjson"
                | "application/yaml"
                | "application/toml"
                | "application/sql"
                | "application/xml"
                | "application/xhtml+xml"
                | "image/svg+xml"
        )
        || declared().iter().any(|(_, of, is_text)| *of == media_type && *is_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_each_extension_is_found_in_any_case() {
        for (extension, media_type) in EXTENSIONS {
            for name in [format!("a.{extension}"), format!("a.b.{}", extension.to_uppercase())] {
                assert_eq!(promised_by_name(OsStr::new(&name)), Some(*media_type), "{name}");
            }
        }
        for name in ["", ".png", "png", "..", "a.", "a.markdowns", "a.png.", "a.pn", "a.\0png"] {
            assert_eq!(promised_by_name(OsStr::new(name)), None, "{name}");
        }
    }
}
