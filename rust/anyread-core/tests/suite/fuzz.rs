//! Fuzz targets: generated inputs, compared with slow and simple readers.
//!
//! `cargo test` runs a fixed number of random inputs per target, after its seeds (`corpus`) and the inputs
//! that once found a bug (`crashes`), both in `fuzz/__fuzz__/<target>`.
//! `make fuzz` lets libFuzzer search with coverage feedback, and adds an input that finds a bug to `crashes`.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::panic,
    reason = "a test"
)]

mod codecs;
mod detection;
mod index;
mod layouts;
mod notebook;
mod scan;
mod sniffing;
mod texts;
mod units;
mod windows;
