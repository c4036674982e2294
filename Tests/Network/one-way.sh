#!/usr/bin/env bash
# usage: one-way.sh [RUNS]
# Discovery in one direction only: the leader's beacon reaches the follower, the follower's does not
# reach the leader. They must link all the same, because the follower knocks.
set -u
source "$(dirname "$0")/hosts.sh"
runs=${1:-5}
hosts_up 2

short_id() { "$partyline" id --json --name "$1" --state-dir "$work/$1" | grep -o '"short_id" *: *"[^"]*"' | cut -d'"' -f4; }

# A node of its own a run, so that no remembered address helps. Its first start makes its identity
# and meets nobody.
make_identities() {
    node 1 "$1" --discovery none
    node 2 "$2" --discovery none
    await_links 0 5000 "$1" "$2" >/dev/null
    stop_nodes
}

ip netns exec "$tag-hub" nft "add table bridge filter; add chain bridge filter forward { type filter hook forward priority 0; }"

times=()
for run in $(seq 1 "$runs"); do
    one=one-$run two=two-$run
    make_identities "$one" "$two"
    first=$(short_id "$one")
    second=$(short_id "$two")
    [ -n "$first" ] && [ -n "$second" ] || { echo "no identities"; exit 1; }
    # NodeIDs are ordered as their bytes, so the hexadecimal labels order them too.
    if [[ "$first" > "$second" ]]; then follower=2; else follower=1; fi
    ip netns exec "$tag-hub" nft flush chain bridge filter forward
    ip netns exec "$tag-hub" nft add rule bridge filter forward iifname "port$follower" udp dport 7399 counter drop
    node 1 "$one" --discovery beacon
    node 2 "$two" --discovery beacon
    took=$(await_links 1 20000 "$one" "$two")
    # The follower sends three beacons in its first second, the first perhaps after the link is up.
    sleep 1.2
    dropped=$(ip netns exec "$tag-hub" nft list chain bridge filter forward | grep -o 'counter packets [0-9]*' | grep -o '[0-9]*')
    echo "run $run: $took ms; follower $([ "$follower" = 1 ] && echo "$first" || echo "$second") on host $follower, beacons dropped: $dropped"
    # Nothing dropped: the run has shown nothing.
    [ "${dropped:-0}" -gt 0 ] || took=never
    times+=("${took/never/99999}")
    stop_nodes
done
echo "one-way: median $(median "${times[@]}") ms, worst $(worst "${times[@]}") ms of $runs runs"
[ "$(worst "${times[@]}")" -lt 5000 ]
