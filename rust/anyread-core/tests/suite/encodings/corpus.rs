//! Tests on the corpus of files in legacy encodings, if it is present.

use std::fs;
use std::path::{Path, PathBuf};

use anyread_core::encoding::with_codec;

use super::support::*;

/// The directory of the corpus, if it is present.
fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("ANYREAD_CORPUS").map_or(default, PathBuf::from);
    Some(root.join("files/text/chardet-5.2.0")).filter(|directory| directory.is_dir())
}

/// The share of characters that are equal at the same index.
fn similarity(a: &str, b: &str) -> f64 {
    let same = a.chars().zip(b.chars()).filter(|(left, right)| left == right).count();
    let all = a.chars().count().max(b.chars().count()).max(1);
    f64::from(u32::try_from(same).unwrap()) / f64::from(u32::try_from(all).unwrap())
}

/// The same bytes with misspelled declarations, so that statistics decide.
fn undeclared(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (word, misspelled) in [(&b"encoding"[..], b"encodxng"), (b"charset=", b"charsxt=")] {
        let offsets: Vec<usize> = memchr::memmem::find_iter(&bytes, word).collect();
        for offset in offsets {
            bytes[offset..offset + misspelled.len()].copy_from_slice(misspelled);
        }
    }
    bytes
}

#[test]
fn test_legacy_corpus_is_decoded_by_statistics() {
    check_corpus(undeclared, false);
}

#[test]
fn test_legacy_corpus_is_decoded_with_declarations() {
    check_corpus(<[u8]>::to_vec, true);
}

/// Requires that 97 % of the files of 200 characters or more are decoded correctly, and that files in an
/// unknown encoding have low confidence, unless they declare an encoding.
fn check_corpus(prepared: impl Fn(&[u8]) -> Vec<u8>, may_declare: bool) {
    let Some(root) = corpus() else { return };
    let (mut all, mut wrong) = (0, Vec::new());
    for directory in
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        let name = directory.file_name().unwrap().to_str().unwrap();
        // "windows-1251-bulgarian" is windows-1251.
        let label = name.splitn(3, '-').take(2).collect::<Vec<_>>().join("-");
        let label = if name.starts_with("iso-") {
            name.splitn(4, '-').take(3).collect::<Vec<_>>().join("-")
        } else {
            label
        };
        for file in fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = prepared(&fs::read(&file).unwrap());
            let (detected, decoded) = text_of(&bytes);
            if UNKNOWN.contains(&name) {
                let is_declared = detected.declared.is_some_and(|declared| declared.followed);
                let is_marked = detected.confidence < 0.5 || (may_declare && is_declared);
                assert!(is_marked, "{}: {detected:?}", file.display());
                continue;
            }
            let expected = with_codec(codec(&label), &bytes);
            let expected = decode(expected.codec, &bytes[expected.bom_len..]);
            if chars(&expected) < 200 {
                continue;
            }
            all += 1;
            if similarity(&expected, &decoded) < 0.99 {
                wrong.push(file);
            }
        }
    }
    assert!(all > 250 && wrong.len() * 100 <= 3 * all, "{} of {all}: {wrong:?}", wrong.len());
}
