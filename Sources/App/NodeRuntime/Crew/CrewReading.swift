import Channels
import ControlPlane
import Primitives

/// Reads a crew file to its end, so that a person sees all its mistakes at once.
struct CrewReading {
    private(set) var crew = CrewFile()
    private(set) var mistakes = ConfigurationMistakes()
    /// The names of all roles, also of those that are not read yet.
    private var roleNames: [String] = []

    /// - Parameter path: the name of the file in messages.
    mutating func read(_ text: String, path: String) {
        let file = attempt { () throws(ConfigurationError) in try TomlFields(text, path: path) }
        guard let file else { return }
        read(file)
        allow(["crew", "channel", "role"], in: file)
    }

    private mutating func read(_ file: TomlFields) {
        // Channels and the names of roles are read first, because settings refer to them.
        for table in attempt({ () throws(ConfigurationError) in try file.tables("channel") }) ?? [] {
            readChannel(table)
        }
        let found = attempt { () throws(ConfigurationError) in try file.table("role") }
        roleNames = found.flatMap { $0?.words } ?? []
        let shared = attempt { () throws(ConfigurationError) in try file.table("crew") }?.map { readShared($0) }
        guard let roles = found else { return }
        guard let roles, !roles.words.isEmpty else {
            return note(file.place, "no role, expected a table [role.NAME] for each")
        }
        for name in roles.words {
            guard let table = attempt({ () throws(ConfigurationError) in try roles.table(name) }), let table else {
                continue
            }
            readRole(name, table, shared ?? RunSettings())
        }
    }

    // MARK: Tables

    /// Reads `[crew]`, and returns the settings that hold for every role.
    private mutating func readShared(_ table: TomlFields) -> RunSettings {
        let name = attempt { () throws(ConfigurationError) in try table.text("name", "a text") }
        if let name, let name { crew.name = SafeText(name).string }
        let settings = readSettings(table, besides: ["name"])
        check(CrewRole(name: "role", settings: settings), isWhole: false)
        return settings
    }

    private mutating func readChannel(_ table: TomlFields) {
        allow(["name", "programme"], in: table)
        guard let name = channelName(in: table) else { return }
        if crew.channels.contains(where: { $0.name == name }) {
            note(table.place(of: "name"), "the channel '\(name)' was named before")
        }
        let isProgramme = flag("programme", in: table)
        crew.channels.append(CrewChannel(name: name, isProgramme: isProgramme))
    }

    private mutating func readRole(_ name: String, _ table: TomlFields, _ shared: RunSettings) {
        let most = CrewLimits.roleGraphemesMax
        let shown = SafeText(name, graphemesMax: most)
        if shown.isEmpty || shown.string != name {
            note(table.place, "the name of a role must have 1 to \(most) characters that can be shown")
        }
        let own = readSettings(table, besides: ["channels", KeyTable.word])
        var role = CrewRole(name: name, settings: own.over(shared))
        role.channels = readWishes(table)
        role.settings.keys = KeyTable.all(in: table, noting: &mistakes)
        for key in role.settings.keys {
            for channel in key.channels { requireChannel(channel, at: key.place) }
        }
        check(role, isWhole: true)
        crew.roles.append(role)
    }

    // MARK: Settings

    /// Reads the settings in a table. A setting whose value is of a wrong kind is set, and has no value.
    private mutating func readSettings(_ table: TomlFields, besides others: [String]) -> RunSettings {
        let keys = RunKey.allCases.filter(\.isOfCrew)
        for word in table.words where !others.contains(word) && !mistakes.isFull {
            if let key = RunKey(rawValue: word), key != .channel, !key.isOfCrew {
                note(table.place(of: word), "'\(word)' belongs to one machine, expected in its config.toml")
            } else if !keys.map(\.rawValue).contains(word) {
                let nearest = NearestWord.of(word, among: keys.map(\.rawValue) + others)
                mistakes.note(table.unknown(word, nearest: nearest))
            }
        }
        var settings = RunSettings()
        for key in keys where table.value(key.rawValue) != nil {
            let values = attempt { () throws(ConfigurationError) in try ConfigurationFile.values(of: key, in: table) }
            settings.set(key, values ?? [])
        }
        checkNames(in: settings)
        return settings
    }

