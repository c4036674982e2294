/// Kinds of observations, as far as a checker chooses among them. Most observations are of voice or of single
/// datagrams, and few checkers look at them.
package struct ObservationKinds: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `.sent` and `.arrived`.
    package static let datagrams = ObservationKinds(rawValue: 1)
    package static let voice = ObservationKinds(rawValue: 2)
    package static let said = ObservationKinds(rawValue: 4)
    package static let sounded = ObservationKinds(rawValue: 8)
    package static let others = ObservationKinds(rawValue: 16)
    package static let all: ObservationKinds = [.datagrams, .voice, .said, .sounded, .others]
}

extension Observation {
    /// The one kind of the observation.
    var kind: ObservationKinds {
        switch self {
        case .sent, .arrived: .datagrams
        case .voice: .voice
        case .said: .said
        case .sounded: .sounded
        default: .others
        }
    }
}
