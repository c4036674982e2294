// Node records under libFuzzer, hostile names and all.

import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecord(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let record = try? NodeRecord(parsing: bytes) else { return 0 }
    let encoded = record.encoded()
    precondition((try? NodeRecord(parsing: encoded)) == record)
    // A name may be made safe as it is read. The extensions stay byte for byte; that of programme is a property.
    let extensionBytes = record.extensions.byteCount + (record.profile.feedsProgramme ? 2 : 0)
    precondition(encoded.suffix(extensionBytes) == bytes.suffix(extensionBytes))
    return 0
}
