/// Values as they were written, each with its place; the file's and the options' alike.
package struct RunSettings: Sendable {
    package struct Value: Hashable, Sendable {
        package var text: String
        package var place: ConfigurationError.Place

        package init(_ text: String, at place: ConfigurationError.Place) {
            self.text = text
            self.place = place
        }
    }

    private var values: [RunKey: [Value]] = [:]

    package init() {}

    /// Sets what an option said; nil leaves the key alone.
    package mutating func set(_ key: RunKey, option text: String?) {
        guard let text else { return }
        values[key] = [Value(text, at: .option("--\(key.rawValue)"))]
    }

    /// Sets what a flag said; nil leaves the key alone.
    package mutating func set(_ key: RunKey, flag isOn: Bool?) { set(key, option: isOn.map { "\($0)" }) }

    package mutating func set(_ key: RunKey, _ list: [Value]) { values[key] = list }

    /// The last value of a key; nil where nothing was said.
    package func value(_ key: RunKey) -> Value? { values[key]?.last }

    package func all(_ key: RunKey) -> [Value] { values[key] ?? [] }

    /// These settings where they say something, `base` where they do not.
    package func over(_ base: RunSettings) -> RunSettings {
        var merged = base
        merged.values.merge(values) { _, mine in mine }
        return merged
    }
}

extension RunSettings.Value {
    func wrong(_ key: RunKey) -> ConfigurationError {
        ConfigurationError(place, "'\(key.rawValue)' is '\(text)', expected \(key.expectation)")
    }
}
