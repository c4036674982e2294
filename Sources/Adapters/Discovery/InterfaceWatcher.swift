import CLinux
package import NIOCore
import NIOPosix

/// Reports changes of network interfaces and their addresses, gathered over 250 ms (rtnetlink(7)). Belongs to `loop`.
package final class InterfaceWatcher {
    private let loop: any EventLoop
    private let onChange: ([NetworkInterface]) -> Void
    private var last: [NetworkInterface] = []
    private var channel: (any Channel)?
    private var pending: Scheduled<Void>?
    private var isClosed = false

    /// Calls `onChange` at once with the present interfaces, and then after every change. Must be called on `loop`, on
    /// which `onChange` is called too.
    package init(loop: any EventLoop, onChange: @escaping ([NetworkInterface]) -> Void) {
        self.loop = loop
        self.onChange = onChange
        listen()
        last = NetworkInterface.current()
        onChange(last)
    }

    /// Ends the reports.
    package func close() {
        isClosed = true
        pending?.cancel()
        channel?.close(promise: nil)
        channel = nil
    }

    /// Reads the interfaces after a short delay. Further calls within the delay have no effect.
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
        // If this program reads too slowly, the kernel drops messages and reports ENOBUFS, which closes the channel.
        // Then the interfaces are read again, and a new socket is opened.
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

/// Calls `ring` for every message. The messages are not parsed, because the state is read from the kernel afterwards.
private final class ChangeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let ring: () -> Void

    init(ring: @escaping () -> Void) { self.ring = ring }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { ring() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
