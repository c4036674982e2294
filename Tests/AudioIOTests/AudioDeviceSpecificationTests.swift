import AudioIO
import Foundation
import TestKit
import Testing

@Suite("device names")
struct AudioDeviceSpecificationTests {
    @Test(
        "every kind of device is read and written",
        arguments: [
            ("alsa:hw:1,0", DeviceSpecification.alsa(name: "hw:1,0"), "alsa:hw:1,0"),
            ("alsa:", .alsa(name: "default"), "alsa:default"),
            ("alsa", .alsa(name: "default"), "alsa:default"),
            ("file:a:b.wav", .file(path: "a:b.wav"), "file:a:b.wav"),
            ("tone:440", .tone(hertz: 440), "tone:440"),
            ("null", .null, "null"),
        ])
    func understood(text: String, expected: DeviceSpecification, written: String) throws {
        let specification = try DeviceSpecification(text, as: .input)
        #expect(specification == expected)
        #expect(specification.description == written)
    }

    @Test("one file is known by its path, also where that has steps which lead nowhere")
    func sameFile() {
        func isSame(_ own: String, _ other: String) -> Bool {
            DeviceSpecification.file(path: own).isSameFile(as: .file(path: other))
        }
        #expect(isSame("/a/b.wav", "/a//./b.wav") && isSame("b.wav", "./b.wav"))
        #expect(!isSame("/a/b.wav", "/a/c.wav") && !isSame("/b.wav", "b.wav") && !isSame("a/../b.wav", "a/b.wav"))
        #expect(!DeviceSpecification.null.isSameFile(as: .null))
    }

    @Test("one file is known through a link and a step back")
    func linkedFile() throws {
        let folder = "\(temporaryFolder)/partyline-same-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: "\(folder)/sub", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(symlink("a.wav", "\(folder)/link.wav") == 0)
        let file = DeviceSpecification.file(path: "\(folder)/a.wav")
        for path in ["link.wav", "sub/../a.wav", "sub/../link.wav"] {
            #expect(file.isSameFile(as: .file(path: "\(folder)/\(path)")), "\(path)")
        }
        #expect(!file.isSameFile(as: .file(path: "\(folder)/sub/a.wav")))
    }

    @Test(
        "the error of a wrong name says what was expected",
        arguments: [
            ("", DeviceSpecification.Direction.input, "tone:HZ"),
            ("pulse", .output, "alsa:NAME, file:PATH or null"),
            ("file:", .input, "path of a WAV file"),
            ("tone:0", .input, "1 to 20000 Hz"),
            ("tone:loud", .input, "1 to 20000 Hz"),
            ("tone:440", .output, "not played into"),
            ("null:1", .input, "takes nothing"),
        ])
    func refused(text: String, direction: DeviceSpecification.Direction, hint: String) {
        do {
            let specification = try DeviceSpecification(text, as: direction)
            Issue.record("`\(text)` was taken as \(specification)")
        } catch {
            #expect(error.description.contains(hint))
        }
    }
}
