import AudioIO
import Channels
import ControlPlane
import Mesh
import NIOCore
import Node
import Primitives
import SystemClock
import Voice

/// The talk keys: orders of people, and peers that come. Everything here runs on the node loop.
extension NodeLoop {
    /// The channels on which the first talk key speaks. With key tables those that `talk-on` chose mean nothing,
    /// although they are kept.
    var firstKeyChannels: [ChannelID] { core.keys.targets(core.listening.list)[0].channels }

    /// Every change of the talk keys goes through here, so that voice path, mesh and events agree.
    func changeTalk(_ change: (inout TalkSwitch) -> Void) {
        // A pause before this change closes keys, and must not close those that it opens.
        turn { changeTalkNow(change) }
    }

    private func changeTalkNow(_ change: (inout TalkSwitch) -> Void) {
        let (before, formerlyStuck, formerlyDown) = (talk.talkingKeys, talk.stuckKeys, talk.downKeys)
        let wasTalking = talk.isTalkingByPress
        change(&talk)
        for (index, key) in talk.keys.enumerated() where keys.entries[index].mode != key.mode {
            keys.set(key.mode, of: index)
        }
        findCaller()
        core.setDown(talk.downKeys)
        parts.audio.keys.move(to: talk.gateKeys)
        parts.audio.keys.setCough(talk.isCoughing)
        let pressed = talk.downKeys.subtracting(formerlyDown)
        withheld.subtract(pressed)
        if !pressed.isEmpty { soundIfBusy(on: core.voice.targets(of: pressed).channels) }
        let keys = talk.talkingKeys
        if before != keys { self.change { core.setTalking(by: keys, now: $0) } }
        soundTalk(before: wasTalking)
        tellStuck(talk.stuckKeys.subtracting(formerlyStuck))
        for index in self.keys.entries.indices where pressed.contains(.key(index)) {
            watch.heardKeys.release(index)
            if !talk.isCoughing { tellIfUnheard(index) }
        }
    }

    /// Tells people if nobody gets the voice of a key that is down, and records it if somebody does.
    func tellIfUnheard(_ key: Int) {
        guard let why = whyUnheard(key) else { return watch.heardKeys.recordHeard(key) }
        watch.heardKeys.recordTold(key, now: .monotonicNow())
        tell(.unheard(why, key: keys.entries[key].name))
    }

    /// Tells people of a key that is held or latched and has lost its last listener. Open keys and those with vox are
    /// not watched, because nobody presses them. Called twice a second.
    func reportUnheardKeys() {
        guard !talk.isCoughing else { return }
        for key in keys.entries.indices {
            if !talk.keys[key].isDown || talk.keys[key].mode.isDownByItself {
                watch.heardKeys.release(key)
            } else if isHeard(key) {
                watch.heardKeys.recordHeard(key)
            } else if watch.heardKeys.isNews(key, now: .monotonicNow()) {
                tellIfUnheard(key)
            }
        }
    }

    private func tellStuck(_ stuck: KeySet) {
        guard let limit = talk.keyLimit else { return }
        for (index, entry) in keys.entries.enumerated() where stuck.contains(.key(index)) {
            tell(.keyStuck(entry.name, limit: limit))
        }
    }

    /// Why nobody gets the voice of a key, as a sentence; nil if somebody does. A press asks for it, so the status of
    /// the peers is made only if nobody does.
    func whyUnheard(_ key: Int) -> String? {
        guard !isHeard(key) else { return nil }
        let known = peers()
        return KeysDocument.Key(key, at: self, known)
            .unheard(hasLinks: known.contains(where: \.state.isLinked), silentOn: silentChannels(ofKey: key))
    }

    /// Whether somebody gets the voice of a key.
    private func isHeard(_ key: Int) -> Bool {
        let targets = core.voice.targets(of: .key(key))
        var isHeard = false
        core.mesh.visitListeners { peer, channels, refused, _ in
            isHeard = isHeard || targets.reaches(peer, listeningTo: channels, refusing: refused)
        }
        return isHeard
    }

    /// The names of the channels of a key to which this node only listens. A key without targets of its own may speak
    /// on any joined channel.
    func silentChannels(ofKey key: Int) -> [String] {
        let list = core.listening.list
        let channels = core.keys[key]?.channels ?? list.entries.map(\.channel)
        return names(of: channels.filter { list[$0]?.mayTalk == false })
    }

    /// The names of the linked peers to which a key speaks and that have not granted this talk; nil if there are none.
    func refusers(ofKey key: Int) -> [String]? {
        let targets = core.voice.targets(of: .key(key))
        var refusers: [NodeID] = []
        core.mesh.visitListeners { peer, channels, refused, feedsProgramme in
            let isRefused = targets.isRefused(
                by: peer, listeningTo: channels, refusing: refused, feedsProgramme: feedsProgramme)
            if isRefused { refusers.append(peer) }
        }
        return refusers.isEmpty ? nil : refusers.map(peerDirectory.name(of:))
    }

    /// The keys that people see: a key that was made for private talk or for replies only while it is in use.
    var listedKeys: [Int] {
        keys.entries.indices.filter { !keys.entries[$0].isMade || !talk.isIdle($0) }
    }

