// The TXT strings of Avahi services under libFuzzer. The input is the data of a TXT record: each string follows its
// length in a byte.

import Discovery
import Primitives

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzServiceText(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var bytes = UnsafeBufferPointer(start: start, count: count)[...]
    var entries: [[UInt8]] = []
    while let length = bytes.popFirst() {
        entries.append(Array(bytes.prefix(Int(length))))
        bytes = bytes.dropFirst(Int(length))
    }
    guard let text = ServiceText(entries: entries) else { return 0 }
    precondition(ServiceText(entries: text.entries) == text)
    let shown = if case .open(_, let mesh) = text { SafeText(mesh) } else { SafeText("") }
    let name = text.serviceName(shown)
    precondition(name.utf8.count <= DiscoveryLimits.serviceNameBytesMax, "a name of \(name.utf8.count) bytes")
    return 0
}
