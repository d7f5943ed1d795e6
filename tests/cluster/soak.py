"""The fault matrix on real processes, again and again: three replicas behind haproxy on one nats-server.

    python -m tests.cluster.soak [minutes] [seed] [slack in seconds]

Browsers and clients that come back work all the while; every fault is followed by the time it took to be over. Ends
with status 1 when a call was misrouted, executed twice or lost, when a caller waited longer than promised, or when
calls that need no broker noticed that it was gone, and when calls between replicas do not work within a second after
the broker is back.
"""

import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from tests.cluster.broker import NatsProcess
from tests.cluster.peers import SturdyBrowser, SturdyClient
from tests.cluster.test_deploy import Fleet, fleet_on
from tests.gateway import until
from tests.proxy.server import ProxyProcess, healthy_beside

USERS = 8
TOLD_S, HANG_S, BACK_S = 2.0, 5.0, 1.0


class Soak:
    def __init__(self, fleet: Fleet, seed: int, slack: float) -> None:
        self.fleet = fleet
        self.slack = slack
        """Seconds on top of what is promised, for a machine that does other things too."""
        self.random = random.Random(seed)
        self.took: dict[str, list[float]] = defaultdict(list)
        self.browsers = [SturdyBrowser(fleet.url, fleet.tls, f"user{n}", f"ext-soak-{n:04}") for n in range(USERS)]
        self.clients = [
            SturdyClient(fleet.url, fleet.tls, f"user{n % USERS}", f"ext-soak-{n % USERS:04}", 0.02)
            for n in range(2 * USERS)
        ]

    def everybody_works(self, name: str = "", within: float = 30.0) -> None:
        """Each client has a result that it asked for after now."""
        began = time.monotonic()
        before = [client.outcomes["result"] for client in self.clients]

        def idle() -> list[SturdyClient]:
            return [
                client
                for client, served in zip(self.clients, before, strict=True)
                if client.outcomes["result"] <= served + 1
            ]

        try:
            until(lambda: not idle(), within)
        except AssertionError as exc:
            users = {client.user for client in idle()}
            exc.add_note("\n".join(str(peer) for peer in (*self.browsers, *self.clients) if peer.user in users))
            raise
        if name:
            self.took[name].append(time.monotonic() - began)

    def run(self, seconds: float) -> None:
        faults: list[Callable[[], None]] = [
            self.kill_replica,
            self.roll_replica,
            self.freeze_replica,
            self.kill_broker,
            self.freeze_broker,
            self.cut_cable,
        ]
        self.everybody_works()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for fault in faults:
                fault()
                self.everybody_works()

    # --- faults

    @contextmanager
    def waiting_at_most(self, seconds: float, name: str) -> Generator[None]:
        """No caller waits longer for whatever it is told."""
        for client in self.clients:
            client.longest_s = 0.0
        yield
        longest = max(client.longest_s for client in self.clients)
        self.took[f"{name}, longest wait"].append(longest)
        assert longest <= seconds, f"{name}: a caller waited {longest:.1f} s"

    def kill_replica(self) -> None:
        number = self.random.randrange(3)
        with self.waiting_at_most(TOLD_S + self.slack, "replica killed"):
            self.fleet.replicas[number].stop(signal.SIGKILL)
            self.everybody_works("replica killed, everybody works")
        self.fleet.replicas[number] = self.fleet.start(self.fleet.ports[number])

    def roll_replica(self) -> None:
        before = self.unknown
        self.fleet.restart(self.random.randrange(3))
        self.everybody_works("replica restarted, everybody works")
        assert self.unknown == before, "a rolling restart cost a call"

    def freeze_replica(self) -> None:
        process = self.any_replica.process
        process.send_signal(signal.SIGSTOP)
        time.sleep(1 + self.random.random() * 4)
        process.send_signal(signal.SIGCONT)
        self.everybody_works("replica awake, everybody works")

    def kill_broker(self) -> None:
        with self.waiting_at_most(TOLD_S + self.slack, "broker killed"), healthy_beside(self.any_replica):
            self.fleet.broker.kill()
            time.sleep(self.random.random() * 3)
            self.fleet.broker.start()
            self.everybody_works("broker back, everybody works", BACK_S + self.slack)

    def freeze_broker(self) -> None:
        with self.waiting_at_most(HANG_S + self.slack, "broker hangs"), healthy_beside(self.any_replica):
            self.fleet.broker.freeze()
            time.sleep(1 + self.random.random() * 5)
            self.fleet.broker.thaw()
            self.everybody_works("broker awake, everybody works")

    def cut_cable(self) -> None:
        """One replica does not reach the broker, which is there."""
        number = self.random.randrange(3)
        cable, replica = self.fleet.cables[number], self.fleet.replicas[number]
        with self.waiting_at_most(TOLD_S + self.slack, "cable cut"), healthy_beside(replica):
            cable.cut()
            time.sleep(self.random.random() * 3)
            cable.mend()
            self.everybody_works("cable mended, everybody works")

    # --- what is promised

    @property
    def any_replica(self) -> ProxyProcess:
        return self.random.choice(self.fleet.replicas)

    @property
    def unknown(self) -> int:
        return sum(client.outcomes["outcome_unknown"] for client in self.clients)

    def finish(self) -> dict[str, object]:
        for peer in (*self.clients, *self.browsers):
            peer.stop()
        outcomes: Counter[str] = Counter()
        executed: Counter[str] = Counter()
        for client in self.clients:
            outcomes += client.outcomes
            assert set(client.ends.values()) <= {1}, "ended twice"
        for browser in self.browsers:
            executed += browser.executed
        assert max(executed.values()) == 1, "executed twice"
        done = {nonce for client in self.clients for nonce in client.ends}
        longest = max(client.longest_s for client in self.clients)
        return {
            **outcomes,
            "executed": len(executed),
            "executed, not told": len(set(executed) - done),
            "longest wait s": round(longest, 2),
            **{name: [round(median(times), 2), round(max(times), 2)] for name, times in self.took.items()},
        }


@contextmanager
def soaking(seed: int, slack: float) -> Generator[Soak]:
    with tempfile.TemporaryDirectory(prefix="tabwright-soak-") as folder:
        broker = NatsProcess(Path(folder) / "nats")
        try:
            with fleet_on(Path(folder), broker, cabled=True) as fleet:
                yield Soak(fleet, seed, slack)
        finally:
            broker.stop()


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().getrandbits(32)
    slack = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    sys.stdout.write(f"seed {seed}\n")
    with soaking(seed, slack) as soak:
        soak.run(minutes * 60)
        told = soak.finish()
    sys.stdout.write(json.dumps(told, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
