import Voice

extension TalkGate.Keys {
    /// The first key is down.
    static let held = TalkGate.Keys(down: .first)
    /// The first key is voice-operated.
    static let voice = TalkGate.Keys(voice: .first)
}
