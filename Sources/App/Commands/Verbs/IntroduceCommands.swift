import ArgumentParser
import ControlPlane
import NodeRuntime

struct NickCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nick", abstract: "Changes the name that the others see.",
        discussion: "Kept for the next start, unless --nick or config.toml names another.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "1 to 24 characters.")
    var nick: String

    func run() throws {
        try node.connect().ask(IntroduceRequest(name: nick), timeoutSeconds: NodeChoice.timeoutSeconds)
    }
}

struct RoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Tells the others what you do, for example lighting.",
        discussion: "Kept for the next start, unless --role or config.toml names another. An empty text ends it.")

    @OptionGroup var node: NodeChoice
    @Argument(help: "At most 24 characters.")
    var role: String

    func run() throws {
        try node.connect().ask(IntroduceRequest(role: role), timeoutSeconds: NodeChoice.timeoutSeconds)
    }
}

struct ColourCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "colour", abstract: "Gives you a colour in the lists of all nodes.",
        discussion: "Kept for the next start, unless --colour or config.toml names another.")

    @OptionGroup var node: NodeChoice
    @Argument(help: ArgumentHelp("\(Colour.expectation)."))
    var colour: String

    func validate() throws {
        guard Colour(colour) == nil else { return }
        throw ValidationError("the colour must be \(Colour.expectation)")
    }

    func run() throws {
        try node.connect().ask(IntroduceRequest(colour: colour), timeoutSeconds: NodeChoice.timeoutSeconds)
    }
}
