package import Primitives
package import StateStore

/// How this node introduces itself to the others: name, role and colour.
package struct OwnProfile: Hashable, Sendable {
    package var name: SafeText
    /// What the person does, for example `lighting`; empty for none.
    package var role: SafeText
    package var colour: Colour

    /// The profile at the start: what the options say, else what a person chose while an earlier start ran, else the
    /// default.
    package init(_ options: RunOptions, _ remembered: RememberedProfile) {
        let formerName = remembered.name.flatMap { OwnProfile.text($0) }
        name = options.isNickChosen ? options.nick : formerName ?? options.nick
        role = options.role ?? remembered.role.flatMap { OwnProfile.text($0) } ?? SafeText("")
        colour = options.colour ?? remembered.colour.map { Colour(number: $0) } ?? .none
    }

    /// A name or a role that a person typed; nil if it is empty or would be shown in another way than it was typed.
    package static func text(_ typed: String) -> SafeText? {
        let text = SafeText(typed)
        return text.isEmpty || text.string != typed ? nil : text
    }

    /// The profile as it is kept for the next start.
    package var remembered: RememberedProfile {
        RememberedProfile(name: name.string, role: role.string, colour: colour.number)
    }
}
