import AudioIO
import Carrier
import Discovery
import MediaSocket
import Mesh
import NIOCore
import Primitives
import SystemClock
import Voice
import Wire

/// What comes in from the adapters, turned into the mesh's inputs. All on the node loop.
extension NodeLoop {
    func arrived(_ event: CarrierEvent) {
        switch event {
        case .opened(let carrier, let peer, let dial, let remote):
            carriersBeforeHello.insert(carrier)
            feed(.carrierOpened(carrier, peer: peer, dial: dial, remote: remote))
        case .frame(let carrier, let frame):
            feed(.carrierFrame(carrier, frame))
            // Where the mesh did not close it over its first frame, HELLO was accepted: the carrier
            // may have whole frames and all the time it wants.
            if carriersBeforeHello.remove(carrier) != nil { parts.carrier.trust(carrier) }
        case .closed(let carrier, let reason):
            carriersBeforeHello.remove(carrier)
            feed(.carrierClosed(carrier, CarrierEnd(reason)))
        case .dialFailed(let dial, let failure):
            feed(.dialFailed(dial, DialFailure(failure)))
        case .openedThrough(let carrier, let peer, let tunnel):
            carriersBeforeHello.insert(carrier)
            feed(.tunnelledCarrierOpened(carrier, peer: peer, tunnel))
        case .tunnelPiece(let tunnel, let bytes): feed(.tunnelSend(tunnel, bytes))
        case .tunnelTook(let tunnel, let byteCount): feed(.tunnelTook(tunnel, byteCount: byteCount))
        case .tunnelFinished(let tunnel): feed(.tunnelFinished(tunnel))
        }
    }

    func arrived(_ batch: DatagramBatch) {
        turn(now: batch.arrivedAt) {
            for datagram in batch.datagrams {
                feed(.datagram(datagram.bytes, from: datagram.from), now: batch.arrivedAt)
            }
        }
    }

    func arrivedBeacon(_ bytes: [UInt8], from endpoint: Endpoint) {
        feed(.beacon(bytes, from: endpoint))
    }

    func arrived(_ service: DiscoveredService) {
        feed(.discovered(PeerHint(source: .avahi, node: service.node, endpoints: service.endpoints)))
    }

    func interfacesChanged(_ interfaces: [NetworkInterface]) {
        parts.carrier.setLinks(
            interfaces.flatMap(\.addresses).map { CarrierLink(address: $0.address, prefixLength: $0.prefixLength) })
        parts.beacon?.update(interfaces)
        feed(.addressesChanged(interfaces.advertised(listen: parts.listenAddress)))
    }

    /// The capture thread has frames: one payload for every listener of the channel.
    func drainCaptured() {
        let now = Instant.monotonicNow()
        turn(now: now) { sendCaptured(now: now) }
    }

    private func sendCaptured(now: Instant) {
        sendMediaClock(now: now)
        parts.audio.drainCaptured { frame, bytes in
            updateSpurt(frame)
            send(frame, bytes: bytes, now: now)
        }
    }

    /// Before voice and control blocks leave, in silence too: a listener learns from the sample time
    /// in a block how quickly voice would come, and would keep that much delay for a false one.
    func sendMediaClock(now: Instant) {
        feed(.mediaClock(parts.audio.mediaTime(at: now)), now: now)
    }

    /// Where the voice works the key, or the key waits for others, this is when talking begins and ends.
    private func updateSpurt(_ frame: VoiceFrame) {
        let isStart = frame.flags.contains(.spurtStart)
        guard isStart || frame.flags.contains(.spurtEnd) else { return }
        changeTalk { $0.setSent(isTalking: isStart) }
    }

    /// Twice a second: what this node hears of each peer goes to that peer.
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
