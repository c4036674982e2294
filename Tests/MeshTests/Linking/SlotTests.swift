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

    /// Seeds of guests whom the node leads.
    private func guests(of door: Door, _ count: Int) -> [UInt64] {
        Array((100...).lazy.filter { TestIdentity.nodeID(seed: $0) < door.own }.prefix(count))
    }

    @Test("a slot that changes hands takes no carrier with it: nobody speaks as the next one")
    func handover() {
        let door = Door(invitations: .ask(known: []))
        let guests = guests(of: door, MeshScale.peersMax + 1)
        // The first one's second carrier, which has yet to greet, outlives the person's refusal.
        door.greet(1, by: guests[0])
        door.open(2, by: guests[0])
        for (place, guest) in guests.dropFirst().dropLast().enumerated() { door.greet(UInt64(10 + place), by: guest) }
        for guest in guests.dropLast() {
            door.input(.command(.answerInvitation(TestIdentity.nodeID(seed: guest), isAccepted: false)))
        }
        #expect([1, 2].filter(door.isClosed).count == 1)
        door.greet(1_000, by: guests[guests.count - 1])
        #expect(!isRefusedAsFull(door.messages(on: 1_000)))
        #expect(door.isClosed(1) && door.isClosed(2))
        let unknown = door.counter(.framesOfUnknownCarrier)
        door.frame(.channels([]), on: 1)
        door.frame(.channels([]), on: 2)
        #expect(door.counter(.framesOfUnknownCarrier) == unknown + 2)
    }

    @Test("who has greeted and gone again was only heard of: it counts for a minute")
    func greetedOnly() {
        let door = Door(invitations: .allowList([]))
        for carrier: UInt64 in 1...2 {
            door.greet(carrier, by: 200)
            door.input(.carrierClosed(CarrierID(number: carrier), .closed))
        }
        func isWitnessed(_ now: Instant) -> Bool? {
            door.node.insight(into: TestIdentity.nodeID(seed: 200), now: now).known?.isWitnessed
        }
        #expect(isWitnessed(.zero + .seconds(2)) == true)
        #expect(isWitnessed(.zero + .seconds(2) + MeshLimits.hearsayMax) == false)
    }

    @Test("strangers who refuse before they greet keep nobody out")
    func lockedOut() {
        let door = Door()
        for seed in Self.strangers {
            door.open(seed, by: seed)
            door.input(
                .carrierFrame(
                    CarrierID(number: seed), CarrierMessage.refuse(.full, retryAfterMilliseconds: 300_000).encoded()))
        }
        door.greet(1_000, by: 1_000)
        #expect(!isRefusedAsFull(door.messages(on: 1_000)))
    }

    @Test("whoever is only sought makes room for whoever is here, and not for another that is only heard of")
    func sought() {
        let door = Door()
        for seed in Self.strangers {
            let endpoint = Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(seed)), port: 7400)
            door.input(
                .discovered(PeerHint(source: .remembered, node: TestIdentity.nodeID(seed: seed), endpoints: [endpoint]))
            )
        }
        let heardOf = TestIdentity.nodeID(seed: 2_000)
        door.input(
            .discovered(
                PeerHint(
                    source: .avahi, node: heardOf,
                    endpoints: [Endpoint(address: IPAddress(v4: 10, 0, 0, 9), port: 7400)])))
        #expect(door.node.insight(into: heardOf, now: .zero + .seconds(1)).link == nil)
        door.greet(1_000, by: 1_000)
        #expect(!isRefusedAsFull(door.messages(on: 1_000)))
    }

    @Test("attempts go on counting where a slot has changed hands: who comes back takes none for an older one")
    func attempts() throws {
        let door = Door()
        let guests = guests(of: door, MeshScale.peersMax + 1)
        func invitation(on carrier: UInt64) -> UInt32? {
            door.messages(on: carrier).compactMap { if case .invite(let invite) = $0 { invite.attempt } else { nil } }
                .first
        }
        for (place, guest) in guests.dropLast().enumerated() {
            door.greet(UInt64(10 + place), by: guest)
            #expect(invitation(on: UInt64(10 + place)) == 1)
            door.frame(.decline(.notAllowed), on: UInt64(10 + place))
        }
        door.greet(1_000, by: guests[guests.count - 1])
        #expect(try #require(invitation(on: 1_000)) == 2)
    }

    @Test("guests whom nobody has let in yet keep out no friend")
    func undecided() {
        let door = Door(invitations: .ask(known: []))
        let guests = guests(of: door, MeshScale.peersMax + 1)
        for (place, guest) in guests.dropLast().enumerated() { door.greet(UInt64(10 + place), by: guest) }
        let friend = guests[guests.count - 1]
        door.greet(1_000, by: friend)
        #expect(isRefusedAsFull(door.messages(on: 1_000)))
        door.input(.command(.setInvitations(.ask(known: [TestIdentity.nodeID(seed: friend)]))))
        door.greet(1_001, by: friend)
        #expect(!isRefusedAsFull(door.messages(on: 1_001)))
        #expect(door.isClosed(10))
    }

    @Test("a knock is heeded of those who are linked, and of nobody who only stands at the door")
    func knocksOfStrangers() {
        let door = Door(invitations: .ask(known: []))
        door.greet(1, by: guests(of: door, 1)[0])
        let sealing = TransparentSealing(seed: guests(of: door, 2)[1])
        let knock = SignedKnock(
            from: Door.record(of: guests(of: door, 2)[1]).1, to: door.own, sequence: 1, with: sealing)
        let known = door.peersKnown
        door.frame(.knock(knock), on: 1)
        #expect(door.peersKnown == known)
        #expect(door.counter(.framesUnexpected) == 1)
    }

    @Test("records are taken of those who are linked, and of nobody who only stands at the door")
    func recordsOfStrangers() {
        let door = Door(invitations: .ask(known: []))
        door.greet(1, by: guests(of: door, 1)[0])
        let known = door.peersKnown
        door.frame(.records((500..<516).map { Door.record(of: $0).1 }), on: 1)
        #expect(door.peersKnown == known)
        #expect(door.counter(.framesUnexpected) == 1)
    }
}
