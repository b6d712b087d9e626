//! Deny rules: globs that no read gets past, whatever the path is called.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;

use super::location::{self, below};
use super::root::{Root, real_path_of};
use crate::device::remote::remote_mount;
use crate::error::{Error, ErrorKind, Result, RuleFault};

/// Compiled deny rules.
///
/// A rule without a slash matches a name at any depth (`.env` is `**/.env`), as in a `.gitignore`.
/// A rule that names a directory, with or without `/` or `/**` at its end, covers the directory and all below.
/// A rule that begins with `/` is about absolute paths, one with `~/` about the home directory; any
/// other is relative to each root, or to the working directory where there are no roots.
/// Names are compared in their canonical composition (NFC).
#[derive(Debug)]
pub(super) struct DenyRules {
    globs: GlobSet,
    /// The rule of each glob, as it was given.
    rules: Vec<String>,
    anchors: Vec<Anchor>,
}

/// A rule that begins with a literal path, which may lead through links.
#[derive(Debug)]
pub(super) struct Anchor {
    /// The root that the prefix is relative to; `None`: it is absolute, or relative to the working directory.
    pub(super) root_index: Option<usize>,
    /// The components before the first glob.
    pub(super) prefix: PathBuf,
    /// What is denied below the prefix; `None`: everything, and the prefix itself.
    rest: Option<GlobSet>,
    /// The rule, as it was given.
    pub(super) rule: String,
}

impl DenyRules {
    /// # Errors
    /// [`ErrorKind::BadRule`] for a rule that is no glob.
    pub(super) fn new(rules: &[String], roots: &[Root]) -> Result<Self> {
        let mut globs = GlobSetBuilder::new();
        let mut owners = Vec::new();
        let mut anchors = Vec::new();
        for rule in rules {
            let pattern = Pattern::of(rule)?;
            for glob in pattern.globs() {
                globs.add(compiled(rule, &glob)?);
                owners.push(rule.clone());
            }
            pattern.add_anchors(rule, roots, &mut anchors)?;
        }
        let globs = globs.build().map_err(|error| refusal(&rules.join(", "), syntax(error.kind())))?;
        Ok(Self { globs, rules: owners, anchors })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub(super) fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// The rule that matches the path, as it is or as seen from one of `bases`.
    pub(super) fn matching<'a>(
        &self,
        path: &Path,
        bases: impl IntoIterator<Item = &'a Path>,
    ) -> Option<&str> {
        let below = |base: &'a Path| self.rule_of(path.strip_prefix(base).ok()?);
        self.rule_of(path).or_else(|| bases.into_iter().find_map(below))
    }

    /// The rule that matches a path as it is.
    pub(super) fn rule_of(&self, path: &Path) -> Option<&str> {
        let first = *self.globs.matches(composed(path).as_ref()).first()?;
        self.rules.get(first).map(String::as_str)
    }
}

impl Anchor {
    /// Whether the rule covers a path that is seen from where its prefix leads.
    pub(super) fn covers(&self, below_prefix: &Path) -> bool {
        self.rest.as_ref().is_none_or(|rest| rest.is_match(composed(below_prefix).as_ref()))
    }
}

/// A rule taken apart.
struct Pattern {
    /// Whether it names no place, so that it holds at any depth.
    is_anywhere: bool,
    /// The literal components that it begins with.
    prefix: PathBuf,
    /// The glob of those, with special characters escaped.
    prefix_glob: String,
    /// The components from the first glob on, joined by slashes.
    rest: String,
}

impl Pattern {
    fn of(rule: &str) -> Result<Self> {
        // A slash at the end alone does not tie a rule to one place.
        let is_anywhere = !rule.trim_end_matches('/').contains('/');
        let (mut prefix, mut prefix_glob, path) = match rule.strip_prefix("~/") {
            Some(rest) => {
                let home = home().ok_or_else(|| refusal(rule, RuleFault::NoHome))?;
                (PathBuf::from(&home), globset::escape(home.trim_end_matches('/')), rest)
            }
            None if rule.starts_with('/') => (PathBuf::from("/"), String::new(), rule),
            None => (PathBuf::new(), String::new(), rule),
        };
        if path.is_empty() {
            return Err(refusal(rule, RuleFault::Empty));
        }
        let everything_below = path.strip_suffix("/**").unwrap_or(path);
        let mut names =
            everything_below.split('/').filter(|name| !name.is_empty() && *name != ".").peekable();
        let is_rooted = prefix.has_root();
        while let Some(name) = names.next_if(|name| !is_anywhere && !name.contains(GLOB_CHARACTERS)) {
            prefix.push(name);
            if is_rooted || !prefix_glob.is_empty() {
                prefix_glob.push('/');
            }
            prefix_glob.push_str(name);
        }
        let rest = names.collect::<Vec<_>>().join("/");
        Ok(Self { is_anywhere, prefix, prefix_glob, rest })
    }

