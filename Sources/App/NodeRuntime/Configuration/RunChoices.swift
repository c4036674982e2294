package import Primitives
import Voice

/// The addresses and the port on which the node listens. TCP and UDP use the same port.
package enum ListenChoice: Hashable, Sendable {
    /// Every address of this machine. The port is that of the last start, or else 7400, or else the next free one.
    case automatic
    /// Exactly the endpoint that the user gave; the start fails if it is taken. An unspecified address means every
    /// address of this machine.
    case exactly(Endpoint)

    package static let portDefault: UInt16 = 7400
    /// The ports that a node tries if no person names one.
    package static let ports: ClosedRange<UInt16> = portDefault...portDefault + 100
}

/// How peers are found, in addition to `--peer` and gossip. With all but `none`, remembered addresses are dialled too.
package enum DiscoveryChoice: String, CaseIterable, Hashable, Sendable {
    /// Avahi if it runs, and the signed beacon.
    case auto
    case avahi
    case beacon
    case none
}

/// Which nodes of the mesh may link to this node.
package enum AdmissionChoice: String, CaseIterable, Codable, Hashable, Sendable {
    /// All nodes.
    case open
    /// Nodes with keys for which the person here vouches. The person is asked about each other node.
    case ask
    /// Only nodes with keys for which the person here vouches. The person is not asked about others.
    case known
}

/// The mode of the talk key.
package enum TalkMode: String, CaseIterable, Hashable, Sendable {
    /// Talks while the key is held.
    case ptt
    /// One press starts to talk, the next one stops.
    case latch
    /// A tap starts to talk until the next press. A longer press talks while the key is held.
    case smart
    /// The voice works the key.
    case vox
    /// Always talks.
    case open
}

/// The names of the voice profiles. `VoiceProfile` holds their values.
package enum VoiceProfileName: String, CaseIterable, Hashable, Sendable {
    case studio, low, normal, robust, powersave
}

/// Whether all talkers are adjusted to the same loudness, or are played as they arrive.
package enum LoudnessChoice: String, CaseIterable, Hashable, Sendable {
    case match, off
}

/// How much is logged (swift-log's levels, least first).
package enum LogLevelName: String, CaseIterable, Hashable, Sendable {
    case error, warning, notice, info, debug, trace
}

/// How a line of the log begins.
package enum LogForm: Hashable, Sendable {
    /// With the program's name.
    case terminal
    /// The same, in place of the live line that stands in the terminal: the console draws it again below.
    case besideLiveLine
    /// With its level, as the journal wants it.
    case journal
}

/// A node's name on this machine. It is part of a path, so it has at most 32 letters, digits, `.`, `_` and `-`, and
/// begins with neither `.` nor `-`.
package struct NodeName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let bytesMax = 32

    package let text: String

    package init?(_ text: String) {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard allowed, !text.isEmpty, text.utf8.count <= NodeName.bytesMax, !text.hasPrefix("."), !text.hasPrefix("-")
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// The name of a node for which the user gives none.
    package static let standard = NodeName(known: "default")

    package var description: String { text }
    package static func < (a: NodeName, b: NodeName) -> Bool { a.text < b.text }
}

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
