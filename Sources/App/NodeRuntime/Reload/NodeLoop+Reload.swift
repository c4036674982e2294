import Channels
import ControlPlane
import Mesh
import Node
import Primitives
import SystemClock
import Voice

/// What a reload changes in a running node. Everything here runs on the node loop.
extension NodeLoop {
    /// Applies options that were read again. The voice goes on meanwhile.
    ///
    /// - Parameter started: the options with which the node was started.
    func apply(_ options: RunOptions, startedWith started: RunOptions) -> ReloadDocument {
        let closedMesh = parts.isMeshClosed ? parts.mesh : nil
        let plan = ReloadPlan(from: self.options, to: options, startedWith: started, in: closedMesh)
        var document = ReloadDocument(needsRestart: plan.needsRestart)
        let (formerWarnings, formerlySpoken) = (channelWarnings, spokenChannels)
        let (formerlyDown, formerlyFree) = (talk.downKeys, core.listening.list.talked)
        let formerValues = plan.live.map { value(of: $0) }
        let channels = applyChannels(plan, of: options, &document)
        // Between two of the changes the key may have spoken nowhere.
        moveFreeKey(from: formerlyFree, to: core.listening.list.talked)
        var keys = self.options.keys
        if plan.live.contains(.talk) { self.options.talk = options.talk }
        if let tables = plan.keys {
            let names = tables.changed(since: keys).map(\.name).joined(separator: ", ")
            let isDone = document.note("changed the talk keys (\(names))") { () throws(ControlFailure) in
                try applyKeys(tables, mode: self.options.talk)
            }
            if isDone { keys = tables }
        }
        applyProfile(plan, options)
        if plan.live.contains(.beepOnLoss) { beepsOnLoss = options.beepsOnLoss }
        if plan.live.contains(.tones) { tones = options.tones }
        if self.options.logLevel != options.logLevel {
            self.options.logLevel = options.logLevel
            applyLogLevel()
        }
        if self.options.grants != options.grants {
            self.options.grants = options.grants
            applyGrants()
        }
        if self.options.admission != options.admission {
            self.options.admission = options.admission
            applyAdmission()
        }
        document.changed += zip(plan.live, formerValues).map { key, former in
            let present = value(of: key)
            return "changed the setting '\(key.rawValue)'" + (present == former ? "" : ": \(former) → \(present)")
        }
        // Only what was applied is in force. The rest is new to the next reload.
        (self.options.channels, self.options.keys) = (channels, keys)
        applyModes(&document)
        (self.options.introduction, self.options.standardNick) = (options.introduction, options.standardNick)
        (self.options.beepsOnLoss, self.options.tones) = (options.beepsOnLoss, options.tones)
        self.options.origin = options.origin
        let warnings =
            [plan.overruledName].compactMap { $0 } + tellSilenced(formerlyDown, since: formerlySpoken)
            + channelWarnings.filter { !formerWarnings.contains($0) }
        document.changed += warnings.map { "attention: \($0)" }
        return document
    }

    /// Parts, joins and changes channels. Returns the wishes of the files that are in force now.
    private func applyChannels(
        _ plan: ReloadPlan, of options: RunOptions, _ document: inout ReloadDocument
    ) -> [ChannelWish] {
        var channels = options.channels
        channelsWithoutCode.removeAll { plan.unnamed.contains($0) }
        channelsRefused = []
        if plan.unnamed != plan.parts {
            document.changed.append("the files name no channel any more, so the node stays on those that it has")
        }
        // The files may name one channel by its former name and by its present one, before and after an edit.
        let named = options.channels.map { core.directory.id(of: present($0.name)) }
        for name in plan.parts.map(present) where isJoined(name) && !named.contains(core.directory.id(of: name)) {
            document.note("parted \(name)") { () throws(ControlFailure) in
                _ = try part(name, forgetsCode: false)
            }
        }
        for written in plan.joins {
            let wish = written.named(present(written.name))
            // A person may have joined it before.
            let word = !isJoined(wish.name) ? "joined" : wish.isMoreThanJoining ? "changed" : "already on"
            let isDone = document.note("\(word) \(wish.name)") { () throws(ControlFailure) in _ = try join(wish) }
            if !isDone, let refusal = document.refused.last {
                channels.removeAll { $0.name == written.name }
                channelsRefused.append((name: wish.name, refusal: refusal))
            }
        }
        for written in plan.changes {
            let wish = written.named(present(written.name))
            guard let entry = core.listening.list[core.directory.id(of: wish.name)] else { continue }
            let effect = wish.effect(on: entry)
            let what = "changed \(wish.name)" + (effect.isEmpty ? "" : ": \(effect)")
            let isDone = document.note(what) { () throws(ControlFailure) in _ = try join(wish) }
            let former = self.options.channels.first { $0.name == written.name }
            if !isDone, let former { channels = channels.map { $0.name == written.name ? former : $0 } }
        }
        return channels
    }

    /// The name that a channel of the files has now. It may have been renamed since they were written, and this node
    /// has followed, or follows as soon as it runs. Or its creator has corrected how it is written.
    func present(_ name: ChannelName) -> ChannelName {
        let channel = core.directory.id(of: name)
        return presentName(of: core.directory.successor(of: channel) ?? channel) ?? name
    }

    /// For each key, the channels on which it speaks now.
    private var spokenChannels: [[(id: ChannelID, name: String)]] {
        core.keys.targets(core.listening.list).map { targets in
            targets.channels.map { (id: $0, name: KeysDocument.Channel($0, at: self).name) }
        }
    }

