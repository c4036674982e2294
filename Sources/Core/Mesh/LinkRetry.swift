package import Primitives

/// The wait that follows a failure.
package enum LinkRetry: Hashable, Sendable {
    case backoff(until: Instant)
    case quarantine(until: Instant)

    /// When the wait ends.
    var until: Instant {
        switch self {
        case .backoff(let until), .quarantine(let until): until
        }
    }
}
