import ArgumentParser

/// How many seeds run at once.
struct JobsOption: ParsableArguments {
    @Option(help: "Seeds that run at once.")
    var jobs = 1

    /// Each job has a thread of its own, and in a build for one thread counts of references are not atomic.
    private static var jobsMax: Int {
        #if PARTYLINE_ONE_THREAD
        1
        #else
        256
        #endif
    }

    func validate() throws {
        guard !(1...Self.jobsMax).contains(jobs) else { return }
        let reason = Self.jobsMax == 1 ? "1: this build has one thread, start several" : "1 to \(Self.jobsMax)"
        throw ValidationError("--jobs must be \(reason)")
    }
}
