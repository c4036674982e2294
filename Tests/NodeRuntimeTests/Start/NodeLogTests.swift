import Logging
import NodeRuntime
import Testing

@Suite("Lines of the log")
struct NodeLogTests {
    @Test(
        "a line has its level where that is severe or where the journal reads it, and the word of its node",
        arguments: [
            (LogForm.terminal, Logger.Level.notice, nil, "partyline: input null is lost\n"),
            (.terminal, .warning, "programme", "partyline: warning: programme: input null is lost\n"),
            (.besideLiveLine, .notice, "programme", "\r\u{1B}[Kpartyline: programme: input null is lost\n"),
            (.journal, .warning, nil, "<4>input null is lost\n"),
            (.journal, .notice, "programme", "<5>programme: input null is lost\n"),
        ] as [(LogForm, Logger.Level, String?, String)])
    func lines(form: LogForm, level: Logger.Level, speaker: String?, line: String) {
        #expect(form.line("input null is lost", level: level, of: speaker) == line)
    }
}
