import Commands
import NodeRuntime
import Testing

extension StatusTextTests {
    @Test("the second output has its channels beside its device; one that plays all names none")
    func secondOutput() {
        var status = Self.status
        status.audio.output2 = "alsa:hw:1"
        let all = "audio   in alsa:default -31 dBFS  out alsa:default -18 dBFS  and alsa:hw:1"
        #expect(StatusText(status, paint: .plain).lines.contains(all))
        status.audio.output2Channels = ["stage", "code:fly"]
        let some = "        and alsa:hw:1 (stage, code:fly)  "
        #expect(StatusText(status, paint: .plain).lines.contains { $0.hasPrefix(some) })
    }
}
