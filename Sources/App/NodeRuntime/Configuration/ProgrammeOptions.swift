package import AudioIO
package import Channels
package import Primitives

/// The options of `partyline run` for programme, for example music: a second input, and the channel that it feeds.
package struct ProgrammeOptions: Hashable, Sendable {
    package var input: DeviceSpecification
    package var channel: ChannelName
    /// Where the control socket of the feeding node goes if there can be none in its state folder. A person never names
    /// the path of that socket, not even one who names that of the main node.
    package var rescue: RescueFolders

    /// Nil if there is no programme. A value that is malformed, or that lacks the other one, is a mistake. So is
    /// programme beside an admission other than `open`: the feeding node has no known keys, and nobody answers there.
    init?(_ reading: inout SettingsReading, admission: AdmissionChoice, rescue: RescueFolders) {
        let input = reading.parsed(.programme) { try? DeviceSpecification($0, as: .input) }
        let channel = reading.parsed(.programmeChannel) { try? ChannelName(typed: $0) }
        reading.demand(.programmeChannel, for: .programme)
        reading.demand(.programme, for: .programmeChannel)
        if reading.isWhole, admission != .open, let value = reading.settings.value(.programme) {
            reading.mistakes.note(
                value.place,
                "'programme' needs 'admission' to be 'open', and it is '\(admission.rawValue)': "
                    + "the node that feeds it has no known keys, and nobody answers its requests")
        }
        guard let input, let channel else { return nil }
        (self.input, self.channel, self.rescue) = (input, channel, rescue)
    }
}

extension RunOptions {
    /// The folder of the node that feeds the programme, in the state folder of its main node.
    static let programmeFolder = "programme"

    /// The options of the node that feeds the programme into its channel; nil if there is none.
    ///
    /// That node is named after the channel, or `programme` if the channel has a code: the mesh must not be told the
    /// name of such a channel. It listens to nothing, grants nobody anything, and says in its record that it feeds
    /// programme, so that others do not count it as a person. Its sound passes no key, gate or echo canceller.
    /// - Parameter main: where the node with these options listens on this machine.
    package func ofProgramme(beside main: Endpoint) -> RunOptions? {
        guard let programme else { return nil }
        var feed = self
        feed.introduction.nick = programme.channel.hasCode ? "programme" : programme.channel.description
        // Others may give priority by role, and the role is that of the person.
        feed.introduction.role = nil
        (feed.keys, feed.tones, feed.origin) = ([], [], nil)
        feed.channels = [ChannelWish(programme.channel, manner: .talkOnly)]
        feed.name = NodeName("\(name.text.prefix(NodeName.bytesMax - 10))-programme") ?? name
        // It is a member of the mesh of the main node.
        feed.meshDirectory = meshDirectory ?? stateDirectory
        feed.stateDirectory = "\(stateDirectory)/\(RunOptions.programmeFolder)"
        feed.controlPath = StandardPaths.controlPath(in: feed.stateDirectory)
        feed.rescue = programme.rescue
        if case .exactly(let endpoint) = listen { feed.listen = .exactly(Endpoint(address: endpoint.address, port: 0)) }
        feed.peers.append(GivenAddress(main))
        (feed.input, feed.output, feed.second, feed.programme) = (programme.input, .null, nil, nil)
        (feed.isInputNamed, feed.isOutputNamed) = (true, true)
        feed.feedsProgramme = true
        feed.grants = .nothing
        (feed.talk, feed.speaking) = (.open, SpeakingOptions())
        (feed.replaySeconds, feed.beepsOnLoss) = (0, false)
        return feed
    }
}
