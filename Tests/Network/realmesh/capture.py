"""All that some hosts send, captured where their cables end."""

import math
import select
import socket
import struct
import threading
import time

_OUTGOING = 4  # PACKET_OUTGOING of packet(7): to the host
_SO_TIMESTAMPNS = 35  # socket(7): time.CLOCK_REALTIME of each packet; Python has no name for it
_BEACON_PORT = 7399


class Capture(threading.Thread):
    """All frames that come from some hosts, each with its host and the instant at which the kernel got it."""

    def __init__(self, ground, names):
        super().__init__(daemon=True)
        self.sockets = {ground.raw_socket(name): name for name in names}
        for raw in self.sockets:
            raw.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self.frames = []
        self.is_ended = False
        self.start()

    def run(self):
        while not self.is_ended:
            for raw in select.select(list(self.sockets), [], [], 0.2)[0]:
                try:
                    while True:
                        data, [(_, _, stamp)], _, place = raw.recvmsg(1 << 16, 64)
                        if place[2] != _OUTGOING:
                            seconds, nanoseconds = struct.unpack("qq", stamp)
                            at = seconds + nanoseconds / 1e9 - (time.time() - time.monotonic())
                            self.frames.append((self.sockets[raw], at, data))
                except BlockingIOError:
                    pass

    def end(self):
        """Ends the capture."""
        self.is_ended = True
        self.join()

    def _datagrams(self, name, begin, end):
        return [
            (at, frame) for host, at, frame in self.frames
            if host == name and begin <= at < end and frame[12:14] == b"\x08\x00" and frame[23] == 17]  # fmt: skip

    def datagrams(self, name, address, begin, end=math.inf):
        """The instants between two at which a host has sent UDP datagrams to an address."""
        to = bytes(map(int, address.split(".")))
        return [at for at, frame in self._datagrams(name, begin, end) if frame[30:34] == to]

    def beacons(self, name, begin, end):
        """The payloads of a host's beacons between two instants."""
        found = []
        for _, frame in self._datagrams(name, begin, end):
            start = 14 + 4 * (frame[14] & 15)
            if struct.unpack_from("!H", frame, start + 2)[0] == _BEACON_PORT:
                found.append(frame[start + 8 :])
        return found
