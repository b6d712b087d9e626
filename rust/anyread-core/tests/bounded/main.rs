//! Memory and work are bounded in bytes for any file: what a few bytes of it make a read allocate, counted.
//!
//! A sample of each format has everything that its parser looks at. Each value in it is made *long*, each element is
//! repeated (*many*), and each value together with each element; a read's memory is measured by the allocator. Honest
//! memory is a part of what the file has (a page, a list with an end), so it stops growing. What must not be is memory
//! that grows with the content: at 1/16 byte for each byte, the 1 GiB that may be inflated needs 64 MiB. So:
//!
//! * From one size to the next, the peak and what is kept must grow by less than 64 MiB / 1 GiB of the content that is
//!   added; or else the sizes go on, until a list has ended (none has more than 65,536 entries) or there are 64 MiB.
//! * A value that is allocated again for each of some elements is judged with many of them: n bytes for each of m
//!   elements are n × m.
//! * Of what is kept, at least half is counted, so that `index_bytes` limits it.
//! * Between two looks at the interrupt, and for each byte of content, only so much is allocated: that is the work.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[allow(unsafe_code)]
mod allocator;
mod formats;
mod samples;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use formats::{Cost, FORMATS, Format};
use samples::{Form, Part, Site, amplified, parts};

const MIB: isize = 1 << 20;
/// The most memory of one read, and of what is kept of one file.
const MOST: isize = 64 * MIB;
/// The most that is allocated between two looks at the interrupt: milliseconds.
const MOST_BETWEEN_LOOKS: isize = 64 * MIB;
/// What is kept of a file without being looked at closely.
const LITTLE: isize = 512 << 10;
/// How long values are: longer than any that is refused, and as long as one that may still be accepted.
const LONG: usize = 64 << 10;
const ACCEPTED: usize = 1_000;
/// How long one alone is: first a little longer than what a parser keeps of one.
const LENGTHS: [usize; 4] = [320 << 10, 640 << 10, 4 << 20, 16 << 20];
/// How long a value is that is in each of many elements, and how many of these there are.
const REPEATED: usize = 2 << 10;
const REPETITIONS: [usize; 6] = [32, 128, 512, 2 << 10, 8 << 10, 32 << 10];
/// How many elements are in a group, and how many copies there are of each.
const GROUP: usize = 64;
const COPIES: usize = 16;
/// What part of a value is allocated for each copy at least if a pair is looked at closely, and how much for all.
const PART: usize = 8;
const NOISE: usize = 8 << 10;
/// How many copies there are of one alone; fewer of one that is larger than usual.
const COUNTS: [usize; 10] =
    [32, 128, 512, 1 << 10, 4 << 10, 20 << 10, 80 << 10, 320 << 10, 1_280 << 10, 5_120 << 10];
const USUAL: usize = 128;
const FEW: usize = 4;
const FURTHEST: usize = 256 << 20;

/// A file that is made longer in some places.
struct Judge {
    format: &'static Format,
    parts: Vec<Part>,
    /// The lists that were seen to grow: of which part, and by how much with each copy.
    lists: RefCell<HashSet<(usize, isize)>>,
}

/// Elements that are repeated together, and what is allocated then.
struct Group<'s> {
    copies: Vec<(&'s Site, usize)>,
    work: isize,
}

impl Judge {
    fn cost(&self, long: Option<(&Site, usize)>, many: &[(&Site, usize)]) -> Cost {
        self.format.cost(&amplified(&self.parts, long, many))
    }

    /// How many copies of something there are instead of so many of something small.
    fn count(many: &Site, count: usize) -> usize {
        let length = if many.form == Form::Bare { 0 } else { many.range.len() };
        (count / (1 + length / USUAL)).max(FEW)
    }

    /// How much more memory a read takes from one size to the next; `None` if that ends below [`MOST`].
    ///
    /// The quick form overlooks what a text takes, or a part of a long value, because such limits are far away.
    fn growth(&self, last: Cost, next: Cost, is_long: bool) -> Option<isize> {
        let added = next.added(&last);
        let share = MOST / 1_024 * added / (self.format.most_content >> 10).cast_signed();
        let overlooked = if is_long { added / 2 } else { added * 2 };
        let most = if is_long_run() { share } else { share.max(overlooked) };
        let growth = (next.peak - last.peak).max(next.kept - last.kept);
        (growth > most).then_some(growth)
    }

