// Files of the state folder under libFuzzer: the backup of an identity, which holds the payloads of key, instance and
// mesh. The input is the payload. Head and checksum are put around it, because the fuzzer would hardly find them.

import StateStore

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzState(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let payload = Array(UnsafeBufferPointer(start: start, count: count))
    _ = IdentityBackup(bytes: payload)
    let body = Array("plst".utf8) + [4, 1] + payload
    let sum = checksum(body)
    let file = body + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> UInt32($0)) }
    guard let backup = IdentityBackup(bytes: file) else { return 0 }
    precondition(file.count <= IdentityBackup.bytesMax, "a backup of \(file.count) bytes")
    precondition(IdentityBackup(bytes: backup.bytes) == backup)
    return 0
}

/// CRC-32 of IEEE 802.3.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
    var remainder = UInt32.max
    for byte in bytes {
        remainder ^= UInt32(byte)
        for _ in 0..<8 { remainder = remainder & 1 == 0 ? remainder >> 1 : (remainder >> 1) ^ 0xEDB8_8320 }
    }
    return ~remainder
}
