import AudioIO
import Glibc
import NIOCore
import NIOPosix

/// Wakes the node loop when the capture thread has frames: the engine's eventfd as a pipe channel.
enum CapturedFrames {
    /// - Parameter onFrames: called on `loop` at every wake-up.
    /// - Throws: `IOError` where the process may open no more files.
    static func attach(
        to engine: AudioEngine, loop: any EventLoop, onFrames: @escaping @Sendable () -> Void
    ) async throws {
        // The channel closes its descriptor, the engine its own.
        let descriptor = dup(engine.wakeDescriptor)
        guard 0 <= descriptor else { throw IOError(errnoCode: errno, reason: "dup of the wake descriptor") }
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

/// The bytes are the eventfd's count and say nothing; that they came says all.
private final class WakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let onFrames: @Sendable () -> Void

    init(onFrames: @escaping @Sendable () -> Void) { self.onFrames = onFrames }

    func channelReadComplete(context: ChannelHandlerContext) { onFrames() }
}
