//! Finding names that look the same as the requested one, or are similar to it.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use unicode_normalization::UnicodeNormalization;

use super::directory::{Names, names};
use super::display::display_bytes;
use super::judge::Judge;
use super::root::Stop;
use super::{Opener, location, walk};
use crate::error::{Error, ErrorKind};
use crate::lock::Lock;
use crate::snapshot::Identity;
use crate::source::Snapshot;
use crate::system::{self, Access, AsDescriptor, Descriptor, Errno, path_bytes};

/// The maximum number of near names in an error.
const NEAR_NAMES: usize = 5;
/// The maximum number of edits between a name and a near name.
const MOST_EDITS: usize = 8;
/// The maximum number of names of a directory that are compared by edit distance, which is slow.
const COMPARED_NAMES: usize = 4096;
/// The maximum number of names of a directory that are compared after folding, which takes some 30 ms; also that of
/// all names in [`Listings`].
const FOLDED_NAMES: usize = 65_536;
/// The maximum number of directories that are searched for one path, and of paths that are found.
const MAX_DIRECTORIES: usize = 16;
/// The maximum number of directories in another in which a name is looked for.
const MOST_BELOW: usize = 64;

/// The minimum number of characters of a name, without its extension, that is read as another one.
const LEAST_MISTYPED: usize = 5;

/// The maximum duration of a search for one path.
const SEARCH: Duration = Duration::from_secs(1);

/// The names in directories that were listed for one call, so that a call for many missing files lists each
/// directory once.
///
/// A listing shows no later change, so it must not outlive the call.
#[derive(Debug, Default)]
pub struct Listings {
    kept: Lock<HashMap<Identity, Arc<Listing>>>,
}

#[derive(Debug)]
struct Listing {
    /// Each name, and the [`folded`] name, except for ASCII, which folding does not change.
    names: Vec<(Vec<u8>, Option<String>)>,
    /// The positions of names that may be those of directories.
    directories: Vec<usize>,
    complete: bool,
    /// The first [`COMPARED_NAMES`] names in lower case.
    lowered: OnceLock<Vec<Vec<char>>>,
}

impl Listings {
    /// At least the first `most` names of a readable directory; fewer after an error or when `deadline` passes.
    fn of(&self, directory: Descriptor, most: usize, deadline: Instant) -> Arc<Listing> {
        let identity = Snapshot::of(&directory).ok().map(|snapshot| snapshot.identity());
        let known = identity.and_then(|identity| self.kept.lock().get(&identity).cloned());
        if let Some(known) = known.filter(|known| known.complete || known.names.len() >= most) {
            return known;
        }
        let Names { all: names, directories, complete } = names(directory, most, deadline);
        let with_folded = |name: Vec<u8>| {
            let folded = (!name.is_ascii()).then(|| folded(&name));
            (name, folded)
        };
        let names: Vec<_> = names.into_iter().map(with_folded).collect();
        let listing = Arc::new(Listing { names, directories, complete, lowered: OnceLock::new() });
        let new = listing.names.len();
        if let Some(identity) = identity.filter(|_| complete || new == most) {
            let mut kept = self.kept.lock();
            if kept.values().map(|listing| listing.names.len()).sum::<usize>() + new > FOLDED_NAMES {
                kept.clear();
            }
            kept.insert(identity, Arc::clone(&listing));
        }
        listing
    }
}

impl Listing {
    /// The names to compare by edit distance, and their lower case.
    fn compared(&self) -> impl Iterator<Item = (&Vec<u8>, &Vec<char>)> {
        let names = || self.names.iter().map(|(name, _)| name).take(COMPARED_NAMES);
        names().zip(self.lowered.get_or_init(|| names().map(|name| lowered(name)).collect()))
    }
}

/// Which letter case the names have that look like another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Same,
    Any,
}

/// A search for other spellings of one path, which returns what it has found when its time is up.
pub(super) struct Search<'o> {
    opener: &'o Opener,
    listings: &'o Listings,
    deadline: Instant,
}

