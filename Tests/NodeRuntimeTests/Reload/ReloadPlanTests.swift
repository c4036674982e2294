import Channels
import NodeRuntime
import Primitives
import Testing

@Suite("what a reload changes")
struct ReloadPlanTests {
    private static func wish(_ name: String, _ levelTenths: Int? = nil) throws -> ChannelWish {
        ChannelWish(try ChannelName(typed: name), levelTenths: levelTenths)
    }

    /// Options as `settings` make them, with these channels.
    private static func options(
        _ channels: [ChannelWish] = [], _ settings: [RunKey: String] = [:]
    ) throws -> RunOptions {
        var written = RunSettings()
        for key in RunKey.allCases { written.set(key, option: settings[key]) }
        let paths = StandardPaths(environment: [:], user: 0, folderExists: { _ in false })
        let origin = RunOrigin(options: written, file: nil, paths: paths, hostName: "desk")
        var options = try origin.read()
        options.channels = channels
        return options
    }

    @Test("unchanged files change nothing")
    func nothing() throws {
        let options = try Self.options([try Self.wish("stage", -60)], [.nick: "A", .period: "5"])
        let plan = ReloadPlan(from: options, to: options, startedWith: options)
        #expect(plan.parts.isEmpty && plan.joins.isEmpty && plan.changes.isEmpty)
        #expect(plan.live.isEmpty && plan.needsRestart.isEmpty)
    }

    @Test("channels that went are parted, new ones are joined, and of the others only what the file changed")
    func channels() throws {
        let old = try Self.options([try Self.wish("stage", -60), try Self.wish("fly"), try Self.wish("sound", 0)])
        let new = try Self.options([try Self.wish("Stage", -30), try Self.wish("sound", 0), try Self.wish("lights")])
        let plan = ReloadPlan(from: old, to: new, startedWith: old)
        #expect(plan.parts.map(\.description) == ["fly"])
        #expect(plan.joins == [try Self.wish("lights")])
        #expect(plan.changes == [try Self.wish("stage", -30)], "a name in capital letters is the same channel")
    }

    @Test("files that name no channel any more part none, as a start with them joins those of the last run")
    func noChannels() throws {
        let old = try Self.options([try Self.wish("stage", -60), try Self.wish("fly")])
        let none = try Self.options()
        let plan = ReloadPlan(from: old, to: none, startedWith: old)
        #expect(plan.unnamed.map(\.description) == ["stage", "fly"])
        #expect(plan.parts.isEmpty && plan.joins.isEmpty && plan.changes.isEmpty)
        let again = ReloadPlan(from: none, to: none, startedWith: old)
        #expect(again.unnamed.isEmpty && again.parts.isEmpty)
    }

    @Test("some settings have their effect at once, and all others at the next start")
    func settings() throws {
        let old = try Self.options([], [.nick: "A"])
        let new = try Self.options(
            [],
            [
                .nick: "B", .role: "lights", .beepOnLoss: "true", .tones: "talk", .logLevel: "debug",
                .grantAll: "nobody", .grantPriority: "anyone", .listen: "192.0.2.1:7500", .profile: "robust",
            ])
        let plan = ReloadPlan(from: old, to: new, startedWith: old)
        #expect(plan.live == [.nick, .role, .beepOnLoss, .tones, .logLevel, .grantAll, .grantPriority])
        #expect(plan.needsRestart == ["listen", "profile"])
    }

    @Test("a setting needs a restart until it is as at the start again")
    func stillNeeded() throws {
        let started = try Self.options([], [.profile: "low"])
        let changed = try Self.options([], [.profile: "robust"])
        #expect(ReloadPlan(from: changed, to: changed, startedWith: started).needsRestart == ["profile"])
        #expect(ReloadPlan(from: changed, to: started, startedWith: started).needsRestart == [])
    }

    @Test("the name of another mesh in a file needs a restart, but has only a warning where the mesh is closed")
    func mesh() throws {
        func named(_ mesh: String) throws -> RunOptions {
            var written = RunSettings()
            written.set(.mesh, [RunSettings.Value(mesh, at: .file(path: "/x/crew.toml", line: 6))])
            let paths = StandardPaths(environment: [:], user: 0, folderExists: { _ in false })
            return try RunOrigin(options: written, file: nil, paths: paths, hostName: "desk").read()
        }
        let (old, new) = (try named("theatre"), try named("opera"))
        let open = ReloadPlan(from: old, to: new, startedWith: old)
        #expect(open.needsRestart == ["mesh"] && open.overruledName == nil)
        let closed = ReloadPlan(from: old, to: new, startedWith: old, in: "theatre")
        #expect(closed.needsRestart == [])
        #expect(closed.overruledName?.hasPrefix("/x/crew.toml:6 names the mesh opera, which does not count") == true)
        #expect(ReloadPlan(from: new, to: old, startedWith: new, in: "theatre").overruledName == nil, "the right name")
        #expect(ReloadPlan(from: new, to: new, startedWith: new, in: "theatre").overruledName == nil, "known before")
    }

