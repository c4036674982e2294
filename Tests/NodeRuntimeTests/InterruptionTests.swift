import Glibc
import NodeRuntime
import Testing

@Suite("An order to end, for commands that tidy up before")
struct InterruptionTests {
    /// Whether this process is asked to end when its terminal is gone. This changes the signals of the process, so it
    /// must be a process of its own.
    static func isAskedByHangUp(whereIgnored isIgnored: Bool) -> Bool {
        signal(SIGHUP, isIgnored ? SIG_IGN : SIG_DFL)
        Interruption.listen()
        // A command may listen again.
        Interruption.listen()
        // The threads of tests may block it.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGHUP)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGHUP)
        return Interruption.isPending
    }

    @Test("a program whose terminal is gone is asked to end, and not ended before it has tidied up")
    func hangUp() async {
        await #expect(processExitsWith: .success) {
            exit(InterruptionTests.isAskedByHangUp(whereIgnored: false) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("a program that nohup has started is not asked to end when its terminal is gone")
    func ignored() async {
        await #expect(processExitsWith: .success) {
            exit(InterruptionTests.isAskedByHangUp(whereIgnored: true) ? EXIT_FAILURE : EXIT_SUCCESS)
        }
    }
}
