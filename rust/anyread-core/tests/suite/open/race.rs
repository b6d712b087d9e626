//! GHSA-p9cv-8g75-4xcg: between check and open, a file inside is replaced by a link to the outside.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::support::{STRATEGIES, Tree, anywhere, outcome};

/// How often both sides of the swap must be observed.
const SEEN: u32 = 500;

/// Reads `path` while `inside` and `trap` are swapped continuously.
fn race(tree: &Tree, inside: &str, trap: &str, path: &str) {
    let names = [tree.root.join(inside), tree.root.join(trap)];
    for strategy in STRATEGIES {
        let opener = tree.opener(strategy);
        let stop = AtomicBool::new(false);
        let (mut read, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    renameat_with(CWD, &names[0], CWD, &names[1], RenameFlags::EXCHANGE).unwrap();
                }
            });
            let end = Instant::now() + Duration::from_secs(20);
            let mut wrong = None;
            while (read < SEEN || refused < SEEN) && wrong.is_none() && Instant::now() < end {
                match outcome(&opener, Path::new(path)).as_str() {
                    "read inside" => read += 1,
                    "outside" => refused += 1,
                    other => wrong = Some(other.to_owned()),
                }
            }
            stop.store(true, Ordering::Relaxed);
            assert_eq!(wrong, None, "by {strategy:?}");
        });
        assert!(read >= SEEN && refused >= SEEN, "{read} read, {refused} refused by {strategy:?}");
    }
    // Verify the attack: without roots one of the two names leads out.
    let led_out = |name: &str| {
        let path = path.replacen(inside, name, 1);
        outcome(&anywhere(), &tree.root.join(path)) == "read SECRET"
    };
    assert!(led_out(inside) || led_out(trap));
}

#[test]
fn test_ghsa_p9cv_swapped_directory_never_leads_out() {
    let tree = Tree::new();
    tree.file("root/box/secret", "inside");
    tree.link("root/trap", "../outside");
    race(&tree, "box", "trap", "box/secret");
}

#[test]
fn test_ghsa_p9cv_swapped_file_never_leads_out() {
    let tree = Tree::new();
    tree.file("root/file", "inside");
    tree.link("root/trap", "../outside/secret");
    race(&tree, "file", "trap", "file");
}
