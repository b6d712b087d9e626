//! The tests of the core's public API, in one program because linking is slow.

mod encodings;
mod engine;
mod fuzz;
// Signals are of Unix.
#[cfg(unix)]
mod guard;
mod input;
mod layouts;
#[cfg(unix)]
mod long_lines;
mod notebook;
// Their trees have links.
#[cfg(unix)]
mod open;
mod opened;
mod order;
#[allow(unsafe_code)]
mod sandbox;
mod scan;
mod tokens;
