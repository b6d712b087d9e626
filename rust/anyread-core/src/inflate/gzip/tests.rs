//! Texts of gzip files against the texts that were compressed.

use miniz_oxide::deflate::compress_to_vec;

use super::*;
use crate::input::{Input, check_random};

const PATH: &str = "a.gz";

/// Lines that DEFLATE compresses to about a third.
fn lines(input: &mut Input, bytes: usize) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < bytes {
        text.extend_from_slice(format!("line {} of the log\n", input.within(0..1_000_000)).as_bytes());
    }
    text.truncate(bytes);
    text
}

/// A member with random fields in its header.
fn member(input: &mut Input, content: &[u8]) -> Vec<u8> {
    let flags = u8::try_from(input.within(0..32)).unwrap();
    let mut bytes = vec![0x1F, 0x8B, 8, flags, 1, 2, 3, 4, 0, 255];
    if flags & 4 != 0 {
        let length = u16::try_from(input.within(0..40_000)).unwrap();
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.resize(bytes.len() + usize::from(length), 0);
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            bytes.extend_from_slice(&b"name".repeat(input.within(0..20_000)));
            bytes.push(0);
        }
    }
    if flags & 2 != 0 {
        let crc = u16::try_from(crc32(0, &bytes) & 0xFFFF).unwrap();
        bytes.extend_from_slice(&crc.to_le_bytes());
    }
    let level = u8::try_from(input.within(0..7)).unwrap();
    bytes.extend_from_slice(&compress_to_vec(content, level));
    bytes.extend_from_slice(&crc32(0, content).to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(content.len()).unwrap().to_le_bytes());
    bytes
}

/// A file of some members, its text, and the sizes of file and text after each member.
fn random_file(input: &mut Input, most: usize) -> (Vec<u8>, Vec<u8>, Vec<(usize, usize)>) {
    let (mut file, mut text, mut ends) = (Vec::new(), Vec::new(), vec![(0, 0)]);
    for _ in 0..input.within(1..9) {
        let size = if input.flip() { 0 } else { input.within(0..most) };
        let content = lines(input, size);
        file.extend_from_slice(&member(input, &content));
        text.extend_from_slice(&content);
        ends.push((file.len(), text.len()));
    }
    (file, text, ends)
}

fn read(file: &[u8]) -> Result<GzipText> {
    GzipText::read(File::Memory(file.to_vec()), Path::new(PATH), &Never, u64::MAX)
}

fn all(text: &GzipText) -> Vec<u8> {
    text.source().bytes(Path::new(PATH), 0, usize::MAX).unwrap().into_owned()
}

#[test]
fn test_text_is_that_of_all_members() {
    check_random(60, |input| {
        let (mut file, text, ends) = random_file(input, 400_000);
        let members = file.len();
        file.resize(members + input.within(0..2_000), 0);
        let found = read(&file).unwrap();
        assert_eq!((found.fault(), all(&found) == text), (None, true));
        let blocks = text.chunks_exact(to_usize(BLOCK));
        let counts: Vec<_> = blocks.map(|block| memchr::memchr_iter(b'\n', block).count()).collect();
        let counted = (0..found.lines().blocks()).map(|block| found.lines().count(block).unwrap().into());
        assert_eq!(counted.collect::<Vec<usize>>(), counts);
        // Without what was kept of the pass, from checkpoints only.
        let again = GzipText::new(File::Memory(file.clone()), Arc::clone(found.known()));
        assert!(again.known.checkpoints.found.len() <= MOST_CHECKPOINTS);
        for _ in 0..20 {
            let at = input.within(0..text.len() + 1);
            let end = text.len().min(at + input.within(0..200_000));
            let bytes = again.source().bytes(Path::new(PATH), at as u64, end - at).unwrap();
            assert_eq!(*bytes, text[at..end]);
        }
        // Zeros may follow only the last member, and nothing else may.
        file.push(1);
        assert_eq!(read(&file).map(|found| found.fault()).ok(), (!text.is_empty()).then_some(Some(TRAILING)));
        let cut = input.within(3..members);
        match read(&file[..cut]) {
            Err(error) => assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error}"),
            Ok(found) => {
                let whole = ends.iter().any(|(end, _)| *end == cut);
                assert_eq!(found.fault().is_none(), whole);
                let before = ends.iter().rfind(|(end, _)| *end <= cut).unwrap().1;
                let shown = all(&found);
                assert!(text.starts_with(&shown) && shown.len() >= before);
            }
        }
    });
}

