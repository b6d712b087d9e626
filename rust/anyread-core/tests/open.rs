//! Opening files: confinement to roots, deny rules, special files and the repair of paths, on real
//! files and with both ways of resolving a path.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail them")]

#[path = "open/confinement.rs"]
mod confinement;
#[path = "open/deny.rs"]
mod deny;
#[path = "open/differential.rs"]
mod differential;
#[path = "open/race.rs"]
mod race;
#[path = "open/repair.rs"]
mod repair;
#[path = "open/special.rs"]
mod special;
#[path = "open/support.rs"]
mod support;
