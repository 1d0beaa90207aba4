"""Which addresses are believed, and who stands behind them."""

from __future__ import annotations

import pytest

from service.access.proxies import Proxies, is_loopback, networks_of

PROXIES = Proxies(networks_of("10.0.0.0/8, 192.0.2.7,fd00::/8"))


@pytest.mark.parametrize(
    ("host", "trusted"),
    [
        ("10.1.2.3", True),
        ("::ffff:10.1.2.3", True),
        ("192.0.2.7", True),
        ("192.0.2.8", False),
        ("fd00::1", True),
        ("fe80::1", False),
        ("127.0.0.1", False),
        ("", False),
        ("proxy.example.org", False),
    ],
)
def test_only_what_is_listed_is_trusted(host: str, trusted: bool) -> None:
    assert PROXIES.trusts(host) is trusted
    assert not Proxies().trusts(host)


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.9", "1.1.1.1", "203.0.113.9"),
        ("10.0.0.1", "198.51.100.4", "198.51.100.4"),
        ("10.0.0.1", "6.6.6.6, 198.51.100.4, 10.0.0.2", "198.51.100.4"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.1"),
        ("10.0.0.1", "<script>", "10.0.0.1"),
    ],
)
def test_a_client_cannot_choose_its_address(peer: str, forwarded: str, client: str) -> None:
    assert PROXIES.client(peer, forwarded) == client


@pytest.mark.parametrize("listed", ["10.0.0.0/33", "proxy", "10.0.0.1/8"])
def test_what_is_no_network_is_named(listed: str) -> None:
    with pytest.raises(ValueError, match="no address, no network"):
        networks_of(f"127.0.0.1, {listed}")
    assert networks_of("") == ()


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True),
     ("192.0.2.1", False), ("::", False), ("10.0.0.1", False), ("watch", False), ("", False)],
)  # fmt: skip
def test_loopback_is_told_from_the_rest(host: str, here: bool) -> None:
    assert is_loopback(host) is here
