/**
 * A server that tests start for themselves, in a process of its own: it tells in one line how the start went, and ends
 * when its standard input is closed, so also when this process is gone.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

/** What it tells, as JSON. */
export type Answer = { readonly url: string } | { readonly failed: string }

export interface OwnProcess {
  readonly answer: Answer
  readonly close: () => Promise<void>
}

export const start = async (program: string, ...given: ReadonlyArray<string>): Promise<OwnProcess> => {
  // In a group of its own: an interrupt at the terminal is for this process, which then ends it in order.
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...given], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = once(child, "close")
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [unknown]
  return {
    answer: typeof line === "string" ? (JSON.parse(line) as Answer) : { failed: "Its process ended." },
    close: async () => {
      child.stdin.end()
      await ended
    }
  }
}
