import AudioIO
import Channels
package import Mesh
package import Primitives
import Recording

/// Turns written settings into `RunOptions`: every value is parsed once, here.
package enum RunResolution {
    /// - Parameters:
    ///   - options: the settings of the command line; they override those of `crew` and `file`.
    ///   - crew: the role of a crew file; it overrides `file`.
    ///   - hostName: the nick of a node that has neither a nick nor a name.
    ///   - hasSpeechProcessing: whether the speech library is built in.
    /// - Throws: `ConfigurationError` with the place of a value that is malformed, out of its range or in conflict with
    ///   other values.
    package static func resolve(
        options: RunSettings, crew: CrewRole? = nil, file: RunSettings, paths: StandardPaths, hostName: String,
        hasSpeechProcessing: Bool = SpeakingOptions.isSpeechProcessingBuiltIn
    ) throws(ConfigurationError) -> RunOptions {
        let settings = options.over(crew?.settings ?? RunSettings()).over(file)
        let name = try settings.parsed(.name) { NodeName($0) } ?? .standard
        let stateDirectory = try settings.parsed(.stateDir, path) ?? paths.stateDirectory(of: name)
        let standardNick = SafeText(crew?.name ?? (name == .standard ? hostName : name.text))
        let speaking = try SpeakingOptions(settings)
        var resolved = RunOptions(
            name: name,
            standardNick: standardNick.isEmpty ? SafeText("node") : standardNick,
            introduction: try ProfileWords(settings),
            mesh: try settings.parsed(.mesh, meshName) ?? "partyline",
            channels: try channels(options: options, crew: crew, file: file),
            stateDirectory: stateDirectory,
            controlPath: try settings.parsed(.control, path)
                ?? paths.controlPath(of: name, stateDirectory: stateDirectory),
            listen: try settings.parsed(.listen, listen) ?? .automatic,
            peers: try settings.everyParsed(.peer) { Endpoint($0, defaultPort: ListenChoice.portDefault) },
            discovery: try settings.parsed(.discovery) { DiscoveryChoice(rawValue: $0) } ?? .auto,
            input: try settings.parsed(.input, device(.input)) ?? .standard,
            output: try settings.parsed(.output, device(.output)) ?? .standard,
            talk: try settings.parsed(.talk) { TalkMode(rawValue: $0) } ?? .ptt,
            profile: try settings.parsed(.profile) { VoiceProfileName(rawValue: $0) }
                ?? (speaking.usesSpeechProcessing ? .normal : .low),
            period: try settings.parsed(.period) { milliseconds($0, microsecondsIn: 500...100_000) },
            buffer: try settings.parsed(.buffer) { milliseconds($0, microsecondsIn: 1_000...500_000) },
            bitrateKilobits: try settings.parsed(.bitrate) { Int($0).flatMap { (8...256).contains($0) ? $0 : nil } },
            loudness: try settings.parsed(.loudness) { LoudnessChoice(rawValue: $0) } ?? .match,
            replaySeconds: try settings.parsed(.replay) { text in
                Int(text).flatMap { (0...RecordingLimits.replaySecondsMax).contains($0) ? $0 : nil }
            } ?? 0,
            beepsOnLoss: try settings.parsed(.beepOnLoss) { Bool($0) } ?? false,
            logLevel: try settings.parsed(.logLevel) { LogLevelName(rawValue: $0) } ?? .notice)
        resolved.meshPlace = settings.value(.mesh)?.place
        resolved.isInputNamed = settings.value(.input) != nil
        resolved.isOutputNamed = settings.value(.output) != nil
        resolved.rescue = settings.value(.control) == nil ? paths.rescue : nil
        resolved.reach = try settings.everyParsed(.reach) { AddressPrefix($0) }
        resolved.admission = try settings.parsed(.admission) { AdmissionChoice(rawValue: $0) } ?? .open
        resolved.speaking = speaking
        resolved.grants = try GrantChoices(settings)
        resolved.keys = settings.keys
        resolved.tones = try settings.parsed(.tones) { Tone.list($0) } ?? Tone.standard
        resolved.programme = try ProgrammeOptions(settings, rescue: paths.rescue)
        resolved.second = try SecondOutputOptions(settings, speaking)
        resolved.isPlain = try settings.parsed(.plain) { Bool($0) } ?? false
        resolved.followsBattery = try settings.parsed(.saveBattery) { Bool($0) } ?? false
        resolved.frame = try settings.parsed(.frame, frame)
        resolved.impairment = try impairment(settings)
        _ = try settings.parsed(.codeFile, path)
        resolved.codeFile = settings.value(.codeFile)?.path
        resolved.channelCodeFiles = try ChannelCodeFile.all(in: settings)
        resolved.isCuttable = try settings.parsed(.simcut) { Bool($0) } ?? false
        try SpeechDemands(settings: settings, options: resolved, isBuiltIn: hasSpeechProcessing).check()
        return resolved
    }

    private static func channels(
        options: RunSettings, crew: CrewRole?, file: RunSettings
    ) throws(ConfigurationError) -> [ChannelWish] {
        if let crew, !crew.channels.isEmpty, options.value(.channel) == nil { return crew.channels }
        let settings = options.over(file)
        var wishes: [ChannelWish] = []
        for value in settings.all(.channel) {
            do throws(NameFault) {
                wishes.append(ChannelWish(try ChannelName(typed: value.text)))
            } catch {
                throw ConfigurationError(value.place, "the name of a channel must \(error)")
            }
        }
        if let last = settings.value(.channel), ListeningLimits.listenedMax < wishes.count {
            throw ConfigurationError(
                last.place, "\(wishes.count) channels; a node listens to \(ListeningLimits.listenedMax) at most")
        }
        return wishes
    }

    private static func impairment(_ settings: RunSettings) throws(ConfigurationError) -> ImpairmentSettings {
        var impairment = ImpairmentSettings()
        // The parser of milliseconds reads the per cent too: 12.3 per cent is read as 12.3 ms.
        let loss = try settings.parsed(.simloss) { milliseconds($0, microsecondsIn: 0...100_000) } ?? .zero
        impairment.lossPermille = Int(loss.microseconds / 100)
        impairment.delay = try settings.parsed(.simdelay) { milliseconds($0, microsecondsIn: 0...1_000_000) } ?? .zero
        impairment.jitter = try settings.parsed(.simjitter) { milliseconds($0, microsecondsIn: 0...1_000_000) } ?? .zero
        return impairment
    }

    /// Reads decimal milliseconds, for example `5`, `2.5` or `1.333`. Digits below a microsecond are dropped. Nil if
    /// the text is no number or is out of the range.
    package static func milliseconds(_ text: String, microsecondsIn range: ClosedRange<Int64>) -> Interval? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = digits(parts[0]), whole <= 1_000_000 else { return nil }
        var microseconds = whole * 1_000
        if parts.count == 2 {
            let fraction = parts[1].prefix(3)
            guard let thousandths = digits(fraction), digits(parts[1]) != nil else { return nil }
            microseconds += [0, 100, 10, 1][fraction.count] * thousandths
        }
        return range.contains(microseconds) ? .microseconds(microseconds) : nil
    }

    private static func frame(_ text: String) -> FrameDuration? {
        guard let length = milliseconds(text, microsecondsIn: 2_500...20_000) else { return nil }
        return FrameDuration.coded.first { Interval(samples: $0.samples) == length }
    }

    private static func digits(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") } ? Int64(text) : nil
    }

    /// Reads the name of a mesh; nil if it is none. Its bytes are hashed and compared, so it must not hold invisible
    /// characters.
    package static func meshName(_ text: String) -> String? {
        let isShown = SafeText(text, graphemesMax: 32, bytesMax: 32).string == text
        return isShown && !text.isEmpty ? text : nil
    }

    private static func listen(_ text: String) -> ListenChoice? {
        Endpoint(text, defaultPort: ListenChoice.portDefault).map { .exactly($0) }
    }

    private static func device(
        _ direction: DeviceSpecification.Direction
    ) -> (String) -> DeviceSpecification? {
        { text in try? DeviceSpecification(text, as: direction) }
    }

    private static func path(_ text: String) -> String? {
        text.isEmpty || text.utf8.contains(0) ? nil : text
    }
}

extension RunSettings {
    /// The parsed value of a key; nil if the key is not set. Throws if `parse` returns nil.
    func parsed<Parsed>(
        _ key: RunKey, _ parse: (String) -> Parsed?
    ) throws(ConfigurationError) -> Parsed? {
        guard let value = value(key) else { return nil }
        guard let parsed = parse(value.text) else { throw value.wrong(key) }
        return parsed
    }

    func everyParsed<Parsed>(
        _ key: RunKey, _ parse: (String) -> Parsed?
    ) throws(ConfigurationError) -> [Parsed] {
        var list: [Parsed] = []
        for value in all(key) {
            guard let parsed = parse(value.text) else { throw value.wrong(key) }
            list.append(parsed)
        }
        return list
    }
}

extension AddressPrefix {
    /// Reads `10.20.0.0/16` or `2001:db8:1::/48` (RFC 4632 §3.1, RFC 4291 §2.3); nil if the text is no such prefix.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]),
            (0...(address.v4 == nil ? 128 : 32)).contains(length)
        else { return nil }
        self.init(address: address, length: length)
    }
}
