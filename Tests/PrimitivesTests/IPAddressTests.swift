import Primitives
import Testing

@Suite("Addresses in writing")
struct IPAddressTests {
    /// Left: accepted input; right: the one written form (RFC 5952 §4 and its examples).
    @Test(
        "are printed in their canonical form",
        arguments: [
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0db8::0001", "2001:db8::1"),
            ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:DB8::AAAA", "2001:db8::aaaa"),
            ("0:0:0:0:0:0:0:0", "::"), ("::1", "::1"), ("1::", "1::"), ("1:0:0:0:0:0:0:0", "1::"),
            ("fe80::1", "fe80::1"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
            ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:0201", "192.0.2.1"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ])
    func canonical(_ input: String, _ written: String) throws {
        let address = try #require(IPAddress(input))
        #expect(address.description == written)
        #expect(IPAddress(written) == address)
    }

    @Test(
        "are refused where they are none",
        arguments: [
            "", ":", ":::", "1", "1:2", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
            "::1:2:3:4:5:6:7:8", "12345::", "g::", "+1::", "-0::", "::-1", " ::1", "::1 ", "fe80::1%lo", "fe80::1%2",
            "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.04", "00.0.0.0", "1.2.3.", ".1.2.3", "+1.2.3.4",
            "1.2.3.-0",
            "1.2.3.4::", "1.2.3.4::1", "::1.2.3.4:5", "::1.2.3.256", "１.2.3.4", "::１",
        ])
    func refused(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test("come back from their written form")
    func roundTrip() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<5_000 {
            // Groups of zeros are made common, because they are what the short form is about.
            let mask = (0..<8).reduce(UInt64(0)) { bits, _ in bits << 16 | (random.chance(permille: 500) ? 0xFFFF : 0) }
            let address = IPAddress(high: random.next() & mask, low: random.next() & mask << 16)
            #expect(IPAddress(address.description) == address)
        }
    }

    @Test(
        "know their kind",
        arguments: [
            ("127.0.0.1", "loopback"), ("::1", "loopback"), ("169.254.1.1", "linkLocal"), ("fe80::1", "linkLocal"),
            ("febf::1", "linkLocal"), ("fec0::1", ""), ("224.0.0.251", "multicast"), ("ff02::fb", "multicast"),
            ("0.0.0.0", "unspecified"), ("::", "unspecified"), ("128.0.0.1", ""), ("::2", ""),
        ])
    func kinds(_ text: String, _ kind: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isLoopback == (kind == "loopback"))
        #expect(address.isLinkLocal == (kind == "linkLocal"))
        #expect(address.isMulticast == (kind == "multicast"))
        #expect(address.isUnspecified == (kind == "unspecified"))
    }

    @Test(
        "compare their prefixes within a family",
        arguments: [
            ("10.1.2.3", "10.1.2.99", 24, true), ("10.1.2.3", "10.1.3.3", 24, false),
            ("10.1.2.3", "10.1.3.3", 23, true),
            ("10.0.0.1", "192.0.2.1", 0, true), ("10.0.0.1", "10.0.0.2", 32, false), ("10.0.0.1", "10.0.0.1", 32, true),
            ("2001:db8::1", "2001:db8::2", 64, true), ("2001:db8::1", "2001:db8:0:1::1", 64, false),
            ("2001:db8::1", "2001:db8::2", 127, false), ("2001:db8::2", "2001:db8::3", 127, true),
            ("2001:db8::1", "2001:db8::1", 128, true), ("::1", "10.0.0.1", 0, false), ("::1", "2001::", 0, true),
        ])
    func prefixes(_ a: String, _ b: String, _ length: Int, _ isShared: Bool) throws {
        #expect(try #require(IPAddress(a)).hasPrefix(of: try #require(IPAddress(b)), length: length) == isShared)
    }

    @Test(
        "come with ports",
        arguments: [
            ("192.0.2.1:7400", "192.0.2.1:7400"), ("[2001:db8::1]:7400", "[2001:db8::1]:7400"),
            ("192.0.2.1", "192.0.2.1:7400"), ("2001:db8::1", "[2001:db8::1]:7400"), ("[::1]", "[::1]:7400"),
            ("[::ffff:192.0.2.1]:9", "192.0.2.1:9"),
        ])
    func endpoints(_ input: String, _ written: String) throws {
        #expect(try #require(Endpoint(input, defaultPort: 7_400)).description == written)
    }

    @Test(
        "are refused with bad ports",
        arguments: [
            "", ":", ":80", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536", "192.0.2.1:+80", "192.0.2.1:8x", "[::1",
            "[::1]x", "[::1]:", "[::1]:-0", "[::1]7400", "host:80",
        ])
    func badEndpoints(_ text: String) { #expect(Endpoint(text, defaultPort: 7_400) == nil) }

    @Test("need a port from somewhere")
    func noPort() { #expect(Endpoint("192.0.2.1") == nil) }
}
