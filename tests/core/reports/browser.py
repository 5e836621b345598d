"""A headless Chromium that tests drive over its debugging pipe."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
QUIET = ("background-networking", "component-update", "sync", "gpu", "extensions")


class Browser:
    """One page; what it requests and what its policy refuses is recorded."""

    def __init__(self, folder: Path) -> None:
        assert BROWSER is not None
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        words = [
            *(BROWSER, "--headless", "--no-sandbox", "--no-first-run", "--remote-debugging-pipe"),
            *(f"--disable-{part}" for part in QUIET),
            f"--user-data-dir={folder / 'profile'}",
            "about:blank",
        ]
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        self._process = subprocess.Popen(
            words,
            preexec_fn=lambda: (os.dup2(commands, 3), os.dup2(answers, 4)),
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self._rest = b""
        self._last = 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        (page,) = (
            target
            for target in self.call("Target.getTargets")["targetInfos"]
            if target["type"] == "page"
        )
        attached = {"targetId": page["targetId"], "flatten": True}
        self._session = self.call("Target.attachToTarget", attached)["sessionId"]
        for area in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{area}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._commands)  # Chromium ends with its pipe
        os.close(self._answers)
        self._process.wait()

    def call(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to one command; events before it are recorded."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters or {}}
        if self._session is not None:
            message["sessionId"] = self._session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self._commands, text) :]
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._answers, 1 << 20)
            assert part, "the browser ended"
            self._rest += part
        text, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        what, parameters = message.get("method"), message.get("params", {})
        if what == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif what == "Log.entryAdded":
            self.complaints.append(parameters["entry"]["text"])
        elif what == "Runtime.exceptionThrown":
            self.complaints.append(str(parameters["exceptionDetails"]))
        return message

    def open(self, page: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.call("Page.navigate", {"url": page.as_uri()})
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def ask(self, script: str, *arguments: Any) -> Any:
        """The value of a JavaScript function for these arguments."""
        call = f"({script})(...{json.dumps(arguments)})"
        wanted = {"expression": call, "returnByValue": True, "awaitPromise": True}
        answer = self.call("Runtime.evaluate", wanted)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        """Press and release the mouse in the middle of an element."""
        x, y = self.ask(
            """(selector) => {
              const element = document.querySelector(selector);
              element.scrollIntoView({ block: "center" });
              const box = element.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            }""",
            selector,
        )
        for kind in ("mousePressed", "mouseReleased"):
            where = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", where)

    def resize(self, width: int, height: int, *, dark: bool = False, phone: bool = False) -> None:
        """The size of the window, and the look that the system prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.call("Emulation.setDeviceMetricsOverride", size)
        look = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", {"features": look})

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextmanager
def opened(text: str, folder: Path) -> Iterator[Browser]:
    """A page in a browser, opened from a file."""
    page = folder / "page.html"
    page.write_text(text, encoding="utf-8")
    with Browser(folder) as browser:
        browser.open(page)
        yield browser
        assert browser.requests == [page.as_uri()]
        assert browser.complaints == []
