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

    @Test("a peer that does not grant private talk or talk to all hears nothing of it, and still hears its channels")
    func refusals() {
        let stage = ChannelID(high: 0, low: 1)
        let (own, other) = (TestIdentity.nodeID(seed: 1), TestIdentity.nodeID(seed: 2))
        let key = KeyTargets(channels: [stage], peers: [own])
        #expect(!key.reaches(own, listeningTo: [], refusing: .privately))
        #expect(key.isRefused(by: own, listeningTo: [], refusing: .privately))
        #expect(key.reaches(own, listeningTo: [], refusing: .toAll), "it was not said to all")
        #expect(key.reaches(own, listeningTo: [stage], refusing: .all))
        #expect(!key.isRefused(by: own, listeningTo: [stage], refusing: .all))
        #expect(!key.isRefused(by: other, listeningTo: [], refusing: .all), "the key does not speak to it")
        let all = KeyTargets(isToAll: true)
        #expect(!all.reaches(other, listeningTo: [stage], refusing: .toAll))
        #expect(all.isRefused(by: other, listeningTo: [stage], refusing: .toAll))
        #expect(all.isRefused(by: other, listeningTo: [], refusing: .toAll))
        #expect(!all.isRefused(by: other, listeningTo: [], refusing: .all), "it can hear nothing, so nobody is there")
        #expect(KeyTargets(peers: [other]).isRefused(by: other, listeningTo: [], refusing: .all))
    }

    @Test("what a node refuses to a peer follows from its grants")
    func grants() {
        let (granted, other) = (TestIdentity.nodeID(seed: 1), TestIdentity.nodeID(seed: 2))
        let grants = TalkGrants(privately: .nodes([granted]), toAll: .nobody)
        #expect(grants.refused(to: granted) == .toAll && grants.refused(to: other) == .all)
        #expect(TalkGrants().refused(to: other) == [])
    }
}
