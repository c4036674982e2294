import NIOBridge
import NIOCore
import NIOPosix
import NIOSSL
import Primitives
import SystemClock

/// Owns all connections of the service, on the carrier's loop. It numbers them, gives them places, and reports their
/// events to the node.
final class CarrierHub {
    let limits: CarrierLimits
    let loop: any EventLoop
    let node: NodeID
    let tls: CarrierTLS
    let outlet: EventOutlet
    private var places: ConnectionPlaces
    private var pace: HandshakePace
    /// Accepted connections whose handshake has not started.
    private var gates: [UInt64: HandshakeGate] = [:]
    private var gatesMade: UInt64 = 0
    private var paceTimer: Scheduled<Void>?
    private var intakes: [NodeID: PeerIntake] = [:]
    private var listeners: [any Channel] = []
    private var carriers: [CarrierID: CarrierConnection] = [:]
    var dials: [DialID: Dial] = [:]
    /// The ends of tunnels' socket pairs that face the node.
    var pumps: [TunnelID: TunnelPump] = [:]
    private var carriersOpened: UInt64 = 0
    private(set) var counters = Counters<CarrierCounter>()
    /// Every connection until its socket is closed; `shutDown` waits for all of them.
    private var connections: [ObjectIdentifier: (connection: CarrierConnection, gone: EventLoopFuture<Void>)] = [:]
    private(set) var isShutDown = false

    enum Dial {
        /// The dial has no channel yet.
        case connecting
        /// The channel of the dial has TLS in it. TCP may still connect.
        case shaking(CarrierConnection)
    }

    /// - Throws: `identityUnusable` if TLS does not accept the identity.
    init(
        identity: CarrierIdentity, loop: any EventLoop, limits: CarrierLimits, outlet: EventOutlet
    ) throws(CarrierError) {
        self.limits = limits
        self.loop = loop
        self.outlet = outlet
        node = identity.node
        tls = try CarrierTLS(identity: identity, limits: limits)
        places = ConnectionPlaces(limits: limits)
        pace = HandshakePace(limits: limits)
    }

    func count(_ counter: CarrierCounter, by amount: Int = 1) {
        counters.count(counter, by: UInt64(amount))
    }

    func setNetworks(_ networks: [LocalNetwork]) { places.setNetworks(networks) }

    func send(_ frame: [UInt8], on id: CarrierID) {
        guard let carrier = carriers[id] else { return count(.sendsToClosed) }
        carrier.send(frame)
    }

    func sendVoice(_ frame: [UInt8], on id: CarrierID) {
        guard let carrier = carriers[id] else { return count(.sendsToClosed) }
        carrier.sendVoice(frame)
    }

    func close(_ id: CarrierID) { carriers[id]?.close() }

    func admitFrame(_ id: CarrierID) { carriers[id]?.admitFrame() }
    func trust(_ id: CarrierID) { carriers[id]?.trust() }
}

// MARK: - Limits of peers' frames

extension CarrierHub {
    func intake(of peer: NodeID) -> PeerIntake {
        if let intake = intakes[peer] { return intake }
        let intake = PeerIntake(limits: limits, now: .monotonicNow())
        intakes[peer] = intake
        return intake
    }

    /// Notes the weight of frames that the node has handled, so that their senders may send more.
    func handled(_ weights: [(peer: NodeID, byteCount: Int)]) {
        for weight in weights { intakes[weight.peer]?.handled(weight.byteCount) }
        for weight in weights {
            for connection in intakes[weight.peer]?.connections ?? [] { connection.resumeReading() }
        }
    }

    /// Deletes a peer's intake when the peer has no connection and its allowance is full again. It is not deleted
    /// before: a peer could otherwise get a new allowance by connecting again.
    private func forgetIntake(of peer: NodeID) {
        guard let intake = intakes[peer], intake.connections.isEmpty else { return }
        guard !intake.isForgettable(now: .monotonicNow()) else { return intakes[peer] = nil }
        loop.assumeIsolated().scheduleTask(in: .nanoseconds(limits.closeTimeout.nanoseconds)) { [weak self] in
            self?.forgetIntake(of: peer)
        }
    }
}

// MARK: - Listening

