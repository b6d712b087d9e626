//! Images in outputs: base64 that is decoded for those that are shown, and looked at for the others.

use std::borrow::Cow;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, Engine as _, GeneralPurpose, GeneralPurposeConfig};

use super::json::Text;

/// Where headers end that tell an image's size: JPEGs may carry a preview before theirs.
const HEADER_BYTES: usize = 64 * 1024;

/// Padding and trailing bits are often wrong and never matter.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// An image, as far as can be told without decoding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPicture {
    /// The media type that the file gives.
    pub media_type: String,
    /// Bytes of the image.
    pub bytes: usize,
    /// Width and height in pixels by its header, if they stand there.
    pub size: Option<(usize, usize)>,
    /// Where the file has it, for [`super::Notebook::picture`].
    pub range: (usize, usize),
}

/// Why an image of a notebook cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFault {
    /// The file has nothing at its range.
    Missing,
    /// It has no bytes.
    Empty,
    /// It is not base64.
    BadBase64,
}

impl PictureFault {
    /// A stable name for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Empty => "empty",
            Self::BadBase64 => "bad_base64",
        }
    }
}

/// Whether a media type is that of an image in base64; SVG is written as text.
#[must_use]
pub fn is_picture(media_type: &str) -> bool {
    media_type.starts_with("image/") && media_type != "image/svg+xml"
}

/// Looks at an image.
pub fn look(media_type: &str, content: Text<'_>, start: usize) -> ShownPicture {
    let base64 = compact(content);
    let unpadded = base64.trim_end_matches('=');
    let head = unpadded.as_bytes().get(..HEADER_BYTES / 3 * 4).unwrap_or(unpadded.as_bytes());
    let size = LENIENT.decode(head).ok().and_then(|head| imagesize::blob_size(&head).ok());
    ShownPicture {
        media_type: media_type.to_owned(),
        bytes: unpadded.len() / 4 * 3 + (unpadded.len() % 4).saturating_sub(1),
        size: size.map(|size| (size.width, size.height)),
        range: (start, start + content.value.len()),
    }
}

/// The bytes of an image.
pub fn decoded(value: &str) -> Result<Vec<u8>, PictureFault> {
    let base64 = compact(Text { value, is_old: false });
    if base64.is_empty() {
        return Err(PictureFault::Empty);
    }
    LENIENT.decode(base64.as_bytes()).map_err(|_| PictureFault::BadBase64)
}

/// Base64 without the white space that breaks it into lines.
fn compact(content: Text<'_>) -> Cow<'_, str> {
    let mut text = content.decoded();
    let end = text.trim_ascii_end().len();
    text.truncate(end);
    if memchr::memchr3(b'\n', b' ', b'\r', text.as_bytes()).is_some() {
        text.retain(|character| !character.is_ascii_whitespace());
    }
    Cow::Owned(text)
}
