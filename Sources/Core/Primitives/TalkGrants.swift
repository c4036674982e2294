/// The peers whose private talk and talk to all this node plays.
package struct TalkGrants: Hashable, Sendable {
    package var privately: Grant
    package var toAll: Grant

    package init(privately: Grant = .anyone, toAll: Grant = .anyone) {
        self.privately = privately
        self.toAll = toAll
    }
}
