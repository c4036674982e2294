package import NodeRuntime

/// What has become of a call of this node, for `call --wait`.
package enum CallOutcome: Hashable, Sendable {
    /// Nobody has taken it, and somebody may still do so.
    case open
    /// These nodes have taken it.
    case taken(by: [String])
    case declinedByAll
    case withdrawn
    /// Its time was over before.
    case expired

    /// - Parameter id: the call.
    package init(of id: String, in calls: CallsDocument) {
        guard let call = calls.outgoing.first(where: { $0.id == id }) else {
            self = .expired
            return
        }
        let takers = call.receivers.filter { $0.answer == "accepted" }.map { Output.safe($0.name) }
        if !takers.isEmpty {
            self = .taken(by: takers)
        } else if call.state == "withdrawn" {
            self = .withdrawn
        } else if call.receivers.allSatisfy({ $0.answer == "declined" }) {
            self = .declinedByAll
        } else {
            self = .open
        }
    }

    /// A sentence for a person.
    ///
    /// - Parameter seconds: how long the person has waited at most.
    package func words(after seconds: Double) -> String {
        switch self {
        case .open: "nobody has answered within \(Figures.whole(seconds, columns: 3)) s; the call is still open"
        case .taken(let names): "\(names.joined(separator: ", ")) \(names.count == 1 ? "takes" : "take") the call"
        case .declinedByAll: "the call is declined"
        case .withdrawn: "the call was withdrawn"
        case .expired: "nobody has answered until the call's time was over"
        }
    }
}
