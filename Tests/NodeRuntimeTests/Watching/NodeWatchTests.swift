import AudioIO
import NodeRuntime
import Primitives
import Testing
import Voice

@Suite("found nodes")
struct FoundNodesTests {
    @Test("each look tells what came and what went since the last one, and another name is no change")
    func changes() {
        let (a, b) = (NodeID(words: (1, 0, 0, 1)), NodeID(words: (2, 0, 0, 1)))
        func change(_ node: NodeID, _ name: String, _ isFound: Bool) -> FoundNodes.Change {
            FoundNodes.Change(node: node, name: SafeText(name), isFound: isFound)
        }
        var found = FoundNodes()
        let looks: [([NodeID: SafeText], [FoundNodes.Change])] = [
            ([:], []), ([a: SafeText("A")], [change(a, "A", true)]), ([a: SafeText("A2")], []),
            ([b: SafeText("B")], [change(a, "A2", false), change(b, "B", true)]), ([:], [change(b, "B", false)]),
        ]
        for (there, changes) in looks {
            let told = found.update(there)
            #expect(told == changes)
        }
    }
}

@Suite("Nodes that were given the secret by pairing codes")
struct PairedNodesTests {
    private func node(_ number: UInt64) -> NodeID { NodeID(words: (number, 2, 3, 4)) }

    @Test("each of several nodes is told of once, at its first link")
    func several() {
        var paired = PairedNodes()
        for number in 1...3 as ClosedRange<UInt64> { paired.add(node(number)) }
        paired.add(node(2))
        let told = [9, 3, 3, 1, 2, 1, 2].map { paired.remove(node($0)) }
        #expect(told == [false, true, false, true, true, false, false])
    }

    @Test("one more than the most takes the place of the oldest")
    func bound() {
        var paired = PairedNodes()
        for number in 1...UInt64(PairedNodes.countMax) + 1 { paired.add(node(number)) }
        let told = [1, 2].map { paired.remove(node($0)) }
        #expect(told == [false, true])
    }
}

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

    @Test("people are told of a device that does not answer from the start, and of its first answer")
    func silent() {
        var watch = DeviceWatch()
        let course: [(AudioStatus, [String?])] = [
            (status(.running, .opening), []), (status(.running, .opening, isOutputStuck: true), ["it does not answer"]),
            (status(.running, .opening), []), (status(.running, .running), [nil]),
        ]
        for (audio, reasons) in course {
            let told = watch.changes(audio)
            #expect(told.map(\.reason) == reasons)
        }
    }

    @Test("a file that runs and loses sound is told once, with the reason of its side, and again when it is whole")
    func losingSound() {
        var watch = DeviceWatch()
        var audio = status(.running)
        let course: [(isLosing: Bool, lost: UInt64)] = [(false, 7), (true, 10), (true, 480), (false, 487)]
        let changes = course.map { look in
            (audio.input.losesSound, audio.output.losesSound) = (look.isLosing, look.isLosing)
            audio.output.lostSamples = look.lost
            return watch.changes(audio)
        }
        #expect(changes.map(\.count) == [0, 2, 0, 2])
        #expect(changes[1].allSatisfy(\.isOpen) && changes[3].allSatisfy { $0.reason == nil && !$0.isOpen })
        let told = changes[1].map { EventReport.device($0).text }
        #expect(told[0].hasPrefix("input alsa:default loses sound: a part of the file cannot be read"))
        #expect(told[1] == "output null loses sound: the disk or the WAV file takes no more sound")
        let back = changes[3].map { EventReport.device($0).text }
        #expect(
            back == [
                "input alsa:default runs again", "output null runs again; lost, and silent in the file: 480 samples",
            ])
    }

    @Test("people are told once of each earlier file that a recording has kept under another name")
    func formerFiles() {
        var watch = DeviceWatch()
        var audio = status(.running)
        audio.output.device = "file:/r/show.wav"
        let course = [nil, "/r/show-2.wav", "/r/show-2.wav", nil, "/r/show-3.wav"] as [String?]
        let told = course.map { former in
            audio.output.formerFile = former
            return watch.formerFiles(audio)
        }
        let sentences = [2, 3].map { "output file:/r/show.wav: the file that was there is kept as /r/show-\($0).wav" }
        #expect(told == [[], [sentences[0]], [], [], [sentences[1]]])
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
