//! Images inside of packages: what their first bytes tell, and all of their bytes.

use std::ffi::OsStr;

use super::{Parts, is_of_part};
use crate::error::{Error, ErrorKind, Result};
use crate::inflate::{Checkpoints, Packed};
use crate::memory::out_of_memory;
use crate::sniff::{SNIFF_BYTES, sniff};

/// The bytes of an image that are searched for its size.
const HEADER: usize = 64 << 10;
/// The most bytes of the ending of a name.
const LONGEST_ENDING: usize = 16;

/// An image, which is not decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The name of its part.
    pub part: String,
    /// Its media type by its content; by the name of its part if that is not known.
    pub media_type: String,
    /// Width and height in pixels, if its header has them.
    pub size: Option<(usize, usize)>,
    /// The size of the image file in bytes; 0 if its member is damaged.
    pub bytes: u64,
}

impl Parts<'_> {
    /// What is known about an image by its first bytes; `None` if there is no such part.
    ///
    /// # Errors
    /// Those of reading; not that the image is damaged, which reading all of it reports.
    pub fn picture(&self, part: &str) -> Result<Option<Picture>> {
        let mut picture = Picture { part: part.to_owned(), media_type: by_name(part), size: None, bytes: 0 };
        let packed = match self.locate(part) {
            Ok(Some(packed)) => packed,
            Ok(None) => return Ok(None),
            Err(error) => return of_the_image(error).map(|()| Some(picture)),
        };
        picture.bytes = size_of(packed);
        self.look_into(packed, &mut picture).or_else(of_the_image)?;
        Ok(Some(picture))
    }

    fn look_into(&self, packed: Packed, picture: &mut Picture) -> Result<()> {
        let size = |head: &[u8]| imagesize::blob_size(head).ok().map(|size| (size.width, size.height));
        let mut content = self.content(packed, Checkpoints::new(u64::MAX))?;
        let head = content.ahead(SNIFF_BYTES)?;
        let found = sniff(head, OsStr::new("")).media_type;
        if found.starts_with("image/") {
            found.clone_into(&mut picture.media_type);
        }
        picture.size = size(head);
        // The headers of JPEG files may be long.
        if picture.size.is_none() && picture.media_type == "image/jpeg" {
            picture.size = size(content.ahead(HEADER)?);
        }
        Ok(())
    }

    /// All bytes of a part.
    ///
    /// # Errors
    /// Those of reading; [`ErrorKind::Damaged`] if it is missing, or has another size or CRC-32 than the file says;
    /// [`ErrorKind::TooLarge`] above `most` bytes.
    pub fn bytes(&self, part: &str, most: u64) -> Result<Vec<u8>> {
        let packed = self.locate(part)?;
        let packed = packed.ok_or_else(|| self.damaged(format!("its member `{part}` is missing")))?;
        let path = self.file.path();
        if size_of(packed) > most {
            let kind = ErrorKind::TooLarge { size: size_of(packed), maximum: most, unit: "bytes" };
            return Err(Error::new(path, kind));
        }
        let mut content = self.content(packed, Checkpoints::new(u64::MAX))?;
        let mut bytes = Vec::new();
        loop {
            let chunk = content.chunk()?;
            let length = chunk.len();
            if length == 0 {
                return Ok(bytes);
            }
            if (bytes.len() + length) as u64 > size_of(packed) {
                return Err(self.damaged(format!("its member `{part}` is larger than declared")));
            }
            bytes.try_reserve(length).map_err(|_| out_of_memory(path))?;
            bytes.extend_from_slice(chunk);
            content.skip(length);
        }
    }
}

/// Passes over an error that is about the image alone.
fn of_the_image(error: Error) -> Result<()> {
    if is_of_part(&error) { Ok(()) } else { Err(error) }
}

/// The size of the content that the file declares.
fn size_of(packed: Packed) -> u64 {
    packed.content.map_or(packed.end - packed.begin, |(bytes, _)| bytes)
}

/// The media type of an image by the ending of its name.
fn by_name(part: &str) -> String {
    let ending = part.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_ending = ending.len() <= LONGEST_ENDING && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let subtype = match &*ending {
        _ if !is_ending || ending.is_empty() => "unknown",
        "jpg" | "jpe" => "jpeg",
        "tif" => "tiff",
        "svg" => "svg+xml",
        known => known,
    };
    format!("image/{subtype}")
}