/// The first component of a path that does not exist, and its surroundings.
struct Gap {
    /// The deepest existing directory as spelled in the path; empty for the starting directory.
    directory: PathBuf,
    descriptor: Descriptor,
    real_directory: PathBuf,
    /// The first name that is missing.
    name: Vec<u8>,
    /// The components after it.
    rest: PathBuf,
}

impl Gap {
    /// `None` if the directory may not be listed.
    fn find(opener: &Opener, path: &Path) -> Option<Self> {
        let components: Vec<Component<'_>> = path.components().collect();
        // A directory exists only if its parents do, so a binary search finds the deepest one.
        let (mut existing, mut missing) = (0, components.len());
        let mut deepest = None;
        while existing + 1 < missing || deepest.is_none() {
            let split = if deepest.is_none() { 0 } else { existing.midpoint(missing) };
            let directory: PathBuf = components.iter().take(split).collect();
            match opener.look_at_directory(&directory) {
                Err(Stop::Failed { errno: Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG, .. })
                    if split > 0 =>
                {
                    missing = split;
                }
                // It exists, even if it may not be listed.
                outcome => {
                    existing = split;
                    deepest = Some((directory, outcome.ok()));
                }
            }
        }
        let (directory, readable) = deepest?;
        let (descriptor, real_directory, _) = readable?;
        let split = existing;
        let (Component::Normal(name), rest) = components.get(split..)?.split_first()? else { return None };
        let name = path_bytes(Path::new(name)).into_owned();
        Some(Self { directory, descriptor, real_directory, name, rest: rest.iter().collect() })
    }

    /// The path of the missing component, if it is a symbolic link whose target does not exist.
    fn dangling_link(&self, opener: &Opener) -> Option<PathBuf> {
        let found = system::open_entry(self.descriptor.as_descriptor(), &self.name, Access::Look).ok()?;
        if !walk::file_type(&found).ok()?.is_symlink() {
            return None;
        }
        let link = self.directory.join(location::path(&self.name));
        match opener.look(&link) {
            Err(Stop::Failed { errno: Errno::NOENT | Errno::NOTDIR, .. }) => Some(link),
            _ => None,
        }
    }
}

impl<'o> Search<'o> {
    /// Starts a search among the files that `opener` may open.
    pub(super) fn new(opener: &'o Opener, listings: &'o Listings) -> Self {
        Self { opener, listings, deadline: Instant::now() + SEARCH }
    }

