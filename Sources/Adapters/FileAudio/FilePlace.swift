import Glibc

/// Where a path leads, through links and `..`: to a file, or to a name in a folder for a file that is not there yet.
/// Two paths of one place are one file.
package struct FilePlace: Hashable, Sendable {
    /// The file system and the number of the file, or of the folder.
    private let device: UInt64
    private let inode: UInt64
    /// Nil if the file is there.
    private let newName: String?

    /// Nil if no file can be made at the path: a folder is missing, or links lead in a circle.
    package init?(_ path: String) {
        var path = path
        for _ in 0...WaveLimits.linksMax {
            if let found = FilePlace.facts(of: path) {
                (device, inode, newName) = (UInt64(found.st_dev), UInt64(found.st_ino), nil)
                return
            }
            // As scalars, since a combining mark may follow a slash.
            let name = path.unicodeScalars.reversed().prefix { $0 != "/" }.count
            let folder = String(path.unicodeScalars.dropLast(name))
            guard let target = FilePlace.target(of: path) else {
                guard let found = FilePlace.facts(of: folder.isEmpty ? "." : folder) else { return nil }
                (device, inode) = (UInt64(found.st_dev), UInt64(found.st_ino))
                newName = String(path.unicodeScalars.suffix(name))
                return
            }
            // The link leads to a file that is not there yet.
            path = target.hasPrefix("/") ? target : folder + target
        }
        return nil
    }

    private static func facts(of path: String) -> stat? {
        var found = stat()
        return stat(path, &found) == 0 ? found : nil
    }

    /// Where a symbolic link leads; nil if there is none at the path.
    private static func target(of path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: WaveLimits.pathBytesMax)
        let count = readlink(path, &bytes, WaveLimits.pathBytesMax)
        guard 0 < count else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
