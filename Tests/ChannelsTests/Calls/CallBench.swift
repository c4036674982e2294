import Channels
import Primitives
import Wire

/// Three nodes that call each other on virtual time, each linked to each. A frame takes a millisecond.
final class CallBench {
    static let main = ChannelID(high: 1, low: 1)
    static let side = ChannelID(high: 1, low: 2)

    private(set) var nodes: [Calls] = []
    private(set) var events: [[CallEvent]]
    private(set) var now = Instant.zero + .seconds(5)
    /// Frames for which this returns true are lost.
    var drops: (CallMessage) -> Bool = { _ in false }
    /// All frames that were sent, lost ones too.
    private(set) var sent: [(from: Int, to: Int, message: CallMessage)] = []
    private var queue: [(at: Instant, from: Int, to: Int, message: CallMessage)] = []

    /// - Parameters:
    ///   - grants: what the peers may ask of node 1.
    ///   - listened: the channels of each node.
    init(
        grants: CallGrants = CallGrants(), listened: [[ChannelID]] = [[main], [main, side], [main]]
    ) {
        events = Array(repeating: [], count: listened.count)
        for index in listened.indices {
            nodes.append(
                Calls(
                    of: Self.id(index), grants: index == 1 ? grants : CallGrants(), listened: listened[index],
                    seed: UInt64(index + 1)))
        }
        for index in listened.indices {
            for other in listened.indices where other != index { link(index, other, listened[other]) }
        }
    }

    static func id(_ index: Int) -> NodeID { NodeID(words: (UInt64(index + 1), 0, 0, 0)) }

    /// The slot of a node at each other one.
    static func slot(_ index: Int) -> PeerSlot { PeerSlot(index: index) }

    private func link(_ index: Int, _ other: Int, _ channels: [ChannelID]) {
        input(index, .peerUp(Self.slot(other), Self.id(other)))
        input(index, .peerListens(Self.slot(other), channels))
    }

    func input(_ index: Int, _ input: CallInput) {
        nodes[index].handle(input, now: now)
        takeOutputs(of: index)
    }

    /// A frame as a stranger might send it.
    func inject(_ message: CallMessage, from: Int, to: Int) { input(to, .message(message, from: Self.slot(from))) }

    @discardableResult
    func perform(_ index: Int, _ command: CallCommand) throws(CallRefusal) -> CallID? {
        defer { takeOutputs(of: index) }
        return try nodes[index].perform(command, now: now)
    }

    private func takeOutputs(of index: Int) {
        while let output = nodes[index].nextOutput() {
            switch output {
            case .send(let message, let slot):
                sent.append((index, slot.index, message))
                if !drops(message) { queue.append((now + .milliseconds(1), index, slot.index, message)) }
            case .event(let event): events[index].append(event)
            }
        }
    }

    /// Lets time pass, with all deadlines and arrivals in it.
    func drive(for length: Interval) {
        let end = now + length
        while true {
            let arrival = queue.map(\.at).min() ?? .distantFuture
            let deadline = nodes.map(\.nextDeadline).min() ?? .distantFuture
            let next = min(arrival, deadline)
            guard next <= end else { break }
            now = max(now, next)
            if arrival <= now, let index = queue.firstIndex(where: { $0.at <= now }) {
                let frame = queue.remove(at: index)
                inject(frame.message, from: frame.from, to: frame.to)
                continue
            }
            for index in nodes.indices where nodes[index].nextDeadline <= now { input(index, .deadline) }
        }
        now = end
    }

    /// The calls that a node has shown.
    func shown(at index: Int) -> [IncomingCall] {
        events[index].compactMap { if case .called(let call) = $0, call.state == .shown { call } else { nil } }
    }

    /// What the receivers of the newest call of a node have answered.
    func answers(at index: Int) -> [CallAnswer?] { nodes[index].outgoing.last?.receivers.map(\.answer) ?? [] }
}
