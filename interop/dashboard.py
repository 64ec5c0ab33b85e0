#!/usr/bin/env python3
"""The dashboard in a real browser: headless Chromium, driven over its debugging pipe, looks at a daemon at work. `dashboard.py FOLDER`
also writes screenshots there, light and dark."""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from check import CACHE, CUZK, check, cuzk_exits, expect, finish, run, skip, work_directory

work = work_directory("dashboard")
BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
# What a client may call a job, and what must stay text.
HOSTILE = "<img src=x onerror=document.title='owned'>"


class Page:
    """One tab. Commands and answers are JSON texts, each ended by a zero byte (the DevTools protocol over a pipe)."""

    def __init__(self):
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()
        # The browser wants them as its descriptors 3 and 4.
        script = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars",
             f"--user-data-dir={work / 'profile'}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.count, self.session, self.problems = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.answers, 1 << 20)
            expect(piece, "the browser is gone")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("method") == "Runtime.exceptionThrown":
                self.problems.append(json.dumps(answer["params"]["exceptionDetails"])[:400])
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.problems.append(json.dumps(answer["params"]["entry"])[:400])
            if answer.get("id") == self.count:
                expect("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        expect("exceptionDetails" not in result, f"{expression}: {json.dumps(result.get('exceptionDetails'))[:300]}")
        return result["result"].get("value")

    def wait_for(self, expression, seconds=30):
        deadline = time.monotonic() + seconds
        while not self.value(expression):
            expect(time.monotonic() < deadline, f"never true: {expression}; the page says: {self.value('document.body.innerText')[:600]}")
            time.sleep(0.1)

    def look(self, scheme, width, height):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def requests():
    """Simulated requests and parameters, made once: WindowPoSt (an instant) and WinningPoSt (a second or so)."""
    params = CACHE / "filecoin-params"
    made = {}
    for circuit in ("window-post", "winning-post"):
        if not list(params.glob(f"{circuit}.done")):
            cuzk_exits(0, "filecoin", "params", "generate", "--circuit", circuit, "--sector-size", "2KiB", "--params", params)
            (params / f"{circuit}.done").touch()
        made[circuit] = work / f"{circuit}.json"
        cuzk_exits(0, "filecoin", "simulate", "--proof", circuit, "--sector-size", "2KiB", "-o", made[circuit])
    return params, made


def main(pictures):
    params, made = requests()
    port, address = free_port(), f"unix://{work / 'cuzk.sock'}"
    with open(work / "daemon.log", "wb") as log:
        daemon = subprocess.Popen([CUZK, "serve", "--listen", address, "--status-listen", f"127.0.0.1:{port}", "--params", params], stderr=log)
    page = None
    try:
        def submit(request, name, *more, status=0):
            return cuzk_exits(status, "submit", made[request], "--addr", address, "--request-id", name, *more)

        deadline = time.monotonic() + 30
        while run(CUZK, "status", "--addr", address).returncode != 0:
            expect(daemon.poll() is None and time.monotonic() < deadline, (work / "daemon.log").read_text()[-400:])
            time.sleep(0.05)
        page = Page()
        page.look("light", 1280, 900)
        page.call("Page.navigate", url=f"http://127.0.0.1:{port}/")

        def empty():
            page.wait_for("document.getElementById('state')?.textContent === 'serving'")
            expect("No job yet" in page.value("document.getElementById('jobs').innerText"), "the table of jobs")

        def works():
            for i in range(3):
                submit("window-post", f"wdpost-1000-{i}")
            submit("window-post", HOSTILE)
            page.wait_for("[...document.querySelectorAll('#jobs tr')].some(r => r.innerText.includes('wdpost-1000-2') && r.innerText.includes('completed'))")
            page.wait_for("document.getElementById('figures').innerText.includes('4\\nproofs completed')")
            page.wait_for("document.getElementById('keys').innerText.includes('wpost-2k')")
            page.wait_for("document.getElementById('stages').innerText.includes('synthesis')")

        def text_only():
            page.wait_for("document.getElementById('jobs').innerText.includes('<img src=x')")
            expect(page.value("document.querySelectorAll('img').length") == 0, "a job's name became an element")
            expect(page.value("document.title") == "cuzk", "a job's name was run")

        def lanes():
            # Pixels of the canvas that are neither empty nor the track: work; and some of the track: idle.
            seen = page.value("""(() => { const c = document.getElementById('lanes'), d = c.getContext('2d').getImageData(195, 0, c.width - 260, c.height).data;
                const counts = new Map(); for (let i = 0; i < d.length; i += 4) if (d[i + 3]) { const k = (d[i] << 16) | (d[i + 1] << 8) | d[i + 2]; counts.set(k, (counts.get(k) || 0) + 1); }
                return [...counts.values()].sort((a, b) => b - a); })()""")
            expect(len(seen) >= 4 and seen[0] > 10 * seen[1], f"colours by pixels: {seen[:8]}")

        def cancels():
            for i in range(6):
                submit("winning-post", f"winpost-1000-{i}", "--no-wait")
            page.wait_for("document.querySelector('#jobs button[aria-label=\"Cancel winpost-1000-5\"]') !== null")
            page.value("document.querySelector('#jobs button[aria-label=\"Cancel winpost-1000-5\"]').click()")
            page.wait_for("[...document.querySelectorAll('#jobs tr')].some(r => r.innerText.includes('winpost-1000-5') && r.innerText.includes('cancelled'))")

        def errors():
            bad = json.loads(made["window-post"].read_text())
            bad["randomness"] = base64.b64encode(bytes(32)).decode()
            made["bad"] = work / "bad.json"
            made["bad"].write_text(json.dumps(bad))
            submit("bad", "wdpost-broken", status=4)
            page.wait_for("document.getElementById('errors').innerText.includes('wdpost-broken')")

        def fits():
            for width in (1280, 1920):
                page.look("light", width, 900)
                time.sleep(0.3)
                wide = page.value("document.documentElement.scrollWidth")
                expect(wide <= width, f"{wide} pixels wide in a window of {width}")

        def both_schemes():
            grounds = {}
            for scheme in ("light", "dark"):
                page.look(scheme, 1280, 1000)
                time.sleep(1)
                grounds[scheme] = page.value("getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color")
                page.screenshot(work / f"dashboard-{scheme}.png")
            expect(grounds["light"] != grounds["dark"], f"one scheme for both: {grounds}")

        def gone():
            daemon.send_signal(signal.SIGTERM)
            expect(daemon.wait(timeout=60) == 0, (work / "daemon.log").read_text()[-400:])
            before = len(page.problems)
            page.wait_for("document.getElementById('state').textContent === 'not reachable'")
            del page.problems[before:]  # failed fetches are the point

        check("an idle daemon's page", empty)
        check("jobs, figures, keys and stages appear", works)
        check("what clients call their jobs stays text", text_only)
        check("lanes show work, and idle time between", lanes)
        check("the cancel button ends a job", cancels)
        check("a failed job is among the last errors", errors)
        check("no window from 1280 pixels scrolls sideways", fits)
        check("light and dark", both_schemes)
        check("no script failed, nothing was refused", lambda: expect(not page.problems, page.problems[:3]))
        check("a daemon that is gone shows as such", gone)
        if pictures:
            for scheme in ("light", "dark"):
                shutil.copy(work / f"dashboard-{scheme}.png", pictures)
    finally:
        if page:
            page.close()
        if daemon.poll() is None:
            daemon.kill()
            daemon.wait()


if not BROWSER:
    skip("dashboard", "no Chromium is here")
elif run(CUZK, "serve", "--help").returncode != 0:
    skip("dashboard", "this build has no daemon")
else:
    main(sys.argv[1] if len(sys.argv) > 1 else None)
finish()
