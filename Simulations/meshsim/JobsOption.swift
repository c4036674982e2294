import ArgumentParser

/// The number of seeds that run at once.
struct JobsOption: ParsableArguments {
    @Option(help: "Seeds that run at once.")
    var jobs = 1

    /// Each job has a thread of its own, and reference counts are not atomic in a build for one thread.
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
