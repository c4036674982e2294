import CLinux
import NIOBridge
import Primitives
import Testing

@Suite("Addresses that the kernel does not use yet")
struct TentativeAddressTests {
    /// As the kernel writes it: address, index of the interface, length of the prefix, scope, flags, name.
    private static let table = """
        00000000000000000000000000000001 01 80 10 80       lo
        fe80000000000000f0d06ffffeebe45f 02 40 20 80     eth0
        fd770000000000000000000000000001 02 40 00 c0     eth0
        fd770000000000000000000000000001 1a3 40 00 80     eth1
        fd770000000000000000000000000002 02 40 00 44     eth0
        fd770000000000000000000000000003 02 40 00 c8     eth0

        """

    @Test(
        "only those are tentative that are looked for on the network, or have a duplicate there",
        arguments: [
            ("::1", 1, false), ("fe80::f0d0:6fff:feeb:e45f", 2, false), ("fd77::1", 2, true),
            ("fd77::1", 0x1A3, false),
            // The kernel uses this one while it looks for a duplicate.
            ("fd77::2", 2, false),
            ("fd77::3", 2, true),
            // These are not in the table.
            ("fd77::4", 2, false), ("192.0.2.9", 2, false),
        ] as [(String, UInt32, Bool)])
    func tentative(address: String, index: UInt32, isTentative: Bool) throws {
        let endpoint = Endpoint(address: try #require(IPAddress(address)), port: 0)
        let found = linux_is_tentative(TentativeAddressTests.table, endpoint.linuxEndpoint, index)
        #expect(found == isTentative)
    }

    @Test("an address without a row, as without IPv6, is not tentative")
    func noTable() throws {
        let endpoint = Endpoint(address: try #require(IPAddress("fd77::1")), port: 0)
        let found = linux_is_tentative("", endpoint.linuxEndpoint, 2)
        #expect(!found)
    }
}
