package import Primitives

/// The plaintext of a sealed datagram: a flags byte, then the sections that the flags name.
///
/// Every datagram may carry a control block. While a node talks, a due control block is in a voice packet. It leaves on
/// its own before that packet if voice goes over two paths or through a neighbour, or if digests or a list wait for it.
/// So talking never starves the heartbeat (docs/WIRE.md, "Datagram body").
package struct DatagramBody: Hashable, Sendable {
    /// The sections of which a body has at most one. The rare ones are indirect: a body is copied with each heartbeat.
    enum Content: Hashable, Sendable {
        case none
        /// One of the two at least.
        indirect case news(ListeningChange?, [TableDigest])
        /// Not empty.
        case voice([UInt8])
        indirect case relayed(RelayedDatagram)
    }

    package var control: ControlBlock?
    /// A number that the receiver must send back over the path on which it came.
    package var pathChallenge: UInt64?
    /// The number of a challenge, sent back.
    package var pathAnswer: UInt64?
    /// The channels on which the sender talks; nil for none. It may stand beside voice, not beside `relayed`.
    package var tally: Tally?
    let content: Content
    /// Number of zero bytes at the end, at most `WireLimits.paddingBytesMax`; 0 beside voice and a relayed datagram. A
    /// challenge has them, so that its answer is not longer, and a control block that a neighbour relays, so that it is
    /// as long as voice.
    package let paddingBytes: Int

    init(
        control: ControlBlock?, pathChallenge: UInt64?, pathAnswer: UInt64?, tally: Tally?, content: Content,
        paddingBytes: Int
    ) {
        self.control = control
        self.pathChallenge = pathChallenge
        self.pathAnswer = pathAnswer
        self.tally = tally
        self.content = content
        self.paddingBytes = paddingBytes
    }

    /// - Precondition: At most one is given: voice, a relayed datagram, or a list or digests. Padding stands beside
    ///   neither voice nor a relayed datagram.
    package init(
        control: ControlBlock? = nil, pathChallenge: UInt64? = nil, pathAnswer: UInt64? = nil,
        listening: ListeningChange? = nil, tally: Tally? = nil,
        tableDigests: [TableDigest] = [], voice: [UInt8] = [], relayed: RelayedDatagram? = nil, paddingBytes: Int = 0
    ) {
        let hasNews = listening != nil || !tableDigests.isEmpty
        let content: Content
        if !voice.isEmpty {
            precondition(relayed == nil && paddingBytes == 0 && !hasNews, "another last section beside voice")
            content = .voice(voice)
        } else if let relayed {
            precondition(paddingBytes == 0 && !hasNews, "another last section beside a relayed datagram")
            content = .relayed(relayed)
        } else {
            content = hasNews ? .news(listening, tableDigests) : .none
        }
        self.init(
            control: control, pathChallenge: pathChallenge, pathAnswer: pathAnswer, tally: tally, content: content,
            paddingBytes: paddingBytes)
    }

    /// A change of the channels to which the sender listens.
    package var listening: ListeningChange? { if case .news(let listening, _) = content { listening } else { nil } }

    /// Digests of the sender's tables, at most `WireLimits.tableDigestsMax`.
    package var tableDigests: [TableDigest] { if case .news(_, let digests) = content { digests } else { [] } }

    /// An encoded voice payload (`VoicePayloadHeader`); empty if there is no voice.
    package var voice: [UInt8] { if case .voice(let voice) = content { voice } else { [] } }

    /// A datagram that a neighbour relays.
    package var relayed: RelayedDatagram? { if case .relayed(let relayed) = content { relayed } else { nil } }
}

/// A sealed datagram inside a datagram to or from the neighbour that relays it. The neighbour sees which two nodes
/// communicate and how much, and nothing else.
package struct RelayedDatagram: Hashable, Sendable {
    package enum Leg: Hashable, Sendable {
        /// Sent to the neighbour, which relays it to the named node.
        case toward(NodeID)
        /// Sent by the neighbour, which received it from the named node.
        case from(NodeID)
    }

    package var leg: Leg
    /// At most `WireLimits.relayedDatagramBytesMax` bytes.
    package var datagram: [UInt8]

    package init(_ leg: Leg, _ datagram: [UInt8]) {
        self.leg = leg
        self.datagram = datagram
    }
}

