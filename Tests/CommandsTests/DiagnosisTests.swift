import Commands
import NodeRuntime
import Testing

@Suite("Doctor")
struct DiagnosisTests {
    private var healthy: DoctorFacts {
        var facts = DoctorFacts()
        facts.stateDirectory = "/homes/a/.local/state/partyline/default"
        facts.mesh = "partyline"
        facts.isNodeRunning = true
        facts.hasSoundServer = true
        facts.hasSpeechProcessing = true
        facts.hasSystemBus = true
        facts.hasAvahi = true
        facts.multicastInterfaces = ["eth0"]
        facts.realTimePriorityMax = 95
        facts.openFilesMax = 1_024
        return facts
    }

    @Test("a machine that lacks nothing passes every check")
    func passes() {
        #expect(Diagnosis.document(healthy).checks.allSatisfy { $0.verdict == .pass && $0.remedy == nil })
    }

    @Test("another node with the identity of the running one is told, with the remedy")
    func duplicate() {
        var facts = healthy
        facts.duplicate = "another node runs with the identity of this one, at 10.0.0.9 since 14:03"
        let check = Diagnosis.document(facts).checks.first { $0.subject == "identity" }
        #expect(check?.verdict == .warn && check?.finding == facts.duplicate)
        #expect(check?.remedy?.contains("partyline identity reset") == true)
    }

