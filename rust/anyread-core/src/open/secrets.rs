//! The rules of `deny="secrets"`: files that usually hold credentials.
//!
//! Rules only see names, so they cover the places where tools keep credentials by default, and names that
//! rarely mean anything else. `docs/security.md` has the same list, with its sources; a test compares them.
//!
//! Every rule applies at any depth, to ASCII letters of either case, and to the copies that editors and people
//! make of a file (`.netrc~`, `server.key.bak`). Rules for directories cover everything below them.
//! An exception is a name that the last component of the rule does not match. Source files (`id_rsa.go`,
//! `secrets/store.py`) are matched by no rule for directories and by none that ends with a wildcard.

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use memchr::memmem;

use crate::system::path_bytes;

/// The name of these rules among deny rules.
pub(super) const NAME: &str = "secrets";

/// A glob, and the names that it does not match. The only wildcard is `*`, within a name.
type SecretRule = (&'static str, &'static [&'static str]);

const NONE: &[&str] = &[];
const PUBLIC_KEYS: &[&str] = &["*.pub"];

/// Rules for files.
const FILES: &[SecretRule] = &[
    // Environment files.
    (
        ".env*",
        &[
            ".env*example*",
            ".env*sample*",
            ".env*template*",
            ".env*dist",
            ".env*tpl",
            ".env*defaults",
            ".env*schema",
        ],
    ),
    ("*.env", &["*example.env", "*sample.env", "*template.env"]),
    (".dev.vars*", &["*example"]),
    // Names that announce secrets.
    ("secrets.json", NONE),
    ("secrets.toml", NONE),
    ("secrets.yaml", NONE),
    ("secrets.yml", NONE),
    // Private keys.
    ("id_rsa*", PUBLIC_KEYS),
    ("id_dsa*", PUBLIC_KEYS),
    ("id_ecdsa*", PUBLIC_KEYS),
    ("id_ed25519*", PUBLIC_KEYS),
    ("ssh_host_*_key", NONE),
    (
        "*.pem",
        &[
            "*ca-bundle*.pem",
            "*root*.pem",
            "ca.pem",
            "cacert.pem",
            "chain.pem",
            "csr.pem",
            "dhparam*.pem",
            "fullchain.pem",
            "public*.pem",
            "*.pub.pem",
        ],
    ),
    ("*.key", &["public*.key", "*.pub.key", "*.gpg.key"]),
    // Apple's; other files with this extension are programs of a game console.
    ("*key*.p8", NONE),
    ("*.p12", NONE),
    ("*.pfx", NONE),
    ("*.pkcs12", NONE),
    ("*.jks", NONE),
    ("*.keystore", &["debug.keystore"]),
    ("*.keytab", NONE),
    ("*.ppk", NONE),
    ("*.kdbx", NONE),
    ("*.age", NONE),
    ("secring.gpg", NONE),
    ("**/sops/age/keys.txt", NONE),
    // Clouds and infrastructure.
    ("**/.aws/credentials", NONE),
    // Not all of `.azure`: repositories keep pipelines and templates there.
    ("**/.azure/*.json", NONE),
    ("**/.azure/*.bin", NONE),
    ("**/.gcp/credentials*", NONE),
    ("application_default_credentials.json", NONE),
    ("*firebase-adminsdk*.json", NONE),
    ("*service-account*.json", &["*example.json", "*sample.json", "*schema.json"]),
    ("*service_account*.json", &["*example.json", "*sample.json", "*schema.json"]),
    ("*serviceaccount*.json", &["*example.json", "*sample.json", "*schema.json"]),
    ("client_secret*.json", NONE),
    ("credentials.json", NONE),
    ("**/.oci/config", NONE),
    (".boto", NONE),
    (".s3cfg", NONE),
    (".databrickscfg", NONE),
    ("**/.databricks/token-cache.json", NONE),
    ("**/.snowflake/connections.toml", NONE),
    ("**/.dbt/profiles.yml", NONE),
    ("**/rclone/rclone.conf", NONE),
    ("**/doctl/config.yaml", NONE),
    ("**/.fly/config.yml", NONE),
    ("*.tfstate", NONE),
    ("*.tfstate.*", NONE),
    (".terraformrc", NONE),
    ("terraform.rc", NONE),
    ("credentials.tfrc.json", NONE),
    (".vault-token", NONE),
    (".vault_pass*", NONE),
    ("kubeconfig", NONE),
    ("kubeconfig*.yaml", NONE),
    ("*-kubeconfig", NONE),
    ("*.kubeconfig", NONE),
    ("**/etc/kubernetes/*.conf", NONE),
    ("k3s.yaml", NONE),
    ("**/.talos/config", NONE),
    ("**/argocd/config", NONE),
    ("**/helm/registry/config.json", NONE),
    ("**/.docker/config.json", NONE),
    (".dockercfg", NONE),
    (".dockerconfigjson", NONE),
    ("**/containers/auth.json", NONE),
    // Tools, registries and databases.
    (".netrc", NONE),
    ("_netrc", NONE),
    (".authinfo*", NONE),
    (".npmrc", NONE),
    (".yarnrc.yml", NONE),
    (".pypirc", NONE),
    ("pip.conf", NONE),
    ("**/pypoetry/auth.toml", NONE),
    ("**/composer/auth.json", NONE),
    ("**/.composer/auth.json", NONE),
    ("**/.gradle/gradle.properties", NONE),
    ("**/.ivy2/.credentials", NONE),
    ("**/.sbt/.credentials", NONE),
    ("**/nuget/nuget.config", NONE),
    ("**/.bundle/config", NONE),
    (".git-credentials", NONE),
    ("**/.git/config", NONE),
    ("**/.config/git/credentials", NONE),
    ("**/.config/hub", NONE),
    ("**/gh/hosts.yml", NONE),
    ("**/glab-cli/config.yml", NONE),
    ("**/.cargo/credentials", NONE),
    ("**/.cargo/credentials.toml", NONE),
    ("**/.gem/credentials", NONE),
    ("**/.m2/settings.xml", NONE),
    ("**/.m2/settings-security.xml", NONE),
    (".pgpass", NONE),
    (".my.cnf", NONE),
    (".mylogin.cnf", NONE),
    (".htpasswd", NONE),
    ("kaggle.json", NONE),
    ("**/huggingface/token", NONE),
    ("**/huggingface/stored_tokens", NONE),
    // Agents.
    (".claude.json", NONE),
    ("**/.claude/.credentials.json", NONE),
    ("**/.codex/auth.json", NONE),
    ("**/.copilot/config.json", NONE),
    ("**/.gemini/oauth_creds.json", NONE),
    ("**/.qwen/oauth_creds.json", NONE),
    ("**/github-copilot/*.json", NONE),
    ("**/opencode/auth.json", NONE),
    // People: browsers, desktops, networks.
    ("logins.json", NONE),
    ("key4.db", NONE),
    ("**/default/cookies", NONE),
    ("**/default/login data", NONE),
    (".xauthority", NONE),
    ("**/.vnc/passwd", NONE),
    ("krb5cc_*", NONE),
    ("*.ovpn", NONE),
    ("**/etc/wireguard/*", NONE),
    ("**/system-connections/*", NONE),
    // The system.
    ("**/etc/shadow", NONE),
    ("**/etc/shadow-", NONE),
    ("**/etc/gshadow", NONE),
    ("**/etc/gshadow-", NONE),
    ("**/etc/security/opasswd", NONE),
];

/// Rules for directories, and for files with the same names.
const DIRECTORIES: &[SecretRule] = &[
    // What the word means as a glob, so that a host that means its directory of that name gets what it expects.
    ("**/secrets", NONE),
    ("**/.ssh/*", &["*.pub", "authorized_keys", "config", "known_hosts", "known_hosts.old"]),
    ("private-keys-v1.d", NONE),
    ("openpgp-revocs.d", NONE),
    (".password-store", NONE),
    ("**/.aws/cli/cache", NONE),
    ("**/.aws/login/cache", NONE),
    ("**/.aws/sso/cache", NONE),
    ("**/.config/gcloud", NONE),
    ("**/.config/hcloud", NONE),
    ("**/.wrangler/config", NONE),
    ("**/.kube/*", &["cache", "http-cache"]),
    ("**/uv/credentials", NONE),
    ("**/.subversion/auth", NONE),
    ("**/share/keyrings", NONE),
    ("**/kwalletd", NONE),
    ("**/etc/ssl/private", NONE),
];

/// Extensions of source files, in which a word of a rule names what the code is about.
const SOURCES: &[&[u8]] = &[b"c", b"go", b"h", b"md", b"py", b"rs", b"ts"];

/// The ends of copies that editors and people make of a file.
const COPIES: &[&[u8]] = &[b"~", b".bak", b".old", b".orig", b".save", b".swp"];

/// A rule, prepared for comparing.
struct Prepared {
    /// The last component.
    name: &'static [u8],
    /// The components before it, joined by slashes.
    parents: Option<&'static [u8]>,
    exceptions: &'static [&'static str],
    /// Whether it covers what is below the name.
    is_directory: bool,
    /// The rule as a message names it.
    label: String,
}

/// The rules by what identifies their last component, so that a name is compared with few of them.
struct Index {
    by_name: HashMap<&'static [u8], Vec<Prepared>>,
    by_extension: HashMap<&'static [u8], Vec<Prepared>>,
    others: Vec<Prepared>,
}

static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

/// The rule that covers an absolute path, whose letters may have either case.
pub(super) fn rule_of(path: &Path) -> Option<&'static str> {
    let index = &*INDEX;
    let path = path_bytes(path).to_ascii_lowercase();
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is_source = extension_of(file).is_some_and(|extension| SOURCES.contains(&extension));
    let mut before = 0;
    path.split(|byte| *byte == b'/').find_map(|name| {
        let parents = path.get(..before.max(1) - 1)?;
        before += name.len() + 1;
        let is_last = before > path.len();
        let copied = if is_last { original_of(name) } else { name };
        [name, copied].into_iter().find_map(|name| index.rule_for(parents, name, is_last, is_source))
    })
}

