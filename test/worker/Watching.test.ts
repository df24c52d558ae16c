/** What a person watches beside a worker: `status --watch` and `events --follow`, in a pipe, across a restart. */
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { lineOf } from "../../cli/events.ts"
import { version } from "../../src/Runtime/Program.ts"
import { width } from "../../src/Query/Text.ts"
import { launch, until } from "../RunningWorker.ts"
import { World } from "./World.ts"

const certified = (id: string, amount = "12.50") => ({
  type: "ipc.certified",
  fields: { ipc_id: id, certified_amount: amount, certificate_url: `https://c/${id}` }
})
const paid = (id: string | undefined) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })

const launched = (world: World, ...verb: ReadonlyArray<string>) => {
  const { child, output } = launch(world.environment, ...verb)
  const lines = () => output.stdout.split("\n").slice(0, -1)
  return {
    lines,
    until: (what: string, isSo: (lines: ReadonlyArray<string>) => boolean) =>
      until(`${what}: ${output.stdout} ${output.stderr}`, async () => isSo(lines()) || undefined),
    stop: async () => {
      child.kill("SIGINT")
      const [code] = (await once(child, "close")) as [number | null]
      return { code, stderr: output.stderr }
    }
  }
}

describe("siteledger status", () => {
  it("says which worker it is, and what to do about each reason; it fails from degraded on", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    await world.server.deliver(paid("1"))
    const report = await worker.status("a hold", ({ reasonDetails }) => reasonDetails.length === 1)
    assert.deepInclude(report, { version, host: report.workers[0]?.host ?? report.host })
    assert.isBelow(Date.parse(report.startedAt), Date.now())
    assert.isAbove(Date.parse(report.startedAt), Date.now() - 120_000)
    const notice = await world.run("status")
    assert.deepInclude(notice, { code: 0, stderr: "" })
    assert.match(notice.stdout, /^ {2}notice .*\n {2}to do {7}Answer them: /m)
    assert.match(notice.stdout, new RegExp(`^siteledger {4}${version} on ${report.host}, since 2`, "m"))
  })

  it("is watched: a line for each change in a pipe, until ctrl-c, also while no worker runs", async () => {
    await using world = await World.open({ projects: 3 })
    const watched = launched(world, "status", "--watch")
    await watched.until("it says so", ([first = ""]) => /Z unknown {5}No worker is running on/.test(first))
    const worker = world.start()
    await worker.live()
    await watched.until("it is live", (lines) =>
      / live {8}0 pending, 0 in quarantine, 0 posted/.test(lines.at(-1) ?? "")
    )
    const before = watched.lines().length
    await world.server.deliver(paid("1"))
    await watched.until("one waits", (lines) => lines.at(-1)?.endsWith(", 1 on hold; open holds (notice)") ?? false)
    // No line without a change.
    for (const [place, line] of watched.lines().entries()) {
      assert.notStrictEqual(line.slice(21), watched.lines()[place - 1]?.slice(21))
    }
    assert.isAtMost(watched.lines().length, before + 4)
    const asJson = launched(world, "status", "--watch", "--json")
    await asJson.until("a document", ([first = "{}"]) => (JSON.parse(first) as { phase?: string }).phase === "live")
    await worker.stop()
    await watched.until("it is gone", (lines) => / unknown {5}/.test(lines.at(-1) ?? ""))
    assert.deepStrictEqual(await watched.stop(), { code: 0, stderr: "" })
    assert.strictEqual((await asJson.stop()).code, 0)
  })
})

/** Page behind page, and by time. */
const looksBack = async (world: World): Promise<void> => {
  const older = (await world.run("events", "--last", "2", "--json")).stderr
  const before = /--before "([^"]+)"/.exec(older)?.[1] ?? ""
  const rest = await world.run("events", "--before", before, "--type", "ipc.paid", "--to", "2999-01-01", "--json")
  const times = rest.stdout.split("\n").filter((line) => line !== "")
  assert.deepStrictEqual([times.length, rest.stderr], [2, ""])
  for (const line of times) assert.isTrue(before > (JSON.parse(line) as { readonly received_at: string }).received_at)
  assert.strictEqual((await world.run("events", "--from", "2999-01-01")).stdout, "")
  assert.strictEqual((await world.run("events", "--alarm", "replayed")).stdout, "")
  assert.match((await world.run("events", "--from", "today")).stderr, /from isn't a time/)
  assert.strictEqual((await world.run("events", "--follow", "--before", before)).code, 1)
}

