#!/usr/bin/env bash
# usage: one-way.sh [RUNS]
# Discovery in one direction only: the leader's beacon reaches the follower, the follower's does not
# reach the leader. They must link all the same, because the follower knocks.
set -u
source "$(dirname "$0")/hosts.sh"
runs=${1:-5}
hosts_up 2

short_id() { "$partyline" id --json --name "$1" --state-dir "$work/$1" | grep -o '"short_id" *: *"[^"]*"' | cut -d'"' -f4; }
first=$(short_id one)
second=$(short_id two)
# NodeIDs are ordered as their bytes, so the hexadecimal labels order them too.
if [[ "$first" > "$second" ]]; then follower=2; else follower=1; fi
ip netns exec "$tag-hub" nft "add table bridge filter; add chain bridge filter forward { type filter hook forward priority 0; }"
ip netns exec "$tag-hub" nft add rule bridge filter forward iifname "port$follower" udp dport 7401 counter drop
echo "leader: host $((3 - follower)), follower: host $follower; the follower's beacon is dropped"

times=()
for run in $(seq 1 "$runs"); do
    node 1 one --discovery beacon
    node 2 two --discovery beacon
    took=$(await_links 1 20000 one two)
    echo "run $run: $took ms"
    times+=("${took/never/99999}")
    stop_nodes
done
ip netns exec "$tag-hub" nft list chain bridge filter forward | grep -o 'counter packets [0-9]*' | sed 's/^/beacons dropped: /'
echo "one-way: median $(median "${times[@]}") ms, worst $(worst "${times[@]}") ms of $runs runs"
[ "$(worst "${times[@]}")" -lt 5000 ]
