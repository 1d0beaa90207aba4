"""Which settings of TLS, SASL and tokens fit together; secrets, certificates and keys in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from consumers.runtime import kafka_options
from service.outage import Misconfiguration
from service.settings import SECRETS, Settings, SettingsError, load_settings

SASL_SSL = {"KAFKA_SECURITY_PROTOCOL": "SASL_SSL"}
SCRAM = SASL_SSL | {"KAFKA_SASL_MECHANISM": "SCRAM-SHA-512"}
USER = {"KAFKA_SASL_USERNAME": "u", "KAFKA_SASL_PASSWORD": "hush"}
OAUTH = SASL_SSL | {"KAFKA_SASL_MECHANISM": "OAUTHBEARER"}
ENDPOINT = OAUTH | {
    "KAFKA_OAUTH_TOKEN_URL": "https://idp.internal/token",
    "KAFKA_OAUTH_CLIENT_ID": "groundwatch",
    "KAFKA_OAUTH_CLIENT_SECRET": "hush",
}


def load(values: dict[str, str]) -> Settings:
    return load_settings({f"GROUNDWATCH_{name}": value for name, value in values.items()})


@pytest.mark.parametrize(
    "values",
    [
        SCRAM | USER,
        {"KAFKA_SECURITY_PROTOCOL": "SSL", "KAFKA_SSL_CERTFILE": "c", "KAFKA_SSL_KEYFILE": "k"},
        OAUTH | {"KAFKA_OAUTH_TOKEN_FILE": "t"},
        ENDPOINT | {"KAFKA_OAUTH_SCOPE": "s"},
        ENDPOINT | {"KAFKA_OAUTH_TOKEN_URL": "http://127.0.0.1:1/token"},
        {"REDIS_URL": "rediss://h", "REDIS_USERNAME": "u", "REDIS_PASSWORD": "p"},
        {"REDIS_URL": "rediss://h", "REDIS_SSL_CAFILE": "c"},
    ],
)
def test_what_fits_is_taken(values: dict[str, str]) -> None:
    load(values)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (SASL_SSL, "SASL_SSL needs KAFKA_SASL_MECHANISM"),
        (SCRAM, "SCRAM-SHA-512 needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD"),
        (SCRAM | {"KAFKA_SASL_USERNAME": "u"}, "SCRAM-SHA-512 needs KAFKA_SASL_PASSWORD"),
        (SCRAM | USER | {"KAFKA_OAUTH_TOKEN_FILE": "t"}, "KAFKA_OAUTH_TOKEN_FILE: without effect"),
        (USER, "KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD: without effect"),
        ({"KAFKA_SSL_CAFILE": "c"}, "KAFKA_SSL_CAFILE: without effect"),
        ({"KAFKA_SECURITY_PROTOCOL": "SSL", "KAFKA_SSL_KEYFILE": "k"}, "CERTFILE is not set"),
        ({"KAFKA_SECURITY_PROTOCOL": "SSL"} | USER, "SSL has no SASL"),
        (OAUTH, "one of KAFKA_OAUTH_TOKEN_FILE and KAFKA_OAUTH_TOKEN_URL"),
        (ENDPOINT | {"KAFKA_OAUTH_TOKEN_FILE": "t"}, "one of KAFKA_OAUTH_TOKEN_FILE and"),
        (OAUTH | USER | {"KAFKA_OAUTH_TOKEN_FILE": "t"}, "has a token instead"),
        (OAUTH | {"KAFKA_OAUTH_TOKEN_FILE": "t", "KAFKA_OAUTH_SCOPE": "s"}, "SCOPE: without"),
        (OAUTH | {"KAFKA_OAUTH_TOKEN_URL": "https://h/t"}, "KAFKA_OAUTH_CLIENT_ID and"),
        (ENDPOINT | {"KAFKA_OAUTH_TOKEN_URL": "http://idp/t"}, "must be https://"),
        ({"REDIS_SSL_CAFILE": "c"}, "REDIS_URL is not rediss://"),
        ({"REDIS_URL": "rediss://h", "REDIS_SSL_KEYFILE": "k"}, "REDIS_SSL_CERTFILE is not set"),
        ({"REDIS_PASSWORD": "hush"}, "REDIS_URL is memory://"),
        ({"REDIS_URL": "redis://u:x@h", "REDIS_PASSWORD": "hush"}, "has a user or password"),
        ({"REDIS_URL": "redis://h", "REDIS_USERNAME": "u"}, "REDIS_PASSWORD is not set"),
        ({"JUDGE_SSL_CAFILE": "c"}, "JUDGE_BASE_URL is not https://"),
        ({"DOCUMENTS_URL": "http://h/{ref}", "DOCUMENTS_SSL_CAFILE": "c"}, "DOCUMENTS_URL is not"),
    ],
)
def test_what_cannot_work_is_refused_by_name(values: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load(values)
    assert says in str(refused.value)
    assert "hush" not in str(refused.value)


def test_secrets_come_from_files(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(" hush \r\n")
    for name in SECRETS:
        file.write_text("redis://u:hush@h\n" if name == "redis_url" else " hush\n")
        more = {"REDIS_URL": "rediss://h"} if name.startswith("redis_p") else {}
        if name.startswith("kafka") or name == "redis_ssl_password":
            continue
        found = getattr(load(more | {f"{name.upper()}_FILE": str(file)}), name)
        text = found if isinstance(found, str) else found.get_secret_value()
        assert text == ("redis://u:hush@h" if name == "redis_url" else " hush")
    file.write_text("hush\n")
    found = load(SCRAM | {"KAFKA_SASL_USERNAME": "u", "KAFKA_SASL_PASSWORD_FILE": str(file)})
    assert found.kafka_sasl_password is not None
    assert found.kafka_sasl_password.get_secret_value() == "hush"


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "cannot read"), (b"\n", "is empty"), (b"\xff\xfe", "is not UTF-8 text")],
)
def test_a_secret_s_file_that_cannot_be_used(tmp_path: Path, content, says: str) -> None:
    file = tmp_path / "secret"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=f"SAMPLING_SECRET_FILE: .*{says}"):
        load({"SAMPLING_SECRET_FILE": str(file)})


def test_a_secret_and_its_file_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="SAMPLING_SECRET_FILE are both set"):
        load({"SAMPLING_SECRET": "hush", "SAMPLING_SECRET_FILE": str(tmp_path)})


def test_only_secrets_have_files() -> None:
    with pytest.raises(SettingsError, match="POLICY_FILE: no such setting"):
        load({"POLICY_FILE": "p"})
    with pytest.raises(SettingsError, match="did you mean GROUNDWATCH_JUDGE_API_KEY_FILE"):
        load({"JUDGE_APIKEY_FILE": "p"})


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"KAFKA_SSL_CAFILE": "{absent}"}, "KAFKA_SSL_CAFILE: cannot read"),
        ({"KAFKA_SSL_CAFILE": "{text}"}, "KAFKA_SSL_CAFILE: holds no CA certificate"),
        ({"KAFKA_SSL_CERTFILE": "{absent}"}, "KAFKA_SSL_CERTFILE: cannot read"),
        ({"KAFKA_SSL_CERTFILE": "{text}"}, "check GROUNDWATCH_KAFKA_SSL_KEYFILE and"),
        ({"KAFKA_SSL_CERTFILE": "{text}", "KAFKA_SSL_KEYFILE": "{absent}"}, "cannot read {absent}"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_before_anything_is_asked(
    tmp_path: Path, values: dict[str, str], says: str
) -> None:
    paths = {"absent": tmp_path / "absent.pem", "text": tmp_path / "text.pem"}
    paths["text"].write_text("no certificate")
    given = {name: value.format(**paths) for name, value in values.items()}
    settings = load({"KAFKA_BOOTSTRAP": "h:1", "KAFKA_SECURITY_PROTOCOL": "SSL"} | given)
    with pytest.raises(Misconfiguration) as refused:
        kafka_options(settings)
    assert says.format(**paths) in str(refused.value)
