package import Channels
import ControlPlane
import Dispatch
import Mesh
import NIOCore
import Node
package import Primitives
import StateStore
import Trust
import TrustCrypto

/// Channels with a code. Everything here runs on the node loop, but for the slow work.
extension NodeLoop {
    /// The longest wait of a request until it is known whether a linked peer has the code. A peer may take longer to
    /// show it: then the list of channels says that it is undecided.
    private static let answeredWithin = TimeAmount.seconds(4)

    static func missingCode(of name: ChannelName) -> String {
        "channel \(name) needs its code: `partyline join \(ShellWord.quoted("\(name)"))` asks for it"
    }

    /// The code of a channel of this node's mesh; nil if it has none.
    func code(of channel: ChannelID) -> RememberedCode? { channelCodes.first { $0.channel == channel } }

    /// Another code would cut this node off from all that have joined with the present one.
    private func otherCode(of name: ChannelName, _ channel: ChannelID) -> ControlFailure {
        let sharing = core.codes.peers(knowing: [channel]).map { peerDirectory.name(of: $0) }
        let shared = sharing.isEmpty ? "" : ", and shares it with \(sharing.joined(separator: ", "))"
        return ControlFailure(
            .notNow,
            "this node has another code of channel \(name)\(shared); "
                + "nothing was changed: `partyline join \(ShellWord.quoted("\(name)")) --replace` takes a new code")
    }

    /// Joins a channel with its code.
    ///
    /// - Parameter replaces: whether the code takes the place of another one that the node has.
    /// - Returns: sentences about the talk key (`prepareFreeKey`); and a future that is done once it is known whether a
    ///   linked peer has the channel with this code, or after `answeredWithin`.
    /// - Throws: `notNow` with the reason.
    func beginJoin(
        _ wish: ChannelWish, with code: RememberedCode, replaces: Bool
    ) throws(ControlFailure) -> (notes: [String], answer: EventLoopFuture<Void>) {
        let coded = CodedChannel(code)
        if !replaces, let kept = self.code(of: coded.channel), CodedChannel(kept) != coded {
            throw otherCode(of: wish.name, coded.channel)
        }
        let former = core.codes.held.first { $0.channel == coded.channel }
        if former == nil, ChannelCodeLimits.heldMax <= core.codes.held.count {
            throw ControlFailure(
                .notNow, "\(ChannelCodeLimits.heldMax) channels with a code are the most; part one first")
        }
        // Before the question: the answer comes at once where all peers have shown already that they lack this code.
        let answer = answerOfPeers(about: coded.channel)
        change { core.handle(.hold(coded, isNews: true), now: $0) }
        let notes: [String]
        do throws(ControlFailure) {
            notes = try listen(wish, keeping: code)
        } catch {
            change { core.handle(former.map { .hold($0, isNews: false) } ?? .drop(coded.channel), now: $0) }
            answerCodeWaits(for: coded.channel)
            throw error
        }
        channelCodes.removeAll { $0.channel == code.channel }
        channelCodes.append(code)
        let isShared = !core.codes.peers(knowing: [coded.channel]).isEmpty
        if isShared || core.codes.peers(undecidedAbout: coded.channel).isEmpty { answerCodeWaits(for: coded.channel) }
        return (notes, answer)
    }

    /// Ends once a linked peer has shown the code of a channel, or all have shown that they lack it, or after seconds.
    private func answerOfPeers(about channel: ChannelID) -> EventLoopFuture<Void> {
        let wait = loop.makePromise(of: Void.self)
        codeWaits.append((channel, wait))
        loop.scheduleTask(in: NodeLoop.answeredWithin) {
            guard let index = self.codeWaits.firstIndex(where: { $0.promise.futureResult === wait.futureResult }) else {
                return
            }
            self.codeWaits.remove(at: index).promise.succeed(())
        }
        return wait.futureResult
    }

    /// Ends the proofs of a channel's code with all peers. The caller changes what is stored.
    /// - Parameter forgets: whether the node also forgets the code. Otherwise it can join the channel again with it.
    func dropCode(of channel: ChannelID, forgets: Bool) {
        change { core.handle(.drop(channel), now: $0) }
        if forgets { channelCodes.removeAll { $0.channel == channel } }
        answerCodeWaits(for: channel)
    }

    /// Answers the requests that wait for a channel; all of them if it is nil.
    func answerCodeWaits(for channel: ChannelID? = nil) {
        let due = codeWaits.filter { channel == nil || $0.channel == channel }
        codeWaits.removeAll { channel == nil || $0.channel == channel }
        for wait in due { wait.promise.succeed(()) }
    }

    func take(_ note: ChannelCodeNote) {
        switch note {
        case .work(let task, let work):
            let loop = loop
            // The work takes longer than a voice packet may wait.
            parts.slowWork.async {
                let result = work.result(with: SodiumCode())
                loop.execute {
                    if !self.isLeaving { self.change { self.core.handle(.worked(task, result), now: $0) } }
                }
            }
        case .event(let event):
            if let report = EventReport(event, channelName: channels.name(of:), nameOf: peerDirectory.name(of:)) {
                tell(report)
            }
            switch event {
            case .proved(let channel, _), .nobodyHas(let channel): answerCodeWaits(for: channel)
            }
        }
    }
}

extension CodedChannel {
    init(_ kept: RememberedCode) { self.init(kept.channel, codeKey: kept.codeKey) }
}

extension EventReport {
    /// Nil if the channel was parted meanwhile.
    package init?(
        _ event: ChannelCodeEvent, channelName: (ChannelID) -> ChannelName?, nameOf: (NodeID) -> String
    ) {
        switch event {
        case .proved(let channel, let node):
            guard let channel = channelName(channel) else { return nil }
            self.init(
                .channelProved, node, nameOf(node), "\(nameOf(node)) has the code of channel \(channel)",
                ["channel": "\(channel)"])
        case .nobodyHas(let channel):
            guard let channel = channelName(channel) else { return nil }
            self.init(
                .channelUnshared, nil, nil, "nobody here has channel \(channel) with this code",
                ["channel": "\(channel)"])
        }
    }
}
