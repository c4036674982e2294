import Handover
import Primitives
import Voice

/// The two samples of one instant: left, then right, 16 bits each.
package typealias StereoFrame = SIMD2<Int16>

/// Tells the playback thread which sound to pass to the recorder. The thread reads it once a block.
package final class RecordingSwitch: Sendable {
    /// The sound that is wanted now; empty if nothing is recorded.
    package struct Wanted: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let mix = Wanted(rawValue: 1)
        /// Each talker on a track of its own, before the mixer changes it.
        package static let tracks = Wanted(rawValue: 2)
    }

    private let wanted = SharedNumber()

    package init() {}

    package var current: Wanted { Wanted(rawValue: UInt8(truncatingIfNeeded: wanted.value)) }

    package func set(_ wanted: Wanted) { self.wanted.value = UInt64(wanted.rawValue) }
}

/// The playback thread's end of a recording. It gathers the blocks of the mix and of each talker into pieces of 5 ms,
/// and pushes them into a ring for `Recorder`. It neither waits nor allocates. A full ring drops the piece and counts
/// it, and the recording has a hole there.
package final class RecordingTap {
    /// Raw values of `RingHeader.kind`.
    package enum Kind: UInt8 { case mix, track }

    private struct Row: BitwiseCopyable {
        /// The first gathered sample: its position in the stream of rendered samples, and the instant at which it
        /// sounds, in nanoseconds.
        var position: Int64 = 0
        var instant = Instant.zero.nanoseconds
        var count = 0
        var isTouched = false
        /// The number of times that the slot had been opened. It tells which peer speaks.
        var slotUse: UInt16 = 0
    }

    private let ring: FrameRingProducer
    private let control: RecordingSwitch
    private let rows: UnsafeMutablePointer<Row>
    private let samples: UnsafeMutablePointer<Int16>
    private var wanted: RecordingSwitch.Wanted = []
    /// The instant at which the block that is being rendered sounds.
    private var blockAt = Instant.zero

    init(ring: consuming FrameRingProducer, control: RecordingSwitch) {
        self.ring = ring
        self.control = control
        rows = .allocate(capacity: Self.rowCount)
        rows.initialize(repeating: Row(), count: Self.rowCount)
        // The mix has two channels.
        samples = .allocate(capacity: (Self.rowCount + 1) * AudioLimits.recordedPieceSamples)
        samples.initialize(repeating: 0, count: (Self.rowCount + 1) * AudioLimits.recordedPieceSamples)
    }

    deinit {
        rows.deallocate()
        samples.deallocate()
    }

    /// The tap for the receiver. It is valid as long as this object lives.
    var voiceTap: VoiceTap {
        VoiceTap(context: Unmanaged.passUnretained(self).toOpaque()) { context, talker, samples, count, position in
            Unmanaged<RecordingTap>.fromOpaque(context)._withUnsafeGuaranteedRef {
                $0.take(talker, samples, count: Int(count), position: position)
            }
        }
    }

    /// Call it when another peer gets the slot.
    func open(_ slot: PeerSlot, slotUse: UInt16) {
        flush(slot.index + 1)
        rows[slot.index + 1].slotUse = slotUse
    }

    /// Call it before each block. `instant` is the time at which the block sounds.
    func begin(at instant: Instant) {
        blockAt = instant
        let before = wanted
        wanted = control.current
        // Sound that was gathered when the last recording ended belongs to no recording.
        if wanted.isEmpty, !before.isEmpty { for index in 0..<Self.rowCount { rows[index].count = 0 } }
    }

    /// Call it after each block. Passes on the incomplete piece of each talker that has fallen silent.
    func end() {
        guard !wanted.isEmpty else { return }
        for index in 0..<Self.rowCount {
            if !rows[index].isTouched { flush(index) }
            rows[index].isTouched = false
        }
    }

    private func take(_ talker: Int32, _ voice: UnsafePointer<Float>, count: Int, position: Int64) {
        guard wanted.contains(talker == VoiceTap.mix ? .mix : .tracks) else { return }
        let index = Int(talker) + 1
        let (row, place, channels) = (rows + index, place(of: index), Self.channels(of: index))
        if row.pointee.position + Int64(row.pointee.count) != position { flush(index) }
        row.pointee.isTouched = true
        for offset in 0..<count {
            if row.pointee.count == 0 {
                row.pointee.position = position + Int64(offset)
                row.pointee.instant = (blockAt + Interval(samples: offset)).nanoseconds
            }
            for channel in 0..<channels {
                place[row.pointee.count * channels + channel] = Self.integer(voice[offset * channels + channel])
            }
            row.pointee.count += 1
            if row.pointee.count == AudioLimits.recordedPieceSamples { flush(index) }
        }
    }

    /// NaN becomes silence, since the conversion of NaN would trap.
    private static func integer(_ sample: Float) -> Int16 {
        sample.isNaN ? 0 : Int16((min(max(sample, -1), 1) * 32_767).rounded())
    }

    private func flush(_ index: Int) {
        let row = rows[index]
        guard 0 < row.count else { return }
        let header = RingHeader(
            kind: (index == 0 ? Kind.mix : .track).rawValue, mark: row.slotUse,
            peerIndex: UInt16(max(0, index - 1)),
            sampleTime: SampleTime(samples: UInt32(truncatingIfNeeded: row.position)),
            instant: Instant(nanoseconds: row.instant))
        let bytes = 2 * Self.channels(of: index) * row.count
        _ = ring.push(header, UnsafeRawBufferPointer(start: place(of: index), count: bytes))
        rows[index].count = 0
    }

    private static func channels(of index: Int) -> Int { index == 0 ? 2 : 1 }

    private func place(of index: Int) -> UnsafeMutablePointer<Int16> {
        samples + (index == 0 ? 0 : index + 1) * AudioLimits.recordedPieceSamples
    }

    /// The mix, then every slot.
    private static let rowCount = MeshScale.peersMax + 1
}
