import ControlPlane

/// A request with the work that answers it: a new method is a type that conforms to this, and a line in `NodeMethods`.
protocol NodeRequest: ControlRequest {
    /// Does the work. It runs on no particular thread, and uses the node through `ControlRequestHandler.visit`.
    ///
    /// - Throws: a `ControlFailure`, which becomes the error of JSON-RPC.
    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> Answer

    /// The reply with the answer; only a subscription is more than a document.
    func reply(_ answer: Answer) -> ControlReply
}

extension NodeRequest {
    func reply(_ answer: Answer) -> ControlReply { .document(answer) }
}
