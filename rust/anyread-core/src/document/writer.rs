//! Where the text of a document goes: to its lines, or first to what is shown after a row or a paragraph.

use crate::lines::{LineTaker, Lines, Wanted};

/// The most bytes of tables inside of cells, and of text boxes, that are held until they are shown.
const HELD: usize = 4 << 20;

/// What the last block was; lines of lists follow one another without an empty line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Block {
    #[default]
    None,
    Item,
    Other,
}

/// A text that is shown later, and its images, each at an index of it.
#[derive(Debug, Default)]
struct Held {
    text: String,
    images: Vec<(usize, usize)>,
}

impl Held {
    fn append(&mut self, other: Self) {
        let start = self.text.len();
        self.images.extend(other.images.into_iter().map(|(at, image)| (start + at, image)));
        self.text.push_str(&other.text);
    }
}

/// A text of its own: the document, a table inside of a cell, a text box.
#[derive(Debug, Default)]
pub(super) struct Level {
    held: Held,
    /// What is shown after the row or the paragraph.
    after: Held,
    pub(super) last: Block,
    /// Whether the text goes to a cell of a table, and whether that has any yet.
    pub(super) is_cell: bool,
    pub(super) is_begun: bool,
    /// Whether the mark of the last paragraph is deleted, so that the next one continues its line.
    pub(super) is_joined: bool,
    /// The last character of that paragraph.
    pub(super) last_char: Option<char>,
}

impl Level {
    /// Whether anything is shown after the row or the paragraph.
    pub(super) fn holds(&self) -> bool {
        !self.after.text.is_empty()
    }
}

/// The writer.
pub(super) struct Writer {
    taker: LineTaker,
    pub(super) is_full: bool,
    /// The document first.
    levels: Vec<Level>,
    held: usize,
    /// How many bytes were written so far.
    pub(super) written: u64,
}

impl Writer {
    pub(super) fn new(taker: LineTaker) -> Self {
        Self { taker, is_full: false, levels: vec![Level::default()], held: 0, written: 0 }
    }

    /// The number of the line that begins here and what the last block was, if nothing is open or held.
    pub(super) fn position(&self) -> Option<(u64, Block)> {
        let [level] = &self.levels[..] else { return None };
        let is_between = !level.is_joined && !level.is_cell && !level.holds();
        self.taker.line().filter(|_| is_between).map(|line| (line, level.last))
    }

    /// Continues at a position.
    pub(super) fn resume(&mut self, (line, last): (u64, Block), wanted: Wanted) {
        self.taker = LineTaker::at(line, wanted);
        self.level().last = last;
    }

    pub(super) fn finish(self) -> Lines {
        self.taker.finish()
    }

    pub(super) fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// Whether what is written is the document's own text.
    pub(super) fn is_at_document(&self) -> bool {
        self.levels.len() == 1
    }

    /// Writes text as it is.
    pub(super) fn put(&mut self, text: &str) {
        self.written += text.len() as u64;
        if self.levels.len() > 1 {
            self.held += text.len();
            self.level().held.text.push_str(text);
        } else {
            self.is_full |= !self.taker.take(text.as_bytes(), false);
        }
    }

    /// Puts an image after what was written.
    pub(super) fn put_image(&mut self, image: usize) {
        if self.levels.len() > 1 {
            self.held += size_of::<(usize, usize)>();
            let held = &mut self.level().held;
            held.images.push((held.text.len(), image));
        } else {
            self.taker.put_image(image);
        }
    }

    /// Whether what is written now is in no line that is wanted.
    pub(super) fn is_before(&self) -> bool {
        self.levels.len() == 1 && self.taker.is_before()
    }

    /// Writes text of the document: in a cell, bars and line ends are escaped.
    pub(super) fn put_text(&mut self, text: &str) {
        if !self.level().is_cell {
            return self.put(text);
        }
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.put("<br>");
            }
            for (index, part) in line.split('|').enumerate() {
                if index > 0 {
                    self.put("\\|");
                }
                self.put(part);
            }
        }
    }

    /// Begins a block: after another one there is an empty line, in a cell a line break.
    pub(super) fn begin_block(&mut self, block: Block) {
        self.end_joined();
        let level = self.level();
        let (is_first, last) = (!level.is_begun, level.last);
        level.is_begun = true;
        level.last = block;
        if level.is_cell {
            self.put(if is_first { "" } else { "<br>" });
        } else if last != Block::None && !(last == Block::Item && block == Block::Item) {
            self.put("\n");
        }
    }

    /// Ends a line that waited for the next paragraph.
    pub(super) fn end_joined(&mut self) {
        if std::mem::take(&mut self.level().is_joined) {
            self.end_line();
        }
    }

    /// Ends the line of a paragraph; cells go on.
    pub(super) fn end_line(&mut self) {
        if !self.level().is_cell {
            self.put("\n");
        }
    }

    /// Begins a text of its own.
    pub(super) fn begin_level(&mut self) {
        self.levels.push(Level::default());
    }

    /// Ends it; it is shown after the row or the paragraph, below a title.
    pub(super) fn end_level(&mut self, title: &str) {
        self.end_joined();
        if self.levels.len() < 2 {
            return;
        }
        let Some(ended) = self.levels.pop() else { return };
        let after = &mut self.level().after;
        if !ended.held.text.is_empty() {
            if title.is_empty() && !after.text.is_empty() {
                after.text.push('\n');
            }
            after.text.push_str(title);
            after.append(ended.held);
        }
        after.append(ended.after);
    }

    /// Shows what was held until now, unless a cell still goes on; text boxes are blocks.
    pub(super) fn show_held(&mut self, is_block: bool) {
        let level = self.level();
        if level.after.text.is_empty() || level.is_cell {
            return;
        }
        let held = std::mem::take(&mut level.after);
        if is_block {
            self.begin_block(Block::Other);
        }
        let mut start = 0;
        for (at, image) in held.images {
            self.put(held.text.get(start..at).unwrap_or_default());
            self.put_image(image);
            start = at;
        }
        self.put(held.text.get(start..).unwrap_or_default());
        if self.levels.len() == 1 {
            self.held = 0;
        }
    }

    /// Whether more is held than may be.
    pub(super) fn holds_too_much(&self) -> bool {
        self.held > HELD
    }
}