    /// Notes the channels and roles in settings that the file does not have.
    private mutating func checkNames(in settings: RunSettings) {
        for key in [RunKey.programmeChannel, .output2Channel] {
            for value in settings.all(key) {
                guard let name = try? ChannelName(typed: value.text) else { continue }
                requireChannel(name, at: value.place, in: key)
            }
        }
        for key in RunKey.grants where !roleNames.isEmpty {
            let values = settings.all(key)
            for value in values {
                // The resolution of the settings refuses a value that names no role.
                guard let role = GrantChoice.role(in: value, of: values),
                    !roleNames.contains(where: { $0.lowercased() == role })
                else { continue }
                let hint = NearestWord.hint(for: value.text, among: roleNames)
                note(value.place, "'\(key.rawValue)': no role '\(SafeText(value.text))'\(hint)")
            }
        }
    }

    /// Resolves the settings of a role as a node would, and notes their mistakes. Whether a library is built in, or an
    /// interface is there, is a matter of each machine.
    ///
    /// - Parameter isWhole: whether these are all settings of the role.
    private mutating func check(_ role: CrewRole, isWhole: Bool) {
        let nowhere = StandardPaths(environment: [:], user: 0, folderExists: { _ in false })
        _ = RunResolution.resolve(
            options: RunSettings(), crew: role, file: RunSettings(), paths: nowhere, hostName: "",
            hasSpeechProcessing: true, isWhole: isWhole, isOfThisMachine: false, noting: &mistakes)
    }

    // MARK: Channels of a role

    private mutating func readWishes(_ table: TomlFields) -> [ChannelWish] {
        let form = "channels, for example [\"stage\", { name = \"lights\", level = -6 }]"
        let items = attempt { () throws(ConfigurationError) in try table.items("channels", form) } ?? []
        var wishes: [ChannelWish] = []
        for item in items {
            guard let (wish, place) = readWish(item) else { continue }
            if wishes.contains(where: { $0.name == wish.name }) {
                note(place, "the channel '\(wish.name)' is in the list twice")
            }
            wishes.append(wish)
        }
        let listened = wishes.filter { $0.manner != .talkOnly }.count
        let (most, talked) = (ListeningLimits.listenedMax, ListeningLimits.talkOnlyMax)
        if most < listened { note(table.place(of: "channels"), "\(listened) channels to listen to, at most \(most)") }
        if talked < wishes.count - listened {
            note(table.place(of: "channels"), "\(wishes.count - listened) channels to talk on, at most \(talked)")
        }
        return wishes
    }

    private mutating func readWish(_ item: TomlItem) -> (wish: ChannelWish, place: ConfigurationError.Place)? {
        switch item {
        case .text(let text, let place):
            guard let name = channelName(text, at: place), let channel = requireChannel(name, at: place) else {
                return nil
            }
            return (ChannelWish(name, manner: channel.manner, programme: channel.programme), place)
        case .table(let table):
            allow(["name", "level", "ear", "listen-only", "talk-only"], in: table)
            let level = level(in: table)
            let ear = ear(in: table)
            let (listensOnly, talksOnly) = (flag("listen-only", in: table), flag("talk-only", in: table))
            if listensOnly == true, talksOnly == true {
                note(table.place, "'listen-only' and 'talk-only' exclude each other")
            }
            guard let name = channelName(in: table),
                let channel = requireChannel(name, at: table.place(of: "name"))
            else { return nil }
            let manner = channel.manner(listensOnly: listensOnly, talksOnly: talksOnly)
            // A role that only talks there feeds the programme, and does not hear it.
            let wish = ChannelWish(
                name, levelTenths: level, ear: ear, manner: manner,
                programme: manner == .talkOnly ? nil : channel.programme)
            return (wish, table.place(of: "name"))
        }
    }

