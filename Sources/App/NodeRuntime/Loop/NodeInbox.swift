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
/// session with a node that has not begun.
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
        pass(body, isKept: true)
    }

    /// As `deliver`, but drops the delivery before `open`. For events that are stale a moment later.
    package func deliverIfOpen(_ body: @escaping @Sendable (Owner) -> Void) {
        pass(body, isKept: false)
    }

    private func pass(_ body: @escaping @Sendable (Owner) -> Void, isKept: Bool) {
        guard loop.inEventLoop else {
            loop.execute { self.pass(body, isKept: isKept) }
            return
        }
        switch state {
        case .early(let deliveries):
            // A stranger can add little: a connection before HELLO has one opening, one small frame and one end.
            guard isKept, deliveries.count < NodeInboxLimits.earlyDeliveriesMax else { return }
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
}