/// The name of the file that a name is a copy of, or the same name.
fn original_of(name: &[u8]) -> &[u8] {
    if let Some(locked) = name.strip_prefix(b".#") {
        return locked;
    }
    if let Some(saved) = name.strip_prefix(b"#").and_then(|rest| rest.strip_suffix(b"#")) {
        return saved;
    }
    COPIES.iter().find_map(|end| name.strip_suffix(*end)).unwrap_or(name)
}

impl Index {
    fn new() -> Self {
        let mut index = Self { by_name: HashMap::new(), by_extension: HashMap::new(), others: Vec::new() };
        let files = FILES.iter().map(|rule| (rule, false));
        for ((glob, exceptions), is_directory) in files.chain(DIRECTORIES.iter().map(|rule| (rule, true))) {
            let anywhere = glob.trim_start_matches("**/");
            let (parents, name) = match anywhere.rsplit_once('/') {
                Some((parents, name)) => (Some(parents.as_bytes()), name.as_bytes()),
                None => (None, anywhere.as_bytes()),
            };
            let label = format!("{NAME}: {glob}");
            let rule = Prepared { name, parents, exceptions, is_directory, label };
            match extension_of(name) {
                _ if !name.contains(&b'*') => index.by_name.entry(name).or_default().push(rule),
                Some(extension) if !extension.contains(&b'*') => {
                    index.by_extension.entry(extension).or_default().push(rule);
                }
                _ => index.others.push(rule),
            }
        }
        index
    }

