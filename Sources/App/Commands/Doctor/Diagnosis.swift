import NodeRuntime

/// The checks of `partyline doctor`: each gives PASS, WARN or FAIL for a fact of this machine, and names a remedy.
package enum Diagnosis {
    /// Returns the results of all checks, in a fixed order.
    package static func document(_ facts: DoctorFacts) -> DoctorDocument {
        let ofNode: [Check?] = [state(facts), mesh(facts), control(facts)]
        let others: [Check?] = [
            identity(facts), links(facts), reach(facts), sound(facts), speech(facts), bus(facts), avahi(facts),
            network(facts), port(facts), realTime(facts), files(facts),
        ]
        let first = configuration(facts) + disks(facts) + channelCodes(facts) + silentPeers(facts)
        return DoctorDocument(
            mesh: facts.mesh, meshClosed: facts.isMeshClosed, leftBehind: facts.isLeftBehind,
            admission: facts.admission,
            checks: first + ofNode.compactMap { $0 } + node(facts) + peerTroubles(facts) + others.compactMap { $0 })
    }

    /// Returns the text for a terminal: whether the mesh is open, and for each check the verdict in four columns, then
    /// the finding, then the remedy.
    package static func lines(_ document: DoctorDocument, paint: Paint) -> [String] {
        let access = document.access.map { sentence($0.line, after: paint("NOTE", $0.tone)) } ?? []
        return access
            + document.checks.flatMap { check -> [String] in
                let (word, tone): (String, Paint.Tone) =
                    switch check.verdict {
                    case .pass: ("PASS", .good)
                    case .warn: ("WARN", .attention)
                    case .fail: ("FAIL", .bad)
                    }
                let remedy = check.remedy.map { Columns.sentence(Output.safe($0), label: "      -> ") } ?? []
                return sentence("\(check.subject): \(Output.safe(check.finding))", after: paint(word, tone)) + remedy
            }
    }

    /// A sentence beside a word of four columns, which may be painted.
    private static func sentence(_ text: String, after word: String) -> [String] {
        let lines = Columns.sentence(text, label: "      ")
        return [word + "  " + (lines.first.map { String($0.dropFirst(6)) } ?? "")] + lines.dropFirst()
    }

    private typealias Check = DoctorDocument.Check

    private static func configuration(_ facts: DoctorFacts) -> [Check] {
        guard facts.mistakes.isEmpty else {
            return facts.mistakes.map { mistake in
                Check(
                    verdict: .fail, subject: "configuration", finding: mistake,
                    remedy: "correct it; a node does not start before")
            }
        }
        let files = facts.settingFiles.joined(separator: " and ")
        let finding = files.isEmpty ? "there is no file, so every setting has its default" : "no mistake in \(files)"
        return [Check(verdict: .pass, subject: "configuration", finding: finding)]
    }

    private static func disks(_ facts: DoctorFacts) -> [Check] {
        facts.unanswered.map { path in
            Check(
                verdict: .fail, subject: "disk", finding: "\(path): the disk does not answer",
                remedy: "mend the disk, or bring its server back; until then nothing that needs it is checked")
        }
    }

    private static func channelCodes(_ facts: DoctorFacts) -> [Check] {
        facts.channelCodeFaults.map { fault in
            Check(
                verdict: .warn, subject: "channel code", finding: fault,
                remedy: "write the code of the channel into that file, as its only line")
        }
    }

    private static func silentPeers(_ facts: DoctorFacts) -> [Check] {
        facts.silentPeers.map { finding in
            Check(
                verdict: .warn, subject: "peer", finding: finding,
                remedy: "start a node there, open its port in the firewall for TCP and UDP, or correct the address")
        }
    }

    /// Nil where the folder was not read.
    private static func state(_ facts: DoctorFacts) -> Check? {
        guard facts.answers(facts.stateDirectory) else { return nil }
        let finding: String
        let remedy: String
        switch facts.state {
        case .writable:
            return Check(verdict: .pass, subject: "state folder", finding: "\(facts.stateDirectory) can be written")
        case .closed(let sentence):
            finding = sentence
            remedy = "make the user of the node the owner of the folder and its files (sudo chown -R)"
        case .refused(let why):
            finding = "\(facts.stateDirectory): \(why)"
            remedy = "make it writable"
        case .unanswered:
            return Check(
                verdict: .fail, subject: "state folder", finding: "\(facts.stateDirectory): the disk does not answer",
                remedy: "mend the disk, or end the freeze of its file system (sudo fsfreeze --unfreeze), or choose "
                    + "another folder with --state-dir; until then no node starts")
        }
        return Check(
            verdict: .warn, subject: "state folder", finding: finding,
            remedy: "\(remedy), or choose another with --state-dir; until then nothing is kept for the next start")
    }

    /// Nil where the running node does not tell which mesh it is.
    private static func mesh(_ facts: DoctorFacts) -> Check? {
        if let fault = facts.meshFault {
            let remedy =
                facts.isMeshFileClosed
                ? "make the user of the node the owner of that file (sudo chown)"
                : "enter the mesh again with its code: `partyline enter`; or leave it: `partyline init --open`"
            return Check(verdict: .fail, subject: "mesh", finding: fault, remedy: remedy)
        }
        guard !facts.isLeftBehind else {
            return Check(
                verdict: .fail, subject: "mesh",
                finding: "the code of this closed mesh was changed, and this node was left behind",
                remedy: "ask for the new code, stop the node, and enter again: `partyline enter --replace`")
        }
        if facts.mesh == nil, let file = facts.codeFile {
            guard let fault = facts.codeFileFault else {
                return Check(
                    verdict: .pass, subject: "mesh",
                    finding: "none yet; `partyline run` enters the closed mesh of \(file) before the node starts")
            }
            return Check(
                verdict: .fail, subject: "mesh", finding: "no node starts without the code: \(fault)",
                remedy: "write the code of the mesh into that file, as its only line")
        }
        guard facts.mesh != nil else { return nil }
        if let overruled = facts.overruledName {
            return Check(
                verdict: .warn, subject: "mesh", finding: overruled,
                remedy: "remove that line; or leave the closed mesh: `partyline init --open`")
        }
        guard facts.hasMeshCode else {
            return Check(
                verdict: .warn, subject: "mesh", finding: "closed; \(MeshAccess.withoutCode)",
                remedy: "make a new one at a running node: `partyline code change`")
        }
        guard !facts.isMeshClosed else {
            let finding =
                facts.isCodeKnown
                ? "closed; `partyline code show` shows its code"
                : "closed; this node does not know its code: only nodes where it was drawn or typed do"
            return Check(verdict: .pass, subject: "mesh", finding: finding)
        }
        guard !facts.isClosedMeshHere else {
            return Check(
                verdict: .warn, subject: "mesh", finding: "open, and \(MeshAccess.closedMeshIsHere)",
                remedy: "stop the node, enter with the code, and start it again")
        }
        return Check(
            verdict: .pass, subject: "mesh", finding: "open; `partyline init` makes a closed one, for a code")
    }

    private static func control(_ facts: DoctorFacts) -> Check {
        guard facts.controlPathBytesMax < facts.controlPathBytes else {
            return Check(verdict: .pass, subject: "control socket", finding: "its path is short enough")
        }
        let finding = "its path has \(facts.controlPathBytes) bytes, \(facts.controlPathBytesMax) are possible"
        guard facts.mayMoveControl else {
            return Check(
                verdict: .fail, subject: "control socket", finding: finding,
                remedy: "choose a shorter one with --control")
        }
        return Check(
            verdict: .warn, subject: "control socket", finding: "\(finding), so it goes into a folder in /tmp",
            remedy: "the other commands find it there; a shorter --state-dir needs no such folder")
    }

    /// Empty where no node was asked.
    private static func node(_ facts: DoctorFacts) -> [Check] {
        func check(_ verdict: DoctorDocument.Verdict, _ finding: String, _ remedy: String? = nil) -> Check {
            Check(verdict: verdict, subject: "node", finding: finding, remedy: remedy)
        }
        guard facts.isNodeAsked else { return [] }
        if let refusal = facts.statusRefusal {
            let remedy = "if it looks for its mesh: start a node of that mesh on this network, or name one with --peer"
            return [check(.warn, refusal, remedy)]
        }
        if let lost = facts.lostNode {
            return [check(.warn, "\(lost.finding), so no command reaches it", lost.remedy)]
        }
        guard facts.isNodeRunning else { return [check(.warn, "not running", "start it with `partyline run`")] }
        guard !facts.troubles.isEmpty else { return [check(.pass, "running; `partyline status` shows its health")] }
        return facts.troubles.map { trouble in
            // A mistake in the files has a check of its own. The node quotes the first one that its last reload found.
            let mistake = facts.mistakes.first { trouble.contains(": \($0)") }
            let isOfFiles = mistake != nil || facts.reload.contains(trouble)
            let remedy =
                "mend what it names"
                + (isOfFiles ? "; files that you have corrected take effect with `partyline reload`" : "")
            let finding = mistake.map { trouble.replacing(": \($0)", with: ": the mistake above") } ?? trouble
            return check(.warn, "degraded: \(finding)", remedy)
        }
    }

    private static func peerTroubles(_ facts: DoctorFacts) -> [Check] {
        facts.peerTroubles.map { trouble in
            Check(verdict: .warn, subject: "peer", finding: trouble.finding, remedy: trouble.remedy)
        }
    }

    /// The warning of another node with the identity of this one; nil if none is known.
    private static func identity(_ facts: DoctorFacts) -> Check? {
        facts.duplicate.map { finding in
            Check(verdict: .warn, subject: "identity", finding: finding, remedy: DuplicateIdentities.remedy)
        }
    }

    /// Nil where no node tells of its links.
    private static func links(_ facts: DoctorFacts) -> Check? {
        guard facts.isNodeRunning, facts.statusRefusal == nil else { return nil }
        let lacks = [facts.split, facts.lost, facts.missingLinks].compactMap { $0 }
        guard !lacks.isEmpty else {
            return Check(verdict: .pass, subject: "links", finding: "all nodes that are known are linked with all")
        }
        return Check(
            verdict: .warn, subject: "links", finding: lacks.joined(separator: "; "),
            remedy: "`partyline discover` says why this node lacks a link; ask `partyline doctor` at the others too")
    }

    private static func reach(_ facts: DoctorFacts) -> Check {
        guard facts.refusers.isEmpty else {
            let names = facts.refusers.joined(separator: ", ")
            let isOne = facts.refusers.count == 1
            let habit = isOne ? "takes connections from its own" : "take connections from their own"
            return Check(
                verdict: .warn, subject: "reach", finding: "refused by \(names), which \(habit) networks only",
                remedy: "start \(isOne ? "that node" : "those nodes") with --reach and the network of this one, or "
                    + "with --peer and its address")
        }
        guard facts.refusedConnections == 0 else {
            let isOne = facts.refusedConnections == 1
            let what = isOne ? "1 connection" : "\(facts.refusedConnections) connections"
            let origin = facts.refusedAddresses.joined(separator: ", ")
            return Check(
                verdict: .warn, subject: "reach",
                finding: "\(what) from beyond the own networks \(isOne ? "was" : "were") refused"
                    + (origin.isEmpty ? "" : ", lately from \(origin)"),
                remedy: "if \(isOne ? "it is" : "they are") your crew's, start this node with --reach and "
                    + "\(isOne ? "its" : "their") network")
        }
        return Check(verdict: .pass, subject: "reach", finding: "no node was refused because of its network")
    }

    private static func sound(_ facts: DoctorFacts) -> Check {
        if facts.hasSoundServer || facts.canOpenSoundCards {
            let what = facts.hasSoundServer ? "a sound server answers" : "a sound card can be opened"
            return Check(verdict: .pass, subject: "sound", finding: what)
        }
        guard facts.usesSoundCard else {
            return Check(verdict: .pass, subject: "sound", finding: "this node uses no sound card")
        }
        guard facts.hasSoundCards else {
            return Check(
                verdict: .warn, subject: "sound", finding: "no sound card and no sound server",
                remedy: "plug one in, or speak from --input file:PATH and listen by --output file:PATH")
        }
        return Check(
            verdict: .warn, subject: "sound", finding: "there are sound cards, but this user may not open them",
            remedy: "join the group: sudo usermod -aG audio $USER, then log in again")
    }

    private static func speech(_ facts: DoctorFacts) -> Check {
        facts.hasSpeechProcessing
            ? Check(verdict: .pass, subject: "speech processing", finding: "--denoise is built in")
            : Check(
                verdict: .warn, subject: "speech processing", finding: "--denoise is not built in",
                remedy: "sudo apt install libwebrtc-audio-processing-dev, then build again; all else works without it")
    }

    private static func bus(_ facts: DoctorFacts) -> Check {
        facts.hasSystemBus
            ? Check(verdict: .pass, subject: "system bus", finding: "there")
            : Check(
                verdict: .warn, subject: "system bus", finding: "not there, so Avahi cannot be asked",
                remedy: "sudo systemctl start dbus; the beacon finds peers without it")
    }

    private static func avahi(_ facts: DoctorFacts) -> Check {
        facts.hasAvahi
            ? Check(verdict: .pass, subject: "Avahi", finding: "its daemon is there")
            : Check(
                verdict: .warn, subject: "Avahi", finding: "its daemon does not run",
                remedy: "sudo apt install avahi-daemon; the beacon finds peers without it")
    }

    private static func network(_ facts: DoctorFacts) -> Check {
        if let lack = facts.networkLack {
            return Check(
                verdict: .warn, subject: "network", finding: lack,
                remedy: "connect to a network; or name another address of this machine with --listen ADDR:PORT")
        }
        guard facts.multicastInterfaces.isEmpty else {
            let names = facts.multicastInterfaces.joined(separator: ", ")
            return Check(verdict: .pass, subject: "network", finding: "multicast goes over \(names)")
        }
        return Check(
            verdict: .warn, subject: "network", finding: "no interface is up that carries multicast",
            remedy: "connect to a network, or name peers with --peer ADDR:PORT")
    }

    /// Nil where it is not known whether a node has the port.
    private static func port(_ facts: DoctorFacts) -> Check? {
        guard facts.isNodeAsked else { return nil }
        let isNodeThere = facts.isNodeRunning || facts.lostNode != nil
        return switch facts.portState {
        case .free:
            Check(verdict: .pass, subject: "port", finding: "\(facts.port) is free for TCP and UDP")
        case .taken where isNodeThere:
            Check(verdict: .pass, subject: "port", finding: "\(facts.port) is in use, a node runs")
        case .refused(let error) where isNodeThere:
            // A service may have a right that the person at the terminal has not.
            Check(verdict: .pass, subject: "port", finding: "\(facts.port) cannot be tried (\(error)), a node runs")
        case .taken where facts.isPortNamed:
            Check(
                verdict: .fail, subject: "port",
                finding: "\(facts.port) is in use by another program, and the settings name no other port",
                remedy: "end that program, or choose another port with --listen ADDR:PORT; until then no node starts")
        case .taken where facts.isEveryPortTaken:
            Check(
                verdict: .fail, subject: "port",
                finding: "each port from \(ListenChoice.ports.lowerBound) to \(ListenChoice.ports.upperBound) is taken",
                remedy: "choose another port with --listen ADDR:PORT; until then no node starts")
        case .taken:
            Check(
                verdict: .warn, subject: "port", finding: "\(facts.port) is in use by another program",
                remedy: "the node takes the next free one up to \(ListenChoice.ports.upperBound); "
                    + "--listen ADDR:PORT chooses")
        case .refused(let error):
            Check(
                verdict: facts.isPortNamed ? .fail : .warn, subject: "port",
                finding: "\(facts.port) cannot be bound: \(error)",
                remedy: "choose another port with --listen ADDR:PORT")
        }
    }

    private static func realTime(_ facts: DoctorFacts) -> Check {
        guard facts.realTimePriorityMax == 0 else {
            return Check(
                verdict: .pass, subject: "real time", finding: "priority up to \(facts.realTimePriorityMax) allowed")
        }
        return Check(
            verdict: .warn, subject: "real time", finding: "this user may not run threads in real time",
            remedy: "@audio - rtprio 95 in /etc/security/limits.d/audio.conf; until then expect clicks under load")
    }

    private static func files(_ facts: DoctorFacts) -> Check {
        guard facts.openFilesMax < 256 else {
            return Check(verdict: .pass, subject: "open files", finding: "\(facts.openFilesMax) allowed")
        }
        return Check(
            verdict: .fail, subject: "open files", finding: "\(facts.openFilesMax) allowed, 64 peers need 256",
            remedy: "raise it: ulimit -n 1024")
    }
}
