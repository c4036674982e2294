import CLinux
import Glibc

/// The scheduling that the running thread has got, and the reason if it is not real time.
///
/// FIFO is for hardware only. The plugin of a sound server takes locks that the server's ordinary threads hold
/// (priority inversion), and the limit of rtkit ends a FIFO thread that computes for long.
enum RealTimeGrant: Hashable, Sendable {
    case fifo(priority: Int32)
    /// FIFO was wanted and refused.
    case refused(code: Int32, niceCode: Int32)
    /// The device is not a sound card.
    case notHardware(niceCode: Int32)
    case switchedOff

    /// Asks for the scheduling that suits a device. Call it on the thread that will run the device.
    static func request(pacing: EndpointTraits.Pacing, policy: AudioConfiguration.RealTimePolicy) -> RealTimeGrant {
        guard policy == .forHardware else { return .switchedOff }
        guard pacing == .card else {
            return .notHardware(niceCode: linux_thread_set_nice(AudioLimits.niceValue))
        }
        let code = linux_thread_make_fifo(AudioLimits.fifoPriority)
        guard code != 0 else {
            _ = linux_memory_lock()
            return .fifo(priority: AudioLimits.fifoPriority)
        }
        return .refused(code: code, niceCode: linux_thread_set_nice(AudioLimits.niceValue))
    }

    /// Gives FIFO back before the thread opens devices, which may take long.
    /// - Returns: 0, or the errno if the system leaves the thread at FIFO.
    func giveBack() -> Int32 {
        if case .fifo = self { linux_thread_make_ordinary() } else { 0 }
    }

    var text: String {
        switch self {
        case .fifo(let priority): "yes, SCHED_FIFO \(priority)"
        case .refused(let code, let nice): "no, refused: \(String(cString: strerror(code))); \(Self.niceText(nice))"
        case .notHardware(let nice): "no, not a sound card but software; \(Self.niceText(nice))"
        case .switchedOff: "off"
        }
    }

    private static func niceText(_ code: Int32) -> String {
        code == 0 ? "nice \(AudioLimits.niceValue)" : "ordinary priority"
    }
}
