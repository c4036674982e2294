import Channels
import NodeRuntime
import Primitives
import Testing

@Suite("Grants as they are written")
struct GrantChoiceTests {
    private static let paths = StandardPaths(environment: [:], user: 0, folderExists: { _ in false })

    /// The options of a file with this value of a grant.
    private func options(_ key: RunKey, _ words: [String], isList: Bool) throws -> RunOptions {
        var settings = RunSettings()
        settings.set(key, words.map { RunSettings.Value($0, at: .option("test"), isOfList: isList) })
        return try RunResolution.resolve(
            options: RunSettings(), file: settings, paths: Self.paths, hostName: "h", hasSpeechProcessing: false)
    }

    private func choice(_ key: RunKey, in grants: GrantChoices) -> GrantChoice {
        switch key {
        case .grantPrivate: grants.privately
        case .grantAll: grants.toAll
        case .grantCallAll: grants.callAll
        case .grantPriority: grants.priority
        default: grants.closeMicrophone
        }
    }

    @Test(
        "each grant is to anyone, to nobody or to roles",
        arguments: [RunKey.grantPrivate, .grantAll, .grantCallAll, .grantCloseMicrophone, .grantPriority])
    func reading(key: RunKey) throws {
        func read(_ words: [String], isList: Bool) throws -> GrantChoice {
            choice(key, in: try options(key, words, isList: isList).grants)
        }
        let standard = try RunResolution.resolve(
            options: RunSettings(), file: RunSettings(), paths: Self.paths, hostName: "h", hasSpeechProcessing: false)
        #expect(choice(key, in: standard.grants) == (key == .grantPriority ? .nobody : .anyone))
        #expect(try read(["nobody"], isList: false) == .nobody)
        #expect(try read(["anyone"], isList: true) == .anyone)
        #expect(try read(["Stage manager", "LX"], isList: true) == .roles(["stage manager", "lx"]))
        #expect(try read([], isList: true) == .roles([]))
        #expect(throws: ConfigurationMistakes.self, "a role stands in a list") { try read(["LX"], isList: false) }
        #expect(throws: ConfigurationMistakes.self) { try read(["LX", " "], isList: true) }
        #expect(throws: ConfigurationMistakes.self, "no role") { try read(["LX", "nobody"], isList: true) }
        #expect(throws: ConfigurationMistakes.self, "no role") { try read(["Anyone"], isList: true) }
    }

    @Test("a role counts for trusted keys alone, in upper or lower case")
    func roles() {
        let nodes = (1...3).map { NodeID(words: (UInt64($0), 0, 0, 1)) }
        let trusted = [(node: nodes[0], role: SafeText("Stage Manager")), (node: nodes[1], role: SafeText(""))]
        #expect(GrantChoice.roles(["stage manager"]).grant(trusted: trusted) == .nodes([nodes[0]]))
        #expect(GrantChoice.roles(["lx"]).grant(trusted: trusted) == .nodes([]))
        #expect(GrantChoice.anyone.grant(trusted: trusted) == .anyone)
        #expect(GrantChoice.nobody.grant(trusted: trusted) == .nobody)
    }
}
