import AudioIO
import NodeRuntime
import Testing
import Voice

@Suite("lost sound devices")
struct DeviceWatchTests {
    private func status(
        _ input: DeviceStatus.State, _ output: DeviceStatus.State = .running, isOutputStuck: Bool = false
    ) -> AudioStatus {
        var sides = (DeviceStatus(device: "alsa:default"), DeviceStatus(device: "null"))
        (sides.0.state, sides.1.state) = (input, output)
        return AudioStatus(
            input: sides.0, output: sides.1, capture: CaptureReport(), playback: PlaybackReport(), framesRefused: 0,
            payloadsRefused: 0, isInputStuck: false, isOutputStuck: isOutputStuck)
    }

    @Test("each loss and each return is told once, for the right side and with its reason")
    func course() {
        func input(_ reason: String?) -> DeviceWatch.Change {
            DeviceWatch.Change(side: "input", device: "alsa:default", reason: reason)
        }
        func output(_ reason: String?) -> DeviceWatch.Change {
            DeviceWatch.Change(side: "output", device: "null", reason: reason)
        }
        let course: [(AudioStatus, [DeviceWatch.Change])] = [
            (status(.opening, .opening), []), (status(.running), []),
            (status(.reopening(reason: "unplugged")), [input("unplugged")]),
            (status(.reopening(reason: "no such device")), []), (status(.running), [input(nil)]),
            (status(.running, isOutputStuck: true), [output("it does not answer")]), (status(.running), [output(nil)]),
            (status(.stopped, .stopped), []),
        ]
        var watch = DeviceWatch()
        for (audio, changes) in course {
            let told = watch.changes(audio)
            #expect(told == changes)
        }
    }

    @Test("a device that is missing from the start is told too")
    func missing() {
        var watch = DeviceWatch()
        let changes = watch.changes(status(.reopening(reason: "busy"), .reopening(reason: "busy")))
        #expect(changes.map(\.side) == ["input", "output"])
    }

    @Test("a lost device and its return stand in the log of every node; the line says what a person may do")
    func toldToPeople() {
        let lost = EventReport.device(DeviceWatch.Change(side: "input", device: "file:/nope.wav", reason: "no file"))
        #expect(lost.text.hasPrefix("input file:/nope.wav is lost: no file; "))
        #expect(lost.text.contains("partyline devices") && lost.text.contains("partyline doctor"))
        let back = EventReport.device(DeviceWatch.Change(side: "input", device: "file:/nope.wav", reason: nil))
        #expect(lost.kind.isForPeople && back.kind.isForPeople)
    }
}
