import Channels
import Primitives
import Trust
import Wire

/// Nodes that prove codes of channels to each other on virtual time, each linked to each. A frame takes a millisecond,
/// and slow work none.
final class CodeBench {
    static let lights = ChannelID(high: 7, low: 1, hasCode: true)

    private let sealings: [TransparentSealing]
    private(set) var nodes: [ChannelCodes] = []
    private(set) var events: [[ChannelCodeEvent]]
    /// By node and slot: the tags that the mesh was told last.
    private(set) var tags: [[Int: [ChannelTags]]]
    /// All frames that were sent, lost ones too.
    private(set) var sent: [(from: Int, to: Int, join: ChannelJoin)] = []
    /// Frames for which this returns true are lost.
    var drops: (ChannelJoin) -> Bool = { _ in false }
    /// All slow work that a node has asked for.
    private(set) var works: [(of: Int, work: CodeTask)] = []
    /// Whether slow work that is asked for from now on is never done.
    var leavesWork = false
    private(set) var now = Instant.zero + .seconds(5)
    private var session: UInt8 = 0
    private var queue: [(at: Instant, from: Int, to: Int, join: ChannelJoin)] = []

    init(count: Int = 2) {
        sealings = (0..<count).map { TransparentSealing(seed: UInt64($0 + 1)) }
        nodes = sealings.map { ChannelCodes(sealing: $0) }
        events = Array(repeating: [], count: count)
        tags = Array(repeating: [:], count: count)
    }

    func id(_ index: Int) -> NodeID { sealings[index].nodeID }

    /// The node with the greater id of the first two, and the other one.
    var greater: Int { id(0) < id(1) ? 1 : 0 }
    var lesser: Int { 1 - greater }

    /// The slot of a node at each other one.
    static func slot(_ index: Int) -> PeerSlot { PeerSlot(index: index) }

    static func coded(_ code: UInt8, _ channel: ChannelID = lights) -> CodedChannel {
        CodedChannel(channel, codeKey: [UInt8](repeating: code, count: CodeSizes.codeKeyBytes))
    }

    /// Begins a session of each pair, or uses it again. The mesh hands on no frame of the session before.
    func link(session: UInt8 = 1) {
        if session != self.session { queue = [] }
        self.session = session
        for index in nodes.indices {
            for other in nodes.indices where other != index {
                let nonces = [UInt8](repeating: session, count: 64)
                input(index, .sessionBegan(Self.slot(other), id(other), nonces: nonces))
            }
        }
    }

    func hold(_ code: UInt8, at index: Int) { input(index, .hold(Self.coded(code), isNews: true)) }

    func input(_ index: Int, _ input: ChannelCodeInput) {
        nodes[index].handle(input, now: now)
        while let output = nodes[index].nextOutput() { perform(output, of: index) }
    }

    private func perform(_ output: ChannelCodeOutput, of index: Int) {
        switch output {
        case .send(let join, let slot):
            sent.append((index, slot.index, join))
            if !drops(join) { queue.append((now + .milliseconds(1), index, slot.index, join)) }
        case .tags(let new, let slot): tags[index][slot.index] = new
        case .note(.event(let event)): events[index].append(event)
        case .note(.work(let task, let work)):
            works.append((index, work))
            if !leavesWork { input(index, .worked(task, work.result(with: TransparentCode()))) }
        }
    }

    /// A frame as a stranger might send it.
    func inject(_ join: ChannelJoin, from: Int, to: Int) { input(to, .join(join, from: Self.slot(from))) }

    func run(for length: Interval) {
        let end = now + length
        while true {
            let due = nodes.map(\.nextDeadline).min() ?? .distantFuture
            let next = min(due, queue.map(\.at).min() ?? .distantFuture)
            guard next <= end else { break }
            now = max(now, next)
            if let index = queue.firstIndex(where: { $0.at <= now }) {
                let (_, from, to, join) = queue.remove(at: index)
                input(to, .join(join, from: Self.slot(from)))
            } else if let index = nodes.firstIndex(where: { $0.nextDeadline <= now }) {
                input(index, .deadline)
            }
        }
        now = end
    }

    /// The runs that a node has begun with another one.
    func starts(of index: Int, to other: Int) -> Int {
        sent.filter { if case .start = $0.join.step { $0.from == index && $0.to == other } else { false } }.count
    }

    /// The tag by which a node names the channel to another one; nil if it names it not.
    func tag(at index: Int, for other: Int) -> ChannelTags? {
        tags[index][other]?.first { $0.channel == Self.lights }
    }
}
