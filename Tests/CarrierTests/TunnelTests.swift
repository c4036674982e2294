import Carrier
import NIOCore
import NIOPosix
import Primitives
import Testing

/// The node's part between two services: passes pieces on as a neighbour would, as long as it may.
private actor Neighbour {
    private let ends: [CarrierRig]
    private let tunnels: [TunnelID]
    private(set) var bytesPassed = [0, 0]
    /// What passed last, for whoever wants to see that it is sealed.
    private(set) var seen: [UInt8] = []
    private var tampers = false

    init(_ a: CarrierRig, _ aTunnel: TunnelID, _ b: CarrierRig, _ bTunnel: TunnelID) {
        ends = [a, b]
        tunnels = [aTunnel, bTunnel]
    }

    func tamper() { tampers = true }

    /// Carries pieces from one end until its tunnel is finished.
    func carry(from end: Int) async {
        let (rig, tunnel) = (ends[end], tunnels[end])
        while true {
            rig.service.tunnelReady(tunnel)
            guard let piece = await rig.piece(of: tunnel) else {
                // A tunnel that is closed from here is not told of any more, so the other half is.
                ends[1 - end].service.closeTunnel(tunnels[1 - end])
                ends[1 - end].events.add(.tunnelFinished(tunnels[1 - end]))
                // Whoever waits for this end to take a piece is to hear of it as well.
                rig.events.add(.tunnelFinished(tunnel))
                return
            }
            bytesPassed[end] += piece.count
            seen += piece
            var bytes = piece
            if tampers { bytes[bytes.count / 2] ^= 1 }
            ends[1 - end].service.tunnelBytes(tunnels[1 - end], bytes)
            await ends[1 - end].took(bytes.count, from: tunnels[1 - end])
        }
    }
}

extension CarrierRig {
    /// Nil where the tunnel has finished.
    fileprivate func piece(of tunnel: TunnelID) async -> [UInt8]? {
        await events.first { event -> [UInt8]?? in
            switch event {
            case .tunnelPiece(tunnel, let bytes): .some(bytes)
            case .tunnelFinished(tunnel): .some(nil)
            default: nil
            }
        }
    }

    fileprivate func took(_ byteCount: Int, from tunnel: TunnelID) async {
        let isOver = await events.first { event -> Bool? in
            switch event {
            case .tunnelTook(tunnel, byteCount): false
            case .tunnelFinished(tunnel): true
            default: nil
            }
        }
        // The end is for whoever reads there.
        if isOver { events.add(.tunnelFinished(tunnel)) }
    }

    fileprivate func opened(through tunnel: TunnelID) async -> (id: CarrierID, peer: NodeID) {
        await events.first { event in
            if case .openedThrough(let id, let peer, tunnel) = event { (id, peer) } else { nil }
        }
    }
}

@Suite("Carriers in a tunnel", .timeLimit(.minutes(1)))
struct TunnelTests {
    private let near = TunnelID(number: 1)
    private let far = TunnelID(number: 9)

