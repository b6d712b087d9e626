#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers may panic")]

use std::fmt::Write as _;

use super::*;
use std::path::Path;

use crate::engine::{Answer, Engine, Memory, Request};
use crate::error::{Blocked, Error, ErrorKind, Result};
use crate::gutter::Gutter;
use crate::mapping::Mapping;
use crate::open::Opener;
use crate::page::{Clip, Layout, Page, Total, Window};
use crate::scan::Never;
use crate::size::to_usize;

static GUTTER: Gutter = Gutter { before: String::new(), width: 0, separator: None, every: 0 };

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// Lines of 0 to 120 characters, and a few of up to 400,000, some of them not ASCII.
fn lines(random: &mut Random, size: usize) -> String {
    let mut text = String::from("é begins a text that is not ASCII\n");
    while text.len() < size {
        let length = if random.below(300) == 0 { random.below(400_000) } else { random.below(120) };
        let filler = if random.below(4) == 0 { "é" } else { "x" };
        let _ = write!(text, "{}", filler.repeat(usize::try_from(length).unwrap()));
        text.push_str(if random.below(8) == 0 { "\n\n" } else { "\n" });
    }
    text
}

/// Texts over 1 MiB, which are not copied as a whole, and whether only LF ends their lines, which the far side counts.
fn texts() -> Vec<(&'static str, Vec<u8>, bool)> {
    let mut random = Random(7);
    let lf = lines(&mut random, 3_000_000);
    let utf16 = lf.encode_utf16().take(800_000).flat_map(u16::to_le_bytes);
    let latin = lf.chars().map(|each| if each == 'é' { 0xE9 } else { each as u8 });
    vec![
        ("lf", lf.clone().into_bytes(), true),
        ("crlf", lf.replace('\n', "\r\n").into_bytes(), false),
        ("cr", lf.replace('\n', "\r").into_bytes(), false),
        ("utf16", [0xFF, 0xFE].into_iter().chain(utf16).collect(), false),
        ("latin1", latin.collect(), true),
        ("nul", [lf.as_bytes(), &[0; 200_000], lf.as_bytes()].concat(), true),
        ("one line", "x".repeat(1_500_000).into_bytes(), true),
        ("line ends", vec![b'\n'; 1_200_000], true),
        ("whole", lines(&mut random, 500_000).into_bytes(), true),
        ("small", b"one\ntwo".to_vec(), true),
        ("empty", Vec::new(), true),
    ]
}

fn engine() -> Engine {
    let memory =
        Memory { index_bytes: 64 << 20, inline_bytes: 64 << 10, trust_append: true, mapping: Mapping::Never };
    Engine::new(Opener::new(&[], &[]).unwrap(), memory)
}

fn shown(answer: Result<Answer>) -> String {
    match answer {
        Ok(Answer::Text(answer)) => {
            let Page { text, start_byte, end_byte, start_line, end_line, total_lines, next, clipped, .. } =
                answer.page;
            let (codec, line_ending) = (answer.plan.codec, answer.plan.line_ending);
            format!(
                "{text} {start_byte} {end_byte} {start_line} {end_line} {total_lines:?} {next:?} {clipped:?} \
                 {codec:?} {line_ending:?}"
            )
        }
        Ok(_) => "no text".to_owned(),
        Err(error) => format!("{:?}", error.kind),
    }
}

/// Reads a copy, of which what is missing is added until the read ends.
fn read(
    engine: &Engine,
    copy: &PartialCopy,
    bytes: &[u8],
    request: &Request<'_>,
    layout: &Layout<'_>,
    random: &mut Random,
) -> Result<Answer> {
    let of_size = |end: u64| end.min(bytes.len() as u64);
    for _ in 0..2_000 {
        match engine.read_copy(copy, Path::new("far.txt"), request, layout, &Never) {
            Err(Error { kind: ErrorKind::WouldBlock(Blocked::Missing { start, end, .. }), .. }) => {
                let start = start / 4096 * 4096;
                let end = of_size(end.min(start + 4096 * (1 + random.below(64))));
                copy.add(start, &bytes[to_usize(start)..to_usize(end)]).unwrap();
            }
            Err(Error { kind: ErrorKind::WouldBlock(Blocked::Uncounted { start, end, .. }), .. }) => {
                let step = if end - start > 1 << 20 { 1 << 20 } else { 64 << 10 };
                let part = &bytes[to_usize(start)..to_usize(end)];
                let counts = part.chunks(to_usize(step));
                let counts: Vec<_> =
                    counts.map(|part| memchr::memchr_iter(b'\n', part).count() as u64).collect();
                assert!(copy.present().add_counts(start, step, &counts));
            }
            outcome => return outcome,
        }
    }
    panic!("the read does not end");
}

