//! Memory and work are bounded in bytes for any file: what a few bytes of it make a read allocate, counted.
//!
//! A sample of each format has everything that its parser looks at. Each value in it is made *long*, each element is
//! repeated (*many*), and each value together with each element; a read's memory is measured by the allocator. Honest
//! memory is a part of what the file has (a page, a list with an end), so it stops growing. What must not be is memory
//! that grows with the content: at 1/16 byte for each byte, the 1 GiB that may be inflated needs 64 MiB. So:
//!
//! * From one size to the next, the peak or what is kept must grow by less than 64 MiB / 1 GiB of the content that is
//!   added; or else the sizes go on, until a list has ended (none has more than 65,536 entries) or there are 64 MiB.
//! * A pair must not take more than its value and its element take alone, or it is judged like one element, with a
//!   value as long as the parser keeps one. A value of n bytes that is copied for each of m elements takes n × m.
//! * Of what is kept, at least half is counted, so that `index_bytes` limits it.
//! * Between two looks at the interrupt, and for each byte of content, only so much is allocated: that is the work.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[allow(unsafe_code)]
mod allocator;
mod formats;
mod samples;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use formats::{Cost, FORMATS, Format};
use samples::{Form, Part, Site, amplified, parts};

const MIB: isize = 1 << 20;
/// The most memory of one read, and of what is kept of one file.
const MOST: isize = 64 * MIB;
/// The most that is allocated between two looks at the interrupt, and for each byte of the content: milliseconds.
const MOST_BETWEEN_LOOKS: isize = 64 * MIB;
const MOST_WORK: isize = 1_024;
/// What is kept of a file without being looked at closely.
const LITTLE: isize = 512 << 10;
/// How long values are: longer than any that is refused, as long as one that may still be accepted, and the most that
/// the parser keeps of one.
const LONG: usize = 64 << 10;
const ACCEPTED: usize = 1_000;
const LONGEST: usize = (256 << 10) - 64;
/// How long a value is that is in each of many elements, and how many of these there are.
const REPEATED: usize = 16 << 10;
const REPETITIONS: [usize; 4] = [32, 128, 512, 2 << 10];
const LENGTHS: [usize; 6] = [LONG, 256 << 10, 1 << 20, 2 << 20, 8 << 20, 16 << 20];
/// How many elements are in a group, and how many copies there are of each; how many of one alone, which are fewer of
/// one that is larger than usual, and up to how many bytes.
const GROUP: usize = 20;
const COPIES: usize = 32;
const COUNTS: [usize; 11] =
    [COPIES, 128, 512, 1 << 10, 2 << 10, 20 << 10, 40 << 10, 80 << 10, 160 << 10, 640 << 10, 1_280 << 10];
const FEW: usize = 4;
/// What text takes for each byte at most; the rest is lists, whose limits are reached sooner.
const TEXT: isize = 4;
const USUAL: usize = 128;
const FURTHEST: usize = 80 << 20;

/// A file that is made longer in some places.
struct Judge {
    format: &'static Format,
    parts: Vec<Part>,
}

impl Judge {
    fn cost(&self, long: Option<(&Site, usize)>, many: &[(&Site, usize)]) -> Cost {
        self.format.cost(&amplified(&self.parts, long, many), LONG)
    }

    /// How much memory so much content may take.
    fn share(&self, content: isize) -> isize {
        content * (MOST / 1_024) / (self.format.most_content.cast_signed() / 1_024)
    }

    /// How many copies of something there are instead of so many of something small.
    fn count(many: &Site, count: usize) -> usize {
        (count / (1 + many.range.len() / USUAL)).max(FEW)
    }

    /// How much more memory a read takes from one size to the next; `None` if that has a limit.
    fn growth(&self, last: Cost, next: Cost) -> Option<isize> {
        let grown = (next.peak - last.peak).max(next.kept - last.kept);
        (grown > self.share(next.content - last.content)).then_some(grown)
    }

