import Mesh
import Primitives

/// The events of the queue, and how they reach a process.
extension World {
    /// Greatest number of deadlines handled in a row at one instant. Above it the process counts as stuck.
    private static let wakesAtOneInstantMax = 1_000

    func happen(_ happening: Happening) {
        switch happening {
        case .wake(let node):
            wake(node)
        case .datagram(let to, let address, let bytes, let from, let digest, let author):
            // A host that moved, lost its power or lost its network meanwhile does not get the datagram.
            let host = network.hosts[to]
            guard host.address == address, host.isPowered, host.isOnline, reads(bytes, digest, from: from, at: to)
            else { return addLostByNetwork(bytes) }
            deliver(.datagram(bytes, from: from), .datagram, digest, to: to, of: author)
        case .beacon(let to, let bytes, let from, let digest):
            recordPrompt(to, from: from)
            deliver(.beacon(bytes, from: from), .beacon, digest, to: to)
        case .hint(let to, let life, let advert):
            guard network.hosts[to].life == life else { return }
            if let peer = number(of: advert.hint.node) { observe(.prompted(observer: to, peer: peer)) }
            deliver(advert.input, .hint, advert.hint.traceDigest, to: to)
        case .stream(let ticket): handleStream(ticket)
        case .input(let host, let life, let input, let digest):
            guard network.hosts[host].life == life else { return }
            tell(input, digest: digest, to: host)
        case .tunnelInput(let host, let life, let word, let digest):
            guard network.hosts[host].life == life else { return }
            deliverTunnelInput(word, digest: digest, to: host)
        case .gateOpened(let node, let life, let carrier):
            guard network.hosts[node].life == life else { return }
            openGate(of: carrier, at: node)
        case .fault(let fault):
            apply(fault)
        case .resume(let node, let life):
            guard network.hosts[node].life == life else { return }
            resume(node)
        case .quit(let node, let life):
            guard network.hosts[node].life == life else { return }
            endProcess(node, silently: false)
            recordRoutes()
        case .turn(let node, let episode):
            turnSlowProcessor(of: node, episode: episode)
        case .advanced(let node, let life, let instance):
            guard network.hosts[node].life == life else { return }
            finishCounter(instance, of: node)
        case .codeProved(let node, let life, let carrier, let result):
            finishProof(result, on: carrier, of: node, life: life)
        case .channelCodeWorked(let node, let life, let task, let result):
            finishCodeTask(task, result, of: node, life: life)
        case .meshStored(let node, let life, let mesh): finishStoring(mesh, of: node, life: life)
        case .voice(let talker, let every):
            guard now <= talkEnds else { return }
            speak(talker)
            queue.schedule(.voice(talker: talker, every: every), at: now + every)
        case .soundBlock(let node, let life):
            turnSoundCards(of: node, life: life)
        case .detectionDue(let death, let observers):
            checkDetection(death, by: observers)
        case .look: look()
        case .personActs(let act): perform(act)
        case .hostileAct(let member):
            actHostile(member)
        }
    }

    private func perform(_ act: PersonAct) {
        switch act {
        case .name: actOnChannels()
        case .call: actOnCalls()
        case .joinByCode: actOnCodedChannels()
        case .changeCode: actOnCode()
        }
    }

    // MARK: To a process

    /// Gives an input to a process: at once if the process reads, later if it is paused or busy, never if it is off.
    /// A process that does not read keeps at most `SimLimits.heldDatagramsMax` datagrams.
    ///
    /// - Parameter author: the sender of a datagram or frame that the process can open; nil for a damaged or an old
    ///   one.
    @inline(never)  // The optimizer of Swift 6.3.1 crashes where it is inlined among mutants.
    func deliver(_ input: MeshInput, _ kind: TraceKind, _ digest: UInt64, to node: Int, of author: Int? = nil) {
        switch nodes[node].process {
        case .off:
            return
        case .running where !isHeldBack(kind, at: node):
            switch kind {
            case .datagram:
                counts.datagramsDelivered += 1
                if let author { countReading(of: author, by: node) }
            case .carrierOpened, .carrierFrame, .carrierClosed:
                guard passesGate(input, kind, digest, at: node, of: author) else { return }
            default: break
            }
            take(input, kind, digest, at: node, of: author)
        case .running, .paused:
            if case .datagram = kind {
                guard nodes[node].heldDatagramCount < SimLimits.heldDatagramsMax else { return }
                nodes[node].heldDatagramCount += 1
            }
            nodes[node].held.append(.input(input, kind, digest: digest, author: author))
        }
    }

    /// Gives an input to a process that reads. Tells the checkers if the process counts the input as an error, although
    /// nothing has been wrong between the process and the author for a while.
    func take(_ input: MeshInput, _ kind: TraceKind, _ digest: UInt64, at node: Int, of author: Int?) {
        let errors = author.flatMap { errorsBefore(of: $0, at: node) }
        handle(input, kind, digest, node: node)
        if let author, let errors { compareErrors(with: errors, of: author, at: node) }
    }

    func handle(_ input: MeshInput, _ kind: TraceKind, _ digest: UInt64, node: Int) {
        counts.events += 1
        hash.add(node: node, kind: kind, at: now, digest: digest)
        guard let core = nodes[node].core else { return }
        nodes[node].hostile?.cause = kind
        core.handle(input, now: localNow(node))
        takeOutputs(of: node)
        scheduleWake(of: node)
    }

