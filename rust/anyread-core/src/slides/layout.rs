//! Where the placeholders of a slide are, which its layout and the master say.

/// A placeholder: an empty shape that slides fill.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placeholder {
    /// What it is for: `title`, `body`, or nothing for any content.
    pub kind: String,
    /// What distinguishes those of the same kind.
    pub index: String,
    /// Top and left.
    pub at: Option<(f64, f64)>,
    /// Whether its paragraphs have bullets.
    pub has_bullets: Option<bool>,
}

impl Placeholder {
    /// Whether it is what another one is made from.
    fn is_for(&self, other: &Self) -> bool {
        let content = |placeholder: &Self| placeholder.kind.is_empty() || placeholder.kind == "body";
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
    /// Whether it has other colors than white.
    pub has_colors: bool,
    /// Its placeholders.
    pub placeholders: Vec<Placeholder>,
}

impl Layout {
    /// Completes its placeholders by those of its master.
    pub fn inherit(&mut self, master: &Self) {
        self.has_colors |= master.has_colors;
        for placeholder in &mut self.placeholders {
            placeholder.inherit(master.placeholders.iter().find(|other| placeholder.is_for(other)));
        }
    }

    /// Completes a placeholder of a slide.
    pub fn complete(&self, placeholder: &mut Placeholder) {
        let by_index = self
            .placeholders
            .iter()
            .find(|other| other.index == placeholder.index && !placeholder.index.is_empty());
        let found = by_index.or_else(|| self.placeholders.iter().find(|other| placeholder.is_for(other)));
        placeholder.inherit(found);
    }
}
