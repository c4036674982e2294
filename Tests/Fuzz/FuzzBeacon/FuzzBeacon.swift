// Multicast beacons of open and of closed meshes under libFuzzer.

import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBeacon(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let beacon = try? Beacon(parsing: bytes) {
        precondition((try? Beacon(parsing: beacon.encoded())) == beacon)
    } else if let beacon = try? SealedBeacon(parsing: bytes) {
        precondition((try? SealedBeacon(parsing: beacon.encoded())) == beacon)
    }
    return 0
}
