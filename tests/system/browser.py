"""A headless Chromium for pages of reports, driven through the pipes of its DevTools protocol. It has no network."""

import base64
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """`with Browser() as b: b.open(path); b.evaluate("document.title")`."""

    def __enter__(self):
        program = shutil.which("chromium")
        assert program, "the tests of pages need chromium (scripts/setup --tests installs it)"
        self._profile = tempfile.mkdtemp(prefix="tilewire-browser-")
        read_end, self._out = os.pipe()
        self._in, write_end = os.pipe()

        def wire():  # the protocol wants descriptors 3 and 4
            first, second = os.dup(read_end), os.dup(write_end)
            os.dup2(first, 3)
            os.dup2(second, 4)

        # What the tests are run under, such as a sanitizer, is not for the browser.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self._process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             "--host-resolver-rules=MAP * 0.0.0.0", "--no-first-run", "--disable-background-networking",
             f"--user-data-dir={self._profile}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
            preexec_fn=wire, close_fds=False)
        os.close(read_end)
        os.close(write_end)
        self._number, self._buffer, self._session, self.events = 0, b"", None, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(domain + ".enable")
        self.size(1500, 1100)
        return self

    def __exit__(self, *exception):
        try:
            self._session = None
            self.send("Browser.close")
        except (OSError, EOFError):
            pass
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _receive(self):
        while b"\0" not in self._buffer:
            data = os.read(self._in, 1 << 16)
            if not data:
                raise EOFError("the browser is gone")
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def send(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def size(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def scripts(self, on):
        self.send("Emulation.setScriptExecutionDisabled", value=not on)

    def open(self, page):
        """A file, or the address of a page that a server on this machine has."""
        self.events.clear()
        self.send("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())

    def requests(self):
        """Addresses asked for since the page was opened."""
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        """What the page's console has: refusals of the security policy, errors of scripts."""
        found = [event["params"]["entry"]["text"] for event in self.events if event.get("method") == "Log.entryAdded"]
        return found + [event["params"]["exceptionDetails"]["text"] for event in self.events
                        if event.get("method") == "Runtime.exceptionThrown"]

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self):
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
