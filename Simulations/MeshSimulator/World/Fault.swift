package import Primitives

/// One thing that goes wrong or is repaired.
package enum Fault: Hashable, Codable, Sendable {
    case start(Int)
    /// The process is killed; its kernel resets its connections.
    case kill(Int)
    /// The machine disappears: it sends no reset and no answer.
    case vanish(Int)
    /// The node leaves: it tells its peers so, and then its process ends.
    case leave(Int)
    /// The instance counter on disk falls by this number, as when a backup is restored. The next start reads the
    /// lower number.
    case rollBack(Int, by: UInt64)
    /// The process is paused by a stop signal or by heavy load. Its kernel still answers.
    case pause(Int, for: Interval)
    /// The machine sleeps, and its monotonic clock stops meanwhile.
    case suspend(Int, for: Interval)
    /// Blocks one direction between two hosts.
    case cut(from: Int, to: Int)
    case mend(from: Int, to: Int)
    /// Separates the nodes whose bit is set from all other nodes. The bit of node n is bit n modulo 64.
    case partition(UInt64)
    case mendAll
    /// The host loses its network and knows it.
    case offline(Int)
    case online(Int)
    case changeAddress(Int)
    case setRule(from: Int, to: Int, LinkRule)
    case setAllRules(LinkRule)
    /// Datagrams between two hosts are dropped, connections pass.
    case blockDatagrams(Int, Int)
    /// Whether `listener` can learn of `subject` by beacon or directory.
    case setHearing(Bool, listener: Int, subject: Int)
    /// The last beacon and datagram of the earlier life of `of` arrive at `to` again.
    case replayEarlierLife(of: Int, to: Int)
    /// `to` gets a hint with an address that `of` does not have.
    case staleHint(of: Int, to: Int)
    /// Every connection between two hosts is reset, and datagrams pass, as when a router has lost its table.
    case resetCarriers(Int, Int)
    /// A firewall between two hosts drops connections and lets datagrams pass.
    case blockStreams(Int, Int)
    /// A stranger overhears the next datagram from `of` to `to`. The stranger's copy arrives first, from the
    /// stranger's address.
    case hijack(of: Int, to: Int)
    /// The last datagram, the last INVITE and the last ACCEPT from `of` to `to` arrive again.
    case replay(of: Int, to: Int)
    /// The next voice packet from `of` to `to` arrives only after this interval.
    case withhold(of: Int, to: Int, for: Interval)
    /// The state folder of one host is copied to another. Only the instance counter changes, because the other host
    /// has the same identity from the start (`WorldOptions.duplicateOf`).
    case copyState(of: Int, to: Int)
    /// The processor is too slow. Again and again the process first reads nothing for `by`. Then, for `reading`, it
    /// reads all that waited and all that comes. Its timers run on time. A `by` of zero ends the fault.
    case slow(Int, by: Interval, reading: Interval)
    /// The clock is fast by this many parts per million. A negative number makes it slow.
    case drift(Int, partsPerMillion: Int64)
    /// The clock jumps ahead, and the process is not informed.
    case stepClock(Int, by: Interval)
    /// The directory (mDNS) reports a node to all other nodes again.
    case tellAgain(Int)
}

extension Fault {
    /// Returns the fault as written in reports, with node names.
    package func text(_ name: (Int) -> String) -> String {
        switch self {
        case .start(let node): "start \(name(node))"
        case .kill(let node): "kill \(name(node))"
        case .vanish(let node): "vanish \(name(node))"
        case .leave(let node): "leave \(name(node))"
        case .rollBack(let node, let count): "roll-back \(name(node)) by \(count)"
        case .pause(let node, let length): "pause \(name(node)) for \(length)"
        case .suspend(let node, let length): "suspend \(name(node)) for \(length)"
        case .cut(let from, let to): "cut \(name(from)) -> \(name(to))"
        case .mend(let from, let to): "mend \(name(from)) -> \(name(to))"
        case .partition(let side):
            "partition "
                + (0..<64).filter { side >> UInt64($0) & 1 == 1 }.map(name).filter { !$0.isEmpty }
                .joined(separator: " ")
        case .mendAll: "mend all"
        case .offline(let node): "offline \(name(node))"
        case .online(let node): "online \(name(node))"
        case .changeAddress(let node): "move \(name(node))"
        case .setRule(let from, let to, _): "rule \(name(from)) -> \(name(to))"
        case .setAllRules: "rule all"
        case .blockDatagrams(let a, let b): "block-datagrams \(name(a)) \(name(b))"
        case .setHearing(let isHearing, let listener, let subject):
            "\(isHearing ? "hear" : "deafen") \(name(listener)) for \(name(subject))"
        case .replayEarlierLife(let of, let to): "replay \(name(of)) to \(name(to))"
        case .staleHint(let of, let to): "stale-hint of \(name(of)) to \(name(to))"
        case .resetCarriers(let a, let b): "reset-carriers \(name(a)) \(name(b))"
        case .blockStreams(let a, let b): "block-streams \(name(a)) \(name(b))"
        case .hijack(let of, let to): "hijack \(name(of)) -> \(name(to))"
        case .replay(let of, let to): "replay-last of \(name(of)) to \(name(to))"
        case .withhold(let of, let to, let length): "withhold \(name(of)) -> \(name(to)) for \(length)"
        case .copyState(let of, let to): "copy-state of \(name(of)) to \(name(to))"
        case .slow(let node, let length, let reading): "slow \(name(node)) by \(length), reading \(reading)"
        case .drift(let node, let partsPerMillion): "drift \(name(node)) by \(partsPerMillion) ppm"
        case .stepClock(let node, let length): "step \(name(node)) by \(length)"
        case .tellAgain(let node): "tell-again of \(name(node))"
        }
    }
}

