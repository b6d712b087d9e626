//! Workbooks: what a cell shows.

pub mod format;