describe("siteledger events", () => {
  it("follows what comes, filtered, and misses nothing while the worker starts again", async () => {
    await using world = await World.open({ projects: 3 })
    assert.strictEqual((await world.run("events", "--follow")).code, 1)
    const worker = world.start()
    await worker.live()
    // One after the other: the order in which they are received is what is shown.
    for (const [before, send] of [
      () => {},
      () => world.server.deliver(certified("1")),
      () => world.server.deliver(certified("2"))
    ].entries()) {
      await send()
      await worker.status("the ping, then each", ({ events }) => (events["applied"] ?? 0) > before)
    }
    const all = launched(world, "events", "--follow", "--last", "1")
    const ofOne = launched(world, "events", "--follow", "--ipc", "2", "--type", "ipc.paid,ipc.certified", "--json")
    const held = launched(world, "events", "--follow", "--outcome", "quarantined", "--json")
    await all.until("the last one of before", ([first = ""]) =>
      /^[\d:]{8} +\d+ ipc\.certified {8}2 {18}applied$/.test(first)
    )
    await world.server.deliver(paid("2"))
    await world.server.deliver(paid(undefined))
    await all.until("both came", (lines) => lines.length === 3)
    assert.match(all.lines()[2] ?? "", /^[\d:]{8} +\d+ ipc\.paid {32}no-key$/)
    await worker.stop()
    const next = world.start()
    await next.live()
    await world.server.deliver(certified("2", "13.50"))
    await all.until("it goes on", (lines) => lines.length === 4)
    const documents = () => ofOne.lines().map((line) => JSON.parse(line) as Record<string, unknown>)
    await ofOne.until("those of one IPC", (lines) => lines.length === 3)
    assert.deepStrictEqual(
      documents().map(({ entity_id, event_type }) => [entity_id, event_type]),
      [
        ["2", "ipc.certified"],
        ["2", "ipc.paid"],
        ["2", "ipc.certified"]
      ]
    )
    await held.until("what was quarantined", (lines) => lines.length === 1)
    assert.deepInclude(JSON.parse(held.lines().join()), { outcome: "quarantined", reason: "no-key" })
    for (const each of [all, ofOne, held]) assert.deepStrictEqual(await each.stop(), { code: 0, stderr: "" })
    const enough = launch(world.environment, "events", "--follow")
    enough.child.stdout.once("data", () => enough.child.stdout.destroy())
    let sent = 3
    const code = await until("it ends when its reader has had enough", async () => {
      await world.server.deliver(certified(String(sent++)))
      return enough.child.exitCode ?? undefined
    })
    assert.strictEqual(code, 0)
    assert.strictEqual(enough.output.stderr, "")
    await looksBack(world)
    const through = (await world.run("events")).stdout
    await next.stop()
    // Without a worker it reads the stores itself.
    assert.strictEqual((await world.run("events")).stdout, through)
    assert.isAtLeast(through.trim().split("\n").length, 6)
  })

  it("has lines of at most 80 columns, which nothing in an event can break", () => {
    const event = {
      sequence: 1,
      event_id: "e",
      event_type: "ipc.\u001B[31mcertified".repeat(3),
      event_timestamp: null,
      received_at: "2026-11-20T02:00:03.000000Z",
      entity: "ipcs",
      entity_id: "建設\n".repeat(40),
      outcome: "quarantined" as const,
      reason: "amount-does-not-fit",
      alarms: ["id-reused", "replayed", "relabelled"]
    }
    const line = lineOf(event)
    assert.strictEqual(width(line), 80)
    assert.notMatch(line, /\p{Cc}/u)
  })
})
