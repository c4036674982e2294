#!/usr/bin/env bash
# usage: discovery.sh avahi|beacon|peer [RUNS]
# Three hosts on one bridge find each other by avahi-daemon alone, by beacon alone, or with
# multicast dropped and one --peer. Prints the time from start to all links up of every run, then
# median and worst; fails where the worst is 5 s or more.
set -u
source "$(dirname "$0")/hosts.sh"
mode=${1:?avahi, beacon or peer}
runs=${2:-10}
hosts_up 3

# A system bus and a daemon of its own for every host; neither forks, so that both end with the script.
start_avahi() {
    local i
    for i in 1 2 3; do
        on "$i" mkdir -p /run/dbus /run/avahi-daemon
        nsenter -t "${host_pid[$i]}" -n -m -u -- dbus-daemon --system --nofork --nopidfile >"$work/bus$i.log" 2>&1 &
        children+=($!)
    done
    for i in 1 2 3; do
        for _ in $(seq 50); do on "$i" test -S /run/dbus/system_bus_socket && break; sleep 0.1; done
        nsenter -t "${host_pid[$i]}" -n -m -u -- \
            avahi-daemon --no-drop-root --no-chroot --no-rlimits >"$work/avahi$i.log" 2>&1 &
        children+=($!)
    done
    for i in 1 2 3; do
        for _ in $(seq 100); do grep -q "startup complete" "$work/avahi$i.log" && break; sleep 0.1; done
        grep -q "startup complete" "$work/avahi$i.log" || { cat "$work/bus$i.log" "$work/avahi$i.log"; exit 1; }
    done
}

drop_multicast() {
    ip netns exec "$tag-hub" nft -f - <<'NFT'
table bridge filter {
    chain forward {
        type filter hook forward priority 0;
        ether daddr & 01:00:00:00:00:00 == 01:00:00:00:00:00 ether daddr != ff:ff:ff:ff:ff:ff meta protocol ip drop
        ip6 daddr ff02::fb drop
        udp dport 7399 drop
    }
}
NFT
}

case $mode in
avahi)
    for tool in avahi-daemon dbus-daemon; do
        command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 0; }
    done
    start_avahi
    discovery=avahi
    ;;
beacon) discovery=beacon ;;
peer)
    drop_multicast
    discovery=auto
    ;;
*) echo "avahi, beacon or peer, not '$mode'"; exit 2 ;;
esac

times=()
for run in $(seq 1 "$runs"); do
    for i in 1 2 3; do
        options=(--discovery "$discovery")
        # One address is enough: node 1 is told of nobody, the other two of node 1.
        [ "$mode" = peer ] && [ "$i" != 1 ] && options+=(--peer 10.77.0.1:7400)
        node "$i" "n$i-$run" "${options[@]}"
    done
    took=$(await_links 2 20000 "n1-$run" "n2-$run" "n3-$run")
    echo "run $run: $took ms"
    if [ "$took" = never ]; then
        times+=(99999)
        for i in 1 2 3; do tail -n 5 "$work/n$i-$run.log"; done
    else
        times+=("$took")
    fi
    stop_nodes
done
echo "$mode: median $(median "${times[@]}") ms, worst $(worst "${times[@]}") ms of $runs runs"
[ "$(worst "${times[@]}")" -lt 5000 ]
