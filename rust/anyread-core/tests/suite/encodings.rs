//! How bytes become characters: detection, decoding, counting, cutting, and what a file is at all.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail them")]

mod corpus;
mod decoding;
mod detection;
mod names;
mod sniffing;
mod support;
