import ControlPlane
import Synchronization

/// Answers requests that come while the node still starts, and hands the rest to the handler.
final class ControlRequestHandlerBox: Sendable {
    private let handler = Mutex<ControlRequestHandler?>(nil)

    func open(_ handler: ControlRequestHandler) { self.handler.withLock { $0 = handler } }

    func answer(_ request: ControlRequest) async -> ControlReply {
        guard let handler = handler.withLock({ $0 }) else {
            return .failed(ControlFailure(.notNow, "the node is still starting"))
        }
        return await handler.answer(request)
    }
}
