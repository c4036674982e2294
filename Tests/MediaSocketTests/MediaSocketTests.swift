import MediaSocket
import NIOBridge
import NIOCore
import NIOPosix
import Primitives
import Synchronization
import SystemClock
import Testing

@Suite("Media socket", .timeLimit(.minutes(1)))
struct MediaSocketTests {
    @Test("a thousand datagrams come back, whole and in order", arguments: ["127.0.0.1", "::1"])
    func echo(address: String) async throws {
        let (a, b) = (try await MediaRig.start(address), try await MediaRig.start(address))
        var random = SeededRandom(seed: 1)
        let sent = (0..<1_000).map { number in
            [UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 7, count: Int(random.below(1_199)))
        }
        // Eight at a time: a socket's buffer is not unlimited, and what is under test is not loss.
        for start in stride(from: 0, to: 1_000, by: 8) {
            a.send(Array(sent[start..<start + 8]), to: b.endpoint)
            let heard = await b.inbox.take(8)
            #expect(heard.allSatisfy { $0.from == a.endpoint })
            b.send(heard.map(\.bytes), to: a.endpoint)
            #expect(await a.inbox.take(8).map(\.bytes) == Array(sent[start..<start + 8]))
        }
        #expect(try await a.counters()[.sent] == 1_000)
        #expect(try await a.counters()[.received] == 1_000)
        for rig in [a, b] { try await rig.close() }
    }

    @Test("one port for both families, and each family's peers")
    func bothFamilies() async throws {
        let both = try await MediaRig.start("127.0.0.1", "::1")
        #expect(both.endpoints[0].port == both.endpoints[1].port)
        for (index, address) in ["127.0.0.1", "::1"].enumerated() {
            let peer = try await MediaRig.start(address)
            peer.send([[1]], to: both.endpoints[index])
            let heard = await both.inbox.take(1)
            both.send([[2]], to: heard[0].from)
            #expect(await peer.inbox.take(1).map(\.bytes) == [[2]])
            try await peer.close()
        }
        try await both.close()
    }

    @Test("the arrival instant lies between sending and hearing")
    func arrival() async throws {
        let (a, b) = (try await MediaRig.start("127.0.0.1"), try await MediaRig.start("127.0.0.1"))
        let before = Instant.monotonicNow()
        a.send([[1]], to: b.endpoint)
        _ = await b.inbox.take(1)
        let arrived = b.inbox.lastArrival
        #expect(before <= arrived && arrived <= .monotonicNow())
        for rig in [a, b] { try await rig.close() }
    }

