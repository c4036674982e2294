import Primitives
import TestKit
import Testing

@Suite("The targets of a talk key")
struct KeyTargetsTests {
    @Test("a key reaches a peer of its own, a listener of one of its channels, or all")
    func reaches() {
        let (stage, lights) = (ChannelID(high: 0, low: 1), ChannelID(high: 0, low: 2))
        let (own, other) = (TestIdentity.nodeID(seed: 1), TestIdentity.nodeID(seed: 2))
        let key = KeyTargets(channels: [stage, lights], peers: [own])
        #expect(key.reaches(own, listeningTo: []) && !key.reaches(other, listeningTo: []))
        #expect(key.reaches(other, listeningTo: [lights]))
        #expect(!key.reaches(other, listeningTo: [ChannelID(high: 0, low: 3)]))
        #expect(KeyTargets(isToAll: true).reaches(other, listeningTo: []))
        #expect(!KeyTargets(isReply: true).reaches(other, listeningTo: [stage]), "nobody has called")
    }
}