    @Test("a node that runs and is degraded has a warning with each reason; lost peers are named among the links")
    func degraded() {
        var facts = healthy
        facts.troubles = ["crew.toml:3: unknown key 'tlak'", "the battery is at 9 %"]
        facts.split = "the mesh has split: 2 of 3 peers lost since 14:03 (LX, SM)"
        func finding(_ subject: String) -> String? {
            Diagnosis.document(facts).checks.first { $0.subject == subject }?.finding
        }
        #expect(
            Diagnosis.document(facts).checks.filter { $0.subject == "node" }.map(\.finding) == [
                "degraded: crew.toml:3: unknown key 'tlak'", "degraded: the battery is at 9 %",
            ])
        #expect(finding("links") == facts.split)
        facts.missingLinks = "not linked: this node with OPS"
        #expect(finding("links")?.hasSuffix("(LX, SM); not linked: this node with OPS") == true)
        (facts.split, facts.lost) = (nil, "lost without a good-bye: LX since 14:03")
        #expect(finding("links") == "lost without a good-bye: LX since 14:03; not linked: this node with OPS")
    }

    @Test("a refusal because of a network names one node or several, and the addresses that were refused here")
    func refused() {
        func finding(_ change: (inout DoctorFacts) -> Void) -> String? {
            var facts = healthy
            change(&facts)
            return Diagnosis.document(facts).checks.first { $0.subject == "reach" }?.finding
        }
        let ending = "connections from"
        #expect(
            finding { $0.refusers = ["a3a9-664f"] }
                == "refused by a3a9-664f, which takes \(ending) its own networks only")
        #expect(
            finding { $0.refusers = ["Emma", "Cleo"] }
                == "refused by Emma, Cleo, which take \(ending) their own networks only")
        #expect(
            finding { ($0.refusedConnections, $0.refusedAddresses) = (1, ["10.88.0.7"]) }
                == "1 connection from beyond the own networks was refused, lately from 10.88.0.7")
        #expect(
            finding { ($0.refusedConnections, $0.refusedAddresses) = (8, ["10.88.0.7", "10.88.0.9"]) }
                == "8 connections from beyond the own networks were refused, lately from 10.88.0.7, 10.88.0.9")
        #expect(finding { $0.refusedConnections = 3 } == "3 connections from beyond the own networks were refused")
    }

    @Test("a node is sent to reload only where its files have a mistake; a problem with a peer has a check of its own")
    func remedies() {
        var facts = healthy
        facts.troubles = ["the battery of this machine is at 9 %"]
        let asked = StatusDocument.Peer.sample("Ann", "1fee-6c18", 1, "awaitingDecision", leader: true) { _ in }
        facts.peerTroubles = [PeerTrouble("peer Ann: its person is asked", among: [asked])].compactMap { $0 }
        func check(_ subject: String) -> DoctorDocument.Check? {
            Diagnosis.document(facts).checks.first { $0.subject == subject }
        }
        #expect(check("node")?.remedy == "mend what it names")
        #expect(check("peer")?.verdict == .warn && check("peer")?.finding == "Ann: its person is asked")
        #expect(check("peer")?.remedy?.contains("partyline accept") == true)
        facts.reload = ["the last reload has changed nothing: crew.toml:3: unknown key 'tlak'"]
        facts.troubles += facts.reload
        let remedies = Diagnosis.document(facts).checks.filter { $0.subject == "node" }.map(\.remedy)
        #expect(remedies.map { $0?.hasSuffix("`partyline reload`") } == [false, true])
    }

    @Test("a mistake that the next start and the running node name is told once")
    func mistakeOnce() {
        var facts = healthy
        facts.mistakes = ["crew.toml:3: unknown key 'tlak'", "crew.toml:5: unknown key 'nmae'"]
        facts.troubles = ["the last reload has changed nothing: crew.toml:3: unknown key 'tlak' (and 1 more)"]
        let findings = Diagnosis.document(facts).checks.map(\.finding)
        #expect(findings.count { $0.contains("crew.toml:3") } == 1)
        #expect(
            findings.contains("degraded: the last reload has changed nothing: the mistake above (and 1 more)"))
    }

    @Test("the first line says whether anybody can listen; there is none if that is not known")
    func access() {
        func first(_ change: (inout DoctorFacts) -> Void) -> String? {
            var facts = healthy
            change(&facts)
            return Diagnosis.lines(Diagnosis.document(facts), paint: .plain).first
        }
        #expect(first { _ in } == "NOTE  open mesh: anybody on this network can listen")
        #expect(
            first { ($0.mesh, $0.isMeshClosed) = ("crew", true) }
                == "NOTE  closed mesh crew: everybody here has proved its secret")
        #expect(
            first { ($0.mesh, $0.isMeshClosed, $0.isLeftBehind) = ("crew", true, true) }
                == "NOTE  closed mesh crew: left behind, its code was changed")
        #expect(first { ($0.mesh, $0.meshFault) = (nil, "damaged") }?.hasPrefix("PASS") == true)
        var asking = healthy
        (asking.mesh, asking.isMeshClosed, asking.admission) = ("crew", true, "ask")
        let lines = Diagnosis.lines(Diagnosis.document(asking), paint: .plain)
        #expect(lines.first == "NOTE  closed mesh crew: everybody here has proved its secret; this node asks you")
        #expect(lines.dropFirst().first == "      too", "it goes on below")
        let wide = String(repeating: "wide 漢字 ", count: 9)
        #expect(Columns.width(first { ($0.mesh, $0.isMeshClosed) = (wide, true) } ?? "") <= 80)
    }

    @Test("a node with a code file and without a mesh is told that it enters one, and not called open")
    func entersFirst() {
        var facts = healthy
        (facts.mesh, facts.codeFile) = (nil, "/x/code")
        let document = Diagnosis.document(facts)
        let check = document.checks.first { $0.subject == "mesh" }
        #expect(check?.verdict == .pass && check?.finding.contains("enters the closed mesh of /x/code") == true)
        #expect(!Diagnosis.lines(document, paint: .plain).joined().contains("open mesh"))
    }

    @Test("a node that does not tell its mesh is not called open")
    func meshUnknown() {
        var facts = healthy
        (facts.mesh, facts.statusRefusal) = (nil, "the node is looking for its closed mesh")
        let document = Diagnosis.document(facts)
        #expect(!document.checks.contains { $0.subject == "mesh" } && document.access == nil)
        #expect(!Diagnosis.lines(document, paint: .plain).joined().contains("open mesh"))
    }

    @Test("files of another user are to be given back, and no mesh is entered anew because of them")
    func closedFiles() {
        var facts = healthy
        facts.state = .closed("cannot read /x/state/identity.key: Permission denied")
        (facts.mesh, facts.meshFault, facts.isMeshFileClosed) = (nil, "cannot read /x/state/mesh", true)
        let checks = Diagnosis.document(facts).checks.filter { ["state folder", "mesh"].contains($0.subject) }
        #expect(checks.map(\.verdict) == [.warn, .fail])
        #expect(checks.map(\.finding).map { $0.hasPrefix("cannot read /x/state/") } == [true, true])
        #expect(checks.allSatisfy { $0.remedy?.contains("sudo chown") == true })
        #expect(checks.allSatisfy { $0.remedy?.contains("partyline") == false })
    }

    @Test("a disk that does not answer is told, and nothing is said of what was not read or asked")
    func unanswered() {
        var facts = healthy
        facts.state = .unanswered
        func findings(_ verdict: DoctorDocument.Verdict) -> [String] {
            Diagnosis.document(facts).checks.filter { $0.verdict == verdict }.map(\.finding)
        }
        #expect(findings(.fail) == ["\(facts.stateDirectory): the disk does not answer"])
        (facts.unanswered, facts.isNodeAsked) = ([facts.stateDirectory, "/net/code"], false)
        (facts.mesh, facts.isNodeRunning, facts.portState) = (nil, false, .taken)
        let unread = [facts.stateDirectory, "/net/code"].map { "\($0): the disk does not answer" }
        #expect(findings(.fail) == unread && findings(.warn).isEmpty)
        let subjects = Diagnosis.document(facts).checks.map(\.subject)
        #expect(Set(subjects).isDisjoint(with: ["state folder", "mesh", "node", "port"]))
    }

    @Test("a node that does not know the code of its closed mesh is not sent to code show")
    func codeUnknown() {
        for isKnown in [true, false] {
            var facts = healthy
            (facts.mesh, facts.isMeshClosed, facts.isCodeKnown) = ("crew", true, isKnown)
            let check = Diagnosis.document(facts).checks.first { $0.subject == "mesh" }
            #expect(check?.verdict == .pass && check?.finding.contains("partyline code show") == isKnown)
        }
    }

    @Test("a closed mesh without a code is a warning, which names the remedy")
    func withoutCode() {
        for hasCode in [true, false] {
            var facts = healthy
            (facts.mesh, facts.isMeshClosed, facts.hasMeshCode) = ("crew", true, hasCode)
            let check = Diagnosis.document(facts).checks.first { $0.subject == "mesh" }
            #expect(check?.verdict == (hasCode ? .pass : .warn))
            #expect(check?.finding.contains("neither code counts") == !hasCode)
            #expect(check?.remedy?.contains("partyline code change") == (hasCode ? nil : true))
        }
    }

    @Test("every mistake in the files of the next start is a failure of its own; without one the files are named")
    func configuration() {
        func checks(_ change: (inout DoctorFacts) -> Void) -> [DoctorDocument.Check] {
            var facts = healthy
            change(&facts)
            return Diagnosis.document(facts).checks.filter { $0.subject == "configuration" }
        }
        let mistakes = ["/x/config.toml:3: unknown key 'tlak'", "/x/config.toml:7: 'nick' is a whole number"]
        let failures = checks { ($0.settingFiles, $0.mistakes) = (["/x/config.toml"], mistakes) }
        #expect(failures.map(\.finding) == mistakes && failures.allSatisfy { $0.verdict == .fail })
        #expect(
            checks { $0.settingFiles = ["/x/config.toml", "/x/crew.toml"] }.map(\.finding)
                == ["no mistake in /x/config.toml and /x/crew.toml"])
        #expect(checks { _ in }.map(\.verdict) == [.pass])
    }

    @Test(
        "a port that this user cannot bind is no fault while a node runs",
        arguments: [DoctorFacts.PortState.free, .taken, .refused("Permission denied")])
    func portOfRunningNode(state: DoctorFacts.PortState) {
        var facts = healthy
        facts.portState = state
        let check = Diagnosis.document(facts).checks.first { $0.subject == "port" }
        #expect(check?.verdict == .pass && check?.finding.contains("7400") == true)
        (facts.isNodeRunning, facts.lostNode) = (false, LostNode(finding: "it is lost", remedy: "wait"))
        #expect(Diagnosis.document(facts).checks.first { $0.subject == "port" } == check, "its control socket is gone")
    }

    @Test("where the port is taken, the last one that the node tries instead is told")
    func portTaken() {
        var facts = healthy
        (facts.portState, facts.isNodeRunning) = (.taken, false)
        let check = Diagnosis.document(facts).checks.first { $0.subject == "port" }
        #expect(check?.remedy == "the node takes the next free one up to 7500; --listen ADDR:PORT chooses")
        let reason = "each port from 7400 to 7500 is taken for TCP or UDP; name another one with --listen ADDR:PORT"
        #expect("\(PortsTaken())" == reason, "the start says so if none is free")
        facts.isEveryPortTaken = true
        let last = Diagnosis.document(facts).checks.first { $0.subject == "port" }
        #expect(last?.finding == "each port from 7400 to 7500 is taken")
        #expect(last?.remedy == "choose another port with --listen ADDR:PORT; until then no node starts")
    }

    @Test("a node that runs without a sound card is not told to get one")
    func noCardNeeded() {
        var facts = healthy
        (facts.hasSoundServer, facts.usesSoundCard) = (false, false)
        let check = Diagnosis.document(facts).checks.first { $0.subject == "sound" }
        #expect(check?.verdict == .pass && check?.finding == "this node uses no sound card")
    }

    @Test("each lack is found, and nothing is without its remedy")
    func lacks() {
        let lacks: [(String, DoctorDocument.Verdict, (inout DoctorFacts) -> Void)] = [
            ("state folder", .warn, { $0.state = .refused("Read-only file system") }),
            ("state folder", .warn, { $0.state = .closed("cannot read /x/state/lock: Permission denied") }),
            ("configuration", .fail, { $0.mistakes = ["/x/config.toml:3: unknown key 'tlak'"] }),
            ("mesh", .fail, { $0.meshFault = "the mesh file is damaged" }),
            ("mesh", .fail, { ($0.meshFault, $0.isMeshFileClosed) = ("cannot read /x/mesh", true) }),
            ("mesh", .fail, { ($0.isMeshClosed, $0.isLeftBehind) = (true, true) }),
            ("mesh", .warn, { $0.isClosedMeshHere = true }),
            ("mesh", .warn, { ($0.isMeshClosed, $0.overruledName) = (true, "/x/config.toml:3 names the mesh stage") }),
            ("mesh", .fail, { ($0.mesh, $0.codeFile, $0.codeFileFault) = (nil, "/x/code", "/x/code: is no file") }),
            ("channel code", .warn, { $0.channelCodeFaults = ["the file of channel code:fly gives no code"] }),
            ("control socket", .fail, { $0.controlPathBytes = 120 }),
            ("control socket", .warn, { ($0.controlPathBytes, $0.mayMoveControl) = (120, true) }),
            ("peer", .warn, { $0.silentPeers = ["no answer from --peer 192.0.2.7:7400: none"] }),
            ("node", .warn, { $0.isNodeRunning = false }),
            ("node", .warn, { ($0.isNodeRunning, $0.lostNode) = (false, LostNode(finding: "lost", remedy: "wait")) }),
            ("node", .warn, { $0.troubles = ["crew.toml:3: unknown key 'tlak'", "the battery is at 9 %"] }),
            ("links", .warn, { $0.split = "the mesh has split: 2 of 3 peers lost since 14:03 (LX, SM)" }),
            ("links", .warn, { $0.lost = "lost without a good-bye: LX since 14:03" }),
            ("node", .warn, { $0.statusRefusal = "the node is looking for its closed mesh" }),
            ("links", .warn, { $0.missingLinks = "not linked: this node with OPS" }),
            ("reach", .warn, { $0.refusers = ["Stage left"] }),
            ("reach", .warn, { $0.refusedConnections = 3 }),
            ("sound", .warn, { $0.hasSoundServer = false }),
            ("sound", .warn, { ($0.hasSoundServer, $0.hasSoundCards) = (false, true) }),
            ("speech processing", .warn, { $0.hasSpeechProcessing = false }),
            ("system bus", .warn, { $0.hasSystemBus = false }),
            ("Avahi", .warn, { $0.hasAvahi = false }),
            ("network", .warn, { $0.multicastInterfaces = [] }),
            ("network", .warn, { $0.networkLack = "this machine has no network" }),
            ("port", .warn, { ($0.portState, $0.isNodeRunning) = (.taken, false) }),
            ("port", .warn, { ($0.portState, $0.isNodeRunning) = (.refused("Permission denied"), false) }),
            ("port", .fail, { ($0.portState, $0.isNodeRunning, $0.isPortNamed) = (.taken, false, true) }),
            ("port", .fail, { ($0.portState, $0.isNodeRunning, $0.isEveryPortTaken) = (.taken, false, true) }),
            ("port", .fail, { ($0.portState, $0.isNodeRunning, $0.isPortNamed) = (.refused("x"), false, true) }),
            ("real time", .warn, { $0.realTimePriorityMax = 0 }),
            ("open files", .fail, { $0.openFilesMax = 64 }),
        ]
        for (subject, verdict, change) in lacks {
            var facts = healthy
            change(&facts)
            let document = Diagnosis.document(facts)
            #expect(document.checks.contains { $0.subject == subject && $0.verdict == verdict }, "\(subject)")
            for check in document.checks { #expect((check.verdict == .pass) == (check.remedy == nil)) }
            for line in Diagnosis.lines(document, paint: .plain) { #expect(Columns.width(line) <= 80, "\(line)") }
        }
    }
}