    /// The globs of what the rule names, and of what is below.
    fn globs(&self) -> Vec<String> {
        let Self { prefix, prefix_glob, rest, .. } = self;
        let start = if self.is_anywhere { "**/" } else { "" };
        let between =
            if rest.is_empty() || (prefix_glob.is_empty() && !prefix.has_root()) { "" } else { "/" };
        let whole = format!("{start}{prefix_glob}{between}{rest}");
        if whole.is_empty() { vec!["/**".to_owned()] } else { vec![format!("{whole}/**"), whole] }
    }

    fn add_anchors(&self, rule: &str, roots: &[Root], anchors: &mut Vec<Anchor>) -> Result<()> {
        let text = self.prefix.as_os_str().to_string_lossy();
        let mut spellings: Vec<PathBuf> = vec![self.prefix.clone()];
        if !text.is_ascii() {
            spellings.push(PathBuf::from(text.nfc().collect::<String>()));
            spellings.push(PathBuf::from(text.nfd().collect::<String>()));
            spellings.dedup();
        }
        for prefix in spellings.iter().filter(|prefix| prefix.file_name().is_some()) {
            let mut places: Vec<(Option<usize>, PathBuf)> = Vec::new();
            if prefix.is_absolute() || roots.is_empty() {
                places.push((None, prefix.clone()));
                // A server that does not answer must not keep a reader from being made.
                let is_asked = !roots.is_empty() && remote_mount(prefix).is_none();
                let resolved = if is_asked { real_path_of(prefix) } else { prefix.clone() };
                // Roots are held: a rule about what is in one stays with it, wherever it is moved.
                for (index, root) in roots.iter().enumerate() {
                    let inside = [prefix, &resolved].into_iter().flat_map(|path| {
                        let bytes = path.as_os_str().as_bytes();
                        [below(bytes, &root.given), below(bytes, &root.real)]
                    });
                    let inside = inside.flatten().filter(|inside| *inside != b".");
                    places.extend(inside.map(|inside| (Some(index), location::path(inside))));
                }
            } else {
                places.extend((0..roots.len()).map(|index| (Some(index), prefix.clone())));
            }
            places.sort();
            places.dedup();
            for (root_index, prefix) in places {
                let rest = self.rest_globs(rule)?;
                anchors.push(Anchor { root_index, prefix, rest, rule: rule.to_owned() });
            }
        }
        Ok(())
    }

    fn rest_globs(&self, rule: &str) -> Result<Option<GlobSet>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let mut globs = GlobSetBuilder::new();
        globs.add(compiled(rule, &self.rest)?);
        globs.add(compiled(rule, &format!("{}/**", self.rest))?);
        globs.build().map(Some).map_err(|error| refusal(rule, syntax(error.kind())))
    }
}

/// What makes a component more than a name.
const GLOB_CHARACTERS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

fn home() -> Option<String> {
    std::env::var("HOME").ok().filter(|home| home.starts_with('/'))
}

fn compiled(rule: &str, glob: &str) -> Result<globset::Glob> {
    let glob: String = glob.nfc().collect();
    let glob = GlobBuilder::new(&glob).literal_separator(true).build();
    glob.map_err(|error| refusal(rule, syntax(error.kind())))
}

/// A path in canonical composition, so that names that look the same are the same; other bytes stay.
fn composed(path: &Path) -> Cow<'_, Path> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.is_ascii() {
        return Cow::Borrowed(path);
    }
    let mut composed = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        composed.extend(chunk.valid().nfc().collect::<String>().into_bytes());
        composed.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(PathBuf::from(std::ffi::OsString::from_vec(composed)))
}

/// The rule that keeps a file of a `/proc` from being read: the memory and the secrets of processes
/// and of the kernel.
///
/// It goes by name, because a `/proc` may be mounted anywhere; threads have these files as well.
pub(super) fn procfs_rule(real_path: &Path) -> Option<&'static str> {
    match real_path.file_name().map(OsStr::as_bytes)? {
        b"kmsg" => Some("/proc/kmsg"),
        b"kcore" => Some("/proc/kcore"),
        b"vmcore" => Some("/proc/vmcore"),
        b"mem" => Some("/proc/*/mem"),
        b"environ" => Some("/proc/*/environ"),
        _ => None,
    }
}

