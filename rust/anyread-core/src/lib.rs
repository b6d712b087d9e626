#![doc = include_str!("../README.md")]
//!
//! ## The pipeline
//!
//! One read is one pass through this pipeline:
//!
//! 1. [`open`] opens the path safely: below its roots, never blocking, regular files only.
//! 2. A [`snapshot`] is taken of the opened file, the [`source`] of all bytes; nothing after its size is looked at.
//! 3. [`sniff`] tells text from everything else by the first 8 KiB.
//! 4. [`text`] decides once a snapshot how bytes become characters ([`encoding`]) and what ends a line.
//! 5. [`index`] finds the window's first line: a sparse count of line endings, built as far as needed by
//!    [`scan`] (under the [`guard`] where it maps the file), kept in a registry that all readers of the process share.
//! 6. [`page`] reads on from there, clips, numbers ([`gutter`]) and budgets ([`tokens`]) the lines.
//! 7. [`engine`] drives these and looks at the end whether the file changed under them.

pub mod device;
pub mod encoding;
pub mod engine;
pub mod error;
pub mod facts;
pub mod fork;
pub mod guard;
pub mod gutter;
pub mod index;
pub mod lock;
pub mod notebook;
pub mod open;
pub mod page;
pub mod sandbox;
pub mod scan;
pub mod size;
pub mod snapshot;
pub mod sniff;
pub mod source;
pub mod text;
pub mod tokens;
