package import Trust
package import Wire

/// What happens to a carrier's admission; `CarrierAdmission.handle` is its entrance.
package enum AdmissionInput: Sendable {
    case frame(AdmissionMessage)
    /// The shell has run the task of `AdmissionDirective.work`.
    case worked(CodeResult)
}
