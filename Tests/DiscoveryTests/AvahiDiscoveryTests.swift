import Discovery
import Dispatch
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

    @Test("closing does not wait for a thread that hangs, and the thread outlives the loop")
    func hanging() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let (hangs, isFree, hasEnded) = (Signal(value: 0), Signal(value: 0), Signal(value: 0))
        let discovery = try await start(on: loop) {
            hangs.signal()
            isFree.wait()
            hasEnded.signal()
        }
        await wait(for: hangs)
        // If `close` waited for the thread, this would never return: the time limit of the suite would end it.
        try await loop.flatSubmit { discovery.value.close() }.get()
        try await group.shutdownGracefully()
        isFree.signal()
        await wait(for: hasEnded)
    }

    private typealias Signal = DispatchSemaphore

    private func wait(for signal: Signal) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                signal.wait()
                continuation.resume()
            }
        }
    }

    private func start(
        on loop: any EventLoop, hesitating: @escaping @Sendable () -> Void = {}
    ) async throws -> NIOLoopBound<AvahiDiscovery> {
        let text = ServiceText.open(node: NodeID(words: (1, 2, 3, 4)), mesh: "test")
        return try await loop.submit {
            let discovery = AvahiDiscovery(loop: loop, onService: { _ in }, hesitating: hesitating)
            discovery.announce(ServiceAnnouncement(text, name: SafeText("Anna"), port: 7_400))
            return NIOLoopBound(discovery, eventLoop: loop)
        }.get()
    }
}
