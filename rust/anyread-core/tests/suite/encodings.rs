//! Encodings: detection, decoding, counting and cutting of characters, and detection of file types.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test helpers may panic")]

mod corpus;
mod decoding;
mod detection;
mod names;
mod sniffing;
pub mod support;
