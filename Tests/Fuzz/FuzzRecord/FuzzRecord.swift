// Node records under libFuzzer, hostile names and all.

import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecord(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let record = try? NodeRecord(parsing: bytes) else { return 0 }
    precondition((try? NodeRecord(parsing: record.encoded())) == record)
    return 0
}
