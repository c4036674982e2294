import AudioIO
import Dispatch
import NodeRuntime
import Testing

@Suite("The list of sound devices at a running node", .timeLimit(.minutes(1)))
struct DeviceListingTests {
    @Test("lists that wait for a driver that hangs leave the threads of all other tasks free")
    func hangingDriver() async {
        let driver = DispatchSemaphore(value: 0)
        let headset = SoundDevice(specification: .alsa(name: "hw:1,0"), text: "Headset", isInput: true, isOutput: true)
        let listing = DeviceListing {
            driver.wait()
            return [headset]
        }
        // More than the machine has threads for tasks.
        let waiting = (0..<256).map { _ in Task { await listing.devices() } }
        for _ in 0..<256 { await Task.detached { await Task.yield() }.value }
        for _ in waiting { driver.signal() }
        var lists: [[SoundDevice]] = []
        for list in waiting { lists.append(await list.value) }
        #expect(lists.allSatisfy { $0 == [headset] })
    }
}
