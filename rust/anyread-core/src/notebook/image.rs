//! Images in outputs: all have their headers inspected, but only the images that are shown are fully decoded.

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, Engine as _, GeneralPurpose, GeneralPurposeConfig};

use super::checks::{Checks, Stopped};
use super::json::{Text, decoded_part};

/// How many bytes are searched for an image's size: a JPEG may carry a preview before it.
const HEADER_BYTES: usize = 64 * 1024;

/// Accepts wrong padding and trailing bits, which are common and harmless.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What is known about an image without decoding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownImage {
    /// The media type given in the file.
    pub media_type: String,
    /// The size of the image file in bytes.
    pub bytes: usize,
    /// Width and height in pixels, if its header contains them.
    pub size: Option<(usize, usize)>,
    /// The range of its base64 in the file, for [`super::Notebook::image`].
    pub range: (usize, usize),
}

/// Why an image of a notebook cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFault {
    /// The range is outside the file.
    Missing,
    /// It has no bytes.
    Empty,
    /// It is not base64.
    BadBase64,
}

impl ImageFault {
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

/// Whether content of a media type is an image in base64; SVG is stored as text.
#[must_use]
pub fn is_image(media_type: &str) -> bool {
    media_type.starts_with("image/") && media_type != "image/svg+xml"
}

/// Inspects an image without decoding all of it.
pub fn look(media_type: &str, value: &str, start: usize, checks: &Checks<'_>) -> Result<ShownImage, Stopped> {
    let base64 = base64_of(value, checks)?;
    let unpadded = base64.trim_end_matches('=');
    let head = unpadded.as_bytes().get(..HEADER_BYTES / 3 * 4).unwrap_or(unpadded.as_bytes());
    let size = LENIENT.decode(head).ok().and_then(|head| imagesize::blob_size(&head).ok());
    Ok(ShownImage {
        media_type: media_type.to_owned(),
        bytes: unpadded.len() / 4 * 3 + (unpadded.len() % 4).saturating_sub(1),
        size: size.map(|size| (size.width, size.height)),
        range: (start, start + value.len()),
    })
}

/// Decodes the bytes of an image.
pub fn decoded(value: &str, checks: &Checks<'_>) -> Result<Result<Vec<u8>, ImageFault>, Stopped> {
    let base64 = base64_of(value, checks)?;
    if base64.is_empty() {
        return Ok(Err(ImageFault::Empty));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(base64::decoded_len_estimate(base64.len()))?;
    Ok(LENIENT.decode_vec(base64.as_bytes(), &mut bytes).map(|()| bytes).map_err(|_| ImageFault::BadBase64))
}

/// The base64 of a JSON value, or of a part of a text in one: from anywhere in a string to anywhere in the same
/// or a later string of the text.
fn base64_of(value: &str, checks: &Checks<'_>) -> Result<String, Stopped> {
    if value.starts_with(['"', '[']) || value == "null" {
        return Ok(compact(Text { value, is_old: false }.decoded(checks)?));
    }
    Ok(compact(decoded_part(value, checks)?))
}

/// Base64 without white space.
fn compact(mut base64: String) -> String {
    let end = base64.trim_ascii_end().len();
    base64.truncate(end);
    if memchr::memchr3(b'\n', b' ', b'\r', base64.as_bytes()).is_some() {
        base64.retain(|character| !character.is_ascii_whitespace());
    }
    base64
}
