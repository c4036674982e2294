import Discovery
import NIOCore

/// The door of the node loop for adapters that are made before the node is: what comes before
/// `open` is dropped, as if it had come before the start.
final class NodeInbox: @unchecked Sendable {
    private let loop: any EventLoop
    /// Touched on `loop` alone.
    private var node: NodeLoop?
    /// Kept alive with the node.
    var watcher: InterfaceWatcher?

    init(loop: any EventLoop) { self.loop = loop }

    func open(_ node: NodeLoop) {
        loop.preconditionInEventLoop()
        self.node = node
    }

    /// On the loop: at once; from elsewhere: in order, soon.
    func deliver(_ body: @escaping @Sendable (NodeLoop) -> Void) {
        guard loop.inEventLoop else {
            loop.execute { self.deliver(body) }
            return
        }
        if let node, !node.isLeaving { body(node) }
    }
}
