//! Deny rules: globs that no read gets past, whatever the path is called.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::{Error, ErrorKind, Result};

/// Compiled deny rules.
///
/// A rule without a slash matches a name at any depth (`.env` is `**/.env`), as in a `.gitignore`.
/// A rule that names a folder, with or without `/` or `/**` behind it, covers the folder and all below.
/// A rule that begins with `/` is about absolute paths, one with `~/` about the home folder; any
/// other is relative to each root, or to the working directory where there are no roots.
#[derive(Debug)]
pub(super) struct DenyRules {
    globs: GlobSet,
    /// The rule behind each glob, as it was given.
    rules: Vec<String>,
}

impl DenyRules {
    /// # Errors
    /// [`ErrorKind::BadArgument`] for a rule that is no glob.
    pub(super) fn new(rules: &[String]) -> Result<Self> {
        let mut globs = GlobSetBuilder::new();
        let mut owners = Vec::new();
        for rule in rules {
            for glob in globs_of(rule) {
                let glob = GlobBuilder::new(&glob).literal_separator(true).build();
                globs.add(glob.map_err(|error| refusal(rule, &error.kind().to_string()))?);
                owners.push(rule.clone());
            }
        }
        let globs = globs.build().map_err(|error| refusal(&rules.join(", "), &error.to_string()))?;
        Ok(Self { globs, rules: owners })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
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

    fn rule_of(&self, path: &Path) -> Option<&str> {
        let first = *self.globs.matches(path).first()?;
        self.rules.get(first).map(String::as_str)
    }
}

/// The globs that a rule stands for: for what it names, and for what is below.
fn globs_of(rule: &str) -> Vec<String> {
    // A slash at the end alone does not tie a rule to one place.
    let anywhere = if rule.trim_end_matches('/').contains('/') { "" } else { "**/" };
    let rule = match rule.strip_prefix("~/") {
        Some(rest) => {
            std::env::var("HOME").map_or(rule.to_owned(), |home| format!("{}/{rest}", globset::escape(&home)))
        }
        None => rule.strip_prefix("./").unwrap_or(rule).to_owned(),
    };
    let folder = rule.strip_suffix("/**").unwrap_or(&rule).trim_end_matches('/');
    match (rule.as_str(), folder) {
        // No glob at all, so that compiling it fails.
        ("", _) => vec!["[".to_owned()],
        (_, "") => vec!["/**".to_owned()],
        _ => vec![format!("{anywhere}{folder}"), format!("{anywhere}{folder}/**")],
    }
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

fn refusal(rule: &str, reason: &str) -> Error {
    let reason = format!("globs such as `**/.env` ({reason})");
    Error::new(rule, ErrorKind::BadArgument { argument: "deny", value: rule.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(rule: &str, path: &str) -> bool {
        let rules = DenyRules::new(&[rule.to_owned()]).unwrap();
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
    fn test_bad_rule_is_named() {
        for rule in ["a[", "{a", ""] {
            let error = DenyRules::new(&["fine".to_owned(), rule.to_owned()]).unwrap_err();
            let ErrorKind::BadArgument { argument, value, .. } = error.kind else { panic!("{error}") };
            assert_eq!((argument, value.as_str()), ("deny", rule));
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
