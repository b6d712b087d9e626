//! Where the placeholders of a slide are, which its layout and the master say.

use super::walk::Walk;
use crate::error::Result;
use crate::package::Parts;

/// The most bytes of a layout that are kept.
const LONGEST: usize = 64 << 10;

/// A placeholder: an empty shape that slides fill.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Place {
    /// What it is for: `title`, `body`, or nothing for any content.
    pub kind: String,
    /// What distinguishes those of the same kind.
    pub index: String,
    /// Top and left.
    pub at: Option<(f64, f64)>,
    /// Whether its paragraphs have bullets.
    pub has_bullets: Option<bool>,
}

impl Place {
    /// Whether it is what another one is made from.
    fn is_for(&self, other: &Self) -> bool {
        let content = |place: &Self| place.kind.is_empty() || place.kind == "body";
        self.kind == other.kind || (content(self) && content(other))
    }

    /// Takes what is not known from another one.
    fn inherit(&mut self, other: Option<&Self>) {
        self.at = self.at.or(other.and_then(|other| other.at));
        self.has_bullets = self.has_bullets.or(other.and_then(|other| other.has_bullets));
    }
}

/// A layout of slides.
#[derive(Debug, Default)]
pub struct Layout {
    /// Its name.
    pub name: String,
    places: Vec<Place>,
}

impl Layout {
    /// Reads a layout and its master; one that is missing has no placeholders.
    pub fn read(parts: Parts<'_>, part: &str) -> Result<Self> {
        let mut layout = Self::of(parts, part)?;
        let relations = parts.internal_relations(part)?;
        if let Some(master) = relations.find("slideMaster").filter(|_| !part.is_empty()) {
            let master = Self::of(parts, master)?;
            for place in &mut layout.places {
                let found = master.places.iter().find(|other| place.is_for(other)).cloned();
                place.inherit(found.as_ref());
            }
        }
        Ok(layout)
    }

    fn of(parts: Parts<'_>, part: &str) -> Result<Self> {
        let mut walk = Walk::of_places(LONGEST);
        if parts.locate(part)?.is_some() {
            walk.run(parts, part)?;
        }
        Ok(Self { name: walk.name, places: walk.places })
    }

    /// Completes a placeholder of a slide.
    pub fn complete(&self, place: &mut Place) {
        let by_index = self.places.iter().find(|other| other.index == place.index && !place.index.is_empty());
        let found = by_index.or_else(|| self.places.iter().find(|other| place.is_for(other)));
        place.inherit(found);
    }
}
