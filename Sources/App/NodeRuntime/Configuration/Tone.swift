import Voice

/// An event that a listener may hear as a tone.
package enum Tone: String, CaseIterable, Hashable, Sendable {
    case call, urgent
    /// A peer joins, or leaves, a channel to which this node listens.
    case join, leave
    /// Somebody talks on a channel of the talk key when the key is pressed.
    case busy
    /// The own talk begins or ends by a key that a person presses.
    case talk

    /// The tones of a listener who has chosen none.
    package static let standard: [Tone] = [.call, .urgent]

    /// The tones that a person wrote, for example `call,urgent`; nil if one is unknown. `none` is no tone.
    package static func list(_ text: String) -> [Tone]? {
        if text == "none" { return [] }
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let tones = words.compactMap { Tone(rawValue: String($0)) }
        return tones.count == words.count ? tones : nil
    }

    /// Nil for the tone of the own talk, which has one beep for its beginning and another for its end.
    var beep: Beep.Kind? {
        switch self {
        case .call: .call
        case .urgent: .urgentCall
        case .join: .joined
        case .leave: .left
        case .busy: .busy
        case .talk: nil
        }
    }
}
