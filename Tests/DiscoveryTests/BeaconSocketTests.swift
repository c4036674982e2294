import Discovery
import NIOBridge
import NIOCore
import NIOPosix
import Primitives
import Synchronization
import Testing

@Suite("Beacon socket and interfaces", .timeLimit(.minutes(1)))
struct BeaconSocketTests {
    @Test("nodes of one host hear each other on loopback")
    func roundTrip() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (heardByA, heardByB) = (Heard(), Heard())
        let lo = try #require(NetworkInterface.current()).filter { $0.medium == .loopback }
        #expect(!lo.isEmpty)
        let sockets = try await loop.submit {
            let sockets = [heardByA, heardByB].map { heard in
                BeaconSocket(loop: loop, port: 47_399) { bytes, _ in heard.add(bytes) }
            }
            for socket in sockets { socket.update(lo) }
            return NIOLoopBound(sockets, eventLoop: loop)
        }.get()
        try await waitUntil { try await loop.submit { sockets.value.allSatisfy { $0.status == "on lo" } }.get() }
        try await loop.submit { sockets.value[0].send([1, 2, 3]) }.get()
        try await waitUntil { heardByA.contains([1, 2, 3]) && heardByB.contains([1, 2, 3]) }
        try await loop.submit { for socket in sockets.value { socket.close() } }.get()
    }

    @Test("both nodes of one host join the group again on an interface that went and came back")
    func backAgain() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (heardByA, heardByB) = (Heard(), Heard())
        let lo = try #require(NetworkInterface.current()).filter { $0.medium == .loopback }
        let sockets = try await loop.submit {
            let sockets = [heardByA, heardByB].map { heard in
                BeaconSocket(loop: loop, port: 47_396) { bytes, _ in heard.add(bytes) }
            }
            for socket in sockets { socket.update(lo) }
            return NIOLoopBound(sockets, eventLoop: loop)
        }.get()
        try await waitUntil { try await loop.submit { sockets.value.allSatisfy { $0.status == "on lo" } }.get() }
        let gone = try await loop.submit {
            for socket in sockets.value { socket.update([]) }
            return sockets.value.map(\.status)
        }.get()
        #expect(gone == Array(repeating: "no interface for multicast", count: 2))
        try await loop.submit { for socket in sockets.value { socket.update(lo) } }.get()
        try await waitUntil { try await loop.submit { sockets.value.allSatisfy { $0.status == "on lo" } }.get() }
        try await loop.submit { sockets.value[0].send([7, 8, 9]) }.get()
        try await waitUntil { heardByA.contains([7, 8, 9]) && heardByB.contains([7, 8, 9]) }
        try await loop.submit { for socket in sockets.value { socket.close() } }.get()
    }

    @Test("a node that joins the group again hears others as before")
    func rejoins() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let heard = Heard()
        let lo = try #require(NetworkInterface.current()).filter { $0.medium == .loopback }
        let socket = try await loop.submit {
            let socket = BeaconSocket(loop: loop, port: 47_397) { bytes, _ in heard.add(bytes) }
            socket.update(lo)
            return NIOLoopBound(socket, eventLoop: loop)
        }.get()
        try await waitUntil { try await loop.submit { socket.value.status == "on lo" }.get() }
        let count = try await loop.submit { socket.value.rejoin() }.get()
        #expect(0 < count)
        try await loop.submit { socket.value.send([4, 5, 6]) }.get()
        try await waitUntil { heard.contains([4, 5, 6]) }
        let status = try await loop.submit { socket.value.status }.get()
        #expect(status == "on lo")
        try await loop.submit { socket.value.close() }.get()
    }

    @Test("leaves an interface that is gone, and says what is missing")
    func leaves() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let statuses = try await loop.submit {
            let socket = BeaconSocket(loop: loop, port: 47_398) { _, _ in }
            let none = socket.status
            let gone = NetworkInterface(
                index: 9_999, name: "gone0", medium: .wired, isVirtual: false, canMulticast: true,
                addresses: [.init(address: IPAddress(v4: 192, 0, 2, 9), prefixLength: 24)])
            socket.update([gone])
            let failed = socket.status
            socket.update([])
            let left = socket.status
            socket.send([1])
            socket.close()
            return [none, failed, left]
        }.get()
        #expect(statuses[0] == "no interface for multicast")
        #expect(statuses[1].hasPrefix("cannot join the multicast group"))
        #expect(statuses[2] == "no interface for multicast")
    }

    @Test("the loopback interface is found, with its address and prefix")
    func interfaces() throws {
        let lo = try #require(NetworkInterface.current()?.first { $0.name == "lo" })
        #expect(lo.medium == .loopback)
        #expect(!lo.isVirtual)
        #expect(lo.isRunning)
        #expect(lo.addresses.contains(.init(address: IPAddress(v4: 127, 0, 0, 1), prefixLength: 8)))
    }

    @Test("an interface without an address is a network card; one that is not running has no address")
    func cards() throws {
        for interface in try #require(NetworkInterface.current()) {
            #expect(!interface.addresses.isEmpty || !interface.isVirtual && interface.medium != .loopback)
            #expect(interface.isRunning || interface.addresses.isEmpty)
        }
    }

    @Test("the watcher tells at once what there is")
    func watcher() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let names = try await loop.submit {
            var names: [String] = []
            let watcher = InterfaceWatcher(loop: loop) { names = $0.map(\.name) }
            watcher.close()
            return names
        }.get()
        #expect(names.contains("lo"))
    }

    @Test("the watcher looks again once it can hear of changes, and takes no error of the kernel for an empty machine")
    func lookedAgain() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let wire = NetworkInterface(
            index: 2, name: "eth0", medium: .wired, isVirtual: false, canMulticast: true,
            addresses: [.init(address: IPAddress(v4: 192, 0, 2, 9), prefixLength: 24)])
        let bench = try await loop.submit { NIOLoopBound(WatcherBench(loop: loop, after: wire), eventLoop: loop) }.get()
        try await waitUntil { try await loop.submit { bench.value.told == [["eth0"], ["eth0", "wlan0"]] }.get() }
        try await loop.submit { bench.value.close() }.get()
    }
}

/// A watcher that first finds one interface, then fails to read them, and then finds a second one.
private final class WatcherBench {
    private(set) var told: [[String]] = []
    private var watcher: InterfaceWatcher?

    init(loop: any EventLoop, after wire: NetworkInterface) {
        var second = wire
        (second.index, second.name) = (3, "wlan0")
        var readings: [[NetworkInterface]?] = [[wire], nil, [wire, second]]
        watcher = InterfaceWatcher(
            loop: loop, onChange: { [unowned self] in self.told.append($0.map(\.name)) },
            read: { readings.count == 1 ? readings[0] : readings.removeFirst() })
    }

    func close() { watcher?.close() }
}

final class Heard: Sendable {
    private let beacons = Mutex<[[UInt8]]>([])
    func add(_ bytes: [UInt8]) { beacons.withLock { $0.append(bytes) } }
    func contains(_ bytes: [UInt8]) -> Bool { beacons.withLock { $0.contains(bytes) } }
}

/// Ended by the suite's time limit where it never holds.
func waitUntil(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