    /// Why the memory or the work of a read is not bounded if a value is long, or something occurs many times.
    fn fault(&self, long: Option<(&Site, usize)>, many: Option<&Site>, sizes: &[usize]) -> Option<String> {
        let most = FURTHEST.min(self.format.most_content);
        let mut last: Option<Cost> = None;
        let mut grows = false;
        for &size in sizes {
            let (long, many): (_, Vec<_>) = match many {
                Some(many) => (long, vec![(many, Self::count(many, size))]),
                None => (long.map(|(long, _)| (long, size)), Vec::new()),
            };
            let parts = amplified(&self.parts, long, &many);
            if parts.iter().map(|part| part.text.len()).sum::<usize>() > most {
                break;
            }
            let next = self.format.cost(&parts);
            let at = format!("at {} KiB of content", next.content() >> 10);
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
            let each = (next.work - before.work) / next.added(&before);
            if each > self.format.most_work {
                return Some(format!("allocates {each} bytes for each byte of content, {at}"));
            }
            let Some(growth) = self.growth(before, next, long.is_some()) else {
                return if next.kept > LITTLE { self.miscounted(&parts) } else { None };
            };
            // In the quick form, elements of a part that take the same memory are taken to be in the same list.
            let part = many.first().map(|(many, count)| (many.part, growth / count.cast_signed() / 8));
            if !grows && !is_long_run() && part.is_some_and(|list| !self.lists.borrow_mut().insert(list)) {
                return None;
            }
            grows = true;
        }
        let last = last.filter(|last| grows && last.peak.max(last.kept) > LITTLE)?;
        Some(format!(
            "grows without end: {} KiB, {} kept, at {} KiB of content",
            last.peak >> 10,
            last.kept >> 10,
            last.content() >> 10
        ))
    }

    /// Why less is counted of what is kept of a file than half of it.
    fn miscounted(&self, parts: &[Part]) -> Option<String> {
        let kept = self.format.kept(parts, isize::MAX)?;
        // It is dropped if it may take less than what is counted.
        let is_kept = self.format.kept(parts, kept / 2)? > kept / 2;
        is_kept.then(|| format!("keeps {kept} bytes, of which less than half is counted"))
    }

    /// What is counted wrongly of a small file, and of larger ones.
    fn faults_of_counting(&self, many: &[Site]) -> Vec<String> {
        let larger = many.iter().filter_map(|site| {
            let why = self.miscounted(&amplified(&self.parts, None, &[(site, COUNTS[1])]))?;
            Some(format!("{}\n  {why}", site.shown(&self.parts)))
        });
        let kept = |most| self.format.kept(&self.parts, most).unwrap_or(0);
        let is_dropped = kept(2 * kept(isize::MAX)) < kept(isize::MAX);
        let alone = is_dropped.then(|| "the sample: more than twice what is kept is counted".to_owned());
        self.miscounted(&self.parts).into_iter().chain(alone).chain(larger).collect()
    }

    /// Where what many elements take has no limit.
    fn faults_of_many(&self, many: &[Site]) -> Vec<String> {
        let why = |site: &Site| {
            let why = self.fault(None, Some(site), &COUNTS[2..])?;
            Some(format!("{}\n  {why}", site.shown(&self.parts)))
        };
        many.iter().filter_map(why).collect()
    }

    /// Where what a long value takes has no limit, alone or in many of an element that has it.
    fn faults_of_long(&self, long: &Site, many: &[Site]) -> Vec<String> {
        let alone = self.fault(Some((long, LONG)), None, &LENGTHS);
        let mut found: Vec<_> =
            alone.map(|why| format!("{}\n  {why}", long.shown(&self.parts))).into_iter().collect();
        let is_around = |many: &&Site| match &many.form {
            Form::Bare => false,
            Form::Numbered(digits) => many.contains(long) && long.range.end != digits.end,
            _ => many.contains(long),
        };
        found.extend(many.iter().filter(is_around).filter_map(|many| {
            let why = self.fault(Some((long, REPEATED)), Some(many), &REPETITIONS)?;
            Some(format!("{}\n  in {}\n  {why}", long.shown(&self.parts), many.shown(&self.parts)))
        }));
        found
    }

