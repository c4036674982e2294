import Discovery
package import NIOCore

/// Who stands behind a `NodeInbox`.
package protocol NodeInboxOwner: AnyObject, SendableMetatype {
    /// Nothing more is to be told.
    var isLeaving: Bool { get }
}

/// The door of the node loop for adapters that are made before the node is.
///
/// The port listens before the node is whole, and the other side of a connection made meanwhile
/// waits for HELLO: what happened before `open` is kept and told then. Datagrams are not: nobody
/// can have a session with a node that has not begun.
///
///     early ──open──▶ open ──close──▶ closed
package final class NodeInbox<Owner: NodeInboxOwner>: @unchecked Sendable {
    private enum State {
        case early([@Sendable (Owner) -> Void])
        case open(Owner)
        case closed
    }

    private let loop: any EventLoop
    /// Touched on `loop` alone.
    private var state = State.early([])
    /// Kept alive with the node.
    var watcher: InterfaceWatcher?

    package init(loop: any EventLoop) { self.loop = loop }

    /// Tells the node, which has started, what came before.
    package func open(_ owner: Owner) {
        loop.preconditionInEventLoop()
        guard case .early(let deliveries) = state else { return }
        state = .open(owner)
        for body in deliveries where !owner.isLeaving { body(owner) }
    }

    /// The node has ended: nothing more is told, and the adapters no longer hold it.
    package func close() {
        loop.preconditionInEventLoop()
        watcher?.close()
        watcher = nil
        state = .closed
    }

    /// On the loop: at once; from elsewhere: in order, soon. Before `open`: kept.
    package func deliver(_ body: @escaping @Sendable (Owner) -> Void) {
        pass(body, isKept: true)
    }

    /// As `deliver`, but nothing is kept: for what is stale a moment later.
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
            // Strangers cannot make it grow: a connection before HELLO has one event, one small frame, one end.
            guard isKept, deliveries.count < NodeInboxLimits.earlyDeliveriesMax else { return }
            state = .early(deliveries + [body])
        case .open(let owner):
            if !owner.isLeaving { body(owner) }
        case .closed:
            return
        }
    }
}

/// Bounds of what waits for the start.
package enum NodeInboxLimits {
    /// Deliveries kept before the node has started; what comes beyond is dropped.
    package static let earlyDeliveriesMax = 1_024
}
