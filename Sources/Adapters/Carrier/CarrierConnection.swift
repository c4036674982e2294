import NIOCore
import NIOSSL
import NIOTLS
import Primitives
import SystemClock

/// One TCP connection above its TLS handler, from accept or dial to its end.
///
///     shaking ──handshake completed, peer confirmed──▶ open ──close()──▶ draining ──queue empty──▶ leaving
///        │                                              │                   │                        │
///        └── time-out, refusal, error, peer closed ─────┴───────────────────┴────────────────────────┴──▶ ended
///
/// `open` is untrusted until HELLO was accepted; the clock that started at accept runs until then.
final class CarrierConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Origin {
        case accepted(Admission.Ticket)
        case dialed(DialID)
        /// The same through a tunnel, which the node has admitted.
        case acceptedThrough(TunnelID)
        case dialedThrough(DialID, TunnelID)

        var dial: DialID? {
            switch self {
            case .dialed(let dial), .dialedThrough(let dial, _): dial
            case .accepted, .acceptedThrough: nil
            }
        }

        var tunnel: TunnelID? {
            switch self {
            case .acceptedThrough(let tunnel), .dialedThrough(_, let tunnel): tunnel
            case .accepted, .dialed: nil
            }
        }
    }

    /// Why a connection ended before its peer was known.
    enum ShakeFailure: Hashable {
        case timedOut
        case peerClosed
        case tls
        case refused(PeerCheck.Refusal)
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
    /// HELLO was accepted; stays so to the end.
    private(set) var isTrusted = false
    private var reader: FrameReader
    private var queue: OutboundQueue
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Received, told, and not yet taken by the node.
    private var untakenBytes = 0
    private var isAwaitingTrust = false
    /// The peer closed while frames of its wait here for trust: told after them.
    private var endAfterTrust: CarrierCloseReason?
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

// MARK: - What the hub asks for

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

    func trust() {
        guard case .open = phase, !isTrusted else { return }
        isTrusted = true
        hub.released(self)
        deadline?.cancel()
        reader.trust()
        isAwaitingTrust = false
        deliverFrames()
        if case .open = phase, let reason = endAfterTrust { return end(reason) }
        resumeReading()
    }

    /// Sends what is queued, says close_notify, closes; within `closeTimeout` for each.
    func close() {
        switch phase {
        case .open(let id):
            if let reason = endAfterTrust { return end(reason) }
            phase = .draining(id)
            arm(after: limits.closeTimeout)
            pump()
        case .shaking:
            abandon()
        case .draining, .leaving, .ended:
            return
        }
    }

    /// Ends at once without a word to the hub: the dial was cancelled.
    func abandon() {
        phase = .ended
        dropSocket()
    }

    /// The node has looked at this much of what it was told.
    func took(_ byteCount: Int) {
        untakenBytes -= byteCount
        resumeReading()
    }
}

// MARK: - What the channel says

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
        var bytes = unwrapInboundIn(data)
        reader.append(&bytes)
        deliverFrames()
    }

    /// Withholds reading while the node is behind, and while only `trust` can make room.
    func read(context: ChannelHandlerContext) {
        guard untakenBytes <= limits.inboundBytesMax, !isAwaitingTrust else {
            hasHeldRead = true
            return
        }
        context.read()
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

// MARK: - Steps

extension CarrierConnection {
    private func handshakeCompleted(_ applicationProtocol: String?) {
        guard case .shaking = phase else { return }
        do throws(PeerCheck.Refusal) {
            let peer = try check.confirmed(
                certificate: tls.peerCertificate, version: tls.tlsVersion,
                applicationProtocol: applicationProtocol)
            let id = hub.opened(self, peer: peer)
            phase = .open(id)
            if origin.dial != nil { arm(after: limits.trustTimeout) }
        } catch {
            fail(.refused(error))
        }
    }

    private func deliverFrames() {
        guard case .open(let id) = phase else { return }
        while true {
            switch reader.next() {
            case .frame(let bytes):
                untakenBytes += bytes.count + FrameReader.lengthBytes
                hub.tell(.frame(id, bytes), taking: bytes.count + FrameReader.lengthBytes, from: id)
            case .incomplete:
                return
            case .awaitsTrust:
                isAwaitingTrust = true
                return
            case .tooLong:
                hub.count(.oversizedFrames)
                return end(.overflow)
            }
        }
    }

    /// Nothing more comes. What has come and waits for trust is still told, for trust is on its way
    /// from the node's loop; the trust time-out is armed.
    private func inputEnded(_ reason: CarrierCloseReason) {
        if case .open = phase, isAwaitingTrust {
            endAfterTrust = endAfterTrust ?? reason
        } else {
            end(reason)
        }
    }

    private func resumeReading() {
        guard hasHeldRead, untakenBytes <= limits.inboundBytesMax, !isAwaitingTrust else { return }
        hasHeldRead = false
        context?.read()
    }

    /// Hands over as much as the channel takes: the rest waits here, where voice can overtake it.
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
            hub.ended(self, id, reason)
            dropSocket()
        case .shaking, .ended:
            illegal("end(\(reason))", in: "\(phase)")
        }
    }

    /// Closes below TLS: without close_notify, and without waiting for one.
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