    /// Why the memory or the work of a read is not bounded if a value is long, or something occurs many times.
    fn fault(&self, long: Option<(&Site, usize)>, many: Option<&Site>, sizes: &[usize]) -> Option<String> {
        let most = FURTHEST.min(self.format.most_content);
        let mut last: Option<Cost> = None;
        let mut is_endless = false;
        for &size in sizes {
            let (long, many): (_, Vec<_>) = match many {
                Some(many) => (long, vec![(many, Self::count(many, size))]),
                None => (long.map(|(long, _)| (long, size)), Vec::new()),
            };
            let bytes = many.iter().map(|(many, count)| many.range.len() * count).sum::<usize>()
                + long.map_or(0, |(_, length)| length);
            if bytes > most {
                break;
            }
            let next = self.cost(long, &many);
            let at = format!("at {} KiB of content", next.content >> 10);
            if next.peak.max(next.kept) > MOST {
                return Some(format!("takes {} MiB, and keeps {}, {at}", next.peak / MIB, next.kept / MIB));
            }
            if next.gap > MOST_BETWEEN_LOOKS {
                return Some(format!(
                    "allocates {} MiB between two looks at the interrupt, {at}",
                    next.gap / MIB
                ));
            }
            let Some(before) = last.replace(next) else { continue };
            let each = (next.work - before.work) / (next.content - before.content).max(1);
            if each > MOST_WORK {
                return Some(format!("allocates {each} bytes for each byte of content, {at}"));
            }
            // The limits of text are reached by millions of small elements.
            let is_text = !is_long_run()
                && many.iter().all(|(many, _)| long.is_none_or(|(long, _)| !many.contains(long)));
            let text = if is_text { TEXT * (next.content - before.content) } else { 0 };
            is_endless = self.growth(before, next).is_some_and(|growth| growth > text);
            if is_endless {
                continue;
            }
            let keeps = self.format.keeps.filter(|_| next.kept > LITTLE)?;
            let file = (self.format.bytes)(&amplified(&self.parts, long, &many));
            let kept = keeps(&file, next.kept.cast_unsigned() as u64 / 2);
            return (kept > next.kept / 2)
                .then(|| format!("keeps {} KiB, of which less than half is counted", kept >> 10));
        }
        let last = last.filter(|_| is_endless)?;
        Some(format!(
            "grows without end: {} KiB, {} kept, at {} KiB of content",
            last.peak >> 10,
            last.kept >> 10,
            last.content >> 10
        ))
    }

    /// Where what many elements take has no limit. Those of a part that take the same memory are in the same list.
    fn faults_of_many<'s>(&self, many: &'s [Site]) -> Vec<(&'s Site, String)> {
        let growing = in_threads(many, |site| {
            let cost = |count| self.cost(None, &[(site, Self::count(site, count))]);
            let (few, more) = (cost(COUNTS[3]), cost(COUNTS[4]));
            let text = if is_long_run() { 0 } else { TEXT * (more.content - few.content) };
            let growth = self.growth(few, more).filter(|growth| *growth > text);
            let growth = growth.map(|growth| growth / Self::count(site, COUNTS[3]).cast_signed());
            let is_much = more.gap > MOST_BETWEEN_LOOKS
                || more.work - few.work > MOST_WORK * (more.content - few.content);
            (growth.is_some() || is_much || more.kept > LITTLE)
                .then_some((site, growth))
                .into_iter()
                .collect()
        });
        let mut seen = HashSet::new();
        let lists: Vec<_> = growing
            .into_iter()
            .filter(|(site, growth)| seen.insert((site.part, growth.map(|growth| growth / 8))))
            .collect();
        if std::env::var("V").is_ok() {
            eprintln!("{} lists", lists.len());
        }
        in_threads(&lists, |(site, _)| {
            let begun = std::time::Instant::now();
            let why = self.fault(None, Some(site), &COUNTS[3..]);
            if std::env::var("V").is_ok() {
                eprintln!("{:?} {} {why:?}", begun.elapsed(), site.shown(&self.parts).replace('\n', " "));
            }
            why.map(|why| (*site, why)).into_iter().collect()
        })
    }

    /// What copies of some elements allocate: all bytes, and the blocks of so many bytes.
    fn allocated(
        &self,
        long: Option<(&Site, usize)>,
        copies: &[(&Site, usize)],
        block: usize,
    ) -> (isize, isize) {
        let cost = |copies| self.format.cost(&amplified(&self.parts, long, copies), block);
        let (with, without) = (cost(copies), cost(&[]));
        (with.work - without.work, with.blocks - without.blocks)
    }

    /// Where what a long value takes grows with the number of other elements, each of which allocates it.
    fn faults_of_pairs(&self, long: &Site, length: usize, groups: &[Group<'_>]) -> Vec<String> {
        let without = self.format.cost(&amplified(&self.parts, Some((long, length)), &[]), length);
        let is_suspect = |copies: &[(&Site, usize)], (work, blocks): (isize, isize)| {
            let with = self.format.cost(&amplified(&self.parts, Some((long, length)), copies), length);
            let least = copies.iter().map(|(_, count)| count / 2).min().unwrap_or(0).cast_signed();
            with.blocks - without.blocks - blocks > least
                || with.work - without.work - work > (4 * least * length.cast_signed()).max(MIB / 4)
        };
        let mut found = Vec::new();
        for group in groups {
            let is_other = |(site, _): &&(&Site, usize)| !site.contains(long);
            let copies: Vec<_> = group.copies.iter().filter(is_other).copied().collect();
            let is_all = copies.len() == group.copies.len();
            let of = |copies: &[(&Site, usize)]| self.allocated(None, copies, length);
            if !is_suspect(&copies, if is_all { group.allocated } else { of(&copies) }) {
                continue;
            }
            for pair in copies.chunks(1).filter(|pair| is_suspect(pair, of(pair))) {
                if std::env::var("V").is_ok() {
                    eprintln!(
                        "SUSPECT {length} {} × {}",
                        long.shown(&self.parts).replace('\n', " "),
                        pair[0].0.shown(&self.parts)
                    );
                }
                let (length, counts) =
                    if length == LONG { (LONGEST, &COUNTS[..]) } else { (length, &COUNTS[2..]) };
                let begun = std::time::Instant::now();
                let why = self.fault(Some((long, length)), Some(pair[0].0), counts);
                if std::env::var("V").is_ok() {
                    eprintln!("FAULT {:?}", begun.elapsed());
                }
                found.extend(why.map(|why| {
                    format!("{}\n  × {}\n  {why}", long.shown(&self.parts), pair[0].0.shown(&self.parts))
                }));
            }
        }
        found
    }

    fn groups<'s>(&self, sites: &[&'s Site], length: usize) -> Vec<Group<'s>> {
        let group = |sites: &[&'s Site]| {
            let copies: Vec<_> = sites.iter().map(|site| (*site, Self::count(site, COPIES))).collect();
            Group { allocated: self.allocated(None, &copies, length), copies }
        };
        sites.chunks(GROUP).map(group).collect()
    }
}

