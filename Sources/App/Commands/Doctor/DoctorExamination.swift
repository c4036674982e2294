import CLinux
import ControlPlane
import Foundation
import Glibc
import NodeRuntime
package import Primitives

/// Collects the facts about this machine, and changes nothing on it.
enum DoctorExamination {
    static func facts(_ files: ExaminedFiles) -> DoctorFacts {
        var facts = DoctorFacts()
        let (options, mistakes) = (files.options, files.mistakes)
        let origin = options.origin
        facts.settingFiles = [origin?.configurationPath, origin?.crewPath].compactMap { $0 }.filter(exists)
        facts.mistakes = mistakes.all.map(\.description)
        (facts.stateDirectory, facts.networkLack) = (options.stateDirectory, options.networkLack)
        facts.admission = options.admission.rawValue
        tryDisks(options, files.trials, noting: &facts)
        if facts.answers(options.stateDirectory) { readState(options, noting: &facts) }
        facts.channelCodeFaults = options.channelCodeFiles.filter { facts.answers($0.path) }.compactMap(fault(of:))
        var devices = ["\(options.input)", "\(options.output)"]
        if facts.isNodeAsked {
            if let client = try? ControlClient.reaching(options) {
                let audio = ask(client, noting: &facts)?.audio
                if let audio { devices = [audio.input, audio.output] }
            } else {
                facts.lostNode = LostNode(options)
            }
        }
        facts.usesSoundCard = devices.contains { DeviceWords.mayBeCard($0) }
        facts.mayMoveControl = options.rescue != nil
        facts.controlPathBytes = options.controlPath.utf8.count
        facts.controlPathBytesMax = ControlLimits.socketPathBytesMax - 1
        let cards = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/snd")) ?? []
        let playable = cards.filter { $0.hasPrefix("pcm") }
        facts.hasSoundCards = !playable.isEmpty
        facts.canOpenSoundCards = playable.contains { access("/dev/snd/\($0)", R_OK | W_OK) == 0 }
        let runtime = Surroundings.environment["XDG_RUNTIME_DIR"] ?? "/run/user/\(geteuid())"
        facts.hasSoundServer = ["pipewire-0", "pulse/native"].contains { exists("\(runtime)/\($0)") }
        facts.hasSpeechProcessing = SpeakingOptions.isSpeechProcessingBuiltIn
        facts.hasSystemBus = exists("/run/dbus/system_bus_socket")
        facts.hasAvahi = exists("/run/avahi-daemon/socket")
        facts.multicastInterfaces = multicastInterfaces()
        tryPorts(options.listen, noting: &facts)
        facts.realTimePriorityMax = geteuid() == 0 ? 99 : limit(__RLIMIT_RTPRIO)
        facts.openFilesMax = limit(RLIMIT_NOFILE)
        return facts
    }

    /// Notes the paths whose disk does not answer. Nothing is read there afterwards, since that would not end.
    private static func tryDisks(_ options: RunOptions, _ trials: DiskTrials, noting facts: inout DoctorFacts) {
        let ofNode = options.foldersOfNode
        let ofCodes = options.channelCodeFiles.map(\.path) + [options.codeFile].compactMap { $0 }
        for path in ofNode + ofCodes where facts.answers(path) && !trials.answers(path) {
            facts.unanswered.append(path)
        }
        facts.isNodeAsked = ofNode.allSatisfy { facts.answers($0) }
    }

    /// Reads the state folder, and the file with the code of the mesh.
    private static func readState(_ options: RunOptions, noting facts: inout DoctorFacts) {
        facts.state = writability(options.stateDirectory)
        if facts.state == .writable, let refusal = options.stateFileRefusal { facts.state = .closed(refusal) }
        do throws(MeshFileFault) {
            let kept = try KeptMesh.shown(stateOf: options)
            (facts.mesh, facts.isMeshClosed) = (kept?.name ?? options.mesh, kept != nil)
            facts.hasMeshCode = kept?.hasCode ?? true
            facts.isCodeKnown = kept.map { $0.code != nil } ?? true
            facts.overruledName = kept.flatMap { options.overruledName(in: $0.name) }
        } catch {
            facts.meshFault = "\(error)"
            if case .unreadable = error { facts.isMeshFileClosed = true }
        }
        guard let file = options.codeFile, !facts.isMeshClosed, facts.meshFault == nil else { return }
        (facts.mesh, facts.codeFile) = (nil, file)
        guard facts.answers(file) else {
            facts.codeFileFault = "the disk does not answer"
            return
        }
        do throws(ConfigurationError) {
            _ = try TypedCode.read(file: file, TypedCode.ofMesh)
        } catch {
            facts.codeFileFault = "\(error)"
        }
    }

    private static func tryPorts(_ choice: ListenChoice, noting facts: inout DoctorFacts) {
        var trial = Endpoint(address: IPAddress(v4: 0), port: facts.port)
        if case .exactly(let endpoint) = choice {
            (facts.port, facts.isPortNamed, trial.port) = (endpoint.port, true, endpoint.port)
            if !endpoint.address.isUnspecified { trial = endpoint }
        }
        facts.portState = PortTrial.state(of: trial)
        if facts.portState == .taken, !facts.isPortNamed {
            facts.isEveryPortTaken = PortTrial.isEachTaken(of: ListenChoice.ports)
        }
    }