fn refusal(rule: &str, fault: RuleFault) -> Error {
    Error::new(rule, ErrorKind::BadRule { rule: rule.to_owned(), fault })
}

fn syntax(kind: &globset::ErrorKind) -> RuleFault {
    RuleFault::Syntax(kind.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(rule: &str, path: &str) -> bool {
        let rules = DenyRules::new(&[rule.to_owned()], &[]).unwrap();
        let rule_found = rules.matching(Path::new(path), [Path::new("/w")]);
        assert!(rule_found.is_none_or(|found| found == rule));
        rule_found.is_some()
    }

    #[test]
    fn test_rule_without_slash_matches_any_depth() {
        for path in [".env", "/.env", "a/.env", "/w/a/.env", "/w/.env/inside"] {
            assert!(denied(".env", path), "{path}");
            assert!(denied("**/.env", path), "{path}");
        }
        for path in [".envrc", "/w/a.env", "/w/.env.d"] {
            assert!(!denied(".env", path), "{path}");
        }
        assert!(denied("*.pem", "/w/a/b.pem"));
    }

    #[test]
    fn test_rule_for_folder_covers_what_is_below() {
        for rule in ["secrets", "secrets/", "secrets/**", "./secrets/**"] {
            for path in ["secrets", "/w/secrets/k", "/w/secrets/a/b/.c"] {
                assert!(denied(rule, path), "{rule} {path}");
            }
            assert!(!denied(rule, "/w/secrets.txt"), "{rule}");
            let names_one_place = rule.contains("s/*") || rule.starts_with("./");
            assert_eq!(!denied(rule, "/w/a/secrets/k"), names_one_place, "{rule}");
        }
        assert!(denied("a/secrets", "/w/a/secrets/k"));
        assert!(!denied("a/secrets", "/w/b/a/secrets/k"));
    }

    #[test]
    fn test_wildcard_stops_at_slash() {
        assert!(denied("/w/*/key", "/w/a/key"));
        assert!(!denied("/w/*/key", "/w/a/b/key"));
        assert!(denied("/**", "/anything"));
    }

    #[test]
    fn test_home_is_expanded() {
        let home = std::env::var("HOME").unwrap();
        assert!(denied("~/.ssh/**", &format!("{home}/.ssh/id_ed25519")));
    }

    #[test]
    fn test_rule_is_taken_apart() {
        for (rule, prefix, rest) in [
            ("/var/run/x/**", "/var/run/x", ""),
            ("/var//./run/x*/y", "/var/run", "x*/y"),
            ("a/b/c?/**", "a/b", "c?"),
            ("./a", "a", ""),
            ("/", "/", ""),
            ("**/.env", "", "**/.env"),
            (".env", "", ".env"),
        ] {
            let pattern = Pattern::of(rule).unwrap();
            assert_eq!((pattern.prefix.to_str().unwrap(), pattern.rest.as_str()), (prefix, rest), "{rule}");
        }
    }

    #[test]
    fn test_spellings_that_look_the_same_are_the_same() {
        let (composed, decomposed) = ("geh\u{fc}tet", "gehu\u{308}tet");
        for (rule, name) in [(composed, decomposed), (decomposed, composed)] {
            assert!(denied(&format!("**/{rule}.pem"), &format!("/w/{name}.pem")), "{rule}");
            assert!(denied(&format!("{rule}/**"), &format!("/w/{name}/k")), "{rule}");
        }
    }

    #[test]
    fn test_bad_rule_is_named() {
        for rule in ["a[", "{a", ""] {
            let error = DenyRules::new(&["fine".to_owned(), rule.to_owned()], &[]).unwrap_err();
            let ErrorKind::BadRule { rule: named, fault } = error.kind else { panic!("{error}") };
            assert_eq!((named.as_str(), fault == RuleFault::Empty), (rule, rule.is_empty()));
        }
    }

    #[test]
    fn test_procfs_rules() {
        assert_eq!(procfs_rule(Path::new("/mnt/p/1/task/2/environ")), Some("/proc/*/environ"));
        assert_eq!(procfs_rule(Path::new("/proc/1/mem")), Some("/proc/*/mem"));
        assert_eq!(procfs_rule(Path::new("/proc/kmsg")), Some("/proc/kmsg"));
        assert_eq!(procfs_rule(Path::new("/proc/meminfo")), None);
    }
}
