"""A headless Chromium that tests control through the DevTools protocol over two pipes.

https://chromedevtools.github.io/devtools-protocol/ describes the methods and events.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_S = 120


def find():
    """The path of a browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """with Browser(path) as browser: ..."""

    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="pmpp-browser-")
        self.number, self.events, self.buffer = 0, [], b""
        to_read, self.to = os.pipe()
        self.of, of_write = os.pipe()

        def place():
            # The browser reads from descriptor 3 and writes to 4.
            os.dup2(os.dup(to_read), 103)
            os.dup2(os.dup(of_write), 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        self.process = subprocess.Popen(
            [path, "--headless=new", "--remote-debugging-pipe", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--user-data-dir=" + self.folder, *sandbox, "about:blank"],
            close_fds=False, preexec_fn=place, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(of_write)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to)
        os.close(self.of)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self, end):
        while b"\0" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.of], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.of, 1 << 20)
            if not data:
                raise OSError("the browser has ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + TIMEOUT_S
        while True:
            answer = self._message(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise OSError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, path, width, dark=False, media=""):
        """Opens a file and waits until it is loaded. The events before it are forgotten."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events = []
        self.call("Page.navigate", url="file://" + path)
        end = time.monotonic() + TIMEOUT_S
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            self.events.append(self._message(end))

    def messages(self):
        """Console messages, errors and requests for other resources since open()."""
        found = [e for e in self.events
                 if e["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                                    "Log.entryAdded")]
        requests = [e["params"]["request"]["url"] for e in self.events
                    if e["method"] == "Network.requestWillBeSent"]
        return found + requests[1:]

    def run(self, script):
        """The value of a JavaScript expression. The page's own policy does not apply to it."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise OSError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def picture(self, whole=False):
        """The bytes of a PNG file: the window, or the whole page."""
        options = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"],
                               "height": min(size["height"], 16000), "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", **options)["data"])
