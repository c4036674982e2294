// The cutting of streams into frames and lines under libFuzzer: however the stream arrives in pieces, the frames and
// lines are the same.
//
// The first byte of the input is the size of the pieces, the second one bounds a frame and a line.

import Carrier
import ControlPlane
import NIOCore

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrameReader(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var stream = UnsafeBufferPointer(start: start, count: count)[...]
    guard let piece = stream.popFirst(), let bound = stream.popFirst() else { return 0 }
    let bytes = Array(stream)
    let whole = frames(of: bytes, inPiecesOf: max(1, bytes.count), bytesMax: Int(bound))
    precondition(frames(of: bytes, inPiecesOf: 1 + Int(piece), bytesMax: Int(bound)) == whole)
    let wholeLines = lines(of: bytes, inPiecesOf: max(1, bytes.count), bytesMax: Int(bound))
    precondition(lines(of: bytes, inPiecesOf: 1 + Int(piece), bytesMax: Int(bound)).starts(with: wholeLines))
    return 0
}

/// The frames before the first that is too long. The peer is trusted after the first frame.
private func frames(of stream: [UInt8], inPiecesOf piece: Int, bytesMax: Int) -> [[UInt8]] {
    var reader = FrameReader(bytesMax: bytesMax, bytesBeforeTrustMax: bytesMax / 2)
    var frames: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: piece) {
        var buffer = ByteBuffer(bytes: stream[start..<min(stream.count, start + piece)])
        reader.append(&buffer)
        while true {
            switch reader.next() {
            case .frame(let frame):
                precondition(frame.count <= bytesMax, "a frame of \(frame.count) bytes")
                frames.append(frame)
                reader.trust()
                continue
            case .tooLong: return frames
            case .awaitsTrust: preconditionFailure("a trusted peer waits")
            case .incomplete: break
            }
            break
        }
    }
    return frames
}

/// The lines before the first that is too long. Those that came in one piece with it are lost.
private func lines(of stream: [UInt8], inPiecesOf piece: Int, bytesMax: Int) -> [[UInt8]] {
    var framer = LineFramer(bytesMax: bytesMax)
    var lines: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: piece) {
        guard let found = try? framer.lines(adding: stream[start..<min(stream.count, start + piece)]) else { break }
        precondition(found.allSatisfy { !$0.isEmpty && $0.count <= bytesMax })
        lines += found
    }
    return lines
}
