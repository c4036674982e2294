package import Primitives

/// What travels beside the bytes of one `FrameRing` slot.
///
/// The ring reads `byteCount` alone; the two threads that share it agree on the rest.
package struct RingHeader: Hashable, Sendable, BitwiseCopyable {
    /// What the slot holds, a raw value of the pair's own enum.
    package var kind: UInt8
    /// Flags of that kind.
    package var flags: UInt8
    /// A number of that kind, for example the talk spurt or the frame duration.
    package var mark: UInt16
    /// The peer's place, `PeerSlot.index`, where the kind has one.
    package var peerIndex: UInt16
    /// Bytes in the slot.
    package var byteCount: UInt16
    private var samples: UInt32
    private var nanoseconds: Int64

    package var sampleTime: SampleTime { SampleTime(samples: samples) }
    /// When it came, or when it was captured.
    package var instant: Instant { Instant(nanoseconds: nanoseconds) }

    package init(
        kind: UInt8, flags: UInt8 = 0, mark: UInt16 = 0, peerIndex: UInt16 = 0,
        sampleTime: SampleTime = SampleTime(samples: 0), instant: Instant = .zero
    ) {
        self.kind = kind
        self.flags = flags
        self.mark = mark
        self.peerIndex = peerIndex
        self.byteCount = 0
        samples = sampleTime.samples
        nanoseconds = instant.nanoseconds
    }
}