/// The heartbeat of a session: sent at least every 500 ms, in a voice packet where that is possible.
package struct ControlBlock: Hashable, Sendable {
    /// Number of this control block: the sender counts its blocks in this session from a random start. The peer
    /// echoes it as a nonce.
    package var sequence: UInt32
    /// The newest `sequence` that came over this path; nil if none has come.
    package var echo: UInt32?
    /// Microseconds from the arrival of the echoed block until this block was sent (RFC 3550 §6.4.1, DLSR).
    package var echoDelayMicroseconds: UInt32
    /// Digest of the signed records that the sender has.
    package var digest: UInt32
    /// The generations of the receiver's views that the sender holds.
    package var held: HeldGenerations
    /// The sender's media clock when this block is sent, also in silence.
    package var sampleTime: SampleTime
    /// Nil until the sender has received something to report on.
    package var report: ReceptionReport?
    package var flags: ControlFlags

    package init(
        sequence: UInt32, echo: UInt32?, echoDelayMicroseconds: UInt32, digest: UInt32, held: HeldGenerations,
        sampleTime: SampleTime, report: ReceptionReport?, flags: ControlFlags
    ) {
        self.sequence = sequence
        self.echo = echo
        self.echoDelayMicroseconds = echoDelayMicroseconds
        self.digest = digest
        self.held = held
        self.sampleTime = sampleTime
        self.report = report
        self.flags = flags
    }
}

/// The generations of a peer's views that a node holds in a session; 0 where it holds none. A view that was sent and
/// is missing here is sent again.
package struct HeldGenerations: Hashable, Sendable {
    package var linkStates: UInt16
    package var channels: UInt8
    package init(linkStates: UInt16 = 0, channels: UInt8 = 0) {
        self.linkStates = linkStates
        self.channels = channels
    }
}

/// Flags of a control block. Public, as `Instant` is, so that the set operations, which every heartbeat uses, are
/// inlined into other modules.
public struct ControlFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The sender asks for an answer at once, for example while it verifies the link.
    public static var probe: ControlFlags { ControlFlags(rawValue: 1) }
    /// The sender talks, as far as this receiver may know. While it coughs, it does not talk. With vox or half-duplex
    /// it talks only while frames are sent.
    public static var talking: ControlFlags { ControlFlags(rawValue: 2) }
    /// The sender accepts voice without a codec (plain sound).
    public static var takesPlain: ControlFlags { ControlFlags(rawValue: 4) }
    /// The sender records what it hears.
    public static var recording: ControlFlags { ControlFlags(rawValue: 8) }
    /// The sender does not play private talk of the receiver.
    public static var refusesPrivate: ControlFlags { ControlFlags(rawValue: 16) }
    /// The sender does not play talk to all of the receiver.
    public static var refusesToAll: ControlFlags { ControlFlags(rawValue: 32) }
}

/// What a listener reports to a talker about the last two seconds, before copies have recovered anything.
///
/// It has run lengths because copies of earlier frames must be spread further apart for bursts than for single losses
/// (docs/decisions/016-copies.md).
package struct ReceptionReport: Hashable, Sendable {
    /// Lost packets, of 1,000 sent.
    package var lossPermille: UInt16
    /// Mean length of a run of lost packets, in tenths of a packet; 10 for single losses, 0 if none is lost.
    package var lossRunTenths: UInt16
    /// Frames that came after their play-out time, of 1,000.
    package var latePermille: UInt16
    /// The listener's jitter buffer target in samples at 48 kHz.
    package var jitterTargetSamples: UInt16
    /// Age of the sound of the reporter's microphone when it is read, in samples at 48 kHz; 0 if unknown.
    package var captureSamples: UInt16
    /// How long sound waits in the reporter's output after it is mixed, in samples at 48 kHz; 0 if unknown.
    package var playoutSamples: UInt16

    package init(
        lossPermille: UInt16, lossRunTenths: UInt16, latePermille: UInt16, jitterTargetSamples: UInt16,
        captureSamples: UInt16 = 0, playoutSamples: UInt16 = 0
    ) {
        self.lossPermille = lossPermille
        self.lossRunTenths = lossRunTenths
        self.latePermille = latePermille
        self.jitterTargetSamples = jitterTargetSamples
        self.captureSamples = captureSamples
        self.playoutSamples = playoutSamples
    }
}
