//! The bytes of a document in UTF-8, decoded first if it is in another encoding.

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use memchr::memmem;

use crate::error::{Error, Result};
use crate::inflate::Inflated;
use crate::memory::enlarge;

/// How much of a document can be its declaration.
const DECLARATION: usize = 256;

/// The bytes of a document.
pub struct Source<'a> {
    content: Inflated<'a>,
    decoding: Option<Box<Decoding>>,
}

/// What was decoded of the content.
struct Decoding {
    decoder: Decoder,
    text: Vec<u8>,
    next: usize,
    is_lossy: bool,
    has_ended: bool,
}

impl<'a> Source<'a> {
    /// Finds out the encoding; passes the byte order mark of UTF-8.
    pub fn new(mut content: Inflated<'a>) -> Result<Self> {
        let start = content.ahead(DECLARATION)?;
        let start = start.get(..DECLARATION.min(start.len())).unwrap_or_default();
        let encoding = encoding(start);
        if start.starts_with(b"\xEF\xBB\xBF") {
            content.skip(3);
        }
        let decoding = (encoding != UTF_8).then(|| {
            let decoder = encoding.new_decoder();
            Box::new(Decoding { decoder, text: Vec::new(), next: 0, is_lossy: false, has_ended: false })
        });
        Ok(Self { content, decoding })
    }

    pub fn is_lossy(&self) -> bool {
        self.decoding.as_ref().is_some_and(|decoding| decoding.is_lossy)
    }

    pub fn damaged(&self, reason: &str) -> Error {
        self.content.damaged(reason)
    }

    pub fn keep(&self, bytes: usize) -> Result<()> {
        self.content.keep(bytes)
    }

    pub fn bytes(&mut self) -> Option<&mut Inflated<'a>> {
        self.decoding.is_none().then_some(&mut self.content)
    }

    pub fn into_content(self) -> Inflated<'a> {
        self.content
    }

    pub fn seek(&mut self, offset: u64) -> Result<()> {
        self.content.seek(offset)
    }

    /// The next bytes, at least `least` unless the document ends before.
    #[inline]
    pub fn ahead(&mut self, least: usize) -> Result<&[u8]> {
        match &mut self.decoding {
            None => self.content.ahead(least),
            Some(decoding) => {
                while decoding.text.len() - decoding.next < least && !decoding.has_ended {
                    decoding.decode(&mut self.content)?;
                }
                Ok(decoding.text.get(decoding.next..).unwrap_or_default())
            }
        }
    }

    #[inline]
    pub fn skip(&mut self, bytes: usize) {
        match &mut self.decoding {
            None => self.content.skip(bytes),
            Some(decoding) => decoding.next = (decoding.next + bytes).min(decoding.text.len()),
        }
    }
}

impl Decoding {
    /// Decodes the next chunk behind what is left of the last one.
    fn decode(&mut self, content: &mut Inflated<'_>) -> Result<()> {
        self.text.drain(..self.next);
        self.next = 0;
        let path = content.path();
        let bytes = content.chunk()?;
        let known = self.text.len();
        let room = self.decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(usize::MAX);
        enlarge(path, &mut self.text, known.saturating_add(room))?;
        let target = self.text.get_mut(known..).unwrap_or_default();
        let (outcome, taken, made, is_lossy) = self.decoder.decode_to_utf8(bytes, target, bytes.is_empty());
        debug_assert_eq!(outcome, CoderResult::InputEmpty, "the buffer was large enough");
        self.has_ended = bytes.is_empty();
        self.is_lossy |= is_lossy;
        self.text.truncate(known + made);
        content.skip(taken);
        Ok(())
    }
}

/// The encoding of a document, by its first bytes and its declaration.
fn encoding(start: &[u8]) -> &'static Encoding {
    match start {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => return UTF_16LE,
        [0xFE, 0xFF, ..] | [0, b'<', ..] => return UTF_16BE,
        [0xEF, 0xBB, 0xBF, ..] => return UTF_8,
        _ => {}
    }
    let declaration = memmem::find(start, b"?>").and_then(|end| start.get(..end)).unwrap_or_default();
    let declared = memmem::find(declaration, b"encoding").and_then(|at| declaration.get(at + 8..));
    let label = declared.and_then(|declared| declared.split(|byte| matches!(byte, b'"' | b'\'')).nth(1));
    // Where the first bytes are ASCII, a declaration of UTF-16 is wrong.
    let found = label.and_then(Encoding::for_label).filter(|found| found.is_ascii_compatible());
    found.unwrap_or(UTF_8)
}
