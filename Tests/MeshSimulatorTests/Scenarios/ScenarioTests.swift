import MeshSimulator
import Primitives
import Testing

@Suite("Scenarios")
struct ScenarioTests {
    @Test("every scenario matches its transcript", arguments: TestFiles.scenarioNames)
    func transcript(name: String) throws {
        let file = try ScenarioFile(name: name, parsing: try TestFiles.text("Scenarios/\(name).scenario"))
        let outcome = try ScenarioRunner.play(file)
        for failure in outcome.failures { Issue.record("\(name): \(failure)") }
        #expect(outcome.played.text == file.text, "run `meshsim bless \(name)` if the change is meant")
    }

    @Test("the scenarios that the product must handle exist")
    func complete() {
        let wanted = [
            "one-guest-joins", "seven-join-at-once", "late-join", "host-leaves", "same-network", "different-network",
            "no-network", "airplane-mode-and-back", "background-and-lock", "one-way-discovery",
            "ghost-of-an-old-instance", "half-open", "udp-blocked", "hole-repair", "crash-and-rejoin",
        ]
        #expect(wanted.filter { !TestFiles.scenarioNames.contains($0) }.isEmpty)
    }

    @Test("an expectation that fails is reported with its line")
    func failure() throws {
        let file = try ScenarioFile(
            name: "wrong", parsing: "> nodes ada ben\n> start ada\n> expect clique ada ben within 1s\n")
        let outcome = try ScenarioRunner.play(file)
        #expect(outcome.failures == [ScenarioError(line: 3, text: "no clique within 1000.000ms")])
    }

    @Test("a scenario file is written as it was read")
    func roundTrip() throws {
        let text = "# About.\n\n> nodes a b\n> advance 1.5s\n    0.1s  a: b up\n# Then.\n> heal\n"
        #expect(try ScenarioFile(name: "x", parsing: text).text == text)
        #expect(try ScenarioFile(name: "x", parsing: text).title == "About.")
    }

    @Test(
        "an invalid scenario is refused with its line",
        arguments: [
            ("> nodes a b\nhello", 2), ("    early", 1), ("> nodes a b\n> dance a", 2), ("> start a", 1),
            ("> nodes a b\n> start c", 2), ("> nodes a b\n> advance soon", 2),
            ("> nodes a b\n> start a\n> pause a -5s", 3), ("> nodes a b\n> advance 99999999999s", 2),
            ("> nodes a b\n> expect quiet -1ms", 2),
            ("> nodes a b\n> expect up a b within 99999999999999999ms", 2),
            ("> nodes a b\n> network loss 0 delay -20\n> start a", 2),
            ("> nodes a b\n> advance 400000s\n> advance 600000s\n> advance 1s", 4),
            ("> nodes a b\n> advance 4000000000s\n> advance 4000000000s\n> advance 4000000000s", 2),
            ("> nodes a b\n> advance 1s\n> expect quiet 1000000s", 3),
            ("> nodes a b\n> start a\n> pause a 4000000000s", 3),
            ("> nodes a b\n> network loss 0 delay 4000000000000\n> start a", 2),
        ])
    func refused(text: String, line: Int) {
        let error = #expect(throws: ScenarioError.self) {
            try ScenarioRunner.play(try ScenarioFile(name: "x", parsing: text))
        }
        #expect(error?.line == line)
    }

    @Test("a scenario that is too long is refused with a sentence, and the longest one is not")
    func tooLong() throws {
        let longest = try ScenarioFile(name: "x", parsing: "> nodes a b\n> advance 999999s\n> advance 1s")
        #expect(try ScenarioRunner.play(longest).virtualTime == .seconds(1_000_000))
        let tooLong = try ScenarioFile(name: "x", parsing: longest.text + "> advance 1ns")
        let error = #expect(throws: ScenarioError.self) { try ScenarioRunner.play(tooLong) }
        #expect(error?.description == "line 4: a scenario lasts 1000000s at most")
    }

    @Test(
        "every command in the grammar is understood",
        arguments: [
            "nodes a b", "discovery beacon directory", "discovery none", "site 1 a b", "static-peer a b",
            "network loss 50 delay 20", "start a b", "kill a", "vanish a", "leave a", "restart a", "offline a",
            "online a",
            "pause a 3s", "suspend a 250ms", "move a", "cut a -> b", "cut a b", "mend a -> b", "partition a b", "heal",
            "block-datagrams a b", "deafen a b", "hear a b", "replay a b", "talk a", "advance 1.25s",
            "expect clique a b c within 2s", "expect up a b within 1s", "expect down a b within 1s", "expect alone a",
            "expect path a b relay", "expect quiet 5s", "expect gap a b within 2s",
            "expect ghosts 2", "expect consistent", "status a",
        ])
    func grammar(text: String) {
        #expect(ScenarioCommand(text) != nil)
    }
}
