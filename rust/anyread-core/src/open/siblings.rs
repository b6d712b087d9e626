//! Names that read like the one requested, and names near to it.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use unicode_normalization::UnicodeNormalization;

use super::display::display_bytes;
use super::folder::names;
use super::judge::Judge;
use super::root::Stop;
use super::{Opener, location};
use crate::error::{Error, ErrorKind};

/// How many near names an error tells.
const NEAR_NAMES: usize = 5;
/// How many mistakes a near name may hold.
const MOST_EDITS: usize = 8;
/// How many names of a directory are compared for nearness, which is slow.
const COMPARED_NAMES: usize = 4096;
/// How many names of a directory are compared for likeness, which is fast: some 30 ms.
const FOLDED_NAMES: usize = 65_536;
/// How many directories are searched on the way to one file, and how many files it may come out at.
const MAX_FOLDERS: usize = 16;

/// How long one path is searched for in all, so that no path and no directory costs more.
const SEARCH: Duration = Duration::from_secs(1);

/// A search for other names of one path, which ends after a while with what it has found.
pub(super) struct Search<'o> {
    opener: &'o Opener,
    deadline: Instant,
}

/// Where a path ceases to exist.
struct Gap {
    /// The last directory that does, as the path spells it; empty for the one it is seen from.
    folder: PathBuf,
    descriptor: OwnedFd,
    real_folder: PathBuf,
    /// The first name that is missing.
    name: Vec<u8>,
    /// What comes after.
    rest: PathBuf,
}

impl Gap {
    /// `None` if the directory may not be listed.
    fn find(opener: &Opener, path: &Path) -> Option<Self> {
        let components: Vec<Component<'_>> = path.components().collect();
        // A directory exists only if those before it do, so that halving finds the deepest one.
        let (mut existing, mut missing) = (0, components.len());
        let mut deepest = None;
        while existing + 1 < missing || deepest.is_none() {
            let split = if deepest.is_none() { 0 } else { existing.midpoint(missing) };
            let folder: PathBuf = components.iter().take(split).collect();
            match opener.look_at_folder(&folder) {
                Err(Stop::Failed { errno: Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG, .. })
                    if split > 0 =>
                {
                    missing = split;
                }
                // It exists, even where it may not be listed.
                outcome => {
                    existing = split;
                    deepest = Some((folder, outcome.ok()));
                }
            }
        }
        let (folder, readable) = deepest?;
        let (descriptor, real_folder) = readable?;
        let split = existing;
        let (Component::Normal(name), rest) = components.get(split..)?.split_first()? else { return None };
        let name = name.as_bytes().to_vec();
        Some(Self { folder, descriptor, real_folder, name, rest: rest.iter().collect() })
    }
}

impl<'o> Search<'o> {
    /// Begins a search among the files that `opener` opens.
    pub(super) fn new(opener: &'o Opener) -> Self {
        Self { opener, deadline: Instant::now() + SEARCH }
    }

    fn is_over(&self) -> bool {
        Instant::now() > self.deadline
    }

    /// The existing paths that differ from `path` only in normalisation, kinds of blanks and of quotes, sorted.
    pub(super) fn alike(&self, path: &Path) -> Vec<PathBuf> {
        let Some(gap) = Gap::find(self.opener, path) else { return Vec::new() };
        let mut found = self.matching(&gap.folder, gap.descriptor, &gap.name);
        let mut folders_left = MAX_FOLDERS;
        for component in gap.rest.components() {
            let mut next = Vec::new();
            for folder in found {
                let Component::Normal(name) = component else {
                    next.push(folder.join(component));
                    continue;
                };
                folders_left = folders_left.saturating_sub(1);
                if folders_left > 0
                    && !self.is_over()
                    && let Ok((descriptor, _)) = self.opener.look_at_folder(&folder)
                {
                    next.extend(self.matching(&folder, descriptor, name.as_bytes()));
                }
            }
            found = next;
        }
        found.sort();
        found.retain(|path| self.opener.may_be_told(path));
        found.truncate(MAX_FOLDERS);
        found
    }

