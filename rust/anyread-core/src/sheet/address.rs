//! Addresses of cells and areas: `B2`, `$B$2:F20`.

/// The most columns; Excel has 16,384.
const COLUMNS: u32 = 1 << 20;

/// A rectangle of cells; rows and columns count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// The first row.
    pub first_row: u32,
    /// The first column.
    pub first_column: u32,
    /// The last row.
    pub last_row: u32,
    /// The last column.
    pub last_column: u32,
}

impl Area {
    /// Parses an address of a cell or of an area.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once(':').unwrap_or((text, text));
        let ((first_row, first_column), (last_row, last_column)) =
            (parse_address(first)?, parse_address(last)?);
        Some(Self { first_row, first_column, last_row, last_column })
    }
}

/// A column as Excel names it: A to Z, then AA.
pub(crate) fn letters(column: usize) -> String {
    let mut rest = column;
    let mut text = String::new();
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or(0);
        text.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    text
}

/// The row and the column of a cell's address.
#[must_use]
pub fn parse_address(text: &str) -> Option<(u32, u32)> {
    let (mut column, mut row) = (0_u32, 0_u32);
    for byte in text.bytes() {
        match byte {
            b'$' => {}
            b'A'..=b'Z' | b'a'..=b'z' if row == 0 => {
                column = column * 26 + u32::from(byte.to_ascii_uppercase() - b'A') + 1;
            }
            b'0'..=b'9' => row = row.checked_mul(10)?.checked_add(u32::from(byte - b'0'))?,
            _ => return None,
        }
        if column > COLUMNS {
            return None;
        }
    }
    (column > 0 && row > 0).then_some((row, column))
}
