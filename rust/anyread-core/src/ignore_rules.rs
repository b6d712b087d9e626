//! The rules of ignore files such as `.gitignore`, which name what tools leave alone in a project.

use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The rules of an ignore file.
#[derive(Debug)]
pub struct IgnorePatterns {
    /// What the paths begin with to which the rules apply; empty for all paths of the project.
    prefix: String,
    rules: Arc<[Gitignore]>,
    size_bytes: usize,
    is_complete: bool,
}

/// The most bytes of a pattern, as many as a path has at most. A single one of 128 KiB would need 90 MB.
const LONGEST_PATTERN: usize = 4 << 10;
/// How much text is compiled at once: up to 1 kB is needed for each byte, a fifth of which is kept.
const BYTES_OF_A_SET: usize = 8 << 10;
/// What a pattern counts besides its bytes: `a/*.b` is compiled on its own, to 13 kB.
const EACH: usize = 32;

impl IgnorePatterns {
    /// The rules in `text`, the content of a file in `directory`, which is relative to the project.
    ///
    /// Case is ignored, and so are lines that are no patterns or too long ones, and white space around patterns.
    #[must_use]
    pub fn new(text: &str, directory: &str) -> Self {
        Self::of(text.split(['\n', '\r']).map(trimmed), Self::size_of(text), directory, true)
    }

    /// The same rules as git understands them: case and white space before a pattern matter.
    #[must_use]
    pub fn git(text: &str, directory: &str) -> Self {
        Self::of(text.lines(), Self::size_of(text), directory, false)
    }

    fn of<'t>(
        lines: impl Iterator<Item = &'t str>,
        size_bytes: usize,
        directory: &str,
        ignore_case: bool,
    ) -> Self {
        let (lines, too_long): (Vec<&str>, Vec<&str>) =
            lines.filter(|line| is_pattern(line)).partition(|line| line.len() <= LONGEST_PATTERN);
        let mut bytes = 0;
        let sets = lines.chunk_by(|_, next| {
            bytes += next.len() + 1;
            let fits = bytes <= BYTES_OF_A_SET;
            bytes = if fits { bytes } else { 0 };
            fits
        });
        let rules = sets.flat_map(|lines| compiled(lines, ignore_case)).collect();
        Self { prefix: prefix(directory), rules, size_bytes, is_complete: too_long.is_empty() }
    }

    /// The same rules for another directory; both share what is compiled.
    #[must_use]
    pub fn moved_to(&self, directory: &str) -> Self {
        Self { prefix: prefix(directory), rules: Arc::clone(&self.rules), ..*self }
    }

    /// The size of a text with rules, in which each pattern counts 32 bytes more.
    #[must_use]
    pub fn size_of(text: &str) -> usize {
        text.len() + EACH * text.split(['\n', '\r']).filter(|line| is_pattern(line)).count()
    }

    /// The size of the text, as in [`IgnorePatterns::size_of`].
    #[must_use]
    pub const fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Whether no pattern was left out because it is too long.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the last rule that matches a path ignores it; `None` if no rule does.
    fn decision(&self, path: &str, is_directory: bool) -> Option<bool> {
        let path = path.strip_prefix(&self.prefix)?;
        self.rules.iter().rev().find_map(|rules| match rules.matched(path, is_directory) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        })
    }
}

/// Whether a file is ignored, or a directory that holds it.
///
/// `path` is relative to the project, with slashes; one at its end is that of a directory. The last of `files` that has a rule for it decides.
#[must_use]
pub fn is_ignored(path: &str, files: &[&IgnorePatterns]) -> bool {
    // No rule includes again what is in an ignored directory.
    path.match_indices('/').any(|(end, _)| ignores(&path[..=end], files))
        || (!path.ends_with('/') && ignores(path, files))
}

/// Which of the `names` in a directory are ignored, as `is_ignored` decides; a slash ends the name of a directory.
///
/// `directory` is empty or ends with a slash. The names after the one at which `is_cancelled` are left out.
#[must_use]
pub fn ignored_names(
    directory: &str,
    names: &[String],
    files: &[&IgnorePatterns],
    is_cancelled: impl Fn() -> bool,
) -> Vec<bool> {
    let is_all = !directory.is_empty() && is_ignored(directory, files);
    names
        .iter()
        .take_while(|_| !is_cancelled())
        .map(|name| is_all || ignores(&format!("{directory}{name}"), files))
        .collect()
}

/// Whether the last rule for a path ignores it; a slash ends that of a directory.
fn ignores(path: &str, files: &[&IgnorePatterns]) -> bool {
    let directory = path.strip_suffix('/');
    let decision = |file: &&IgnorePatterns| file.decision(directory.unwrap_or(path), directory.is_some());
    files.iter().rev().find_map(decision) == Some(true)
}

/// What the paths in a directory begin with.
fn prefix(directory: &str) -> String {
    if directory.is_empty() { String::new() } else { format!("{directory}/") }
}

/// The patterns in one set, or in several if it does not compile; a pattern that never does matches no path.
fn compiled(lines: &[&str], ignore_case: bool) -> Vec<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    // To git, a pattern with a single `[` matches nothing.
    builder.allow_unclosed_class(false);
    // A line that is no pattern matches nothing; the other call cannot fail.
    let _ = builder.case_insensitive(ignore_case);
    for line in lines {
        let _ = builder.add_line(None, line);
    }
    match builder.build() {
        Ok(rules) => vec![rules],
        Err(_) if lines.len() < 2 => Vec::new(),
        Err(_) => {
            let (first, last) = lines.split_at(lines.len() / 2);
            [compiled(first, ignore_case), compiled(last, ignore_case)].concat()
        }
    }
}

/// Whether a line may match a path; to git, a backslash before the last slash is an error.
fn is_pattern(line: &str) -> bool {
    !line.is_empty() && !line.ends_with("\\/")
}

/// A line without the white space around it, but for an escaped space at its end.
fn trimmed(line: &str) -> &str {
    let line = line.trim_start();
    let end = line.trim_end();
    if end.ends_with('\\') { line } else { end }
}
