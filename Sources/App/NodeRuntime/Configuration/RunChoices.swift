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

    /// Whether a key in this mode is down without a finger.
    package var isDownByItself: Bool { self == .open || self == .vox }
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
