import CLinux
import Glibc

/// What the running thread was given to be punctual, and why not more.
///
/// FIFO is for hardware alone: a sound server's plugin takes locks that the server's ordinary
/// threads hold (priority inversion), and rtkit's limit ends a FIFO thread that computes for long.
enum RealTimeGrant: Hashable, Sendable {
    case fifo(priority: Int32)
    /// FIFO was wanted and refused.
    case refused(code: Int32, niceCode: Int32)
    /// No card is behind the device.
    case notHardware(niceCode: Int32)
    case switchedOff

    /// Asks for what suits a device; on the thread that will run it.
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

    /// Gives FIFO back before the thread does what may take long: opening devices.
    func giveBack() {
        if case .fifo = self { _ = linux_thread_make_ordinary() }
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
