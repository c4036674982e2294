#!/usr/bin/env bash
# usage: nat.sh
# Host 2 lies behind a router that masquerades (nftables, ports remapped). It dials host 1; both
# must hear each other, judged by what they recorded.
set -u
source "$(dirname "$0")/hosts.sh"
hosts_up 2

# Host 2 moves behind a router of its own.
router="$tag-router"
ip netns add "$router"
ip -n "$router" link set lo up
ip -n "$tag-2" link del eth0
ip -n "$router" link add wan type veth peer name port9 netns "$tag-hub"
ip -n "$tag-hub" link set port9 master br0 up
ip -n "$router" addr add 10.77.0.9/24 dev wan
ip -n "$router" link set wan up
ip -n "$tag-2" link add eth0 type veth peer name lan netns "$router"
ip -n "$router" addr add 192.168.9.1/24 dev lan
ip -n "$router" link set lan up
ip -n "$tag-2" addr add 192.168.9.2/24 dev eth0
ip -n "$tag-2" link set eth0 up
ip -n "$tag-2" route add default via 192.168.9.1
ip netns exec "$router" sysctl -qw net.ipv4.ip_forward=1
ip netns exec "$router" nft -f - <<'NFT'
table ip nat {
  chain postrouting {
        type nat hook postrouting priority 100;
        oifname "wan" masquerade random,persistent
    }
}
NFT

# Bytes that are not silence in the last part of a recording.
loud_bytes() { tail -c 200000 "$1" 2>/dev/null | tr -d '\0' | wc -c; }

node 1 outside --discovery none --input tone:440 --output "file:$work/outside.wav" --talk open
node 2 inside --discovery none --input tone:700 --output "file:$work/inside.wav" --talk open --peer 10.77.0.1:7400
took=$(await_links 1 15000 outside inside)
echo "linked in $took ms"
sleep 6
status_of outside | tr -d ' \n' | grep -o '"endpoint":"[^"]*"' | sed 's/^/outside reaches inside at /'
status_of outside | tr -d ' \n' | grep -o '"path":"[^"]*"' | head -n 1
stop_nodes
inside=$(loud_bytes "$work/inside.wav")
outside=$(loud_bytes "$work/outside.wav")
echo "inside heard $inside bytes of sound, outside heard $outside (of 200000)"
[ "$took" != never ] && [ "$inside" -gt 100000 ] && [ "$outside" -gt 100000 ]