    /// Whether the time is up, so that there may be more than was found.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() > self.deadline
    }

    /// The existing paths that differ from `path` only in normalization, blanks, quotes and perhaps letter case,
    /// sorted.
    pub(super) fn alike(&self, path: &Path, case: Case) -> Vec<PathBuf> {
        let Some(gap) = Gap::find(self.opener, path) else { return Vec::new() };
        let mut found = self.matching(&gap.directory, gap.descriptor, &gap.name, case);
        let mut directories_left = MAX_DIRECTORIES;
        for component in gap.rest.components() {
            let mut next = Vec::new();
            for directory in found {
                let Component::Normal(name) = component else {
                    next.push(directory.join(component));
                    continue;
                };
                directories_left = directories_left.saturating_sub(1);
                if directories_left > 0
                    && !self.is_over()
                    && let Ok((descriptor, ..)) = self.opener.look_at_directory(&directory)
                {
                    next.extend(self.matching(&directory, descriptor, &path_bytes(Path::new(name)), case));
                }
            }
            found = next;
        }
        found.sort();
        found.retain(|path| self.opener.may_be_named(path));
        found.truncate(MAX_DIRECTORIES);
        found
    }

    /// The paths of the names in a directory that look like `name`; only the exact one if it exists.
    fn matching(&self, directory: &Path, descriptor: Descriptor, name: &[u8], case: Case) -> Vec<PathBuf> {
        let key = folded(name);
        let lower = key.to_lowercase();
        let listing = self.listings.of(descriptor, FOLDED_NAMES, self.deadline);
        let alike = |(other, folded): &&(Vec<u8>, Option<String>)| match (case, folded) {
            (Case::Same, Some(folded)) => *folded == key,
            (Case::Same, None) => other == key.as_bytes(),
            // Another name may be among those that were not listed.
            (Case::Any, _) if !listing.complete => false,
            (Case::Any, Some(folded)) => folded.to_lowercase() == lower,
            (Case::Any, None) => other.eq_ignore_ascii_case(key.as_bytes()),
        };
        let mut found: Vec<&[u8]> =
            listing.names.iter().filter(alike).map(|(other, _)| other.as_slice()).collect();
        if found.contains(&name) {
            found.retain(|other| *other == name);
        }
        found.iter().map(|other| directory.join(location::path(other))).collect()
    }

    /// The files with the name of a missing path in the directories below and beside its own, sorted.
    ///
    /// None if there are many such directories, or one of them may be on a mount that hangs, or the path is a link.
    pub(super) fn elsewhere(&self, path: &Path) -> Vec<PathBuf> {
        let Some(Gap { directory, descriptor, name, rest, .. }) = Gap::find(self.opener, path) else {
            return Vec::new();
        };
        let file: PathBuf =
            std::iter::once(&*location::path(&name)).chain(rest.iter().map(Path::new)).collect();
        let listing = self.listings.of(descriptor, FOLDED_NAMES, self.deadline);
        if listing.names.iter().any(|(other, _)| *other == name) {
            return Vec::new();
        }
        let mut found = self.below(&directory, &listing, &file);
        if let Some(above) = directory.parent().filter(|_| rest.as_os_str().is_empty())
            && let Ok((descriptor, ..)) = self.opener.look_at_directory(above)
        {
            found.extend(self.below(
                above,
                &self.listings.of(descriptor, FOLDED_NAMES, self.deadline),
                &file,
            ));
        }
        found.sort();
        found
    }

    /// The files of this name directly below the directories in a directory.
    fn below(&self, directory: &Path, listing: &Listing, file: &Path) -> Vec<PathBuf> {
        if !listing.complete || listing.directories.len() > MOST_BELOW {
            return Vec::new();
        }
        let directories = listing.directories.iter().filter_map(|position| listing.names.get(*position));
        let mut found: Vec<PathBuf> =
            directories.map(|(other, _)| directory.join(location::path(other)).join(file)).collect();
        if found.iter().any(|path| self.opener.remote_mount(path).is_some()) {
            return Vec::new();
        }
        found.retain(|path| self.opener.may_be_named(path));
        found
    }

    /// The deepest directory on a path whose own directory does not exist; `None` also for a URL.
    pub(super) fn directory_above(&self, path: &Path) -> Option<PathBuf> {
        let gap = Gap::find(self.opener, path)?;
        let is_url = gap.name.ends_with(b":");
        let directory = if gap.directory.as_os_str().is_empty() { PathBuf::from(".") } else { gap.directory };
        Some(directory).filter(|_| !is_url && !gap.rest.as_os_str().is_empty())
    }

    /// The error for the missing path `given`: names near `path`, its most likely spelling, after those `elsewhere`.
    pub(super) fn not_found(&self, given: &Path, path: &Path, mut elsewhere: Vec<PathBuf>) -> Error {
        let gap = if self.is_over() { None } else { Gap::find(self.opener, path) };
        // A message about a link would not fit another spelling of the path.
        let dangling_link =
            gap.as_ref().filter(|_| given == path).and_then(|gap| gap.dangling_link(self.opener));
        let mut near = gap.map_or_else(Vec::new, |gap| self.nearest(gap));
        if !elsewhere.is_empty() {
            elsewhere.append(&mut near);
            elsewhere.truncate(NEAR_NAMES);
            near = elsewhere;
        }
        Error::new(given, ErrorKind::NotFound { near, dangling_link })
    }

    fn nearest(&self, gap: Gap) -> Vec<PathBuf> {
        let opener = self.opener;
        let Gap { directory, descriptor, real_directory, name, rest } = gap;
        let file_in_path = directory.join(location::path(&name));
        if !rest.as_os_str().is_empty() && opener.may_be_named(&file_in_path) {
            // The path treats an existing file as a directory.
            return vec![file_in_path];
        }
        let Ok(judge) = Judge::new(opener, &real_directory, false) else { return Vec::new() };
        let wanted: Vec<char> = lowered(&name);
        let listing = self.listings.of(descriptor, COMPARED_NAMES, self.deadline);
        let mut scored: Vec<(usize, &Vec<u8>)> = listing
            .compared()
            .take_while(|_| !self.is_over())
            // The name itself is in the list if it is a dangling link.
            .filter(|(other, _)| **other != name)
            .filter_map(|(other, lowered)| Some((distance(&wanted, lowered)?, other)))
            .filter(|(_, other)| {
                judge.rule(&real_directory.join(location::path(other))).is_none()
                    && opener.check_given_path(&directory.join(location::path(other))).is_ok()
            })
            .collect();
        scored.sort();
        scored.truncate(NEAR_NAMES);
        let whole = |other: &[u8]| {
            let near = directory.join(location::path(other));
            let full = near.join(&rest);
            if !rest.as_os_str().is_empty() && opener.may_be_named(&full) { full } else { near }
        };
        scored.iter().map(|(_, other)| whole(other)).collect()
    }
}

