import Primitives
import Wire

/// The path of a link as last reported; direct for a link that has just come up.
struct AdvertisedPath: Equatable {
    /// The kind as reported in events, to people and to the voice sender.
    var kind = PathKind.direct
    var neighbour: NodeID?
    /// The kind as sent in this node's link states. A tunnelled carrier is `.relay` there, because it leads through a
    /// neighbour.
    var toOthers = PathKind.direct

    init() {}

    init(_ route: PathRoute, toOthers: PathKind) {
        kind = route.kind
        if case .neighbour(let node) = route { neighbour = node }
        self.toOthers = toOthers
    }
}
