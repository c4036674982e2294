import Mesh
import Primitives
import Testing
import Wire

@Suite("Arriving datagrams")
struct DatagramArrivalsTests {
    private let stage = PuppetStage()
    private let tick = Interval(nanoseconds: 1)

    /// Counters that rose during `body`, by name, and by how much.
    private func counted(_ body: () -> Void) -> [String: UInt64] {
        func all() -> [String: UInt64] {
            Dictionary(uniqueKeysWithValues: stage.node.status(now: stage.now).counters.map { ($0.name, $0.value) })
        }
        let before = all()
        body()
        return all().reduce(into: [:]) { changed, one in
            let more = one.value - before[one.key, default: 0]
            if 0 < more { changed[one.key] = more }
        }
    }

    @Test("a datagram that does not open is counted once under its own reason, and has no other effect")
    func counters() {
        let (puppet, other) = (stage.link(), stage.link())
        let good = puppet.seal(.voice([1]))
        stage.input(.datagram(good, from: puppet.home))
        var forged = puppet.seal(.voice([2]))
        forged[forged.count - 1] ^= 1
        let stray = puppet.seal(.voice([3]))
        let cases: [(MeshCounter, () -> Void)] = [
            (.datagramsMalformed, { self.stage.input(.datagram([0x50, 0], from: puppet.home)) }),
            (.datagramsReplayed, { self.stage.input(.datagram(good, from: puppet.home)) }),
            (.datagramsForged, { self.stage.input(.datagram(forged, from: puppet.home)) }),
            (.datagramBodiesMalformed, { puppet.deliver(puppet.seal([0x80, 1]), by: .address(puppet.home)) }),
            (.datagramsUnknownKey, { other.deliver(stray, by: .carrier) }),
        ]
        for (name, send) in cases {
            let outputs = stage.outputs { #expect(counted(send) == ["\(name)": 1]) }
            #expect(outputs.isEmpty)
        }
        // The same bytes are valid when they come from their sender.
        #expect(stage.outputs { stage.input(.datagram(stray, from: puppet.home)) }.count == 1)
    }

    @Test("a relayed datagram is opened only with the keys of the peer that it names as its origin")
    func broughtForAnother() {
        let (puppet, other, third) = (stage.link(), stage.link(), stage.link())
        let bytes = puppet.seal(.voice([1]))
        let counts = counted {
            third.send(.body(DatagramBody(relayed: RelayedDatagram(.from(other.id), bytes))))
        }
        #expect(counts == ["datagramsUnknownKey": 1])
        #expect(stage.outputs { puppet.deliver(bytes, by: .neighbour(third)) }.count == 1)
    }

    @Test("128 datagrams of a peer are read at once, then one each millisecond; relayed ones count separately")
    func rate() {
        let puppet = stage.link()
        stage.pass(.milliseconds(200))
        let counts = counted { for _ in 0..<130 { puppet.send(.voice([1])) } }
        #expect(counts == ["datagramsOverRate": 2])
        let relayed = DatagramBody(relayed: RelayedDatagram(.toward(stage.node.summary.peers[0].node), [1]))
        #expect(counted { puppet.send(.body(relayed)) } == ["relaysUndeliverable": 1])
        stage.pass(.milliseconds(1))
        #expect(counted { for _ in 0..<2 { puppet.send(.voice([1])) } } == ["datagramsOverRate": 1])
    }

    @Test("800 relayed datagrams of a peer are read at once, then 4,000 a second: those of eight pairs")
    func relayedRate() {
        let puppet = stage.link()
        let relayed = DatagramBody(relayed: RelayedDatagram(.toward(stage.node.summary.peers[0].node), [1]))
        let atOnce = counted { for _ in 0..<801 { puppet.send(.body(relayed)) } }
        #expect(atOnce == ["relaysUndeliverable": 800, "datagramsOverRate": 1])
        stage.pass(.milliseconds(5))
        let later = counted { for _ in 0..<21 { puppet.send(.body(relayed)) } }
        #expect(later == ["relaysUndeliverable": 20, "datagramsOverRate": 1])
    }

    @Test("voice is passed on with the slot of its peer if the link is up, and is counted otherwise")
    func voice() {
        let puppet = stage.agree()
        #expect(counted { puppet.send(.voice([1])) } == ["voiceBeforeUp": 1])
        puppet.send(.control())
        #expect(counted { puppet.send(.control()) }.isEmpty)
        let outputs = stage.outputs { puppet.send(.voice([7, 8])) }
        guard outputs.count == 1, case .voice([7, 8], from: puppet.slot) = outputs[0] else {
            return #expect(Bool(false), "\(outputs)")
        }
        stage.pass(.seconds(2))
        #expect(puppet.status?.state == .down)
        #expect(counted { puppet.send(.voice([1])) } == ["voiceBeforeUp": 1])
    }

    @Test("a datagram restarts the silence of its link, and moves the next wake-up")
    func silence() {
        let puppet = stage.link()
        let other = stage.link()
        stage.pass(.milliseconds(900))
        puppet.send(.control())
        #expect(puppet.status?.lastHeard == stage.now && other.status?.lastHeard == stage.now - .milliseconds(900))
        stage.pass(.milliseconds(100) - tick)
        #expect(stage.events.allSatisfy { if case .peerVerifying = $0 { false } else { true } })
        stage.pass(tick)
        #expect(puppet.status?.state == .up && other.status?.state == .verifying)
    }

    @Test("voice without an echo for 1.4 s does not prevent verification")
    func echoSilence() {
        let puppet = stage.link()
        for _ in 0..<14 {
            #expect(puppet.status?.state == .up)
            stage.pass(.milliseconds(100))
            puppet.send(.voice([1]))
        }
        #expect(puppet.status?.state == .verifying)
        // The echo of the block that has just left ends the verification.
        puppet.send(.control())
        #expect(puppet.status?.state == .up)
    }

    @Test("the key ids of the present and the candidate session both open; an echo brings the candidate up")
    func candidate() throws {
        let puppet = stage.link()
        let link = try #require(puppet.status?.link)
        puppet.closeCarrier()
        puppet.send(.control())
        let former = puppet.seal(.voice([1]))
        let late = puppet.seal(.control(flags: .talking))
        stage.open(puppet)
        #expect(puppet.status?.link == link && puppet.status?.hasCarrier == false)
        let heard = stage.outputs { puppet.send(.voice([2])) }
        #expect(heard.contains { if case .voice([2], from: puppet.slot) = $0 { true } else { false } })
        puppet.send(.control())
        #expect(puppet.status?.link != link && puppet.status?.hasCarrier == true)
        #expect(stage.counter(.sessionsReplaced) == 1 && stage.counter(.linksUp) == 1)
        // The replaced session still brings voice for five seconds, but its control blocks are ignored.
        let outputs = stage.outputs { stage.input(.datagram(former, from: puppet.home)) }
        #expect(outputs.count == 1)
        stage.input(.datagram(late, from: puppet.home))
        #expect(puppet.status?.isTalking == false)
    }

    @Test("relayed datagrams are passed on under the keys of a candidate and of a replaced session too")
    func relayedDuringRenewal() {
        let (puppet, other) = (stage.link(), stage.link())
        func toward(_ byte: UInt8) -> [UInt8] {
            puppet.seal(.body(DatagramBody(relayed: RelayedDatagram(.toward(other.id), [byte]))))
        }
        func brought() -> [[UInt8]] { other.inbox.compactMap { $0.body.relayed?.datagram } }
        puppet.closeCarrier()
        puppet.send(.control())
        let former = toward(1)
        stage.open(puppet)
        puppet.deliver(toward(2), by: .address(puppet.home))
        #expect(brought() == [[2]] && stage.counter(.sessionsReplaced) == 0)
        puppet.send(.control())
        #expect(stage.counter(.sessionsReplaced) == 1)
        puppet.deliver(former, by: .address(puppet.home))
        #expect(brought() == [[2], [1]] && stage.counter(.relaysLost) == 0)
    }
}
