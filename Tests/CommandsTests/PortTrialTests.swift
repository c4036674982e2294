import Commands
import Glibc
import Primitives
import Testing

@Suite("The trial of a port")
struct PortTrialTests {
    /// A TCP listener that takes its port as a node does, on a port that the kernel chooses.
    private static func listener() -> (descriptor: Int32, address: sockaddr_in) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        #expect(withSocketAddress(&address) { bind(descriptor, $0, $1) } == 0)
        #expect(listen(descriptor, 1) == 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        #expect(withSocketAddress(&address) { address, _ in getsockname(descriptor, address, &size) } == 0)
        return (descriptor, address)
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    @Test("a port on which somebody listens is taken")
    func taken() {
        let (descriptor, address) = Self.listener()
        defer { close(descriptor) }
        #expect(PortTrial.state(of: Self.endpoint(0, like: address)) == .taken)
        #expect(PortTrial.state(of: Self.endpoint(0x7F00_0001, like: address)) == .taken)
        let port = UInt16(bigEndian: address.sin_port)
        #expect(PortTrial.isEachTaken(of: port...port))
    }

    @Test("a port on which somebody listens is free at another address, as it is for a node that listens there alone")
    func otherAddress() {
        let (descriptor, address) = Self.listener()
        defer { close(descriptor) }
        #expect(PortTrial.state(of: Self.endpoint(0x7F00_0002, like: address)) == .free)
    }

    @Test("a port is free at an address that this machine does not have yet, as it is for a node")
    func foreignAddress() throws {
        let endpoint = try #require(Endpoint("198.51.100.7:7400"))
        #expect(PortTrial.state(of: endpoint) == .free)
    }

    private static func endpoint(_ address: UInt32, like bound: sockaddr_in) -> Endpoint {
        Endpoint(address: IPAddress(v4: address), port: UInt16(bigEndian: bound.sin_port))
    }

    @Test("a port whose connections were closed just now is free, as it is for a node")
    func closedJustNow() {
        let (descriptor, bound) = Self.listener()
        var address = bound
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(Self.withSocketAddress(&address) { connect(client, $0, $1) } == 0)
        let server = accept(descriptor, nil, nil)
        // The side that closes first keeps the port for a while.
        close(server)
        close(client)
        close(descriptor)
        #expect(PortTrial.state(of: Self.endpoint(0, like: address)) == .free)
        let port = UInt16(bigEndian: bound.sin_port)
        #expect(!PortTrial.isEachTaken(of: port...port))
    }
}
