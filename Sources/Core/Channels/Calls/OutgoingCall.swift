package import Primitives
package import Wire

/// A call of this node, with what each of its receivers has answered. It is kept until its time is over. A call that
/// nobody can answer any more may go sooner, to make room for another.
package struct OutgoingCall: Hashable, Sendable {
    /// A node for which the call is.
    package struct Receiver: Hashable, Sendable {
        package let node: NodeID
        /// Nil until the node has answered.
        package fileprivate(set) var answer: CallAnswer?

        init(_ node: NodeID) { self.node = node }

        /// Whether the node has accepted or declined the call.
        package var isFinal: Bool { answer == .accepted || answer == .declined }
    }

    package let id: CallID
    package let order: CallOrder
    package let madeAt: Instant
    package let expiresAt: Instant
    /// In the order of their slots when the call was made.
    package private(set) var receivers: [Receiver]
    package private(set) var isWithdrawn = false
    /// When the call is sent again to the receivers that have neither accepted nor declined it.
    private(set) var resendAt: Instant
    private var resendInterval = CallLimits.resendInterval

    init(_ id: CallID, _ order: CallOrder, to nodes: [NodeID], now: Instant) {
        self.id = id
        self.order = order
        madeAt = now
        expiresAt = now + .milliseconds(Int64(order.expiresMilliseconds))
        receivers = nodes.map { Receiver($0) }
        resendAt = now + CallLimits.resendInterval
    }

    /// Whether somebody may still answer.
    package var isOpen: Bool { !isWithdrawn && receivers.contains { !$0.isFinal } }

    /// The nodes that have neither accepted nor declined the call; nobody once it is withdrawn.
    package var waiting: [NodeID] { isWithdrawn ? [] : receivers.filter { !$0.isFinal }.map(\.node) }

    /// The frame for a receiver. A later copy has less time left.
    func frame(now: Instant) -> CallFrame {
        let left = UInt32(clamping: (expiresAt - now).milliseconds)
        let target: CallTarget =
            switch order.target {
            case .peer: .receiver
            case .channel(let channel): .channel(channel)
            case .all: .all
            }
        return CallFrame(
            id: id, target: target, text: order.text,
            expiresMilliseconds: max(CallLimits.milliseconds.lowerBound, left), isUrgent: order.isUrgent)
    }

    /// Takes an answer. Returns whether it is news: a node's first `shown` is, and its first final answer; no answer
    /// after that is.
    mutating func take(_ answer: CallAnswer, of node: NodeID) -> Bool {
        guard !isWithdrawn, let index = receivers.firstIndex(where: { $0.node == node }), !receivers[index].isFinal,
            receivers[index].answer != answer
        else { return false }
        receivers[index].answer = answer
        return true
    }

    func isFor(_ node: NodeID) -> Bool { receivers.contains { $0.node == node } }

    mutating func withdraw() { isWithdrawn = true }

    /// Notes that the call was sent again.
    mutating func resent(now: Instant) {
        resendInterval = resendInterval * 2
        resendAt = now + resendInterval
    }

    /// The next instant at which something happens to it.
    var dueAt: Instant { isOpen ? min(resendAt, expiresAt) : expiresAt }
}
