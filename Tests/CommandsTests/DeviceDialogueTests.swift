import Commands
import Foundation
import NodeRuntime
import TestKit
import Testing

/// A machine with two inputs and an output. Its sound is played by the test.
private final class PlayedMachine {
    var takes: [SpokenTake]
    var recorded: [String] = []
    var played: [String] = []
    var inputFault: AnyFault?

    struct AnyFault: Error, CustomStringConvertible { let description: String }

    private static let offered: DevicesDocument = {
        let headset = #"{"name": "alsa:hw:1,0", "text": "Headset", "inUse": false}"#
        let standard = #"{"name": "alsa:default", "text": "Default\u001B[2J", "inUse": false}"#
        let text = #"{"schema": "", "inputs": [\#(standard), \#(headset)], "outputs": [\#(headset)]}"#
        return try! JSONDecoder().decode(DevicesDocument.self, from: Data(text.utf8))
    }()

    init(_ takes: [SpokenTake] = []) { self.takes = takes }

    var setup: SoundSetup {
        SoundSetup(
            seconds: 3,
            offered: { PlayedMachine.offered },
            record: { input, onLevel in
                if let fault = self.inputFault { throw fault }
                self.recorded.append(input)
                onLevel(-30)
                return self.takes.removeFirst()
            },
            play: { _, output in
                self.played.append(output)
                return output.hasPrefix("alsa:")
            })
    }
}

@Suite("The questions about devices, and the spoken test")
struct DeviceDialogueTests {
    private static func take(_ amplitude: Float) -> SpokenTake {
        SpokenTake((0..<48_000).map { $0 / 48 % 2 == 0 ? amplitude : -amplitude })
    }

    private func wish(
        _ lines: [String], on machine: PlayedMachine, _ settings: [RunKey: String] = [:], flag: RunKey? = nil
    ) throws -> (devices: DeviceWords, shown: String) {
        var written = RunSettings()
        for (key, value) in settings { written.set(key, option: value) }
        if let flag { written.set(flag, flag: true) }
        let paths = StandardPaths(environment: ["HOME": "/tmp"], user: 0, folderExists: { _ in false })
        let options = try RunResolution.resolve(
            options: written, file: RunSettings(), paths: paths, hostName: "host")
        let person = ScriptedPerson(lines)
        let present = DeviceWords(
            input: settings[.input] ?? "alsa:default", output: settings[.output] ?? "alsa:default")
        let devices = try DeviceDialogue(machine.setup, options, present: present).wish(person.conversation)
        #expect(person.linesLeft == 0)
        #expect(machine.recorded.count <= person.forgetCount, "keys that were pressed during a test answer nothing")
        return (devices, person.shown)
    }

    @Test("empty answers take the present devices, and test them")
    func defaults() throws {
        let machine = PlayedMachine([Self.take(0.1)])
        let (devices, shown) = try wish(["", "", "", ""], on: machine)
        #expect(devices == DeviceWords(input: "alsa:default", output: "alsa:default"))
        #expect(machine.recorded == ["alsa:default"] && machine.played == ["alsa:default"])
        #expect(shown.contains("Inputs:\n   1  alsa:default  Default[2J\n   2  alsa:hw:1,0  Headset\n"))
        #expect(shown.contains("  Speak now:\n\r  [#####.....]\n  Good: speech at -20 dBFS, peaks at -20.\n"))
        #expect(shown.contains("  That was you:\n"))
    }

    @Test("a device is named by its number or by its name; a wrong one is asked for again, with the reason")
    func names() throws {
        let (devices, shown) = try wish(["3", "tape:1", "2", "tone:440", "null", "no"], on: PlayedMachine())
        #expect(devices == DeviceWords(input: "alsa:hw:1,0", output: "null"))
        #expect(shown.contains("  there is no number 3 in the list\n"))
        #expect(shown.contains("  unknown input device `tape:1`; expected alsa:NAME"))
        #expect(shown.contains("  a tone can be heard but not played into"))
    }

