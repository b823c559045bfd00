#!/usr/bin/python3
"""An application that wants to lead: campaigns, says when it leads, and resigns at SIGTERM.

    holder.py conclave SOCKET SECONDS
    holder.py etcd PORT SECONDS
    holder.py zookeeper PORT SECONDS

SECONDS are how long its lease shall outlive it; the system may give more. It prints `lease SECONDS`
for what it was given, `held CLOCK` once it leads and `resigns CLOCK` for the moment before it told
the system so: said afterwards, for whoever reads it takes a core from those who are measured.

With Debian's Python, which has ZooKeeper's client for it. etcd is spoken to over its JSON gateway:
that costs it a millisecond of the hand-over.
"""

import base64
import http.client
import json
import os
import signal
import socket
import sys
import threading
from time import monotonic_ns, sleep

FOR_EVER = 3600
GROUP = "main"
told_to_end = threading.Event()


def say(*words):
    print(*words, flush=True)


def give_up(why):
    """From any thread: whoever started us reads it."""
    print(why, file=sys.stderr, flush=True)
    os._exit(1)


def stay_in_office():
    """Until it is over; then when that was."""
    say("held", monotonic_ns())
    told_to_end.wait()
    return monotonic_ns()


class Post:
    """Questions over one kept connection."""

    def __init__(self, port=None, path=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=FOR_EVER)
        if path:
            self.connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.connection.sock.connect(path)

    def __call__(self, path, body):
        self.connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300 and answer.status != 409:
            give_up(f"POST {path}: {answer.status} {text.decode()}")
        return json.loads(text) if answer.status < 300 else None


def keep(renew, lease):
    """Lives as long as this process."""

    def forever():
        while True:
            renew()
            sleep(lease / 4)

    threading.Thread(target=forever, daemon=True).start()


class Conclave:
    def __init__(self, where, lease):
        self.post, renewals = Post(path=where), Post(path=where)
        opened = self.post("/v1/sessions", {"ttl": f"{1000 * lease:.0f}ms"})
        self.session = opened["session"]
        say("lease", lease)
        keep(lambda: renewals(f"/v1/sessions/{self.session}/renew", {}), lease)

    def lead(self):
        body = {"session": self.session, "wait": "30s"}
        while self.post(f"/v1/groups/{GROUP}/campaign", body) is None:
            pass
        resigned = stay_in_office()
        self.post(f"/v1/groups/{GROUP}/resign", {"session": self.session})
        say("resigns", resigned)


class Etcd:
    def __init__(self, where, lease):
        self.post, renewals = Post(int(where)), Post(int(where))
        granted = self.post("/v3/lease/grant", {"TTL": int(lease)})
        self.lease = granted["ID"]
        say("lease", granted["TTL"])
        keep(lambda: renewals("/v3/lease/keepalive", {"ID": self.lease}), float(granted["TTL"]))

    def lead(self):
        name = base64.b64encode(GROUP.encode()).decode()
        won = self.post("/v3/election/campaign", {"name": name, "lease": self.lease, "value": name})
        resigned = stay_in_office()
        self.post("/v3/election/resign", {"leader": won["leader"]})
        say("resigns", resigned)


class ZooKeeper:
    def __init__(self, where, lease):
        from kazoo.client import KazooClient

        self.client = KazooClient(hosts=f"127.0.0.1:{where}", timeout=lease)
        self.client.start(timeout=60)
        say("lease", self.client._session_timeout / 1000)  # what was agreed on is kept there only

    def lead(self):
        resigned = []
        self.client.Election(f"/{GROUP}").run(lambda: resigned.append(stay_in_office()))
        say("resigns", resigned[0])


def main():
    system, where, lease = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: told_to_end.set())
    kinds = {"conclave": Conclave, "etcd": Etcd, "zookeeper": ZooKeeper}
    holder = kinds[system](where, float(lease))
    campaign = threading.Thread(target=holder.lead)  # a signal is heard by the main thread only
    campaign.start()
    campaign.join()


if __name__ == "__main__":
    main()
