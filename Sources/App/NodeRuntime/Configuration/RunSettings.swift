import Primitives

/// Settings as text, each with the place where it was written: an option or a line of the file.
package struct RunSettings: Hashable, Sendable {
    package struct Value: Hashable, Sendable {
        package var text: String
        package var place: ConfigurationError.Place
        /// Whether it is an entry of a list in the file.
        package var isOfList: Bool

        package init(_ text: String, at place: ConfigurationError.Place, isOfList: Bool = false) {
            self.text = text
            self.place = place
            self.isOfList = isOfList
        }
    }

    private var values: [RunKey: [Value]] = [:]
    /// The talk keys, in the order of the file; empty if it has none.
    package var keys: [KeyTable] = []

    package init() {}

    /// Sets the value of an option; nil changes nothing.
    package mutating func set(_ key: RunKey, option text: String?) {
        guard let text else { return }
        values[key] = [Value(text, at: .option("--\(key.rawValue)"))]
    }

    /// Sets the value of a flag; nil changes nothing.
    package mutating func set(_ key: RunKey, flag isOn: Bool?) { set(key, option: isOn.map { "\($0)" }) }

    package mutating func set(_ key: RunKey, _ list: [Value]) { values[key] = list }

    /// The last value of a key; nil if the key is not set.
    package func value(_ key: RunKey) -> Value? { values[key]?.last }

    /// Whether the key is set, even to an empty list.
    package func isSet(_ key: RunKey) -> Bool { values[key] != nil }

    package func all(_ key: RunKey) -> [Value] { values[key] ?? [] }

    /// These settings, and those of `base` for every key that is not set here.
    package func over(_ base: RunSettings) -> RunSettings {
        var merged = base
        merged.values.merge(values) { _, mine in mine }
        if !keys.isEmpty { merged.keys = keys }
        return merged
    }
}

extension RunSettings.Value {
    /// - Parameter reason: why the value is refused, in words that follow "but"; nil if it does not have the form that
    ///   its key expects.
    func wrong(_ key: RunKey, because reason: String?) -> ConfigurationError {
        let shown = SafeText(text, graphemesMax: 80, bytesMax: 320)
        let form = if case .option = place { key.optionExpectation } else { key.expectation }
        let why = reason.map { "but \($0)" } ?? "expected \(form)"
        return ConfigurationError(place, "'\(key.rawValue)' is '\(shown)', \(why)")
    }
}

/// Reads the values of settings, each once, and notes every mistake in them.
struct SettingsReading {
    let settings: RunSettings
    /// Whether these are all settings of a node. Only then it is a mistake if one of them needs another one, or
    /// excludes it.
    let isWhole: Bool
    /// Whether these are settings of a node on this machine, so that the interfaces which they name must be here.
    let isOfThisMachine: Bool
    var mistakes = ConfigurationMistakes()
    private var faulty: Set<RunKey> = []

    init(_ settings: RunSettings, isWhole: Bool, isOfThisMachine: Bool) {
        self.settings = settings
        self.isWhole = isWhole
        self.isOfThisMachine = isOfThisMachine
    }

    /// Whether the value of a setting that has one value is wrong. Its meaning together with others is unknown
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

    /// Notes that a value is refused. Without a reason, it does not have the form that its key expects.
    mutating func refuse(_ value: RunSettings.Value, of key: RunKey, because reason: String? = nil) {
        faulty.insert(key)
        mistakes.note(value.wrong(key, because: reason))
    }

    /// Notes it if a setting is set without another one that it needs.
    mutating func demand(_ other: RunKey, for key: RunKey) {
        guard isWhole, let value = settings.value(key), !settings.isSet(other) else { return }
        mistakes.note(value.place, "'\(key.rawValue)' needs '\(other.rawValue)'")
    }
}
