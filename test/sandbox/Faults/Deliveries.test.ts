import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import * as CallbackReceiver from "../CallbackReceiver.ts"
import { emitted, type FaultValues, start } from "./Started.ts"

const count = 60

const idOf = (received: CallbackReceiver.Received) => received.headers["x-service-event-id"] ?? ""
const bodyType = (received: CallbackReceiver.Received): unknown =>
  (JSON.parse(CallbackReceiver.text(received)) as { event_type: unknown }).event_type
const hasOwnType = (received: CallbackReceiver.Received) => bodyType(received) === CallbackReceiver.eventType(received)

/** The deliveries of some events while the faults are on. As many events after that must be delivered normally. */
const withAndWithout = Effect.fnUntraced(function* (faults: FaultValues) {
  const { sandbox, set, subscribe } = yield* start()
  const receiver = yield* subscribe()
  yield* set(faults)
  const during = yield* emitted(sandbox, receiver, count)
  yield* set(Object.fromEntries(Object.keys(faults).map((name) => [name, 0])))
  const after = yield* emitted(sandbox, receiver, count)
  const ids = after.map((_, n) => sandbox.events.id(count + n))
  assert.deepStrictEqual(after.map(idOf), ids)
  assert.isTrue(after.every(hasOwnType))
  assert.strictEqual(after.length, count)
  const bodyOf = new Map(Array.from({ length: count }, (_, n) => [sandbox.events.id(n), sandbox.events.body(n)]))
  return { sandbox, receiver, during, bodyOf }
})