    /// Returns the channel of this name in the file. If there is none, notes a mistake, and returns nil.
    ///
    /// - Parameter setting: the setting that names the channel.
    @discardableResult
    private mutating func requireChannel(
        _ name: ChannelName, at place: ConfigurationError.Place, in setting: RunKey? = nil
    ) -> CrewChannel? {
        if let channel = crew.channels.first(where: { $0.name == name }) { return channel }
        let hint = NearestWord.hint(for: "\(name)", among: crew.channels.map { "\($0.name)" })
        let start = setting.map { "'\($0.rawValue)': " } ?? ""
        note(place, "\(start)no [[channel]] has the name '\(name)'\(hint)")
        return nil
    }
}

extension CrewChannel {
    /// How a role takes part that says nothing of it.
    fileprivate var manner: ListeningEntry.Manner? { isProgramme.map { $0 ? .listenOnly : .listenAndTalk } }

    /// How a role takes part with these flags; nil leaves it as it is. An explicit `false` takes the flag back.
    fileprivate func manner(listensOnly: Bool?, talksOnly: Bool?) -> ListeningEntry.Manner? {
        switch (listensOnly, talksOnly) {
        case (true?, _): .listenOnly
        case (_, true?): .talkOnly
        case (false?, _): .listenAndTalk
        case (nil, false?): manner ?? .listenAndTalk
        case (nil, nil): manner
        }
    }

    fileprivate var programme: ChannelWish.Programme? { isProgramme.map { $0 ? .on(dimTenths: nil) : .off } }
}

extension RunKey {
    /// Whether a crew file may have the setting. The others belong to one machine, or are written in another way.
    fileprivate var isOfCrew: Bool {
        switch self {
        case .name, .stateDir, .control, .codeFile, .channelCodeFile, .listen, .logLevel, .crew, .role, .channel,
            .simloss, .simdelay, .simjitter, .simcut:
            false
        default: true
        }
    }
}

// MARK: - Values

extension CrewReading {
    private mutating func attempt<Value>(_ body: () throws(ConfigurationError) -> Value) -> Value? {
        mistakes.attempt(body)
    }

    private mutating func note(_ place: ConfigurationError.Place, _ problem: String) { mistakes.note(place, problem) }

    private mutating func allow(_ known: [String], in table: TomlFields) { table.allow(known, noting: &mistakes) }

    /// Nil if the table does not have the flag, or if its value is wrong.
    private mutating func flag(_ word: String, in table: TomlFields) -> Bool? {
        attempt { () throws(ConfigurationError) in try table.flag(word) } ?? nil
    }

    private mutating func channelName(in table: TomlFields) -> ChannelName? {
        let text = attempt { () throws(ConfigurationError) in
            guard let text = try table.text("name", "a text") else { throw table.missing("name", "that of a channel") }
            return text
        }
        return text.flatMap { channelName($0, at: table.place(of: "name")) }
    }

    private mutating func channelName(_ text: String, at place: ConfigurationError.Place) -> ChannelName? {
        do throws(NameFault) {
            return try ChannelName(typed: text)
        } catch {
            note(place, "the name of a channel must \(error)")
            return nil
        }
    }

    /// In tenths of a decibel.
    private mutating func level(in table: TomlFields) -> Int? {
        let bounds = ListeningLimits.levelTenths
        let form = "decibels from \(bounds.lowerBound / 10) to \(bounds.upperBound / 10)"
        return attempt { () throws(ConfigurationError) in
            guard let number = try table.number("level", form) else { return nil }
            guard abs(number) < 1_000, bounds.contains(Int((number * 10).rounded())) else {
                throw table.wrong("level", "\(number)", form)
            }
            return Int((number * 10).rounded())
        } ?? nil
    }

    private mutating func ear(in table: TomlFields) -> Ear? {
        attempt { () throws(ConfigurationError) in
            guard let text = try table.text("ear", EarWord.choice) else { return nil }
            guard let word = EarWord(rawValue: text) else { throw table.wrong("ear", text, EarWord.choice) }
            return word.ear
        } ?? nil
    }
}