    func handleStream(_ ticket: CarrierModel.StreamTicket) {
        if let host = carriers.processNeeded(for: ticket), isHoldingBack(host) {
            nodes[host].held.append(.stream(ticket))
            return
        }
        carriers.handle(ticket, network: &network, now: now)
        takeCarrierEffects(isInsideHandle: false)
    }

    /// - Parameter isInsideHandle: whether the world is taking a node's outputs. Then no node may get an input at
    ///   once.
    func takeCarrierEffects(isInsideHandle: Bool) {
        guard !carriers.effects.isEmpty else { return }
        let effects = carriers.effects
        carriers.effects.removeAll(keepingCapacity: true)
        for effect in effects {
            switch effect {
            case .schedule(let ticket, let instant):
                queue.schedule(.stream(ticket), at: instant)
            case .tell(let host, let life, let input, let digest):
                guard network.hosts[host].life == life else { continue }
                if isInsideHandle {
                    queue.schedule(.input(host: host, life: life, input, digest: digest), at: now)
                } else {
                    tell(input, digest: digest, to: host)
                }
            }
        }
    }

    private func tell(_ input: MeshInput, digest: UInt64, to host: Int) {
        let kind: TraceKind
        var author: Int?
        switch input {
        case .carrierOpened(_, let peer, let dial, _):
            kind = .carrierOpened
            if dial == nil, let number = number(of: peer) { countConnectRequest(of: number, at: host) }
            if let dial {
                leaveDialPlace(dial, of: host)
                observe(.dialEnded(node: host, peer: nodes[host].dialled.removeValue(forKey: dial), hasFailed: false))
            }
        case .carrierFrame(let carrier, let bytes):
            kind = .carrierFrame
            author = carriers.peer(of: carrier)
            if let author { nodes[host].hostile?.overhear(bytes, of: author, isFrame: true) }
            inspectFrame(bytes, of: author, at: host)
            if let author { recordNegotiation(bytes, of: author, at: host) }
        case .carrierClosed: kind = .carrierClosed
        case .dialFailed(let dial, _):
            kind = .dialFailed
            leaveDialPlace(dial, of: host)
            observe(.dialEnded(node: host, peer: nodes[host].dialled.removeValue(forKey: dial), hasFailed: true))
        default: illegal("\(input)", in: "carrier effects")
        }
        transcript?.recordDetail(input, at: host, in: self)
        record?.note(input, at: host, in: self)
        deliver(input, kind, digest, to: host, of: author)
    }

    // MARK: Deadlines

    /// Schedules a wake-up at the node's earliest deadline. Each node has one wake-up. When a deadline moves to a
    /// later time, the wake-up stays as it is, and then schedules the next one.
    func scheduleWake(of node: Int) {
        guard case .running = nodes[node].process, !nodes[node].ignoresDeadlines,
            let deadline = nodes[node].core?.nextDeadline()
        else { return }
        let at = max(now, worldTime(deadline.at, of: node))
        if let wakeAt = nodes[node].wakeAt, wakeAt <= at { return }
        nodes[node].wakeAt = at
        queue.schedule(.wake(node: node), at: at)
    }

    private func wake(_ node: Int) {
        guard nodes[node].wakeAt == now else { return }
        nodes[node].wakeAt = nil
        guard case .running = nodes[node].process, let deadline = nodes[node].core?.nextDeadline() else { return }
        guard deadline.at <= localNow(node) else {
            scheduleWake(of: node)
            return
        }
        watch?.marks.note(deadline.reason)
        handle(.deadline, .wake, 0, node: node)
        guard nodes[node].wakeAt == now else {
            nodes[node].wakesAtOneInstant = 0
            return
        }
        nodes[node].wakesAtOneInstant += 1
        if Self.wakesAtOneInstantMax < nodes[node].wakesAtOneInstant {
            observe(.stuckTimer(node: node, reason: "\(deadline.reason)"))
        }
    }

    // MARK: Small things

    /// Remembers a datagram that has arrived. Returns whether the node reads it: a leech ignores some senders.
    private func reads(_ bytes: [UInt8], _ digest: UInt64, from: Endpoint, at node: Int) -> Bool {
        guard let sender = sender(at: from) else { return true }
        nodes[node].lastArrived[sender] = digest
        nodes[node].hostile?.overhear(bytes, of: sender, isFrame: false)
        return !ignores(sender, at: node)
    }

    func countConnectRequest(of peer: Int, at node: Int) {
        observe(.prompted(observer: node, peer: peer))
        observe(.requestSent(observer: node, peer: peer))
    }

    func recordPrompt(_ node: Int, from: Endpoint) {
        if let peer = sender(at: from) { observe(.prompted(observer: node, peer: peer)) }
    }

    func speak(_ talker: Int) {
        guard case .running = nodes[talker].process else { return }
        nodes[talker].voiceSequence += 1
        for index in nodes[talker].slots.indices where nodes[talker].hasListener(index) {
            let stamp = VoiceStamp(
                talker: talker, listener: nodes[talker].slots[index]?.peer, life: nodes[talker].life,
                sequence: nodes[talker].voiceSequence, spokenAt: now)
            said?.addSaid(stamp)
            handle(.voice(stamp.bytes, to: PeerSlot(index: index)), .voiceIn, UInt64(index), node: talker)
        }
    }

    /// Notes the voice packet in a lost datagram. Only the simulator's transparent sealing, which encrypts nothing,
    /// shows what a datagram contains.
    func addLostByNetwork(_ datagram: [UInt8]) {
        guard said != nil, let stamp = VoiceStamp(inside: datagram) else { return }
        said?.addLostByNetwork(stamp)
    }
}
