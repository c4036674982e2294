import Carrier
import NIOCore
import Primitives
import Testing

@Suite("Handshake", .timeLimit(.minutes(1)))
struct HandshakeTests {
    @Test("both ends learn who the other is", arguments: ["127.0.0.1", "::1"])
    func bothLearn(address: String) async throws {
        let a = try await CarrierRig.start(at: [address])
        let b = try await CarrierRig.start(at: [address])
        let dialed = await a.dial(1, b.endpoint, expecting: b.node)
        let accepted = await b.accepted()
        #expect(dialed == .opened(CarrierID(number: 1), b.node))
        #expect(accepted.peer == a.node)
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("the keys of a carrier come from X25519 and ML-KEM-768 together")
    func keyExchange() async throws {
        let (a, b) = (try await CarrierRig.start(), try await CarrierRig.start())
        let hello = try await RawServer.firstRecord { a.service.dial(DialID(number: 1), $0, expecting: nil) }
        let answer = try await RawClient.answer(to: hello, from: b.endpoint)
        // The key share of ServerHello (RFC 8446, section 4.2.8): extension 51, its length, the group X25519MLKEM768,
        // and the 1,120 bytes of its share.
        let share: [UInt8] = [0, 51, 0x04, 0x64, 0x11, 0xEC, 0x04, 0x60]
        #expect(answer.indices.contains { answer[$0...].starts(with: share) })
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("frames pass both ways, in order, and each end closes once")
    func framesPass() async throws {
        let (a, b, out, into) = try await CarrierRig.connected()
        a.service.trust(out)
        b.service.trust(into)
        for number in UInt8(0)..<50 { a.service.send([number], on: out) }
        b.service.send([], on: into)
        for number in UInt8(0)..<50 { #expect(await b.frame(on: into) == [number]) }
        #expect(await a.frame(on: out) == [])
        a.service.close(out)
        #expect(await a.closed(out) == .closed)
        #expect(await b.closed(into) == .closed)
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("somebody else at the address is no failure of the peer's")
    func otherIdentity() async throws {
        let (a, b, c) = (try await CarrierRig.start(), try await CarrierRig.start(), try await CarrierRig.start())
        #expect(await a.dial(1, b.endpoint, expecting: c.node) == .failed(.otherIdentity))
        #expect(await a.dial(2, b.endpoint, expecting: b.node) != .failed(.otherIdentity))
        for rig in [a, b, c] { await rig.service.shutdown() }
    }

    @Test("a node that dials itself is told so")
    func own() async throws {
        let a = try await CarrierRig.start()
        #expect(await a.dial(1, a.endpoint) == .failed(.own))
        await a.service.shutdown()
    }

    @Test("nobody there, and somebody who does not speak TLS")
    func nobody() async throws {
        let a = try await CarrierRig.start()
        let gone = try await CarrierRig.start()
        await gone.service.shutdown()
        #expect(await a.dial(1, gone.endpoint) == .failed(.refused))
        let mute = try await RawServer.start(saying: "220 mail.example ESMTP\r\n")
        #expect(await a.dial(2, mute.endpoint) == .failed(.handshake))
        try await mute.stop()
        await a.service.shutdown()
    }

    @Test("a server that never answers ends the dial at its time limit")
    func silentServer() async throws {
        var limits = CarrierLimits()
        limits.handshakeTimeout = .milliseconds(200)
        let a = try await CarrierRig.start(limits: limits)
        let mute = try await RawServer.start(saying: "")
        #expect(await a.dial(1, mute.endpoint) == .failed(.timedOut))
        try await mute.stop()
        await a.service.shutdown()
    }

    @Test("a hundred dials at once all come through; those above the burst wait their turn")
    func hundred() async throws {
        var limits = CarrierLimits()
        limits.untrustedPerNearSourceMax = 128
        // Longer than the dials take to arrive, however slow the machine: the last ones must wait.
        limits.handshakeSpacing = .milliseconds(40)
        let server = try await CarrierRig.start(limits: limits)
        let client = try await CarrierRig.start()
        for number in UInt64(1)...100 {
            client.service.dial(DialID(number: number), server.endpoint, expecting: server.node)
        }
        var opened = 0
        for number in UInt64(1)...100 where await client.outcome(of: number).carrier != nil { opened += 1 }
        #expect(opened == 100)
        for _ in 1...100 { #expect(await server.accepted().peer == client.node) }
        #expect(0 < (await server.service.counters())[.delayedHandshakes])
        await client.service.shutdown()
        await server.service.shutdown()
    }

    @Test("a cancelled dial says nothing more")
    func cancelled() async throws {
        let a = try await CarrierRig.start()
        let mute = try await RawServer.start(saying: "")
        a.service.dial(DialID(number: 1), mute.endpoint, expecting: nil)
        a.service.cancelDial(DialID(number: 1))
        #expect(await a.dial(2, a.endpoint) == .failed(.own))
        #expect(!a.events.contains { if case .dialFailed(DialID(number: 1), _) = $0 { true } else { false } })
        try await mute.stop()
        await a.service.shutdown()
    }

    @Test("an address that this host does not have yet can be listened on", arguments: ["198.51.100.7", "2001:db8::7"])
    func absentAddress(text: String) async throws {
        let a = try await CarrierRig.start(at: [text])
        #expect(a.endpoint.address == IPAddress(text))
        await a.service.shutdown()
    }

    @Test("a taken port is named, and nothing stays bound")
    func portTaken() async throws {
        let a = try await CarrierRig.start()
        let b = try CarrierService(
            identity: CarrierRig.freshKey(), nodeLoop: anyLoop()
        ) { _ in }
        // An address from which no test dials, so that no port of it is in use.
        let free = try #require(Endpoint("127.0.0.99:\(a.endpoint.port)"))
        await #expect(throws: CarrierError.portTaken(a.endpoint)) { try await b.listen(on: [free, a.endpoint]) }
        #expect(try await b.listen(on: [free]) == [free])
        await a.service.shutdown()
        await b.shutdown()
    }

    @Test("an identity that is no key is refused")
    func badKey() {
        #expect(throws: CarrierError.identityUnusable) {
            try CarrierService(identity: [1, 2, 3], nodeLoop: anyLoop()) { _ in }
        }
    }
}
