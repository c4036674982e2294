import Glibc

/// The bytes of a sound file. Those on a disk are read when they are needed.
final class WaveSource: Sendable {
    let path: String
    /// The number of bytes when the file was opened.
    let count: Int
    /// -1 if the bytes are in memory.
    private let descriptor: Int32
    private let held: [UInt8]

    /// - Throws: `cannotOpen` or `noRegularFile`.
    init(_ path: String) throws(WaveError) {
        // Otherwise the opening of a pipe waits until somebody writes into it, which may be never.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard 0 <= descriptor else { throw .cannotOpen(path: path, code: errno) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            guard facts.st_mode & S_IFMT != S_IFDIR else { throw .cannotOpen(path: path, code: EISDIR) }
            throw .noRegularFile(path: path)
        }
        (self.descriptor, held, count) = (descriptor, [], Int(facts.st_size))
        self.path = path
    }

    /// Bytes that are in memory already.
    init(_ bytes: [UInt8], path: String) {
        (self.path, held, descriptor, count) = (path, bytes, -1, bytes.count)
    }

    deinit { if 0 <= descriptor { close(descriptor) } }

    /// The bytes of a range within `count`. May wait for the disk.
    /// - Throws: `cannotRead`, also if the file has become shorter.
    func bytes(_ range: Range<Int>) throws(WaveError) -> [UInt8] {
        guard 0 <= descriptor else { return Array(held[range]) }
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let offset = off_t(range.lowerBound + done)
            let taken = bytes.withUnsafeMutableBytes { memory in
                pread(descriptor, memory.baseAddress.map { $0 + done }, memory.count - done, offset)
            }
            if taken < 0, errno == EINTR { continue }
            guard 0 < taken else { throw .cannotRead(path: path, code: taken < 0 ? errno : EIO) }
            done += taken
        }
        return bytes
    }
}
