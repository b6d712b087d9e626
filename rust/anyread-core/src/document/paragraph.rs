//! A paragraph: how it begins, and the emphasis and links of its text.

use super::marks::looks_like_heading;
use super::numbering::Numbering;
use super::styles::{Look, Style};
use super::writer::{Block, Writer};
use crate::package::Script;

/// The most bytes of spaces that are kept between two words.
const LONGEST_GAP: usize = 4 << 10;
/// The marks of italic, bold and struck text.
const EMPHASIS: [&str; 8] = ["", "*", "**", "***", "~~", "~~*", "~~**", "~~***"];
/// Three spaces for each level of a list.
const INDENT: &str = "                           ";

/// A paragraph that is being written.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one paragraph")]
pub(super) struct Paragraph {
    pub(super) style: Style,
    /// The look of the run that is being read.
    pub(super) run: Look,
    /// Whether its mark is deleted, so that the next paragraph continues it.
    pub(super) is_mark_deleted: bool,
    /// Whether it is a large letter with which the next paragraph begins.
    pub(super) is_drop_cap: bool,
    /// What precedes its text, such as `[header] `.
    pub(super) label: String,
    /// The target of the link that is open, and whether its text has begun.
    link: Option<(String, bool)>,
    is_begun: bool,
    /// Whether its list was counted.
    is_counted: bool,
    /// The marks of emphasis that are open.
    emphasis: &'static str,
    /// Whether the last text is raised or lowered, and what ends that.
    script: (Script, &'static str),
    /// Spaces after the last word.
    gap: String,
    last: Option<char>,
    /// Whether something between this and the next word is left out, so that they are two words.
    pub(super) is_parted: bool,
}

impl Paragraph {
    /// A paragraph that begins, or that continues the one before it.
    pub(super) fn new(writer: &mut Writer, label: String) -> Self {
        let is_begun = std::mem::take(&mut writer.level().is_joined);
        let last = writer.level().last_char.filter(|_| is_begun);
        Self { is_begun, is_counted: is_begun, is_parted: is_begun, last, label, ..Self::default() }
    }

    fn heading(&self) -> usize {
        self.style
            .heading
            .filter(|level| (1..=9).contains(level))
            .map_or(0, |level| usize::from(level.min(6)))
    }

    /// Counts its list and writes what precedes its text.
    pub(super) fn begin(&mut self, writer: &mut Writer, numbering: &mut Numbering) {
        if std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        let (heading, label) = (self.heading(), self.count(numbering));
        let is_item = label.is_some() && heading == 0;
        writer.begin_block(if is_item { Block::Item } else { Block::Other });
        writer.put(&std::mem::take(&mut self.label));
        if heading > 0 && !writer.level().is_cell {
            writer.put("######".get(..heading).unwrap_or_default());
            writer.put(" ");
        }
        if let Some(label) = label {
            let is_indented = is_item && !writer.level().is_cell;
            writer.put(if is_indented { self.indent() } else { "" });
            writer.put(&label);
            writer.put(" ");
        }
    }

    fn indent(&self) -> &'static str {
        let is_item = self.style.list.id.is_some_and(|id| id > 0);
        let level = self.style.list.level.filter(|_| is_item).unwrap_or(0).min(8);
        INDENT.get(..level * 3).unwrap_or_default()
    }

    fn count(&mut self, numbering: &mut Numbering) -> Option<String> {
        let is_counted = std::mem::replace(&mut self.is_counted, true);
        let list = self.style.list;
        let id = list.id.filter(|id| *id > 0 && !is_counted)?;
        numbering.label(id, list.level.unwrap_or(0))
    }

