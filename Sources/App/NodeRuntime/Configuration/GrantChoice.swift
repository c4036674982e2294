package import Channels
package import Primitives

/// To which peers this node gives a permission, as its person has written it.
package enum GrantChoice: Hashable, Sendable {
    case anyone
    case nobody
    /// Peers that have one of these roles, in lower case, and whose keys the person trusts. Anybody can claim a role;
    /// the person vouches for the key.
    case roles([String])

    /// Reads a setting; `standard` if it is not set. A value that is neither of the words nor a list of roles is a
    /// mistake.
    init(_ key: RunKey, _ reading: inout SettingsReading, standard: GrantChoice = .anyone) {
        guard reading.settings.isSet(key) else {
            self = standard
            return
        }
        let values = reading.settings.all(key)
        if values.count == 1, let value = values.first, let word = GrantChoice(word: value.text) {
            self = word
            return
        }
        var roles: [String] = []
        for value in values {
            if let role = GrantChoice.role(in: value, of: values) {
                roles.append(role)
            } else {
                reading.refuse(value, of: key)
            }
        }
        self = .roles(roles)
    }

    /// The role, in lower case, that a value of a grant names; nil if it names none. A role stands in a list.
    /// - Parameter values: all values of the grant.
    static func role(in value: RunSettings.Value, of values: [RunSettings.Value]) -> String? {
        guard value.isOfList || 1 < values.count, let name = try? TypedName.read(value.text) else { return nil }
        let role = name.string.lowercased()
        // Beside roles, `anyone` and `nobody` would be taken for roles that nobody has.
        return GrantChoice(word: role) == nil ? role : nil
    }

    /// Nil if the text is neither `anyone` nor `nobody`.
    private init?(word: String) {
        switch word {
        case "anyone": self = .anyone
        case "nobody": self = .nobody
        default: return nil
        }
    }

    /// As people read it. An empty list of roles gives nobody the permission.
    var words: String {
        switch self {
        case .anyone: "anyone"
        case .nobody: "nobody"
        case .roles(let roles): roles.isEmpty ? "nobody" : roles.joined(separator: ", ")
        }
    }

    /// - Parameter trusted: the peers whose keys the person trusts, with the roles that they claim.
    package func grant(trusted: [(node: NodeID, role: SafeText)]) -> Grant {
        switch self {
        case .anyone: .anyone
        case .nobody: .nobody
        case .roles(let roles):
            .nodes(Set(trusted.filter { roles.contains($0.role.string.lowercased()) }.map(\.node)))
        }
    }
}

/// What peers may do at this node, as its person has written it.
package struct GrantChoices: Hashable, Sendable {
    package var privately = GrantChoice.anyone
    package var toAll = GrantChoice.anyone
    package var callAll = GrantChoice.anyone
    package var closeMicrophone = GrantChoice.anyone
    /// The peers under whose voice all others are lowered, besides those that the person has named.
    package var priority = GrantChoice.nobody

    package init() {}

    /// Nobody may do anything.
    static var nothing: GrantChoices {
        var choices = GrantChoices()
        (choices.privately, choices.toAll) = (.nobody, .nobody)
        (choices.callAll, choices.closeMicrophone) = (.nobody, .nobody)
        return choices
    }

    init(_ reading: inout SettingsReading) {
        privately = GrantChoice(.grantPrivate, &reading)
        toAll = GrantChoice(.grantAll, &reading)
        callAll = GrantChoice(.grantCallAll, &reading)
        closeMicrophone = GrantChoice(.grantCloseMicrophone, &reading)
        priority = GrantChoice(.grantPriority, &reading, standard: .nobody)
    }

    /// - Parameter trusted: as for `GrantChoice.grant`.
    package func ofTalk(trusted: [(node: NodeID, role: SafeText)]) -> TalkGrants {
        TalkGrants(privately: privately.grant(trusted: trusted), toAll: toAll.grant(trusted: trusted))
    }

    /// - Parameter trusted: as for `GrantChoice.grant`.
    package func ofCalls(trusted: [(node: NodeID, role: SafeText)]) -> CallGrants {
        CallGrants(callAll: callAll.grant(trusted: trusted), closeMicrophone: closeMicrophone.grant(trusted: trusted))
    }
}
