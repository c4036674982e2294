package import ControlPlane

/// A request with the work that answers it: a new method is a type that conforms to this, and a line in `NodeMethods`.
protocol NodeRequest: ControlRequest {
    /// Does the work. It runs on no particular thread, and uses the node through `ControlRequestHandler.visit`.
    ///
    /// - Throws: a `ControlFailure`, which becomes the error of JSON-RPC.
    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> Answer

    /// Returns the answer to a request that was done, but whose changes are not kept for the next start. The returned
    /// answer says so.
    ///
    /// - Throws: `failure` if an answer cannot say it.
    func unkept(_ answer: Answer, _ failure: ControlFailure) throws(ControlFailure) -> Answer

    /// The reply with the answer; only a subscription is more than a document.
    func reply(_ answer: Answer) -> ControlReply
}

extension NodeRequest {
    func unkept(_ answer: Answer, _ failure: ControlFailure) throws(ControlFailure) -> Answer { throw failure }

    func reply(_ answer: Answer) -> ControlReply { .document(answer) }
}

/// The table of methods of the control socket. docs/CONTROL.md is generated from it.
package enum NodeMethods {
    /// Every method, in the order of the page.
    package static var all: [any ControlRequest.Type] { table }

    static let table: [any NodeRequest.Type] = [
        StatusRequest.self, IdentityRequest.self, IntroduceRequest.self, DevicesRequest.self, DeviceSetRequest.self,
        EventsRequest.self, LatestEventsRequest.self,
        TalkRequest.self, KeysRequest.self, PrivateRequest.self, ReplyRequest.self,
        MuteRequest.self, VolumeRequest.self, PanRequest.self, PriorityRequest.self, DimRequest.self,
        BlockRequest.self, UnblockRequest.self, KnownKeysRequest.self, TrustRequest.self, ForgetRequest.self,
        VerifyRequest.self, ConfirmRequest.self,
        RequestsRequest.self, AcceptRequest.self, DenyRequest.self,
        PingRequest.self, LatencyRequest.self,
        DiscoverRequest.self, AdvertiseRequest.self,
        RecordRequest.self, ReplayRequest.self,
        ChannelsRequest.self, ChannelCreateRequest.self, ChannelDeleteRequest.self, ChannelRenameRequest.self,
        ChannelHideRequest.self,
        JoinRequest.self, PartRequest.self, LevelRequest.self, TalkOnRequest.self,
        CallsRequest.self, CallMakeRequest.self, CallAnswerRequest.self, CallWithdrawRequest.self,
        DoNotDisturbRequest.self, CloseMicrophoneRequest.self,
        CodeChangeRequest.self, PairRequest.self, UnpairRequest.self,
        ReloadRequest.self, StopRequest.self, CutRequest.self,
    ]

    /// The present names of methods that had another one.
    private static let renamed = ["leave": StopRequest.method.name]

    /// - Throws: `methodNotFound`.
    static func type(of name: String) throws(ControlFailure) -> any NodeRequest.Type {
        if let type = table.first(where: { $0.method.name == name }) { return type }
        let present = renamed[name].map { "; it is called \"\($0)\"" } ?? ""
        throw ControlFailure(.methodNotFound, "no such method\(present)")
    }
}
