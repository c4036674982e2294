import ControlPlane
import Synchronization

/// Answers requests that come while the node still starts, and hands the rest to the desk.
final class ControlDeskBox: Sendable {
    private let desk = Mutex<ControlDesk?>(nil)

    func open(_ desk: ControlDesk) { self.desk.withLock { $0 = desk } }

    func answer(_ request: ControlRequest) async -> ControlReply {
        guard let desk = desk.withLock({ $0 }) else {
            return .failed(ControlFailure(.notNow, "the node is still starting"))
        }
        return await desk.answer(request)
    }
}
