package import Trust
package import Wire

/// What happens to a carrier's admission; `CarrierAdmission.handle` is its entrance.
package enum AdmissionInput: Sendable {
    case frame(AdmissionMessage)
    /// The shell has run the task of `AdmissionDirective.work`.
    case worked(CodeResult)
}

/// What a carrier's admission wants done, in this order.
package enum AdmissionDirective: Sendable {
    case send(AdmissionMessage)
    /// A slow step of JOIN: the shell computes it and gives the result by the input `worked`. A frame of the peer that
    /// comes before the result breaks the protocol.
    case work(CodeTask)
    /// This newcomer is a member of the mesh from now on.
    case enter(ClosedMesh)
    /// HELLO may be sent and received.
    case admit
    /// The peer, which is admitted, has proved another epoch.
    case proved(EpochKeys)
    case refuse(RefusalReason)
    /// The peer broke the protocol: the carrier closes without a word.
    case abandon
}
