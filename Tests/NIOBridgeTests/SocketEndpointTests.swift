import NIOBridge
import NIOCore
import Primitives
import Testing

@Suite("Endpoints as socket addresses")
struct SocketEndpointTests {
    @Test(
        "come back as they went",
        arguments: [
            Endpoint(address: IPAddress(v4: 192, 0, 2, 1), port: 7_400),
            Endpoint(address: IPAddress(high: 0x2001_0DB8_0000_0001, low: 0xFF), port: 1),
            Endpoint(address: IPAddress(high: 0xFE80 << 48, low: 1), port: 65_535, scope: 3),
        ])
    func roundTrip(endpoint: Endpoint) {
        #expect(Endpoint(endpoint.socketAddress) == endpoint)
    }

    @Test("are what the system reads in text")
    func text() throws {
        let v6 = try SocketAddress(ipAddress: "2001:db8::5", port: 7_400)
        #expect(Endpoint(v6) == Endpoint("[2001:db8::5]:7400"))
        #expect(Endpoint("192.0.2.1:80")?.socketAddress == (try SocketAddress(ipAddress: "192.0.2.1", port: 80)))
    }

    @Test("lose a scope that says nothing")
    func scope() {
        let global = Endpoint(address: IPAddress(high: 0x2001_0DB8 << 32, low: 1), port: 1, scope: 9)
        #expect(Endpoint(global.socketAddress)?.scope == 0)
    }

    @Test("a UNIX socket has no endpoint")
    func unix() throws {
        #expect(Endpoint(try SocketAddress(unixDomainSocketPath: "/run/x")) == nil)
    }
}
