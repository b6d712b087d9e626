//! Deny rules: globs for files that may not be read under any path.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;

use super::location::{self, below};
use super::remote::remote_mount;
use super::root::{Root, real_path_of};
use super::secrets;
use crate::error::{Error, ErrorKind, Result, RuleFault};
use crate::inflate::gzip::name_of_text;
use crate::system::{FOLDS_CASE, HOME, path_bytes, path_from_bytes};

/// Compiled deny rules.
///
/// A rule without a slash matches a name at any depth (`.env` is `**/.env`), as in a `.gitignore`.
/// A rule for a directory, with or without a trailing `/` or `/**`, covers the directory and all below it.
/// A rule that begins with `/` matches absolute paths, and one with `~/` paths in the home directory;
/// any other is relative to each root, or to the working directory if there are no roots.
/// Names are compared in Unicode normalization form C.
/// The rule `secrets` is not a glob: it is replaced with the rules of [`secrets`].
#[derive(Debug)]
pub(super) struct DenyRules {
    globs: GlobSet,
    /// The rule that each glob was made from.
    rules: Vec<String>,
    anchors: Vec<Anchor>,
    /// Whether the rules of [`secrets`] apply too.
    denies_secrets: bool,
    /// Whether a gzip file is denied if its name without the suffix is.
    sees_gzip: bool,
}

/// A rule that begins with a literal path, in which there may be links.
#[derive(Debug)]
pub(super) struct Anchor {
    /// The root that the prefix is relative to; `None` if absolute or relative to the working directory.
    pub(super) root_index: Option<usize>,
    /// The components before the first glob.
    pub(super) prefix: PathBuf,
    /// What is denied below the prefix; `None` for the prefix itself and everything below it.
    rest: Option<GlobSet>,
    /// The rule as it was given.
    pub(super) rule: String,
}

impl DenyRules {
    /// # Errors
    /// [`ErrorKind::BadRule`] for a rule that is not a valid glob.
    pub(super) fn new(rules: &[String], roots: &[Root], sees_gzip: bool) -> Result<Self> {
        let mut globs = GlobSetBuilder::new();
        let mut owners = Vec::new();
        let mut anchors = Vec::new();
        for rule in rules.iter().filter(|rule| *rule != secrets::NAME) {
            let pattern = Pattern::of(rule)?;
            for glob in pattern.globs() {
                globs.add(compiled(rule, &glob)?);
                owners.push(rule.clone());
            }
            pattern.add_anchors(rule, roots, &mut anchors, sees_gzip)?;
        }
        let globs = globs.build().map_err(|error| refusal(&rules.join(", "), syntax(error.kind())))?;
        let denies_secrets = rules.iter().any(|rule| rule == secrets::NAME);
        Ok(Self { globs, rules: owners, anchors, denies_secrets, sees_gzip })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty() && !self.denies_secrets
    }

    pub(super) fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// The path, and the paths that it has without suffixes of gzip files if these are decompressed.
    pub(super) fn names<'p>(&self, path: &'p Path) -> impl Iterator<Item = Cow<'p, Path>> + use<'p> {
        let sees_gzip = self.sees_gzip;
        std::iter::successors(Some(Cow::Borrowed(path)), move |path| {
            let name = path.file_name().filter(|_| sees_gzip)?;
            let inner = name_of_text(name);
            (inner != name).then(|| Cow::Owned(path.with_file_name(inner)))
        })
    }

    /// The rule that matches an absolute path as it is, or relative to one of `bases`.
    pub(super) fn matching<'a>(
        &self,
        path: &Path,
        bases: impl IntoIterator<Item = &'a Path>,
    ) -> Option<&str> {
        let below = |base: &'a Path| self.glob_of(path.strip_prefix(base).ok()?);
        self.rule_of(path).or_else(|| bases.into_iter().find_map(below))
    }

    /// The rule that matches an absolute path as it is.
    pub(super) fn rule_of(&self, path: &Path) -> Option<&str> {
        let secret = || self.names(path).find_map(|path| secrets::rule_of(&composed(&path)));
        self.glob_of(path).or_else(|| self.denies_secrets.then(secret).flatten())
    }

    /// The glob that matches a path as it is; the rules of [`secrets`] need no relative paths.
    pub(super) fn glob_of(&self, path: &Path) -> Option<&str> {
        if self.rules.is_empty() {
            return None;
        }
        let first = |path: Cow<'_, Path>| self.globs.matches(composed(&path).as_ref()).first().copied();
        let first = self.names(path).find_map(first)?;
        self.rules.get(first).map(String::as_str)
    }
}

