import Carrier
import Primitives
import Testing

@Suite("Admission")
struct AdmissionTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private func tickets(_ admission: inout Admission, _ addresses: [IPAddress]) -> [Admission.Ticket] {
        addresses.compactMap { address in
            if case .admitted(let ticket) = admission.admit(address, now: start) { ticket } else { nil }
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
        admission.setLinks([
            CarrierLink(address: try address("10.1.2.1"), prefixLength: 24),
            CarrierLink(address: try address("2001:db8:1::1"), prefixLength: 64),
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

    @Test("128 in all; a place given back is free again")
    func whole() throws {
        var admission = Admission(limits: .standard)
        let sources = (0..<200).map { IPAddress(v4: 127, 0, 0, UInt8($0)) }
        let held = tickets(&admission, sources)
        let next = admission.admit(sources[199], now: start)
        #expect(held.count == 128)
        #expect(next == .refused(.full))
        admission.release(held[0])
        let again = tickets(&admission, [sources[199], sources[198]])
        #expect(again.count == 1)
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
