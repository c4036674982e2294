"""Keeps what a node sent in its earlier life, and says it again: ghosts, as a wire could make them."""

import struct

_BEACON_PORT = 7399
_OUTGOING = 4


class FrameTap:
    """Watches one host's cable at the bridge."""

    def __init__(self, hosts, name):
        self._hosts = hosts
        self._socket = hosts.raw_socket(name)
        self._now = {}  # destination -> the last frame of this life
        self._earlier = {}

    def reader(self):
        """For Fleet.readers."""
        return self._socket, self.read

    def read(self):
        """Takes what has passed."""
        while True:
            try:
                frame, sender = self._socket.recvfrom(2048)
            except BlockingIOError:
                return
            if sender[2] == _OUTGOING or frame[12:14] != b"\x08\x00" or frame[23] != 17:
                continue
            words = (frame[14] & 15) * 4
            to = struct.unpack_from("!H", frame, 14 + words + 2)[0]
            destination = "beacon" if to == _BEACON_PORT else ".".join(map(str, frame[30:34]))
            # A cable between namespaces carries unfinished checksums; over IPv4 zero says "none".
            at = 14 + words + 6
            self._now[destination] = frame[:at] + b"\0\0" + frame[at + 2 :]

    def life_ends(self):
        """The node has died: from now on this is what can be replayed."""
        self.read()
        self._earlier, self._now = self._now, {}

    def replay(self, to):
        """Puts the last beacon and the last datagram of the earlier life on a listener's cable."""
        with self._hosts.raw_socket(to) as cable:
            frames = [self._earlier.get(key) for key in ("beacon", self._hosts.address(to))]
            for frame in filter(None, frames):
                cable.send(frame)
        return sum(frame is not None for frame in frames)
