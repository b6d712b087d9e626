//! The tests of the core from outside, in one program: linking is what takes long.

mod encodings;
mod engine;
mod guard;
mod layouts;
mod long_lines;
mod notebook;
mod open;
mod opened;
mod oracle;
mod sandbox;
mod scan;
mod tokens;
