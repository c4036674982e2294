package import Carrier
package import MediaSocket
package import Primitives

/// The media socket as the node loop uses it: `MediaSocket`, or a wrapper around it. Called on the node loop only.
package protocol MediaAdapter: AnyObject {
    /// Puts a datagram into the outbox, which `flush` sends.
    func send(_ bytes: [UInt8], to endpoint: Endpoint)
    func flush()
    var counters: Counters<MediaSocketCounter> { get }
}

/// The carriers as the node loop uses them: `CarrierService`, or a wrapper around it. Each function returns at once.
/// Its results come later, as `CarrierEvent`s.
package protocol CarrierAdapter: AnyObject, Sendable {
    func setNetworks(_ networks: [LocalNetwork])
    func dial(_ dial: DialID, _ endpoint: Endpoint, expecting peer: NodeID?)
    func cancelDial(_ dial: DialID)
    func dialThrough(_ dial: DialID, _ tunnel: TunnelID, expecting peer: NodeID)
    func acceptThrough(_ tunnel: TunnelID, expecting peer: NodeID)
    func tunnelBytes(_ tunnel: TunnelID, _ bytes: [UInt8])
    func tunnelReady(_ tunnel: TunnelID)
    func closeTunnel(_ tunnel: TunnelID)
    func send(_ frame: [UInt8], on carrier: CarrierID)
    func sendVoice(_ frame: [UInt8], on carrier: CarrierID)
    func close(_ carrier: CarrierID)
    /// Lets the next frame of the carrier come. Before HELLO the carrier hands over one frame at a time.
    func admitFrame(_ carrier: CarrierID)
    /// Ends the deadline of the carrier and allows large frames, since its peer's HELLO was accepted.
    func trust(_ carrier: CarrierID)
    func counters() async -> Counters<CarrierCounter>
}

extension MediaSocket: MediaAdapter {}
extension CarrierService: CarrierAdapter {}
