import Discovery
import NIOCore

/// The door of the node loop for adapters that are made before the node is.
///
/// The port listens before the node is whole, and the other side of a connection made meanwhile
/// waits for HELLO: what happened before `open` is kept and told then. Datagrams are not: nobody
/// can have a session with a node that has not begun.
///
///     early ──open──▶ open
final class NodeInbox: @unchecked Sendable {
    private enum State {
        case early([@Sendable (NodeLoop) -> Void])
        case open(NodeLoop)
    }

    private let loop: any EventLoop
    /// Touched on `loop` alone.
    private var state = State.early([])
    /// Kept alive with the node.
    var watcher: InterfaceWatcher?

    init(loop: any EventLoop) { self.loop = loop }

    /// Tells the node, which has started, what came before.
    func open(_ node: NodeLoop) {
        loop.preconditionInEventLoop()
        guard case .early(let deliveries) = state else { return }
        state = .open(node)
        for body in deliveries { body(node) }
    }

    /// On the loop: at once; from elsewhere: in order, soon. Before `open`: kept.
    func deliver(_ body: @escaping @Sendable (NodeLoop) -> Void) {
        pass(body, isKept: true)
    }

    /// As `deliver`, but nothing is kept: for what is stale a moment later.
    func deliverIfOpen(_ body: @escaping @Sendable (NodeLoop) -> Void) {
        pass(body, isKept: false)
    }

    private func pass(_ body: @escaping @Sendable (NodeLoop) -> Void, isKept: Bool) {
        guard loop.inEventLoop else {
            loop.execute { self.pass(body, isKept: isKept) }
            return
        }
        switch state {
        case .early(let deliveries):
            // Strangers cannot make it grow: a connection before HELLO has one event, one small frame, one end.
            guard isKept, deliveries.count < NodeInbox.earlyDeliveriesMax else { return }
            state = .early(deliveries + [body])
        case .open(let node):
            if !node.isLeaving { body(node) }
        }
    }

    private static let earlyDeliveriesMax = 1_024
}
