#!/usr/bin/env bash
# usage: hostile.sh [DATAGRAMS]
# Bad input of every kind against real nodes on loopback: each case must end in a clear error or a
# counted drop, with the victim alive and still linked. Prints PASS or FAIL a case; DATAGRAMS random
# ones are sent (1,000,000 unless told otherwise).
set -u
partyline=${PARTYLINE:-$(cd "$(dirname "$0")/../.." && pwd)/.build/release/partyline}
datagrams=${1:-1000000}
[ -x "$partyline" ] || { echo "no $partyline: build first, or set PARTYLINE"; exit 2; }
work=$(mktemp -d)
mesh=hostile-$$
port=17400
passed=0
failed=0
declare -A pids=()

cleanup() {
    trap '' INT TERM
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null; done
    for _ in $(seq 40); do [ -z "$(jobs -pr)" ] && break; sleep 0.1; done
    for pid in $(jobs -pr); do kill -9 "$pid" 2>/dev/null; done
    wait 2>/dev/null
    umount "$work/full" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

start() { # NAME PORT OPTION...
    local name=$1 at=$2
    shift 2
    "$partyline" run --name "$name" --mesh "$mesh" --state-dir "$work/$name" --control "$work/$name.sock" \
        --listen "127.0.0.1:$at" --discovery none --input null --output null "$@" >"$work/$name.log" 2>&1 &
    pids[$name]=$!
}
stop() { kill "${pids[$1]}" 2>/dev/null; wait "${pids[$1]}" 2>/dev/null; unset "pids[$1]"; }
status_of() { "$partyline" status --json --control "$work/$1.sock" 2>/dev/null | tr -d ' \n'; }
# Keys are sorted: a counter of the same name comes before the number of links.
links() { status_of "$1" | grep -o '"links_up":[0-9]*' | tail -n 1 | cut -d: -f2; }
counter() { # NODE COUNTER -> its value; a counter that is zero is not shown
    local value
    value=$(status_of "$1" | grep -o "\"$2\":[0-9]*" | head -n 1 | cut -d: -f2)
    echo "${value:-0}"
}
grew() { [ "$(counter victim "$1")" -gt "$2" ]; } # COUNTER VALUE-BEFORE
await() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.1; done
}
linked() { [ "$(links "$1")" = "${2:-1}" ]; }
verdict() { # NAME CONDITION-STATUS DETAIL
    if [ "$2" = 0 ]; then passed=$((passed + 1)); echo "PASS  $1: $3"; else failed=$((failed + 1)); echo "FAIL  $1: $3"; fi
}
alive() { kill -0 "${pids[victim]}" 2>/dev/null && linked victim; }
survives() { # NAME DETAIL
    await 5 alive
    verdict "$1" $? "$2; victim alive with $(links victim) link"
}
drops() { # NAME COUNTER VALUE-BEFORE DETAIL: counted, and the victim goes on
    await 5 grew "$2" "$3" && await 5 alive
    verdict "$1" $? "$4; $2 $3 -> $(counter victim "$2"), victim alive with $(links victim) link"
}
hold() { # tcp|udp PORT: takes the port on loopback until `stop holder`
    perl -MSocket -e '
        my ($kind, $port) = @ARGV;
        socket(my $s, PF_INET, $kind eq "tcp" ? SOCK_STREAM : SOCK_DGRAM, 0);
        bind($s, sockaddr_in($port, inet_aton("127.0.0.1"))) or die "bind: $!";
        listen($s, 1) if $kind eq "tcp"; sleep 60' "$1" "$2" &
    pids[holder]=$!
    sleep 0.5
}
ends_with_error() { # NAME WANTED-EXIT PATTERN COMMAND...
    local name=$1 wanted=$2 pattern=$3 output code
    shift 3
    output=$(timeout 10 "$@" 2>&1 </dev/null)
    code=$?
    grep -qiE "$pattern" <<<"$output" && [ "$code" = "$wanted" ]
    verdict "$name" $? "exit $code: $(grep -v '^$' <<<"$output" | head -n 2 | tr '\n' ' ')"
}

start victim $port
start friend $((port + 1)) --peer 127.0.0.1:$port
await 10 linked victim
verdict "two nodes link" $? "$(links victim) link"

