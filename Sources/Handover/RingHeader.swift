package import Primitives

/// The header of one `FrameRing` slot, beside its bytes.
///
/// The ring itself uses only `byteCount`. The two threads that share the ring agree on the meaning of the rest.
package struct RingHeader: Hashable, Sendable, BitwiseCopyable {
    /// The kind of the slot's content: a raw value of an enum of the two threads.
    package var kind: UInt8
    /// Flags of that kind.
    package var flags: UInt8
    /// A number of that kind, for example the talk spurt or the frame duration.
    package var mark: UInt16
    /// The peer's `PeerSlot.index`, if the kind has a peer.
    package var peerIndex: UInt16
    /// Number of bytes in the slot.
    package var byteCount: UInt16
    private var samples: UInt32
    private var nanoseconds: Int64

    package var sampleTime: SampleTime { SampleTime(samples: samples) }
    /// The instant that belongs to the content, for example that of its arrival or capture.
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
