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
        #expect(all.isRefused(by: other, listeningTo: [], refusing: .all), "a person who only talks is there")
    }

    @Test("a peer that feeds programme refuses only a key that names it")
    func programme() {
        let feed = TestIdentity.nodeID(seed: 1)
        func refuses(_ key: KeyTargets) -> Bool {
            key.isRefused(by: feed, listeningTo: [], refusing: .all, feedsProgramme: true)
        }
        #expect(!refuses(KeyTargets(isToAll: true)), "nobody is there")
        #expect(refuses(KeyTargets(peers: [feed])) && refuses(KeyTargets(peers: [feed], isToAll: true)))
    }

    @Test("what a node refuses to a peer follows from its grants")
    func grants() {
        let (granted, other) = (TestIdentity.nodeID(seed: 1), TestIdentity.nodeID(seed: 2))
        let grants = TalkGrants(privately: .nodes([granted]), toAll: .nobody)
        #expect(grants.refused(to: granted) == .toAll && grants.refused(to: other) == .all)
        #expect(TalkGrants().refused(to: other) == [])
    }
}
