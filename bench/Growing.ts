/**
 * What gets slower as the store grows, and why: for docs/performance.md.
 */
export interface Growing {
  readonly figure: string
  /** The path in the lines of `small` and `large`. */
  readonly at: string
  readonly unit: string
  readonly why: string
}

export const growing: ReadonlyArray<Growing> = [
  {
    figure: "a burst's processor time",
    at: "burst.cpuMicrosPerEvent",
    unit: "µs/event",
    why: "the rows that a batch changes are found among more rows, whose keys are all read once after a start or a quiet minute"
  },
  {
    figure: "accepted → applied, p99",
    at: "trickle.visibleAfterP99Ms",
    unit: "ms",
    why: "the same"
  },
  {
    figure: "bytes written for a delivery",
    at: "trickle.writtenPerEvent",
    unit: "B",
    why: "checkpoints and sorted keys of a larger file are merged less often but are larger"
  },
  {
    figure: "a whole copy for analysts",
    at: "publish.whole.seconds",
    unit: "s",
    why: "the first one, and the one after a crash or an update"
  },
  {
    figure: "live after kill -9",
    at: "restartMs.killed.liveMs",
    unit: "ms",
    why: "everything since the last checkpoint is read again"
  },
  {
    figure: "memory",
    at: "residentMb",
    unit: "MB",
    why: "the index that recognises bodies stored before is kept in memory"
  }
]
