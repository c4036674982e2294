/// Bytes in, whole lines out; nothing longer than its limit is ever held.
package struct LineFramer: Sendable {
    /// The stream holds a line above the limit; it cannot be read further.
    package struct Overflow: Error, Hashable, Sendable {
        /// The limit that was passed.
        package let bytesMax: Int

        package init(bytesMax: Int) { self.bytesMax = bytesMax }
    }

    private let bytesMax: Int
    private var partial: [UInt8] = []

    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes what was read and returns the lines that it completes, without line feeds; a carriage
    /// return before the line feed is dropped, and so are empty lines.
    ///
    /// - Throws: `Overflow` where a line is longer than `bytesMax`.
    package mutating func lines(adding bytes: some Collection<UInt8>) throws(Overflow) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
                if !partial.isEmpty { lines.append(partial) }
                partial.removeAll(keepingCapacity: true)
                continue
            }
            guard partial.count < bytesMax else { throw Overflow(bytesMax: bytesMax) }
            partial.append(byte)
        }
        return lines
    }
}
