//! The first bytes of binary formats.
//!
//! Our own rules come first. The `infer` crate is used last, only for bytes that are known to be binary; its
//! results that are based on two bytes are ignored. What to do with a file of each format is in
//! `anyread/errors/next_steps.py`.

use memchr::memmem;

/// A format that has fixed bytes at the start.
struct Signature {
    magic: &'static [u8],
    media_type: &'static str,
}

const fn signature(magic: &'static [u8], media_type: &'static str) -> Signature {
    Signature { magic, media_type }
}

/// Signatures that occur in no text: they have at least three bytes, one of which never occurs in text.
static STRONG: &[Signature] = &[
    signature(b"\x1F\x8B\x08", "application/gzip"),
    signature(b"\x28\xB5\x2F\xFD", "application/zstd"),
    signature(b"\xFD7zXZ\0", "application/x-xz"),
    signature(b"7z\xBC\xAF\x27\x1C", "application/x-7z-compressed"),
    signature(b"Rar!\x1A\x07", "application/vnd.rar"),
    signature(b"\x04\x22\x4D\x18", "application/x-lz4"),
    signature(b"\x7FELF", "application/x-executable"),
    signature(b"\0asm", "application/wasm"),
    signature(b"SQLite format 3\0", "application/vnd.sqlite3"),
    signature(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "application/x-ole-storage"),
    signature(b"\x93NUMPY", "application/x-numpy-data"),
    signature(b"\x89HDF\r\n\x1A\n", "application/x-hdf5"),
    signature(b"\0\0\x01\xBA", "video/mpeg"),
    signature(b"\0\0\x01\xB3", "video/mpeg"),
    signature(b"\x1A\x45\xDF\xA3", "video/x-matroska"),
];

/// Signatures that could begin a text, so that they are used only for binary bytes.
static WEAK: &[Signature] = &[
    signature(b"BZh", "application/x-bzip2"),
    signature(b"PAR1", "application/vnd.apache.parquet"),
    signature(b"ARROW1", "application/vnd.apache.arrow.file"),
    signature(b"ID3", "audio/mpeg"),
    signature(b"OggS", "audio/ogg"),
    signature(b"fLaC", "audio/x-flac"),
    signature(b"MZ", "application/vnd.microsoft.portable-executable"),
];

/// The media type of a format, and whether it is an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An image, which the decoders show, or refuse with the name of its format.
    Image(&'static str),
    /// Anything else.
    Other(&'static str),
}

/// The format of `head`, if its signature is conclusive.
pub fn certain(head: &[u8]) -> Option<Format> {
    image(head)
        .or_else(|| {
            STRONG
                .iter()
                .find(|known| head.starts_with(known.magic))
                .map(|known| Format::Other(known.media_type))
        })
        .or_else(|| zip(head).map(Format::Other))
        .or_else(|| is_pixmap(head).then_some(Format::Other("image/x-portable-anymap")))
}

/// The media type of bytes of which nothing is known.
pub(super) const UNKNOWN: &str = "application/octet-stream";

/// The format of bytes that are known to be binary; `application/octet-stream` if it is unknown.
pub fn of_binary(head: &[u8]) -> Format {
    image_if_binary(head)
        .or_else(|| is_transport_stream(head).then_some(Format::Other("video/mp2t")))
        .or_else(|| is_python_bytecode(head).then_some(Format::Other("application/x-python-code")))
        .or_else(|| {
            WEAK.iter()
                .find(|known| head.starts_with(known.magic))
                .map(|known| Format::Other(known.media_type))
        })
        .unwrap_or_else(|| Format::Other(inferred(head)))
}

/// The media type from the `infer` crate, if it is reliable.
fn inferred(head: &[u8]) -> &'static str {
    infer::get(head).map_or(UNKNOWN, |known| match known.mime_type() {
        // These are recognized by two bytes with which any binary file may begin.
        "application/x-llvm" | "application/x-x509-ca-cert" | "application/x-executable" | "image/bmp" => {
            UNKNOWN
        }
        // `is_pdf` decides on these; here, four bytes anywhere in a binary file are enough.
        "application/pdf" => UNKNOWN,
        _ if known.matcher_type() == infer::MatcherType::Text => UNKNOWN,
        media_type => media_type,
    })
}

/// The format of an image whose signature occurs in no text.
fn image(head: &[u8]) -> Option<Format> {
    let media_type = match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => "image/png",
        [0xFF, 0xD8, 0xFF, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', b'V', b'P', b'8', ..] => "image/webp",
        // A raw image whose first bytes are those of a TIFF.
        [b'I', b'I', b'*', 0, _, _, _, _, b'C', b'R', ..] => return Some(Format::Other("image/x-canon-cr2")),
        [b'I', b'I', b'*' | b'+', 0, ..] | [b'M', b'M', 0, b'*' | b'+', ..] => "image/tiff",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => return iso_media(head),
        _ => return None,
    };
    Some(Format::Image(media_type))
}

