#!/usr/bin/env bash
# usage: discovery.sh avahi|avahi-closed|beacon|peer [RUNS]
#        discovery.sh advertise
# Three hosts on one bridge find each other by avahi-daemon alone, by beacon alone, or with
# multicast dropped and one --peer. With avahi-closed the first makes a closed mesh, and the others
# enter it by avahi-daemon alone: the time of each `enter` is printed, and nothing that Avahi sends
# may hold a NodeID, or a name of the mesh or of a node. Prints the time from start to all links up of every run, then
# median and worst; fails where the worst is 5 s or more. With advertise, Avahi of the first host is asked for its
# service: `advertise off` withdraws it within 5 s, the node links to a newcomer all the same, and `on` brings it back.
set -u
source "$(dirname "$0")/hosts.sh"
mode=${1:?avahi, avahi-closed, beacon, peer or advertise}
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

# What Avahi sends on the bridge, one datagram after another, into a file.
capture_mdns() {
    ip netns exec "$tag-hub" python3 - "$1" <<'PYTHON' &
import socket, sys
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
with open(sys.argv[1], "wb", buffering=0) as file:
    while True:
        frame = raw.recv(1 << 16)
        if b"\x14\xe9\x14\xe9" in frame[34:60]:
            file.write(frame)
PYTHON
    children+=($!)
}

# The first node of a run makes a closed mesh and starts; the others enter it and print how long it took.
enter_closed() { # RUN
    local i start state
    printf 'kite oven lamp river\n' >"$work/code"
    for i in 1 2 3; do
        state=(--state-dir "$work/n$i-$1" --control "$work/n$i-$1.sock")
        if [ "$i" = 1 ]; then
            on 1 "$partyline" init --mesh Quinquereme --nick Oberspielleiter --code-file "$work/code" "${state[@]}" \
                >"$work/init.log" 2>&1 || { cat "$work/init.log"; exit 1; }
            node 1 "n1-$1" --discovery avahi
        else
            start=$(now_ms)
            on "$i" "$partyline" enter --code-file "$work/code" --discovery avahi "${state[@]}" \
                >"$work/enter$i.log" 2>&1 || { cat "$work/enter$i.log"; exit 1; }
            entries+=($(($(now_ms) - start)))
            echo "run $1: host $i entered in ${entries[-1]} ms"
        fi
    done
}
entries=()

# Whether Avahi on host 1 answers a question for the services of partyline. Its answer goes to the asking port alone.
is_published() {
    on 3 python3 - <<'PYTHON'
import socket, sys
question = b"\0\0\0\0\0\1\0\0\0\0\0\0\x0a_partyline\4_udp\5local\0\0\x0c\0\1"
asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.77.0.3"))
asker.settimeout(0.5)
asker.sendto(question, ("224.0.0.251", 5353))
try:
    while True:
        answer, (host, _) = asker.recvfrom(9000)
        if host == "10.77.0.1" and answer[6:8] != b"\0\0":
            sys.exit(0)
except TimeoutError:
    sys.exit(1)
PYTHON
}

# Ends the script where the service of host 1 is not there (0), or still there (1), after 5 s.
expect_service() { # STATUS WORDS
    local start found
    start=$(now_ms)
    while :; do
        is_published
        found=$?
        [ "$found" = "$1" ] && break
        [ $(($(now_ms) - start)) -lt 5000 ] || { echo "$2: never"; exit 1; }
        sleep 0.1
    done
    echo "$2: $(($(now_ms) - start)) ms"
}

check_advertising() {
    node 1 one --discovery avahi
    expect_service 0 "the service is there"
    "$partyline" advertise off --control "$work/one.sock" || exit 1
    expect_service 1 "the service is gone"
    node 2 two --discovery avahi
    took=$(await_links 1 5000 one two)
    echo "linked to a newcomer: $took ms"
    [ "$took" != never ] || exit 1
    expect_service 1 "the service is still gone"
    "$partyline" advertise on --control "$work/one.sock" || exit 1
    expect_service 0 "the service is back"
}

case $mode in
avahi | avahi-closed | advertise)
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
*) echo "avahi, avahi-closed, beacon, peer or advertise, not '$mode'"; exit 2 ;;
esac
[ "$mode" = advertise ] && { check_advertising; exit; }

times=()
[ "$mode" = avahi-closed ] && capture_mdns "$work/mdns"
for run in $(seq 1 "$runs"); do
    [ "$mode" = avahi-closed ] && enter_closed "$run"
    for i in 1 2 3; do
        [ "$mode" = avahi-closed ] && [ "$i" = 1 ] && continue
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
if [ "$mode" = avahi-closed ]; then
    echo "enter: median $(median "${entries[@]}") ms, worst $(worst "${entries[@]}") ms of ${#entries[@]}"
    sealed=$(grep -c -a 'v=2' "$work/mdns")
    open=$(grep -c -a -i -e 'v=1' -e 'id=' -e quinquereme -e oberspielleiter -e 'n[123]-' "$work/mdns")
    echo "mDNS: $(stat -c %s "$work/mdns") bytes, lines with sealed services: $sealed, with names or NodeIDs: $open"
    [ "$sealed" -gt 0 ] && [ "$open" = 0 ] && [ "$(worst "${entries[@]}")" -lt 5000 ] || exit 1
fi
[ "$(worst "${times[@]}")" -lt 5000 ]
