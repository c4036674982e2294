import CLinux
package import NIOCore
import NIOPosix
package import Primitives

/// Authenticated byte streams to peers: TCP with mutual TLS 1.3, cut into frames.
///
/// The service runs on a thread of its own, because a handshake costs 0.7 ms and must not delay
/// voice. Every function may be called from any thread and returns at once; what comes of it is
/// told as events, in order, on the node's loop. Frames handed over by `send` keep their order;
/// voice overtakes them.
package final class CarrierService: Sendable {
    /// The own identity: SHA-256 of the public key's SPKI.
    package let node: NodeID
    private let group: MultiThreadedEventLoopGroup
    private let hub: NIOLoopBound<CarrierHub>
    private var loop: any EventLoop { hub.eventLoop }

    /// - Parameters:
    ///   - identity: 32 bytes, the Ed25519 private key (RFC 8032 seed).
    ///   - nodeLoop: where `onEvent` is called, between looks at its sockets (`EventInlet`).
    ///   - split: takes a frame apart that would keep the node's loop for long; called on it.
    /// - Throws: `identityUnusable` and nothing else.
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

    /// Listens on every endpoint or on none of them: after an error nothing is bound. Call it once;
    /// again after an error, with another port. Port 0 lets the kernel choose one for all, for tests.
    ///
    /// - Returns: the endpoints with their ports.
    /// - Throws: `portTaken`, `addressUnavailable` (no IPv6, for example), `notPermitted`, or `system` with the errno.
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

    /// Own links, so that neighbours are told from strangers in admission. Call it at start and
    /// whenever addresses change.
    package func setLinks(_ links: [CarrierLink]) {
        loop.execute { [hub] in hub.value.setLinks(links) }
    }

    package func dial(_ dial: DialID, _ endpoint: Endpoint, expecting peer: NodeID?) {
        loop.execute { [hub] in hub.value.dial(dial, endpoint, expecting: peer) }
    }

    /// No event follows for the dial, unless one was already under way.
    package func cancelDial(_ dial: DialID) {
        loop.execute { [hub] in hub.value.cancelDial(dial) }
    }

    /// Dials without an address: TLS as the client, its bytes through `tunnel`.
    package func dialThrough(_ dial: DialID, _ tunnel: TunnelID, expecting peer: NodeID) {
        loop.execute { [hub] in hub.value.dialThrough(dial, tunnel, expecting: peer) }
    }

    /// TLS as the server, for `peer` at the other end of `tunnel`.
    package func acceptThrough(_ tunnel: TunnelID, expecting peer: NodeID) {
        loop.execute { [hub] in hub.value.acceptThrough(tunnel, expecting: peer) }
    }

    /// Bytes of a tunnel's stream, for TLS; `tunnelTook` follows when it has them.
    package func tunnelBytes(_ tunnel: TunnelID, _ bytes: [UInt8]) {
        loop.execute { [hub] in hub.value.feedTunnel(tunnel, bytes) }
    }

    /// The tunnel has room for one `tunnelPiece`.
    package func tunnelReady(_ tunnel: TunnelID) {
        loop.execute { [hub] in hub.value.makeTunnelReady(tunnel) }
    }

    /// The tunnel is gone: its carrier closes, its dial fails.
    package func closeTunnel(_ tunnel: TunnelID) {
        loop.execute { [hub] in hub.value.closeTunnel(tunnel) }
    }

    package func send(_ frame: [UInt8], on carrier: CarrierID) {
        loop.execute { [hub] in hub.value.send(frame, on: carrier) }
    }

    /// Sends ahead of other frames; what has waited for 200 ms is dropped and counted.
    package func sendVoice(_ frame: [UInt8], on carrier: CarrierID) {
        loop.execute { [hub] in hub.value.sendVoice(frame, on: carrier) }
    }

    /// Closes after what was sent before has gone out, within `CarrierLimits.closeTimeout`.
    package func close(_ carrier: CarrierID) {
        loop.execute { [hub] in hub.value.close(carrier) }
    }

    /// HELLO was accepted: lifts the time limit and the small frame limit.
    package func trust(_ carrier: CarrierID) {
        loop.execute { [hub] in hub.value.trust(carrier) }
    }

    package func counters() async -> Counters<CarrierCounter> {
        let counters = try? await loop.submit { [hub] in hub.value.counters }.get()
        return counters ?? Counters()
    }

    /// Closes everything, flushing first, and ends the thread; nothing may be called afterwards.
    package func shutdown() async {
        try? await loop.flatSubmit { [hub] in hub.value.shutDown() }.get()
        try? await group.shutdownGracefully()
    }
}

/// A network on which neighbours are reached without a router.
package struct CarrierLink: Hashable, Sendable {
    package var address: IPAddress
    /// Bits, counted within the address's own family.
    package var prefixLength: Int

    package init(address: IPAddress, prefixLength: Int) {
        self.address = address
        self.prefixLength = prefixLength
    }
}
