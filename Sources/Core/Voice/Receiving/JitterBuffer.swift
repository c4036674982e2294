import Primitives

/// Frames of one talker, coded or plain, that wait for their time, addressed by sample time.
///
/// A frame that starts at `s` lies in slot `s / 60 mod 256`. So a frame is inserted without a search, and frames that
/// come out of order or twice need no extra code. A played frame stays as a mark until its slot is used again, so that
/// a later copy of it is recognized.
package struct JitterBuffer: BitwiseCopyable {
    enum Insertion: BitwiseCopyable {
        case stored
        /// The same frame has come before, in another packet.
        case duplicate
        /// Older than the frame in its slot.
        case refused
    }

    private enum SlotState: UInt8, BitwiseCopyable { case empty, waiting, done }

    private struct Slot: BitwiseCopyable {
        var start: Int64 = 0
        var samples: Int32 = 0
        var byteCount: Int32 = 0
        var spurt: UInt8 = 0
        var state = SlotState.empty
        var isPlain = false
        // Not `[]`: a literal could allocate.
        var lines = LineSet(rawValue: 0)
    }

    /// A frame that waits.
    package struct Waiting: BitwiseCopyable {
        var slot: Int
        var start: Int64
        var samples: Int
        var spurt: UInt8
        /// Plain sound instead of Opus.
        var isPlain: Bool
        /// The lines of this listener on which the frame sounds.
        var lines: LineSet

        /// - Parameters:
        ///   - start: first sample of the frame, on the talker's clock; the frame lasts `samples`.
        package init(
            slot: Int, start: Int64, samples: Int, spurt: UInt8, isPlain: Bool = false, lines: LineSet = []
        ) {
            self.slot = slot
            self.start = start
            self.samples = samples
            self.spurt = spurt
            self.isPlain = isPlain
            self.lines = lines
        }

        var end: Int64 { start &+ Int64(samples) }
    }

    private(set) var waitingCount = 0
    private let slots: UnsafeMutablePointer<Slot>
    private let bytes: UnsafeMutablePointer<UInt8>

    init() {
        slots = .allocate(capacity: VoiceLimits.jitterSlots)
        slots.initialize(repeating: Slot(), count: VoiceLimits.jitterSlots)
        let byteCount = VoiceLimits.jitterSlots * VoiceLimits.frameBytesMax
        bytes = .allocate(capacity: byteCount)
        bytes.initialize(repeating: 0, count: byteCount)
    }

    func destroy() {
        slots.deallocate()
        bytes.deallocate()
    }

    @_noAllocation @_noLocks
    mutating func removeAll() {
        slots.update(repeating: Slot(), count: VoiceLimits.jitterSlots)
        waitingCount = 0
    }

    /// Stores a frame, with its bytes; a newer frame replaces an older one in the same slot.
    /// - Precondition: `sound` has 1 to `VoiceLimits.frameBytesMax` bytes, as in a payload that was read.
    @_noAllocation @_noLocks
    mutating func insert(
        start: Int64, samples: Int, spurt: UInt8, sound: UnsafeRawBufferPointer, isPlain: Bool, lines: LineSet
    ) -> Insertion {
        precondition(sound.count <= VoiceLimits.frameBytesMax, "a frame larger than a block of a payload")
        guard let source = sound.baseAddress else { preconditionFailure("a frame without bytes") }
        let index = Self.index(of: start)
        let slot = slots[index]
        if slot.state != .empty {
            if slot.start == start { return .duplicate }
            if start < slot.start { return .refused }
        }
        if slot.state != .waiting { waitingCount += 1 }
        let target = UnsafeMutableRawPointer(bytes + index * VoiceLimits.frameBytesMax)
        target.copyMemory(from: source, byteCount: sound.count)
        slots[index] = Slot(
            start: start, samples: Int32(truncatingIfNeeded: samples),
            byteCount: Int32(truncatingIfNeeded: sound.count), spurt: spurt, state: .waiting,
            isPlain: isPlain, lines: lines)
        return .stored
    }

    /// Returns the waiting frame that sounds at `position`.
    @_noAllocation @_noLocks
    func covering(_ position: Int64) -> Waiting? {
        // A frame lasts at most 20 ms, so it starts at most 16 slots before `position`.
        for back in 0...Int64(VoiceLimits.frameSamplesMax / VoiceLimits.gridSamples) {
            let index = Self.index(of: position &- back &* Int64(VoiceLimits.gridSamples))
            guard let frame = waiting(at: index) else { continue }
            if frame.start <= position && position < frame.end { return frame }
        }
        return nil
    }

    /// Returns the first waiting frame that ends after `position`.
    @_noAllocation @_noLocks
    func first(after position: Int64) -> Waiting? {
        guard 0 < waitingCount else { return nil }
        var earliest: Waiting?
        for index in 0..<VoiceLimits.jitterSlots {
            guard let frame = waiting(at: index), position < frame.end else { continue }
            if let known = earliest, known.start <= frame.start { continue }
            earliest = frame
        }
        return earliest
    }

    /// Returns the bytes of a waiting frame, valid until its slot is used again; marks the frame as played.
    @_noAllocation @_noLocks
    mutating func take(_ frame: Waiting) -> UnsafeBufferPointer<UInt8> {
        discard(at: frame.slot)
        return UnsafeBufferPointer(
            start: bytes + frame.slot * VoiceLimits.frameBytesMax, count: Int(slots[frame.slot].byteCount))
    }

    /// Discards every frame that ends at or before `position`; returns their number.
    @_noAllocation @_noLocks
    mutating func discard(endingBy position: Int64) -> Int {
        guard 0 < waitingCount else { return 0 }
        var count = 0
        for index in 0..<VoiceLimits.jitterSlots {
            guard let frame = waiting(at: index), frame.end <= position else { continue }
            discard(at: index)
            count += 1
        }
        return count
    }

    /// Takes all frames off these lines, to which the listener no longer listens.
    @_noAllocation @_noLocks
    mutating func close(_ lines: LineSet) {
        for index in 0..<VoiceLimits.jitterSlots {
            slots[index].lines = LineSet(rawValue: slots[index].lines.rawValue & ~lines.rawValue)
        }
    }

    private mutating func discard(at index: Int) {
        guard slots[index].state == .waiting else { return }
        slots[index].state = .done
        waitingCount -= 1
    }

    private func waiting(at index: Int) -> Waiting? {
        let slot = slots[index]
        guard slot.state == .waiting else { return nil }
        return Waiting(
            slot: index, start: slot.start, samples: Int(slot.samples), spurt: slot.spurt, isPlain: slot.isPlain,
            lines: slot.lines)
    }

    private static func index(of start: Int64) -> Int {
        let unit = start / Int64(VoiceLimits.gridSamples)
        return Int(truncatingIfNeeded: unit & Int64(VoiceLimits.jitterSlots - 1))
    }
}

/// Converts the sample times of one talker, which wrap, to 64-bit positions, which do not. A time before the latest one
/// gets a smaller position.
struct SampleTimeline: BitwiseCopyable {
    private var latestSamples: UInt32 = 0
    private var latestPosition: Int64 = 0
    private var isRunning = false

    init() {}

    @_noAllocation @_noLocks
    mutating func position(of time: SampleTime) -> Int64 {
        guard isRunning else {
            (isRunning, latestSamples, latestPosition) = (true, time.samples, Int64(time.samples))
            return latestPosition
        }
        let position = latestPosition &+ Int64(Int32(bitPattern: time.samples &- latestSamples))
        (latestSamples, latestPosition) = (time.samples, position)
        return position
    }
}