/// A name as it looks: in normalization form C, with blanks and quotes unified, and invalid UTF-8 escaped.
fn folded(name: &[u8]) -> String {
    let text = display_bytes(name);
    if text.is_ascii() {
        return text;
    }
    let fold = |character: char| match character {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        blank if blank.is_whitespace() && !blank.is_control() => ' ',
        other => other,
    };
    text.nfc().map(fold).collect()
}

fn lowered(name: &[u8]) -> Vec<char> {
    folded(name).to_lowercase().chars().collect()
}

/// The distance between two names; `None` if they are not similar.
///
/// Names are similar if up to a third of the longer one's characters (8 at most) are mistyped, left
/// out, added or swapped with their neighbor; or if they begin the same: `config` and `config.toml`,
/// `notes.md` and `notes.txt`.
fn distance(wanted: &[char], other: &[char]) -> Option<usize> {
    let longer = wanted.len().max(other.len());
    let near = edits(wanted, other, (longer / 3).clamp(1, MOST_EDITS));
    let same_beginning =
        || stem(wanted) == stem(other) || wanted.starts_with(other) || other.starts_with(wanted);
    near.or_else(|| (wanted.len().min(other.len()) >= 3 && same_beginning()).then_some(longer))
}

/// Whether a name is a slip of the fingers for another one in the same directory: one edit, but no other digit, because
/// files are numbered, and no other extension, unless its letters are swapped or one is missing at its end.
pub(super) fn is_mistyped(path: &Path, other: &Path) -> bool {
    let name = |path: &Path| lowered(&path_bytes(path.file_name().unwrap_or_default().as_ref()));
    let (wanted, found) = (name(path), name(other));
    let digits = |name: &[char]| name.iter().copied().filter(|each| each.is_numeric()).collect::<String>();
    let letters = |name: &[char]| {
        let mut letters = name.to_vec();
        letters.sort_unstable();
        letters
    };
    let (stems, ends) =
        ([stem(&wanted), stem(&found)], [&wanted[stem(&wanted).len()..], &found[stem(&found).len()..]]);
    path.parent() == other.parent()
        && stems[0].len() >= LEAST_MISTYPED
        && digits(&wanted) == digits(&found)
        && (letters(ends[0]) == letters(ends[1])
            || ends[0].starts_with(ends[1])
            || ends[1].starts_with(ends[0]))
        && edits(&wanted, &found, 1).is_some()
}

fn stem(name: &[char]) -> &[char] {
    let end = name.iter().rposition(|character| *character == '.').filter(|dot| *dot > 0);
    name.split_at(end.unwrap_or(name.len())).0
}

