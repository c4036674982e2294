import Primitives
package import Wire

extension ProfileWords {
    /// What settings say of the profile. A field that is wrong is a mistake.
    init(_ reading: inout SettingsReading) {
        var probe = NodeProfile(name: SafeText(""))
        for field in ProfileWords.fields {
            guard let value = reading.settings.value(field.key) else { continue }
            self[field] = value.text
            do throws(ProfileFault) {
                try field.read(value.text, &probe)
            } catch {
                reading.mistakes.note(value.place, error.description)
            }
        }
    }

    /// The words by the keys of their fields, as they are kept for the next start; without the absent ones.
    package var kept: [String: String] {
        ProfileWords.fields.reduce(into: [:]) { kept, field in kept[field.key.rawValue] = self[field] }
    }
}

extension RunOptions {
    /// The profile at the start: what the options say, else what a person chose while an earlier start ran, else the
    /// default.
    ///
    /// - Parameter kept: from an earlier start; what is wrong in it is not used.
    package func startProfile(_ kept: [String: String] = [:]) -> NodeProfile {
        var profile = NodeProfile(name: standardNick)
        for field in ProfileWords.fields {
            if let text = introduction[field] ?? kept[field.key.rawValue] { try? field.read(text, &profile) }
        }
        return profile
    }
}
