// The clear part and the body of datagrams under libFuzzer.

import Trust
import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDatagram(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    _ = try? SealedDatagram(parsing: bytes)
    guard let body = try? DatagramBody(parsing: bytes) else { return 0 }
    precondition((try? DatagramBody(parsing: body.encoded())) == body)
    return 0
}
