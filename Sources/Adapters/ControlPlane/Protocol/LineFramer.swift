/// Cuts a stream of bytes into lines. It never holds a line that is longer than its limit.
package struct LineFramer: Sendable {
    /// The stream has a line that is longer than the limit, and cannot be read further.
    package struct Overflow: Error, Hashable, Sendable {
        /// The limit that was exceeded.
        package let bytesMax: Int

        package init(bytesMax: Int) { self.bytesMax = bytesMax }
    }

    private let bytesMax: Int
    private var partial: [UInt8] = []

    package init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes bytes and returns the lines that they complete, without line feeds. A carriage return before the line feed
    /// is dropped, and so are empty lines.
    ///
    /// - Throws: `Overflow` if a line is longer than `bytesMax`.
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
