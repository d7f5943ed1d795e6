"""The browser tabwright starts itself: own profile, bundled extension, paired by a key made for this launch alone."""

import asyncio
import logging
import os
import secrets
import sys
import time
from collections.abc import Callable
from typing import Final

from tabwright.browser.browser import Browser
from tabwright.edges.chrome.chrome import Chrome, LaunchPlan, disorder, wants_headless
from tabwright.edges.chrome.extension_files import FOLDER, extension_id
from tabwright.edges.chrome.finder import BrowserNotFound, find_browser
from tabwright.edges.chrome.profile import prepare_profile
from tabwright.edges.runtime import Home
from tabwright.edges.store.store import Store
from tabwright.errors import LaunchFailed, NoBrowserInstalled
from tabwright.settings import Settings

log = logging.getLogger(__name__)

LAUNCH_S: Final = 20.0


class Launcher:
    """At most one launched browser at a time, which ends with the gateway."""

    def __init__(self, settings: Settings, home: Home, store: Store, ended: Callable[[str, str], None]) -> None:
        self._settings = settings
        self._home = home
        self._store = store
        self._ended = ended
        self._started_at = time.monotonic()
        self._launching = asyncio.Lock()
        self._chrome: Chrome | None = None
        self._watching: asyncio.Task[None] | None = None
        self._described = ""
        self._profile_id = ""
        self._key = b""
        self._headless = False
        self.port = 0
        self.extension_port = 0

    @property
    def pid(self) -> int | None:
        return None if self._chrome is None else self._chrome.pid

    async def launch(self) -> str:
        """Start the browser, or leave the one that runs; what runs, in a few words. Its link follows by itself.

        Raises:
            LaunchFailed: saying why.
        """
        if self._settings.via is not None and not self._settings.launch:
            # whoever works in a browser elsewhere does not mean one here
            raise LaunchFailed(
                f"No browser is connected through {self._settings.via}, and this gateway launches none of its own.",
                "Call connect_browser without launch: it says what keeps them away.",
            )
        async with self._launching:
            if self._chrome is None:
                plan = await asyncio.to_thread(self._prepare)
                self._chrome = await Chrome.launch(plan, LAUNCH_S)
                self._watching = asyncio.create_task(self._watch(self._chrome, self._profile_id))
                self._headless = plan.headless
                shown = "headless" if plan.headless else "in a window"
                self._described = f"{plan.binary.name} {self._chrome.version}, {shown}, pid {self._chrome.pid}"
                log.info("launched %s", self._described)
            return self._described

    def expected(self) -> float:
        """A paired browser finds a gateway that has just started within its back-off; later it is not coming."""
        if self._settings.via is not None:
            return self._settings.connect_wait_s
        if not self._store.has_pairings():
            return 0.0
        return max(0.0, self._started_at + self._settings.connect_wait_s - time.monotonic())

    def launched(self, profile_id: str) -> bool:
        return profile_id == self._profile_id

    def shows(self, browser: Browser) -> bool:
        """Whether a person may be looking at it: not at one that was launched without a window."""
        return browser.seen and not (self._headless and self.launched(browser.id))

    def pairing_key(self, extension: str, profile_id: str) -> bytes | None:
        """The launched browser's key; it is kept nowhere else and ends with the gateway."""
        return self._key if profile_id == self._profile_id and extension == extension_id() else None

    async def close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        if self._chrome is not None:
            await self._chrome.close()

    def _prepare(self) -> LaunchPlan:
        try:
            binary = find_browser(self._settings.browser, os.environ, sys.platform)
        except BrowserNotFound as exc:
            raise NoBrowserInstalled(str(exc)) from exc
        if binary is None:
            raise NoBrowserInstalled("No Chrome, Chromium, Edge or Brave is installed here.")
        self._profile_id, self._key = f"launched-{secrets.token_hex(8)}", secrets.token_bytes(32)
        headless = wants_headless(os.environ, sys.platform, self._settings.headless)
        try:
            prepare_profile(self._home.profile)
        except OSError as exc:
            raise disorder(exc) from exc
        config: dict[str, object] = {
            "url": f"ws://127.0.0.1:{self.extension_port}",
            "profileId": self._profile_id,
            "key": self._key.hex(),
            "keeper": True,
            "headless": headless,
            "gatewayPorts": [self.port, self.extension_port],
            "dialect": "tabwright",
        }
        copy = self._home.extension_copy
        arguments = self._settings.browser_args
        return LaunchPlan(binary.path, self._home.profile, copy, headless, arguments, source=FOLDER, config=config)

    async def _watch(self, chrome: Chrome, profile_id: str) -> None:
        status = await chrome.wait_closed()
        log.info("the launched browser has ended (status %d)", status)
        self._chrome = None
        # what it left behind (crash handlers, zygotes) goes with it
        await chrome.close()
        self._ended(profile_id, "the browser was closed")
