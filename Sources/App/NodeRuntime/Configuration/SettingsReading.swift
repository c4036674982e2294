/// Reads the values of settings, each once, and notes every mistake in them.
struct SettingsReading {
    let settings: RunSettings
    /// Whether these are all settings of a node. Only then it is a mistake if one of them needs another one, or
    /// excludes it.
    let isWhole: Bool
    var mistakes = ConfigurationMistakes()
    private var faulty: Set<RunKey> = []

    init(_ settings: RunSettings, isWhole: Bool) {
        self.settings = settings
        self.isWhole = isWhole
    }

    /// Whether the value of a setting that has one value is wrong. What it means together with others is not known
    /// then.
    func isFaulty(_ key: RunKey) -> Bool {
        faulty.contains(key) || settings.isSet(key) && settings.value(key) == nil
    }

    /// The parsed value of a key; nil if the key is not set, or if `parse` returns nil, which is a mistake.
    mutating func parsed<Parsed>(_ key: RunKey, _ parse: (String) -> Parsed?) -> Parsed? {
        guard let value = settings.value(key) else { return nil }
        let parsed = parse(value.text)
        if parsed == nil { refuse(value, of: key) }
        return parsed
    }

    /// The parsed values of a key, without those for which `parse` returns nil.
    mutating func everyParsed<Parsed>(_ key: RunKey, _ parse: (String) -> Parsed?) -> [Parsed] {
        var list: [Parsed] = []
        for value in settings.all(key) {
            if let parsed = parse(value.text) { list.append(parsed) } else { refuse(value, of: key) }
        }
        return list
    }

    /// Notes that a value has not the form that its key expects.
    mutating func refuse(_ value: RunSettings.Value, of key: RunKey) {
        faulty.insert(key)
        mistakes.note(value.wrong(key))
    }

    /// Notes it if a setting is set without another one that it needs.
    mutating func demand(_ other: RunKey, for key: RunKey) {
        guard isWhole, let value = settings.value(key), !settings.isSet(other) else { return }
        mistakes.note(value.place, "'\(key.rawValue)' needs '\(other.rawValue)'")
    }
}
