import Discovery
import Foundation
import NIOCore
import NIOPosix
import Primitives
import Testing

@Suite("Avahi", .timeLimit(.minutes(1)))
struct AvahiDiscoveryTests {
    private static var hasSystemBus: Bool {
        FileManager.default.fileExists(atPath: "/run/dbus/system_bus_socket")
            || ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] != nil
    }

    @Test(
        "without a system bus it says so and tries again",
        .enabled(if: !hasSystemBus, "this host has a system bus"))
    func noBus() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let discovery = try await start(on: loop)
        for seconds in [2, 4] {
            try await waitUntil {
                try await loop.submit { discovery.value.status }.get() == "no system bus; retrying in \(seconds) s"
            }
        }
        try await loop.flatSubmit { discovery.value.close() }.get()
        #expect(try await loop.submit { discovery.value.status }.get() == "off")
    }

    @Test("closing at once ends the thread")
    func closing() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let discovery = try await start(on: loop)
        try await loop.flatSubmit { discovery.value.close() }.get()
        #expect(try await loop.submit { discovery.value.status }.get() == "off")
    }

    private func start(on loop: any EventLoop) async throws -> NIOLoopBound<AvahiDiscovery> {
        let text = ServiceText.open(node: NodeID(words: (1, 2, 3, 4)), mesh: "test")
        return try await loop.submit {
            let discovery = AvahiDiscovery(loop: loop) { _ in }
            discovery.announce(ServiceAnnouncement(text, name: SafeText("Anna"), port: 7_400))
            return NIOLoopBound(discovery, eventLoop: loop)
        }.get()
    }
}
