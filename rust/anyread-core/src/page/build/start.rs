//! Finds where a window begins.

use crate::error::{Error, ErrorKind, Result};
use crate::page::Window;
use crate::page::view::{Position, View};

/// Where a window begins.
pub(super) struct Start {
    /// The number of the first line.
    pub(super) number: i64,
    /// The first character in that line, counted from 1.
    pub(super) column: u64,
    /// The position of that character.
    pub(super) position: Position,
}

impl Start {
    /// Finds the start of a window; `total` is the number of lines, if they are counted.
    pub(super) fn locate(view: &View<'_>, window: Window, total: Option<u64>) -> Result<Self> {
        // Lines that cannot be found backward are counted.
        let total = match total {
            None if window.offset < 0 && !view.reads_backward() => Some(view.total_lines()?),
            total => total,
        };
        let (number, position) = match (u64::try_from(window.offset), total) {
            (Ok(number), _) => (number.max(1).cast_signed(), view.line_start(number.max(1))?),
            (Err(_), Some(total)) => {
                let number = total.saturating_sub(window.offset.unsigned_abs()) + 1;
                (number.cast_signed(), view.line_start(number)?)
            }
            (Err(_), None) => {
                let wanted = window.offset.unsigned_abs();
                let (position, lines) = view.tail_start(wanted)?;
                (if lines < wanted { 1 } else { window.offset }, position)
            }
        };
        if window.column <= 1 {
            return Ok(Self { number, column: 1, position });
        }
        let (found, missing) = view.column(position.byte, window.column)?;
        match found {
            // After its last character, the next line begins.
            Some(position) if position.starts_line && missing == 0 => {
                Ok(Self { number: number + 1, column: 1, position })
            }
            Some(position) if !position.starts_line => Ok(Self { number, column: window.column, position }),
            _ => {
                let (column, characters) = (window.column, window.column - 1 - missing);
                Err(Error::new(view.path, ErrorKind::ColumnPastEnd { column, line: number, characters }))
            }
        }
    }
}
