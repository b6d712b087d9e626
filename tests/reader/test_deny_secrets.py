"""`deny="secrets"`: which files it refuses, in every way of opening files and in every answer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import anyread
from anyread import errors
from anyread.cli import main
from helpers.texts import TextReader

ROOT = Path(__file__).parents[2]
RULES = ROOT / "rust" / "anyread-core" / "src" / "open" / "secrets.rs"
PAGE = ROOT / "docs" / "security.md"

DENIED = {
    ".env*": [
        ".env",
        ".env.local",
        ".env.production",
        ".ENV",
        ".Env.Test",
        ".envrc",
        ".env~",
        "#.env#",
        ".#.env.local",
        ".env.swp",
    ],
    "*.env": ["prod.env", "docker/db.env"],
    ".dev.vars*": [".dev.vars"],
    "**/secrets": ["secrets", "secrets/api", "deploy/secrets/tls/a", "run/secrets/token"],
    "secrets.yaml": ["secrets.yaml", "config/Secrets.YAML"],
    "id_rsa*": ["id_rsa", "keys/id_rsa.bak", "ID_RSA"],
    "id_ed25519*": ["id_ed25519_sk", ".backup/id_ed25519"],
    "ssh_host_*_key": ["etc/ssh/ssh_host_ed25519_key"],
    "**/.ssh/*": [".ssh/work", "home/u/.ssh/keys/work", "home/u/.ssh/keys/work.pub"],
    "*.pem": ["server.pem", "tls/privkey.pem"],
    "*key*.p8": ["AuthKey_2X9R4HXF34.p8"],
    "*.key": ["server.key", "server.key.old", "config/master.key", "tls/Server.KEY"],
    "*.p12": ["a.p12"],
    "*.pfx": ["a.pfx"],
    "*.jks": ["a.jks"],
    "*.keystore": ["release.keystore"],
    "*.kdbx": ["passwords.kdbx"],
    "private-keys-v1.d": [".gnupg/private-keys-v1.d/0A.key", ".gnupg/private-keys-v1.d"],
    "secring.gpg": [".gnupg/secring.gpg"],
    "**/.aws/credentials": [".aws/credentials", "home/u/.aws/credentials"],
    "**/.aws/sso/cache": [".aws/sso/cache/0a.json"],
    "**/.azure/*.json": [".azure/msal_token_cache.json", ".azure/accessTokens.json"],
    "**/.config/gcloud": [".config/gcloud/access_tokens.db", ".config/gcloud/configurations/config_default"],
    "application_default_credentials.json": ["application_default_credentials.json"],
    "*service-account*.json": ["service-account.json", "my-service-account-key.json"],
    "*service_account*.json": ["gcp_service_account.json"],
    "credentials.json": ["credentials.json", ".pulumi/credentials.json"],
    "*.tfstate": ["terraform.tfstate"],
    "*.tfstate.*": ["terraform.tfstate.backup"],
    ".vault-token": [".vault-token"],
    "**/.kube/*": [".kube/config", ".kube/prod.yaml", ".kube/config.bak", ".kube/prod/config"],
    "kubeconfig": ["kubeconfig"],
    "kubeconfig*.yaml": ["kubeconfig-prod.yaml"],
    "**/.docker/config.json": [".docker/config.json"],
    ".netrc": [".netrc", ".netrc~", ".netrc.bak"],
    "**/default/cookies": [".config/google-chrome/Default/Cookies"],
    "**/system-connections/*": ["etc/NetworkManager/system-connections/home.nmconnection"],
    "**/github-copilot/*.json": [".config/github-copilot/apps.json"],
    ".npmrc": [".npmrc", "app/.npmrc"],
    ".pypirc": [".pypirc"],
    ".git-credentials": [".git-credentials"],
    "**/gh/hosts.yml": [".config/gh/hosts.yml"],
    "**/.cargo/credentials.toml": [".cargo/credentials.toml"],
    ".pgpass": [".pgpass"],
    ".my.cnf": [".my.cnf"],
    "**/huggingface/token": [".cache/huggingface/token"],
    "**/.codex/auth.json": [".codex/auth.json"],
    "**/etc/shadow": ["etc/shadow", "etc/shadow.bak"],
    "**/etc/shadow-": ["etc/shadow-"],
    "**/etc/gshadow": ["etc/gshadow"],
}
ALLOWED = [
    *[f".env{end}" for end in (".example", ".sample", ".template", ".dist", ".local.example", "-example")],
    *["example.env", "app.sample.env", ".ENV.EXAMPLE", ".dev.vars.example", "env", "env.ts", "environment"],
    *["id_rsa.pub", "keys/id_ed25519.PUB", "ssh_host_ed25519_key.pub", "my_id_rsa_notes"],
    *[f".ssh/{name}" for name in ("id_rsa.pub", "work.pub", "config", "known_hosts", "authorized_keys")],
    *["cacert.pem", "fullchain.pem", "public.pem", "a.pub.pem", "nodesource.gpg.key", "pem", "key", "a.keys"],
    *[".gnupg/gpg.conf", ".aws/config", "aws/credentials", ".azure/pipelines/build.yml", ".config/a.toml"],
    *["service-account.schema.json", "service-account.yaml", "main.tf", "prod.tfvars", "tfstate"],
    *["kube/config", ".docker/daemon.json", "config.json", "hosts.yml", "credentials", "credentials.py"],
    *[
        "secrets.py",
        "lib/secrets/__init__.py",
        "pkg/secrets/store.go",
        "test_secrets.rs",
        "secret",
        "my-secrets",
    ],
    *[".env/bin/activate", ".env.d.ts", ".env.example.local", "pkg/kubeconfig/store.yaml", "id_rsa_test.go"],
    *["rds-combined-ca-bundle.pem", "dhparam.pem", "android/debug.keystore", "game.p8", ".gitconfig"],
    *["www/etc/shadow-dom.js", "etc/passwd", "shadow", "auth.json", "my-secrets"],
]
PATHS = [(path, rule) for rule, paths in DENIED.items() for path in paths]
CONTENT = "CONTENT-9f2\n"


def written(root: Path, path: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(CONTENT)
    return file


def rule_against(reader: TextReader, path: str | Path) -> str | None:
    """Return the rule that refuses a file; `None` if it is read."""
    try:
        assert reader.text(path).content == CONTENT
    except errors.DeniedError as error:
        return error.rule
    return None


def test_secret_is_refused_by_every_name(tmp_path: Path) -> None:
    for number, (path, rule) in enumerate(PATHS):
        root = tmp_path / str(number)
        file = written(root, path)
        (root / "link.txt").symlink_to(file)
        (root / "chain.txt").symlink_to("link.txt")
        expected = f"secrets: {rule}"
        with_roots, without = TextReader(roots=[root], deny="secrets"), TextReader(deny="secrets")
        for name in (path, file, f"./{path}", f"x/../{path}", "link.txt", "chain.txt"):
            assert rule_against(with_roots, name) == expected, name
        for file_name in (file, root / "chain.txt"):
            assert rule_against(without, file_name) == expected
        assert rule_against(TextReader(roots=[root]), path) is None, "it is off by default"


def test_other_files_are_read(tmp_path: Path) -> None:
    with_roots, without = TextReader(roots=[tmp_path], deny="secrets"), TextReader(deny="secrets")
    for path in ALLOWED:
        file = written(tmp_path, path)
        assert rule_against(with_roots, path) is None, path
        assert rule_against(without, file) is None, path
        file.unlink()


def test_name_in_a_list_refuses_what_it_means_as_a_glob(tmp_path: Path) -> None:
    """A host that passes `["secrets"]` for its directory must not lose that directory's protection."""
    for path in ("secrets/notes.txt", "app/secrets/a", ".env"):
        written(tmp_path, path)
    alone = TextReader(roots=[tmp_path], deny="secrets")
    assert alone.deny == ("secrets",)
    for reader in (alone, TextReader(roots=[tmp_path], deny=["secrets"])):
        for path in ("secrets/notes.txt", "app/secrets/a"):
            assert rule_against(reader, path) == "secrets: **/secrets"
    for glob in ("**/secrets", "secrets/", "secrets/**"):
        reader = TextReader(roots=[tmp_path], deny=[glob])
        assert rule_against(reader, "secrets/notes.txt") == glob
        assert rule_against(reader, ".env") is None, glob


