/// RECORDS taken apart before it is handled.
extension CarrierMessage {
    /// An encoded RECORDS frame as frames of a record each, which say the same one after the other: a signature takes
    /// 0.1 ms to check, and voice need not wait for sixteen of them. Any other frame, and one that is not built as its
    /// sender should have built it or holds more than `WireLimits.recordsPerFrameMax`, is left as it is.
    package static func singly(_ frame: [UInt8]) -> [[UInt8]] {
        guard isRecords(frame) else { return [frame] }
        var pieces: [[UInt8]] = []
        var place = 1
        while place < frame.count {
            guard pieces.count < WireLimits.recordsPerFrameMax, let end = endOfField(in: frame, at: place) else {
                return [frame]
            }
            pieces.append([frame[0]] + frame[place..<end])
            place = end
        }
        return pieces.isEmpty ? [frame] : pieces
    }

    /// Where the field of `repeated SignedRecord records = 1` that begins at `start` ends (protobuf, "Length-delimited
    /// records"); nil where it is none, or not all of it is there.
    private static func endOfField(in frame: [UInt8], at start: Int) -> Int? {
        guard frame[start] == recordsTag else { return nil }
        var (place, length, shift) = (start + 1, 0, 0)
        while place < frame.count, shift < lengthBitsMax {
            let byte = frame[place]
            length |= Int(byte & 0x7F) << shift
            (place, shift) = (place + 1, shift + 7)
            guard byte & 0x80 == 0 else { continue }
            return length <= frame.count - place ? place + length : nil
        }
        return nil
    }

    /// Field 1, length-delimited.
    private static let recordsTag: UInt8 = 0x0A
    /// Of a length in base 128: more than any frame has.
    private static let lengthBitsMax = 28
}