perl -MSocket -e '
    my ($port, $count) = @ARGV; srand(7);
    socket(my $s, PF_INET, SOCK_DGRAM, 0); my $to = sockaddr_in($port, inet_aton("127.0.0.1"));
    my $noise = join "", map { chr int rand 256 } 1 .. 65536;
    for (1 .. $count) { send($s, substr($noise, int rand 64000, int rand 1400), 0, $to) }' "$port" "$datagrams"
drops "random UDP datagrams" datagrams_malformed 0 "$datagrams sent, $(counter victim udp_received) read, $(counter victim datagrams_unknown_key) of unknown key"

before=$(counter victim tcp_handshakes_failed)
for _ in 1 2 3 4 5; do head -c 100000 /dev/urandom >"/dev/tcp/127.0.0.1/$port" 2>/dev/null; done
drops "random bytes on the TCP port" tcp_handshakes_failed "$before" "500 kB sent"

exec 7<>"/dev/tcp/127.0.0.1/$port"
for _ in 1 2 3 4 5 6; do printf '\x16' >&7 2>/dev/null; sleep 1; done
timeout 2 cat <&7 >/dev/null
dribble=$?
exec 7>&-
verdict "slow dribble" "$([ $dribble != 124 ] && echo 0 || echo 1)" "the victim hung up within 8 s"

tls() { timeout 5 openssl s_client -connect 127.0.0.1:$port -alpn partyline/2 -tls1_3 "$@" 2>&1; }
{ sleep 1; } | tls >"$work/tls1"; grep -qiE "certificate required|alert" "$work/tls1"
verdict "TLS without certificate" $? "$(grep -oiE 'alert[a-z ]*number [0-9]*|certificate required' "$work/tls1" | head -n 1)"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/rsa.key" -out "$work/rsa.pem" -subj /CN=node -days 2 2>/dev/null
{ sleep 1; } | tls -cert "$work/rsa.pem" -key "$work/rsa.key" >"$work/tls2"; grep -qiE "alert|no suitable|error" "$work/tls2"
verdict "TLS with an RSA certificate" $? "$(grep -oiE 'alert[a-z ]*number [0-9]*|no suitable[a-z ]*' "$work/tls2" | head -n 1)"
openssl req -x509 -newkey ed25519 -nodes -keyout "$work/ed.key" -out "$work/ed.pem" -subj /CN=node -days 2 2>/dev/null
before=$(counter victim tcp_oversized_frames)
{ printf '\xff\xff\xff\xff'; sleep 2; } | tls -quiet -cert "$work/ed.pem" -key "$work/ed.key" >"$work/tls3"
drops "oversized frame" tcp_oversized_frames "$before" "a length of 4 GiB after a good handshake"

