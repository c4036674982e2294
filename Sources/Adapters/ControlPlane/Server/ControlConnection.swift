import NIOCore

/// One connected client, on the server's event loop. It reads lines, calls the handler, and writes the replies as
/// lines.
///
///     connected ──subscribe──▶ subscribed
///         └──────── overflow · unread too long · closed ────────▶ closed
final class ControlConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private(set) var isSubscribed = false
    private let clients: NIOLoopBoundBox<ControlClients>
    private let loopHandler: LoopHandler
    private let gate: EventGate
    private let handler: ControlServer.Handler
    private var framer = LineFramer(bytesMax: ControlLimits.requestLineBytesMax)
    private var requestsInFlight = 0
    private var context: ChannelHandlerContext?

    init(
        clients: NIOLoopBoundBox<ControlClients>, loopHandler: LoopHandler, gate: EventGate,
        handler: @escaping ControlServer.Handler
    ) {
        self.clients = clients
        self.loopHandler = loopHandler
        self.gate = gate
        self.handler = handler
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        guard clients.value.connections.count < ControlLimits.clientsMax else {
            refuse(ControlFailure(.busy, "\(ControlLimits.clientsMax) clients are connected already"))
            return
        }
        clients.value.connections.append(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        clients.value.connections.removeAll { $0 === self }
        if isSubscribed { gate.unsubscribed() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do {
            for line in try framer.lines(adding: unwrapInboundIn(data).readableBytesView) { take(line) }
        } catch {
            refuse(ControlFailure(.invalidRequest, "a line has more than \(error.bytesMax) bytes"))
        }
    }

    /// Writes a line. If the client is too far behind with reading, it is dropped.
    func send(_ line: ByteBuffer) {
        guard let context else { return }
        guard context.channel.isWritable else {
            context.close(promise: nil)
            return
        }
        context.writeAndFlush(wrapOutboundOut(line), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    private func send(_ line: [UInt8]) { send(ByteBuffer(bytes: line)) }

    private func refuse(_ failure: ControlFailure) {
        guard let context else { return }
        let line = ByteBuffer(bytes: ControlCodec.line(failure: failure, id: .null))
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(line)).whenComplete { _ in channel.close(promise: nil) }
        self.context = nil
    }

    private func take(_ line: [UInt8]) {
        let call: RPCCall
        do {
            call = try RPCCall(line: line)
        } catch {
            send(ControlCodec.line(failure: error.failure, id: error.id))
            return
        }
        switch call.order {
        case .subscribe:
            if !isSubscribed { gate.subscribed() }
            isSubscribed = true
            if let id = call.id { send(ControlCodec.line(reply: .done, id: id)) }
        case .ask(let request):
            ask(request, id: call.id)
        }
    }

    private func ask(_ request: ControlRequest, id: RPCIdentifier?) {
        guard let context else { return }
        guard requestsInFlight < ControlLimits.requestsInFlightMax else {
            let failure = ControlFailure(.busy, "too many requests at once")
            if let id { send(ControlCodec.line(failure: failure, id: id)) }
            return
        }
        guard clients.value.isServing else {
            let failure = ControlFailure(.notNow, "the node is ending")
            if let id { send(ControlCodec.line(failure: failure, id: id)) }
            return
        }
        requestsInFlight += 1
        clients.value.requestBegan()
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        Task { [handler, loopHandler] in
            let reply = await handler(request)
            let line = id.map { ControlCodec.line(reply: reply, id: $0) }
            loopHandler.execute { connection.value.answer(line) }
        }
    }

    private func answer(_ line: [UInt8]?) {
        requestsInFlight -= 1
        if let line { send(line) }
        clients.value.requestEnded()?.succeed()
    }
}
