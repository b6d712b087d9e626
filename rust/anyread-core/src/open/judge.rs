//! What the deny rules say of real paths, given where roots and the rules' own directories are right now.
//!
//! A rule is text, and so is a real path, but directories are renamed, moved and linked. So each read finds out again
//! where its roots are and where the literal beginnings of the rules lead.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, ResolveFlags};
use rustix::io::Errno;

use super::deny::Anchor;
use super::location::named_path;
use super::root::{Root, RootedPath, Stop};
use super::{LOOK, Opener, base_of, open_anywhere};
use crate::device::remote::remote_mount;

/// The deny rules at one moment.
pub(super) struct Judge<'o> {
    opener: &'o Opener,
    /// Where each root is, in their order.
    roots: Vec<PathBuf>,
    /// What relative rules are seen from where there are no roots.
    working_folder: Cow<'static, Path>,
    /// Where the prefix of each rule leads that has one, if it exists.
    places: Vec<(&'o Anchor, PathBuf)>,
}

impl<'o> Judge<'o> {
    /// The rules as they hold for the file whose real path is `about`; with `is_now`, without waiting for anything.
    ///
    /// # Errors
    /// A system call failed, so that a rule's place is not known.
    pub(super) fn new(opener: &'o Opener, about: &Path, is_now: bool) -> Result<Self, Errno> {
        let mut judge = Self {
            opener,
            roots: Vec::new(),
            working_folder: Cow::Borrowed(Path::new("/")),
            places: Vec::new(),
        };
        if opener.deny.is_empty() {
            return Ok(judge);
        }
        if opener.roots.list.is_empty() {
            judge.working_folder = base_of(Path::new(""));
        }
        judge.roots = opener.roots.list.iter().map(Root::current_path).collect();
        for anchor in opener.deny.anchors() {
            if let Some(place) = judge.place_of(anchor, about, is_now)? {
                judge.places.push((anchor, place));
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
            return rules.matching(real_path, [&*self.working_folder]).or_else(|| self.anchored(real_path));
        }
        let whole = rules.rule_of(real_path).or_else(|| self.anchored(real_path));
        whole.or_else(|| {
            let roots = self.opener.roots.list.iter().zip(&self.roots);
            roots.into_iter().find_map(|(root, present)| {
                let inside = real_path.strip_prefix(present).ok()?;
                let names = [&root.given, &root.real].into_iter().filter(|name| *name != present);
                rules.rule_of(inside).or_else(|| {
                    // As it would read if the root still was where the rules know it to be.
                    names.map(|name| name.join(inside)).find_map(|path| {
                        let path: PathBuf = path.components().collect();
                        rules.rule_of(&path).or_else(|| self.anchored(&path))
                    })
                })
            })
        })
    }

    /// Whether the rules can be held against a real path: below the roots its place in one must be known.
    pub(super) fn knows(&self, real_path: &Path) -> bool {
        self.roots.is_empty() || self.roots.iter().any(|root| real_path.starts_with(root))
    }

    fn anchored(&self, real_path: &Path) -> Option<&'o str> {
        let covering = self.places.iter().find(|(anchor, place)| {
            real_path.strip_prefix(place).is_ok_and(|below_prefix| anchor.covers(below_prefix))
        });
        covering.map(|(anchor, _)| anchor.rule.as_str())
    }

    /// Where the prefix of a rule leads; `None`: nowhere that this process can read.
    fn place_of(&self, anchor: &Anchor, about: &Path, is_now: bool) -> Result<Option<PathBuf>, Errno> {
        let roots = &self.opener.roots;
        let prefix = &anchor.prefix;
        let root = anchor.root_index.and_then(|index| roots.list.get(index));
        let found = match (anchor.root_index, root) {
            (_, Some(root)) if is_now => {
                let resolve = ResolveFlags::CACHED | ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
                rustix::fs::openat2(root.descriptor(), prefix, LOOK, Mode::empty(), resolve)
                    .map_err(Stop::from)
            }
            (_, None) if is_now => {
                rustix::fs::openat2(CWD, prefix, LOOK, Mode::empty(), ResolveFlags::CACHED)
                    .map_err(Stop::from)
            }
            (Some(root_index), _) => {
                roots.open(RootedPath { root_index, path: prefix.as_os_str().as_bytes() }, LOOK)
            }
            // A server that does not answer must not keep files from being read that lie elsewhere.
            (None, _) if remote_mount(prefix).is_some() && remote_mount(about).is_none() => return Ok(None),
            (None, _) => open_anywhere(prefix, LOOK).map_err(Stop::from),
        };
        match found {
            Ok(found) => {
                let named = named_path(&found);
                let named = named.or_else(|| {
                    let base =
                        root.map_or_else(|| self.working_folder.to_path_buf(), |root| root.real.clone());
                    std::fs::canonicalize(base.join(prefix)).ok()
                });
                named.map(Some).ok_or(Errno::ACCESS)
            }
            Err(Stop::Outside) => Ok(None),
            Err(Stop::Failed { errno, .. }) => match errno {
                Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP | Errno::NAMETOOLONG => Ok(None),
                errno => Err(errno),
            },
        }
    }
}