    @Test("TLS passes, each end knows the other, frames come whole and in order, the middle sees none")
    func passes() async throws {
        let (a, b) = (try await CarrierRig.start(), try await CarrierRig.start())
        let neighbour = Neighbour(a, near, b, far)
        b.service.acceptThrough(far, expecting: a.node)
        a.service.dialThrough(DialID(number: 5), near, expecting: b.node)
        async let there: Void = neighbour.carry(from: 0)
        async let back: Void = neighbour.carry(from: 1)
        let out = await a.opened(through: near)
        let into = await b.opened(through: far)
        #expect(out.peer == b.node && into.peer == a.node)
        a.service.trust(out.id)
        b.service.trust(into.id)
        let frames = (0..<20).map { number in [UInt8](repeating: UInt8(number), count: 1_000 * number + 1) }
        for frame in frames { a.service.send(frame, on: out.id) }
        for frame in frames { #expect(await b.frame(on: into.id) == frame) }
        let words = Array("a sentence that nobody else may read".utf8)
        b.service.send(words, on: into.id)
        #expect(await a.frame(on: out.id) == words)
        #expect(await !neighbour.seen.contains(words))
        a.service.close(out.id)
        #expect(await b.closed(into.id) == .closed)
        _ = await (there, back)
        await a.service.shutdown()
        await b.service.shutdown()
    }

    @Test("a neighbour that leads to somebody else opens nothing")
    func otherIdentity() async throws {
        let (a, b) = (try await CarrierRig.start(), try await CarrierRig.start())
        let stranger = try await CarrierRig.start()
        let neighbour = Neighbour(a, near, b, far)
        b.service.acceptThrough(far, expecting: a.node)
        a.service.dialThrough(DialID(number: 5), near, expecting: stranger.node)
        async let there: Void = neighbour.carry(from: 0)
        async let back: Void = neighbour.carry(from: 1)
        #expect(await a.outcome(of: 5) == .failed(.otherIdentity))
        _ = await (there, back)
        #expect(!b.events.contains { if case .openedThrough = $0 { true } else { false } })
        for rig in [a, b, stranger] { await rig.service.shutdown() }
    }

    @Test("the acceptor lets in whom the neighbour announced, and nobody else")
    func otherDialler() async throws {
        let (a, b) = (try await CarrierRig.start(), try await CarrierRig.start())
        let announced = try await CarrierRig.start()
        let neighbour = Neighbour(a, near, b, far)
        b.service.acceptThrough(far, expecting: announced.node)
        a.service.dialThrough(DialID(number: 5), near, expecting: b.node)
        async let there: Void = neighbour.carry(from: 0)
        async let back: Void = neighbour.carry(from: 1)
        _ = await (there, back)
        #expect(!b.events.contains { if case .openedThrough = $0 { true } else { false } })
        #expect(await b.service.counters()[.certificatesRefused] == 1)
        for rig in [a, b, announced] { await rig.service.shutdown() }
    }

    @Test("a changed byte ends the carrier")
    func tampering() async throws {
        let (a, b) = (try await CarrierRig.start(), try await CarrierRig.start())
        let neighbour = Neighbour(a, near, b, far)
        b.service.acceptThrough(far, expecting: a.node)
        a.service.dialThrough(DialID(number: 5), near, expecting: b.node)
        async let there: Void = neighbour.carry(from: 0)
        async let back: Void = neighbour.carry(from: 1)
        let (out, into) = (await a.opened(through: near), await b.opened(through: far))
        await neighbour.tamper()
        a.service.send([1, 2, 3], on: out.id)
        _ = await b.closed(into.id)
        #expect(!b.events.contains { if case .frame = $0 { true } else { false } })
        _ = await (there, back)
        for rig in [a, b] { await rig.service.shutdown() }
    }

    @Test("a tunnel that closes takes its dial and its carrier along")
    func cutOff() async throws {
        let (a, b) = (try await CarrierRig.start(), try await CarrierRig.start())
        a.service.dialThrough(DialID(number: 4), TunnelID(number: 3), expecting: b.node)
        a.service.closeTunnel(TunnelID(number: 3))
        guard case .failed = await a.outcome(of: 4) else {
            Issue.record("the dial goes on")
            return
        }
        let neighbour = Neighbour(a, near, b, far)
        b.service.acceptThrough(far, expecting: a.node)
        a.service.dialThrough(DialID(number: 5), near, expecting: b.node)
        let there = Task { await neighbour.carry(from: 0) }
        let back = Task { await neighbour.carry(from: 1) }
        let (out, into) = (await a.opened(through: near), await b.opened(through: far))
        a.service.closeTunnel(near)
        _ = await a.closed(out.id)
        b.service.closeTunnel(far)
        _ = await b.closed(into.id)
        #expect(!a.events.contains { if case .tunnelFinished(TunnelID(number: 1)) = $0 { true } else { false } })
        there.cancel()
        back.cancel()
        for rig in [a, b] { await rig.service.shutdown() }
    }

    @Test("while the tunnel takes nothing, frames wait in a bounded queue and its end is told")
    func backPressure() async throws {
        let (a, b) = (try await CarrierRig.start(), try await CarrierRig.start())
        let neighbour = Neighbour(a, near, b, far)
        b.service.acceptThrough(far, expecting: a.node)
        a.service.dialThrough(DialID(number: 5), near, expecting: b.node)
        let there = Task { await neighbour.carry(from: 0) }
        let back = Task { await neighbour.carry(from: 1) }
        let (out, into) = (await a.opened(through: near), await b.opened(through: far))
        a.service.trust(out.id)
        // The acceptor does not trust yet, so it reads no large frame: everything backs up to the dialler.
        for _ in 0..<40 { a.service.send([UInt8](repeating: 7, count: 16_000), on: out.id) }
        #expect(await a.closed(out.id) == .overflow)
        #expect(await neighbour.bytesPassed[0] < 400_000)
        b.service.close(into.id)
        there.cancel()
        back.cancel()
        for rig in [a, b] { await rig.service.shutdown() }
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
