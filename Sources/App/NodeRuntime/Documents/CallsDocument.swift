import Channels
import Node
import Primitives
import SystemClock
import Voice
import Wire

/// The calls of a node: `partyline calls --json`.
package struct CallsDocument: Codable, Hashable, Sendable {
    /// Always `partyline.calls/1`.
    package var schema = "partyline.calls/1"
    /// Whether calls that are not urgent are declined, without a sign to people.
    package var doNotDisturb: Bool
    /// The id of the call that the request has made. Absent after other requests.
    package var made: String?
    /// The id of the call that the request has answered. Absent after other requests.
    package var answered: String?
    /// The name of the node that called last. Absent until one has called.
    package var lastCaller: String?
    /// Calls of peers whose time is not over, in the order of their arrival.
    package var incoming: [Incoming]
    /// Calls of this node whose time is not over, the oldest first.
    package var outgoing: [Outgoing]

    /// A call of a peer.
    package struct Incoming: Codable, Hashable, Sendable {
        /// 16 hexadecimal digits.
        package var id: String
        /// The short id of the caller.
        package var peer: String
        /// The name of the caller.
        package var name: String
        /// `peer` for a call to this node alone, `channel` or `all`.
        package var target: String
        /// The name of the channel that is called. Absent for other targets.
        package var channel: String?
        /// What the caller has written. Absent if nothing.
        package var text: String?
        /// Whether the call is urgent.
        package var urgent: Bool
        /// `shown` until it is answered; then `accepted`, `declined`, `withdrawn` or `expired`. `quiet`: it came under
        /// do-not-disturb.
        package var state: String
        /// Seconds since it came.
        package var ageS: Double
        /// Seconds until its time is over; 0 once it has ended.
        package var leftS: Double
    }

    /// A call of this node.
    package struct Outgoing: Codable, Hashable, Sendable {
        /// 16 hexadecimal digits.
        package var id: String
        /// `peer`, `channel` or `all`.
        package var target: String
        /// The name of the channel that is called. Absent for other targets.
        package var channel: String?
        /// What this node has written. Absent if nothing.
        package var text: String?
        /// Whether the call is urgent.
        package var urgent: Bool
        /// `open` while somebody may still answer, then `answered` or `withdrawn`.
        package var state: String
        /// Seconds since it was made.
        package var ageS: Double
        /// Seconds until its time is over.
        package var leftS: Double
        /// The nodes for which the call is.
        package var receivers: [Receiver]
    }

    /// A node for which a call is.
    package struct Receiver: Codable, Hashable, Sendable {
        /// The short id of the node.
        package var peer: String
        /// The name of the node.
        package var name: String
        /// `sent` until the node has answered; then `shown`, `accepted` or `declined`.
        package var answer: String
    }
}

extension CallsDocument {
    /// Call it on the node loop.
    init(of node: NodeLoop, made: CallID? = nil, answered: CallID? = nil) {
        let now = Instant.monotonicNow()
        let calls = node.core.calls
        doNotDisturb = calls.isQuiet
        self.made = made?.text
        self.answered = answered?.text
        lastCaller = node.core.voice.caller.map(node.peerDirectory.name(of:))
        incoming = calls.incoming.filter { now < $0.expiresAt }.map { Incoming($0, at: node, now: now) }
        outgoing = calls.outgoing.filter { now < $0.expiresAt }.map { Outgoing($0, at: node, now: now) }
    }

    /// The calls that wait for an answer of the person here. Call it on the node loop.
    static func waiting(at node: NodeLoop) -> [Incoming] {
        let now = Instant.monotonicNow()
        return node.core.calls.incoming.filter { $0.isOpen && now < $0.expiresAt }
            .map { Incoming($0, at: node, now: now) }
    }
}

extension CallsDocument.Incoming {
    fileprivate init(_ call: IncomingCall, at node: NodeLoop, now: Instant) {
        id = call.key.id.text
        peer = call.key.caller.short
        name = node.peerDirectory.name(of: call.key.caller)
        target = call.target.word
        if case .channel(let called) = call.target { channel = node.channelName(of: called) }
        text = call.text.isEmpty ? nil : call.text.string
        urgent = call.isUrgent
        state = "\(call.state)"
        ageS = (now - call.arrivedAt).seconds
        leftS = call.isOpen ? max(0, (call.expiresAt - now).seconds) : 0
    }
}

extension CallsDocument.Outgoing {
    fileprivate init(_ call: OutgoingCall, at node: NodeLoop, now: Instant) {
        id = call.id.text
        switch call.order.target {
        case .peer: target = CallTarget.receiver.word
        case .channel(let called): (target, channel) = ("channel", node.channelName(of: called))
        case .all: target = CallTarget.all.word
        }
        text = call.order.text.isEmpty ? nil : call.order.text.string
        urgent = call.order.isUrgent
        state = call.isWithdrawn ? "withdrawn" : call.isOpen ? "open" : "answered"
        ageS = (now - call.madeAt).seconds
        leftS = max(0, (call.expiresAt - now).seconds)
        receivers = call.receivers.map {
            CallsDocument.Receiver(
                peer: $0.node.short, name: node.peerDirectory.name(of: $0.node), answer: $0.answer?.word ?? "sent")
        }
    }
}
