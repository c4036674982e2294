import CLinux
package import NIOCore
import NIOPosix

/// Tells of changes to links and addresses (rtnetlink), gathered over 250 ms. Lives on `loop`.
package final class InterfaceWatcher {
    private let loop: any EventLoop
    private let onChange: ([NetworkInterface]) -> Void
    private var last: [NetworkInterface] = []
    private var channel: (any Channel)?
    private var pending: Scheduled<Void>?
    private var isClosed = false

    /// Calls `onChange` on `loop`, first at once with what there is, then whenever it differs.
    /// To be made on `loop`.
    package init(loop: any EventLoop, onChange: @escaping ([NetworkInterface]) -> Void) {
        self.loop = loop
        self.onChange = onChange
        listen()
        last = NetworkInterface.current()
        onChange(last)
    }

    package func close() {
        isClosed = true
        pending?.cancel()
        channel?.close(promise: nil)
        channel = nil
    }

    /// Something may be different: looks once, a little later, however often it is told.
    private func changed() {
        guard !isClosed, pending == nil else { return }
        let delay = TimeAmount.milliseconds(DiscoveryLimits.interfaceDebounceMilliseconds)
        pending = loop.assumeIsolated().scheduleTask(in: delay) { [weak self] in self?.look() }
    }

    private func look() {
        pending = nil
        let current = NetworkInterface.current()
        guard current != last else { return }
        last = current
        onChange(current)
    }

    private func listen() {
        guard !isClosed else { return }
        let descriptor = linux_netlink_open()
        guard 0 <= descriptor else { return listenLater() }
        let watcher = NIOLoopBound(self, eventLoop: loop)
        NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ChangeHandler { watcher.value.changed() })
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .whenComplete { result in watcher.value.began(result) }
    }

    private func began(_ result: Result<any Channel, any Error>) {
        guard case .success(let channel) = result else { return listenLater() }
        guard !isClosed else { return channel.close(promise: nil) }
        self.channel = channel
        // The kernel drops messages for a slow reader (ENOBUFS), which ends the channel: look, begin anew.
        channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in self?.listenLater() }
    }

    private func listenLater() {
        changed()
        guard !isClosed else { return }
        loop.assumeIsolated().scheduleTask(in: .seconds(DiscoveryLimits.netlinkRetrySeconds)) { [weak self] in
            self?.listen()
        }
    }
}

/// Rings for whatever is read: what changed is asked of the kernel, not read from the message.
private final class ChangeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let ring: () -> Void

    init(ring: @escaping () -> Void) { self.ring = ring }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { ring() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
