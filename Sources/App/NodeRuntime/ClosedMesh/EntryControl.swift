import ControlPlane

/// The control socket of a newcomer: `stop` ends its search, and every other request is refused with the reason.
enum EntryControl {
    /// - Parameter stop: ends the search.
    /// - Throws: the errors of `ControlPlace.open`.
    static func open(
        _ options: RunOptions, stop: @escaping @Sendable () -> Void
    ) async throws(ControlSocketError) -> ControlPlace {
        try await ControlPlace.open(options) { call in
            do throws(ControlFailure) {
                _ = try NodeMethods.type(of: call.method)
                guard call.method == StopRequest.method.name else {
                    throw ControlFailure(
                        .notNow,
                        "the node is looking for its closed mesh, and does nothing else until it has found it; "
                            + "`partyline stop` ends the search")
                }
                stop()
                return .document(DoneDocument())
            } catch {
                return .failed(error)
            }
        }
    }
}
