// Entries of the channel directory and of epochs under libFuzzer. What is read is written again as the same bytes: a
// signature covers them, and every node passes them on.

import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEntry(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let entry = try? SignedChannelEntry(parsing: bytes) {
        precondition(entry.bytes == bytes)
        precondition(entry.birth.encoded() == entry.birthBody)
        precondition(entry.state.encoded() == entry.stateBody)
        precondition(entry.signedBirth + entry.stateBody + entry.stateSignature == bytes)
    }
    if let entry = try? SignedEpochEntry(parsing: bytes) { precondition(entry.bytes == bytes) }
    return 0
}
