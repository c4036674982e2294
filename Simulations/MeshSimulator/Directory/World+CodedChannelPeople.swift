import Mesh
package import Primitives

/// People who take part in channels with a code, and the judgement of what nodes know of each other there.
extension World {
    /// Lets people join and part channels with a code from now until `end`.
    package func joinCodedChannels(until end: Instant) {
        if codedChannelPeople == nil { codedChannelPeople = CodedChannelPeople(random: streams.codedChannels) }
        codedChannelPeople?.end = end
        schedule(.joinByCode, of: codedChannelPeople)
    }

    /// One person acts.
    func actOnCodedChannels() {
        guard let codedChannelPeople else { return }
        if let act = codedChannelPeople.drawAct(
            nodes: nodes.indices.filter { $0 != options.duplicateOf && isActing($0) })
        {
            perform(act)
        }
        schedule(.joinByCode, of: codedChannelPeople)
    }

    private func perform(_ act: CodedChannelPeople.Act) {
        hash.add(node: act.node, kind: .command, at: now, digest: act.digest)
        let what = act.code.map { "joins by code \($0)" } ?? "parts"
        transcript?.recordDetail("\(nodes[act.node].name): \(what) \(act.channel)", at: now)
        if let code = act.code {
            join(act.channel, code: code, of: act.node)
        } else {
            partCoded(act.channel, of: act.node)
        }
    }

    /// Whether the second key of each talker speaks on a channel with a code: in every other seed with such channels.
    var areCodedChannelsSpokenOn: Bool { codedChannelPeople != nil && options.seed % 2 == 1 }

    /// An observer whose status is wrong about a peer on a channel with a code. Both have the code and the peer listens
    /// there, but the status does not show it; or one of these conditions is false, but the status shows the peer
    /// there.
    package struct CodeGap {
        package let observer: Int
        package let peer: Int
        /// Whether both have the code.
        package let isShared: Bool

        package func violation(in world: World) -> Violation {
            Violation(
                kind: isShared ? .liveness : .safety, checker: "CodesAreProved",
                text: "\(world.name(observer)) \(isShared ? "lacks" : "knows") \(world.name(peer)) on a channel "
                    + "whose code \(isShared ? "both have" : "one of them lacks")", at: world.now)
        }
    }

    /// Returns the first observer and peer among these nodes where the observer's status is wrong about the peer on a
    /// channel with a code (`CodeGap`); nil if there are none. Pairs between which no connection passes are left out.
    package func firstCodeGap(among core: [Int]) -> CodeGap? {
        guard codedChannelPeople != nil else { return nil }
        for observer in core {
            guard let peers = status(of: observer)?.peers else { continue }
            for peer in core where peer != observer && UnreachabilityProof.carries(observer, peer, in: self) {
                let seen = peers.first { $0.node == network.hosts[peer].node }?.channels ?? []
                for channel in CodedChannelPeople.channels {
                    let isShared = listened(by: peer).contains(channel) && shareCode(channel, observer, peer)
                    guard isShared != seen.contains(channel) else { continue }
                    return CodeGap(observer: observer, peer: peer, isShared: isShared)
                }
            }
        }
        return nil
    }
}

/// The people of a run who take part in channels with a code: they join by the right code or a wrong one, and part.
/// Their acts are drawn from a stream of their own.
package final class CodedChannelPeople: ActingPeople {
    struct Act {
        var node: Int
        var channel: ChannelID
        /// The code by which the node joins; nil if it parts.
        var code: UInt8?
        var digest: UInt64
    }

    package static let channels = [SpeechRule.codedChannel(101), SpeechRule.codedChannel(102)]
    private static let every = Interval.seconds(2)
    private var random: SeededRandom
    /// After this instant nobody acts.
    var end = Instant.zero

    init(random: SeededRandom) { self.random = random }

    func drawWait() -> Interval { Exponential.interval(mean: Self.every, using: &random) }

    /// - Parameter nodes: the nodes that run.
    func drawAct(nodes: [Int]) -> Act? {
        let (kind, digest) = (random.below(10), random.next())
        let channel = Self.channels[Int(random.below(UInt64(Self.channels.count)))]
        guard !nodes.isEmpty else { return nil }
        let code: UInt8? =
            switch kind {
            case 0..<6: 1
            case 6..<8: 2
            default: nil
            }
        return Act(node: nodes[Int(digest % UInt64(nodes.count))], channel: channel, code: code, digest: digest)
    }
}