    /// Writes text of a run.
    pub(super) fn write(&mut self, writer: &mut Writer, numbering: &mut Numbering, text: &str) {
        let is_gap = |next: char| matches!(next, ' ' | '\t');
        let words = text.trim_matches(is_gap);
        let before = &text[..text.len() - text.trim_start_matches(is_gap).len()];
        let room = LONGEST_GAP.saturating_sub(self.gap.len()).min(before.len());
        self.gap.push_str(&before[..room]);
        let (Some(first), Some(last)) = (words.chars().next(), words.chars().next_back()) else { return };
        if !self.is_begun && writer.level().is_cell {
            self.gap.clear();
        }
        let is_plain = self.heading() > 0;
        let is_first = !self.is_begun && !is_plain && !writer.level().is_cell;
        self.begin(writer, numbering);
        if is_first && looks_like_heading(words) {
            writer.put("\\");
        }
        let is_struck = self.run.is_struck == Some(true);
        let is = |look: Option<bool>| usize::from(look == Some(true) && !is_plain);
        let wanted = EMPHASIS[is(self.run.is_italic) + 2 * is(self.run.is_bold) + 4 * usize::from(is_struck)];
        let is_inside =
            self.gap.is_empty() && self.last.is_some_and(char::is_alphanumeric) && first.is_alphanumeric();
        if std::mem::take(&mut self.is_parted) && is_inside {
            self.gap.push(' ');
        }
        let is_inside = is_inside && self.gap.is_empty();
        let opens_link = matches!(self.link, Some((_, false)));
        // Inside of a word, only what is struck is content.
        let is_whole = is_inside && is_struck == self.emphasis.starts_with('~');
        let changes = (wanted != self.emphasis && !is_whole) || (opens_link && !self.emphasis.is_empty());
        let script = self.run.script.unwrap_or_default();
        let marks = (script != self.script.0).then(|| {
            writer.put(self.script.1);
            script.marks(self.last.filter(|_| self.gap.is_empty()), words)
        });
        if changes {
            self.end_emphasis(writer);
        }
        writer.put(&self.gap);
        self.gap.clear();
        if let Some((_, has_begun)) = self.link.as_mut().filter(|(_, has_begun)| !has_begun) {
            *has_begun = true;
            writer.put("[");
        }
        if changes {
            self.emphasis = wanted;
            writer.put(wanted);
        }
        if let Some((begin, end)) = marks {
            writer.put(begin);
            self.script = (script, end);
        }
        writer.put_text(words);
        self.last = Some(last);
        let after = &text[before.len() + words.len()..];
        self.gap.push_str(&after[..LONGEST_GAP.min(after.len())]);
    }

    fn end_emphasis(&mut self, writer: &mut Writer) {
        let marks = std::mem::take(&mut self.emphasis);
        writer.put(&marks.chars().rev().collect::<String>());
    }

    /// Ends what the formatting of the last text began.
    fn end_looks(&mut self, writer: &mut Writer) {
        writer.put(std::mem::take(&mut self.script).1);
        self.end_emphasis(writer);
    }

    /// Writes a mark, such as that of an image.
    pub(super) fn write_mark(&mut self, writer: &mut Writer, numbering: &mut Numbering, mark: &str) {
        self.begin(writer, numbering);
        writer.put(&std::mem::take(&mut self.gap));
        writer.put_text(mark);
        self.last = None;
    }

    /// Writes a line break; a heading is always one line.
    pub(super) fn write_break(&mut self, writer: &mut Writer) {
        if !self.is_begun {
            return;
        }
        if self.heading() > 0 {
            " ".clone_into(&mut self.gap);
            return;
        }
        self.gap.clear();
        writer.put_text("\n");
        let indent = if writer.level().is_cell { "" } else { self.indent() };
        writer.put(indent);
        self.last = None;
    }

    /// Keeps words apart that a page break separates.
    pub(super) fn part(&mut self) {
        if self.is_begun && self.gap.is_empty() {
            self.gap.push(' ');
        }
    }

    /// Lets something be shown in the middle of it; what follows begins a line.
    pub(super) fn pause(&mut self, writer: &mut Writer) {
        self.end_link(writer);
        self.end_looks(writer);
        self.gap.clear();
        (self.is_begun, self.last) = (false, None);
    }

    /// Begins a link to an address, which is empty if there is none; one inside of another ends that.
    pub(super) fn begin_link(&mut self, writer: &mut Writer, target: String) {
        self.end_link(writer);
        self.link = Some((target, false)).filter(|(target, _)| !target.is_empty());
    }

    /// Ends it; without text it shows nothing.
    pub(super) fn end_link(&mut self, writer: &mut Writer) {
        if let Some((target, true)) = self.link.take() {
            self.end_looks(writer);
            writer.put("](");
            writer.put_text(&target);
            writer.put(")");
            self.last = None;
        }
    }

    /// Ends the paragraph, and returns its label if nothing of it was shown.
    pub(super) fn end(mut self, writer: &mut Writer, numbering: &mut Numbering) -> String {
        self.end_link(writer);
        if !self.label.is_empty() && writer.level().holds() {
            self.label.truncate(self.label.trim_end().len());
            self.begin(writer, numbering);
        }
        self.count(numbering);
        self.end_looks(writer);
        if self.is_begun && self.is_drop_cap {
            (writer.level().is_joined, writer.level().last_char) = (true, None);
        } else if self.is_begun && self.is_mark_deleted {
            (writer.level().is_joined, writer.level().last_char) = (true, self.last);
        } else if self.is_begun {
            writer.end_line();
        }
        if !self.is_mark_deleted {
            writer.show_held(true);
        }
        self.label
    }
}
