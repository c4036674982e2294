import Foundation

/// A folder that is gone with the value.
final class TestFolder {
    let path: String

    init() {
        path = NSTemporaryDirectory() + "partyline-state-\(UUID().uuidString)"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func bytes(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { [UInt8]($0) }
    }

    func write(_ name: String, _ bytes: [UInt8]) {
        _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(bytes))
    }

    func remove(_ name: String) { try? FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    func mode(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }
}