#[test]
fn test_changed_bytes_are_reported_unless_the_text_is_the_same() {
    check_random(400, |input| {
        let (mut file, text, _) = random_file(input, 3_000);
        for _ in 0..input.within(1..4) {
            let at = input.within(3..file.len());
            file[at] ^= 1 << input.within(0..8);
        }
        match read(&file) {
            Ok(found) => assert!(found.fault().is_some() || all(&found) == text),
            Err(error) => assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error}"),
        }
    });
}

#[test]
fn test_members_do_not_refer_to_earlier_ones() {
    let mut input = Input::random(3);
    // A stored block with one byte, then a copy of 3 bytes from 4 bytes before: one more than the member has.
    let before = member(&mut input, b"abcdefgh");
    let mut file = before.clone();
    file.extend_from_slice(&[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]);
    file.extend_from_slice(&[0, 1, 0, 0xFE, 0xFF, b'x']);
    file.extend_from_slice(&[0x03, 0x86, 0x00]);
    file.extend_from_slice(&[0; 8]);
    let found = read(&file).unwrap();
    assert_eq!(found.fault(), Some("its compressed bytes cannot be inflated"));
    assert_eq!(all(&found), b"abcdefghx");
}

#[test]
fn test_long_blocks_and_empty_members_have_checkpoints() {
    let mut input = Input::random(5);
    let empty = [&[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0][..], &[0; 8]].concat();
    let file = [empty.repeat(20_000), member(&mut input, b"end\n")].concat();
    let found = read(&file).unwrap();
    assert_eq!((found.fault(), all(&found).as_slice()), (None, &b"end\n"[..]));
    let from = found.known.checkpoints.found.last().unwrap().input;
    assert!(file.len() as u64 - from < 3 * EVERY);

    // One block of fixed codes: 258 times the byte before, again and again.
    let mut bits = vec![1_u8, 1, 0];
    let mut put = |value: u32, length: u32| {
        bits.extend((0..length).map(|bit| u8::try_from(value >> bit & 1).unwrap()));
    };
    let reversed = |code: u32, length: u32| code.reverse_bits() >> (32 - length);
    put(reversed(0x30 + u32::from(b'a'), 8), 8);
    let copies = 4_000;
    for _ in 0..copies {
        put(reversed(0b1100_0101, 8), 8);
        put(0, 5);
    }
    put(0, 7);
    let deflated: Vec<u8> = bits
        .chunks(8)
        .map(|byte| byte.iter().enumerate().fold(0, |sum, (at, bit)| sum | bit << at))
        .collect();
    let text = vec![b'a'; 1 + copies * 258];
    let mut file = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255];
    file.extend_from_slice(&deflated);
    file.extend_from_slice(&crc32(0, &text).to_le_bytes());
    file.extend_from_slice(&u32::try_from(text.len()).unwrap().to_le_bytes());
    let found = read(&file).unwrap();
    assert_eq!((found.fault(), all(&found) == text), (None, true));
    let last = found.known.checkpoints.found.last().unwrap();
    assert!(matches!(last.state, State::Inside(_)) && found.known.size - last.output < 4 * EVERY);
    let again = GzipText::new(File::Memory(file), Arc::clone(found.known()));
    let tail = again.source().bytes(Path::new(PATH), text.len() as u64 - 9, 9).unwrap();
    assert_eq!(*tail, *b"aaaaaaaaa");
}

#[test]
fn test_text_has_a_maximum() {
    let text = lines(&mut Input::random(1), 100_000);
    let file = member(&mut Input::random(1), &text);
    let read = |most| GzipText::read(File::Memory(file.clone()), Path::new(PATH), &Never, most);
    assert!(read(100_000).is_ok());
    let kind = read(99_999).unwrap_err().kind;
    assert!(matches!(kind, ErrorKind::TooLarge { maximum: 99_999, unit: "bytes of text", .. }), "{kind:?}");
}
