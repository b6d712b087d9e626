//! Text for the token tests: samples from disk and generated text.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The names and texts of the samples in `tests/suite/samples`, which were all written for this test.
pub fn samples() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/samples");
    let mut samples: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| {
            (path.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    samples.sort();
    samples
}

/// A deterministic pseudo-random number generator.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[usize::try_from(self.below(choices.len() as u64)).unwrap()]
    }

    fn draw(&mut self, alphabet: &str, length: usize) -> String {
        let characters: Vec<char> = alphabet.chars().collect();
        (0..length)
            .map(|_| characters[usize::try_from(self.below(characters.len() as u64)).unwrap()])
            .collect()
    }

    fn hex(&mut self, length: usize) -> String {
        self.draw("0123456789abcdef", length)
    }

    fn time(&mut self) -> String {
        format!("{:02}:{:02}:{:02}", self.below(24), self.below(60), self.below(60))
    }

    fn address(&mut self) -> String {
        format!("{}.{}.{}.{}", self.below(256), self.below(256), self.below(256), self.below(256))
    }

    fn phrase(&mut self) -> String {
        let words = [
            "request",
            "finished",
            "cache",
            "miss",
            "for",
            "user",
            "session",
            "expired",
            "while",
            "waiting",
            "retrying",
            "upstream",
            "timeout",
            "worker",
            "started",
            "connection",
            "closed",
            "by",
            "peer",
            "checkpoint",
            "written",
            "queue",
            "drained",
            "invalid",
            "certificate",
            "reloaded",
            "configuration",
        ];
        (0..3 + self.below(6)).map(|_| self.pick(&words)).collect::<Vec<_>>().join(" ")
    }
}

const KIB_16: usize = 16 * 1024;
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Up to 16 KiB of lines from `line`.
fn generate(line: impl Fn(&mut Noise) -> String) -> String {
    let mut noise = Noise(20_261_121);
    let mut text = String::new();
    while text.len() < KIB_16 {
        text.push_str(&line(&mut noise));
        text.push('\n');
    }
    text
}

/// The names and texts of logs in common formats.
pub fn logs() -> Vec<(&'static str, String)> {
    vec![
        (
            "access",
            generate(|n| {
                format!(
                    "{} - - [{:02}/Nov/2026:{} +0000] \"{} /api/v1/{}/{} HTTP/1.1\" {} {} \"-\" \"curl/8.4.0\"",
                    n.address(),
                    1 + n.below(28),
                    n.time(),
                    n.pick(&["GET", "POST", "DELETE"]),
                    n.pick(&["users", "orders", "sessions"]),
                    n.below(100_000),
                    n.pick(&["200", "404", "500"]),
                    n.below(90_000),
                )
            }),
        ),
        (
            "service",
            generate(|n| {
                format!(
                    "2026-11-{:02} {},{:03} {} app.worker.{} {} id={}",
                    1 + n.below(28),
                    n.time(),
                    n.below(1000),
                    n.pick(&["INFO", "WARNING", "ERROR"]),
                    n.pick(&["mail", "billing", "search"]),
                    n.phrase(),
                    n.hex(16),
                )
            }),
        ),
        (
            "json",
            generate(|n| {
                format!(
                    r#"{{"ts":"2026-11-21T{}.{:03}Z","level":"{}","msg":"{}","trace_id":"{}","peer":"{}","ms":{}}}"#,
                    n.time(),
                    n.below(1000),
                    n.pick(&["info", "warn", "error"]),
                    n.phrase(),
                    n.hex(32),
                    n.address(),
                    n.below(5000),
                )
            }),
        ),
        (
            "system",
            generate(|n| {
                format!(
                    "Nov {:2} {} node-{} {}[{}]: {}",
                    1 + n.below(28),
                    n.time(),
                    n.below(40),
                    n.pick(&["sshd", "systemd", "kernel"]),
                    n.below(100_000),
                    n.phrase(),
                )
            }),
        ),
    ]
}

/// Text that tokenizes badly, or unusually well.
pub fn hard_kinds() -> Vec<(&'static str, String)> {
    let faces = ["😀", "🎉", "🔥", "👍🏽", "✅", "🚀", "⚠️", "👩‍💻", "🇫🇷", "🦀", "📝"];
    vec![
        ("base64 lines", generate(|n| n.draw(BASE64, 76))),
        ("base64 blob", Noise(1).draw(BASE64, KIB_16)),
        ("hexadecimal", generate(|n| n.hex(64))),
        (
            "hex dump",
            generate(|n| {
                let bytes: Vec<_> = (0..16).map(|_| n.hex(2)).collect();
                let address = n.hex(8);
                format!("{address}  {}  |{}|", bytes.join(" "), n.draw("....ab@(/Z 0", 16))
            }),
        ),
        (
            "digit table",
            generate(|n| (0..12).map(|_| n.below(1_000_000).to_string()).collect::<Vec<_>>().join(" ")),
        ),
        (
            "aligned digits",
            generate(|n| {
                (0..10).fold(String::new(), |mut row, _| {
                    write!(row, "{:>8}", n.below(100_000)).unwrap();
                    row
                })
            }),
        ),
        (
            "floats",
            generate(|n| {
                let cells: Vec<_> =
                    (0..8).map(|_| format!("{}.{:06}", n.below(500), n.below(1_000_000))).collect();
                cells.join(",")
            }),
        ),
        ("identifiers", generate(|n| [8, 4, 4, 4, 12].map(|length| n.hex(length)).join("-"))),
        ("random letters", Noise(2).draw(LOWER, KIB_16)),
        ("random capitals", Noise(3).draw(&LOWER.to_uppercase(), KIB_16)),
        ("emoji", generate(|n| (0..20).map(|_| n.pick(&faces)).collect())),
        ("shouting", generate(|n| n.phrase().to_uppercase())),
        ("one word a line", generate(|n| n.pick(&["alpha", "beta", "gamma", "delta"]).to_owned())),
    ]
}