    @Test(
        "what the network refuses is counted and ends nothing",
        arguments: [
            ("::1", MediaSocketCounter.sendNoSocket, 10), ("127.0.0.1", .sendTooLarge, 2_049),
            // From a loopback source there is no way out; broadcast is not asked for.
            ("192.0.2.1", .sendUnreachable, 10), ("255.255.255.255", .sendOtherErrors, 10),
        ])
    func refused(address: String, counter: MediaSocketCounter, size: Int) async throws {
        let a = try await MediaRig.start("127.0.0.1")
        let target = Endpoint(address: try #require(IPAddress(address)), port: 9)
        a.send([[UInt8](repeating: 0, count: size)], to: target)
        #expect(try await a.counters()[counter] == 1)
        a.send([[5]], to: a.endpoint)
        #expect(await a.inbox.take(1).map(\.bytes) == [[5]])
        try await a.close()
    }

    @Test("a datagram that fails holds up none behind it")
    func oneFails() async throws {
        let a = try await MediaRig.start("127.0.0.1")
        let nowhere = Endpoint(address: IPAddress(v4: 255, 255, 255, 255), port: 9)
        try await a.onSocket { socket in
            socket.send([1], to: a.endpoint)
            socket.send([2], to: nowhere)
            socket.send([3], to: a.endpoint)
            socket.flush()
        }
        #expect(await a.inbox.take(2).map(\.bytes) == [[1], [3]])
        #expect(try await a.counters()[.sent] == 2)
        #expect(try await a.counters()[.sendOtherErrors] == 1)
        try await a.close()
    }

    @Test("empty and oversized datagrams from strangers are survived")
    func garbage() async throws {
        let a = try await MediaRig.start("127.0.0.1")
        let stranger = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        for size in [0, 1, 2_047, 2_048, 9_000, 60_000] {
            let bytes = ByteBuffer(repeating: 0xAA, count: size)
            try await stranger.writeAndFlush(
                AddressedEnvelope(remoteAddress: a.endpoint.socketAddress, data: bytes))
        }
        #expect(await a.inbox.take(3).map(\.bytes.count) == [0, 1, 2_047])
        while try await a.counters()[.receivedOversized] < 3 { try await Task.sleep(for: .milliseconds(2)) }
        a.send([[1]], to: a.endpoint)
        #expect(await a.inbox.take(1).map(\.bytes) == [[1]])
        try await stranger.close()
        try await a.close()
    }

    @Test("an address that this host does not have yet is bound", arguments: ["198.51.100.7", "2001:db8::7"])
    func absent(address: String) async throws {
        let a = try await MediaRig.start(address)
        #expect(a.endpoint.address == IPAddress(address))
        try await a.close()
    }

    @Test("a taken port is named, and nothing stays bound")
    func portTaken() async throws {
        let a = try await MediaRig.start("127.0.0.1")
        let free = Endpoint(address: IPAddress(v4: 127, 0, 0, 2), port: a.endpoint.port)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        await #expect(throws: MediaSocketError.portTaken(a.endpoint)) {
            try await MediaSocket.bind(on: loop, endpoints: [free, a.endpoint]) { _ in }
        }
        let b = try await MediaSocket.bind(on: loop, endpoints: [free]) { _ in }
        try await loop.flatSubmit { b.value.close() }.get()
        try await a.close()
    }
}

/// A media socket and what it heard.
struct MediaRig: Sendable {
    let socket: NIOLoopBound<MediaSocket>
    let endpoints: [Endpoint]
    let inbox: Inbox
    var endpoint: Endpoint { endpoints[0] }

    static func start(_ addresses: String...) async throws -> MediaRig {
        let inbox = Inbox()
        let endpoints = addresses.compactMap { IPAddress($0) }.map { Endpoint(address: $0, port: 0) }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let socket = try await MediaSocket.bind(on: loop, endpoints: endpoints) { inbox.add($0) }
        let bound = try await loop.submit { socket.value.endpoints }.get()
        return MediaRig(socket: socket, endpoints: bound, inbox: inbox)
    }

    func send(_ datagrams: [[UInt8]], to endpoint: Endpoint) {
        socket.eventLoop.execute {
            for bytes in datagrams { socket.value.send(bytes, to: endpoint) }
            socket.value.flush()
        }
    }

    func onSocket(_ body: @escaping @Sendable (MediaSocket) -> Void) async throws {
        try await socket.eventLoop.submit { body(socket.value) }.get()
    }

    func counters() async throws -> Counters<MediaSocketCounter> {
        try await socket.eventLoop.submit { socket.value.counters }.get()
    }

    func close() async throws { try await socket.eventLoop.flatSubmit { socket.value.close() }.get() }
}

final class Inbox: Sendable {
    private struct State {
        var datagrams: [ReceivedDatagram] = []
        var lastArrival = Instant.zero
    }

    private let state = Mutex(State())

    var lastArrival: Instant { state.withLock { $0.lastArrival } }

    func add(_ batch: DatagramBatch) {
        state.withLock { state in
            state.datagrams += batch.datagrams
            state.lastArrival = batch.arrivedAt
        }
    }

    /// The next `count`; ended by the suite's time limit where they never come.
    func take(_ count: Int) async -> [ReceivedDatagram] {
        while true {
            let taken: [ReceivedDatagram]? = state.withLock { state in
                guard count <= state.datagrams.count else { return nil }
                defer { state.datagrams.removeFirst(count) }
                return Array(state.datagrams.prefix(count))
            }
            if let taken { return taken }
            if Task.isCancelled { return [] }
            try? await Task.sleep(for: .microseconds(200))
        }
    }
}
