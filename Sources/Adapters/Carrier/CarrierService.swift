import CLinux
package import NIOCore
import NIOPosix
package import Primitives

/// Makes carriers: authenticated streams of frames to peers, over TCP with mutual TLS 1.3 or through tunnels.
///
/// The service runs on a thread of its own, because a TLS handshake takes 0.7 ms and must not delay voice. Every
/// function may be called from any thread and returns at once. Results are reported as events, in order, on the node
/// loop. Frames passed to `send` keep their order; voice overtakes them.
package final class CarrierService: Sendable {
    /// This node's NodeID.
    package let node: NodeID
    private let group: MultiThreadedEventLoopGroup
    private let hub: NIOLoopBound<CarrierHub>
    private var loop: any EventLoop { hub.eventLoop }

    /// - Parameters:
    ///   - identity: the Ed25519 private key (RFC 8032 §5.1.5), 32 bytes.
    ///   - nodeLoop: the loop on which `onEvent` is called. `EventInlet` lets it serve its sockets in between.
    ///   - split: splits a frame, whose handling would take long, into several; called on `nodeLoop`.
    /// - Throws: `identityUnusable` if `identity` is not such a key.
    package init(
        identity: [UInt8], nodeLoop: any EventLoop, limits: CarrierLimits = .standard,
        split: @escaping @Sendable ([UInt8]) -> [[UInt8]] = { [$0] },
        onEvent: @escaping @Sendable (CarrierEvent) -> Void
    ) throws(CarrierError) {
        limits.requireConsistency()
        let inlet = EventInlet(loop: nodeLoop, limits: limits, split: split, onEvent: onEvent)
        node = try CarrierIdentity(seed: identity).node
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        do {
            hub = try loop.submit {
                // Any thread may lower its own priority, so this cannot fail.
                _ = linux_thread_set_nice(limits.niceValue)
                let outlet = EventOutlet(loop: loop, nodeLoop: nodeLoop, inlet: inlet)
                let hub = try CarrierHub(
                    identity: CarrierIdentity(seed: identity), loop: loop, limits: limits, outlet: outlet)
                outlet.onTaken = { [weak hub] weights in hub?.handled(weights) }
                return NIOLoopBound(hub, eventLoop: loop)
            }.wait()
        } catch {
            throw .identityUnusable
        }
    }

    /// Listens on all endpoints; after an error it listens on none. To be called once, or again after an error. With
    /// port 0, for tests, the kernel chooses one port for all. An endpoint whose address this host does not have yet
    /// gets connections as soon as the host has the address.
    ///
    /// - Returns: the endpoints with their ports.
    /// - Throws: `portTaken`, `addressUnavailable`, `notPermitted` or `system`, for the first endpoint that fails.
    package func listen(on endpoints: [Endpoint]) async throws(CarrierError) -> [Endpoint] {
        var bound: [Endpoint] = []
        for var endpoint in endpoints {
            if endpoint.port == 0, let first = bound.first { endpoint.port = first.port }
            do {
                let target = endpoint
                bound.append(try await loop.flatSubmit { [hub] in hub.value.listen(on: target) }.get())
            } catch {
                try? await loop.flatSubmit { [hub] in hub.value.stopListening() }.get()
                throw CarrierSocket.listenError(error, at: endpoint)
            }
        }
        return bound
    }

    /// Sets the networks that this host is part of: addresses on them are near sources for
    /// `ConnectionPlaces`. To be called at the start, and whenever addresses change.
    package func setNetworks(_ networks: [LocalNetwork]) {
        loop.execute { [hub] in hub.value.setNetworks(networks) }
    }

    /// Connects to an endpoint. Fails if another node than `peer` answers; nil accepts any node.
    package func dial(_ dial: DialID, _ endpoint: Endpoint, expecting peer: NodeID?) {
        loop.execute { [hub] in hub.value.dial(dial, endpoint, expecting: peer) }
    }

    /// Ends a dial. No event follows for it, unless one is already under way.
    package func cancelDial(_ dial: DialID) {
        loop.execute { [hub] in hub.value.cancelDial(dial) }
    }

    /// Opens a carrier through `tunnel`, as TLS client.
    package func dialThrough(_ dial: DialID, _ tunnel: TunnelID, expecting peer: NodeID) {
        loop.execute { [hub] in hub.value.dialThrough(dial, tunnel, expecting: peer) }
    }

    /// Opens a carrier through `tunnel`, as TLS server for `peer` at its other end.
    package func acceptThrough(_ tunnel: TunnelID, expecting peer: NodeID) {
        loop.execute { [hub] in hub.value.acceptThrough(tunnel, expecting: peer) }
    }

    /// Passes bytes of a tunnel's stream to TLS; `tunnelTook` follows when TLS has them.
    package func tunnelBytes(_ tunnel: TunnelID, _ bytes: [UInt8]) {
        loop.execute { [hub] in hub.value.feedTunnel(tunnel, bytes) }
    }

    /// Asks for one `tunnelPiece`, because the tunnel has room for it.
    package func tunnelReady(_ tunnel: TunnelID) {
        loop.execute { [hub] in hub.value.makeTunnelReady(tunnel) }
    }

    /// Ends a tunnel: its carrier closes, or its dial fails.
    package func closeTunnel(_ tunnel: TunnelID) {
        loop.execute { [hub] in hub.value.closeTunnel(tunnel) }
    }

    /// Sends a frame. If too many bytes wait for the peer, the carrier is closed with `overflow`.
    package func send(_ frame: [UInt8], on carrier: CarrierID) {
        loop.execute { [hub] in hub.value.send(frame, on: carrier) }
    }

    /// Sends a frame ahead of those of `send`. A voice frame that has waited for `CarrierLimits.voiceAgeMax` is dropped
    /// and counted.
    package func sendVoice(_ frame: [UInt8], on carrier: CarrierID) {
        loop.execute { [hub] in hub.value.sendVoice(frame, on: carrier) }
    }

    /// Closes a carrier after the frames before this call were sent, which may take `CarrierLimits.closeTimeout`.
    package func close(_ carrier: CarrierID) {
        loop.execute { [hub] in hub.value.close(carrier) }
    }

    /// Takes one more frame of a carrier before `trust`, after the node has handled the one before it.
    package func admitFrame(_ carrier: CarrierID) {
        loop.execute { [hub] in hub.value.admitFrame(carrier) }
    }

    /// Trusts a carrier, because the node has accepted the peer's HELLO: ends its deadline, and allows large frames.
    package func trust(_ carrier: CarrierID) {
        loop.execute { [hub] in hub.value.trust(carrier) }
    }

    /// The present values of the counters.
    package func counters() async -> Counters<CarrierCounter> {
        let counters = try? await loop.submit { [hub] in hub.value.counters }.get()
        return counters ?? Counters()
    }

    /// Sends the queued frames, closes everything, and ends the thread. Nothing may be called afterwards.
    package func shutdown() async {
        try? await loop.flatSubmit { [hub] in hub.value.shutDown() }.get()
        try? await group.shutdownGracefully()
    }
}

