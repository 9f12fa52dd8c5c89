#!/usr/bin/env python3
"""Opens a page in headless chromium, over the pipe of its DevTools, and waits in real time for what it is asked.

usage: browser.py PAGE [--size WIDTHxHEIGHT] [--dark] [--until EXPRESSION] [--script FILE] [--picture FILE.png] [--pdf FILE]

Once the page is loaded, EXPRESSION must become true; then the script in FILE runs, and what its promise gives is printed (without a
script, the page as it stands then). A window narrower than 600 is that of a phone with a touch screen. The picture is what the window
shows. Messages in the console and exceptions go to standard error. Status 1 after 100 seconds.
"""
import argparse
import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile


class Browser:
    """One chromium with one page. Messages are JSON ended by a zero byte: it reads them from its descriptor 3 and writes to 4."""

    def __init__(self, home):
        to_read, self.commands = os.pipe()
        self.answers, to_write = os.pipe()
        self.begun = []  # the parts of a message that has not ended
        self.unread = []  # whole messages

        def give_descriptors():
            safe_read, safe_write = os.dup(to_read), os.dup(to_write)  # neither may be the 3 or 4 that the other becomes
            os.dup2(safe_read, 3)
            os.dup2(safe_write, 4)

        self.process = subprocess.Popen(
            [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--window-size=1200,900", f"--user-data-dir={home}/profile"],
            env={**os.environ, "HOME": home}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4, to_read, to_write), preexec_fn=give_descriptors, start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        self.sent = 0
        self.session = None
        self.loaded = False
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(domain + ".enable")

    def receive(self):
        """The next message; of events, those of the console are told."""
        while not self.unread:
            more = os.read(self.answers, 1 << 16)
            if not more:
                sys.exit("browser.py: chromium ended")
            end, *others = more.split(b"\0")
            self.begun.append(end)
            for part in others:
                self.unread.append(b"".join(self.begun))
                self.begun = [part]
        message = json.loads(self.unread.pop(0))
        method, parameters = message.get("method"), message.get("params")
        if method == "Runtime.consoleAPICalled":
            print("console:", *(a.get("value", a.get("description")) for a in parameters["args"]), file=sys.stderr)
        elif method == "Runtime.exceptionThrown":
            print("exception:", parameters["exceptionDetails"].get("exception", {}).get("description"), file=sys.stderr)
        elif method == "Log.entryAdded":
            print("log:", parameters["entry"]["text"], file=sys.stderr)
        elif method == "Page.loadEventFired":
            self.loaded = True
        return message

    def send(self, method, **parameters):
        """One command and its result."""
        self.sent += 1
        command = {"id": self.sent, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        rest = json.dumps(command).encode() + b"\0"
        while rest:
            rest = rest[os.write(self.commands, rest):]
        while True:
            message = self.receive()
            if message.get("id") == self.sent:
                if "error" in message:
                    sys.exit(f"browser.py: {method}: {message['error']['message']}")
                return message["result"]

    def value(self, expression):
        """What an expression gives in the page, after its promise if it is one."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit(f"browser.py: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def open(self, page):
        self.loaded = False
        self.send("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        while not self.loaded:
            self.receive()

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def late(*_):
    sys.exit("browser.py: not done after 100 seconds")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--size")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--picture")
    parser.add_argument("--until")
    parser.add_argument("--script")
    parser.add_argument("--pdf")
    arguments = parser.parse_args()
    signal.signal(signal.SIGALRM, late)
    signal.alarm(100)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        browser = Browser(home)
        try:
            if arguments.size:
                width, height = map(int, arguments.size.split("x"))
                browser.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
                browser.send("Emulation.setTouchEmulationEnabled", enabled=width < 600)
            if arguments.dark:
                browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            browser.send("Emulation.setScrollbarsHidden", hidden=bool(arguments.picture))
            browser.open(arguments.page)
            if arguments.until:
                browser.value("(async () => { while (!(%s)) await new Promise(done => setTimeout(done, 20)); })()" % arguments.until)
            if arguments.script:
                print(browser.value(pathlib.Path(arguments.script).read_text()))
            else:
                print(browser.value("document.documentElement.outerHTML"))
            if arguments.picture:
                pathlib.Path(arguments.picture).write_bytes(base64.b64decode(browser.send("Page.captureScreenshot")["data"]))
            if arguments.pdf:
                pathlib.Path(arguments.pdf).write_bytes(base64.b64decode(browser.send("Page.printToPDF")["data"]))
        finally:
            browser.close()


main()
