"""Settings: one class, everything unknown or invalid refused by name, no secret shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.policy import Policy
from service.settings import (
    PREFIX,
    Settings,
    SettingsError,
    describe,
    load_policy,
    load_settings,
    parse_policy,
)

SECRET = "g3heim-und-lang"  # what no line may show


def refused(environ: dict[str, str]) -> str:
    with pytest.raises(SettingsError) as error:
        load_settings(environ)
    return str(error.value)


def test_without_anything_it_is_embedded() -> None:
    found = load_settings({"PATH": "/bin", "HOME": "/root"})
    assert found == Settings()
    assert found.embedded
    assert found.redis_url == "memory://"
    assert not load_settings({f"{PREFIX}KAFKA_BOOTSTRAP": "k:9092"}).embedded


def test_the_command_line_beats_the_environment_beats_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("port: 1\nhost: file\nlog_level: debug\n")
    environ = {f"{PREFIX}CONFIG": str(file), f"{PREFIX}PORT": "2", f"{PREFIX}HOST": "env"}
    found = load_settings(environ, port=3, host=None)
    assert (found.port, found.host, found.log_level) == (3, "env", "debug")


def test_an_unknown_setting_is_named_with_what_was_meant() -> None:
    said = refused({f"{PREFIX}REDIS_ULR": f"redis://:{SECRET}@h"})
    assert f"{PREFIX}REDIS_ULR: no such setting; did you mean {PREFIX}REDIS_URL?" in said
    assert SECRET not in said
    assert "did you mean" not in refused({f"{PREFIX}ZZZZ": "1"})


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "many"), ("PORT", "65536"), ("GRACE_S", "0"), ("LOG_LEVEL", "loud"),
     ("REDIS_NAMESPACE", "a b"), ("REDIS_NAMESPACE", "{x}"), ("MAX_POLL_RECORDS", "0"),
     ("KAFKA_SECURITY_PROTOCOL", "TLS"), ("ANSWERS_TRANSACTIONAL", "perhaps")],
)  # fmt: skip
def test_an_invalid_value_is_named_and_not_repeated(name: str, value: str) -> None:
    said = refused({f"{PREFIX}{name}": value})
    assert f"  {PREFIX}{name}: " in said
    assert "`groundwatch config`" in said


def test_every_fault_is_told_at_once() -> None:
    said = refused({f"{PREFIX}PORT": "x", f"{PREFIX}GRACE_S": "-1", f"{PREFIX}NONSENSE": "1"})
    assert all(f"{PREFIX}{name}" in said for name in ("PORT", "GRACE_S", "NONSENSE"))


def test_no_secret_is_shown_by_anything(tmp_path: Path) -> None:
    environ = {
        f"{PREFIX}KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        f"{PREFIX}KAFKA_SASL_MECHANISM": "PLAIN",
        f"{PREFIX}KAFKA_SASL_USERNAME": "u",
        f"{PREFIX}KAFKA_SASL_PASSWORD": SECRET,
        f"{PREFIX}SAMPLING_SECRET": SECRET,
        f"{PREFIX}REDIS_URL": f"rediss://user:{SECRET}@redis.example:6380/2",
    }
    found = load_settings(environ)
    shown = "\n".join(" ".join(map(str, row)) for row in describe(found))
    assert SECRET not in shown
    assert "rediss://user:***@redis.example:6380/2" in shown
    assert SECRET not in refused(environ | {f"{PREFIX}PORT": "x"})
    assert found.kafka_sasl_password is not None
    assert found.kafka_sasl_password.get_secret_value() == SECRET
    assert SECRET not in repr(found.kafka_sasl_password)


@pytest.mark.parametrize(
    "url",
    [f"redis://:{SECRET}@h:6379/0", f"redis://u:{SECRET}@h", f"redis://u:{SECRET}@x@h/0",
     f"redis://h:6379/0?password={SECRET}", f"redis://h/0?db=1&password={SECRET}&username=u"],
)  # fmt: skip
def test_a_password_in_the_url_of_redis_is_masked(url: str) -> None:
    rows = {name: value for name, value, *_ in describe(Settings(redis_url=url))}
    assert SECRET not in rows[f"{PREFIX}REDIS_URL"]
    assert rows[f"{PREFIX}REDIS_URL"].startswith("redis://")


def test_what_differs_from_its_default_is_marked() -> None:
    changed = {name for name, _, _, differs in describe(Settings(port=1, policy=Path("p")))
               if differs}  # fmt: skip
    assert changed == {f"{PREFIX}PORT", f"{PREFIX}POLICY"}
    assert len(describe(Settings())) == len(Settings.model_fields)


# Files.


@pytest.mark.parametrize(
    ("content", "says"),
    [("a: [1", "not valid YAML (line"), ("- 1\n- 2\n", "wanted a mapping"),
     ("7", "wanted a mapping"), ("prot: 1", "did you mean GROUNDWATCH_PORT?"),
     ("!!python/object:os.system {}", "YAML")],
)  # fmt: skip
def test_a_broken_settings_file_is_named(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(content)
    assert says in refused({f"{PREFIX}CONFIG": str(file)})


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    said = refused({f"{PREFIX}CONFIG": str(tmp_path / "absent.yaml")})
    assert "absent.yaml: No such file or directory" in said
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert "not valid YAML" in refused({f"{PREFIX}CONFIG": str(tmp_path / "binary")})


def test_a_policy_file(tmp_path: Path) -> None:
    assert load_policy(None) == Policy()
    file = tmp_path / "policy.yaml"
    file.write_text("apps:\n  support:\n    citations: {base: 0}\n")
    assert load_policy(file).of("support").citations.base == 0
    file.write_text("")
    assert load_policy(file) == Policy()


def test_a_fault_of_a_policy_is_named_by_its_place() -> None:
    data = {"apps": {"support": {"citations": {"base": 2}, "sampling": {"adit": 1}}}}
    with pytest.raises(SettingsError) as error:
        parse_policy(data, "policy.yaml")
    said = str(error.value)
    assert "policy policy.yaml:" in said
    assert "apps.support.citations.base: " in said
    assert "apps.support.sampling.adit: " in said
    for wrong, kind in (([1], "a list"), ([], "a list"), ("text", "a single value"), (7, "a sin")):
        with pytest.raises(SettingsError, match=f"^policy p: wanted a mapping .apps, .*{kind}"):
            parse_policy(wrong, "p")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"apps": {"a": {"cites": {}}}}, "apps.a.cites: no such field; known are citations,"),
        ({"apps": {"a": {"numbers": {"code": 1}}}}, "apps.a.numbers.code: no such field; did you"),
        ({"apps": {"a": {"numbers": {"zzz": 1}}}}, "numbers.zzz: no such field; known are in_code"),
        ({"app": {}}, "app: no such field; did you mean apps?"),
        (
            {"default": {"redaction": {"patterns": [{"name": "n", "matches": "x", "match": "y"}]}}},
            "default.redaction.patterns.0.match: no such field; did you mean matches?",
        ),
        (
            {"targets": {"t": {"url": "http://h", "response": {"ansver": "@", "answer": "@"}}}},
            "targets.t.response.ansver: no such field; did you mean answer?",
        ),
        (
            {"mappings": {"m": {"citations": {"form": "@", "adapter": "openai"}}}},
            "mappings.m.citations.form: no such field; did you mean from?",
        ),
    ],
)
def test_an_unknown_field_of_a_policy_is_told_what_there_is(
    data: dict[str, object], said: str
) -> None:
    with pytest.raises(SettingsError) as error:
        parse_policy(data, "p")
    assert said in str(error.value)


def test_a_key_that_stands_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text("apps:\n  a: {}\n  b: {}\n  a: {}\n")
    with pytest.raises(SettingsError, match=r"line 4: 'a' stands there for the second time$"):
        load_policy(file)
    file.write_text("apps:\n  a: &one {citations: {base: 0}}\n  b: {<<: *one, citations: {}}\n")
    assert load_policy(file).of("b").citations.base == 1


def test_a_policy_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_bytes(b"apps:\n  caf\xe9: {}\n")
    with pytest.raises(SettingsError, match=r"policy.yaml is not .* no UTF-8 text \(line 2\)"):
        load_policy(file)


def test_topics_must_differ() -> None:
    for name in ("DEAD_LETTERS", "VERDICTS", "FEEDBACK"):
        with pytest.raises(SettingsError, match="must differ"):
            load_settings({f"GROUNDWATCH_TOPIC_{name}": "rag.answers"})


def test_a_bound_of_money_needs_prices() -> None:
    assert "JUDGE_PRICE_INPUT" in refused({"GROUNDWATCH_JUDGE_MONEY_PER_DAY": "5"})
    priced = {"GROUNDWATCH_JUDGE_MONEY_PER_DAY": "5", "GROUNDWATCH_JUDGE_PRICE_OUTPUT": "10"}
    assert load_settings(priced).judge_money_per_day == 5
    for wrong in ("-1", "inf", "nan"):
        refused(priced | {"GROUNDWATCH_JUDGE_MONEY_PER_DAY": wrong})


@pytest.mark.parametrize(
    "url",
    ["http:///v1", "http://host:99999/v1", "http://host:0/v1", "http://[::1/v1", "http://:80"],
)
def test_the_judges_address_names_a_host(url: str) -> None:
    with pytest.raises(SettingsError, match=r"JUDGE_BASE_URL: .*a host"):
        load_settings({"GROUNDWATCH_JUDGE_BASE_URL": url, "GROUNDWATCH_JUDGE_MODEL": "m"})


def test_the_judges_address_holds_no_credentials() -> None:
    url = "https://user:hush@host/v1"
    with pytest.raises(SettingsError, match="JUDGE_API_KEY") as refused:
        load_settings({"GROUNDWATCH_JUDGE_BASE_URL": url, "GROUNDWATCH_JUDGE_MODEL": "m"})
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("url", ["http://[::1]:8080/v1", "https://llm.internal", "http://h:80/v1/"])
def test_any_address_of_a_host_will_do(url: str) -> None:
    env = {"GROUNDWATCH_JUDGE_BASE_URL": url, "GROUNDWATCH_JUDGE_MODEL": "m"}
    assert load_settings(env).judge_base_url == url


def test_an_empty_judge_is_off() -> None:
    assert not load_settings(
        {"GROUNDWATCH_JUDGE_BASE_URL": "", "GROUNDWATCH_JUDGE_MODEL": ""}
    ).judging