async def test_every_kind_of_read_refuses(tmp_path: Path) -> None:
    path = written(tmp_path, ".env")
    reader = anyread.Reader(roots=[tmp_path], deny="secrets")
    with pytest.raises(errors.DeniedError):
        await reader.read(path)
    with pytest.raises(errors.DeniedError):
        await reader.info(path)
    with pytest.raises(errors.DeniedError):
        async for _ in reader.follow(path):
            pass
    results = [result async for result in reader.read_many([path])]
    assert isinstance(results[0], anyread.Failed)
    assert isinstance(results[0].error, errors.DeniedError)


@pytest.mark.parametrize("command", ["read", "info"])
def test_command_line_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    for path in (".env", "a.bak"):
        written(tmp_path, path)
    options = [command, "--root", str(tmp_path), "--deny", "secrets", "--deny", "*.bak", "--json"]
    assert main([*options, ".env", "a.bak"]) == 1
    shown, said = capsys.readouterr()
    assert [json.loads(line)["error"]["rule"] for line in shown.splitlines()] == ["secrets: .env*", "*.bak"]
    assert "forbidden by the deny rule `secrets: .env*`" in said
    assert main(["read", "--deny", "a[", "x"]) == 2
    assert "(hint: pass globs such as `**/.env` with --deny GLOB)" in capsys.readouterr().err


def listed_rules() -> dict[str, list[str]]:
    """Return the rules of the page and their exceptions."""
    found: dict[str, list[str]] = {}
    for section in re.split(r"\| rule for \w+ \| except \|", PAGE.read_text("utf-8"))[1:]:
        for line in section.split("\n\n")[0].splitlines()[2:]:
            rules, exceptions = (re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:3])
            found.update(dict.fromkeys(rules, exceptions))
    return found


def rules_of_the_core() -> dict[str, list[str]]:
    """Return the rules in the source of the core and their exceptions."""
    found: dict[str, list[str]] = {}
    for source in RULES.read_text("utf-8").split(": &[SecretRule] = &[")[1:]:
        rules = re.findall(
            r'\(\s*"([^"]+)",\s*(NONE|PUBLIC_KEYS|&\[[^\]]*\]),?\s*\)', source.split("\n];\n")[0]
        )
        for rule, exceptions in rules:
            found[rule] = ["*.pub"] if exceptions == "PUBLIC_KEYS" else re.findall(r'"([^"]+)"', exceptions)
    assert len(found) > 120
    return found


def test_page_lists_the_rules_of_the_core() -> None:
    assert listed_rules() == rules_of_the_core()


def test_table_of_denied_files_names_rules_of_the_core() -> None:
    assert set(DENIED) <= set(rules_of_the_core())
