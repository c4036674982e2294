import Channels
import ControlPlane
import Mesh
import Node
import Primitives
import StateStore
import SystemClock
import Wire

/// Calls and requests: commands of people, and what is told of them. Everything here runs on the node loop.
extension NodeLoop {
    /// Carries out a person's command. Returns the number of the call or request that it makes.
    ///
    /// - Throws: `notNow` with the reason.
    @discardableResult
    func perform(_ command: CallCommand) throws(ControlFailure) -> CallID? {
        var outcome: Result<CallID?, CallRefusal> = .success(nil)
        change { now in
            do throws(CallRefusal) {
                outcome = .success(try core.perform(command, now: now))
            } catch {
                outcome = .failure(error)
            }
        }
        do throws(CallRefusal) {
            return try outcome.get()
        } catch {
            throw ControlFailure(.notNow, error.words)
        }
    }

    /// Returns the call of a peer that a person means: by the caller, or by its id or the beginning of it if no peer is
    /// called so. The newest open call if `text` is nil.
    ///
    /// - Throws: `notNow` if there is no such call, or all calls of that peer have ended; `ambiguousPeer` if several
    ///   callers have the name.
    func incomingCall(_ text: String?) throws(ControlFailure) -> CallKey {
        let calls = core.calls.incoming
        guard let text else {
            guard let newest = calls.last(where: \.isOpen) else { throw ControlFailure(.notNow, "nobody calls") }
            return newest.key
        }
        // The caller goes first: a short name, such as `2` of a second camera, begins many ids.
        let known = peers()
        let callers = known.filter { peer in calls.contains { $0.key.caller == peer.node && $0.isOpen } }
        if !PeerLookup.matches(text, among: callers).isEmpty {
            let caller = try PeerLookup.find(text, among: callers).node
            if let newest = calls.last(where: { $0.key.caller == caller && $0.isOpen }) { return newest.key }
        }
        let named = PeerLookup.matches(text, among: known).map(\.node)
        if named.isEmpty {
            let matches = calls.filter { $0.key.id.text.hasPrefix(text.lowercased()) }
            if matches.count == 1 { return matches[0].key }
        } else if calls.contains(where: { named.contains($0.key.caller) }) {
            throw ControlFailure(.notNow, CallRefusal.ended.words)
        }
        throw ControlFailure(.notNow, "no call '\(SafeText(text))'; `partyline calls` lists them")
    }

    /// Returns the own call of this id, or of this beginning of an id. The newest open one if `text` is nil.
    ///
    /// - Throws: `notNow` if there is no such call.
    func ownCall(_ text: String?) throws(ControlFailure) -> CallID {
        let calls = core.calls.outgoing
        guard let text else {
            guard let newest = calls.last(where: \.isOpen) else {
                throw ControlFailure(.notNow, "no call of this node waits for an answer")
            }
            return newest.id
        }
        let matches = calls.filter { $0.id.text.hasPrefix(text.lowercased()) }
        guard matches.count == 1 else {
            throw ControlFailure(.notNow, "no own call '\(SafeText(text))'; `partyline calls` lists them")
        }
        return matches[0].id
    }

    /// Asks a peer to close its microphone. Without a channel it is the first one to which both nodes listen.
    ///
    /// - Throws: a failure that names the reason.
    func askToClose(_ peer: String, on name: ChannelName?) throws(ControlFailure) {
        let peer = try linkedPeer(peer).peer
        let listened = core.listening.list.listened
        guard let channel = name.map(core.directory.id(of:)) ?? listened.first(where: peer.channels.contains) else {
            throw ControlFailure(.notNow, CallRefusal.notOnChannel.words)
        }
        try perform(.askToClose(peer.node, on: channel))
    }

    /// Tells people of an event, and closes the microphone where a peer may order that.
    func take(_ event: CallEvent) {
        if case .closeOrdered(_, _, isGranted: true) = event { changeTalk { $0.closeAll(now: .monotonicNow()) } }
        if case .called(let call) = event, call.isOpen { soundCall(call) }
        tell(EventReport(event, nameOf: peerDirectory.name(of:), channelName: channelName(of:)))
    }
}

extension CallID {
    /// The number as 16 hexadecimal digits.
    package var text: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension CallRefusal {
    /// The reason, as a sentence for the person who gave the command.
    fileprivate var words: String {
        switch self {
        case .notLinked: "that peer has no link"
        case .nobody: "nobody is there to call"
        case .full: "too many calls or requests are open; wait, or withdraw one"
        case .tooSoon(let wait):
            "not sent: too many calls or requests to the same peers in a short time; wait "
                + "\(Int(wait.seconds.rounded(.up))) s"
        case .unknown: "there is no such call; `partyline calls` lists them"
        case .ended: "that call was answered or withdrawn, or its time is over"
        case .notOnChannel: "this node and that peer do not both listen to the channel"
        }
    }
}
