import AudioIO
import CLinux
import CThreadPrivilege
import Glibc
import Primitives
import SystemClock
import Testing

@Suite("the real-time priority of an audio thread")
struct RealTimeGrantTests {
    private final class Outcome {
        /// Codes of the steps: 0, or an errno.
        var (privilege, ordinary) = (Int32(-1), Int32(-1))
        /// The scheduling class at the end.
        var policy = Int32(-1)
    }

    /// SCHED_RESET_ON_FORK, which glibc declares only with _GNU_SOURCE.
    private static let resetsOnFork: Int32 = 0x4000_0000

    /// Runs on a thread of its own, since the privilege is lost for good.
    private static func outcome() throws -> Outcome {
        let outcome = Outcome()
        var handle: UInt = 0
        let code = linux_thread_start(
            &handle, 512 * 1_024,
            { context in
                guard let context else { return }
                let outcome = Unmanaged<Outcome>.fromOpaque(context).takeUnretainedValue()
                _ = linux_thread_make_fifo(1)
                outcome.privilege = thread_privilege_drop_nice()
                outcome.ordinary = linux_thread_make_ordinary()
                outcome.policy = sched_getscheduler(0) & ~RealTimeGrantTests.resetsOnFork
            }, Unmanaged.passUnretained(outcome).toOpaque())
        try #require(code == 0)
        try #require(linux_thread_join(handle, (Instant.monotonicNow() + .seconds(10)).nanoseconds) == 0)
        return outcome
    }

    @Test("is told as absent, with the reason, before the first device is open")
    func notOpened() { #expect(DeviceStatus(device: "alsa:default").realTime.hasPrefix("no, ")) }

    @Test("is given back without a privilege")
    func givesBack() throws {
        let outcome = try RealTimeGrantTests.outcome()
        // On a machine that grants no FIFO, the thread was ordinary from the start.
        #expect(outcome.privilege == 0)
        #expect(outcome.ordinary == 0)
        #expect(outcome.policy == SCHED_OTHER)
    }
}
