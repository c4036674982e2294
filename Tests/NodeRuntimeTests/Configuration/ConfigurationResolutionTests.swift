import AudioIO
import Channels
import Discovery
import Foundation
import Glibc
import Mesh
import NodeRuntime
import Primitives
import Testing
import Voice
import Wire

@Suite("Run options")
struct ConfigurationResolutionTests {
    private let paths = StandardPaths(
        environment: ["HOME": "/homes/a", "XDG_RUNTIME_DIR": "/run/user/7"], user: 7, folderExists: { _ in true })

    private func resolve(
        _ options: [RunKey: String], file: String = "", hasSpeechProcessing: Bool = true
    ) throws -> RunOptions {
        var settings = RunSettings()
        for key in RunKey.allCases { settings.set(key, option: options[key]) }
        return try RunResolution.resolve(
            options: settings, file: ConfigurationFile.settings(in: file, path: "config.toml"), paths: paths,
            hostName: "desk", hasSpeechProcessing: hasSpeechProcessing)
    }

    @Test("without settings the defaults hold")
    func defaults() throws {
        let options = try resolve([:])
        #expect(options.name == .standard)
        #expect(options.startProfile().name.string == "desk")
        #expect(options.mesh == "partyline")
        #expect(options.channels.isEmpty, "those of the last run, at first main")
        #expect(options.stateDirectory == "/homes/a/.local/state/partyline/default")
        #expect(options.controlPath == "/run/user/7/partyline/default.sock")
        #expect(options.listen == .automatic)
        #expect(options.talk == .ptt)
        #expect(options.profile == .low)
        #expect(options.input == .standard)
        #expect(options.period == nil)
        #expect(options.frame == nil)
    }

    @Test("networks in reach are prefixes of IPv4 and IPv6")
    func reach() throws {
        #expect(try resolve([:]).reach.isEmpty)
        let given = try resolve([:], file: "reach = [\"10.20.0.0/16\", \"2001:db8::/32\"]").reach
        #expect(given.map(\.length) == [16, 32])
        #expect(given.first?.address == IPAddress(v4: 10, 20, 0, 0))
    }

    @Test(
        "a text that is no prefix is refused as a network",
        arguments: [
            "10.20.0.0", "10.20.0.0/33", "10.20.0.0/", "/16", "10.20.0.0/16/2", "10.20/16", "::1/129", "a/8",
            "1.2.3.4/-1",
        ])
    func noNetwork(text: String) {
        #expect(throws: ConfigurationMistakes.self) { try resolve([.reach: text]) }
    }

    @Test(
        "the length of a frame is one that Opus has",
        arguments: zip(["2.5", "2.500", "5", "10.0", "20"], [0, 0, 1, 2, 3] as [UInt8]))
    func frames(text: String, raw: UInt8) throws {
        #expect(try resolve([.frame: text]).frame == FrameDuration(rawValue: raw))
        #expect(try resolve([:], file: "frame = \(text)").frame == FrameDuration(rawValue: raw))
    }

    @Test("an option overrides the file, and the file overrides the default")
    func precedence() throws {
        let file = "channel = \"stage\"\nmesh = \"show\"\npeer = [\"192.0.2.9:1\"]"
        let options = try resolve([.channel: "lights", .peer: "192.0.2.1"], file: file)
        #expect(options.channels.map(\.name.description) == ["lights"])
        let list = try resolve([:], file: "channel = [\"stage\", \"Lights\"]")
        #expect(list.channels.map(\.name.description) == ["stage", "Lights"])
        #expect(options.mesh == "show")
        #expect(options.peers.map(\.description) == ["192.0.2.1:7400"])
        #expect(try resolve([:], file: file).peers.map(\.description) == ["192.0.2.9:1"])
    }

