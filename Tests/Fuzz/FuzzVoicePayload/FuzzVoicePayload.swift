// Voice payloads under libFuzzer: what is read is written again as the same bytes.

import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVoicePayload(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard var reader = try? VoicePayloadReader(bytes) else { return 0 }
    var copy = [UInt8](repeating: 0, count: count)
    copy.withUnsafeMutableBytes { buffer in
        var writer = VoicePayloadWriter(into: buffer, header: reader.header)
        for _ in 0..<reader.blockCount {
            guard let block = reader.next() else { preconditionFailure("a block is missing") }
            precondition(writer.append(block))
        }
        precondition(reader.next() == nil && writer.byteCount == count)
    }
    precondition(bytes.elementsEqual(copy))
    return 0
}
