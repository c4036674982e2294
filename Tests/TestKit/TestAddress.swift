package import Wire

extension VoiceAddress {
    /// The first channel of the listener's first list.
    package static let first = VoiceAddress(label: .place(0), generation: 1)
}