    /// Asks the running node, and notes its answers. Returns its status; nil if the node refuses it.
    private static func ask(_ client: ControlClient, noting facts: inout DoctorFacts) -> StatusDocument? {
        facts.isNodeRunning = true
        var status: StatusDocument?
        do throws(ControlClientError) {
            status = try client.ask(StatusRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
        } catch {
            facts.statusRefusal = "\(error)"
        }
        if let node = status?.node {
            (facts.mesh, facts.isMeshClosed, facts.admission) = (node.mesh, node.meshClosed, node.admission)
            facts.isLeftBehind = node.leftBehind
        } else if !facts.isMeshClosed {
            // The node may be entering a closed mesh, by a code that only its command line names.
            facts.mesh = nil
        }
        facts.missingLinks = status.flatMap { MissingLinks.sentence($0) }
        (facts.duplicate, facts.split) = (status?.node.duplicate, status?.mesh.split)
        facts.lost = status?.mesh.lost
        let others = try? client.ask(DiscoverRequest(), timeoutSeconds: NodeChoice.timeoutSeconds)
        facts.isClosedMeshHere = others?.meshes.contains { $0.name == nil } ?? false
        facts.silentPeers = others?.silent?.map(\.sentence) ?? []
        let toldElsewhere =
            facts.silentPeers
            + [facts.networkLack, facts.split, facts.lost, facts.duplicate.map(DuplicateIdentities.line(of:))]
            .compactMap { $0 }
        let (health, peers) = (status?.health ?? [], status?.peers ?? [])
        for line in health where !toldElsewhere.contains(line) {
            if let trouble = PeerTrouble(line, among: peers) {
                facts.peerTroubles.append(trouble)
            } else {
                facts.troubles.append(line)
            }
        }
        facts.reload = status?.node.reload ?? []
        let refusers = peers.filter { $0.lastFailure == FailureText.offLink }
        facts.refusers = refusers.map(\.nameOrId)
        facts.refusedConnections = status?.mesh.counters["carriers_off_link"] ?? 0
        facts.refusedAddresses = others?.refused ?? []
        return status
    }

    /// Why a file gives no code of its channel; nil if it does.
    private static func fault(of file: ChannelCodeFile) -> String? {
        do throws(ConfigurationError) {
            _ = try TypedCode.read(file: file.path, TypedCode.chosen)
            return nil
        } catch {
            return "the file of channel \(file.channel) gives no code: \(error)"
        }
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private static func limit(_ resource: __rlimit_resource) -> UInt64 {
        var limits = rlimit()
        return getrlimit(Int32(resource.rawValue), &limits) == 0 ? UInt64(limits.rlim_max) : 0
    }

    /// Writes a trial file in the folder, or in its nearest parent that exists, and removes it.
    private static func writability(_ folder: String) -> DoctorFacts.Writability {
        var path = folder
        while !exists(path), path != "/", !path.isEmpty {
            path = (path as NSString).deletingLastPathComponent
        }
        guard let code = DiskTrial.write("\(path)/.partyline-doctor-\(getpid())") else { return .unanswered }
        guard code != 0 else { return .writable }
        let (isClosed, why) = (code == EACCES || code == EPERM, systemErrorText(code))
        return isClosed && path == folder ? .closed("cannot write into \(folder): \(why)") : .refused(why)
    }

    private static func multicastInterfaces() -> [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var names: [String] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let flags = entry.ifa_flags
            let wanted = UInt32(IFF_UP | IFF_MULTICAST)
            guard flags & wanted == wanted, flags & UInt32(IFF_LOOPBACK) == 0 else { continue }
            let name = String(cString: entry.ifa_name)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}

/// Binds a port as a node does, and gives it back at once.
package enum PortTrial {
    /// The state of a port at an address of this machine, for both TCP and UDP.
    package static func state(of endpoint: Endpoint) -> DoctorFacts.PortState {
        let stream = state(of: endpoint, SOCK_STREAM)
        return stream == .free ? state(of: endpoint, SOCK_DGRAM) : stream
    }

    /// Whether all of some ports are taken at the addresses of this machine, each for TCP or UDP.
    package static func isEachTaken(of ports: ClosedRange<UInt16>) -> Bool {
        ports.allSatisfy { state(of: Endpoint(address: IPAddress(v4: 0), port: $0)) == .taken }
    }

    private static func state(of endpoint: Endpoint, _ type: __socket_type) -> DoctorFacts.PortState {
        let isV4 = endpoint.address.v4 != nil
        let descriptor = socket(isV4 ? AF_INET : AF_INET6, Int32(type.rawValue), 0)
        guard 0 <= descriptor else { return .refused(systemErrorText(errno)) }
        defer { close(descriptor) }
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A node binds its address also before this machine has it.
        setsockopt(descriptor, Int32(IPPROTO_IP), IP_FREEBIND, &one, size)
        if type == SOCK_STREAM {
            // For a minute after the end of a node, closed connections keep its port from others but not from a node.
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size)
        }
        let (high, low) = (endpoint.address.high, endpoint.address.low)
        let raw = linux_endpoint(high: high, low: low, scope: endpoint.scope, port: endpoint.port)
        let errorNumber =
            isV4 ? errorOfBind(descriptor, linux_sockaddr_in(raw)) : errorOfBind(descriptor, linux_sockaddr_in6(raw))
        switch errorNumber {
        case 0: return .free
        case EADDRINUSE: return .taken
        default: return .refused(systemErrorText(errorNumber))
        }
    }

    /// The value of `errno` after a bind; 0 if the address is bound.
    private static func errorOfBind<Address>(_ descriptor: Int32, _ address: Address) -> Int32 {
        withUnsafeBytes(of: address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return bind(descriptor, pointer, socklen_t(bytes.count)) == 0 ? 0 : errno
        }
    }
}
