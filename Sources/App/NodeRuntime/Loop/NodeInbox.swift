import Discovery
package import NIOCore

/// The owner that a `NodeInbox` delivers to.
package protocol NodeInboxOwner: AnyObject, SendableMetatype {
    /// Whether the owner is leaving. The inbox then delivers nothing more.
    var isLeaving: Bool { get }
}

/// Delivers the events of adapters to the node loop. It exists before the node does, since the adapters are made first.
///
/// The port listens before the node is complete, and a peer that connects meanwhile waits for HELLO. So events before
/// `open` are kept, and delivered when `open` is called. Datagrams before `open` are dropped, since no peer can have a
/// session with a node that has not begun; beacons too, since they are repeated.
///
///     early ──open──▶ open ──close──▶ closed
package final class NodeInbox<Owner: NodeInboxOwner>: @unchecked Sendable {
    private enum State {
        case early([@Sendable (Owner) -> Void])
        case open(Owner)
        case closed
    }

    private let loop: any EventLoop
    /// Used on `loop` only.
    private var state = State.early([])
    /// Kept here so that it lives until `close`.
    var watcher: InterfaceWatcher?

    package init(loop: any EventLoop) { self.loop = loop }

    /// Delivers the events that were kept. Call it when the node has started.
    package func open(_ owner: Owner) {
        loop.preconditionInEventLoop()
        guard case .early(let deliveries) = state else { return }
        state = .open(owner)
        for body in deliveries where !owner.isLeaving { body(owner) }
    }

    /// Delivers nothing more, and releases the node. Call it when the node has ended.
    package func close() {
        loop.preconditionInEventLoop()
        watcher?.close()
        watcher = nil
        state = .closed
    }

    /// Delivers at once if called on the loop. From another thread it delivers a little later and in order. Before
    /// `open` it keeps the delivery.
    package func deliver(_ body: @escaping @Sendable (Owner) -> Void) {
        pass(body, keptMax: NodeInboxLimits.earlyDeliveriesMax)
    }

    /// As `deliver`, but before `open` it leaves half of the places free. For services of Avahi: each is told once, so
    /// it is kept, and strangers can invent any number of them, so they must not displace connections.
    package func deliverHint(_ body: @escaping @Sendable (Owner) -> Void) {
        pass(body, keptMax: NodeInboxLimits.earlyHintsMax)
    }

    /// As `deliver`, but drops the delivery before `open`. For events that are stale a moment later.
    package func deliverIfOpen(_ body: @escaping @Sendable (Owner) -> Void) {
        pass(body, keptMax: 0)
    }

    private func pass(_ body: @escaping @Sendable (Owner) -> Void, keptMax: Int) {
        guard loop.inEventLoop else {
            loop.execute { self.pass(body, keptMax: keptMax) }
            return
        }
        switch state {
        case .early(let deliveries):
            // A connection before HELLO adds little: it has one opening, one small frame and one end.
            guard deliveries.count < keptMax else { return }
            state = .early(deliveries + [body])
        case .open(let owner):
            if !owner.isLeaving { body(owner) }
        case .closed:
            return
        }
    }
}

/// Bounds of the deliveries that wait for the node's start.
package enum NodeInboxLimits {
    /// Deliveries that are kept before the node has started. Further ones are dropped.
    package static let earlyDeliveriesMax = 1_024
    /// The number of kept deliveries from which on further hints are dropped.
    package static let earlyHintsMax = earlyDeliveriesMax / 2
}