/// The optimal string alignment distance, if it is at most `most`.
fn edits(left: &[char], right: &[char], most: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > most {
        return None;
    }
    // Cells more than `most` from the diagonal cannot matter: those next to the band are set to `far`.
    let far = most + 1;
    let mut older = vec![far; right.len() + 1];
    let mut old: Vec<usize> = (0..=right.len()).collect();
    let mut new = older.clone();
    for (row, left_character) in left.iter().enumerate() {
        let band = row.saturating_sub(most)..(row + most + 1).min(right.len());
        new[band.start] = if band.start == 0 { row + 1 } else { far };
        if let Some(beside) = new.get_mut(band.end + 1) {
            *beside = far;
        }
        let mut nearest = new[band.start];
        for column in band {
            let right_character = right[column];
            let replaced = old[column] + usize::from(*left_character != right_character);
            let mut best = replaced.min(old[column + 1] + 1).min(new[column] + 1);
            let swapped = row > 0
                && column > 0
                && left[row - 1] == right_character
                && right[column - 1] == *left_character;
            if swapped {
                best = best.min(older[column - 1] + 1);
            }
            new[column + 1] = best;
            nearest = nearest.min(best);
        }
        // Rows below have no smaller distance.
        if nearest > most {
            return None;
        }
        std::mem::swap(&mut older, &mut old);
        std::mem::swap(&mut old, &mut new);
    }
    Some(old[right.len()]).filter(|edits| *edits <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(wanted: &str, other: &str) -> Option<usize> {
        distance(&lowered(wanted.as_bytes()), &lowered(other.as_bytes()))
    }

    #[test]
    fn test_distance_of_similar_names() {
        for (wanted, other, expected) in [
            ("main.py", "MAIN.py", Some(0)),
            ("mian.py", "main.py", Some(1)),
            ("AGENT.md", "AGENTS.md", Some(1)),
            ("kitten", "sitting", None),
            ("config", "config.toml", Some(11)),
            ("notes.md", "notes.txt", Some(3)),
            ("chapter.md", "chapter.html.erb", None),
            ("README.rst", "README.markdown", Some(15)),
            ("a", "b", Some(1)),
            ("main.py", "server.log", None),
        ] {
            assert_eq!(between(wanted, other), expected, "{wanted} {other}");
        }
    }

    /// The recursive definition of the distance.
    fn plain_edits(left: &[char], right: &[char]) -> usize {
        let (Some((last_left, before_left)), Some((last_right, before_right))) =
            (left.split_last(), right.split_last())
        else {
            return left.len().max(right.len());
        };
        let mut best = (plain_edits(before_left, before_right) + usize::from(last_left != last_right))
            .min(plain_edits(before_left, right) + 1)
            .min(plain_edits(left, before_right) + 1);
        if let ([left_rest @ .., a, b], [right_rest @ .., c, d]) = (left, right)
            && (a, b) == (d, c)
        {
            best = best.min(plain_edits(left_rest, right_rest) + 1);
        }
        best
    }

    #[test]
    fn test_edits_match_definition() {
        let words = ["", "a", "ab", "ba", "abc", "acb", "bca", "aabb", "abab", "bbaa", "cabba", "bacab"];
        let words = words.map(|word| word.chars().collect::<Vec<_>>());
        for (left, right) in words.iter().flat_map(|left| words.iter().map(move |right| (left, right))) {
            let expected = plain_edits(left, right);
            for most in 1..6 {
                let found = edits(left, right, most);
                assert_eq!(found, Some(expected).filter(|edits| *edits <= most), "{left:?} {right:?} {most}");
            }
        }
    }

    #[test]
    fn test_folding_unifies_blanks_and_quotes() {
        assert_eq!(folded("cafe\u{301}\u{202f}\u{a0}1".as_bytes()), "café  1");
        assert_eq!(folded("it\u{2019}s \u{201c}x\u{201d}".as_bytes()), "it's \"x\"");
        assert_eq!(folded(b"a\xff\tb"), "a\\xff\tb");
    }
}