    @Test("a refused value of the file is reported with its line, one of an option with the option")
    func places() {
        let problem = "'talk' is 'loud', expected one of ptt, latch, smart, vox, open"
        let ofFile = ConfigurationMistakes([ConfigurationError(.file(path: "config.toml", line: 2), problem)])
        #expect(throws: ofFile) {
            try resolve([:], file: "mesh = \"m\"\ntalk = \"loud\"")
        }
        #expect(throws: ConfigurationMistakes([ConfigurationError(.option("--talk"), problem)])) {
            try resolve([.talk: "loud"])
        }
    }

    @Test(
        "the form of a list is that of TOML in a file, and that of one value on the command line",
        arguments: [
            (.peer, "an address and port, for example 192.0.2.1:7400"), (.reach, "a network, for example 10.20.0.0/16"),
            (.output2Channel, "a channel name of 1 to 24 characters"),
            (.channelCodeFile, "a channel with a path, for example lights=lights.code"),
            (.grantAll, "anyone or nobody; roles are named in config.toml"),
        ] as [(RunKey, String)])
    func formOfLists(key: RunKey, form: String) {
        let word = key.rawValue
        let option = #expect(throws: ConfigurationMistakes.self) { try resolve([key: ""]) }
        #expect(option?.all.first?.description == "--\(word): '\(word)' is '', expected \(form)")
        let file = #expect(throws: ConfigurationMistakes.self) { try resolve([:], file: "\(word) = [\"\"]") }
        #expect(file?.all.first?.description == "config.toml:1: '\(word)' is '', expected \(key.expectation)")
        #expect(key.expectation.contains("[\""))
    }

    @Test("a setting that needs another one is told, unless that one is there with a wrong value")
    func needs() {
        func mistakes(_ file: String) -> [String]? {
            let error = #expect(throws: ConfigurationMistakes.self) { try resolve([:], file: file) }
            return error?.all.map(\.description)
        }
        #expect(
            mistakes("output2-level = -6\nprogramme = \"null\"") == [
                "config.toml:1: 'output2-level' needs 'output2'",
                "config.toml:2: 'programme' needs 'programme-channel'",
            ])
        let device = "expected a device: alsa:NAME, file:PATH or null"
        #expect(
            mistakes("output2 = \"hw\"\noutput2-level = -6") == ["config.toml:1: 'output2' is 'hw', \(device)"])
        #expect(
            mistakes("output = \"hw\"\necho-cancel = true") == ["config.toml:1: 'output' is 'hw', \(device)"],
            "nobody knows the clock of a device that is none")
        #expect(
            mistakes("output = \"file:a.wav\"\noutput2 = \"file:./a.wav\"") == [
                "config.toml:2: 'output2' is the file of 'output', expected another one"
            ])
    }

    @Test(
        "malformed values and values out of range are refused",
        arguments: [
            (RunKey.name, ""), (.name, "../x"), (.name, ".hidden"), (.name, "a b"), (.name, "-x"),
            (.name, String(repeating: "n", count: 33)), (.nick, ""), (.nick, "a\u{1B}[2Jb"), (.mesh, ""),
            (.role, String(repeating: "r", count: 25)), (.colour, "black"), (.colour, "#12"),
            (.channel, "a\u{202E}b"), (.channel, ""), (.channel, String(repeating: "c", count: 25)),
            (.channel, String(repeating: "c", count: 10_000)), (.listen, "nowhere"), (.listen, "192.0.2.1:0"),
            (.peer, "host.example:7400"),
            (.discovery, "bonjour"), (.input, "hw:0"), (.input, "tone:0"), (.input, "file:"), (.output, "tone:440"),
            (.talk, "voice"), (.gate, "yes"), (.voxLevel, "-5"), (.voxHang, "49"), (.keyLimit, "-1"), (.sideTone, "3"),
            (.profile, "hifi"), (.frame, "3"), (.frame, "40"), (.frame, "2,5"),
            (.period, "0.4"), (.period, "101"), (.period, "5ms"), (.period, "-5"),
            (.period, "."), (.buffer, "0.9"), (.bitrate, "7"), (.bitrate, "257"), (.bitrate, "64k"),
            (.logLevel, "loud"),
            (.simloss, "101"), (.simloss, "-1"), (.simjitter, "x"), (.simdelay, "1001"),
        ])
    func refused(key: RunKey, text: String) {
        #expect(throws: ConfigurationMistakes.self) { try resolve([key: text]) }
    }

    @Test("an IPv6 address without a port needs no brackets, unless its end is most likely meant as the port")
    func brackets() throws {
        for text in ["fd77::4", "fd77::7400", "fd77::4:7399", "[fd77::4:7400]", "fd77:0:0:0:0:0:4:7400"] {
            #expect(try resolve([.peer: text]).peers.map(\.endpoint.port) == [7_400])
        }
        for (text, hint) in [
            ("fd77::4:7400", "[fd77::4]:7400"), ("::1:7500", "[::1]:7500"), ("fe80::1%lo:7400", "[fe80::1%eth0]:7400"),
            ("1:2:3:4:5:6:7:8:7400", "[1:2:3:4:5:6:7:8]:7400"),
        ] {
            let mistakes = #expect(throws: ConfigurationMistakes.self) { try resolve([.peer: text]) }
            let reason = "the port of an IPv6 address needs brackets around the address: \(hint)"
            #expect(mistakes?.description == "--peer: 'peer' is '\(text)', but \(reason)")
        }
    }

    @Test("a link-local peer is dialled over the interface that it names")
    func linkLocalPeer() throws {
        let loopback = try #require(NetworkInterface.current()?.first(where: { $0.medium == .loopback }))
        let address = IPAddress(high: 0xFE80 << 48, low: 1)
        for (text, port) in [("[fe80::1%\(loopback.name)]:7401", 7_401), ("fe80::1%\(loopback.name)", 7_400)] {
            let expected = Endpoint(address: address, port: UInt16(port), scope: loopback.index)
            #expect(try resolve([.peer: text]).peers == [GivenAddress(expected, interface: loopback.name)])
        }
    }

    @Test("the interface of a link-local peer may be off, or have no address yet")
    func linkLocalPeerOnIdleInterface() throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")) ?? []
        for name in names where if_nametoindex(name) != 0 {
            let peers = try resolve([.peer: "[fe80::1%\(name)]:7400"]).peers
            #expect(peers.map(\.endpoint.scope) == [if_nametoindex(name)])
        }
    }

    @Test(
        "an address that cannot serve is refused with its reason",
        arguments: [
            (
                .peer, "[fe80::1]:7400",
                "a link-local address needs its interface, for example [fe80::1%eth0]:7400"
            ),
            (.peer, "[fe80::1%]:7400", "this machine has no interface ''"),
            (.peer, "[fe80::1%none 0]:7400", "this machine has no interface 'none 0'"),
            (.peer, "[2001:db8::1%lo]:7400", "only a link-local address (fe80::/10) has an interface"),
            (.peer, "0.0.0.0:7400", "0.0.0.0 stands for every address of a machine"),
            (.peer, "[::]:7400", ":: stands for every address of a machine"),
            (.peer, "224.0.0.1", "a peer is one node, and 224.0.0.1 is a multicast address"),
            (.peer, "[ff02::1]:7400", "a peer is one node, and ff02::1 is a multicast address"),
            (.peer, "255.255.255.255", "a peer is one node, and 255.255.255.255 is the broadcast address"),
            (
                .listen, "[fe80::1]:7400",
                "a node does not listen on a link-local address alone; [::]:7400 is every address"
            ),
            (.listen, "224.0.0.1", "no machine has 224.0.0.1: it is a multicast address"),
            (.listen, "[ff02::1]:7400", "no machine has ff02::1: it is a multicast address"),
            (.listen, "255.255.255.255:7400", "no machine has 255.255.255.255: it is the broadcast address"),
        ] as [(RunKey, String, String)])
    func unfitAddress(key: RunKey, text: String, reason: String) {
        let word = key.rawValue
        let error = ConfigurationError(.option("--\(word)"), "'\(word)' is '\(text)', but \(reason)")
        #expect(throws: ConfigurationMistakes([error])) { try resolve([key: text]) }
    }

    @Test("a node may listen on all that Linux takes as an address of a machine, or of all its networks")
    func listening() throws {
        for text in ["0.0.0.0:7400", "[::]:7400", "240.0.0.1:7400", "127.0.0.1:7400"] {
            let endpoint = try #require(Endpoint(text, defaultPort: 7_400))
            #expect(try resolve([.listen: text]).listen == .exactly(endpoint))
        }
    }

    @Test("the message about a refused name has the whole rule", arguments: ["..", "-x", ".hidden", "é"])
    func nameRule(text: String) {
        let rule = "1 to 32 of A-Z, a-z, 0-9, '.', '_' and '-', beginning with neither '.' nor '-'"
        let error = ConfigurationError(.option("--name"), "'name' is '\(text)', expected \(rule)")
        #expect(throws: ConfigurationMistakes([error])) { try resolve([.name: text]) }
    }

    @Test("each option of the own voice sets its value, and nothing is on by default")
    func speaking() throws {
        #expect(try resolve([:]).speaking == SpeakingOptions())
        let text = "gate = true\nvox-level = -42.5\nkey-limit = 0\nside-tone = -18\nhalf-duplex = true\n"
        let options = try resolve([.agc: "true", .gate: "false", .voxHang: "250"], file: text)
        var expected = SpeakingOptions()
        expected.hasAutomaticGain = true
        expected.voxHang = .milliseconds(250)
        expected.voxLevelDecibels = -42.5
        expected.keyLimit = nil
        expected.sideToneDecibels = -18
        expected.isHalfDuplex = true
        #expect(options.speaking == expected)
    }

    @Test(
        "echo cancellation needs one clock, noise suppression does not",
        arguments: [
            ("alsa:default", "alsa:default", true), ("alsa:hw:1", "alsa:hw:1", true), ("alsa:hw:0", "alsa:hw:1", false),
            ("alsa", "file:a.wav", false), ("tone:440", "null", true), ("file:a.wav", "file:b.wav", true),
        ])
    func oneClock(input: String, output: String, isFit: Bool) throws {
        let devices = [RunKey.input: input, .output: output]
        #expect(try resolve(devices.merging([.denoise: "true"]) { $1 }).speaking.hasNoiseSuppression)
        let options = try? resolve(devices.merging([.echoCancel: "true"]) { $1 })
        #expect((options != nil) == isFit)
    }

    @Test("noise suppression sets frames of 10 ms, refuses shorter ones, and is refused if it is not built in")
    func speechProcessing() throws {
        #expect(try resolve([.denoise: "true"]).profile == .normal)
        #expect(try resolve([.denoise: "true", .profile: "robust"]).profile == .robust)
        #expect(try resolve([.denoise: "false"], hasSpeechProcessing: false).profile == .low)
        #expect(throws: ConfigurationMistakes.self) { try resolve([.denoise: "true", .profile: "low"]) }
        #expect(throws: ConfigurationMistakes.self) { try resolve([.denoise: "true", .frame: "5"]) }
        let error = ConfigurationError(
            .option("--denoise"),
            "denoise is not in this program: install libwebrtc-audio-processing-dev and build again")
        #expect(throws: ConfigurationMistakes([error])) { try resolve([.denoise: "true"], hasSpeechProcessing: false) }
        let echo = try resolve([.echoCancel: "true", .input: "null", .output: "null"], hasSpeechProcessing: false)
        #expect(echo.profile == .low && echo.speaking.hasEchoCancellation)
    }

    @Test("effects are a list; one that is repeated or out of its range is refused")
    func effects() throws {
        #expect(
            try resolve([.effect: "pitch:-4,reverb:30"]).speaking.effects == [
                .pitch(semitones: -4), .reverb(percent: 30),
            ])
        #expect(try resolve([:]).speaking.effects == [])
        for wrong in ["", "pitch", "pitch:13", "reverb:0", "pitch:1,pitch:2", "echo:3", "pitch:1,"] {
            #expect(throws: ConfigurationMistakes.self) { try resolve([.effect: wrong]) }
        }
    }

    @Test(
        "milliseconds are read to the microsecond",
        arguments: [
            ("5", 5_000), ("2.5", 2_500), ("1.333", 1_333), ("1.3339", 1_333), ("0.50", 500), ("1.05", 1_050),
        ])
    func milliseconds(text: String, microseconds: Int64) throws {
        #expect(try resolve([.period: text]).period == .microseconds(microseconds))
    }

    @Test("the name of a node gives its nick, its folder and its socket")
    func named() throws {
        let options = try resolve([.name: "foh"])
        #expect(options.startProfile().name.string == "foh")
        #expect(options.stateDirectory == "/homes/a/.local/state/partyline/foh")
        #expect(options.controlPath == "/run/user/7/partyline/foh.sock")
    }

    @Test(
        "the socket of a chosen state folder is in it, and that of the standard folder stays where it is",
        arguments: [
            ("/x/state", "/x/state/control.sock"),
            ("/homes/a/.local/state/partyline/foh", "/run/user/7/partyline/foh.sock"),
            ("/homes/a/.local/state/partyline/default", "/homes/a/.local/state/partyline/default/control.sock"),
        ])
    func chosenFolder(folder: String, socket: String) throws {
        #expect(try resolve([.name: "foh", .stateDir: folder]).controlPath == socket)
    }

    @Test("a node that started before its user logged in is looked for in the state folder too")
    func beforeLogin() throws {
        func sockets(_ options: [RunKey: String]) throws -> [String] {
            var options = try resolve(options)
            if options.rescue != nil { options.rescue = RescueFolders(root: "/nowhere", user: 7) }
            return options.controlPaths
        }
        #expect(
            try sockets([.name: "foh"]) == [
                "/run/user/7/partyline/foh.sock", "/homes/a/.local/state/partyline/foh/control.sock",
            ])
        #expect(try sockets([.stateDir: "/x"]) == ["/x/control.sock"])
        #expect(try sockets([.control: "/c.sock"]) == ["/c.sock"], "a person has named that path alone")
    }

    @Test("without a runtime folder the socket is in the state folder; relative XDG paths are ignored")
    func withoutRuntimeFolder() {
        let paths = StandardPaths(
            environment: ["HOME": "/h", "XDG_STATE_HOME": "relative", "XDG_RUNTIME_DIR": "x"], user: 7,
            folderExists: { _ in false })
        #expect(paths.stateDirectory(of: .standard) == "/h/.local/state/partyline/default")
        #expect(paths.controlPath(of: .standard, stateDirectory: "/s") == "/s/control.sock")
        #expect(paths.configurationFile == "/h/.config/partyline/config.toml")
    }

    @Test(
        "the text of a device is the same after it has been read",
        arguments: ["alsa:default", "alsa:hw:0,0", "file:/a b.wav", "tone:440", "null"])
    func devices(text: String) throws {
        #expect(try DeviceSpecification(text, as: .input).description == text)
    }
}