if [ "$(id -u)" = 0 ]; then
    before=$(counter victim datagrams_replayed)
    # A packet socket sees what friend sends to the victim; the same bytes go there again.
    replayed=$(perl -MSocket -e '
        my ($port) = @ARGV; my ($end, @kept) = (time + 4);
        socket(my $tap, 17, SOCK_DGRAM, unpack("S", pack("n", 0x0800))) or die "packet socket: $!";
        while (time < $end) {
            my $ready = ""; vec($ready, fileno($tap), 1) = 1;
            next unless select($ready, undef, undef, 0.5);
            recv($tap, my $packet, 65536, 0);
            my $header = 4 * (ord($packet) & 15);
            next unless ord(substr($packet, 9, 1)) == 17 && unpack("n", substr($packet, $header + 2, 2)) == $port;
            push @kept, substr($packet, $header + 8);
        }
        socket(my $s, PF_INET, SOCK_DGRAM, 0);
        send($s, $_, 0, sockaddr_in($port, inet_aton("127.0.0.1"))) for @kept;
        print scalar @kept' "$port")
    drops "replayed media" datagrams_replayed "$before" "${replayed:-0} datagrams sent again from another port"
else
    echo "SKIP  replayed media: a packet socket needs root"
fi

start friend2 $((port + 2)) --peer 127.0.0.1:$port
await 10 linked victim 2
stop friend2
rm -rf "$work/friend2"
start friend2 $((port + 2)) --peer 127.0.0.1:$port
await 15 linked victim 2
verdict "a foreign key at a known address" $? "$(links victim) links; the newcomer is a node of its own"
stop friend2

stop friend
cp -r "$work/victim" "$work/twin"
start twin $((port + 3)) --peer 127.0.0.1:$port
start friend $((port + 1)) --peer 127.0.0.1:$port --peer 127.0.0.1:$((port + 3))
# One of the two may be linked, and who was turned away is counted somewhere; nobody is linked to both.
noticed() {
    local sum=0 node name
    for node in victim twin friend; do
        for name in duplicate_identities ghost_hellos own_instance_rolled_back; do
            sum=$((sum + $(counter $node $name)))
        done
    done
    [ $sum -gt 0 ] && echo $sum
}
await 8 noticed >/dev/null && await 8 linked friend
verdict "two nodes with one identity" $? "turned away and counted: $(noticed); friend has $(links friend) link; victim says: $(status_of victim | grep -o '"identity:[^"]*"')"
stop twin
await 10 alive
verdict "the twin is gone" $? "the victim is linked again without a restart: $(links victim) link"
# A friend that has met no later start of the victim, so that the cases below stand for themselves.
stop friend
rm -rf "$work/friend"
start friend $((port + 1)) --peer 127.0.0.1:$port
await 15 linked victim

ends_with_error "a second node with the same NAME" 1 "another node is running" \
    "$partyline" run --name victim --state-dir "$work/victim" --control "$work/second.sock" --input null --output null
printf 'mesh = "x"\nchanel = "main"\n' >"$work/typo.toml"
ends_with_error "config with a typo" 2 "typo.toml:2:.*chanel.*channel" "$partyline" run --config "$work/typo.toml"
ends_with_error "busy port" 1 "$port.*(taken|in use)" \
    "$partyline" run --name busy --state-dir "$work/busy" --control "$work/busy.sock" --listen 127.0.0.1:$port --input null --output null

hold tcp $((port + 8))
ends_with_error "busy TCP port" 1 "TCP.*$((port + 8)).*(taken|in use)" \
    "$partyline" run --name busy --state-dir "$work/busy" --control "$work/busy.sock" --listen 127.0.0.1:$((port + 8)) --input null --output null
stop holder
# The remembered port is the first choice of a node that may choose: it is free for UDP, not for TCP.
start chooser $((port + 9))
await 8 linked chooser 0
stop chooser
hold tcp $((port + 9))
"$partyline" run --name chooser --mesh "$mesh" --state-dir "$work/chooser" --control "$work/chooser.sock" \
    --discovery none --input null --output null >"$work/chooser.log" 2>&1 &
pids[chooser]=$!
await 8 linked chooser 0
chosen=$(status_of chooser | grep -o '"listen":\[[^]]*' | grep -oE ':[0-9]+"' | tr -d ':"' | sort -u | paste -sd,)
[ -n "$chosen" ] && [ "$chosen" != $((port + 9)) ]
verdict "TCP port busy, free to choose" $? "remembered $((port + 9)), took $chosen"
stop chooser
stop holder

start nodevice $((port + 4)) --input alsa:nosuchcard --output alsa:nosuchcard --peer 127.0.0.1:$port
await 8 linked nodevice 2
verdict "missing sound device" $? "runs without it: $("$partyline" status --control "$work/nodevice.sock" 2>/dev/null | grep -m1 -i nosuchcard)"
stop nodevice

touch "$work/file"
start unwritable $((port + 5)) --state-dir "$work/file/state" --peer 127.0.0.1:$port
await 8 linked unwritable 2
verdict "unwritable state directory" $? "$(grep -m1 -i guest "$work/unwritable.log")"
stop unwritable

if [ "$(id -u)" = 0 ] && mkdir "$work/full" && mount -t tmpfs -o size=16k tmpfs "$work/full" 2>/dev/null; then
    head -c 65536 /dev/zero >"$work/full/ballast" 2>/dev/null
    start fulldisk $((port + 6)) --state-dir "$work/full/state" --peer 127.0.0.1:$port
    await 8 linked fulldisk 2
    verdict "full disk" $? "$(grep -m1 -iE 'guest|space' "$work/fulldisk.log")"
    stop fulldisk
else
    echo "SKIP  full disk: needs root and a tmpfs"
fi

sleep 3 # the links of the guests have ended
survives "after all of it" "uptime $(status_of victim | grep -o '"uptime_s":[0-9]*' | cut -d: -f2) s"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
