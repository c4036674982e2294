"""Asks a partyline node over its control socket; docs/CONTROL.md lists methods and events.

control.py SOCKET METHOD [NAME=VALUE ...]     prints the answer as JSON
control.py SOCKET events [KIND ...]           prints events, one a line, until interrupted or the node's end
"""
import contextlib
import json
import socket
import sys


class Node:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("r", encoding="utf-8")
        self.last_id, self.waiting = 0, []  # waiting: events that came before an answer

    def ask(self, method, **parameters):
        """Returns the document with which the node answers; raises RuntimeError if it refuses."""
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": parameters}
        with contextlib.suppress(BrokenPipeError):  # a node that has refused this client has sent the reason
            self.socket.sendall(json.dumps(request).encode() + b"\n")
        for message in map(json.loads, self.lines):
            if "error" in message:
                raise RuntimeError(message["error"]["message"])
            if "result" in message:
                return message["result"]
            self.waiting.append(message["params"])
        raise EOFError("the node closed the connection")

    def events(self, *kinds):
        """Yields events as they happen; of these kinds alone, if any are given. Raises EOFError at their end."""
        self.ask("events.subscribe", **({"kinds": kinds} if kinds else {}))
        while self.waiting:
            yield self.waiting.pop(0)
        yield from (message["params"] for message in map(json.loads, self.lines))
        raise EOFError("the node closed the connection")


def value(text):
    with contextlib.suppress(ValueError):
        return json.loads(text)
    return text


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        node, method, words = Node(sys.argv[1]), sys.argv[2], sys.argv[3:]
        if method == "events":
            for event in node.events(*words):
                print(json.dumps(event), flush=True)
        else:
            parameters = {name: value(text) for name, _, text in (word.partition("=") for word in words)}
            print(json.dumps(node.ask(method, **parameters), indent=2))
    except (KeyboardInterrupt, RuntimeError, EOFError, OSError) as end:
        sys.exit(130 if type(end) is KeyboardInterrupt else f"{sys.argv[1]}: {getattr(end, 'strerror', None) or end}")
