/// What the search of a newcomer has found so far, for the person who waits.
package struct EntryProgress: Hashable, Sendable {
    /// Nodes of closed meshes that were noticed or have answered.
    package var foundCount = 0
    /// Those that have another code.
    package var otherCodeCount = 0

    package init() {}

    /// Whether there are any, and all of them have another code.
    package var haveAllOtherCode: Bool { 0 < otherCodeCount && foundCount <= otherCodeCount }
}
