import Commands
import Foundation
import Glibc
import NodeRuntime
import Testing

@Suite("An event as a line")
struct EventLineTests {
    /// Sets the time zone of this process meanwhile.
    private func inZone(_ zone: String, _ body: () -> Void) {
        let former = ProcessInfo.processInfo.environment["TZ"]
        setenv("TZ", zone, 1)
        tzset()
        body()
        if let former { setenv("TZ", former, 1) } else { unsetenv("TZ") }
        tzset()
    }

    @Test("the local time of day stands first, with milliseconds, then the kind and the sentence")
    func line() {
        let event = EventDocument(
            json: """
                {"schema": "partyline.event/1", "station": "a", "sequence": 1, "at_unix_s": 1700000000.0625,
                 "uptime_s": 128.01, "kind": "peer_up", "text": "SM is here", "details": {}}
                """)
        inZone("UTC0") {
            let line = EventLine.text(event)
            #expect(line.hasPrefix("22:13:20.063 peer_up ") && line.hasSuffix(" SM is here"), "\(line)")
        }
        inZone("ZONE-2") { #expect(EventLine.text(event).hasPrefix("00:13:20.063 peer_up ")) }
    }

    @Test(
        "every number is a time of day",
        arguments: [
            (-1, "00:00:00.000"), (.nan, "00:00:00.000"), (59.9996, "00:01:00.000"), (.infinity, "01:46:40.000"),
        ] as [(Double, String)])
    func bounds(seconds: Double, text: String) {
        inZone("UTC0") { #expect(TimeOfDay.milliseconds(seconds) == text) }
        inZone("ZONE-2") { #expect(TimeOfDay.utc(seconds) == text + "Z") }
    }
}
