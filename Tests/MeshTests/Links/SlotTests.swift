import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Slots")
struct SlotTests {
    private static let strangers = (100..<100 + UInt64(MeshScale.peersMax))

    private func isRefusedAsFull(_ messages: [CarrierMessage]) -> Bool {
        messages.contains { if case .refuse(.full, _) = $0 { true } else { false } }
    }

    /// Seeds of peers that the node leads.
    private func guests(of subject: NodeUnderTest, _ count: Int) -> [UInt64] {
        Array((100...).lazy.filter { TestIdentity.nodeID(seed: $0) < subject.own }.prefix(count))
    }

    @Test("a reused slot keeps no carrier of its former peer")
    func handover() {
        let subject = NodeUnderTest(admissionPolicy: .ask(known: []))
        let guests = guests(of: subject, MeshScale.peersMax + 1)
        // The first peer's second carrier has not sent HELLO, so it outlives the user's rejection.
        subject.greet(1, by: guests[0])
        subject.open(2, by: guests[0])
        for (place, guest) in guests.dropFirst().dropLast().enumerated() {
            subject.greet(UInt64(10 + place), by: guest)
        }
        for guest in guests.dropLast() {
            subject.input(.command(.decideAdmission(TestIdentity.nodeID(seed: guest), isAccepted: false)))
        }
        #expect([1, 2].filter(subject.isClosed).count == 1)
        subject.greet(1_000, by: guests[guests.count - 1])
        #expect(!isRefusedAsFull(subject.messages(on: 1_000)))
        #expect(subject.isClosed(1) && subject.isClosed(2))
        let unknown = subject.counter(.framesOfUnknownCarrier)
        subject.frame(.channels([], generation: 1), on: 1)
        subject.frame(.channels([], generation: 1), on: 2)
        #expect(subject.counter(.framesOfUnknownCarrier) == unknown + 2)
    }

    @Test("a peer that has sent HELLO and closed counts as known indirectly, for a minute")
    func greetedOnly() {
        let subject = NodeUnderTest(admissionPolicy: .allowList([]))
        for carrier: UInt64 in 1...2 {
            subject.greet(carrier, by: 200)
            subject.input(.carrierClosed(CarrierID(number: carrier), .closed))
        }
        func isCurrent(_ now: Instant) -> Bool? {
            subject.node.peerSnapshot(of: TestIdentity.nodeID(seed: 200), now: now).known?.isCurrent
        }
        #expect(isCurrent(.zero + .seconds(2)) == true)
        #expect(isCurrent(.zero + .seconds(2) + MeshLimits.indirectMax) == false)
    }

    @Test("strangers that refuse before HELLO keep no newcomer out")
    func lockedOut() {
        let subject = NodeUnderTest()
        for seed in Self.strangers {
            subject.open(seed, by: seed)
            subject.input(
                .carrierFrame(
                    CarrierID(number: seed), CarrierMessage.refuse(.full, retryAfterMilliseconds: 300_000).encoded()))
        }
        subject.greet(1_000, by: 1_000)
        #expect(!isRefusedAsFull(subject.messages(on: 1_000)))
    }

    @Test("a peer that is only wanted makes room for a visitor, and not for another wanted peer")
    func wanted() {
        let subject = NodeUnderTest()
        for seed in Self.strangers {
            let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(seed)), port: 7400)
            subject.input(
                .discovered(PeerHint(source: .remembered, node: TestIdentity.nodeID(seed: seed), endpoints: [endpoint]))
            )
        }
        let heardOf = TestIdentity.nodeID(seed: 2_000)
        subject.input(
            .discovered(
                PeerHint(
                    source: .avahi, node: heardOf,
                    endpoints: [Endpoint(address: IPAddress(v4: 10, 0, 0, 9), port: 7400)])))
        #expect(subject.node.peerSnapshot(of: heardOf, now: .zero + .seconds(1)).link == nil)
        subject.greet(1_000, by: 1_000)
        #expect(!isRefusedAsFull(subject.messages(on: 1_000)))
    }

    @Test("attempt numbers go on when a slot is reused, so that a returning peer takes no invitation for an older one")
    func attempts() throws {
        let subject = NodeUnderTest()
        let guests = guests(of: subject, MeshScale.peersMax + 1)
        func invitation(on carrier: UInt64) -> UInt32? {
            subject.messages(on: carrier).compactMap {
                if case .invite(let invite) = $0 { invite.attempt } else { nil }
            }
            .first
        }
        for (place, guest) in guests.dropLast().enumerated() {
            subject.greet(UInt64(10 + place), by: guest)
            #expect(invitation(on: UInt64(10 + place)) == 1)
            subject.frame(.decline(.notAllowed), on: UInt64(10 + place))
        }
        subject.greet(1_000, by: guests[guests.count - 1])
        #expect(try #require(invitation(on: 1_000)) == 2)
    }

    @Test("peers that wait for the user's decision do not keep a known peer out")
    func undecided() {
        let subject = NodeUnderTest(admissionPolicy: .ask(known: []))
        let guests = guests(of: subject, MeshScale.peersMax + 1)
        for (place, guest) in guests.dropLast().enumerated() { subject.greet(UInt64(10 + place), by: guest) }
        let friend = guests[guests.count - 1]
        subject.greet(1_000, by: friend)
        #expect(isRefusedAsFull(subject.messages(on: 1_000)))
        subject.input(.command(.setAdmissionPolicy(.ask(known: [TestIdentity.nodeID(seed: friend)]))))
        subject.greet(1_001, by: friend)
        #expect(!isRefusedAsFull(subject.messages(on: 1_001)))
        #expect(subject.isClosed(10))
    }

    @Test("the node takes connect requests from linked peers, and from no other")
    func connectRequestsOfStrangers() {
        let subject = NodeUnderTest(admissionPolicy: .ask(known: []))
        subject.greet(1, by: guests(of: subject, 1)[0])
        let sealing = TransparentSealing(seed: guests(of: subject, 2)[1])
        let connectRequest = SignedConnectRequest(
            from: NodeUnderTest.record(of: guests(of: subject, 2)[1]).1, to: subject.own, sequence: 1, with: sealing)
        let known = subject.peersKnown
        subject.frame(.connectRequest(connectRequest), on: 1)
        #expect(subject.peersKnown == known)
        #expect(subject.counter(.framesUnexpected) == 1)
    }

    @Test("the node takes records from linked peers, and from no other")
    func recordsOfStrangers() {
        let subject = NodeUnderTest(admissionPolicy: .ask(known: []))
        subject.greet(1, by: guests(of: subject, 1)[0])
        let known = subject.peersKnown
        subject.frame(.records((500..<516).map { NodeUnderTest.record(of: $0).1 }), on: 1)
        #expect(subject.peersKnown == known)
        #expect(subject.counter(.framesUnexpected) == 1)
    }
}
