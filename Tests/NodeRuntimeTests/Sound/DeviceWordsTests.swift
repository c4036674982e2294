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

    @Test("a device of ALSA may be a sound card, and nothing else may")
    func cards() {
        let devices = ["alsa:default", "alsa:hw:1,0", "file:take.wav", "tone:440", "null", "", "card"]
        #expect(devices.filter { DeviceWords.mayBeCard($0) } == ["alsa:default", "alsa:hw:1,0"])
    }
}
