package import Primitives
import Wire

/// A tunnel that ends at this node. The shell runs TLS through it and keeps the bytes. Core sends the bytes in frames
/// to the neighbour, and counts them for flow control. `TunnelStep.cost` says how much a piece of bytes counts.
///
///     REQUEST sent, or OFFER accepted
///         │
///         ▼
///     open ── CLOSE came, or the hop is no longer usable ──────────► ended
///         └── too many bytes, silence, or the shell has finished ──► CLOSE sent, ended
///
/// While the tunnel is open, each end tells the other how many bytes its TLS has taken (CREDIT). The other end may then
/// send as many more (DATA):
///
///     shell ── tunnelSend ──► this end ─── DATA ──► other end ── tunnelBytes ──► shell
///     shell ◄─ tunnelReady ── this end ◄─ CREDIT ── other end ◄─ tunnelTook ──── shell
package struct OwnTunnel: Sendable {
    package let id: TunnelID
    package let number: UInt64
    /// The peer at the other end, as the dial or the offer named it. TLS proves the identity.
    package let peer: NodeID
    /// The neighbour that forwards, and the carrier to it at the start of the tunnel.
    package let hop: TunnelHop
    /// This node's dial that opened the tunnel; nil if the peer opened it.
    package let dial: DialID?
    /// Bytes that this end may still send.
    package var credit = WireLimits.tunnelWindowBytes
    /// Whether the shell may hand over one piece of the TLS stream (`sendPiece`), and has not done so yet.
    package var isReady = false
    /// Bytes received and not credited yet, and the part of them that TLS has taken.
    package var uncredited = 0
    package var taken = 0
    package var heardAt: Instant
    package var sentAt: Instant

    package init(id: TunnelID, number: UInt64, peer: NodeID, hop: TunnelHop, dial: DialID?, now: Instant) {
        self.id = id
        self.number = number
        self.peer = peer
        self.hop = hop
        self.dial = dial
        heardAt = now
        sentAt = now
    }

    var silentAt: Instant { heardAt + TunnelLimits.silenceMax }
    private var keepAliveAt: Instant { sentAt + TunnelLimits.keepAliveInterval }

    package var deadline: Instant { min(silentAt, keepAliveAt) }
}

extension OwnTunnel {
    // MARK: Frames

    /// Handles a frame from the other end or from the neighbour.
    mutating func receive(_ step: TunnelStep, _ effects: inout Effects, now: Instant) -> TunnelProgress {
        heardAt = now
        switch step {
        case .data(let bytes):
            let cost = TunnelStep.cost(ofBytes: bytes.count)
            guard uncredited + cost <= WireLimits.tunnelWindowBytes else { return .overran }
            uncredited += cost
            effects.output(.tunnelBytes(id, bytes))
            return .goesOn
        case .credit(let more):
            guard credit + Int(more) <= WireLimits.tunnelWindowBytes else { return .overran }
            credit += Int(more)
            offerRoom(&effects)
            return .goesOn
        case .close:
            return .closed
        case .request, .offer:
            illegal("\(step)", in: "own tunnel")
        }
    }

    /// Lets the shell hand over one piece of the TLS stream, if the credit suffices for the largest piece.
    mutating func offerRoom(_ effects: inout Effects) {
        guard !isReady, TunnelStep.cost(ofBytes: WireLimits.tunnelDataBytesMax) <= credit else { return }
        isReady = true
        effects.output(.tunnelReady(id))
    }

    /// Sends CREDIT 0 if this end has sent nothing for `TunnelLimits.keepAliveInterval`.
    mutating func keepAlive(_ effects: inout Effects, now: Instant) {
        guard keepAliveAt <= now else { return }
        send(.credit(0), &effects, now: now)
    }

    private mutating func send(_ step: TunnelStep, _ effects: inout Effects, now: Instant) {
        sentAt = now
        effects.send(.tunnel(TunnelFrame(number: number, step: step)), on: hop.carrier)
    }

    // MARK: Input from the shell

    /// Sends one piece of the stream.
    /// - Precondition: one piece, of at most `WireLimits.tunnelDataBytesMax` bytes, for each `tunnelReady`.
    mutating func sendPiece(_ bytes: [UInt8], _ effects: inout Effects, now: Instant) {
        precondition(isReady, "a piece for tunnel \(id) that is not ready")
        isReady = false
        credit -= TunnelStep.cost(ofBytes: bytes.count)
        send(.data(bytes), &effects, now: now)
        offerRoom(&effects)
    }

    /// Counts a piece of `byteCount` bytes that TLS has taken. Sends credit once a quarter of the window has been
    /// taken.
    /// - Precondition: TLS takes no more than it was given.
    mutating func returnCredit(for byteCount: Int, _ effects: inout Effects, now: Instant) {
        taken += TunnelStep.cost(ofBytes: byteCount)
        precondition(taken <= uncredited, "tunnel \(id) took more than it was given")
        guard WireLimits.tunnelWindowBytes / 4 <= taken else { return }
        let credit = UInt16(taken)
        uncredited -= taken
        taken = 0
        send(.credit(credit), &effects, now: now)
    }
}
