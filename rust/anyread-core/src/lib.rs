#![doc = include_str!("../README.md")]
//!
//! ## The pipeline
//!
//! One read is one pass through this pipeline:
//!
//! 1. [`open`] opens the path safely: below its roots, never blocking, regular files only.
//! 2. A [`snapshot`] of the opened file is taken. All bytes come from a [`source`] of the snapshot's size.
//! 3. [`sniff`] distinguishes text from everything else by the first 8 KiB.
//! 4. [`text`] decides once per snapshot how bytes become characters ([`encoding`]) and what ends a line.
//! 5. [`index`] finds the window's first line. It is a sparse count of line endings, built as far as needed
//!    by [`scan`] (under the [`guard`] if it maps the file) and kept in a registry that all readers share.
//! 6. [`page`] reads from there, clips and numbers the lines ([`gutter`]) and applies the budget ([`tokens`]).
//! 7. [`engine`] drives these steps and finally checks whether the file changed during the read.

pub mod allowed;
pub(crate) mod byte_count;
pub mod cache;
pub mod copies;
pub mod device;
pub mod document;
pub mod encoding;
pub mod engine;
pub mod error;
pub mod facts;
pub mod find;
pub mod fork;
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub mod guard;
#[cfg(not(target_os = "linux"))]
#[path = "guard/absent.rs"]
pub mod guard;
pub mod gutter;
pub mod ignore_rules;
pub mod index;
pub mod inflate;
#[cfg(test)]
#[allow(dead_code, reason = "shared with the tests in `tests`")]
#[path = "../tests/suite/input.rs"]
mod input;
pub mod lines;
#[allow(clippy::disallowed_types)]
pub mod lock;
pub mod mapping;
mod math;
pub mod memory;
pub mod notebook;
pub mod open;
pub mod package;
pub mod page;
pub mod present;
pub mod records;
pub mod registry;
#[allow(unsafe_code)]
pub mod sandbox;
pub mod scan;
pub mod sheet;
pub mod size;
pub mod slides;
pub mod snapshot;
pub mod sniff;
pub mod source;
pub mod stream;
pub mod system;
pub mod text;
pub mod tokens;
pub mod xml;