    /// Returns the number of the key that a person names; the first key without a name.
    /// - Throws: `notNow` if no key has that name.
    func key(named name: String?) throws(ControlFailure) -> Int {
        guard let name else { return 0 }
        guard let index = keys.index(of: name) else {
            throw ControlFailure(.notNow, "no key '\(SafeText(name))'; `partyline keys` lists them")
        }
        return index
    }

    /// Returns the number of the key that was made for private talk to a peer, and makes it if there is none.
    /// - Throws: `notNow` if all keys are configured or pressed.
    func privateKey(to peer: NodeID) throws(ControlFailure) -> Int {
        if let index = keys.index(ofPeer: peer) { return index }
        return try makeKey(
            KeyBook.Entry(
                name: "@\(peerDirectory.name(of: peer))", mode: .ptt, terminalKey: nil, peers: [], channels: [],
                privatePeer: peer),
            KeyTargets(peers: [peer]))
    }

    /// Returns the number of the key that was made for private talk to a peer, linked or not, that a person names.
    /// - Throws: `notNow` if there is none, `ambiguousPeer` if the person may mean one of several.
    func madeKey(forPeer text: String) throws(ControlFailure) -> Int {
        let spokenTo = keys.entries.compactMap(\.privatePeer).map { peer in
            NamedKey(node: peer, name: SafeText(peerDirectory.name(of: peer)), isHere: false)
        }
        let none = ControlFailure(.notNow, "no private key for '\(SafeText(text))'; `partyline keys` lists them")
        guard !PeerLookup.matches(text, among: spokenTo).isEmpty else { throw none }
        let peer = try PeerLookup.find(text, among: spokenTo).node
        guard let index = keys.index(ofPeer: peer) else { throw none }
        return index
    }

    /// Returns the number of a key that replies, and makes it if there is none.
    /// - Throws: `notNow` if nobody has called or all keys are configured or pressed.
    func replyKey() throws(ControlFailure) -> Int {
        findCaller()
        guard core.voice.caller != nil else {
            throw ControlFailure(.notNow, "nobody has called or spoken privately to this node yet")
        }
        let pressed = keys.entries.indices.first { index in
            core.keys[index] == KeyTargets(isReply: true)
        }
        if let pressed { return pressed }
        return try makeKey(
            KeyBook.Entry(
                name: KeyBook.replyName, mode: .ptt, terminalKey: nil, peers: [], channels: [], isMadeForReply: true),
            KeyTargets(isReply: true))
    }

    /// Makes a key. A key that was made before, and is up, may go for it.
    private func makeKey(_ entry: KeyBook.Entry, _ targets: KeyTargets) throws(ControlFailure) -> Int {
        let count = keys.entries.count
        var free = count < TalkLimits.keysMax ? count : nil
        if free == nil {
            free = keys.entries.indices.first { keys.entries[$0].isMade && talk.isIdle($0) }
        }
        guard let index = free else {
            throw ControlFailure(.notNow, "\(TalkLimits.keysMax) keys are the most; release one that was made first")
        }
        keys.set(entry, at: index)
        talk.set(entry.mode, of: index)
        change { core.setKey(index, to: targets, now: $0) }
        return index
    }

    /// Speaks to the peers that the keys name, as far as they are known now. Call it when a peer has come or has
    /// another name, and when the person has decided about a key.
    func findPeersOfKeys() {
        guard keys.entries.contains(where: { !$0.peers.isEmpty }) else { return }
        let known = peers()
        for (index, entry) in keys.entries.enumerated() where !entry.peers.isEmpty {
            guard var targets = core.keys[index] else { continue }
            let found = peers(named: entry.peers, among: known, former: targets.peers)
            guard found != targets.peers else { continue }
            targets.peers = found
            change { core.setKey(index, to: targets, now: $0) }
        }
    }

    /// The peers that the names of a key mean. A name that fits several peers means the one of `former`, to which the
    /// key spoke before. If there is none, it means nobody: `partyline keys` shows it.
    func peers(named names: [String], among known: [PeerStatus], former: [NodeID]) -> [NodeID] {
        names.compactMap { name in
            let matches = PeerLookup.matches(name, among: candidates(for: name, among: known)).map(\.node)
            return matches.count == 1 ? matches.first : matches.first { former.contains($0) }
        }
    }

    /// The peers that a person may mean by a name, to speak to one of them. A peer that has taken a name known under
    /// another key is not among them.
    func candidates(for name: String, among known: [PeerStatus]) -> [PeerStatus] {
        known.filter { !$0.isNamed(name) || rival(of: $0) == nil }
    }

    /// Follows the keys of the frames that are sent. With vox they decide when talking begins and ends. With
    /// half-duplex they decide when it begins; it ends when the key goes up, some frames before the spurt ends.
    func followSent(_ frame: VoiceFrame) {
        let sent = frame.flags.contains(.spurtEnd) ? KeySet() : frame.keys
        guard sent != talk.sentKeys else { return talk.noteSent() }
        changeTalk { $0.setSent(sent) }
    }

    /// Ends the talking whose last frame was lost. Called twice a second.
    func endLostSpurt() {
        if talk.missesSpurtEnd() { changeTalk { $0.setSent([]) } }
    }
}