/// Whether it takes minutes, as `make torture`.
fn is_long_run() -> bool {
    std::env::var("ANYREAD_TORTURE").is_ok_and(|value| value == "1")
}

/// Elements that are repeated together, and what that allocates.
struct Group<'s> {
    copies: Vec<(&'s Site, usize)>,
    allocated: (isize, isize),
}

/// Does work for each item in some threads, each of which counts its own memory.
fn in_threads<'i, T: Sync, F: Send>(items: &'i [T], work: impl Fn(&'i T) -> Vec<F> + Sync) -> Vec<F> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut found = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            found.extend(work(item));
        }
        found
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn faults(name: &str) -> Vec<String> {
    let (_, format) = FORMATS.iter().find(|(other, _)| *other == name).unwrap();
    let parts = parts(format.sample);
    let (mut long, mut many) = (format.sites)(&parts);
    let mut seen = HashSet::new();
    long.retain(|site| seen.insert(site.kind(&parts)));
    many.retain(|site| site.is_small(&parts) && seen.insert(site.kind(&parts)));
    let judge = &Judge { format, parts };
    let start = std::time::Instant::now();
    let of_many = judge.faults_of_many(&many);
    eprintln!("{:?}", judge.cost(None, &[]));
    eprintln!("{name} {:?} {} × {}", start.elapsed(), long.len(), many.len());
    // Copies with other numbers have no part in pairs, nor has what takes too much alone.
    let is_alike = |site: &&Site| {
        !matches!(site.form, Form::Numbered(_)) && !of_many.iter().any(|(other, _)| other.range == site.range)
    };
    let alike: Vec<&Site> = many.iter().filter(is_alike).collect();
    // Each is in two groups of different others, which may hide what it does.
    let near = judge.groups(&alike, ACCEPTED);
    let far: Vec<&Site> =
        (0..near.len()).flat_map(|first| alike.iter().skip(first).step_by(near.len()).copied()).collect();
    let far = judge.groups(&far, LONG);
    let of_long = in_threads(&long, |site| {
        let begun = std::time::Instant::now();
        let alone = judge.fault(Some((site, LONG)), None, &LENGTHS);
        if std::env::var("V").is_ok() {
            eprintln!("ALONE {:?}", begun.elapsed());
        }
        let mut found: Vec<String> =
            alone.map(|why| format!("{}\n  {why}", site.shown(&judge.parts))).into_iter().collect();
        let with_it = many.iter().filter(|many| {
            many.contains(site)
                && !matches!(&many.form, Form::Bare)
                && !matches!(&many.form, Form::Numbered(digits) if site.range.end == digits.end)
        });
        for many in with_it {
            let why = judge.fault(Some((site, REPEATED)), Some(many), &REPETITIONS);
            found.extend(why.map(|why| {
                format!("{}\n  in {}\n  {why}", site.shown(&judge.parts), many.shown(&judge.parts))
            }));
        }
        found.extend(judge.faults_of_pairs(site, LONG, &far));
        found.extend(judge.faults_of_pairs(site, ACCEPTED, &near));
        found
    });
    eprintln!("{name} {:?}", start.elapsed());
    let of_many = of_many.iter().map(|(site, why)| format!("{}\n  {why}", site.shown(&judge.parts)));
    let found: std::collections::BTreeSet<String> = of_long.into_iter().chain(of_many).collect();
    found.into_iter().collect()
}

macro_rules! bounded {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let found = faults(stringify!($name));
            assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.join("\n"));
        }
    )*};
}

bounded! { docx places xlsx pptx ipynb json ignore }
