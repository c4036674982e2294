import Carrier
import Primitives
import Testing

@Suite("Admission")
struct AdmissionTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private func tickets(_ admission: inout Admission, _ addresses: [IPAddress]) -> [Admission.Ticket] {
        addresses.compactMap { address in
            if case .admitted(let ticket, _) = admission.admit(address, now: start) { ticket } else { nil }
        }
    }

    @Test(
        "room for one source",
        arguments: [
            ("127.0.0.1", 64), ("::1", 64), ("fe80::1", 64), ("10.1.2.3", 64), ("2001:db8:1::5", 64),
            ("203.0.113.9", 4), ("2001:db8:2::5", 4),
        ])
    func perSource(text: String, room: Int) throws {
        var admission = Admission(limits: .standard)
        admission.setNetworks([
            LocalNetwork(address: try address("10.1.2.1"), prefixLength: 24),
            LocalNetwork(address: try address("2001:db8:1::1"), prefixLength: 64),
        ])
        let source = try address(text)
        let held = tickets(&admission, Array(repeating: source, count: 100))
        let next = admission.admit(source, now: start)
        #expect(held.count == room)
        #expect(next == .refused(.sourceFull))
    }

    @Test("far IPv6 sources are counted by /64, near ones by address")
    func prefixes() throws {
        var admission = Admission(limits: .standard)
        let far = try (1...10).map { try address("2001:db8:2::\($0)") }
        let near = try (1...10).map { try address("fe80::\($0)") }
        let counts = [tickets(&admission, far).count, tickets(&admission, near).count]
        #expect(counts == [4, 10])
    }

    private func displaced(_ admission: inout Admission, by address: IPAddress) -> Admission.Ticket? {
        if case .admitted(_, let displaced) = admission.admit(address, now: start) { displaced } else { nil }
    }

    @Test("128 in all; a place given back is free again")
    func whole() throws {
        var admission = Admission(limits: .standard)
        let sources = (0..<128).map { IPAddress(v4: 127, 0, 0, UInt8($0)) }
        let held = tickets(&admission, sources)
        let next = admission.admit(sources[127], now: start)
        #expect(held.count == 128)
        #expect(next == .refused(.full), "one who has a place takes none from others who have one each")
        admission.release(held[0])
        let again = tickets(&admission, [sources[127]])
        #expect(again.count == 1)
        // That source has two now, so a source with one may take the older of them.
        let last = displaced(&admission, by: sources[126])
        #expect(last == held[127])
    }

    @Test("64 addresses with two connections each keep nobody out: the oldest of theirs gives way")
    func crowd() throws {
        var admission = Admission(limits: .standard)
        let crowd = (0..<64).map { IPAddress(v4: 127, 0, 1, UInt8($0)) }
        let held = tickets(&admission, crowd + crowd)
        let newcomer = IPAddress(v4: 127, 0, 0, 1)
        let first = displaced(&admission, by: newcomer)
        #expect(first == held[0])
        let second = displaced(&admission, by: newcomer)
        #expect(second == held[1], "the newcomer has one, and others have two")
        let third = admission.admit(newcomer, now: start)
        #expect(third == .refused(.full))
        // A ticket that was taken back is given back once more, without effect.
        admission.release(held[0])
        let fourth = admission.admit(newcomer, now: start)
        #expect(fourth == .refused(.full))
    }

    @Test("where all have one connection, the oldest gives way to a new source, which gets no penalty for it")
    func equals() throws {
        var admission = Admission(limits: .standard)
        let far = (0..<128).map { IPAddress(v4: 203, 0, 113, UInt8($0)) }
        let held = tickets(&admission, far)
        let first = displaced(&admission, by: IPAddress(v4: 198, 51, 100, 1))
        #expect(first == held[0])
        for _ in 0..<5 { admission.penalize(held[0], for: .failedHandshake, now: start) }
        let again = displaced(&admission, by: far[0])
        #expect(again == held[1])
    }

    @Test("a far source that breaks three handshakes stays out until its penalties are over")
    func penalties() throws {
        var admission = Admission(limits: .standard)
        let source = try address("203.0.113.9")
        for _ in 0..<3 {
            let ticket = try #require(tickets(&admission, [source]).first)
            admission.penalize(ticket, for: .failedHandshake, now: start)
            admission.release(ticket)
        }
        let early = admission.admit(source, now: start + .milliseconds(14_999))
        #expect(early == .refused(.penalized))
        guard case .admitted = admission.admit(source, now: start + .seconds(15)) else {
            Issue.record("still out")
            return
        }
    }

    @Test("near sources are not punished for what a neighbour behind the same address does")
    func nearIsExempt() throws {
        var admission = Admission(limits: .standard)
        let source = try address("127.0.0.1")
        for _ in 0..<50 {
            let ticket = try #require(tickets(&admission, [source]).first)
            admission.penalize(ticket, for: .timedOut, now: start)
            admission.release(ticket)
        }
        let again = tickets(&admission, [source])
        #expect(again.count == 1)
    }
}
