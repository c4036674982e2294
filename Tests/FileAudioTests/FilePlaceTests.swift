import FileAudio
import Foundation
import TestKit
import Testing

@Suite("places of files")
struct FilePlaceTests {
    private let folder = "\(temporaryFolder)/partyline-place-\(UUID().uuidString.prefix(8))"

    @Test("paths of one file have one place, also before the file is there, and other files have others")
    func places() throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/sub", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(symlink("sub/a.wav", "\(folder)/relative.wav") == 0)
        #expect(symlink("\(folder)/relative.wav", "\(folder)/absolute.wav") == 0)
        #expect(symlink("sub", "\(folder)/way") == 0)
        let paths = ["sub/a.wav", "sub/../sub/./a.wav", "relative.wav", "absolute.wav", "way/a.wav"]
        func found() -> Set<FilePlace?> { Set(paths.map { FilePlace("\(folder)/\($0)") }) }
        let before = found()
        #expect(before.count == 1 && !before.contains(nil))
        #expect(!before.contains(FilePlace("\(folder)/a.wav")) && !before.contains(FilePlace("\(folder)/sub/b.wav")))
        #expect(FileManager.default.createFile(atPath: "\(folder)/sub/a.wav", contents: nil))
        let after = found()
        #expect(after.count == 1 && !after.contains(nil))
        #expect(FileManager.default.createFile(atPath: "\(folder)/sub/b.wav", contents: nil))
        #expect(!after.contains(FilePlace("\(folder)/sub/b.wav")))
    }

    @Test("a path in a folder that is not there, and links in a circle, have no place; a name alone has one")
    func nowhere() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(symlink("two.wav", "\(folder)/one.wav") == 0 && symlink("one.wav", "\(folder)/two.wav") == 0)
        #expect(FilePlace("\(folder)/one.wav") == nil && FilePlace("\(folder)/none/a.wav") == nil)
        #expect(FilePlace("no-such.wav") != nil && FilePlace("no-such.wav") == FilePlace("./no-such.wav"))
    }
}
