package import Primitives

/// A channel that this node joined, as it is kept for the next start.
package struct RememberedChannel: Hashable, Sendable {
    /// As the person wrote it.
    package var name: String
    /// Its level here, in tenths of a decibel.
    package var levelTenths: Int
    package var ear: Ear
    package var listens: Bool
    package var talks: Bool
    /// A person chose to talk on it.
    package var isChosen: Bool
    /// By how much it is lowered while anybody talks, in tenths of a decibel; nil unless it carries programme.
    package var programmeDimTenths: Int?

    package init(
        name: String, levelTenths: Int, ear: Ear, listens: Bool, talks: Bool, isChosen: Bool,
        programmeDimTenths: Int? = nil
    ) {
        self.name = name
        self.levelTenths = levelTenths
        self.ear = ear
        self.listens = listens
        self.talks = talks
        self.isChosen = isChosen
        self.programmeDimTenths = programmeDimTenths
    }
}
