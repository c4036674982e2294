import Glibc

/// The locks that the kernel lists (/proc/locks, proc(5)).
enum LockTable {
    private static let path = "/proc/locks"

    /// The processes that hold a lock on a file with the inode number of this open file, by their numbers in this PID
    /// namespace. The kernel lists no process without such a number. Devices are not compared, because for some file
    /// systems the kernel lists another device than `fstat` returns. So a listed lock can be on another file; only a
    /// process that is known to use this file is proved to hold its lock.
    static func holders(of descriptor: Int32) -> [Int32] {
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { return [] }
        return holders(ofFile: UInt64(found.st_ino), in: text())
    }

    /// - Parameters:
    ///   - inode: the number of the file.
    ///   - table: lines such as `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`. A process that waits for a lock has
    ///     `->` before the kind.
    private static func holders(ofFile inode: UInt64, in table: String) -> [Int32] {
        table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard 6 <= words.count, words[1] == "FLOCK", words[5].hasSuffix(":\(inode)") else { return nil }
            return Int32(words[4])
        }
    }

    /// The list; empty if it cannot be read.
    private static func text() -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard 0 <= descriptor else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.count < StateLimits.lockTableBytesMax {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard 0 < count else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
