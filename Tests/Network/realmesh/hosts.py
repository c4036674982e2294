"""Hosts on one machine: a network namespace each, on one bridge for each site.

Faults are nftables rules in the bridge, where frames are forwarded: beyond both hosts, as in a real
network. A drop in a sender's own OUTPUT hook would show as an error of its sendto, which no
network gives. Rules name ports, not addresses, so they outlive a change of address.

Every host has one IPv4 address and no other, as in the simulator: nothing survives a fault on the
quiet by a second family.
"""

import ctypes
import os
import shutil
import socket
import subprocess

_CLONE_NEWNET = 0x40000000
_BEACON_PORT = 7399


def _run(*argv, text=None, check=True):
    done = subprocess.run(argv, input=text, capture_output=True, text=True)
    if check and done.returncode:
        raise OSError(f"{' '.join(argv)}: {done.stderr.strip()}\n{text or ''}")
    return done.stdout


def lack(has_faults=True):
    """Why hosts cannot be made here; None where they can. Without faults nothing is broken between them."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    tools = {"ip": "iproute2"} | ({"nft": "nftables"} if has_faults else {})
    for tool, package in tools.items():
        if not shutil.which(tool):
            return f"no {tool} on the PATH (Debian package {package})"
    trial = f"rm{os.getpid()}-try"
    try:
        _run("ip", "netns", "add", trial)
        chain = "type filter hook forward priority 0;\n numgen random mod 9 < 1 drop\n"
        rules = f"table bridge t {{\n chain c {{\n {chain} }}\n}}\n"
        if has_faults:
            _run("ip", "netns", "exec", trial, "nft", "-f", "-", text=rules)
        _run("ip", "-n", trial, "link", "add", "br0", "type", "bridge")
    except OSError as error:
        return str(error).splitlines()[0]
    finally:
        _run("ip", "netns", "del", trial, check=False)
    return None


class Hosts:
    """The hosts of one scenario, by name, and what is broken between them."""

    def __init__(self, names, sites, has_faults=True):
        self.has_faults = has_faults
        self.tag = f"rm{os.getpid()}"
        self.hub = f"{self.tag}-hub"
        self.index = {name: number for number, name in enumerate(names, 1)}
        self.sites = sites
        self.moves = dict.fromkeys(names, 0)
        self.cuts = set()  # (from, to)
        self.blocked = set()  # (from, to), datagrams only
        self.deaf = set()  # (listener, subject)
        self.dark = set()  # no power, or asleep
        self.loss_permille = 0
        _run("ip", "netns", "add", self.hub)
        for site in sorted(set(sites.values())):
            bridge = f"br{site}"
            _run("ip", "-n", self.hub, "link", "add", bridge, "type", "bridge", "mcast_snooping", "0")
            _run("ip", "-n", self.hub, "addr", "add", f"10.{77 + site}.0.254/24", "dev", bridge)
            _run("ip", "-n", self.hub, "link", "set", bridge, "up")
        for name in names:
            self._make(name)
        self._apply()

    def close(self):
        """Removes everything."""
        for name in list(self.index) + ["hub"]:
            _run("ip", "netns", "del", self.namespace(name) if name in self.index else self.hub, check=False)

    def namespace(self, name):
        """The name of a host's namespace."""
        return f"{self.tag}-{self.index[name]}"

    def port(self, name):
        """The bridge's end of a host's cable."""
        return f"port{self.index[name]}"

    def address(self, name):
        """A host's address as it is now."""
        return f"10.{77 + self.sites[name]}.0.{self.index[name] + 100 * self.moves[name]}"

    def inside(self, name):
        """The beginning of a command line that runs on a host; the process becomes the command."""
        return ["ip", "netns", "exec", self.namespace(name)]

    def _make(self, name):
        space, number = self.namespace(name), self.index[name]
        _run("ip", "netns", "add", space)
        _run(*self.inside(name), "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
        _run("ip", "-n", space, "link", "set", "lo", "up")
        mac = f"02:00:00:00:00:{number:02x}"
        peer = ["peer", "name", self.port(name), "netns", self.hub]
        _run("ip", "-n", space, "link", "add", "eth0", "address", mac, "type", "veth", *peer)
        _run("ip", "-n", self.hub, "link", "set", self.port(name), "master", f"br{self.sites[name]}", "up")
        self.online(name)

    # MARK: Hosts

    def offline(self, name):
        """Airplane mode: the interface goes down and its address with it."""
        space = self.namespace(name)
        _run("ip", "-n", space, "link", "set", "eth0", "down")
        _run("ip", "-n", space, "addr", "flush", "dev", "eth0")

    def online(self, name):
        """The way back."""
        _run("ip", "-n", self.namespace(name), "link", "set", "eth0", "up")
        self._address(name)

    def _address(self, name):
        space = self.namespace(name)
        _run("ip", "-n", space, "addr", "add", f"{self.address(name)}/24", "dev", "eth0")
        _run("ip", "-n", space, "route", "add", "default", "via", f"10.{77 + self.sites[name]}.0.254")

    def power_off(self, name):
        """From now on nothing leaves the host or reaches it."""
        self.dark.add(name)
        self._apply()

    def power_on(self, name):
        """The cable again, nothing else."""
        self.dark.discard(name)
        self._apply()

    def reboot(self, name):
        """A dead host's kernel forgets its connections; its processes must have ended."""
        _run("ip", "netns", "del", self.namespace(name))
        # The pair of cables goes with the namespace, but not at once.
        _run("ip", "-n", self.hub, "link", "del", self.port(name), check=False)
        self._make(name)
        self.power_on(name)

    def move(self, name):
        """Another address; the old one is gone at once."""
        space = self.namespace(name)
        _run("ip", "-n", space, "addr", "del", f"{self.address(name)}/24", "dev", "eth0")
        self.moves[name] += 1
        self._address(name)

    # MARK: Network

    def route(self):
        """From now on the sites reach each other."""
        _run("ip", "netns", "exec", self.hub, "sysctl", "-qw", "net.ipv4.ip_forward=1")

    def change(self, **sets):
        """Replaces whatever is broken, in one step: `cuts`, `blocked`, `deaf`, `loss_permille`."""
        for name, value in sets.items():
            setattr(self, name, value)
        self._apply()

    def _apply(self):
        if not self.has_faults:
            return

        def pairs(broken):
            return ", ".join(f"{self.port(a)} . {self.port(b)}" for a, b in sorted(broken))

        rules = []
        for name in sorted(self.dark):
            rules += [f"iifname {self.port(name)} drop", f"oifname {self.port(name)} drop"]
        if self.cuts:
            rules.append(f"iifname . oifname {{ {pairs(self.cuts)} }} drop")
        if self.blocked:
            rules.append(f"meta l4proto udp iifname . oifname {{ {pairs(self.blocked)} }} drop")
        if self.deaf:
            heard = {(subject, listener) for listener, subject in self.deaf}
            rules.append(f"udp dport {_BEACON_PORT} iifname . oifname {{ {pairs(heard)} }} drop")
        if self.loss_permille:
            rules.append(f"numgen random mod 1000 < {self.loss_permille} drop")
        head = "add table bridge faults\nflush table bridge faults\n"
        chain = "table bridge faults {\n chain forward {\n  type filter hook forward priority 0;\n"
        text = head + chain + "".join(f"  {rule}\n" for rule in rules) + " }\n}\n"
        _run("ip", "netns", "exec", self.hub, "nft", "-f", "-", text=text)

    # MARK: Frames

    def raw_socket(self, name):
        """A socket for whole frames at the bridge's end of a host's cable."""
        libc = ctypes.CDLL(None, use_errno=True)
        own = os.open("/proc/self/ns/net", os.O_RDONLY)
        hub = os.open(f"/run/netns/{self.hub}", os.O_RDONLY)
        try:
            if libc.setns(hub, _CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            try:
                raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
                raw.bind((self.port(name), 0))
            finally:
                libc.setns(own, _CLONE_NEWNET)
        finally:
            os.close(own)
            os.close(hub)
        raw.setblocking(False)
        return raw
