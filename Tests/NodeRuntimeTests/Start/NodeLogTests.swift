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

    @Test("another level holds also for the copies of the logger that others have, and not for that of libraries")
    func level() {
        let log = NodeLog(level: .notice, form: .terminal)
        let (copy, ofLibraries) = (log.logger, log.quietLogger)
        #expect(copy.logLevel == .notice && ofLibraries.logLevel == .error)
        log.setLevel(.debug)
        #expect(copy.logLevel == .debug && log.logger.logLevel == .debug && ofLibraries.logLevel == .error)
    }

    @Test("a copy of the logger that gets a level of its own leaves the others as they are")
    func ownLevel() {
        let log = NodeLog(level: .notice, form: .terminal)
        var copy = log.logger
        copy.logLevel = .trace
        #expect(copy.logLevel == .trace && log.logger.logLevel == .notice)
    }
}