/// The format of an image whose signature could begin a text.
fn image_if_binary(head: &[u8]) -> Option<Format> {
    let media_type = match head {
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        // The file header is followed by the length of the next header: 12 to 124 in all versions.
        [b'B', b'M', _, _, _, _, _, _, _, _, _, _, _, _, 12..=124, 0, 0, 0, ..] => "image/bmp",
        [0, 0, 1, 0, 1..=255, 0, ..] => "image/vnd.microsoft.icon",
        _ => return None,
    };
    Some(Format::Image(media_type))
}

/// The format of an ISO base media file: images, video and sound are distinguished by their brands.
fn iso_media(head: &[u8]) -> Option<Format> {
    let length = usize::try_from(u32::from_be_bytes(*head.first_chunk()?)).ok()?;
    if length < 16 {
        return None;
    }
    let brands = head.get(8..length.min(head.len()))?;
    let major = brands.get(..4)?;
    // The major brand is followed by its version and by the compatible brands.
    let has = |known: &[&[u8]]| {
        known.contains(&major) || brands.chunks(4).skip(2).any(|brand| known.contains(&brand))
    };
    Some(if has(&[b"avif", b"avis"]) {
        Format::Image("image/avif")
    } else if has(&[b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"]) {
        Format::Image("image/heic")
    } else if major == b"qt  " {
        Format::Other("video/quicktime")
    } else if major == b"M4A " || major == b"M4B " {
        Format::Other("audio/mp4")
    } else {
        Format::Other("video/mp4")
    })
}

/// The media type of a ZIP archive, by the names of its members in `head`.
fn zip(head: &[u8]) -> Option<&'static str> {
    const LOCAL: &[u8] = b"PK\x03\x04";
    if !head.starts_with(LOCAL) {
        let empty_or_split = head.starts_with(b"PK\x05\x06") || head.starts_with(b"PK\x07\x08");
        return empty_or_split.then_some("application/zip");
    }
    for member in memmem::find_iter(head, LOCAL) {
        let header = &head[member..];
        let Some([low, high]) = header.get(26..28) else { break };
        let Some(name) = header.get(30..30 + usize::from(u16::from_le_bytes([*low, *high]))) else { break };
        if name == b"mimetype" {
            return Some(declared(&header[30..]));
        }
        for (start, media_type) in [
            (&b"word/"[..], "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
            (b"AndroidManifest.xml", "application/vnd.android.package-archive"),
            (b"META-INF/MANIFEST.MF", "application/java-archive"),
        ] {
            if name.starts_with(start) {
                return Some(media_type);
            }
        }
    }
    Some("application/zip")
}

/// The media type that the member `mimetype` of an archive declares; it is always uncompressed.
fn declared(member: &[u8]) -> &'static str {
    let member = &member[..member.len().min(128)];
    [
        "application/epub+zip",
        "application/vnd.oasis.opendocument.text",
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/vnd.oasis.opendocument.presentation",
        "application/vnd.oasis.opendocument.graphics",
    ]
    .into_iter()
    .find(|known| memmem::find(member, known.as_bytes()).is_some())
    .unwrap_or("application/zip")
}

/// Whether this is a binary Netpbm image, whose header is text and whose pixels may contain no NULs.
///
/// It starts with letters and a number, and its first bytes are not valid UTF-8.
fn is_pixmap(head: &[u8]) -> bool {
    matches!(head, [b'P', b'4'..=b'6', b' ' | b'\n' | b'\r' | b'\t', b'0'..=b'9' | b'#', ..])
        && std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some())
}

/// Whether these are packets of an MPEG transport stream, of 188 bytes or of 192 with a time stamp before each.
fn is_transport_stream(head: &[u8]) -> bool {
    const SYNC: u8 = 0x47;
    [(0, 188), (4, 192)].into_iter().any(|(first, packet)| {
        let mut syncs = head.iter().skip(first).step_by(packet);
        head.len() > first + 2 * packet && syncs.all(|byte| *byte == SYNC)
    })
}

/// Whether this is compiled Python bytecode, which starts with a version number and CR LF.
///
/// Source: `Lib/importlib/_bootstrap_external.py`: 3000 and up for Python 3, 62011 to 62211 for Python 2.3 to 2.7.
fn is_python_bytecode(head: &[u8]) -> bool {
    let [low, high, b'\r', b'\n', ..] = head else { return false };
    matches!(u16::from_le_bytes([*low, *high]), 3000..=3999 | 62_011..=62_211)
}