    /// The paths of the names in a directory that read like `name`; only the exact one if there is that.
    fn matching(&self, folder: &Path, descriptor: OwnedFd, name: &[u8]) -> Vec<PathBuf> {
        let key = folded(name);
        let mut found = names(descriptor, FOLDED_NAMES, self.deadline).names;
        // Folding leaves ASCII alone.
        found.retain(|other| if other.is_ascii() { *other == key.as_bytes() } else { folded(other) == key });
        if found.iter().any(|other| other == name) {
            found.retain(|other| other == name);
        }
        found.iter().map(|other| folder.join(location::path(other))).collect()
    }

    /// The error about the missing path `given`, with what is near to `path`, its likeliest spelling.
    pub(super) fn not_found(&self, given: &Path, path: &Path) -> Error {
        let gap = if self.is_over() { None } else { Gap::find(self.opener, path) };
        let near = gap.map_or_else(Vec::new, |gap| self.nearest(gap));
        Error::new(given, ErrorKind::NotFound { near })
    }

    fn nearest(&self, gap: Gap) -> Vec<PathBuf> {
        let opener = self.opener;
        let Gap { folder, descriptor, real_folder, name, rest } = gap;
        let in_the_way = folder.join(location::path(&name));
        if !rest.as_os_str().is_empty() && opener.may_be_told(&in_the_way) {
            // A file is where the path has a directory.
            return vec![in_the_way];
        }
        let Ok(judge) = Judge::new(opener, &real_folder, false) else { return Vec::new() };
        let wanted: Vec<char> = lowered(&name);
        let mut scored: Vec<(usize, Vec<u8>)> = names(descriptor, COMPARED_NAMES, self.deadline)
            .names
            .into_iter()
            .take_while(|_| !self.is_over())
            // The name itself is there if it is a link to nowhere.
            .filter(|other| *other != name)
            .filter_map(|other| Some((distance(&wanted, &lowered(&other))?, other)))
            .filter(|(_, other)| {
                judge.rule(&real_folder.join(location::path(other))).is_none()
                    && opener.check_given_path(&folder.join(location::path(other))).is_ok()
            })
            .collect();
        scored.sort();
        scored.truncate(NEAR_NAMES);
        let whole = |other: &[u8]| {
            let near = folder.join(location::path(other));
            let full = near.join(&rest);
            if !rest.as_os_str().is_empty() && opener.may_be_told(&full) { full } else { near }
        };
        scored.iter().map(|(_, other)| whole(other)).collect()
    }
}

/// A name as it reads: canonically composed, all blanks and quotes of one kind, other bytes escaped.
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

/// How far two names are apart; `None` if nobody would take one for the other.
///
/// That is up to a third of the longer one's characters (8 at most) mistyped, left out, added or
/// swapped with their neighbour; or the same beginning: `config` and `config.toml`, `notes.md` and
/// `notes.txt`.
fn distance(wanted: &[char], other: &[char]) -> Option<usize> {
    let longer = wanted.len().max(other.len());
    let near = edits(wanted, other, (longer / 3).clamp(1, MOST_EDITS));
    let same_beginning =
        || stem(wanted) == stem(other) || wanted.starts_with(other) || other.starts_with(wanted);
    near.or_else(|| (wanted.len().min(other.len()) >= 3 && same_beginning()).then_some(longer))
}

fn stem(name: &[char]) -> &[char] {
    let end = name.iter().rposition(|character| *character == '.').filter(|dot| *dot > 0);
    name.split_at(end.unwrap_or(name.len())).0
}

/// The optimal string alignment distance, if it is not over `most`.
fn edits(left: &[char], right: &[char], most: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > most {
        return None;
    }
    // Cells farther than `most` from the diagonal are not needed: those beside the band count as far.
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
    fn test_distance() {
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

    /// The definition, cell by cell.
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
    fn test_edits_are_those_of_the_definition() {
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
    fn test_folded() {
        assert_eq!(folded("cafe\u{301}\u{202f}\u{a0}1".as_bytes()), "café  1");
        assert_eq!(folded("it\u{2019}s \u{201c}x\u{201d}".as_bytes()), "it's \"x\"");
        assert_eq!(folded(b"a\xff\tb"), "a\\xff\tb");
    }
}
