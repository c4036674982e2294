import ArgumentParser
import ControlPlane
import NodeRuntime
import Primitives

struct NickCommand: IntroducingCommand {
    static let configuration = CommandConfiguration(
        commandName: "nick", abstract: "Changes the name that the others see.",
        discussion: "Kept for the next start, unless --nick, config.toml or a crew file names another.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "1 to 24 characters.")
    var nick: String

    var wish: ProfileWords { ProfileWords(nick: nick) }

    func run() throws {
        let node = try node.settled()
        try change(at: node)
        // The name is changed, so a status that does not come is no failure of this verb.
        guard let status = try? node.ask(StatusRequest()) else { return }
        let look = NameLook.of(SafeText(nick))
        for peer in status.peers where peer.isLinked && NameLook.of(SafeText(peer.name)) == look {
            Output.note("\(Output.safe(peer.name)) (\(peer.shortId)) has this name too, or one that looks like it")
        }
    }
}

struct RoleCommand: IntroducingCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Tells the others what you do, for example lighting.",
        discussion: "Kept for the next start, unless --role or config.toml names another. The word none ends it.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "At most 24 characters.")
    var role: String

    var wish: ProfileWords { ProfileWords(role: role) }
}

struct ColourCommand: IntroducingCommand {
    static let configuration = CommandConfiguration(
        commandName: "colour", abstract: "Gives you a colour in the lists of all nodes.",
        discussion: "Kept for the next start, unless --colour, config.toml or a crew file names another.")

    @OptionGroup var node: NodeChoice
    @Argument(help: ArgumentHelp("\(Colour.expectation)."))
    var colour: String

    var wish: ProfileWords { ProfileWords(colour: colour) }
}

/// A verb that changes a field of the node's profile.
protocol IntroducingCommand: ChangingCommand where Request == IntroduceRequest {
    /// What changes.
    var wish: ProfileWords { get }
}

extension IntroducingCommand {
    /// They say which change ends with the next start.
    func warnings(in answer: DoneDocument) -> [String] { answer.warnings ?? [] }

    func validate() throws {
        do throws(ProfileFault) {
            try wish.check()
        } catch {
            throw ValidationError(error.description)
        }
    }

    var request: IntroduceRequest { IntroduceRequest(wish) }

    func confirmation(_ answer: DoneDocument) -> String {
        ProfileWords.fields.compactMap { field in
            wish[field].map { $0.isEmpty ? "no \(field.key.rawValue)" : "the \(field.key.rawValue) is \($0) now" }
        }.joined(separator: ", ")
    }
}