extension Fault {
    /// The nodes that the fault names. A partition names none: the bits of its side stand for any number of nodes.
    package var nodes: [Int] {
        switch self {
        case .start(let node), .kill(let node), .vanish(let node), .leave(let node), .rollBack(let node, _),
            .pause(let node, _), .suspend(let node, _), .offline(let node), .online(let node),
            .changeAddress(let node), .slow(let node, _, _), .drift(let node, _), .stepClock(let node, _),
            .tellAgain(let node):
            [node]
        case .cut(let a, let b), .mend(let a, let b), .setRule(let a, let b, _), .blockDatagrams(let a, let b),
            .setHearing(_, let a, let b), .replayEarlierLife(let a, let b), .staleHint(let a, let b),
            .resetCarriers(let a, let b), .blockStreams(let a, let b), .hijack(let a, let b),
            .replay(let a, let b), .withhold(let a, let b, _), .copyState(let a, let b):
            [a, b]
        case .partition, .mendAll, .setAllRules: []
        }
    }
}

/// Names in files for associated values that have no label in the code.
extension Fault {
    private enum StartCodingKeys: String, CodingKey { case _0 = "node" }
    private enum KillCodingKeys: String, CodingKey { case _0 = "node" }
    private enum VanishCodingKeys: String, CodingKey { case _0 = "node" }
    private enum LeaveCodingKeys: String, CodingKey { case _0 = "node" }
    private enum OfflineCodingKeys: String, CodingKey { case _0 = "node" }
    private enum OnlineCodingKeys: String, CodingKey { case _0 = "node" }
    private enum ChangeAddressCodingKeys: String, CodingKey { case _0 = "node" }
    private enum RollBackCodingKeys: String, CodingKey {
        case _0 = "node"
        case by
    }
    private enum PauseCodingKeys: String, CodingKey {
        case _0 = "node"
        case `for`
    }
    private enum SuspendCodingKeys: String, CodingKey {
        case _0 = "node"
        case `for`
    }
    private enum PartitionCodingKeys: String, CodingKey { case _0 = "side" }
    private enum SetRuleCodingKeys: String, CodingKey {
        case from, to
        case _2 = "rule"
    }
    private enum SetAllRulesCodingKeys: String, CodingKey { case _0 = "rule" }
    private enum BlockDatagramsCodingKeys: String, CodingKey {
        case _0 = "a"
        case _1 = "b"
    }
    private enum ResetCarriersCodingKeys: String, CodingKey {
        case _0 = "a"
        case _1 = "b"
    }
    private enum BlockStreamsCodingKeys: String, CodingKey {
        case _0 = "a"
        case _1 = "b"
    }
    private enum SlowCodingKeys: String, CodingKey {
        case _0 = "node"
        case by, reading
    }
    private enum DriftCodingKeys: String, CodingKey {
        case _0 = "node"
        case partsPerMillion
    }
    private enum StepClockCodingKeys: String, CodingKey {
        case _0 = "node"
        case by
    }
    private enum TellAgainCodingKeys: String, CodingKey { case _0 = "node" }
    private enum SetHearingCodingKeys: String, CodingKey {
        case _0 = "isHearing"
        case listener, subject
    }
}

extension Fault {
    /// Whether the partition with this side separates two nodes.
    static func isSeparated(_ one: Int, from other: Int, by side: UInt64) -> Bool {
        side >> UInt64(one & 63) & 1 != side >> UInt64(other & 63) & 1
    }
}
