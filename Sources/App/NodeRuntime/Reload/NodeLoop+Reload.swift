import Channels
import ControlPlane
import Mesh
import Node
import Primitives
import SystemClock

/// What a reload changes in a running node. Everything here runs on the node loop.
extension NodeLoop {
    /// Applies options that were read again. The voice goes on meanwhile.
    ///
    /// - Parameter started: the options with which the node was started.
    func apply(_ options: RunOptions, startedWith started: RunOptions) -> ReloadDocument {
        let plan = ReloadPlan(from: self.options, to: options, startedWith: started)
        var document = ReloadDocument(needsRestart: plan.needsRestart.map(\.rawValue))
        var channels = options.channels
        for name in plan.parts where isJoined(name) {
            document.note("parted \(name)") { () throws(ControlFailure) in try part(name) }
        }
        for wish in plan.joins {
            let isDone = document.note("joined \(wish.name)") { () throws(ControlFailure) in try join(wish) }
            // The next reload tries it again, because the channel is new to it.
            if !isDone { channels.removeAll { $0.name == wish.name } }
        }
        for wish in plan.changes where isJoined(wish.name) {
            let isDone = document.note("changed \(wish.name)") { () throws(ControlFailure) in try join(wish) }
            let former = self.options.channels.first { $0.name == wish.name }
            if !isDone, let former { channels = channels.map { $0.name == wish.name ? former : $0 } }
        }
        applyProfile(plan, options)
        if plan.live.contains(.beepOnLoss) { beepsOnLoss = options.beepsOnLoss }
        document.changed += plan.live.map { "set \($0.rawValue)" }
        self.options = options
        self.options.channels = channels
        return document
    }

    private func applyProfile(_ plan: ReloadPlan, _ options: RunOptions) {
        var profile = profile
        if plan.live.contains(.nick) { profile.name = options.nick }
        if plan.live.contains(.role) { profile.role = options.role ?? SafeText("") }
        if plan.live.contains(.colour) { profile.colour = options.colour ?? .none }
        introduce(as: profile)
    }

    private func isJoined(_ name: ChannelName) -> Bool { core.listening.list[core.directory.id(of: name)] != nil }
}

extension ReloadDocument {
    /// Does a part of a reload, and notes what has become of it. Returns whether it was done.
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
