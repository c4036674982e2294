/// Whose private talk and talk to all a node hears.
package struct TalkGrants: Hashable, Sendable {
    package enum Grant: String, CaseIterable, Hashable, Sendable {
        case anyone
        case nobody
    }

    package var privately: Grant
    package var toAll: Grant

    package init(privately: Grant = .anyone, toAll: Grant = .anyone) {
        self.privately = privately
        self.toAll = toAll
    }
}