/// A network that this host is part of: its addresses are reached without a router.
package struct LocalNetwork: Hashable, Sendable {
    package var address: IPAddress
    /// In bits: at most 32 for IPv4, 128 for IPv6.
    package var prefixLength: Int

    package init(address: IPAddress, prefixLength: Int) {
        self.address = address
        self.prefixLength = prefixLength
    }
}

/// The reason why a carrier service cannot start, for a person who can correct it.
package enum CarrierError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The private key is not an Ed25519 key of 32 bytes.
    case identityUnusable
    /// Another socket listens on the port.
    case portTaken(Endpoint)
    /// The address does not belong to this host, and the system does not let a socket wait for it.
    case addressUnavailable(Endpoint)
    /// The process lacks the privilege to listen on a port below 1,024.
    case notPermitted(Endpoint)
    /// Another error of the system.
    case system(Endpoint, errno: Int32)

    package var description: String {
        switch self {
        case .identityUnusable: "the identity key is not a 32-byte Ed25519 private key"
        case .portTaken(let endpoint): "TCP port of \(endpoint) is taken"
        case .addressUnavailable(let endpoint): "\(endpoint.address) is not an address of this host"
        case .notPermitted(let endpoint): "listening on \(endpoint) is not permitted"
        case .system(let endpoint, let errno): "cannot listen on \(endpoint): errno \(errno)"
        }
    }
}