    /// Returns a sentence for each key that has lost channels while it was down, with the channels that it got instead.
    /// Reports an event for each of these keys that nobody hears now. The person who latched such a key goes on
    /// speaking, unless it has been let go.
    private func tellSilenced(
        _ formerlyDown: KeySet, since former: [[(id: ChannelID, name: String)]]
    ) -> [String] {
        let spoken = spokenChannels
        var sentences: [String] = []
        for (key, channels) in former.enumerated() where formerlyDown.contains(.key(key)) {
            let (isDown, newWords) =
                talk.keys[key].isDown ? (true, "now it speaks on") : (false, "it has been let go, and now speaks on")
            let lost = channels.filter { channel in !spoken[key].contains { $0.id == channel.id } }
            guard !lost.isEmpty else { continue }
            let gained = spoken[key].filter { channel in !channels.contains { $0.id == channel.id } }
            let name = keys.entries[key].name
            let places = lost.map(\.name).joined(separator: ", ")
            let newPlaces = gained.map(\.name).joined(separator: ", ")
            sentences.append(
                "key '\(name)' was down, and no longer speaks on \(places)"
                    + (gained.isEmpty ? "" : "; \(newWords) \(newPlaces)"))
            if isDown { tellIfUnheard(key) }
        }
        return sentences
    }

    /// The value that a setting has in this node now, as people write it; empty for one that no reload changes. None of
    /// these values is a secret.
    private func value(of key: RunKey) -> String {
        if let field = ProfileWords.fields.first(where: { $0.key == key }) {
            return ProfileWords(profile)[field] ?? "none"
        }
        return switch key {
        case .talk: options.talk.rawValue
        case .beepOnLoss: "\(beepsOnLoss)"
        case .tones: tones.isEmpty ? "none" : tones.map(\.rawValue).joined(separator: ",")
        case .logLevel: options.logLevel.rawValue
        case .admission: options.admission.rawValue
        case .grantPrivate: options.grants.privately.words
        case .grantAll: options.grants.toAll.words
        case .grantCallAll: options.grants.callAll.words
        case .grantCloseMicrophone: options.grants.closeMicrophone.words
        case .grantPriority: options.grants.priority.words
        default: ""
        }
    }

    /// Logs as much as the options say, also the node in this process that feeds the programme.
    private func applyLogLevel() {
        parts.log.setLevel(options.logLevel)
        programme?.log.setLevel(options.logLevel)
    }

    private func applyProfile(_ plan: ReloadPlan, _ options: RunOptions) {
        let written = ProfileWords(options.startProfile())
        var wish = ProfileWords()
        for field in ProfileWords.fields where plan.live.contains(field.key) { wish[field] = written[field] ?? "" }
        var profile = profile
        // The options were checked when they were read.
        try? wish.change(&profile)
        introduce(as: profile)
    }

    /// Gives the talk keys their new targets, and adds new keys. A key that is pressed goes on with its new targets. A
    /// new key takes the place of a key that was made for private talk or for replies. That one is made again when it
    /// is needed.
    ///
    /// - Throws: `notNow` if a key in such a place is in use.
    private func applyKeys(_ tables: [KeyTable], mode: TalkMode) throws(ControlFailure) {
        let former = options.keys
        let taken = keys.entries.indices.dropFirst(former.count).prefix(tables.count - former.count)
        if let inUse = taken.first(where: { !talk.isIdle($0) }) {
            throw ControlFailure(.notNow, "key '\(keys.entries[inUse].name)' is in use; reload again when it is up")
        }
        let book = KeyBook(tables, mode: mode) { core.directory.id(of: $0) }
        let known = peers()
        for (index, table) in tables.enumerated() {
            if former.indices.contains(index), former[index].isWritten(as: table) { continue }
            guard var targets = book.startKeys[index] else { continue }
            let spokenTo = former.indices.contains(index) ? core.keys[index]?.peers ?? [] : []
            targets.peers = peers(named: table.peers, among: known, former: spokenTo)
            keys.set(book.entries[index], at: index)
            change { core.setKey(index, to: targets, now: $0) }
            // A new key that is open talks at once.
            if former.count <= index { changeTalk { $0.set(book.entries[index].mode, of: index) } }
        }
    }

    /// Gives the talk keys of the files the modes that are in force for them.
    private func applyModes(_ document: inout ReloadDocument) {
        let modes = options.keys.isEmpty ? [options.talk] : options.keys.map { $0.mode(with: options.talk) }
        let changed = modes.indices.filter { talk.keys[$0].mode != modes[$0] || talk.nextMode(of: $0) != nil }
        guard !changed.isEmpty else { return }
        changeTalk { talk in
            for index in changed { talk.change(to: modes[index], of: index) }
        }
        for index in changed {
            guard let mode = talk.nextMode(of: index) else { continue }
            document.changed.append("key '\(keys.entries[index].name)' gets mode \(mode.rawValue) when it is up")
        }
    }

    private func isJoined(_ name: ChannelName) -> Bool { core.listening.list[core.directory.id(of: name)] != nil }

    /// The channels that the start or the last reload could not join, and on which the node is not.
    var channelsNotJoined: [ChannelName] {
        let refused = channelsRefused.map { $0.name }.filter { !channelsWithoutCode.contains($0) }
        return (channelsWithoutCode + refused).filter { !isJoined($0) }
    }

    /// What the last reload has left undone, in sentences, without the channels that a person has joined since.
    var undoneByReload: [String] {
        lastReload.undone(besides: channelsRefused.filter { isJoined($0.name) }.map { $0.refusal })
    }
}

extension ReloadDocument {
    /// Does a part of a reload, and notes the result. Returns whether it was done.
    @discardableResult
    fileprivate mutating func note(_ what: String, _ body: () throws(ControlFailure) -> Void) -> Bool {
        do throws(ControlFailure) {
            try body()
            changed.append(what)
            return true
        } catch {
            refused.append("\(what): \(error.message)")
            return false
        }
    }
}
