import Primitives
import Wire

/// What was last told of a link's path; direct where the link has just come up.
struct AdvertisedPath: Equatable {
    /// To people, and to the voice path.
    var kind = PathKind.direct
    var neighbour: NodeID?
    /// In the own row: a carrier in a tunnel leads through a neighbour as a relay does.
    var toOthers = PathKind.direct

    init() {}

    init(_ route: PathRoute, toOthers: PathKind) {
        kind = route.kind
        if case .neighbour(let node) = route { neighbour = node }
        self.toOthers = toOthers
    }
}
