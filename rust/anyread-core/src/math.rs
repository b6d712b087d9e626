//! Equations of Office as linear text: `(a)/(b)`, `x^(2)`, `√(3&x)`.
//!
//! Source: ECMA-376-1, section 22.1; Unicode Technical Note 28.

use crate::xml::Tag;

/// The elements of an equation that are open.
#[derive(Debug, Default)]
pub struct Equation {
    open: Vec<Element>,
}

/// An element, and what is written around its parts.
#[derive(Debug, Default)]
struct Element {
    begin: String,
    between: String,
    end: String,
    /// How many parts have begun.
    parts: usize,
    /// Whether it is a sum, an integral or the like.
    is_nary: bool,
    /// Whether its limit is above it.
    is_upper: bool,
    /// Whether its degree, its lower and its upper limit are hidden.
    hidden: [bool; 3],
}

impl Equation {
    /// Begins an element; returns what is written before its content.
    pub fn start(&mut self, tag: &Tag<'_>) -> String {
        self.take_property(tag);
        let mut before = String::new();
        let (mut hidden, mut is_upper) = ([false; 3], false);
        if let Some(parent) = self.open.last_mut() {
            (hidden, is_upper) = (parent.hidden, parent.is_upper);
            if matches!(tag.name, "e" | "mr" | "deg" | "sub" | "sup") {
                before.push_str(if parent.parts == 0 { &parent.begin } else { &parent.between });
                parent.parts += 1;
            }
        }
        let mut element = Element::default();
        let around = match tag.name {
            "num" => ["(", "", "", ")/"],
            "den" => ["(", "", "", ")"],
            "sub" if !hidden[1] => ["_(", "", "", ")"],
            "sup" if !hidden[2] => ["^(", "", "", ")"],
            "lim" if is_upper => ["^(", "", "", ")"],
            "lim" => ["_(", "", "", ")"],
            "deg" if !hidden[0] => ["", "", "", "&"],
            "rad" => ["", "√(", "", ")"],
            "d" => ["", "(", "|", ")"],
            "nary" => ["", "∫", "", ""],
            "acc" => ["", "", "", "\u{302}"],
            "m" | "eqArr" => ["", "", "; ", ""],
            "mr" => ["", "", " ", ""],
            "fName" => ["", "", "", " "],
            _ => [""; 4],
        };
        before.push_str(around[0]);
        [element.begin, element.between, element.end] =
            [around[1], around[2], around[3]].map(ToOwned::to_owned);
        (element.is_nary, element.is_upper) = (tag.name == "nary", tag.name == "limUpp");
        self.open.push(element);
        before
    }

    /// Ends the innermost element; returns what is written after its content.
    pub fn end(&mut self) -> String {
        self.open.pop().map_or(String::new(), |element| element.end)
    }

    /// Takes what the properties of an element say about it.
    fn take_property(&mut self, tag: &Tag<'_>) {
        let owner = self.open.len().checked_sub(2).and_then(|at| self.open.get_mut(at));
        let Some(owner) = owner else { return };
        // Each of them is one character.
        let value =
            || tag.get("val").and_then(|value| value.chars().next()).map(String::from).unwrap_or_default();
        let is_on = || tag.flag("val").unwrap_or(true);
        match tag.name {
            "begChr" => owner.begin = value(),
            "sepChr" => owner.between = value(),
            "chr" if owner.is_nary => owner.begin = value(),
            "endChr" | "chr" => owner.end = value(),
            "degHide" => owner.hidden[0] = is_on(),
            "subHide" => owner.hidden[1] = is_on(),
            "supHide" => owner.hidden[2] = is_on(),
            _ => {}
        }
    }
}
