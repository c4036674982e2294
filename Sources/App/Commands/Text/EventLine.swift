package import NodeRuntime

/// An event for people: `14:03:07.250 peer_up               LX-DESK is here`.
package enum EventLine {
    /// The local time of day, the kind and the sentence.
    package static func text(_ event: EventDocument) -> String {
        let kind = Columns.left(Output.safe(event.kind), kindColumns)
        return "\(TimeOfDay.milliseconds(event.atUnixS)) \(kind) \(Output.safe(event.text))"
    }

    private static let kindColumns = EventKind.allCases.map(\.rawValue.count).max() ?? 0
}