    /// The rule that matches a name below its parent directories.
    fn rule_for(&self, parents: &[u8], name: &[u8], is_last: bool, is_source: bool) -> Option<&str> {
        let by_name = self.by_name.get(name).into_iter().flatten();
        let by_extension = extension_of(name).and_then(|extension| self.by_extension.get(extension));
        let mut candidates = by_name.chain(&self.others).chain(by_extension.into_iter().flatten());
        let found = candidates.find(|rule| {
            let is_wide = rule.is_directory || rule.name.ends_with(b"*");
            (is_last || rule.is_directory) && !(is_wide && is_source) && rule.matches(parents, name)
        });
        found.map(|rule| rule.label.as_str())
    }
}

impl Prepared {
    fn matches(&self, parents: &[u8], name: &[u8]) -> bool {
        is_match(self.name, name)
            && self.parents.is_none_or(|wanted| ends_with_components(parents, wanted))
            && !self.exceptions.iter().any(|exception| is_match(exception.as_bytes(), name))
    }
}

fn extension_of(name: &[u8]) -> Option<&[u8]> {
    memchr::memrchr(b'.', name).and_then(|dot| name.get(dot + 1..))
}

fn ends_with_components(path: &[u8], last: &[u8]) -> bool {
    path.strip_suffix(last).is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
}

