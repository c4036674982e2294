package import Primitives

/// Who is on which channel of a lab, with which level and in which ear.
///
/// Node n is on channel n modulo the number of channels. Two of three nodes are on the channel after it as well:
///
///     6 nodes, 3 channels    channel 0: nodes 0 3    channel 1: nodes 0 1 3 4    channel 2: nodes 1 2 4 5
///
/// With one channel everybody is on it, and hears it unchanged.
package struct ChannelSeating: Hashable, Sendable {
    /// How a node hears one of its channels.
    package struct Seat: Hashable, Sendable {
        /// 0 ..< `channels`.
        package let channel: Int
        /// 0 leaves voices as they are.
        package let levelDecibels: Double
        package let ear: Ear
    }

    package let channels: Int
    /// By node.
    private let seats: [[Seat]]

    /// - Parameters:
    ///   - nodes: 2 … `LabLimits.nodesMax`.
    ///   - channels: 1 … `LabLimits.channelsMax`.
    package init(nodes: Int, channels: Int) {
        precondition(1...LabLimits.channelsMax ~= channels, "a lab of \(channels) channels")
        self.channels = channels
        seats = (0..<nodes).map { node in
            guard 1 < channels else { return [Seat(channel: 0, levelDecibels: 0, ear: .both)] }
            let home = node % channels
            let other = node % 3 == 2 ? [] : [(home + 1) % channels]
            return ([home] + other).enumerated().map { order, channel in
                let place = node + order
                return Seat(
                    channel: channel, levelDecibels: LabLimits.levels[place % LabLimits.levels.count],
                    ear: LabLimits.ears[place % LabLimits.ears.count])
            }
        }
    }

    /// Whether the nodes have to be told their seats: with one channel they have it from the start.
    package var isDivided: Bool { 1 < channels }

    /// How a node hears each of its channels.
    package func seats(of node: Int) -> [Seat] { seats[node] }

    /// The names of the channels that a node joins at its start. They are named with one channel, too: a state folder
    /// that an earlier lab has kept may have others.
    package func joined(by node: Int) -> [String] {
        isDivided ? seats[node].map { ChannelSeating.name(of: $0.channel) } : ["main"]
    }

    /// The tables of a node's talk keys, one for each of its channels. Empty with one channel: the only key of a node
    /// needs no table.
    package func keyTables(of node: Int) -> String {
        guard isDivided else { return "" }
        return seats[node].map {
            """
            [[key]]
            name = "\(ChannelSeating.key(for: $0.channel))"
            channels = ["\(ChannelSeating.name(of: $0.channel))"]

            """
        }.joined()
    }

    /// The talk keys that a node holds to talk on these channels, in the order in which they go down; nil for the only
    /// key of a node.
    package func keys(for targets: [Int]) -> [String?] {
        isDivided ? targets.map(ChannelSeating.key) : [nil]
    }

    private static func key(for channel: Int) -> String { "key-\(channel)" }

    /// The channels of each turn of a node: one channel after another, then all of them at once.
    package func targets(of node: Int) -> [[Int]] {
        let own = seats[node].map(\.channel)
        return own.map { [$0] } + (own.count == 1 ? [] : [own])
    }

    /// How `listener` hears a voice on `targets`: of several channels at the loudest level, and in all their ears. Nil
    /// if the listener is on none of them.
    package func hearing(_ targets: [Int], by listener: Int) -> (levelDecibels: Double, ear: Ear)? {
        let heard = seats[listener].filter { targets.contains($0.channel) }
        guard let level = heard.map(\.levelDecibels).max(), let first = heard.first else { return nil }
        return (level, heard.allSatisfy { $0.ear == first.ear } ? first.ear : .both)
    }

    /// The name of a channel.
    package static func name(of channel: Int) -> String { "channel \(channel)" }
}
