import NodeRuntime

extension ChannelsDocument {
    /// The channel with the name that a person has typed, in small or capital letters; nil if the list has none.
    func channel(named name: String) -> Channel? {
        channels.first { $0.name.lowercased() == name.lowercased() }
    }
}
