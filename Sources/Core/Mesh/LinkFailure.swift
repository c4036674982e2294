package import Wire

/// Why the last attempt or link failed, for people.
package enum LinkFailure: Hashable, Sendable, CustomStringConvertible {
    case dial(DialFailure)
    case noAddress
    /// The peer did not say in time of which mesh it is.
    case noProof
    case noHello
    case noAnswer
    case carrierClosed(CarrierEnd)
    case refused(RefusalReason)
    case silent

    package var description: String {
        switch self {
        case .dial(let failure): "dial: \(failure)"
        case .noAddress: "no address"
        case .noProof: "no proof"
        case .noHello: "no hello"
        case .noAnswer: "no answer"
        case .carrierClosed(let end): "carrier \(end)"
        case .refused(let reason): "refused: \(reason)"
        case .silent: "silent"
        }
    }
}
