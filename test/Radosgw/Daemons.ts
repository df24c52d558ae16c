/**
 * The processes of one small Ceph: programs that end by themselves, and daemons that end with this process, however it
 * ends: a shell next to each waits for its standard input to close.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { promisify } from "node:util"

const startMs = 30_000

/** Returns its output. The error of a failing program has its output, too. */
export const run = async (program: string, ...parameters: ReadonlyArray<string>): Promise<string> =>
  (await promisify(execFile)(program, parameters, { timeout: startMs })).stdout.trim()

const untilClosed = `"$@" </dev/null & daemon=$!; cat >/dev/null; kill -9 "$daemon"; wait`

const started: Array<ChildProcess> = []

/** In the foreground (-f). */
export const start = (program: string, ...parameters: ReadonlyArray<string>): void => {
  const stdio = ["pipe", "ignore", "ignore"] as const
  started.push(spawn("/bin/sh", ["-c", untilClosed, "sh", program, "-f", ...parameters], { stdio: [...stdio] }))
}

export const stopAll = async (): Promise<void> => {
  await Promise.all(
    started.map(async (shell) => {
      const ended = once(shell, "close")
      shell.stdin?.end()
      await ended
    })
  )
}

/** Tries until it succeeds, for as long as a start may take. */
export const eventually = async <A>(what: string, attempt: () => Promise<A>, mostMs = startMs): Promise<A> => {
  const last = Date.now() + mostMs
  while (true) {
    const outcome = await attempt().then(
      (value) => ({ value }),
      (cause: unknown) => ({ cause })
    )
    if ("value" in outcome) return outcome.value
    if (Date.now() > last) throw new Error(`${what} didn't start: ${String(outcome.cause)}`)
    await new Promise((again) => setTimeout(again, 50))
  }
}
