//! Fuzz targets: generated inputs, compared with slow and simple readers.
//!
//! `cargo test` checks a fixed number of random inputs per target, the same in each run, after its seeds (`corpus`)
//! and the inputs that once found a bug (`crashes`), both in `fuzz/__fuzz__/<target>`.
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
mod packages;
mod scan;
mod sniffing;
mod texts;
mod units;

use std::fmt::Debug;

use crate::input::Input;

#[cfg(fuzzing)]
fn run<T: Debug>(name: &str, _count: u64, make: fn(&mut Input<'_>) -> T, check: fn(&T)) {
    bolero::check!(name = name).for_each(move |bytes: &[u8]| check(&make(&mut Input::from_bytes(bytes))));
}

#[cfg(not(fuzzing))]
fn run<T: Debug>(name: &str, count: u64, make: fn(&mut Input<'_>) -> T, check: fn(&T)) {
    use std::path::Path;

    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/fuzz/__fuzz__").join(name);
    let kept = ["crashes", "corpus"].iter().filter_map(|part| std::fs::read_dir(inputs.join(part)).ok());
    for path in kept.flatten().map(|entry| entry.unwrap().path()) {
        let bytes = std::fs::read(&path).unwrap();
        check_one(&path.to_string_lossy(), make(&mut Input::from_bytes(&bytes)), check);
    }
    for seed in 0..count {
        check_one(&format!("the seed {seed}"), make(&mut Input::random(seed)), check);
    }
}

#[cfg(not(fuzzing))]
fn check_one<T: Debug>(origin: &str, value: T, check: fn(&T)) {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let outcome = catch_unwind(AssertUnwindSafe(|| check(&value)));
    assert!(outcome.is_ok(), "the value of {origin} fails: {value:?}");
}
