import AudioIO
import Carrier
import Discovery
import MediaSocket
import Mesh
import Node
import Primitives
import SystemClock
import Voice
import Wire

/// Turns the events of adapters into inputs of the mesh. Everything here runs on the node loop.
extension NodeLoop {
    func arrived(_ event: CarrierEvent) {
        switch event {
        case .opened(let carrier, let peer, let dial, let remote):
            watch.given.opened(dial, to: peer)
            // If the mesh refuses a node because of its network, it tells that node, and here only counts the refusal.
            let refusedBefore = core.mesh.counted([.carriersOffLink])
            feed(.carrierOpened(carrier, peer: peer, dial: dial, remote: remote))
            if refusedBefore < core.mesh.counted([.carriersOffLink]) { watch.refused.note(remote.address) }
        case .frame(let carrier, let frame):
            feed(.carrierFrame(carrier, frame))
        case .closed(let carrier, let reason):
            feed(.carrierClosed(carrier, CarrierEnd(reason)))
        case .dialFailed(let dial, let failure):
            watch.given.failed(dial, DialFailure(failure))
            feed(.dialFailed(dial, DialFailure(failure)))
        case .openedThrough(let carrier, let peer, let tunnel):
            feed(.tunnelledCarrierOpened(carrier, peer: peer, tunnel))
        case .tunnelPiece(let tunnel, let bytes): feed(.tunnelSend(tunnel, bytes))
        case .tunnelTook(let tunnel, let byteCount): feed(.tunnelTook(tunnel, byteCount: byteCount))
        case .tunnelFinished(let tunnel): feed(.tunnelFinished(tunnel))
        }
    }

    func arrived(_ batch: DatagramBatch) {
        turn {
            for datagram in batch.datagrams {
                feed(.datagram(datagram.bytes, from: datagram.from), now: batch.arrivedAt)
            }
        }
    }

    func arrivedBeacon(_ bytes: [UInt8], from endpoint: Endpoint) {
        if let mesh = try? Beacon(parsing: bytes).mesh, !isOwn(openMesh: mesh) {
            watch.otherMeshes.note(mesh, at: endpoint, by: .beacon, now: .monotonicNow())
        }
        if (try? SealedBeacon(parsing: bytes)) != nil { tellOfClosedMesh(at: endpoint, by: .beacon) }
        feed(.beacon(bytes, from: endpoint))
    }

    func arrived(_ service: DiscoveredService) {
        if let sealed = service.sealed {
            tellOfClosedMesh(at: service.endpoint, by: .avahi)
            feed(.serviceFound(sealed, at: [service.endpoint]))
        }
        guard case .open(let node, let mesh) = service.text else { return }
        guard isOwn(openMesh: mesh) else {
            watch.otherMeshes.note(mesh, at: service.endpoint, by: .avahi, now: .monotonicNow())
            return
        }
        feed(.discovered(PeerHint(source: .avahi, node: node, endpoints: [service.endpoint])))
    }

    /// Whether this node is in the open mesh of this name. A closed mesh of the same name is another one.
    private func isOwn(openMesh name: String) -> Bool { !parts.isMeshClosed && name == parts.mesh }

    /// Tells people that a closed mesh is there, if this node is in an open one. Else it may be the mesh of this node.
    private func tellOfClosedMesh(at endpoint: Endpoint, by sign: OtherMeshes.Sign) {
        guard !parts.isMeshClosed, watch.otherMeshes.note(nil, at: endpoint, by: sign, now: .monotonicNow())
        else { return }
        if !options.feedsProgramme { tell(.closedMesh) }
    }

    func interfacesChanged(_ interfaces: [NetworkInterface]) {
        parts.carrier.setNetworks(interfaces.localNetworks)
        parts.beacon?.update(interfaces)
        feed(.addressesChanged(interfaces.advertised(listen: parts.listenAddress)))
        reportNetwork(lack: interfaces.networkLack(listen: parts.listenAddress))
    }

    /// Tells people that this machine has no network, or has one again. The node that feeds programme is silent: its
    /// main node on the same machine tells the person.
    private func reportNetwork(lack: String?) {
        let former = watch.networkLack
        watch.networkLack = lack
        guard (lack == nil) != (former == nil), !options.feedsProgramme else { return }
        tell(.network(lack: lack))
    }

    /// Takes the coded frames of the capture thread, and sends each to the peers to which its keys speak.
    func drainCaptured() {
        let now = Instant.monotonicNow()
        turn { sendCaptured(now: now) }
    }

    private func sendCaptured(now: Instant) {
        sendMediaClock(now: now)
        parts.audio.drainCaptured { frame, bytes in
            followSent(frame)
            var sent = frame
            sent.keys.subtract(withheld)
            guard sent.keys == frame.keys || !sent.keys.isEmpty else { return }
            send(sent, bytes: bytes, now: now)
        }
    }

    /// Tells the mesh the sample time. Call it at the start, before voice leaves, and before a deadline is handled, by
    /// which the heartbeats leave, also in silence. All other control blocks, such as answers to probes, extrapolate
    /// from the latest call. From the sample time in a control block a listener learns how quickly voice would arrive.
    /// From a wrong one it would learn a wrong delay.
    func sendMediaClock(now: Instant) {
        feed(.mediaClock(parts.audio.mediaTime(at: now)), now: now)
    }

    /// Reports to each peer how its voice arrives here. Called twice a second.
    func reportReception() {
        let audio = parts.audio.status
        for slot in openSlots {
            var report = audio.statistics(of: slot).report
            (report.captureSamples, report.playoutSamples) = (audio.captureSamples, audio.playoutSamples)
            feed(.receptionReport(report, of: slot))
        }
    }
}

extension CarrierEnd {
    init(_ reason: CarrierCloseReason) {
        self =
            switch reason {
            case .closed: .closed
            case .reset: .reset
            case .timedOut: .timedOut
            case .overflow: .overflow
            case .refused: .refused
            }
    }
}

extension DialFailure {
    init(_ failure: CarrierDialFailure) {
        self =
            switch failure {
            case .unreachable: .unreachable
            case .refused: .refused
            case .timedOut: .timedOut
            case .handshake: .handshake
            case .otherIdentity: .otherIdentity
            case .own: .own
            }
    }
}

/// The service of a closed mesh between its two forms: `SealedService` in Core, and the strings of Avahi.
extension ServiceAnnouncement {
    init(_ service: SealedService) {
        self.init(
            .sealed(salt: service.salt, tag: service.tag, node: service.sealedNode), name: SafeText(""),
            port: service.port)
    }
}

extension DiscoveredService {
    /// The service, if it is of a closed mesh.
    var sealed: SealedService? {
        guard case .sealed(let salt, let tag, let node) = text else { return nil }
        // `ServiceText` has parsed the sizes, and Avahi resolves no port 0.
        guard let service = SealedService(port: endpoint.port, salt: salt, tag: tag, sealedNode: node) else {
            illegal("a sealed service that breaks a size", in: "the service that Avahi has resolved")
        }
        return service
    }
}
