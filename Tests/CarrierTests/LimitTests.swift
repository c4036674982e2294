import Carrier
import NIOBridge
import NIOCore
import Primitives
import Testing

@Suite("Limits of connections", .timeLimit(.minutes(1)))
struct LimitTests {
    @Test("a HELLO above 2 KiB ends the carrier")
    func oversizedHello() async throws {
        let (a, b, out, into) = try await CarrierRig.connected()
        a.service.send([UInt8](repeating: 7, count: 2_049), on: out)
        #expect(await b.closed(into) == .overflow)
        #expect((await b.service.counters())[.oversizedFrames] == 1)
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("a large frame that has overtaken trust waits for it")
    func largeFrameWaits() async throws {
        let (a, b, out, into) = try await CarrierRig.connected()
        a.service.send([1], on: out)
        a.service.send([UInt8](repeating: 2, count: 65_536), on: out)
        a.service.send([3], on: out)
        #expect(await b.frame(on: into) == [1])
        b.service.trust(into)
        #expect(await b.frame(on: into).count == 65_536)
        #expect(await b.frame(on: into) == [3])
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("what waits for trust is told although the peer has closed meanwhile, and then the end")
    func waitingFramesOutliveTheirSender() async throws {
        let (a, b, out, into) = try await CarrierRig.connected()
        // As HELLO does: what comes first must be small.
        a.service.send([1], on: out)
        a.service.send([UInt8](repeating: 2, count: 10_000), on: out)
        a.service.send([3], on: out)
        a.service.close(out)
        // The other end has answered the good-bye, so it has read everything.
        #expect(await a.closed(out) == .closed)
        b.service.trust(into)
        #expect(await b.frame(on: into) == [1])
        #expect(await b.frame(on: into).count == 10_000)
        #expect(await b.frame(on: into) == [3])
        #expect(await b.closed(into) == .closed)
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("even a trusted peer may not send more than 64 KiB in a frame")
    func oversizedFrame() async throws {
        var generous = CarrierLimits()
        generous.frameBytesMax = 100_000
        generous.unframedBytesBeforeTrustMax = 120_000
        let a = try await CarrierRig.start(limits: generous)
        let b = try await CarrierRig.start()
        let out = try #require(await a.dial(1, b.endpoint).carrier)
        let into = await b.accepted().id
        b.service.trust(into)
        a.service.send([UInt8](repeating: 7, count: 65_537), on: out)
        #expect(await b.closed(into) == .overflow)
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("who is not trusted in time is refused", arguments: [true, false])
    func untrusted(dripping: Bool) async throws {
        var limits = CarrierLimits()
        // From accept on. The handshake of the client that is not trusted must end before.
        limits.trustTimeout = dripping ? .milliseconds(300) : .seconds(2)
        let server = try await CarrierRig.start(limits: limits)
        if dripping {
            let raw = try await RawClient.connect(to: server.endpoint)
            // A ClientHello that never ends: record header first, then a byte now and then.
            for byte: UInt8 in [0x16, 0x03, 0x01, 0x02, 0x00, 0x01] { try? await raw.send([byte]) }
            try await raw.waitForClose()
            #expect(try await server.settled { 0 < $0[.handshakesFailed] }[.handshakesFailed] == 1)
        } else {
            let client = try await CarrierRig.start()
            _ = await client.dial(1, server.endpoint)
            let id = await server.accepted().id
            #expect(await server.closed(id) == .refused)
            #expect((await server.service.counters())[.trustTimeouts] == 1)
            await client.service.shutdown()
        }
        await server.service.shutdown()
    }

    @Test("a connection that sends nothing is closed, and has had no handshake's turn")
    func silent() async throws {
        var limits = CarrierLimits()
        // The peer below must send its first bytes in this time, also if the machine stalls.
        limits.firstBytesTimeout = .seconds(1)
        limits.handshakeBurst = 1
        limits.handshakeSpacing = .seconds(60)
        let server = try await CarrierRig.start(limits: limits)
        var silent: [RawClient] = []
        for _ in 0..<3 { silent.append(try await RawClient.connect(to: server.endpoint)) }
        for client in silent { try await client.waitForClose() }
        let peer = try await CarrierRig.start()
        #expect(await peer.dial(1, server.endpoint, expecting: server.node).carrier != nil)
        await peer.service.shutdown()
        await server.service.shutdown()
    }

    @Test("connections that close at once, or after their first bytes, use up no turn that others wait for")
    func closers() async throws {
        var limits = CarrierLimits()
        limits.handshakeBurst = 2
        limits.handshakeSpacing = .milliseconds(50)
        let server = try await CarrierRig.start(limits: limits)
        for number in 0..<100 {
            let raw = try await RawClient.connect(to: server.endpoint)
            if number % 2 == 0 { try? await raw.send([0x16, 0x03, 0x01, 0x02, 0x00]) }
            await raw.close()
        }
        let peer = try await CarrierRig.start()
        // Reserved for each of the hundred, the turn would come after five seconds: later than any dial waits.
        #expect(await peer.dial(1, server.endpoint, expecting: server.node).carrier != nil)
        await peer.service.shutdown()
        await server.service.shutdown()
    }

    /// An address of this host that counts as a far source where the service knows no networks; nil if it has none.
    private static let farAddress = (try? System.enumerateDevices())?
        .compactMap { $0.address.flatMap { Endpoint($0) }?.address }
        .first { $0.v4 != nil && !$0.isLoopback && !$0.isLinkLocal }

    @Test(
        "a connection that gets no handshake's turn is no offence of its source, which may come again at once",
        .enabled(if: LimitTests.farAddress != nil, "this host has no address but loopback"))
    func noTurn() async throws {
        var limits = CarrierLimits()
        limits.firstBytesTimeout = .seconds(20)
        limits.handshakeBurst = 1
        limits.handshakeSpacing = .seconds(60)
        limits.handshakesWaitingMax = 1
        let farAddress = try #require(LimitTests.farAddress)
        let far = "\(farAddress)"
        let server = try await CarrierRig.start(limits: limits, at: ["127.0.0.1", far])
        var neighbours: [RawClient] = []
        // The first takes the only turn, the second the only place in the queue.
        for _ in 0..<2 {
            let neighbour = try await RawClient.connect(to: server.endpoint)
            try await neighbour.send([0x16])
            neighbours.append(neighbour)
        }
        _ = try await server.settled { $0[.delayedHandshakes] == 1 }
        for _ in 0..<5 {
            let late = try await RawClient.connect(to: server.endpoints[1], from: far)
            try? await late.send([0x16])
            try await late.waitForClose()
        }
        let counters = await server.service.counters()
        #expect(counters[.refusedPace] == 5)
        #expect(counters[.refusedPenalty] == 0)
        for neighbour in neighbours { await neighbour.close() }
        await server.service.shutdown()
    }

    @Test("a peer that sends faster than its allowance is read later, and loses nothing")
    func allowance() async throws {
        var limits = CarrierLimits()
        limits.intakeBurstBytes = 80 * 1_024
        let a = try await CarrierRig.start()
        let b = try await CarrierRig.start(limits: limits)
        let out = try #require(await a.dial(1, b.endpoint).carrier)
        let into = await b.accepted().id
        b.service.trust(into)
        for number in 0..<UInt8(200) { a.service.send([number], on: out) }
        a.service.close(out)
        for number in 0..<UInt8(200) { #expect(await b.frame(on: into) == [number]) }
        #expect(await b.closed(into) == .closed)
        #expect(0 < (await b.service.counters())[.delayedReads])
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("before trust one frame is told, and more than a frame of the largest size ends the carrier")
    func muchBeforeTrust() async throws {
        let (a, b, out, into) = try await CarrierRig.connected()
        a.service.send([1], on: out)
        for _ in 0..<3 { a.service.send([UInt8](repeating: 2, count: 60_000), on: out) }
        a.service.close(out)
        #expect(await b.frame(on: into) == [1])
        #expect(await b.closed(into) == .overflow)
        #expect((await b.service.counters())[.inboundOverflows] == 1)
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("random bytes end the connection and nothing else")
    func randomBytes() async throws {
        let server = try await CarrierRig.start()
        var random = SeededRandom(seed: 7)
        for _ in 0..<40 {
            let raw = try await RawClient.connect(to: server.endpoint)
            let bytes = (0..<random.below(4_000) + 16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try? await raw.send(bytes)
            await raw.close()
        }
        let client = try await CarrierRig.start()
        #expect(await client.dial(1, server.endpoint, expecting: server.node).carrier != nil)
        await client.service.shutdown()
        await server.service.shutdown()
    }

    @Test("strangers that hold all 128 places keep no peer out: the oldest of them gives way")
    func full() async throws {
        var limits = CarrierLimits()
        limits.firstBytesTimeout = .seconds(20)
        limits.handshakeSpacing = .microseconds(1)
        let server = try await CarrierRig.start(limits: limits)
        var strangers: [RawClient] = []
        for source in ["127.0.0.2", "127.0.0.3"] {
            for _ in 0..<64 { strangers.append(try await RawClient.connect(to: server.endpoint, from: source)) }
        }
        let counters = try await server.settled { $0[.accepted] == 128 }
        #expect(counters[.refusedFull] == 0)
        let peer = try await CarrierRig.start()
        #expect(await peer.dial(1, server.endpoint, expecting: server.node).carrier != nil)
        try await strangers[0].waitForClose()
        #expect((await server.service.counters())[.refusedFull] == 1)
        for stranger in strangers { await stranger.close() }
        await peer.service.shutdown()
        await server.service.shutdown()
    }

    @Test("an open carrier that nobody trusts yet gives way too, and its end is told")
    func openGivesWay() async throws {
        var limits = CarrierLimits()
        limits.untrustedMax = 2
        limits.untrustedPerNearSourceMax = 2
        limits.untrustedPerFarSourceMax = 2
        let server = try await CarrierRig.start(limits: limits)
        let client = try await CarrierRig.start()
        _ = await client.dial(1, server.endpoint)
        let first = await server.accepted().id
        _ = await client.dial(2, server.endpoint)
        _ = await server.accepted()
        let other = try await RawClient.connect(to: server.endpoint, from: "127.0.0.2")
        #expect(await server.closed(first) == .refused)
        await other.close()
        await client.service.shutdown()
        await server.service.shutdown()
    }

    @Test("what was sent before close arrives before the end")
    func closingFlushes() async throws {
        let (a, b, out, into) = try await CarrierRig.connected()
        a.service.send([0], on: out)
        b.service.trust(into)
        for _ in 0..<3 { a.service.send([UInt8](repeating: 1, count: 60_000), on: out) }
        a.service.send([9], on: out)
        a.service.close(out)
        #expect(await b.frame(on: into) == [0])
        for _ in 0..<3 { #expect(await b.frame(on: into).count == 60_000) }
        #expect(await b.frame(on: into) == [9])
        #expect(await b.closed(into) == .closed)
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("shutting down says good-bye with everything that was sent")
    func shutdownFlushes() async throws {
        let (a, b, out, into) = try await CarrierRig.connected()
        a.service.send([1, 2, 3], on: out)
        await a.service.shutdown()
        #expect(await b.frame(on: into) == [1, 2, 3])
        #expect(await b.closed(into) == .closed)
        await b.service.shutdown()
    }
}
