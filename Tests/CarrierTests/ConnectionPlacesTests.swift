import Carrier
import Primitives
import Testing

@Suite("Places of connections")
struct ConnectionPlacesTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private func tickets(_ places: inout ConnectionPlaces, _ addresses: [IPAddress]) -> [ConnectionPlaces.Ticket] {
        addresses.compactMap { address in
            if case .admitted(let ticket, _) = places.admit(address, now: start) { ticket } else { nil }
        }
    }

    @Test(
        "room for one source",
        arguments: [
            ("127.0.0.1", 64), ("::1", 64), ("fe80::1", 64), ("10.1.2.3", 64), ("2001:db8:1::5", 64),
            ("203.0.113.9", 4), ("2001:db8:2::5", 4),
        ])
    func perSource(text: String, room: Int) throws {
        var places = ConnectionPlaces(limits: .standard)
        places.setNetworks([
            LocalNetwork(address: try address("10.1.2.1"), prefixLength: 24),
            LocalNetwork(address: try address("2001:db8:1::1"), prefixLength: 64),
        ])
        let source = try address(text)
        let held = tickets(&places, Array(repeating: source, count: 100))
        let next = places.admit(source, now: start)
        #expect(held.count == room)
        #expect(next == .refused(.sourceFull))
    }

    @Test("far IPv6 sources are counted by /64, near ones by address")
    func prefixes() throws {
        var places = ConnectionPlaces(limits: .standard)
        let far = try (1...10).map { try address("2001:db8:2::\($0)") }
        let near = try (1...10).map { try address("fe80::\($0)") }
        let counts = [tickets(&places, far).count, tickets(&places, near).count]
        #expect(counts == [4, 10])
    }

    private func displaced(_ places: inout ConnectionPlaces, by address: IPAddress) -> ConnectionPlaces.Ticket? {
        if case .admitted(_, let displaced) = places.admit(address, now: start) { displaced } else { nil }
    }

    @Test("128 in all; a place given back is free again")
    func whole() throws {
        var places = ConnectionPlaces(limits: .standard)
        let sources = (0..<128).map { IPAddress(v4: 127, 0, 0, UInt8($0)) }
        let held = tickets(&places, sources)
        let next = places.admit(sources[127], now: start)
        #expect(held.count == 128)
        #expect(next == .refused(.full), "one who has a place takes none from others who have one each")
        places.release(held[0])
        let again = tickets(&places, [sources[127]])
        #expect(again.count == 1)
        // That source has two now, so a source with one may take the older of them.
        let last = displaced(&places, by: sources[126])
        #expect(last == held[127])
    }

    @Test("64 addresses with two connections each keep nobody out: the oldest of theirs gives way")
    func crowd() throws {
        var places = ConnectionPlaces(limits: .standard)
        let crowd = (0..<64).map { IPAddress(v4: 127, 0, 1, UInt8($0)) }
        let held = tickets(&places, crowd + crowd)
        let newcomer = IPAddress(v4: 127, 0, 0, 1)
        let first = displaced(&places, by: newcomer)
        #expect(first == held[0])
        let second = displaced(&places, by: newcomer)
        #expect(second == held[1], "the newcomer has one, and others have two")
        let third = places.admit(newcomer, now: start)
        #expect(third == .refused(.full))
        // A ticket that was taken back is given back once more, without effect.
        places.release(held[0])
        let fourth = places.admit(newcomer, now: start)
        #expect(fourth == .refused(.full))
    }

    @Test("where all have one connection, the oldest gives way to a new source, which gets no penalty for it")
    func equals() throws {
        var places = ConnectionPlaces(limits: .standard)
        let far = (0..<128).map { IPAddress(v4: 203, 0, 113, UInt8($0)) }
        let held = tickets(&places, far)
        let first = displaced(&places, by: IPAddress(v4: 198, 51, 100, 1))
        #expect(first == held[0])
        for _ in 0..<5 { places.penalize(held[0], for: .failedHandshake, now: start) }
        let again = displaced(&places, by: far[0])
        #expect(again == held[1])
    }

    @Test("a far source that breaks three handshakes stays out until its penalties are over")
    func penalties() throws {
        var places = ConnectionPlaces(limits: .standard)
        let source = try address("203.0.113.9")
        for _ in 0..<3 {
            let ticket = try #require(tickets(&places, [source]).first)
            places.penalize(ticket, for: .failedHandshake, now: start)
            places.release(ticket)
        }
        let early = places.admit(source, now: start + .milliseconds(14_999))
        #expect(early == .refused(.penalized))
        guard case .admitted = places.admit(source, now: start + .seconds(15)) else {
            Issue.record("still out")
            return
        }
    }

    @Test("near sources are not punished for what a neighbour behind the same address does")
    func nearIsExempt() throws {
        var places = ConnectionPlaces(limits: .standard)
        let source = try address("127.0.0.1")
        for _ in 0..<50 {
            let ticket = try #require(tickets(&places, [source]).first)
            places.penalize(ticket, for: .timedOut, now: start)
            places.release(ticket)
        }
        let again = tickets(&places, [source])
        #expect(again.count == 1)
    }
}
