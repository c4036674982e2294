import NIOCore
import NIOSSL
import NIOTLS
import Primitives
import SystemClock

/// The channel handler above TLS: one carrier, from accept or dial to its end, over TCP or in a tunnel.
///
///     shaking ──handshake completed, peer confirmed──▶ open ──close()──▶ draining ──queue empty──▶ leaving
///        │                                              │                   │                        │
///        └── time-out, refusal, error, peer closed ─────┴───────────────────┴────────────────────────┴──▶ ended
///
/// In the phase `open` the connection is untrusted until the node has accepted the peer's HELLO and called `trust`; a
/// deadline runs until then. Bytes that come in a later phase are dropped.
final class CarrierConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Origin {
        case accepted(ConnectionPlaces.Ticket)
        case dialled(DialID)
        /// Accepted in a tunnel, which the node has admitted.
        case acceptedThrough(TunnelID)
        case dialledThrough(DialID, TunnelID)

        var dial: DialID? {
            switch self {
            case .dialled(let dial), .dialledThrough(let dial, _): dial
            case .accepted, .acceptedThrough: nil
            }
        }

        var ticket: ConnectionPlaces.Ticket? {
            if case .accepted(let ticket) = self { ticket } else { nil }
        }

        var tunnel: TunnelID? {
            switch self {
            case .acceptedThrough(let tunnel), .dialledThrough(_, let tunnel): tunnel
            case .accepted, .dialled: nil
            }
        }
    }

    /// The reason why a connection ended before its peer was authenticated.
    enum ShakeFailure: Hashable {
        case timedOut
        case peerClosed
        case tls
        case refused(PeerCheck.Refusal)
    }

    /// The reason why frames that were read are held back from the node.
    private enum Hold {
        case none
        /// The peer is not yet trusted, and the node has not asked for its next frame.
        case trust
        /// The peer has sent faster than `PeerIntake` allows; the timer ends the hold.
        case allowance(Scheduled<Void>)

        var isHolding: Bool { if case .none = self { false } else { true } }
    }

    private enum Phase {
        case shaking
        case open(CarrierID)
        case draining(CarrierID)
        case leaving(CarrierID)
        case ended
    }

    let origin: Origin
    /// Nil in a tunnel.
    let remote: Endpoint?
    private let hub: CarrierHub
    private let check: PeerCheck
    private let tls: NIOSSLHandler
    private let limits: CarrierLimits
    private var phase = Phase.shaking
    /// Whether the node has accepted the peer's HELLO.
    private(set) var isTrusted = false
    private var reader: FrameReader
    private var queue: OutboundQueue
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// The peer, and the limiter of its frames; nil in the phase `shaking`.
    private var peer: (node: NodeID, intake: PeerIntake)?
    private var hold = Hold.none
    /// The peer closed while frames of it were held; this reason is reported after those frames.
    private var endAfterFrames: CarrierCloseReason?
    private var hasHeldRead = false

    init(origin: Origin, remote: Endpoint?, hub: CarrierHub, check: PeerCheck, tls: NIOSSLHandler) {
        self.origin = origin
        self.remote = remote
        self.hub = hub
        self.check = check
        self.tls = tls
        limits = hub.limits
        reader = FrameReader(
            bytesMax: limits.frameBytesMax, bytesBeforeTrustMax: limits.frameBytesBeforeTrustMax)
        queue = OutboundQueue(limits: limits)
    }
}

// MARK: - Calls from the hub

extension CarrierConnection {
    func send(_ frame: [UInt8]) {
        guard case .open = phase else { return hub.count(.sendsToClosed) }
        guard queue.append(frame) else {
            hub.count(.queueOverflows)
            return end(.overflow)
        }
        pump()
    }

    func sendVoice(_ frame: [UInt8]) {
        guard case .open = phase else { return hub.count(.sendsToClosed) }
        hub.count(.voiceFramesDropped, by: queue.appendVoice(frame, now: .monotonicNow()))
        pump()
    }

    /// Takes one more small frame of a peer that is not trusted yet.
    func admitFrame() {
        guard case .open = phase, !isTrusted else { return }
        reader.admitFrame()
        if case .trust = hold { handOnHeldFrames() }
    }

    func trust() {
        guard case .open = phase, !isTrusted else { return }
        isTrusted = true
        hub.released(self)
        deadline?.cancel()
        reader.trust()
        handOnHeldFrames()
    }

    /// Sends the queued frames, then close_notify, and closes. Each of the two steps takes `closeTimeout` at most.
    func close() {
        switch phase {
        case .open(let id):
            if let reason = endAfterFrames { return end(reason) }
            phase = .draining(id)
            arm(after: limits.closeTimeout)
            pump()
        case .shaking:
            abandon()
        case .draining, .leaving, .ended:
            return
        }
    }

    /// Ends at once, because the dial was cancelled. Reports nothing to the hub.
    func abandon() {
        phase = .ended
        dropSocket()
    }

    /// Ends at once, because another connection gets its place among the untrusted ones.
    func giveWay() {
        switch phase {
        case .shaking: abandon()
        case .open, .draining, .leaving: end(.refused)
        case .ended: return
        }
    }

    /// Continues to read, if reading was held back and the node has handled enough frames of the peer.
    func resumeReading() {
        guard hasHeldRead, mayRead else { return }
        hasHeldRead = false
        context?.read()
    }
}

// MARK: - Calls from the channel

extension CarrierConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if origin.dial == nil { arm(after: limits.trustTimeout) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        if origin.dial != nil { arm(after: limits.handshakeTimeout) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let applicationProtocol)? = event as? TLSUserEvent {
            handshakeCompleted(applicationProtocol)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .open = phase else { return }
        var bytes = unwrapInboundIn(data)
        reader.append(&bytes)
        if !hold.isHolding { deliverFrames() }
        guard case .open = phase, bufferedBytesMax < reader.bufferedBytes else { return }
        hub.count(.inboundOverflows)
        end(.overflow)
    }