    @Test("a file that cannot be read, or made, is asked for again, with the reason")
    func files() throws {
        let lines = ["file:/none/in.wav", "1", "file:/none/out.wav", "null", "no"]
        let (devices, shown) = try wish(lines, on: PlayedMachine())
        #expect(devices == DeviceWords(input: "alsa:default", output: "null"))
        #expect(shown.contains("  /none/in.wav: No such file or directory\n"))
        #expect(shown.contains("  the folder /none/: No such file or directory\n"))
    }

    @Test("the test can be skipped, repeated, and followed by another choice")
    func again() throws {
        #expect(try wish(["", "", "No"], on: PlayedMachine()).devices.input == "alsa:default")
        let machine = PlayedMachine([Self.take(0.005), Self.take(1), Self.take(0.1)])
        let lines = ["", "", "maybe", "y", "again", "other", "2", "1", "yes", "yes"]
        let (devices, shown) = try wish(lines, on: machine)
        #expect(devices == DeviceWords(input: "alsa:hw:1,0", output: "alsa:hw:1,0"))
        #expect(machine.recorded == ["alsa:default", "alsa:default", "alsa:hw:1,0"])
        #expect(shown.contains("  expected yes or no\n"))
        #expect(shown.contains("  Too quiet: speech at -46 dBFS, peaks at -46. Come closer,"))
        #expect(shown.contains("  Too loud, it is clipping: speech at 0 dBFS, peaks at 0. Turn the"))
    }

    @Test("nothing is played where nothing was heard, and no sound goes into a file")
    func unheard() throws {
        let silent = PlayedMachine([Self.take(0)])
        let shown = try wish(["", "", "", ""], on: silent).shown
        #expect(silent.played.isEmpty && shown.contains("  Nothing was heard. Is the microphone muted,"))
        let toFile = try wish(["", "file:/tmp/a.wav", "", ""], on: PlayedMachine([Self.take(0.1)])).shown
        #expect(toFile.contains("  file:/tmp/a.wav makes no sound, so nothing is played\n"))
    }

    @Test("a device that fails is told, and the dialogue goes on")
    func fault() throws {
        let machine = PlayedMachine()
        machine.inputFault = PlayedMachine.AnyFault(description: "cannot open alsa:default: No such device")
        let (devices, shown) = try wish(["", "", "yes", ""], on: machine)
        #expect(devices.input == "alsa:default" && machine.played.isEmpty)
        #expect(shown.contains("  no sound: cannot open alsa:default: No such device\n"))
        #expect(!shown.contains("Speak now"))
    }

    @Test("a device that an option names is not asked for, but tested")
    func named() throws {
        let machine = PlayedMachine([Self.take(0.1)])
        let (devices, shown) = try wish(["1", "", ""], on: machine, [.input: "tone:440"])
        #expect(devices == DeviceWords(output: "alsa:hw:1,0") && !shown.contains("Input"))
        #expect(machine.recorded == ["tone:440"] && machine.played == ["alsa:hw:1,0"])
    }

    @Test("the answers are kept for the next start, and shown")
    func kept() throws {
        let folder = "\(temporaryFolder)/partyline-devices-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var written = RunSettings()
        written.set(.stateDir, option: folder)
        let paths = StandardPaths(environment: ["HOME": folder], user: 0, folderExists: { _ in false })
        let options = try RunResolution.resolve(
            options: written, file: RunSettings(), paths: paths, hostName: "host")
        do {
            let stopped = try StoppedNode(options)
            defer { stopped.close() }
            let dialogue = DeviceDialogue(PlayedMachine().setup, options, present: try stopped.devices(options))
            let lines = try dialogue.keep(in: stopped, ScriptedPerson(["2", "null", "no"]).conversation)
            #expect(lines == ["input is alsa:hw:1,0 from the next start on", "output is null from the next start on"])
        }
        let stopped = try StoppedNode(options)
        defer { stopped.close() }
        #expect(try stopped.devices(options) == DeviceWords(input: "alsa:hw:1,0", output: "null"))
    }

    @Test("devices that allow no echo cancellation are asked for again where it is on")
    func clocks() throws {
        let (devices, shown) = try wish(["2", "null", "2", "1", "no"], on: PlayedMachine(), flag: .echoCancel)
        #expect(devices == DeviceWords(input: "alsa:hw:1,0", output: "alsa:hw:1,0"))
        #expect(shown.contains("  echo-cancel needs input and output on one clock"))
    }
}
