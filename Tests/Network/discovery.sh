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

start_avahi() {
    local i
    for i in 1 2 3; do
        nsenter -t "${host_pid[$i]}" -n -m -u -- bash -c 'mkdir -p /run/dbus /run/avahi-daemon && dbus-daemon --system --fork --nopidfile &&
            exec avahi-daemon --no-drop-root --no-chroot --no-rlimits' >"$work/avahi$i.log" 2>&1 &
        children+=($!)
    done
    sleep 3
}

drop_multicast() {
    ip netns exec "$tag-hub" nft -f - <<'NFT'
table bridge filter {
    chain forward {
        type filter hook forward priority 0;
        ether daddr & 01:00:00:00:00:00 == 01:00:00:00:00:00 ether daddr != ff:ff:ff:ff:ff:ff meta protocol ip drop
        ip6 daddr ff02::fb drop
        udp dport 7401 drop
    }
}
NFT
}

case $mode in
avahi) start_avahi && discovery=avahi ;;
beacon) discovery=beacon ;;
peer) drop_multicast && discovery=auto ;;
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
