import AudioIO
import NodeRuntime
import Testing

@Suite("the list of sound devices")
struct DevicesDocumentTests {
    private let devices = [
        SoundDevice(specification: .alsa(name: "default"), text: "Default", isInput: true, isOutput: true),
        SoundDevice(specification: .alsa(name: "hw:1,0"), text: "Headset", isInput: true, isOutput: true),
        SoundDevice(specification: .alsa(name: "front"), text: "Speakers", isInput: false, isOutput: true),
    ]

    @Test("the devices of a node are marked, each in its direction; without a node none is marked")
    func inUse() {
        let document = DevicesDocument(of: devices, input: .alsa(name: "hw:1,0"), outputs: [.alsa(name: "front")])
        #expect(document.inputs.map(\.name) == ["alsa:default", "alsa:hw:1,0"])
        #expect(document.inputs.map(\.inUse) == [false, true])
        #expect(document.outputs.map(\.inUse) == [false, false, true])
        let alone = DevicesDocument(of: devices)
        #expect((alone.inputs + alone.outputs).allSatisfy { !$0.inUse })
    }

    @Test("the device of the second output is marked, too")
    func second() {
        let document = DevicesDocument(of: devices, outputs: [.alsa(name: "front"), .alsa(name: "hw:1,0")])
        #expect(document.outputs.map(\.inUse) == [false, true, true])
        #expect(document.inputs.allSatisfy { !$0.inUse })
    }

    @Test("a node whose devices are no sound cards marks none")
    func files() {
        let document = DevicesDocument(of: devices, input: .file(path: "a.wav"), outputs: [.null])
        #expect((document.inputs + document.outputs).allSatisfy { !$0.inUse })
    }
}
