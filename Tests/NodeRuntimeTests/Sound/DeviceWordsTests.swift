import Foundation
import NodeRuntime
import Testing

@Suite("Devices as people write them")
struct DeviceWordsTests {
    @Test("a file name without a folder means a file in the present folder")
    func bareFileName() {
        let folder = FileManager.default.currentDirectoryPath
        let bare = DeviceWords.fileFault(of: "file:no-such-take.wav", isOutput: true)
        let whole = DeviceWords.fileFault(of: "file:\(folder)/no-such-take.wav", isOutput: true)
        #expect((bare == nil) == (whole == nil))
    }
}
