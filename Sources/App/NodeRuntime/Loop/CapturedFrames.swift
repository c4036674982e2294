import AudioIO
import Glibc
import NIOCore
import NIOPosix

/// Wakes the node loop when the capture thread has frames. A pipe channel of the loop reads the engine's eventfd.
enum CapturedFrames {
    /// - Parameter onFrames: called on `loop` at every wake-up.
    /// - Throws: `IOError` if the process may open no more files.
    static func attach(
        to engine: AudioEngine, loop: any EventLoop, onFrames: @escaping @Sendable () -> Void
    ) async throws {
        // The channel closes its descriptor, and the engine closes its own.
        let descriptor = fcntl(engine.wakeDescriptor, F_DUPFD_CLOEXEC, 0)
        guard 0 <= descriptor else { throw IOError(errnoCode: errno, reason: "copy of the wake descriptor") }
        _ = try await NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(WakeHandler(onFrames: onFrames))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .get()
    }
}

/// Calls `onFrames` at each read. The bytes are the eventfd's count, and their value does not matter.
private final class WakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let onFrames: @Sendable () -> Void

    init(onFrames: @escaping @Sendable () -> Void) { self.onFrames = onFrames }

    func channelReadComplete(context: ChannelHandlerContext) { onFrames() }
}
