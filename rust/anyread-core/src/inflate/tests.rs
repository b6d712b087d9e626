//! Streams of compressed bytes against the whole content.

use std::path::Path;

use miniz_oxide::deflate::compress_to_vec;

use super::*;
use crate::error::ErrorKind;
use crate::input::{Input, check_random};
use crate::scan::Never;
use crate::source::Source;

const PLENTY: u64 = 1 << 30;

/// Text that DEFLATE compresses to about a fifth, in many blocks.
fn content(bytes: usize) -> Vec<u8> {
    let mut input = Input::random(7);
    let mut text = Vec::new();
    while text.len() < bytes {
        let (row, value) = (text.len() / 40, input.within(0..1_000_000));
        text.extend_from_slice(format!("<c r=\"A{row}\"><v>{value}</v></c>").as_bytes());
    }
    text.truncate(bytes);
    text
}

fn file_of(bytes: &[u8]) -> Stream<'_> {
    Stream::new(Source::Memory(bytes), Path::new("a"), &Never, 0..bytes.len() as u64)
}

fn packed(content: &[u8], is_deflated: bool) -> (Vec<u8>, Packed) {
    let bytes = if is_deflated { compress_to_vec(content, 6) } else { content.to_vec() };
    let described = Some((content.len() as u64, crc32(0, content)));
    let packed = Packed { begin: 0, end: bytes.len() as u64, is_deflated, content: described };
    (bytes, packed)
}

fn rest(stream: &mut Inflated<'_>) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    loop {
        let chunk = stream.chunk()?;
        if chunk.is_empty() {
            return Ok(all);
        }
        all.extend_from_slice(chunk);
        let length = chunk.len();
        stream.skip(length);
    }
}

#[test]
fn test_jumps_return_the_bytes_of_the_content() {
    let whole = content(3 << 20);
    for is_deflated in [true, false] {
        let (bytes, packed) = packed(&whole, is_deflated);
        let (file, allowed) = (file_of(&bytes), Allowed::new(PLENTY));
        let mut stream = Inflated::new(&file, packed, Checkpoints::new(16 << 10), &allowed).unwrap();
        let mut input = Input::random(1);
        for _ in 0..200 {
            let (at, length) = (input.within(0..whole.len() + 10), input.within(1..100_000));
            stream.seek(at as u64).unwrap();
            let expected = &whole[at.min(whole.len())..(at + length).min(whole.len())];
            let found = stream.ahead(length).unwrap();
            assert!(found.len() >= expected.len() && found.starts_with(expected), "{length} bytes at {at}");
            stream.skip(expected.len() / 2);
        }
        assert!(stream.checkpoints().found.len() <= MOST);
        stream.seek(0).unwrap();
        assert_eq!(rest(&mut stream).unwrap(), whole);
        assert!(stream.checkpoints().is_verified());
        assert_eq!(stream.checkpoints().found.len() > 3, is_deflated);
    }
}

#[test]
fn test_checkpoints_save_what_is_before_them_and_verify_the_rest() {
    let whole = content(4 << 20);
    let (bytes, packed) = packed(&whole, true);
    let (file, allowed) = (file_of(&bytes), Allowed::new(PLENTY));
    let mut first = Inflated::new(&file, packed, Checkpoints::new(256 << 10), &allowed).unwrap();
    first.seek((whole.len() - 200_000) as u64).unwrap();
    assert!(!first.checkpoints().is_verified(), "the end was not read");
    let known = first.checkpoints().clone();
    assert!(known.bytes() < 17 * (40 << 10), "{} bytes", known.bytes());

    let little = Allowed::new(600 << 10);
    let mut again = Inflated::new(&file, packed, known, &little).unwrap();
    again.seek((whole.len() - 10) as u64).unwrap();
    assert_eq!(rest(&mut again).unwrap(), whole[whole.len() - 10..]);
    assert!(again.checkpoints().is_verified(), "the checkpoint has the CRC-32 of what is before it");

    let mut without = Inflated::new(&file, packed, Checkpoints::new(PLENTY), &little).unwrap();
    let kind = without.seek((whole.len() - 10) as u64).unwrap_err().kind;
    assert!(matches!(kind, ErrorKind::TooLarge { .. }), "{kind:?} for 4 MiB of 1.2");
}

#[test]
fn test_damaged_bytes_are_an_error_or_the_content() {
    let whole = content(100_000);
    let (bytes, packed) = packed(&whole, true);
    check_random(300, |input| {
        let mut bytes = bytes.clone();
        let at = input.within(0..bytes.len());
        bytes[at] ^= 1 << input.within(0..8);
        bytes.truncate(if input.flip() { bytes.len() } else { input.within(0..bytes.len()) });
        let (file, allowed) = (file_of(&bytes), Allowed::new(PLENTY));
        let mut stream = Inflated::new(&file, packed, Checkpoints::new(1), &allowed).unwrap();
        match rest(&mut stream) {
            Ok(found) => assert_eq!(found, whole),
            Err(error) => assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error}"),
        }
    });
    let file = file_of(&bytes);
    let (size, crc) = packed.content.unwrap();
    for wrong in [(size + 1, crc), (size, crc ^ 1)] {
        let allowed = Allowed::new(PLENTY);
        let packed = Packed { content: Some(wrong), ..packed };
        let mut stream = Inflated::new(&file, packed, Checkpoints::new(PLENTY), &allowed).unwrap();
        assert!(matches!(rest(&mut stream).unwrap_err().kind, ErrorKind::Damaged { .. }));
    }
}
