/// Splitting of RECORDS frames before they are handled.
extension CarrierMessage {
    /// Splits an encoded RECORDS frame into frames of one record each, in the same order: a signature takes 0.1 ms to
    /// check, and voice need not wait for 16 of them. Returns any other frame unchanged, and also a RECORDS frame
    /// with an unexpected encoding or with more than `WireLimits.recordsPerFrameMax` records.
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

    /// Returns the end of the field of `repeated SignedRecord records = 1` that begins at `start` (protobuf,
    /// "Length-delimited records"); nil if no such field begins there, or if it is incomplete.
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

    /// Tag byte of field 1, length-delimited.
    private static let recordsTag: UInt8 = 0x0A
    /// Bits that a length in base 128 may have: more than any frame needs.
    private static let lengthBitsMax = 28
}
