import Commands
import Testing

@Suite("The options of the next command")
struct OptionEchoTests {
    @Test("none were given, and none are needed")
    func none() {
        #expect(OptionEcho(reaching: "/run/x.sock").command("run") == "partyline run")
        #expect(OptionEcho(reaching: "/run/x.sock").verb("stop") == "partyline stop")
    }

    @Test("all that select a node come again; a verb for a running node gets the socket in place of --config")
    func all() {
        let echo = OptionEcho(name: "box", stateDir: "/x/state", config: "box.toml", reaching: "/run/x.sock")
        #expect(echo.command("code show") == "partyline code show --name box --state-dir /x/state --config box.toml")
        #expect(echo.verb("stop") == "partyline stop --name box --state-dir /x/state --control /run/x.sock")
        let named = OptionEcho(control: "c.sock", config: "box.toml", reaching: "/here/c.sock")
        #expect(named.verb("stop") == "partyline stop --control c.sock")
    }

    @Test("a shell takes a path with spaces and marks as one word, and a terminal obeys none of it")
    func quoted() {
        #expect(OptionEcho(stateDir: "/a b/it's").command("run") == "partyline run --state-dir '/a b/it'\\''s'")
        #expect(OptionEcho(stateDir: "").command("run") == "partyline run --state-dir ''")
        #expect(!OptionEcho(name: "a\u{1B}[2J").command("run").contains("\u{1B}"))
    }
}
