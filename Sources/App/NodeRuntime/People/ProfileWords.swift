import Primitives
package import Wire

/// A profile as people write and read it. In a wish, for example in options, what is absent stays as it is; in a
/// document it is what the node does not have.
///
///     options, files ─┐
///     introduce ──────┼─► ProfileWords ──► NodeProfile ──► record, peers
///     earlier start ──┘       ▲ fields         │
///     status, events ─────────┴────────────────┘
package struct ProfileWords: Codable, Hashable, Sendable {
    /// The name that people read, 1 to 24 characters.
    package var nick: String?
    /// What the person does, at most 24 characters. A wish may have `none`.
    package var role: String?
    /// The colour of the person in lists: `#rrggbb`. A wish may have a word, such as `amber`, or `none`.
    package var colour: String?

    package init(nick: String? = nil, role: String? = nil, colour: String? = nil) {
        (self.nick, self.role, self.colour) = (nick, role, colour)
    }

    /// Every field. The files, the verbs, the state folder and the documents follow this list.
    package static let fields: [ProfileField] = [
        ProfileField(.nick, \.nick, in: { $0.name.nonEmpty }) { text, profile throws(ProfileFault) in
            let name = try ProfileField.name(text, of: .nick)
            guard !ShortIDForm.isWhole(name.string) else {
                throw ProfileFault("the nick must not look like an id, as \(name) does")
            }
            profile.name = name
        },
        ProfileField(.role, \.role, in: { $0.role.nonEmpty }) { text, profile throws(ProfileFault) in
            profile.role = text.isEmpty || text == "none" ? SafeText("") : try ProfileField.name(text, of: .role)
        },
        ProfileField(.colour, \.colour, in: { Colour(number: $0.colour).text }) { text, profile throws(ProfileFault) in
            guard let colour = text.isEmpty ? Colour.none : Colour(text) else {
                throw ProfileFault("the colour must be \(Colour.expectation)")
            }
            profile.colour = colour.number
        },
    ]

    package init(_ profile: NodeProfile) {
        for field in ProfileWords.fields { self[field] = field.shown(profile) }
    }

    package subscript(field: ProfileField) -> String? {
        get { self[keyPath: field.words] }
        set { self[keyPath: field.words] = newValue }
    }

    /// Changes the fields of a profile that are not absent here. An empty text means none.
    ///
    /// - Throws: the first field that is wrong.
    package func change(_ profile: inout NodeProfile) throws(ProfileFault) {
        for field in ProfileWords.fields {
            if let text = self[field] { try field.read(text, &profile) }
        }
    }

    /// - Throws: the first field that is wrong.
    package func check() throws(ProfileFault) {
        var probe = NodeProfile(name: SafeText(""))
        try change(&probe)
    }
}

/// One field of a profile: its key, and how it is read and shown.
package struct ProfileField: Sendable {
    /// Its setting in files and on the command line.
    package let key: RunKey
    let words: any WritableKeyPath<ProfileWords, String?> & Sendable
    /// Returns its words in a profile; nil if the profile does not have it.
    let shown: @Sendable (NodeProfile) -> String?
    /// Reads words that a person wrote.
    let read: @Sendable (String, inout NodeProfile) throws(ProfileFault) -> Void

    fileprivate init(
        _ key: RunKey, _ words: any WritableKeyPath<ProfileWords, String?> & Sendable,
        in shown: @escaping @Sendable (NodeProfile) -> String?,
        read: @escaping @Sendable (String, inout NodeProfile) throws(ProfileFault) -> Void
    ) {
        (self.key, self.words, self.shown, self.read) = (key, words, shown, read)
    }

    fileprivate static func name(_ text: String, of key: RunKey) throws(ProfileFault) -> SafeText {
        do throws(NameFault) {
            return try TypedName.read(text)
        } catch {
            throw ProfileFault("the \(key.rawValue) must \(error)")
        }
    }
}

/// The reason why words are no profile, as a sentence for people.
package struct ProfileFault: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

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
        var profile = NodeProfile(name: standardNick, feedsProgramme: feedsProgramme)
        for field in ProfileWords.fields {
            if let text = introduction[field] ?? kept[field.key.rawValue] { try? field.read(text, &profile) }
        }
        return profile
    }
}