extension CarrierHub {
    /// Listens on one endpoint; returns it with the port that the kernel chose.
    func listen(on endpoint: Endpoint) -> EventLoopFuture<Endpoint> {
        let hub = NIOLoopBound(self, eventLoop: loop)
        var bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(CarrierSocket.reuseAddress, value: 1)
            .serverChannelInitializer { channel in
                // A system that refuses the option still lets this host's own addresses be bound.
                channel.setOption(CarrierSocket.freeBind, value: 1).recover { _ in }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try hub.value.accept(channel) }
            }
        if endpoint.address.v4 == nil {
            bootstrap = bootstrap.serverChannelOption(CarrierSocket.ipv6Only, value: 1)
        }
        for (option, value) in CarrierSocket.options(limits) {
            bootstrap = bootstrap.childChannelOption(option, value: value)
        }
        bootstrap = bootstrap.childChannelOption(ChannelOptions.writeBufferWaterMark, value: writeMarks)
        return bootstrap.bind(to: endpoint.socketAddress).map { channel in
            hub.value.listeners.append(channel)
            return channel.localAddress.flatMap(Endpoint.init) ?? endpoint
        }
    }

    /// Closes all listening sockets.
    func stopListening() -> EventLoopFuture<Void> {
        let closing = listeners.map { $0.close() }
        listeners = []
        return .andAllComplete(closing, on: loop)
    }

    var writeMarks: ChannelOptions.Types.WriteBufferWaterMark {
        .init(low: limits.writeBytesMax, high: 2 * limits.writeBytesMax)
    }

    private func accept(_ channel: any Channel) throws {
        guard !isShutDown, let remote = channel.remoteAddress.flatMap(Endpoint.init) else {
            throw ChannelError.ioOnClosedChannel
        }
        switch places.admit(remote.address, now: .monotonicNow()) {
        case .refused(let refusal):
            count(refusal.counter)
            throw ChannelError.ioOnClosedChannel
        case .admitted(let ticket, let displaced):
            count(.accepted)
            if let displaced { close(displaced) }
            gatesMade += 1
            let gate = HandshakeGate(id: gatesMade, ticket: ticket, remote: remote, hub: self)
            do {
                try channel.pipeline.syncOperations.addHandler(gate)
            } catch {
                places.release(ticket)
                throw error
            }
            gates[gate.id] = gate
        }
    }

    /// Closes the untrusted connection that has lost its place in `places`.
    private func close(_ displaced: ConnectionPlaces.Ticket) {
        count(.refusedFull)
        if let gate = gates.values.first(where: { $0.ticket == displaced }) { return gate.close() }
        connections.values.first { $0.connection.origin.ticket == displaced }?.connection.giveWay()
    }

    /// Asks whether the handshake of a connection may start, since its first bytes have come.
    func askForHandshake(_ gate: HandshakeGate) -> HandshakePace.Answer {
        let answer = pace.ask(gate.id, from: gate.ticket.source, now: .monotonicNow())
        switch answer {
        case .start: break
        case .wait(let displaced):
            count(.delayedHandshakes)
            if let gate = displaced.flatMap({ gates[$0] }) {
                refuse(gate)
                gate.close()
            }
            armPace()
        case .refused: refuse(gate)
        }
        return answer
    }

    /// Counts a connection that ends for lack of a turn, and gives its place back. Its source gets no penalty, because
    /// others have taken the turns.
    private func refuse(_ gate: HandshakeGate) {
        count(.refusedPace)
        places.release(gate.ticket)
    }

    /// Adds TLS and a `CarrierConnection` to the pipeline behind the gate; returns false if that fails.
    func beginHandshake(_ gate: HandshakeGate, on channel: any Channel) -> Bool {
        gates[gate.id] = nil
        do {
            let check = PeerCheck(own: node, expected: nil)
            _ = try install(.accepted(gate.ticket), check, try tls.acceptingHandler(check), gate.remote, on: channel)
            return true
        } catch {
            places.release(gate.ticket)
            return false
        }
    }

    /// Handles a connection that was closed, by either side, before its handshake started.
    func gateClosed(_ gate: HandshakeGate) {
        gates[gate.id] = nil
        pace.leave(gate.id)
        // A connection that had to give its place back was counted then.
        if places.holds(gate.ticket) { count(.handshakesFailed) }
        places.penalize(gate.ticket, for: .failedHandshake, now: .monotonicNow())
        places.release(gate.ticket)
    }

    private func armPace() {
        guard paceTimer == nil else { return }
        let now = Instant.monotonicNow()
        guard let at = pace.nextAt(now: now) else { return }
        paceTimer = loop.assumeIsolated().scheduleTask(in: .nanoseconds((at - now).nanoseconds)) { [weak self] in
            guard let self else { return }
            paceTimer = nil
            while let id = pace.next(now: .monotonicNow()) { gates[id]?.start() }
            armPace()
        }
    }

    func install(
        _ origin: CarrierConnection.Origin, _ check: PeerCheck, _ handler: NIOSSLHandler, _ remote: Endpoint?,
        on channel: any Channel
    ) throws -> CarrierConnection {
        let connection = CarrierConnection(origin: origin, remote: remote, hub: self, check: check, tls: handler)
        try channel.pipeline.syncOperations.addHandlers([handler, connection])
        let key = ObjectIdentifier(connection)
        connections[key] = (connection, channel.closeFuture)
        channel.closeFuture.assumeIsolated().whenComplete { [self] _ in connections[key] = nil }
        return connection
    }
}

// MARK: - Dialing

