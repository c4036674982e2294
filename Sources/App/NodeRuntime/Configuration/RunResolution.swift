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
    /// - Throws: every value that is malformed, out of its range or in conflict with other values, with its place.
    package static func resolve(
        options: RunSettings, crew: CrewRole? = nil, file: RunSettings, paths: StandardPaths, hostName: String,
        hasSpeechProcessing: Bool = SpeakingOptions.isSpeechProcessingBuiltIn
    ) throws(ConfigurationMistakes) -> RunOptions {
        var mistakes = ConfigurationMistakes()
        let resolved = resolve(
            options: options, crew: crew, file: file, paths: paths, hostName: hostName,
            hasSpeechProcessing: hasSpeechProcessing, isWhole: true, noting: &mistakes)
        try mistakes.check()
        return resolved
    }

    /// The same with a default value in the place of each one that is wrong.
    ///
    /// - Parameters:
    ///   - isWhole: whether these are all settings of a node, so that conflicts between them are mistakes.
    ///   - isOfThisMachine: whether that node is on this machine, so that an interface which is not here is a mistake.
    static func resolve(
        options: RunSettings, crew: CrewRole?, file: RunSettings, paths: StandardPaths, hostName: String,
        hasSpeechProcessing: Bool, isWhole: Bool, isOfThisMachine: Bool = true,
        noting mistakes: inout ConfigurationMistakes
    ) -> RunOptions {
        var reading = SettingsReading(
            options.over(crew?.settings ?? RunSettings()).over(file), isWhole: isWhole,
            isOfThisMachine: isOfThisMachine)
        defer { mistakes.note(reading.mistakes) }
        var resolved = base(&reading, crew, paths, hostName)
        if let crew, !crew.channels.isEmpty, options.value(.channel) == nil {
            resolved.channels = crew.channels
        } else {
            resolved.channels = channels(options.over(file), &reading)
        }
        let settings = reading.settings
        resolved.meshPlace = settings.value(.mesh)?.place
        resolved.isInputNamed = settings.value(.input) != nil
        resolved.isOutputNamed = settings.value(.output) != nil
        resolved.rescue = settings.value(.control) == nil ? paths.rescue : nil
        resolved.reach = reading.everyParsed(.reach) { AddressPrefix($0) }
        resolved.admission = reading.parsed(.admission) { AdmissionChoice(rawValue: $0) } ?? .open
        resolved.grants = GrantChoices(&reading)
        resolved.keys = settings.keys
        resolved.tones = reading.parsed(.tones) { Tone.list($0) } ?? Tone.standard
        resolved.programme = ProgrammeOptions(
            &reading, admission: resolved.admission, rescue: paths.rescue)
        resolved.second = SecondOutputOptions(&reading, resolved.speaking, beside: resolved.output)
        resolved.isPlain = reading.parsed(.plain) { Bool($0) } ?? false
        resolved.followsBattery = reading.parsed(.saveBattery) { Bool($0) } ?? false
        resolved.frame = reading.parsed(.frame, frame)
        resolved.impairment = impairment(&reading)
        resolved.codeFile = writtenPath(.codeFile, &reading)
        resolved.channelCodeFiles = ChannelCodeFile.all(in: &reading)
        resolved.isCuttable = reading.parsed(.simcut) { Bool($0) } ?? false
        SpeechDemands(options: resolved, isBuiltIn: hasSpeechProcessing).check(&reading)
        return resolved
    }

    /// The options that every node has, without its channels.
    private static func base(
        _ reading: inout SettingsReading, _ crew: CrewRole?, _ paths: StandardPaths, _ hostName: String
    ) -> RunOptions {
        let name = reading.parsed(.name) { NodeName($0) } ?? .standard
        let stateDirectory = writtenPath(.stateDir, &reading) ?? paths.stateDirectory(of: name)
        let standardNick = SafeText(crew?.name ?? (name == .standard ? hostName : name.text))
        let speaking = SpeakingOptions(&reading)
        var base = RunOptions(
            name: name,
            // A nick in the form of an id would pass for the id of another node, so `partyline nick` refuses it too.
            standardNick: standardNick.isEmpty || ShortIDForm.isWhole(standardNick.string)
                ? SafeText("node") : standardNick,
            introduction: ProfileWords(&reading),
            mesh: reading.parsed(.mesh, meshName) ?? "partyline",
            channels: [],
            stateDirectory: stateDirectory,
            controlPath: writtenPath(.control, &reading)
                ?? paths.controlPath(of: name, stateDirectory: stateDirectory),
            listen: listen(&reading),
            peers: reading.addresses(.peer),
            discovery: reading.parsed(.discovery) { DiscoveryChoice(rawValue: $0) } ?? .auto,
            input: reading.parsed(.input, device(.input)) ?? .standard,
            output: reading.parsed(.output, device(.output)) ?? .standard,
            talk: reading.parsed(.talk) { TalkMode(rawValue: $0) } ?? .ptt,
            profile: reading.parsed(.profile) { VoiceProfileName(rawValue: $0) }
                ?? (speaking.usesSpeechProcessing ? .normal : .low),
            period: reading.parsed(.period) { milliseconds($0, microsecondsIn: 500...100_000) },
            buffer: reading.parsed(.buffer) { milliseconds($0, microsecondsIn: 1_000...500_000) },
            bitrateKilobits: reading.parsed(.bitrate) { Int($0).flatMap { (8...256).contains($0) ? $0 : nil } },
            loudness: reading.parsed(.loudness) { LoudnessChoice(rawValue: $0) } ?? .match,
            replaySeconds: reading.parsed(.replay) { text in
                Int(text).flatMap { (0...RecordingLimits.replaySecondsMax).contains($0) ? $0 : nil }
            } ?? 0,
            beepsOnLoss: reading.parsed(.beepOnLoss) { Bool($0) } ?? false,
            logLevel: reading.parsed(.logLevel) { LogLevelName(rawValue: $0) } ?? .notice)
        base.speaking = speaking
        return base
    }

    private static func channels(_ settings: RunSettings, _ reading: inout SettingsReading) -> [ChannelWish] {
        var wishes: [ChannelWish] = []
        for value in settings.all(.channel) {
            do throws(NameFault) {
                wishes.append(ChannelWish(try ChannelName(typed: value.text)))
            } catch {
                reading.mistakes.note(value.place, "the name of a channel must \(error)")
            }
        }
        if let last = settings.value(.channel), ListeningLimits.listenedMax < wishes.count {
            reading.mistakes.note(
                last.place, "\(wishes.count) channels; a node listens to \(ListeningLimits.listenedMax) at most")
        }
        return wishes
    }

    private static func impairment(_ reading: inout SettingsReading) -> ImpairmentSettings {
        var impairment = ImpairmentSettings()
        // The parser of milliseconds reads the per cent too: 12.3 per cent is read as 12.3 ms.
        let loss = reading.parsed(.simloss) { milliseconds($0, microsecondsIn: 0...100_000) } ?? .zero
        impairment.lossPermille = Int(loss.microseconds / 100)
        impairment.delay = reading.parsed(.simdelay) { milliseconds($0, microsecondsIn: 0...1_000_000) } ?? .zero
        impairment.jitter = reading.parsed(.simjitter) { milliseconds($0, microsecondsIn: 0...1_000_000) } ?? .zero
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
        let isShown = SafeText(text, graphemesMax: meshBytesMax, bytesMax: meshBytesMax).string == text
        return isShown && !text.isEmpty ? text : nil
    }

    /// What the name of a mesh must be, in words that follow "must", for a text that is none.
    package static func meshNameFault(_ text: String) -> String {
        guard !text.isEmpty, text.utf8.count <= meshBytesMax else { return "have 1 to \(meshBytesMax) bytes" }
        return "hold no invisible character, and have single spaces between words alone"
    }

    private static let meshBytesMax = 32

    private static func listen(_ reading: inout SettingsReading) -> ListenChoice {
        reading.addresses(.listen).last.map { .exactly($0.endpoint) } ?? .automatic
    }

    private static func device(
        _ direction: DeviceSpecification.Direction
    ) -> (String) -> DeviceSpecification? {
        { text in try? DeviceSpecification(text, as: direction) }
    }

    /// The path that a setting names; in a file it starts at the folder of that file.
    private static func writtenPath(_ key: RunKey, _ reading: inout SettingsReading) -> String? {
        guard reading.parsed(key, path) != nil else { return nil }
        return reading.settings.value(key)?.path
    }

    private static func path(_ text: String) -> String? {
        text.isEmpty || text.utf8.contains(0) ? nil : text
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
