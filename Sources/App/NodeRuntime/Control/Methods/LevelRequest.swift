import Channels
package import ControlPlane

/// Sets the level of a channel at this listener.
package struct LevelRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.level", since: "0.1.0", does: "Sets a channel's level here; kept for the next start.")
    package typealias Answer = ChannelsDocument

    /// The name of a channel to which this node listens.
    package var channel: String
    /// From -60 to 12 dB; 0 leaves voices as they come.
    package var levelDb: Double

    package init(channel: String, levelDb: Double) { (self.channel, self.levelDb) = (channel, levelDb) }

    package func check() throws(ControlFailure) {
        _ = try channelName(channel, "channel")
        try checkNumber(levelDb, within: ControlLimits.levelDecibelsRange, "level_db")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ChannelsDocument {
        let (name, levelDb) = (try channelName(channel, "channel"), levelDb)
        return try await handler.visit { node in
            try node.setLevel(of: name, decibels: levelDb)
            return ChannelsDocument(of: node)
        }
    }
}

/// - Throws: `invalidParameters` if the value of a parameter is not in the range, whose bounds are whole numbers.
func checkNumber(_ value: Double, within range: ClosedRange<Double>, _ parameter: String) throws(ControlFailure) {
    guard !range.contains(value) else { return }
    let bounds = "\(Int(range.lowerBound)) to \(Int(range.upperBound))"
    throw ControlFailure(.invalidParameters, "\"\(parameter)\" must be a number from \(bounds)")
}
