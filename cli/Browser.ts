/**
 * Opens an address in the person's browser, where there is one. It is a convenience: whether it worked is neither
 * known nor waited for, and nothing fails when it didn't.
 */
import { spawn } from "node:child_process"
import { Effect } from "effect"

/** The command of each system, taking the address as its last argument; no shell reads it. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...ReadonlyArray<string>]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"]
}

export const open = (url: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const [command, ...given] = openers[process.platform] ?? ["xdg-open"]
    spawn(command, [...given, url], { stdio: "ignore", detached: true })
      .on("error", () => undefined)
      .unref()
  })
