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
    func wrong(_ key: RunKey) -> ConfigurationError {
        let shown = SafeText(text, graphemesMax: 80, bytesMax: 320)
        return ConfigurationError(place, "'\(key.rawValue)' is '\(shown)', expected \(key.expectation)")
    }
}