extension CarrierHub {
    func dial(_ id: DialID, _ endpoint: Endpoint, expecting peer: NodeID?) {
        guard !isShutDown, dials[id] == nil, dials.count < limits.dialsMax else {
            return outlet.tell(.dialFailed(id, .unreachable))
        }
        dials[id] = .connecting
        let hub = NIOLoopBound(self, eventLoop: loop)
        var bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.nanoseconds(limits.connectTimeout.nanoseconds))
            .channelOption(ChannelOptions.writeBufferWaterMark, value: writeMarks)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try hub.value.prepare(channel, for: id, endpoint, expecting: peer)
                }
            }
        for (option, value) in CarrierSocket.options(limits) {
            bootstrap = bootstrap.channelOption(option, value: value)
        }
        bootstrap.connect(to: endpoint.socketAddress).whenFailure { error in
            hub.value.endDial(id, CarrierSocket.dialFailure(error))
        }
    }

    func cancelDial(_ id: DialID) {
        guard let dial = dials.removeValue(forKey: id) else { return }
        if case .shaking(let connection) = dial { connection.abandon() }
    }

    private func prepare(
        _ channel: any Channel, for id: DialID, _ endpoint: Endpoint, expecting peer: NodeID?
    ) throws {
        guard dials[id] != nil else { throw ChannelError.ioOnClosedChannel }
        let check = PeerCheck(own: node, expected: peer)
        let connection = try install(.dialled(id), check, try tls.dialingHandler(check), endpoint, on: channel)
        dials[id] = .shaking(connection)
    }

    func endDial(_ id: DialID, _ failure: CarrierDialFailure) {
        guard dials.removeValue(forKey: id) != nil else { return }
        outlet.tell(.dialFailed(id, failure))
    }
}

// MARK: - Reports of connections

extension CarrierHub {
    func opened(_ connection: CarrierConnection, peer: NodeID) -> CarrierID {
        carriersOpened += 1
        let id = CarrierID(number: carriersOpened)
        carriers[id] = connection
        intake(of: peer).join(connection)
        if let dial = connection.origin.dial { dials[dial] = nil }
        if let tunnel = connection.origin.tunnel {
            outlet.tell(.openedThrough(id, peer: peer, tunnel))
        } else if let remote = connection.remote {
            outlet.tell(.opened(id, peer: peer, dial: connection.origin.dial, remote: remote))
        }
        return id
    }

    func tell(_ frame: [UInt8], from id: CarrierID, of peer: NodeID, weighing weight: Int) {
        outlet.tell(.frame(id, frame), weighing: (peer, weight))
    }

    func failed(_ connection: CarrierConnection, _ failure: CarrierConnection.ShakeFailure) {
        countFailure(failure)
        switch connection.origin {
        case .dialled(let id), .dialledThrough(let id, _):
            endDial(id, failure.dialFailure)
        case .acceptedThrough:
            break
        case .accepted(let ticket):
            let offence: ConnectionPlaces.Offence = failure == .timedOut ? .timedOut : .failedHandshake
            places.penalize(ticket, for: offence, now: .monotonicNow())
            places.release(ticket)
        }
    }

    /// Gives back the ticket of a connection that is now trusted, or has ended.
    func released(_ connection: CarrierConnection) {
        if case .accepted(let ticket) = connection.origin { places.release(ticket) }
    }

    func tookTooLong(_ connection: CarrierConnection) {
        guard case .accepted(let ticket) = connection.origin else { return }
        places.penalize(ticket, for: .timedOut, now: .monotonicNow())
    }

    func ended(_ connection: CarrierConnection, _ id: CarrierID, of peer: NodeID, _ reason: CarrierCloseReason) {
        carriers[id] = nil
        intakes[peer]?.leave(connection)
        forgetIntake(of: peer)
        if !connection.isTrusted { released(connection) }
        outlet.tell(.closed(id, reason))
    }

    private func countFailure(_ failure: CarrierConnection.ShakeFailure) {
        switch failure {
        case .timedOut, .peerClosed, .tls: count(.handshakesFailed)
        case .refused(.skipped): count(.verificationSkipped)
        case .refused(.wrongProtocol): count(.wrongProtocol)
        case .refused: count(.certificatesRefused)
        }
    }
}

// MARK: - Shutting down

extension CarrierHub {
    /// Closes everything; completes when the last socket is gone, within twice `closeTimeout`.
    func shutDown() -> EventLoopFuture<Void> {
        isShutDown = true
        for id in dials.keys.sorted() { cancelDial(id) }
        for id in pumps.keys.sorted() { closeTunnel(id) }
        paceTimer?.cancel()
        let gone = connections.values.map(\.gone)
        for gate in gates.values { gate.close() }
        for entry in connections.values { entry.connection.close() }
        return stopListening().flatMap { [loop] in .andAllComplete(gone, on: loop) }
    }
}

extension ConnectionPlaces.Refusal {
    fileprivate var counter: CarrierCounter {
        switch self {
        case .full: .refusedFull
        case .sourceFull: .refusedSource
        case .penalized: .refusedPenalty
        }
    }
}

extension CarrierConnection.ShakeFailure {
    fileprivate var dialFailure: CarrierDialFailure {
        switch self {
        case .timedOut: .timedOut
        case .refused(.own): .own
        case .refused(.otherIdentity): .otherIdentity
        case .peerClosed, .tls, .refused: .handshake
        }
    }
}