    /// Where what a long value takes grows with the number of other elements, each of which allocates it.
    fn faults_of_pairs(&self, long: &Site, length: usize, groups: &[Group<'_>]) -> Vec<String> {
        let alone = self.cost(Some((long, length)), &[]).work;
        let is_suspect = |copies: &[(&Site, usize)], work: isize| {
            let with = self.cost(Some((long, length)), copies).work;
            let least = copies.iter().map(|(_, count)| count * length / PART).min().unwrap_or(0);
            with - alone - work > least.max(NOISE).cast_signed()
        };
        let mut found = Vec::new();
        for group in groups {
            let mut copies = group.copies.clone();
            copies.retain(|(site, _)| !site.contains(long));
            let work = if copies.len() < group.copies.len() { self.work(&copies) } else { group.work };
            if !is_suspect(&copies, work) {
                continue;
            }
            for pair in copies.chunks(1).filter(|pair| is_suspect(pair, self.work(pair))) {
                let why = self.fault(Some((long, length)), Some(pair[0].0), &COUNTS);
                found.extend(why.map(|why| {
                    format!("{}\n  × {}\n  {why}", long.shown(&self.parts), pair[0].0.shown(&self.parts))
                }));
            }
        }
        found
    }

    /// What copies of some elements allocate.
    fn work(&self, copies: &[(&Site, usize)]) -> isize {
        self.cost(None, copies).work - self.cost(None, &[]).work
    }

    fn groups<'s>(&self, sites: &[&'s Site]) -> Vec<Group<'s>> {
        let group = |sites: &[&'s Site]| {
            let copies: Vec<_> = sites.iter().map(|site| (*site, Self::count(site, COPIES))).collect();
            Group { work: self.work(&copies), copies }
        };
        sites.chunks(GROUP).map(group).collect()
    }
}

/// Whether it takes minutes, as `make torture`.
fn is_long_run() -> bool {
    std::env::var("ANYREAD_TORTURE").is_ok_and(|value| value == "1")
}

fn faults(name: &str) -> BTreeSet<String> {
    let (_, format) = FORMATS.iter().find(|(other, _)| *other == name).unwrap();
    let judge = Judge { format, parts: parts(format.sample), lists: RefCell::default() };
    assert!(judge.cost(None, &[]).is_read, "the sample is damaged");
    let (mut long, mut many) = (format.sites)(&judge.parts);
    let mut seen = HashSet::new();
    long.retain(|site| seen.insert(site.kind(&judge.parts)));
    many.retain(|site| site.is_small(&judge.parts) && seen.insert(site.kind(&judge.parts)));
    // Copies with other numbers have no part in pairs.
    let alike: Vec<&Site> = many.iter().filter(|site| !matches!(site.form, Form::Numbered(_))).collect();
    // Each is in two groups of different others, which may hide what it does.
    let near = judge.groups(&alike);
    let far: Vec<&Site> =
        (0..near.len()).flat_map(|first| alike.iter().skip(first).step_by(near.len()).copied()).collect();
    let far = judge.groups(&far);
    let mut found = BTreeSet::from_iter(judge.faults_of_counting(&many));
    found.extend(judge.faults_of_many(&many));
    for site in &long {
        found.extend(judge.faults_of_long(site, &many));
        found.extend(judge.faults_of_pairs(site, LONG, &far));
        found.extend(judge.faults_of_pairs(site, ACCEPTED, &near));
    }
    found
}

macro_rules! bounded {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let found = faults(stringify!($name));
            assert!(found.is_empty(), "{} faults:\n{}", found.len(), Vec::from_iter(found).join("\n"));
        }
    )*};
}

bounded! { docx places xlsx pptx ipynb json ignore }
