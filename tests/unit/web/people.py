"""A person at a browser: cookies are kept, links followed, forms sent as a browser sends them."""

from __future__ import annotations

from typing import Any, Protocol

import httpx
from fastapi import FastAPI

from tests.unit.web.test_pages import Elements
from tests.unit.web.world import LOOP


class Site(Protocol):
    app: FastAPI


class Person:
    """``name``: said at once; empty for somebody who said none."""

    def __init__(self, world: Site, name: str = "ann", lang: str = "en") -> None:
        self.world = world
        self.cookies: dict[str, str] = {}
        self.headers = {"accept-language": lang}
        self.status = 0
        self.path = ""
        self.text = ""
        if name:
            self.open("/review/name")
            self.send("/review/name", name=name, back="/books")

    def open(self, path: str, **headers: str) -> Elements:
        return self._ask("GET", path, headers=headers)

    def send(self, path: str, /, **fields: Any) -> Elements:
        """What the page before holds of a form for ``path`` (its hidden fields, what is chosen),
        with ``fields`` over it; None takes one away."""
        held = self.form(path) | fields
        data = {name.replace("__", "."): value for name, value in held.items() if value is not None}
        return self._ask("POST", path, data=data)

    def form(self, path: str) -> dict[str, Any]:
        """The fields that a browser would send from the page before."""
        page, fields = Elements(self.text), {}
        inside, form_id = False, None
        for element in page.found:
            attrs = element["attrs"]
            if element["tag"] == "form":
                inside = attrs.get("action", "").partition("?")[0] == path.partition("?")[0]
                form_id = attrs.get("id") if inside else form_id
            elif element["tag"] == "input" and "name" in attrs:
                mine = attrs.get("form") == form_id if "form" in attrs else inside
                chosen = attrs.get("type") not in ("checkbox", "radio") or "checked" in attrs
                if mine and chosen and attrs.get("type") == "hidden":
                    fields[attrs["name"]] = attrs.get("value") or ""
        return fields

    def _ask(self, method: str, path: str, **parts: Any) -> Elements:
        for _ in range(5):
            response = LOOP.run_until_complete(self._once(method, path, parts))
            self.status, self.path, self.text = response.status_code, path, response.text
            for cookie, value in response.cookies.items():
                self.cookies[cookie] = value
            if not response.has_redirect_location:
                break
            method, path, parts = "GET", response.headers["location"], {}
        return Elements(self.text) if self.text.startswith("<!doctype") else Elements("")

    async def _once(self, method: str, path: str, parts: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(self.world.app, raise_app_exceptions=False)
        headers = self.headers | parts.pop("headers", {})
        async with httpx.AsyncClient(
            transport=transport, base_url="http://groundwatch", cookies=self.cookies
        ) as client:
            return await client.request(method, path, headers=headers, **parts)