/// How many of some windows of copies differ from those of the files; `weaken` is what is done to each new copy.
fn differences(windows: u64, weaken: impl Fn(&PartialCopy)) -> u64 {
    let (engine, directory, mut random) = (engine(), tempfile::tempdir().unwrap(), Random(1));
    let mut differences = 0;
    for (name, bytes, is_counted) in texts() {
        let path = directory.path().join("far.txt");
        std::fs::write(&path, &bytes).unwrap();
        let total_lines = bytes.iter().filter(|byte| **byte == b'\n' || **byte == b'\r').count() as u64 + 1;
        for counts in [true, false] {
            let state = FarState {
                size: bytes.len() as u64,
                version: "1".to_owned(),
                is_settled: true,
                modified_ns: 0,
                real_path: "/far.txt".into(),
                counts,
            };
            let mut copy = None;
            for number in 0..windows {
                if number % 10 == 0 {
                    let fresh = PartialCopy::new(state.clone()).unwrap();
                    weaken(&fresh);
                    copy = Some(fresh);
                }
                let copy = copy.as_ref().unwrap();
                let line = 1 + random.below(total_lines + 2).cast_signed();
                let offset = [1, line, -line][to_usize(random.below(3))];
                let limit = [1, 5, 60, 2000][to_usize(random.below(4))];
                let column = if random.below(4) == 0 { 1 + random.below(5000) } else { 1 };
                let request = Request::of_text(Window { offset, limit, column }, None);
                // Without counts, the number of lines of a large file is estimated.
                let (usual, count_bytes) =
                    if counts && is_counted { (Total::Bounded, 256 << 20) } else { (Total::Never, 1 << 20) };
                let layout = Layout {
                    max_bytes: [2_048, 32_768][to_usize(random.below(2))],
                    clip: (random.below(2) == 0).then(|| Clip::reader(200)),
                    total: if random.below(10) == 0 { Total::Exact } else { usual },
                    count_bytes,
                    ..Layout::reader(&GUTTER)
                };
                let expected = shown(engine.read(&path, &request, &layout, Some(&Never)));
                let found = shown(read(&engine, copy, &bytes, &request, &layout, &mut random));
                if found != expected {
                    differences += 1;
                    if std::env::var_os("SHOW").is_some() {
                        let at = found.bytes().zip(expected.bytes()).position(|(one, other)| one != other);
                        let at = at.unwrap_or(0).saturating_sub(80);
                        let tail = |text: &str| text.chars().skip(at).take(300).collect::<String>();
                        eprintln!(
                            "{name} {counts} {offset} {limit} {column}:\n  {}\n  {}",
                            tail(&found),
                            tail(&expected)
                        );
                    }
                }
            }
        }
    }
    differences
}

#[test]
fn windows_of_a_copy_are_those_of_the_file() {
    assert_eq!(differences(100, |_| ()), 0);
}

/// The test above finds reads that are not checked, which show NULs.
#[test]
fn reads_without_a_check_are_found() {
    // As if only the first MiB were checked.
    assert!(differences(20, |copy| copy.present.add(1 << 20..copy.present.size().max(1 << 20))) > 10);
}

fn of_size(size: u64) -> Present {
    Present::new(1, size, String::new(), true, true)
}

/// The first and the last missing byte of each range are those of a list of all bytes.
#[test]
fn ranges_are_those_of_a_list_of_bytes() {
    const SIZE: u64 = 60;
    let mut numbers = Random(1);
    let mut random = |limit| numbers.below(limit);
    for _ in 0..300 {
        let (present, mut bytes) = (of_size(SIZE), vec![false; to_usize(SIZE)]);
        for _ in 0..12 {
            let start = random(SIZE);
            let end = start + random(SIZE - start + 1).min(9);
            present.add(start..end);
            bytes[to_usize(start)..to_usize(end)].fill(true);
            for _ in 0..20 {
                let (offset, length) = (random(SIZE + 5), random(SIZE));
                let end = (offset + length).min(SIZE);
                let is_missing = |at: &u64| !bytes[to_usize(*at)];
                let first = (offset..end).find(is_missing);
                let last = (offset..end).rev().find(is_missing);
                let expected = first.zip(last).map(|(first, last)| first..last + 1);
                assert_eq!(present.missing(offset, length), expected, "{present:?}");
            }
            assert_eq!(present.bytes(), bytes.iter().filter(|is_there| **is_there).count() as u64);
            assert_eq!(present.prefix(), bytes.iter().take_while(|is_there| **is_there).count() as u64);
        }
    }
}

#[test]
fn a_size_of_an_exbibyte_needs_no_memory() {
    let present = of_size(1 << 60);
    present.add(0..8192);
    present.add((1 << 60) - 4096..1 << 60);
    assert_eq!(present.missing(0, u64::MAX), Some(8192..(1 << 60) - 4096));
    assert_eq!(present.bytes(), 12_288);
}

#[test]
fn counts_that_contradict_each_other_are_refused() {
    let present = of_size(25);
    assert!(present.add_counts(0, 10, &[3, 0, 4]));
    assert_eq!(present.total(), Some(7));
    assert!(!present.add_total(8) && present.add_total(7));
    assert_eq!(present.part_of(3), Some((0..10, 0)));
    // The empty step is passed over.
    assert_eq!(present.part_of(4), Some((20..25, 3)));
    assert_eq!(present.part_of(8), None);
    assert!(!present.add_counts(0, 5, &[1, 3]), "4 instead of 3");
    assert!(!present.add_counts(0, 5, &[6, 0]), "6 in 5 bytes");
    assert!(!present.add_counts(5, 5, &[1]), "nothing is known of its start");
    assert!(!present.add_counts(0, 10, &[3, 0, 3]), "another total");
    assert!(present.add_counts(0, 5, &[1, 2]));
    assert!(present.add_counts(0, 10, &[3]), "as known");
    assert_eq!(present.part_of(2), Some((5..10, 1)));
    let other = of_size(25);
    assert!(other.add_total(6));
    assert!(!other.add_counts(0, 10, &[3, 0, 4]));
    assert!(of_size(0).add_total(0));
}