/// Whether a pattern, whose only wildcard is `*`, matches a whole name.
fn is_match(pattern: &[u8], name: &[u8]) -> bool {
    let mut parts = pattern.split(|byte| *byte == b'*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(found) = memmem::find(rest, part) else { return false };
        rest = rest.get(found + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use globset::{GlobBuilder, GlobMatcher};

    use super::*;
    use crate::input::check_random;

    fn glob(glob: &str) -> GlobMatcher {
        let glob = GlobBuilder::new(glob).literal_separator(true).case_insensitive(true).build();
        glob.unwrap().compile_matcher()
    }

    /// A rule as a glob of whole paths, its exceptions, and whether it is for directories and matches no sources.
    type GlobRule = (GlobMatcher, Vec<GlobMatcher>, bool, bool);

    static GLOBS: LazyLock<Vec<GlobRule>> = LazyLock::new(|| {
        let files = FILES.iter().map(|rule| (rule, false));
        let all = files.chain(DIRECTORIES.iter().map(|rule| (rule, true)));
        all.map(|((rule, exceptions), is_directory)| {
            let anywhere = glob(&format!("**/{}", rule.trim_start_matches("**/")));
            let exceptions = exceptions.iter().map(|exception| glob(exception)).collect();
            (anywhere, exceptions, is_directory, is_directory || rule.ends_with('*'))
        })
        .collect()
    });

    /// The same rules as globs, as slow and as simple as possible.
    fn oracle(path: &str) -> bool {
        let lower = path.to_ascii_lowercase();
        let (parents, name) = lower.rsplit_once('/').unwrap();
        let original = std::str::from_utf8(original_of(name.as_bytes())).unwrap();
        let is_source =
            Path::new(name).extension().is_some_and(|end| SOURCES.contains(&end.as_encoded_bytes()));
        let covers = |path: &str, is_file: bool| {
            let name = path.rsplit('/').next().unwrap();
            GLOBS.iter().any(|(rule, exceptions, is_directory, is_wide)| {
                (is_file || *is_directory)
                    && !(is_source && *is_wide)
                    && rule.is_match(path)
                    && !exceptions.iter().any(|exception| exception.is_match(name))
            })
        };
        covers(&lower, true)
            || covers(&format!("{parents}/{original}"), true)
            || Path::new(parents).ancestors().any(|parent| covers(parent.to_str().unwrap(), false))
    }

    /// Rules match names that they mention, with other text in place of their wildcards, as globs would.
    #[test]
    fn test_rules_agree_with_globs() {
        let globs = FILES
            .iter()
            .chain(DIRECTORIES)
            .flat_map(|(glob, exceptions)| [glob].into_iter().chain(*exceptions));
        let names: Vec<&str> = globs.flat_map(|glob| glob.split('/')).collect();
        check_random(300, |input| {
            let names = input.list(1..4, |input| {
                let fill = input.pick(&["", "a", ".", ".b", "-c", "x.env", ".pub", "example"]);
                let change = input.pick(&["", "", "", "", "x", ".pub", ".bak", "~", ".go"]);
                let name = input.pick(&names).replace('*', fill) + change;
                if input.flip() { name.to_uppercase() } else { name }
            });
            let names = names.into_iter().filter(|name| !matches!(name.as_str(), "" | "." | ".."));
            let path = names.fold("/w".to_owned(), |path, name| format!("{path}/{name}"));
            assert_eq!(rule_of(Path::new(&path)).is_some(), oracle(&path), "{path}");
        });
    }

    #[test]
    fn test_rule_is_named() {
        for (path, rule) in [
            ("/w/.env", "secrets: .env*"),
            ("/w/prod.env", "secrets: *.env"),
            ("/w/secrets/a/b", "secrets: **/secrets"),
            ("/h/.ssh/work", "secrets: **/.ssh/*"),
            ("/h/.aws/credentials", "secrets: **/.aws/credentials"),
            ("/w/TLS/Server.KEY", "secrets: *.key"),
            ("/etc/shadow-", "secrets: **/etc/shadow-"),
            ("/h/.netrc~", "secrets: .netrc"),
            ("/h/#.env#", "secrets: .env*"),
            ("/w/server.key.bak", "secrets: *.key"),
        ] {
            assert_eq!(rule_of(Path::new(path)), Some(rule), "{path}");
        }
        for path in [
            "/",
            "/w/.environment.example",
            "/h/.ssh",
            "/w/aws/credentials",
            "/w/my-secrets",
            "/w/.env/bin/activate",
            "/w/kubeconfig/store.yaml",
            "/w/secrets/store.go",
            "/w/id_rsa_test.go",
        ] {
            assert_eq!(rule_of(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn test_wildcards_match_whole_names() {
        for (pattern, name, expected) in [
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "acd", false),
            ("*a*", "bab", true),
            ("a*a", "a", false),
            ("*", "", true),
            ("abc", "abcd", false),
        ] {
            assert_eq!(is_match(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }
}
