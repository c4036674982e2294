// Texts that strangers and people write, under libFuzzer: names, addresses, NodeIDs and codes. Each is read the same
// way again from the form in which it is shown.

import Channels
import Primitives
import Trust

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzText(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    judgeName(text)
    if let endpoint = Endpoint(text, defaultPort: 7_400) { precondition(Endpoint(endpoint.description) == endpoint) }
    if let node = NodeID(text: text) { precondition(NodeID(text: node.text) == node) }
    if let code = FoldedCode(text) {
        precondition(FoldedCode(String(decoding: code.bytes, as: UTF8.self))?.bytes == code.bytes)
    }
    return 0
}

private func judgeName(_ text: String) {
    let safe = SafeText(text)
    precondition(safe.string.utf8.count <= 96, "a text of \(safe.string.utf8.count) bytes")
    precondition(safe.string.count <= 24, "a text of \(safe.string.count) characters")
    // A terminal obeys these.
    let obeyed = safe.string.unicodeScalars.first {
        $0.properties.generalCategory == .control || $0.properties.generalCategory == .format && $0.value != 0x200D
    }
    precondition(obeyed == nil, "U+\(String(obeyed?.value ?? 0, radix: 16)) is left")
    // Another node reads the name of a channel, and refuses one that is not safe as it is.
    precondition(SafeText(safe.string).string.utf8.elementsEqual(safe.string.utf8), "a safe text changes")
    if let name = ChannelName(text) { precondition(ChannelName(name.description) == name) }
}
