package import Mesh
package import Primitives

/// The shell's part in the tunnels that end at its node: their streams, and the carriers in them. Inputs for the node
/// gather in `words`, in order.
package struct TunnelShell {
    private struct End {
        let id: TunnelID
        let peer: NodeID
        let dial: DialID?
        var stream: TunnelStream
        var carrier: CarrierID?
        var isReady = false
        var isClosing = false
    }

    /// Number above which carriers in tunnels are counted, so that they never meet the numbers of connections.
    private static let firstCarrier: UInt64 = 1 << 48

    private let own: NodeID
    private var ends: [End] = []
    private var carriersOpened: UInt64 = 0
    private var words: [MeshInput] = []

    package init(own: NodeID) { self.own = own }

    package mutating func takeWords() -> [MeshInput] {
        defer { words = [] }
        return words
    }

    /// Returns the peer at the far end of a carrier in a tunnel.
    package func peer(of carrier: CarrierID) -> NodeID? { ends.first { $0.carrier == carrier }?.peer }

    /// Returns the dial that opened a carrier in a tunnel; nil if the far end dialled.
    package func dial(of carrier: CarrierID) -> DialID? { ends.first { $0.carrier == carrier }?.dial }

    /// Performs an output of Core; returns false if it does not concern a tunnel.
    package mutating func perform(_ output: MeshOutput, now: Instant) -> Bool {
        switch output {
        case .dialThrough(let dial, let id, let peer): open(id, dial, peer, now: now)
        case .acceptThrough(let id, let peer): open(id, nil, peer, now: now)
        case .tunnelReady(let id): makeReady(id)
        case .tunnelBytes(let id, let bytes): receive(bytes, of: id, now: now)
        case .tunnelClose(let id): lose(id)
        case .cancelDial(let dial): return cancel(dial)
        case .carrierSend(let carrier, let frame): return send(frame, isVoice: false, on: carrier, now: now)
        case .carrierSendVoice(let carrier, let frame): return send(frame, isVoice: true, on: carrier, now: now)
        case .carrierClose(let carrier): return close(carrier, now: now)
        default: return false
        }
        return true
    }

    private mutating func open(_ id: TunnelID, _ dial: DialID?, _ peer: NodeID, now: Instant) {
        let stream = TunnelStream(own: own, expecting: peer, isDialler: dial != nil, now: now)
        ends.append(End(id: id, peer: peer, dial: dial, stream: stream))
    }

    private mutating func makeReady(_ id: TunnelID) {
        guard let index = ends.firstIndex(where: { $0.id == id }) else { return }
        ends[index].isReady = true
        pump(index)
    }

    private mutating func pump(_ index: Int) {
        if ends[index].isReady, let piece = ends[index].stream.takePiece() {
            ends[index].isReady = false
            words.append(.tunnelSend(ends[index].id, piece))
        }
        if ends[index].isClosing, ends[index].stream.isDrained { finish(index) }
    }

    private mutating func finish(_ index: Int) { words.append(.tunnelFinished(ends.remove(at: index).id)) }

    private mutating func receive(_ bytes: [UInt8], of id: TunnelID, now: Instant) {
        guard let index = ends.firstIndex(where: { $0.id == id }) else { return }
        words.append(.tunnelTook(id, byteCount: bytes.count))
        for word in ends[index].stream.receive(bytes, now: now) {
            // A node that has closed its carrier gets no more input from it.
            if ends[index].isClosing { break }
            switch word {
            case .opened(let peer):
                carriersOpened += 1
                let carrier = CarrierID(number: TunnelShell.firstCarrier + carriersOpened)
                ends[index].carrier = carrier
                words.append(.tunnelledCarrierOpened(carrier, peer: peer, id))
            case .frame(let frame):
                if let carrier = ends[index].carrier { words.append(.carrierFrame(carrier, frame)) }
            case .closed:
                if let carrier = ends[index].carrier { words.append(.carrierClosed(carrier, .closed)) }
                finish(index)
                return
            case .strange:
                if let dial = ends[index].dial { words.append(.dialFailed(dial, .otherIdentity)) }
                finish(index)
                return
            case .broken:
                tellEnd(of: ends[index])
                finish(index)
                return
            }
        }
        pump(index)
    }

    /// Handles the loss of a tunnel, which ends the carrier or the dial in it.
    private mutating func lose(_ id: TunnelID) {
        guard let index = ends.firstIndex(where: { $0.id == id }) else { return }
        let end = ends.remove(at: index)
        if !end.isClosing { tellEnd(of: end) }
    }

    private mutating func tellEnd(of end: End) {
        if let carrier = end.carrier {
            words.append(.carrierClosed(carrier, .reset))
        } else if let dial = end.dial {
            words.append(.dialFailed(dial, .handshake))
        }
    }

    private mutating func cancel(_ dial: DialID) -> Bool {
        guard let index = ends.firstIndex(where: { $0.dial == dial && $0.carrier == nil }) else { return false }
        finish(index)
        return true
    }

    private mutating func send(_ frame: [UInt8], isVoice: Bool, on carrier: CarrierID, now: Instant) -> Bool {
        guard carrier.number >= TunnelShell.firstCarrier else { return false }
        guard let index = ends.firstIndex(where: { $0.carrier == carrier && !$0.isClosing }) else { return true }
        guard ends[index].stream.send(frame, isVoice: isVoice, now: now) else {
            words.append(.carrierClosed(carrier, .overflow))
            finish(index)
            return true
        }
        pump(index)
        return true
    }

    private mutating func close(_ carrier: CarrierID, now: Instant) -> Bool {
        guard carrier.number >= TunnelShell.firstCarrier else { return false }
        guard let index = ends.firstIndex(where: { $0.carrier == carrier && !$0.isClosing }) else { return true }
        ends[index].isClosing = true
        ends[index].stream.close(now: now)
        pump(index)
        return true
    }
}
