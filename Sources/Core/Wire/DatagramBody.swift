package import Primitives

/// The plaintext of a sealed datagram: a flags byte, then the sections that the flags name.
///
/// Every datagram may carry a control block; a voice packet carries one whenever one is due, so
/// that talking never starves the heartbeat (docs/WIRE.md, "Datagram body").
package struct DatagramBody: Hashable, Sendable {
    package var control: ControlBlock?
    /// A number that the receiver must send back over the path on which it came.
    package var pathChallenge: UInt64?
    /// The number of a challenge, sent back.
    package var pathAnswer: UInt64?
    /// An encoded `VoicePayload`; empty where there is no voice, and where `relayed` is there.
    package var voice: [UInt8]
    /// A datagram of another pair, on its way through a common neighbour.
    package var relayed: RelayedDatagram?
    /// Bytes that say nothing: a challenge has them, so that no answer is longer than it. At most
    /// `WireLimits.paddingBytesMax`; none beside voice or `relayed`.
    package var paddingBytes: Int

    package init(
        control: ControlBlock? = nil, pathChallenge: UInt64? = nil, pathAnswer: UInt64? = nil, voice: [UInt8] = [],
        relayed: RelayedDatagram? = nil, paddingBytes: Int = 0
    ) {
        self.control = control
        self.pathChallenge = pathChallenge
        self.pathAnswer = pathAnswer
        self.voice = voice
        self.relayed = relayed
        self.paddingBytes = paddingBytes
    }
}

/// A sealed datagram inside one that is sealed for the neighbour who brings it on: the neighbour sees
/// who speaks with whom and how much, and nothing else.
package struct RelayedDatagram: Hashable, Sendable {
    package enum Leg: Hashable, Sendable {
        /// To the neighbour, which is asked to bring it to this node.
        case toward(NodeID)
        /// From the neighbour, which had it from this node.
        case from(NodeID)
    }

    package var leg: Leg
    /// At most `WireLimits.relayedDatagramBytesMax`.
    package var datagram: [UInt8]

    package init(_ leg: Leg, _ datagram: [UInt8]) {
        self.leg = leg
        self.datagram = datagram
    }
}

/// The heartbeat of a session: leaves at least every 500 ms, on a voice packet where there is one.
package struct ControlBlock: Hashable, Sendable {
    /// Counts the control blocks of this sender in this session from a random start: the nonce
    /// that the peer echoes.
    package var sequence: UInt32
    /// The newest `sequence` that came over this path, or nil where none has.
    package var echo: UInt32?
    /// How long the echoed block lay here, in microseconds (RFC 3550 §6.4.1, DLSR).
    package var echoDelayMicroseconds: UInt32
    /// Digest over the signed records that this node has (Mesh, gossip).
    package var digest: UInt64
    /// The sender's media clock as this leaves, also in silence.
    package var sampleTime: SampleTime
    /// Nil until the sender has received something to report on.
    package var report: ReceptionReport?
    package var flags: ControlFlags

    package init(
        sequence: UInt32, echo: UInt32?, echoDelayMicroseconds: UInt32, digest: UInt64, sampleTime: SampleTime,
        report: ReceptionReport?, flags: ControlFlags
    ) {
        self.sequence = sequence
        self.echo = echo
        self.echoDelayMicroseconds = echoDelayMicroseconds
        self.digest = digest
        self.sampleTime = sampleTime
        self.report = report
        self.flags = flags
    }
}

/// Public, as `Instant` is: the set's own algebra is inlined into other modules, and every heartbeat asks it.
public struct ControlFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The sender asks for an answer at once (verifying).
    public static var probe: ControlFlags { ControlFlags(rawValue: 1) }
    /// The sender's key is down.
    public static var talking: ControlFlags { ControlFlags(rawValue: 2) }
    /// The sender takes voice without a codec.
    public static var takesPlain: ControlFlags { ControlFlags(rawValue: 4) }
    /// The sender records what it hears.
    public static var recording: ControlFlags { ControlFlags(rawValue: 8) }
}
