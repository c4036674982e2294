import Primitives

/// Frames of one talker, coded or plain, between arrival and their time, addressed by sample time.
///
/// A frame that starts at `s` lies in place `s / 60 mod 256`: inserting and finding cost nothing,
/// order and copies need no thought. A played frame stays as a mark until its place is used again,
/// so that its later copies are known as such.
package struct JitterBuffer: BitwiseCopyable {
    enum Insertion: BitwiseCopyable {
        case stored
        /// Known already, by another copy.
        case duplicate
        /// Too large, or too far from what is being played.
        case refused
    }

    private enum PlaceState: UInt8, BitwiseCopyable { case empty, waiting, done }

    private struct Place: BitwiseCopyable {
        var start: Int64 = 0
        var samples: Int32 = 0
        var byteCount: Int32 = 0
        var spurt: UInt8 = 0
        var state = PlaceState.empty
        var isPlain = false
    }

    /// A frame that waits.
    package struct Waiting: BitwiseCopyable {
        var place: Int
        var start: Int64
        var samples: Int
        var spurt: UInt8
        /// No Opus but plain sound.
        var isPlain: Bool

        /// - Parameters:
        ///   - start: of the frame, on the talker's clock; it lasts `samples`.
        package init(place: Int, start: Int64, samples: Int, spurt: UInt8, isPlain: Bool = false) {
            self.place = place
            self.start = start
            self.samples = samples
            self.spurt = spurt
            self.isPlain = isPlain
        }

        var end: Int64 { start &+ Int64(samples) }
    }

    private(set) var waitingCount = 0
    private let places: UnsafeMutablePointer<Place>
    private let bytes: UnsafeMutablePointer<UInt8>

    init() {
        places = .allocate(capacity: VoiceLimits.jitterPlaces)
        places.initialize(repeating: Place(), count: VoiceLimits.jitterPlaces)
        let byteCount = VoiceLimits.jitterPlaces * VoiceLimits.frameBytesMax
        bytes = .allocate(capacity: byteCount)
        bytes.initialize(repeating: 0, count: byteCount)
    }

    func destroy() {
        places.deallocate()
        bytes.deallocate()
    }

    @_noAllocation @_noLocks
    mutating func removeAll() {
        places.update(repeating: Place(), count: VoiceLimits.jitterPlaces)
        waitingCount = 0
    }

    /// Takes a frame; an older one in the same place makes room for a newer one.
    @_noAllocation @_noLocks
    mutating func insert(
        start: Int64, samples: Int, spurt: UInt8, opus: UnsafeRawBufferPointer, isPlain: Bool
    ) -> Insertion {
        guard opus.count <= VoiceLimits.frameBytesMax, let source = opus.baseAddress else { return .refused }
        let index = Self.index(of: start)
        let place = places[index]
        if place.state != .empty {
            if place.start == start { return .duplicate }
            if start < place.start { return .refused }
        }
        if place.state != .waiting { waitingCount += 1 }
        let target = UnsafeMutableRawPointer(bytes + index * VoiceLimits.frameBytesMax)
        target.copyMemory(from: source, byteCount: opus.count)
        places[index] = Place(
            start: start, samples: Int32(truncatingIfNeeded: samples),
            byteCount: Int32(truncatingIfNeeded: opus.count), spurt: spurt, state: .waiting,
            isPlain: isPlain)
        return .stored
    }

    /// The waiting frame that sounds at `position`.
    @_noAllocation @_noLocks
    func covering(_ position: Int64) -> Waiting? {
        // A frame is at most 20 ms long, so it starts at most 16 places before.
        for back in 0...Int64(VoiceLimits.frameSamplesMax / VoiceLimits.gridSamples) {
            let index = Self.index(of: position &- back &* Int64(VoiceLimits.gridSamples))
            guard let frame = waiting(at: index) else { continue }
            if frame.start <= position && position < frame.end { return frame }
        }
        return nil
    }

    /// The first waiting frame that ends after `position`.
    @_noAllocation @_noLocks
    func first(after position: Int64) -> Waiting? {
        guard 0 < waitingCount else { return nil }
        var earliest: Waiting?
        for index in 0..<VoiceLimits.jitterPlaces {
            guard let frame = waiting(at: index), position < frame.end else { continue }
            if let known = earliest, known.start <= frame.start { continue }
            earliest = frame
        }
        return earliest
    }

    /// The sound of a waiting frame; it counts as played from here on.
    @_noAllocation @_noLocks
    mutating func take(_ frame: Waiting) -> UnsafeBufferPointer<UInt8> {
        discard(at: frame.place)
        return UnsafeBufferPointer(
            start: bytes + frame.place * VoiceLimits.frameBytesMax, count: Int(places[frame.place].byteCount))
    }

    /// Gives up every frame that ends at or before `position`; returns how many there were.
    @_noAllocation @_noLocks
    mutating func discard(endingBy position: Int64) -> Int {
        guard 0 < waitingCount else { return 0 }
        var count = 0
        for index in 0..<VoiceLimits.jitterPlaces {
            guard let frame = waiting(at: index), frame.end <= position else { continue }
            discard(at: index)
            count += 1
        }
        return count
    }

    private mutating func discard(at index: Int) {
        guard places[index].state == .waiting else { return }
        places[index].state = .done
        waitingCount -= 1
    }

    private func waiting(at index: Int) -> Waiting? {
        let place = places[index]
        guard place.state == .waiting else { return nil }
        return Waiting(
            place: index, start: place.start, samples: Int(place.samples), spurt: place.spurt, isPlain: place.isPlain)
    }

    private static func index(of start: Int64) -> Int {
        let unit = start / Int64(VoiceLimits.gridSamples)
        return Int(truncatingIfNeeded: unit & Int64(VoiceLimits.jitterPlaces - 1))
    }
}
