"""A headless Chromium, driven through chromedriver's HTTP interface (W3C WebDriver)."""

import base64
import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, Self

from tests.e2e.service import free_port, until


class Stale(Exception):
    """The page has redrawn or hidden the element in the meantime."""


class Browser:
    """One phone-sized window with its own storage."""

    def __init__(self, width: int, height: int) -> None:
        port = free_port()
        self._driver = subprocess.Popen(
            ["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._base = f"http://127.0.0.1:{port}"
        self.until(self._is_up)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},{height}"]
        metrics = {"width": width, "height": height, "pixelRatio": 1, "touch": True}
        options = {"args": arguments, "mobileEmulation": {"deviceMetrics": metrics}}
        wanted = {"goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": options}
        session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{session['sessionId']}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        try:
            self._ask("DELETE", self._session)
        finally:
            self._driver.terminate()
            self._driver.wait(10)

    def go(self, url: str) -> None:
        self._ask("POST", f"{self._session}/url", {"url": url})

    def forget(self) -> None:
        """Leave the page, and clear its storage and the console."""
        if self.run("return location.protocol") == "http:":
            self.run("localStorage.clear()")
        self.go("about:blank")
        self.complaints()

    def run(self, script: str, *arguments: object) -> Any:
        return self._ask("POST", f"{self._session}/execute/sync", {"script": script, "args": arguments})

    def find(self, selector: str) -> list[str]:
        found = self._ask("POST", f"{self._session}/elements", {"using": "css selector", "value": selector})
        return [next(iter(each.values())) for each in found]

    def tap(self, element: str) -> None:
        """Click where an element is; raise ``Stale`` if something else covers it."""
        self._ask("POST", f"{self._session}/element/{element}/click", {})

    def text(self, element: str) -> str:
        return str(self._ask("GET", f"{self._session}/element/{element}/text"))

    def type(self, selector: str, text: str) -> None:
        self._ask("POST", f"{self._session}/element/{self.find(selector)[0]}/value", {"text": text})

    def resize(
        self, width: int, height: int, *, scheme: str = "light", motion: str = "no-preference"
    ) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 1000}
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)
        wishes = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": motion},
        ]
        self.devtools("Emulation.setEmulatedMedia", features=wishes)

    def devtools(self, method: str, **parameters: object) -> Any:
        """Call a method of the DevTools protocol."""
        return self._ask("POST", f"{self._session}/goog/cdp/execute", {"cmd": method, "params": parameters})

    def picture(self) -> bytes:
        """Return what is shown, as PNG."""
        return base64.b64decode(self._ask("GET", f"{self._session}/screenshot"))

    def complaints(self) -> list[str]:
        """Return the console's errors and warnings, including content security policy reports."""
        entries = self._ask("POST", f"{self._session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def until(self, happens: Callable[[], object], seconds: float = 30) -> None:
        """Wait until a condition holds; raise ``TimeoutError`` if that takes too long."""
        until(happens, seconds)

    def _is_up(self) -> bool:
        try:
            return bool(self._ask("GET", "/status")["ready"])
        except OSError:
            return False

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._base + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Stale(error.read().decode()[:500]) from None
