import Primitives

/// The program of a hostile member: the input, read from its front. After its end every byte is 0.
struct HostileScript {
    private var rest: UnsafeBufferPointer<UInt8>.SubSequence

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    var isOver: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Bytes behind their count. Instead of 0xFE and a number, they have the NodeID of that number, which the fuzzer
    /// would hardly find.
    mutating func bytes(naming nodes: [NodeID]) -> [UInt8] {
        var raw = bytes(Int(byte()))[...]
        var named: [UInt8] = []
        while let next = raw.popFirst() {
            if next == 0xFE, let number = raw.popFirst() {
                named += nodes[Int(number) % nodes.count].bytes
            } else {
                named.append(next)
            }
        }
        return named
    }

    /// A number that is often at an end of its range.
    mutating func number(bits: UInt64) -> UInt64 {
        let choice = byte()
        let highest = UInt64.max >> (64 - bits)
        switch choice >> 6 {
        case 0: return UInt64(choice)
        case 1: return highest - UInt64(choice & 0x3F)
        default: return bytes(Int(bits / 8)).reduce(0) { $0 << 8 | UInt64($1) } & highest
        }
    }

    /// One of the latest of these byte strings, with up to three bytes changed and perhaps cut off; no bytes if there
    /// are none.
    mutating func edited(_ tape: [[UInt8]]) -> [UInt8] {
        guard !tape.isEmpty else { return [] }
        var bytes = tape[tape.count - 1 - Int(byte()) % tape.count]
        let choice = byte()
        for _ in 0..<(choice & 3) {
            let place = Int(byte()) | Int(choice & 0xC) << 6
            if !bytes.isEmpty { bytes[place % bytes.count] = byte() }
        }
        if choice & 0x10 != 0 { bytes.removeLast(min(bytes.count, Int(byte()))) }
        if choice & 0x20 != 0 { bytes += self.bytes(Int(byte())) }
        return bytes
    }
}
