/**
 * kill -9 at named points and at random moments, again and again on one data directory. A point is observed from
 * outside: a file that changes, a byte on the wire, an answer. In the end no acknowledged event is lost and none is
 * doubled.
 */
import { connect } from "node:net"
import { mkdirSync, watch } from "node:fs"
import { join } from "node:path"
import type { Dice } from "../../sandbox/Seed.ts"
import { type Goal, shuffled } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { Proxy } from "../Proxy.ts"
import { headersOf } from "../Sender.ts"
import { pause } from "../../bench/Waiting.ts"
import { mark, World } from "../World.ts"
import type { Worker } from "../../bench/WorkerProcess.ts"

interface Life {
  readonly world: World
  readonly worker: Worker
  readonly dice: Dice
  readonly tokens: Proxy
  /** Signing secrets whose addition was acknowledged. */
  readonly secrets: Array<string>
}

/** Waits until it is time to kill. */
type Point = (life: Life) => Promise<unknown>

const mostWaitMs = 4000

interface Change {
  readonly folder: string
  readonly name: RegExp
  readonly nth?: number
  /** A file must appear or disappear, not only change. */
  readonly isNew?: boolean
}

/** The nth change of a file below the data directory. */
const changed = ({ dataDir }: World, { folder, isNew = false, name, nth = 1 }: Change): Promise<void> =>
  new Promise((resolve) => {
    let left = nth
    const path = join(dataDir, folder)
    mkdirSync(path, { recursive: true })
    const watcher = watch(path, { recursive: true }, (kind, file) => {
      if (file === null || !name.test(file) || (isNew && kind !== "rename") || --left > 0) return
      watcher.close()
      resolve()
    })
    setTimeout(() => watcher.close(), mostWaitMs).unref()
  })

/** Sends a request over a raw socket, cut off after this share of its body. */
const written = ({ sender }: World, share: number): Promise<void> =>
  new Promise((resolve) => {
    const [event] = sender.tale.take(1, 100_000)
    if (event === undefined) return resolve()
    const { hostname, pathname, port } = new URL(sender.url)
    const headers = { Host: hostname, "Content-Length": String(event.body.length), ...headersOf(sender.secret, event) }
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const socket = connect(Number(port), hostname)
    socket.on("error", () => resolve())
    sender.attempts.set(event.sha256, 1)
    const bytes = `POST ${pathname} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${event.body.slice(0, event.body.length * share)}`
    socket.write(bytes, () => resolve())
  })

const random =
  (most: number): Point =>
  ({ dice }) =>
    pause(dice.below(most))

/** Resolves with the first of them, while deliveries arrive. */
const during =
  (point: Point): Point =>
  async (life) => {
    const reached = point(life)
    void life.world.sender.burst(60)
    await reached
  }

const asking =
  (verb: string, point: Point): Point =>
  async (life) => {
    await life.world.sender.burst(20)
    const reached = point(life)
    void life.worker.verb(verb)
    await reached
  }

const everywhere: Readonly<Record<string, Point>> = {
  start: random(1500),
  read: async ({ dice, world }) => {
    await written(world, 0.2 + dice.below(7) / 10)
    await pause(dice.below(20))
  },
  verify: ({ world }) => written(world, 1),
  answer: ({ world }) => new Promise((resolve) => void world.sender.burst(60, () => resolve(undefined))),
  answers: ({ dice, world }) =>
    new Promise((resolve) => {
      let left = 1 + dice.below(60)
      void world.sender.burst(60, () => --left === 0 && resolve(undefined)).then(resolve)
    }),
  apply: async ({ dice, world }) => {
    await world.sender.burst(120)
    await pause(dice.below(150))
  },
  export: asking("export", ({ dice, world }) => changed(world, { folder: "lake", name: /./, nth: 1 + dice.below(30) })),
  pointer: asking("export", ({ world }) => changed(world, { folder: "lake", name: /latest|_manifests/ })),
  publish: asking("publish", ({ world }) => changed(world, { folder: ".", name: /^analytics\.duckdb/ })),
  token: async ({ dice, tokens }) => {
    await tokens.heard()
    await pause(dice.below(15))
  },
  rotation: async ({ dice, secrets, worker }) => {
    // A worker that knows a secret without having subscribed assumes that the subscription was made by hand.
    await worker.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
    const secret = `${mark}-${dice.below(1e9)}-rotated`
    void worker.verb("secret-add", { secret }).then((answer) => answer !== undefined && secrets.push(secret))
    await pause(dice.below(60))
  }
}

const onFiles: Readonly<Record<string, Point>> = {
  store: during(({ world }) => changed(world, { folder: "inbox", name: /\.log$/ })),
  copy: during(({ world }) => changed(world, { folder: "inbox/beside", name: /\.log$/ })),
  commit: during(({ world }) => changed(world, { folder: ".", name: /^store\.sqlite-wal$/ })),
  warehouse: during(({ dice, world }) =>
    changed(world, { folder: ".", name: /^warehouse\.duckdb\.wal$/, nth: 1 + dice.below(3) })
  ),
  checkpoint: asking("publish", ({ world }) => changed(world, { folder: ".", name: /^warehouse\.duckdb$/ })),
  segment: async ({ world }) => {
    const reached = changed(world, { folder: "inbox", name: /^\d+\.log$/, isNew: true })
    void world.sender.burst(6, () => undefined, 3_500_000)
    await reached
  }
}

/** Points before the worker is up. */
const early = new Set(["start", "token"])

const live = async (life: Life, name: string, point: Point): Promise<boolean> => {
  if (!early.has(name)) await life.worker.reaches("the worker is up")
  const isReached = await Promise.race([point(life).then(() => true), pause(mostWaitMs).then(() => false)])
  await life.worker.kill()
  return isReached
}

export const goal: Goal = {
  engines: ["duckdb", "postgres"],
  runs: 7,
  run: async (attack) => {
    const { dice } = attack
    const points = Object.entries(attack.engine === "duckdb" ? { ...everywhere, ...onFiles } : everywhere)
    const tokens = await Proxy.open(0)
    await using world = await World.open(attack, {
      environment: { SITELEDGER_AUTH_URL: tokens.url },
      sandbox: { tokenSeconds: 5 }
    })
    tokens.target = Number(new URL(world.sandbox.authUrl).port)
    const missed = new Map<string, number>()
    const secrets: Array<string> = []
    let kills = 0
    let order: Array<(typeof points)[number]> = []
    for (const run of attack.runs()) {
      if (order.length === 0) order = shuffled(dice, points)
      const [name, point] = order.pop() ?? (["start", random(1500)] as const)
      const isReached = await live({ world, worker: world.start(), dice, tokens, secrets }, name, point)
      if (!isReached) missed.set(name, (missed.get(name) ?? 0) + 1)
      kills = run + 1
    }
    const last = world.start()
    await last.reaches("the worker is up")
    const lost: Array<string> = []
    for (const secret of secrets) {
      const [event] = world.sender.tale.take(1)
      const status = event === undefined ? 200 : await world.sender.signed(event, secret)
      if (status !== 200) lost.push(`a delivery signed with an acknowledged secret was answered ${status}`)
    }
    const { entries, events, violations } = await judge(world, last)
    tokens.close()
    const acknowledged = [...world.sender.acknowledged.values()].reduce((sum, each) => sum + each, 0)
    return {
      runs: kills,
      violations: [...lost, ...violations],
      figures: { kills, points: points.length, acknowledged, events, entries, missed: Object.fromEntries(missed) }
    }
  }
}