describe("Faults of deliveries", () => {
  it.effect("relabel-before sends the same body and id under another type first", () =>
    Effect.gen(function* () {
      const { bodyOf, during } = yield* withAndWithout({ "relabel-before": 0.4 })
      const wrong = during.filter((received) => !hasOwnType(received))
      assert.strictEqual(during.length, count + wrong.length)
      assert.isTrue(wrong.length > count / 5 && wrong.length < count * 0.7)
      for (const received of wrong) {
        const same = during.filter((other) => idOf(other) === idOf(received))
        assert.deepStrictEqual(same.map(hasOwnType), [false, true])
        assert.isTrue(same.every((each) => CallbackReceiver.text(each) === bodyOf.get(idOf(each))))
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("relabel-after sends the same body and id under another type last, signed", () =>
    Effect.gen(function* () {
      const { during, receiver } = yield* withAndWithout({ "relabel-after": 1 })
      assert.strictEqual(during.length, 2 * count)
      for (const pair of Arr.chunksOf(during, 2)) {
        assert.deepStrictEqual(pair.map(hasOwnType), [true, false])
        assert.strictEqual(new Set(pair.map(idOf)).size, 1)
      }
      assert.isTrue(during.every((received) => CallbackReceiver.signedWith(receiver.secret, received)))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("other-id sends the same body again under a new id", () =>
    Effect.gen(function* () {
      const { bodyOf, during } = yield* withAndWithout({ "other-id": 1 })
      const foreign = during.filter((received) => !bodyOf.has(idOf(received)))
      assert.strictEqual(during.length, 2 * count)
      assert.strictEqual(new Set(foreign.map(idOf)).size, count)
      assert.deepStrictEqual(foreign.map(CallbackReceiver.text), [...bodyOf.values()])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("reused-id sends an event under the previous event's id", () =>
    Effect.gen(function* () {
      const { bodyOf, during } = yield* withAndWithout({ "reused-id": 1 })
      const [first = "", ...others] = bodyOf.keys()
      assert.deepStrictEqual(during.map(CallbackReceiver.text), [...bodyOf.values()])
      assert.deepStrictEqual(during.map(idOf), [first, first, ...others.slice(0, -1)])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("reused-id uses only ids that the subscription has seen", () =>
    Effect.gen(function* () {
      const { sandbox, set, subscribe } = yield* start()
      const receiver = yield* subscribe(undefined, ["ipc.paid", "vo.agreed"])
      yield* set({ "reused-id": 1 })
      const received = yield* emitted(sandbox, receiver, 400)
      const heard = Array.from({ length: 400 }, (_, n) => n).filter((n) =>
        ["ipc.paid", "vo.agreed"].includes(sandbox.events.at(n).type)
      )
      assert.isAbove(heard.length, 5)
      assert.deepStrictEqual(
        received.slice(1).map(idOf),
        heard.slice(0, -1).map((n) => sandbox.events.id(n))
      )
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("duplicate sends some twice, unchanged", () =>
    Effect.gen(function* () {
      const { sandbox, set, subscribe } = yield* start()
      const receiver = yield* subscribe()
      yield* set({ duplicate: 1 })
      yield* sandbox.emit(count)
      yield* TestClock.adjust("1 second")
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      const received = yield* Queue.takeAll(receiver.inbox)
      const times = Object.values(Arr.groupBy(received, (each) => `${idOf(each)} ${CallbackReceiver.text(each)}`))
      assert.deepStrictEqual(
        times.map((same) => same.length),
        Array.from({ length: count }, () => 2)
      )
      yield* set({ duplicate: 0 })
      assert.strictEqual((yield* emitted(sandbox, receiver, count)).length, count)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("reorder lets later events overtake", () =>
    Effect.gen(function* () {
      const { sandbox, set, subscribe } = yield* start()
      const receiver = yield* subscribe()
      yield* set({ reorder: 0.3 })
      yield* sandbox.emit(count)
      yield* TestClock.adjust("1 second")
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      const order = (yield* Queue.takeAll(receiver.inbox)).map(idOf)
      const sent = Array.from({ length: count }, (_, n) => sandbox.events.id(n))
      assert.notDeepEqual(order, sent)
      assert.deepStrictEqual(order.toSorted(), sent.toSorted())
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("hold-back holds a delivery for 25 hours divided by the time scale", () =>
    Effect.gen(function* () {
      const { sandbox, set, subscribe } = yield* start({ timeScale: 60 })
      const receiver = yield* subscribe()
      yield* set({ "hold-back": 0.3 })
      yield* sandbox.emit(count)
      const held = sandbox.deliveries.list("waiting").filter(({ due }) => due === 25 * 60_000)
      assert.isTrue(held.length > count / 10 && held.length < count / 2, `${held.length} of ${count}`)
      yield* TestClock.adjust("24 minutes")
      yield* sandbox.deliveries.until(({ waiting }) => waiting === held.length)
      yield* Queue.takeAll(receiver.inbox)
      yield* TestClock.adjust("1 minute")
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      const late = held.map(({ event }) => event).toSorted((a, b) => a - b)
      assert.deepStrictEqual(
        (yield* Queue.takeAll(receiver.inbox)).map(idOf),
        late.map((event) => sandbox.events.id(event))
      )
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("wrong-signature spoils single attempts, so a retry can get through", () =>
    Effect.gen(function* () {
      const { sandbox, set, subscribe } = yield* start()
      const secrets: Array<string> = []
      const receiver = yield* subscribe((received) =>
        Effect.sync(() => (secrets.every((secret) => CallbackReceiver.signedWith(secret, received)) ? 200 : 401))
      )
      secrets.push(receiver.secret)
      yield* set({ "wrong-signature": 0.5 })
      yield* sandbox.emit(count)
      yield* sandbox.deliveries.until(({ attempts }) => attempts === count + 1)
      const refused = sandbox.deliveries.counts().waiting
      assert.isTrue(refused > count / 4 && refused < (count * 3) / 4, `${refused} of ${count}`)
      yield* TestClock.adjust("1 minute")
      yield* sandbox.deliveries.until(({ attempts }) => attempts === count + 1 + refused)
      const refusedAgain = sandbox.deliveries.counts().waiting
      assert.isTrue(refusedAgain > 0 && refusedAgain < refused, `${refusedAgain} of ${refused}`)
      yield* set({ "wrong-signature": 0 })
      yield* TestClock.adjust("4 minutes")
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      assert.strictEqual(sandbox.deliveries.counts().attempts, count + 1 + refused + refusedAgain)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("a new secret signs everything from then on, even what was waiting", () =>
    Effect.gen(function* () {
      const { sandbox, subscribe } = yield* start()
      let isUp = true
      const receiver = yield* subscribe(() => Effect.sync(() => (isUp ? 200 : 503)))
      isUp = false
      yield* sandbox.emit(5)
      yield* sandbox.deliveries.until(({ attempts }) => attempts === 6)
      const before = yield* Queue.takeAll(receiver.inbox)
      const secret = (yield* sandbox.rotateSecret(0)) ?? ""
      isUp = true
      yield* TestClock.adjust("1 minute")
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      const after = yield* Queue.takeAll(receiver.inbox)
      assert.deepStrictEqual(after.map(idOf), before.map(idOf))
      assert.isTrue(before.every((received) => CallbackReceiver.signedWith(receiver.secret, received)))
      assert.isTrue(after.every((received) => CallbackReceiver.signedWith(secret, received)))
      assert.strictEqual(sandbox.subscriptions()[0]?.secret, secret)
      assert.notStrictEqual(yield* sandbox.rotateSecret(0), secret)
      assert.isUndefined(yield* sandbox.rotateSecret(1))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("a new secret is in the state file before it is returned", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(Effect.sync(temporaryFolder), (path) =>
        Effect.sync(() => removeFolder(path))
      )
      const statePath = join(folder, "sandbox.json")
      const { sandbox, subscribe } = yield* start({ statePath })
      const receiver = yield* subscribe()
      const secret = (yield* sandbox.rotateSecret(0)) ?? ""
      const kept = readFileSync(statePath, "utf8")
      assert.include(kept, secret)
      assert.notInclude(kept, receiver.secret)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
