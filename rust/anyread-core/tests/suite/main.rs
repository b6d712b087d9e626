//! The tests of the core's public API, in one program because linking is slow.

mod encodings;
mod engine;
mod fuzz;
mod guard;
mod input;
mod layouts;
mod long_lines;
mod notebook;
mod open;
mod opened;
mod order;
#[allow(unsafe_code)]
mod sandbox;
mod scan;
mod tokens;
