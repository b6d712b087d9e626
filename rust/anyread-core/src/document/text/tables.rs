//! Tables: their rows, and the cells of each.

use super::{Open, Text};
use crate::document::writer::Block;
use crate::sheet::letters;
use crate::xml::Tag;

/// The most columns of a table.
const COLUMNS: usize = 1_024;
/// The most columns that a cell has, or that a row leaves free; Word allows 63.
const MERGED: usize = 63;

/// A table that is being written.
#[derive(Clone, Default)]
pub(super) struct Table {
    /// The number of the row, of those that are shown.
    row: usize,
    column: usize,
    pub(super) is_row_deleted: bool,
    /// The columns that the row leaves free at its start and its end.
    before: usize,
    after: usize,
    /// The columns of the cell.
    span: usize,
    /// Whether it belongs to the cell above, so that its own text is hidden.
    pub(super) is_continued: bool,
}

impl Table {
    /// Takes a property of a row or of a cell; returns whether it is one.
    pub(super) fn take(&mut self, tag: &Tag<'_>) -> bool {
        let number = || tag.number("val").unwrap_or(0_usize).min(MERGED);
        match tag.name {
            "gridSpan" => self.span = number().max(1),
            "gridBefore" => self.before = number(),
            "gridAfter" => self.after = number(),
            "vMerge" => self.is_continued = tag.get("val").is_none_or(|value| value != "restart"),
            _ => return false,
        }
        true
    }
}

impl Text<'_> {
    /// Whether the properties of a row are read.
    pub(super) fn is_in_row(&self) -> bool {
        let depth = self.stack.len();
        depth > 1 && matches!(self.stack.get(depth - 2), Some(Open::Row))
    }

    pub(super) fn start_table(&mut self, name: &str) -> Option<Open> {
        match (name, self.tables.last_mut()) {
            ("tbl", _) => {
                let is_nested = self.writer.level().is_cell;
                if is_nested {
                    self.writer.begin_level();
                    self.writer.level().last = Block::None;
                } else {
                    let label = std::mem::take(&mut self.label);
                    if !label.is_empty() {
                        self.writer.begin_block(Block::Other);
                        self.writer.put(label.trim_end());
                        self.writer.end_line();
                    }
                    self.writer.begin_block(Block::Other);
                }
                self.tables.push(Table::default());
                Some(Open::Table { is_nested })
            }
            ("tr", Some(table)) => {
                *table = Table { row: table.row, ..Table::default() };
                Some(Open::Row)
            }
            ("tc", Some(table)) => {
                if table.is_row_deleted {
                    return None;
                }
                (table.span, table.is_continued) = (1, false);
                let is_first = table.column == 0;
                if is_first {
                    (table.row, table.column) = (table.row + 1, table.before);
                    self.writer.put("|");
                    self.writer.put(&"  |".repeat(table.before));
                }
                table.column += 1;
                self.writer.put(" ");
                let level = self.writer.level();
                (level.is_cell, level.is_begun) = (true, false);
                Some(Open::Cell)
            }
            _ => Some(Open::Other),
        }
    }

    pub(super) fn end_cell(&mut self) {
        self.writer.end_joined();
        let Some(table) = self.tables.last_mut() else { return };
        let span = table.span.min(COLUMNS.saturating_sub(table.column));
        table.column += span.saturating_sub(1);
        if table.is_continued {
            self.writer.put("(as above)");
        }
        if span > 1 {
            self.writer.put(&format!(" ({span} columns)"));
        }
        self.writer.put(" |");
        for _ in 1..span {
            self.writer.put(" |");
        }
        self.writer.level().is_cell = false;
    }

    pub(super) fn end_row(&mut self) {
        let Some(table) = self.tables.last() else { return };
        let (row, column, after) = (table.row, table.column, table.after);
        if column == 0 {
            return;
        }
        self.writer.put(&"  |".repeat(after));
        self.writer.put("\n");
        if row == 1 {
            self.writer.put("|");
            for _ in 0..column + after {
                self.writer.put(" --- |");
            }
            self.writer.put("\n");
        }
        self.writer.show_held(false);
    }

    pub(super) fn end_table(&mut self, is_nested: bool) {
        self.tables.pop();
        let level = self.writer.level();
        (level.last, level.is_begun) = (Block::Other, true);
        if !is_nested {
            return;
        }
        let title = self.title_in_table("table");
        self.writer.end_level(&title);
    }

    /// The title of what is shown after the row of its cell; empty outside of tables.
    pub(super) fn title_in_table(&self, kind: &str) -> String {
        self.tables.last().map_or(String::new(), |outer| {
            format!("[{kind} in row {}, column {}]\n", outer.row, letters(outer.column))
        })
    }
}
