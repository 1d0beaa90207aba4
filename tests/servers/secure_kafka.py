"""A broker that asks who we are: SASL over TLS, client certificates, and an ACL for everything.

Its plain listener stands for the administrator's: whoever comes that way may do all.
"""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path

from kafka import KafkaAdminClient
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ResourcePattern, ResourceType

from tests.servers.certificates import Authority
from tests.servers.kafka import Broker
from tools.kafka.broker import Listeners, free_port

USER, PASSWORD = "groundwatch", "s3cret quite"
STRANGER = "stranger"
"""A user whom no ACL names."""

_LOGIN = "org.apache.kafka.common.security"
_PROPERTIES = """\
ssl.keystore.type=PEM
ssl.keystore.location={keystore}
ssl.truststore.type=PEM
ssl.truststore.location={ca}
ssl.principal.mapping.rules=RULE:^CN=([^,]+).*$/$1/,DEFAULT
listener.name.elsewhere.ssl.keystore.type=PEM
listener.name.elsewhere.ssl.keystore.location={elsewhere}
listener.name.mutual.ssl.client.auth=required
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
listener.name.open.sasl.enabled.mechanisms=SCRAM-SHA-256
{logins}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
"""


class SecureBroker(Broker):
    """Listeners: ``login`` (SASL_SSL, every mechanism), ``open`` (SASL_PLAINTEXT, SCRAM-SHA-256
    only), ``mutual`` (SSL, wants a client certificate) and ``elsewhere`` (SSL, with a
    certificate for another host)."""

    def __init__(self, directory: Path, authority: Authority) -> None:
        ports = {name: free_port() for name in ("LOGIN", "OPEN", "MUTUAL", "ELSEWHERE")}
        keystore = authority.issue("broker").both
        properties = _PROPERTIES.format(
            keystore=keystore,
            elsewhere=authority.issue("elsewhere", "kafka.internal").both,
            ca=authority.ca,
            logins="\n".join(_logins()),
        )
        super().__init__(
            directory,
            listeners=Listeners(
                ports,
                {
                    "LOGIN": "SASL_SSL",
                    "OPEN": "SASL_PLAINTEXT",
                    "MUTUAL": "SSL",
                    "ELSEWHERE": "SSL",
                },
                properties,
                [
                    f"SCRAM-SHA-{bits}=[name={user},password={PASSWORD}]"
                    for user in (USER, STRANGER)
                    for bits in (256, 512)
                ],
            ),
        )
        self.login, self.open, self.mutual, self.elsewhere = (
            f"127.0.0.1:{port}" for port in ports.values()
        )

    def allow(self, commands: str, names: Mapping[str, str]) -> None:
        """What ``kafka-acls`` would do with these lines; ``names``: what a topic or group of the
        lines is called in this test."""
        with_admin = KafkaAdminClient(bootstrap_servers=self.bootstrap)
        try:
            with_admin.create_acls(acls_of(commands, names))
        finally:
            with_admin.close()


def _logins() -> list[str]:
    scram = f"{_LOGIN}.scram.ScramLoginModule required;"
    lines = [
        f"listener.name.{name}.scram-sha-{bits}.sasl.jaas.config={scram}"
        for name in ("login", "open")
        for bits in (256, 512)
    ]
    lines.append(
        f"listener.name.login.plain.sasl.jaas.config={_LOGIN}.plain.PlainLoginModule required "
        f'user_{USER}="{PASSWORD}";'
    )
    lines.append(
        "listener.name.login.oauthbearer.sasl.jaas.config="
        f"{_LOGIN}.oauthbearer.OAuthBearerLoginModule required "
        'unsecuredLoginStringClaim_sub="broker";'
    )
    lines.append(
        "listener.name.login.oauthbearer.sasl.server.callback.handler.class="
        f"{_LOGIN}.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler"
    )
    return lines


def acls_of(commands: str, names: Mapping[str, str]) -> list[ACL]:
    """Of lines like ``kafka-acls … --operation Read --operation Write --topic rag.answers``."""
    acls = []
    for line in commands.replace("\\\n", " ").splitlines():
        if "--add" not in line:
            continue
        [principal] = re.findall(r"--allow-principal (\S+)", line)
        [(kind, name)] = re.findall(r"--(topic|group) (\S+)", line)
        pattern = ResourcePattern(ResourceType[kind.upper()], names[name])
        for operation in re.findall(r"--operation (\w+)", line):
            wanted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", operation).upper()
            acls.append(ACL(principal, "*", ACLOperation[wanted], ACLPermissionType.ALLOW, pattern))
    return acls


def unsigned_token(subject: str = USER, life_s: float = 3_600.0) -> str:
    """As the broker's unsecured validator takes it."""
    now = time.time()
    claims = {"sub": subject, "iat": int(min(now, now + life_s - 60)), "exp": int(now + life_s)}
    parts = [{"alg": "none"}, claims]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts]
    return b".".join([*encoded, b""]).decode()
