"""Asks a partyline node over its control socket; docs/CONTROL.md lists methods and events.

control.py SOCKET METHOD [NAME=VALUE ...]     prints the answer as JSON
control.py SOCKET events [KIND ...]           prints events, one a line, until interrupted
"""
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
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        for message in map(json.loads, self.lines):
            if message.get("method") == "event":
                self.waiting.append(message["params"])
            elif "error" in message:
                raise RuntimeError(message["error"]["message"])
            else:
                return message["result"]
        raise EOFError("the node closed the connection")

    def events(self, *kinds):
        """Yields events as they happen; of these kinds alone, if any are given."""
        self.ask("events.subscribe", **({"kinds": kinds} if kinds else {}))
        while self.waiting:
            yield self.waiting.pop(0)
        yield from (message["params"] for message in map(json.loads, self.lines))


def value(text):
    try:
        return json.loads(text)
    except ValueError:
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
        reason = f"{sys.argv[1]}: {getattr(end, 'strerror', None) or end}"
        sys.exit(130 if isinstance(end, KeyboardInterrupt) else reason)
