/**
 * A server that tests start in a separate process: it reports in one line how the start went, and ends when its standard
 * input is closed, hence also when this process is gone.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

/** Its report, as JSON. */
export type Answer = { readonly url: string } | { readonly failed: string }

export interface OwnProcess {
  readonly answer: Answer
  readonly close: () => Promise<void>
}

export const start = async (program: string, ...args: ReadonlyArray<string>): Promise<OwnProcess> => {
  // In a separate process group: an interrupt at the terminal reaches only this process, which then ends the server
  // properly.
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...args], {
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
