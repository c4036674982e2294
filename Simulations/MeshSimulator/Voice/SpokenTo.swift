import Channels
package import Primitives
import Voice

/// To whom a simulated talker speaks by those of its keys that are down. The first key speaks on its own channel, the
/// second on the next channel or on one with a code. The third speaks privately to the node with the next number, the
/// fourth to all.
package struct SpokenTo: Hashable, Sendable {
    package var channels: [ChannelID] = []
    /// Nodes that are spoken to privately.
    package var listeners: [Int] = []
    package var isToAll = false
    /// Nodes that have the codes of those channels that have one.
    package var knowing: [Int] = []

    package init(
        channels: [ChannelID] = [], listeners: [Int] = [], isToAll: Bool = false, knowing: [Int] = []
    ) {
        self.channels = channels
        self.listeners = listeners
        self.isToAll = isToAll
        self.knowing = knowing
    }

    /// - Parameters:
    ///   - own: the number of the talker's channel.
    ///   - keys: the keys to whose targets the talker speaks.
    init(_ keys: KeySet, of talker: Int, own: Int, in world: World) {
        if keys.contains(.key(0)) { channels.append(SpeechRule.channel(own)) }
        if keys.contains(.key(1)) { channels.append(Self.second(own, in: world)) }
        if keys.contains(.key(2)) { listeners.append((talker + 1) % world.nodeCount) }
        isToAll = keys.contains(.key(3))
    }

    /// Whether a node may know that the talker talks. Talk on a channel without a code is shown to everybody.
    func isShown(to observer: Int) -> Bool {
        isToAll || channels.contains { !$0.hasCode } || listeners.contains(observer) || knowing.contains(observer)
    }

    /// The keys of a node that starts.
    static func keys(of node: Int, own: Int, count: Int, in world: World) -> TalkKeys {
        let next = world.network.hosts[(node + 1) % world.nodeCount].node
        let others: [KeyTargets?] = [
            KeyTargets(channels: [second(own, in: world)]), KeyTargets(peers: [next]), KeyTargets(isToAll: true),
        ]
        return TalkKeys([nil] + others.prefix(count - 1))
    }

    private static func second(_ own: Int, in world: World) -> ChannelID {
        if world.areCodedChannelsSpokenOn { return CodedChannelPeople.channels[0] }
        return SpeechRule.channel((own + 1) % max(2, world.speech?.channelCount ?? 2))
    }
}

/// The keys of a talker beside the first: each is down for a while now and then.
struct OtherKeys {
    private var random: SeededRandom
    private var turnsAt: [Instant]
    private(set) var down: KeySet = []
    private static let downFor = Interval.milliseconds(600)
    private static let upFor = Interval.milliseconds(1_500)

    init(count: Int, random: SeededRandom, now: Instant) {
        self.random = random
        turnsAt = []
        for _ in 0..<count { turnsAt.append(now + Exponential.interval(mean: Self.upFor, using: &self.random)) }
    }

    mutating func advance(now: Instant) {
        for index in turnsAt.indices where turnsAt[index] <= now {
            let key = KeySet.key(index + 1)
            down.formSymmetricDifference(key)
            let mean = down.contains(key) ? Self.downFor : Self.upFor
            turnsAt[index] = now + Exponential.interval(mean: mean, using: &random)
        }
    }
}