impl Anchor {
    /// Whether the rule covers a path that is relative to the target of the prefix.
    pub(super) fn covers(&self, below_prefix: &Path) -> bool {
        self.rest.as_ref().is_none_or(|rest| rest.is_match(composed(below_prefix).as_ref()))
    }
}

/// A parsed rule.
struct Pattern {
    /// Whether it matches at any depth.
    is_anywhere: bool,
    /// The literal components that it begins with.
    prefix: PathBuf,
    /// The glob that matches `prefix`, with special characters escaped.
    prefix_glob: String,
    /// The components from the first glob on, joined by slashes.
    rest: String,
}

impl Pattern {
    fn of(rule: &str) -> Result<Self> {
        let slashed = if cfg!(windows) { Cow::Owned(rule.replace('\\', "/")) } else { Cow::Borrowed(rule) };
        // A trailing slash does not tie a rule to one directory.
        let is_anywhere = !slashed.trim_end_matches('/').contains('/');
        let (mut prefix, mut prefix_glob, path) = match slashed.strip_prefix("~/") {
            Some(rest) => {
                let home = home().ok_or_else(|| refusal(rule, RuleFault::NoHome))?;
                (PathBuf::from(&home), globset::escape(home.trim_end_matches('/')), rest)
            }
            None if cfg!(windows) => match slashed.split_at_checked(3) {
                Some((drive, rest)) if drive.ends_with(":/") => {
                    (PathBuf::from(drive), drive.trim_end_matches('/').to_owned(), rest)
                }
                // It would never match, because every path has a drive or a server.
                _ if slashed.starts_with('/') => {
                    let fault = "an absolute path begins with a drive, for example `C:/`".to_owned();
                    return Err(refusal(rule, RuleFault::Syntax(fault)));
                }
                _ => (PathBuf::new(), String::new(), &*slashed),
            },
            None if slashed.starts_with('/') => (PathBuf::from("/"), String::new(), &*slashed),
            None => (PathBuf::new(), String::new(), &*slashed),
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

    /// The globs for the path that the rule names, and for everything below it.
    fn globs(&self) -> Vec<String> {
        let Self { prefix, prefix_glob, rest, .. } = self;
        let start = if self.is_anywhere { "**/" } else { "" };
        let between =
            if rest.is_empty() || (prefix_glob.is_empty() && !prefix.has_root()) { "" } else { "/" };
        let whole = format!("{start}{prefix_glob}{between}{rest}");
        if whole.is_empty() { vec!["/**".to_owned()] } else { vec![format!("{whole}/**"), whole] }
    }

    fn add_anchors(
        &self,
        rule: &str,
        roots: &[Root],
        anchors: &mut Vec<Anchor>,
        sees_gzip: bool,
    ) -> Result<()> {
        let text = self.prefix.as_os_str().to_string_lossy();
        let mut spellings: Vec<PathBuf> = vec![self.prefix.clone()];
        if sees_gzip && self.rest.is_empty() {
            spellings.push(PathBuf::from(format!("{text}.gz")));
        }
        if !text.is_ascii() {
            spellings.push(PathBuf::from(text.nfc().collect::<String>()));
            spellings.push(PathBuf::from(text.nfd().collect::<String>()));
            spellings.dedup();
        }
        for prefix in spellings.iter().filter(|prefix| prefix.file_name().is_some()) {
            let mut prefixes: Vec<(Option<usize>, PathBuf)> = Vec::new();
            if prefix.is_absolute() || roots.is_empty() {
                prefixes.push((None, prefix.clone()));
                // A server that does not respond must not block the creation of a reader.
                let is_resolvable = !roots.is_empty() && remote_mount(prefix).is_none();
                let resolved = if is_resolvable { real_path_of(prefix) } else { prefix.clone() };
                // Roots are held open, so a rule for a path in a root follows the root if it is moved.
                for (index, root) in roots.iter().enumerate() {
                    let inside = [prefix, &resolved].into_iter().flat_map(|path| {
                        let bytes = path_bytes(path);
                        [&root.given, &root.real].map(|root| Some(location::path(below(&bytes, root)?)))
                    });
                    let inside = inside.flatten().filter(|inside| inside.as_os_str() != ".");
                    prefixes.extend(inside.map(|inside| (Some(index), inside)));
                }
            } else {
                prefixes.extend((0..roots.len()).map(|index| (Some(index), prefix.clone())));
            }
            prefixes.sort();
            prefixes.dedup();
            for (root_index, prefix) in prefixes {
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

/// The characters that make a component a glob.
const GLOB_CHARACTERS: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

fn home() -> Option<String> {
    let home = std::env::var_os(HOME).filter(|home| Path::new(home).is_absolute())?;
    String::from_utf8(path_bytes(Path::new(&home)).into_owned()).ok()
}

fn compiled(rule: &str, glob: &str) -> Result<globset::Glob> {
    let glob: String = glob.nfc().collect();
    let glob = GlobBuilder::new(&glob).literal_separator(true).case_insensitive(FOLDS_CASE).build();
    glob.map_err(|error| refusal(rule, syntax(error.kind())))
}

/// A path in normalization form C, so that names that look the same are equal; invalid UTF-8 is kept.
fn composed(path: &Path) -> Cow<'_, Path> {
    let bytes = path_bytes(path);
    if bytes.is_ascii() {
        return Cow::Borrowed(path);
    }
    let mut composed = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        composed.extend(chunk.valid().nfc().collect::<String>().into_bytes());
        composed.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(path_from_bytes(&composed).into_owned())
}

/// The built-in rule that denies a file of a procfs: the memory and the secrets of processes and the
/// kernel.
///
/// It matches by file name, because a procfs may be mounted anywhere and threads have these files too.
pub(super) fn procfs_rule(real_path: &Path) -> Option<&'static str> {
    match &*path_bytes(Path::new(real_path.file_name()?)) {
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
        let rules = DenyRules::new(&[rule.to_owned()], &[], false).unwrap();
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
    fn test_rule_for_directory_covers_everything_below() {
        for rule in ["private", "private/", "private/**", "./private/**"] {
            for path in ["private", "/w/private/k", "/w/private/a/b/.c"] {
                assert!(denied(rule, path), "{rule} {path}");
            }
            assert!(!denied(rule, "/w/private.txt"), "{rule}");
            let names_one_place = rule.contains("e/*") || rule.starts_with("./");
            assert_eq!(!denied(rule, "/w/a/private/k"), names_one_place, "{rule}");
        }
        assert!(denied("a/private", "/w/a/private/k"));
        assert!(!denied("a/private", "/w/b/a/private/k"));
    }

    #[test]
    fn test_rule_covers_gzip_files_if_they_are_decompressed() {
        for (rule, path) in [
            ("**/a.key", "/w/b/a.key.gz"),
            ("a.key", "a.key.GZ"),
            ("/w/a.key", "/w/a.key.gz.gzip"),
            ("secrets", "/w/id.key.bgz"),
        ] {
            let denies = |sees_gzip| {
                let rules = DenyRules::new(&[rule.to_owned()], &[], sees_gzip).unwrap();
                rules.matching(Path::new(path), [Path::new("/w")]).is_some()
            };
            assert!(denies(true) && !denies(false), "{rule} {path}");
        }
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
    fn test_pattern_splits_prefix_from_glob() {
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
    fn test_unicode_normalization_does_not_matter() {
        let (composed, decomposed) = ("geh\u{fc}tet", "gehu\u{308}tet");
        for (rule, name) in [(composed, decomposed), (decomposed, composed)] {
            assert!(denied(&format!("**/{rule}.pem"), &format!("/w/{name}.pem")), "{rule}");
            assert!(denied(&format!("{rule}/**"), &format!("/w/{name}/k")), "{rule}");
        }
    }

    #[test]
    fn test_error_names_bad_rule() {
        for rule in ["a[", "{a", ""] {
            let error = DenyRules::new(&["fine".to_owned(), rule.to_owned()], &[], false).unwrap_err();
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
