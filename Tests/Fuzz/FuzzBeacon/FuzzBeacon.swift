// Multicast beacons under libFuzzer.

import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBeacon(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let beacon = try? Beacon(parsing: bytes) else { return 0 }
    precondition((try? Beacon(parsing: beacon.encoded())) == beacon)
    return 0
}