    /// Holds reading back while frames are held, or while the node has too many frames of this peer to handle.
    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { hasHeldRead = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump()
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch phase {
        case .shaking: fail(check.refusal.map(ShakeFailure.refused) ?? .tls)
        case .open, .draining, .leaving: inputEnded(CarrierCloseReason(error))
        case .ended: return
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        switch phase {
        case .shaking: fail(check.refusal.map(ShakeFailure.refused) ?? .peerClosed)
        case .open, .draining, .leaving: inputEnded(.closed)
        case .ended: break
        }
        context.fireChannelInactive()
    }
}

// MARK: - Transitions

extension CarrierConnection {
    private func handshakeCompleted(_ applicationProtocol: String?) {
        guard case .shaking = phase else { return }
        do throws(PeerCheck.Refusal) {
            let peer = try check.confirmed(
                certificate: tls.peerCertificate, version: tls.tlsVersion,
                applicationProtocol: applicationProtocol)
            let id = hub.opened(self, peer: peer)
            self.peer = (peer, hub.intake(of: peer))
            phase = .open(id)
            if origin.dial != nil { arm(after: limits.trustTimeout) }
        } catch {
            fail(.refused(error))
        }
    }

    private var mayRead: Bool {
        !hold.isHolding && peer?.intake.hasRoom ?? true
    }

    private var bufferedBytesMax: Int { isTrusted ? limits.unframedBytesMax : limits.unframedBytesBeforeTrustMax }

    private func deliverFrames() {
        while case .open(let id) = phase, let peer {
            let now = Instant.monotonicNow()
            let nextAt = peer.intake.nextFrameAt(now: now)
            if now < nextAt, 0 < reader.bufferedBytes { return waitForAllowance(until: nextAt, now: now) }
            switch reader.next() {
            case .frame(let bytes):
                hub.tell(bytes, from: id, of: peer.node, weighing: peer.intake.charge(byteCount: bytes.count, now: now))
            case .incomplete:
                return
            case .awaitsTrust:
                hold = .trust
                return
            case .tooLong:
                hub.count(.oversizedFrames)
                return end(.overflow)
            }
        }
    }

    /// Holds frames until `instant`. The timer is set on the hub's loop, since the pipeline may already be closed.
    private func waitForAllowance(until instant: Instant, now: Instant) {
        hub.count(.delayedReads)
        let wait = TimeAmount.nanoseconds((instant - now).nanoseconds)
        hold = .allowance(
            hub.loop.assumeIsolated().scheduleTask(in: wait) { [weak self] in self?.handOnHeldFrames() })
    }

    /// Ends the hold, and delivers frames until another hold begins.
    private func handOnHeldFrames() {
        if case .allowance(let timer) = hold { timer.cancel() }
        hold = .none
        deliverFrames()
        guard case .open = phase, !hold.isHolding else { return }
        if let reason = endAfterFrames { return end(reason) }
        resumeReading()
    }

    /// Handles the end of the input. If frames are held, they are still delivered before the end is reported: when
    /// `trust` is called or its deadline passes, or when the peer's allowance permits.
    private func inputEnded(_ reason: CarrierCloseReason) {
        guard case .open = phase, hold.isHolding else { return end(reason) }
        endAfterFrames = endAfterFrames ?? reason
    }

    /// Passes frames to TLS as long as the channel is writable. The rest stays in `queue`, where voice can overtake it.
    private func pump() {
        guard let context else { return }
        while context.channel.isWritable {
            let next = queue.nextPiece(now: .monotonicNow(), allocator: context.channel.allocator)
            hub.count(.voiceFramesDropped, by: next.dropped)
            guard let piece = next.piece else { break }
            context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
        }
        guard case .draining(let id) = phase, queue.isEmpty else { return }
        phase = .leaving(id)
        arm(after: limits.closeTimeout)
        context.close(promise: nil)
    }

    private func arm(after interval: Interval) {
        deadline?.cancel()
        deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(interval.nanoseconds)) {
            [weak self] in self?.deadlinePassed()
        }
    }

    private func deadlinePassed() {
        switch phase {
        case .shaking:
            fail(.timedOut)
        case .open:
            hub.count(.trustTimeouts)
            hub.tookTooLong(self)
            end(.refused)
        case .draining, .leaving:
            end(.closed)
        case .ended:
            return
        }
    }

    private func fail(_ failure: ShakeFailure) {
        phase = .ended
        hub.failed(self, failure)
        dropSocket()
    }

    private func end(_ reason: CarrierCloseReason) {
        switch phase {
        case .open(let id), .draining(let id), .leaving(let id):
            phase = .ended
            if case .allowance(let timer) = hold { timer.cancel() }
            if let peer { hub.ended(self, id, of: peer.node, reason) }
            dropSocket()
        case .shaking, .ended:
            illegal("end(\(reason))", in: "\(phase)")
        }
    }

    /// Closes the socket below TLS: sends no close_notify, and does not wait for one.
    private func dropSocket() {
        deadline?.cancel()
        guard let pipeline = context?.pipeline.syncOperations else { return }
        if let below = try? pipeline.context(handler: tls) {
            below.close(promise: nil)
        } else {
            context?.close(promise: nil)
        }
    }
}

extension CarrierCloseReason {
    init(_ error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case .some(CarrierSocket.timedOut): self = .timedOut
        case .some: self = .reset
        case nil: self = error as? NIOSSLError == .uncleanShutdown ? .closed : .reset
        }
    }
}
