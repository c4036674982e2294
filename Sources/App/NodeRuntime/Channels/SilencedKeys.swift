/// Warnings of talk keys that are silent on a channel, because this node only listens there.
package enum SilencedKeys {
    /// - Parameters:
    ///   - channel: the name of a channel to which this node only listens.
    ///   - keys: the names of the talk keys that name the channel.
    /// - Returns: a sentence for each key, with the remedy.
    package static func warnings(on channel: String, of keys: [String]) -> [String] {
        keys.map { key in
            "talk key '\(key)' is silent on channel \(channel), because this node only listens there: "
                + "`partyline join \(ShellWord.quoted(channel)) --listen-and-talk` lets it speak"
        }
    }
}
