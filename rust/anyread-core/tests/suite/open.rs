//! Opening files: confinement to roots, deny rules, special files and the repair of paths, on real
//! files and with both strategies for resolving a path.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test helpers may panic")]

mod confinement;
mod deny;
mod differential;
mod entries;
mod linked_rules;
mod now;
mod race;
mod repair;
mod secrets;
mod special;
mod support;