    private static func keys(_ text: String, talk: String = "ptt") throws -> RunOptions {
        var options = try Self.options([], [.talk: talk])
        options.keys = try ConfigurationFile.settings(in: text, path: "config.toml").keys
        return options
    }

    @Test(
        "talk keys with other targets, and more of them, have their effect at once; another key needs a restart",
        arguments: [
            ("[[key]]\nname = \"a\"\nchannels = [\"x\", \"y\"]", true, nil),
            ("[[key]]\nname = \"a\"\nchannels = [\"x\"]\n[[key]]\nname = \"b\"\nreply = true", true, nil),
            ("[[key]]\nname = \"a\"\nall = true", true, nil),
            ("[[key]]\nname = \"b\"\nchannels = [\"x\"]", false, "key (another name of 'a')"),
            ("[[key]]\nname = \"a\"\nchannels = [\"x\"]\nmode = \"latch\"", true, nil),
            ("[[key]]\nname = \"a\"\nchannels = [\"x\"]\nkey = \"7\"", false, "key (another terminal key of 'a')"),
            ("[[key]]\nname = \"a\"\nchannels = [\"x\"]\nmode = \"vox\"", false, "key 'a' (mode vox)"),
            ("", false, "key (fewer tables)"),
        ] as [(String, Bool, String?)])
    func keys(text: String, isLive: Bool, needsRestart: String?) throws {
        let old = try Self.keys("[[key]]\nname = \"a\"\nchannels = [\"x\"]")
        let new = try Self.keys(text)
        let plan = ReloadPlan(from: old, to: new, startedWith: old)
        #expect(plan.keys == (isLive ? new.keys : nil))
        #expect(plan.needsRestart == [needsRestart].compactMap { $0 })
    }

    @Test("a key becomes voice-operated without a restart only if one was so at the start; the rest has its effect")
    func vox() throws {
        func table(_ name: String, _ more: String) -> String { "[[key]]\nname = \"\(name)\"\n\(more)\n" }
        let ptt = try Self.keys(table("a", "all = true") + table("b", "all = true"))
        let text = table("a", "reply = true") + table("b", "all = true\nmode = \"vox\"") + table("c", "all = true")
        let vox = try Self.keys(text)
        let plan = ReloadPlan(from: ptt, to: vox, startedWith: ptt)
        #expect(plan.needsRestart == ["key 'b' (mode vox)"])
        #expect(plan.keys?.map(\.isReply) == [true, false, false] && plan.keys?.map(\.mode) == [nil, nil, nil])
        let started = try Self.keys("", talk: "vox")
        let live = ReloadPlan(from: ptt, to: vox, startedWith: started)
        #expect(live.needsRestart == [] && live.keys == vox.keys)
    }

    @Test("the mode of keys that name none is changed at once, other than to vox")
    func talk() throws {
        let ptt = try Self.options([], [.talk: "ptt"])
        let plan = ReloadPlan(from: ptt, to: try Self.options([], [.talk: "latch"]), startedWith: ptt)
        #expect(plan.live == [.talk] && plan.needsRestart == [])
        let vox = try Self.options([], [.talk: "vox"])
        for started in [ptt, vox] {
            let plan = ReloadPlan(from: ptt, to: vox, startedWith: started)
            #expect(plan.live == (started == vox ? [.talk] : []))
            #expect(plan.needsRestart == (started == vox ? [] : ["talk"]))
        }
    }

    @Test("a first talk key, and a new one that the voice operates, need a restart")
    func firstKeys() throws {
        let (none, one) = (try Self.keys(""), try Self.keys("[[key]]\nname = \"a\"\nchannels = [\"x\"]"))
        #expect(ReloadPlan(from: none, to: one, startedWith: none).needsRestart == ["key (the first tables)"])
        let two = "[[key]]\nname = \"a\"\nchannels = [\"x\"]\n[[key]]\nname = \"b\"\nchannels = [\"x\"]"
        let voiceOperated = try Self.keys(two + "\nmode = \"vox\"")
        #expect(ReloadPlan(from: one, to: voiceOperated, startedWith: one).needsRestart == ["key 'b' (mode vox)"])
        let same = "# moved\n[[key]]\nname = \"a\"\nchannels = [\"x\"]"
        #expect(ReloadPlan(from: one, to: try Self.keys(same), startedWith: one).keys == nil, "another line, no change")
    }
}
