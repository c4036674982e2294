import Glibc
import StateStore

/// Files in memory that lose their power after a given number of operations.
///
/// After a crash the disk holds every durable byte and name, and of what was not synced either
/// nothing or everything: the two ends between which a real disk lies.
final class CrashingFileSystem: StateFileSystem {
    enum Loss: CaseIterable, Sendable { case unsyncedIsLost, unsyncedIsKept, contentIsLostNamesAreKept }

    private struct Inode {
        var written: [UInt8] = []
        var durable: [UInt8] = []
    }

    private struct Disk {
        var inodes: [Inode] = []
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var operationsLeft = Int.max
        var operations = 0
        var errorNumber = EIO
        var readErrorNumber: Int32?
    }

    private var disk = Disk()

    /// Operations so far.
    var operations: Int { disk.operations }

    /// From now on so many operations work; each one after them fails with `errorNumber`.
    func fail(after count: Int, errorNumber: Int32 = EIO) {
        disk.operationsLeft = count
        disk.errorNumber = errorNumber
    }

    /// From now on each read fails with `errorNumber`.
    func refuseReading(errorNumber: Int32) { disk.readErrorNumber = errorNumber }

    /// The power goes and comes back.
    func crash(_ loss: Loss) {
        if loss == .unsyncedIsLost { disk.names = disk.durableNames }
        disk.durableNames = disk.names
        for index in disk.inodes.indices {
            if loss == .unsyncedIsKept {
                disk.inodes[index].durable = disk.inodes[index].written
            } else {
                disk.inodes[index].written = disk.inodes[index].durable
            }
        }
        disk.operationsLeft = .max
    }

    private func step(_ name: String, _ path: String) throws(StateFileError) {
        guard 0 < disk.operationsLeft else { throw StateFileError(name, path, disk.errorNumber) }
        disk.operationsLeft -= 1
        disk.operations += 1
    }

    func makeFolder(_ path: String) throws(StateFileError) {}

    func read(_ path: String, bytesMax: Int) throws(StateFileError) -> [UInt8]? {
        if let errorNumber = disk.readErrorNumber { throw StateFileError("read", path, errorNumber) }
        return disk.names[path].map { disk.inodes[$0].written }
    }

    func create(_ path: String) throws(StateFileError) -> Int32 {
        try step("create", path)
        guard disk.names[path] == nil else { throw StateFileError("create", path, EEXIST) }
        disk.inodes.append(Inode())
        disk.names[path] = disk.inodes.count - 1
        return Int32(disk.inodes.count - 1)
    }

    func append(_ bytes: [UInt8], to descriptor: Int32) throws(StateFileError) {
        // Written in two halves, so that a crash can leave half a file.
        let half = bytes.count / 2
        for part in [bytes[..<half], bytes[half...]] {
            try step("write", "")
            disk.inodes[Int(descriptor)].written += part
        }
    }

    func sync(_ descriptor: Int32) throws(StateFileError) {
        try step("sync", "")
        disk.inodes[Int(descriptor)].durable = disk.inodes[Int(descriptor)].written
    }

    func close(_ descriptor: Int32) {}

    func rename(_ old: String, to new: String) throws(StateFileError) {
        try step("rename", old)
        guard let inode = disk.names.removeValue(forKey: old) else { throw StateFileError("rename", old, ENOENT) }
        disk.names[new] = inode
    }

    func link(_ path: String, as new: String) throws(StateFileError) {
        try step("link", path)
        guard disk.names[new] == nil else { throw StateFileError("link", new, EEXIST) }
        guard let inode = disk.names[path] else { throw StateFileError("link", path, ENOENT) }
        disk.names[new] = inode
    }

    /// Writes a file durably, as another program does.
    func put(_ path: String, _ bytes: [UInt8]) {
        disk.inodes.append(Inode(written: bytes, durable: bytes))
        (disk.names[path], disk.durableNames[path]) = (disk.inodes.count - 1, disk.inodes.count - 1)
    }

    func syncFolder(_ path: String) throws(StateFileError) {
        try step("sync", path)
        disk.durableNames = disk.names
    }

    func remove(_ path: String) throws(StateFileError) {
        try step("remove", path)
        disk.names[path] = nil
    }
}
