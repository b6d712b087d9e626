//! Checking real paths against the deny rules, with the current locations of roots and rule prefixes.
//!
//! Rules and real paths are text, but directories are renamed, moved and linked. Therefore each read
//! determines again where its roots are, and where the literal prefixes of the rules lead.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::deny::Anchor;
use super::remote::remote_mount;
use super::root::{Root, RootedPath, Stop};
use super::{Opener, base_of};
use crate::system::{self, Access, AsDescriptor, CachedLookup, Errno, path_bytes};

/// The deny rules at one moment.
pub(super) struct Judge<'o> {
    opener: &'o Opener,
    /// The current path of each root, in order.
    roots: Vec<PathBuf>,
    /// The directory that relative rules start from if there are no roots.
    working_directory: Cow<'static, Path>,
    /// The rules with a prefix that exists, and where it leads.
    resolved_anchors: Vec<(&'o Anchor, PathBuf)>,
}

impl<'o> Judge<'o> {
    /// The rules for the file whose real path is `about`; with `is_now`, determined without blocking.
    ///
    /// # Errors
    /// A system call failed, so it is unknown where a rule's prefix leads.
    pub(super) fn new(opener: &'o Opener, about: &Path, is_now: bool) -> Result<Self, Errno> {
        let mut judge = Self {
            opener,
            roots: Vec::new(),
            working_directory: Cow::Borrowed(Path::new("/")),
            resolved_anchors: Vec::new(),
        };
        if opener.deny.is_empty() {
            return Ok(judge);
        }
        if opener.roots.list.is_empty() {
            judge.working_directory = base_of(Path::new(""));
        }
        judge.roots = opener.roots.list.iter().map(Root::current_path).collect();
        for anchor in opener.deny.anchors() {
            if let Some(target) = judge.prefix_target(anchor, about, is_now)? {
                judge.resolved_anchors.push((anchor, target));
            }
        }
        Ok(judge)
    }

    /// The rule that denies the file or directory at a real path.
    pub(super) fn rule(&self, real_path: &Path) -> Option<&'o str> {
        let rules = &self.opener.deny;
        if rules.is_empty() {
            return None;
        }
        if self.roots.is_empty() {
            return rules
                .matching(real_path, [&*self.working_directory])
                .or_else(|| self.anchored(real_path));
        }
        let whole = rules.rule_of(real_path).or_else(|| self.anchored(real_path));
        whole.or_else(|| {
            let roots = self.opener.roots.list.iter().zip(&self.roots);
            roots.into_iter().find_map(|(root, present)| {
                let inside = real_path.strip_prefix(present).ok()?;
                let names = [&root.given, &root.real].into_iter().filter(|name| *name != present);
                rules.glob_of(inside).or_else(|| {
                    // The path as it would be if the root had not been moved.
                    names.map(|name| name.join(inside)).find_map(|path| {
                        let path: PathBuf = path.components().collect();
                        rules.rule_of(&path).or_else(|| self.anchored(&path))
                    })
                })
            })
        })
    }

    /// Whether the rules can be checked for a real path: if there are roots, it must be in one of them.
    pub(super) fn can_judge(&self, real_path: &Path) -> bool {
        self.roots.is_empty() || self.roots.iter().any(|root| real_path.starts_with(root))
    }

    fn anchored(&self, real_path: &Path) -> Option<&'o str> {
        let covering = self.resolved_anchors.iter().find(|(anchor, target)| {
            let covers = |path: &Path| path.strip_prefix(target).is_ok_and(|below| anchor.covers(below));
            self.opener.deny.names(real_path).any(|path| covers(&path))
        });
        covering.map(|(anchor, _)| anchor.rule.as_str())
    }

    /// Where the prefix of a rule leads; `None` if this process cannot read anything there.
    fn prefix_target(&self, anchor: &Anchor, about: &Path, is_now: bool) -> Result<Option<PathBuf>, Errno> {
        let roots = &self.opener.roots;
        let prefix = &anchor.prefix;
        let root = anchor.root_index.and_then(|index| roots.list.get(index));
        let found = match (anchor.root_index, root) {
            (_, root) if is_now => {
                let anchor = root.map(Root::descriptor).transpose()?;
                let lookup = CachedLookup { is_beneath: anchor.is_some(), forbids_links: false };
                system::resolve_cached(anchor, prefix, Access::Look, lookup).map_err(Stop::from)
            }
            (Some(root_index), _) => {
                roots.open(&RootedPath { root_index, path: path_bytes(prefix) }, Access::Look)
            }
            // A server that does not respond must not block reads of files elsewhere.
            (None, _) if remote_mount(prefix).is_some() && remote_mount(about).is_none() => return Ok(None),
            (None, _) => system::open_path(prefix, Access::Look).map_err(Stop::from),
        };
        match found {
            Ok(found) => {
                let named = system::named_path(found.as_descriptor());
                let named = named.or_else(|| {
                    let base =
                        root.map_or_else(|| self.working_directory.to_path_buf(), |root| root.real.clone());
                    system::canonical(&base.join(prefix)).ok()
                });
                named.map(Some).ok_or(Errno::ACCESS)
            }
            // A FIFO, a socket or a device is never read, so the rule has no effect.
            Err(Stop::Outside | Stop::Special { .. }) => Ok(None),
            Err(Stop::Failed { errno, .. }) => match errno {
                Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP | Errno::NAMETOOLONG => Ok(None),
                errno => Err(errno),
            },
        }
    }
}
