/**
 * What a worker sends to OpenTelemetry: its metrics without being asked, the trace of a delivery from the service's
 * request to accounting, and its log. Never a secret.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { attributesOf, Collector, type Span, valueIn } from "../Collector.ts"
import { Accounts, secret, taken } from "../Ledger/Outbox/SinkWorld.ts"
import { saw } from "../Logged.ts"
import { until } from "../RunningWorker.ts"
import { World } from "./World.ts"

const certified = (id: string, amount = "12.50") => ({
  type: "ipc.certified",
  fields: { ipc_id: id, certified_amount: amount, certificate_url: `https://c/${id}` }
})
const paid = (id: string | undefined) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })

const accounting = async (): Promise<Accounts & AsyncDisposable> => {
  const to = new Accounts()
  await to.open()
  return Object.assign(to, { [Symbol.asyncDispose]: () => to.close() })
}

const sinkOf = (to: Accounts) => ({
  SITELEDGER_LEDGER_SINK_URL: to.url.href,
  SITELEDGER_LEDGER_SINK_SECRET: secret
})

const sending = (collector: Collector) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRIC_EXPORT_INTERVAL: "300",
  OTEL_BSP_SCHEDULE_DELAY: "300",
  OTEL_BLRP_SCHEDULE_DELAY: "300",
  OTEL_EXPORTER_OTLP_HEADERS: "api-key=planted%20key",
  LOG_FORMAT: "json"
})

const idIn = ({ attributes }: Span): string | undefined => attributesOf(attributes)["event.id"]

describe("OpenTelemetry", () => {
  it("gets the metrics without anybody asking for them", async () => {
    await using collector = await Collector.open()
    await using world = await World.open({ projects: 30 })
    const worker = world.start(sending(collector))
    const is = (name: string, value: number, labels: Record<string, string> = {}) =>
      until(`${name} is ${value}`, async () => valueIn(collector.metrics, name, labels) === value || undefined)
    await is("siteledger_phase", 1, { phase: "live" })
    await is("siteledger_walk_rows", 30, { resource: "projects" })
    await is("siteledger_ledger_entries", 0)
    await world.server.deliver(certified("1"))
    await world.server.deliver(paid("1"))
    await is("siteledger_ledger_entries", 1)
    await is("siteledger_events_total", 3, { outcome: "applied" })
    await is("siteledger_ledger_posted_seconds", 1)
    assert.isTrue(collector.metrics.get("siteledger_events_total")?.sum?.isMonotonic)
    assert.strictEqual(collector.metrics.get("siteledger_ledger_posted_seconds")?.unit, "s")
    assert.strictEqual(collector.metrics.get("process_resident_memory_bytes")?.unit, "By")
    assert.deepInclude(collector.resource, { "service.name": "siteledger" })
    assert.match(collector.resource["service.version"] ?? "", /^\d/)
    assert.strictEqual(collector.headers[0]?.["api-key"], "planted key")
    const { stderr } = await worker.stop()
    // Nobody has asked.
    assert.notInclude(stderr, "/metrics")
    for (const text of [stderr, ...collector.texts]) {
      for (const hidden of ["planted key", "marked-secret", ...world.server.subscriptions.map((each) => each.secret)]) {
        assert.notInclude(text, hidden)
      }
    }
  })

  it("gets the trace of a delivery from the socket to accounting", async () => {
    await using collector = await Collector.open()
    await using to = await accounting()
    await using world = await World.open({ projects: 30 }, sinkOf(to))
    const worker = world.start(sending(collector))
    await worker.live()
    await world.server.deliver(certified("1"))
    const id = randomUUID()
    const sender = { traceId: "a".repeat(32), spanId: "b".repeat(16) }
    const headers = { traceparent: `00-${sender.traceId}-${sender.spanId}-01` }
    assert.strictEqual(await world.server.deliver(paid("1"), { id, headers }), 200)
    const names = ["delivery.receive", "delivery.apply", "ledger.post", "Sink.deliver"]
    const traceId = id.replaceAll("-", "")
    const ofDelivery = () => collector.spans.filter((span) => span.traceId === traceId)
    await until("all of its spans", async () => {
      const found = new Set(ofDelivery().map(({ name }) => name))
      return names.every((name) => found.has(name)) || undefined
    })
    const [receive, apply, post, deliver] = names.map((name) => ofDelivery().find((span) => span.name === name))
    assert.isUndefined(receive?.parentSpanId)
    assert.deepStrictEqual(
      receive?.links.map(({ spanId, traceId: of }) => ({ spanId, traceId: of })),
      [sender]
    )
    for (const span of [apply, post, deliver]) assert.strictEqual(span?.parentSpanId, receive?.spanId)
    assert.strictEqual(idIn(receive!), id)
    assert.deepInclude(attributesOf(apply?.attributes), { "event.type": "ipc.paid", "entity.id": "1" })
    for (const span of ofDelivery()) {
      assert.isAtMost(Number(BigInt(span.startTimeUnixNano) - BigInt(span.endTimeUnixNano)), 0, span.name)
    }
    assert.isAtMost(Number(BigInt(receive!.startTimeUnixNano) - BigInt(apply!.endTimeUnixNano)), 0)
    // The request to accounting carries it on.
    const request = ofDelivery().find(({ attributes }) => attributesOf(attributes)["http.request.method"] === "POST")
    assert.strictEqual(request?.parentSpanId, deliver?.spanId)
    assert.strictEqual(to.posts[0]?.headers["traceparent"], `00-${traceId}-${request?.spanId}-01`)
    // A parameter of an address may be a key.
    assert.include(attributesOf(request?.attributes)["url.full"], "book=REDACTED")
    assert.notInclude(collector.texts.join("\n"), to.url.search)

    await worker.stop()
    assert.strictEqual(collector.spans.filter(({ name }) => name === "delivery.receive").length, 3)
    // Which has been asked for all the time.
    assert.isFalse(collector.spans.some(({ attributes }) => attributesOf(attributes)["url.path"] === "/status"))
  })

  it("gets the traces of a walk and of an export, and the log", async () => {
    await using collector = await Collector.open()
    await using world = await World.open({ projects: 30 })
    const worker = world.start(sending(collector))
    await worker.live()
    await worker.verb("export")
    const asked = await until("a request", async () => {
      const route = ({ attributes }: Span) => attributesOf(attributes)["http.route"]
      return collector.spans.find((span) => route(span) === "/verbs/export")
    })
    await until("a walk", async () => collector.spans.some(({ name }) => name === "walk") || undefined)
    const walk = collector.spans.find(({ name }) => name === "walk")
    assert.deepInclude(attributesOf(walk?.attributes), { resource: "projects", rows: "30", proof: "counts-agree" })
    const pages = collector.spans.filter(({ traceId: of }) => of === walk?.traceId)
    assert.isTrue(pages.some(({ attributes }) => attributesOf(attributes)["url.query"]?.startsWith("page=1&")))
    const inExport = collector.spans.filter(({ traceId: of }) => of === asked.traceId).map(({ name }) => name)
    assert.includeMembers(inExport, ["export", "Export.run", "Lake.stage"])
    assert.strictEqual(saw(worker.stderr, "export.finished")["trace_id"], asked.traceId)
    assert.strictEqual(saw(worker.stderr, "walk.finished")["trace_id"], walk?.traceId)
    await until(
      "the log",
      async () =>
        collector.logs.some(({ attributes, traceId: of }) => {
          return of === asked.traceId && attributesOf(attributes)["event"] === "export.finished"
        }) || undefined
    )
    await worker.stop()
  })

  it("gets one trace of a delivery that one process takes and posts, and another sends to accounting", async () => {
    await using collector = await Collector.open()
    await using to = await accounting()
    to.answer = () => ({ status: 503, text: "" })
    await using world = await World.open({ projects: 3 }, sinkOf(to))
    const first = world.start(sending(collector))
    await first.live()
    const id = randomUUID()
    const traceId = id.replaceAll("-", "")
    await world.server.deliver(certified("1"))
    await world.server.deliver(paid("1"), { id })
    // The books may hear a payment, and accounting be asked, before it is applied.
    const has = (name: string) => async () => collector.processesOf(traceId).has(name) || undefined
    for (const name of ["Sink.deliver", "delivery.apply"]) await until(name, has(name))
    const firstPid = String(first.note()?.pid)
    assert.strictEqual((await first.stop()).code, 0)
    to.answer = () => taken
    const second = world.start(sending(collector))
    await second.status("accounting has it", ({ ledger }) => ledger.sink?.backlog === 0)
    const secondPid = String(second.note()?.pid)
    await until("its span", async () => collector.processesOf(traceId).get("Sink.deliver")?.has(secondPid) || undefined)
    const processes = collector.processesOf(traceId)
    for (const name of ["delivery.receive", "delivery.apply", "ledger.post"]) {
      assert.deepStrictEqual([...(processes.get(name) ?? [])], [firstPid], name)
    }
    assert.deepStrictEqual([...(processes.get("Sink.deliver") ?? [])], [firstPid, secondPid])
    const receive = collector.spans.find((span) => span.traceId === traceId && span.name === "delivery.receive")
    for (const span of collector.spans.filter((each) => each.traceId === traceId && each.name === "Sink.deliver")) {
      assert.strictEqual(span.parentSpanId, receive?.spanId)
    }
    const keys = new Set(to.posts.map(({ headers }) => headers["traceparent"]?.slice(0, 36)))
    assert.deepStrictEqual([...keys], [`00-${traceId}-`])
  })

  it("sends nothing unless it is configured, and a line about a delivery has its trace all the same", async () => {
    await using collector = await Collector.open()
    await using world = await World.open({ projects: 3 })
    const off = { ...sending(collector), OTEL_SDK_DISABLED: "true" }
    const worker = world.start(off)
    await worker.live()
    const id = randomUUID()
    await world.server.deliver(paid(undefined), { id })
    await worker.status("it waits", ({ inbox }) => inbox.quarantined === 1)
    assert.strictEqual(saw(worker.stderr, "delivery.quarantined")["trace_id"], id.replaceAll("-", ""))
    // Of the events behind a hold, the newest.
    const second = randomUUID()
    await world.server.deliver(certified("1"))
    await world.server.deliver(paid("1"))
    await worker.status("posted", ({ ledger }) => ledger.entries === 1)
    await world.server.deliver(
      { type: "ipc.paid", fields: { ipc_id: "1", payment_reference: "another" } },
      { id: second }
    )
    await worker.status("held", ({ ledger }) => ledger.holds === 1)
    const opened = saw(worker.stderr, "hold.opened")
    assert.strictEqual(opened["why"], "second-payment-reference")
    assert.strictEqual(opened["trace_id"], second.replaceAll("-", ""))
    // A request to the admin listener that belongs to a trace of its sender's.
    const { admin, token } = worker.note()!
    const headers = { authorization: `Bearer ${token}`, traceparent: `00-${"c".repeat(32)}-${"d".repeat(16)}-01` }
    assert.strictEqual((await fetch(`${admin}/verbs/export`, { method: "POST", headers })).status, 200)
    await until("its trace in the log", async () => {
      return saw(worker.stderr, "export.finished")["trace_id"] === "c".repeat(32) || undefined
    })
    await worker.stop()
    assert.deepStrictEqual(collector.texts, [])
  })

  it("that is down holds up nothing", async () => {
    const gone = await Collector.open()
    const settings = sending(gone)
    await gone[Symbol.asyncDispose]()
    await using world = await World.open({ projects: 3 })
    const worker = world.start(settings)
    await worker.live()
    await world.server.deliver(certified("1"))
    await world.server.deliver(paid("1"))
    await worker.status("posted", ({ ledger }) => ledger.entries === 1)
    assert.strictEqual((await worker.stop()).code, 0)
  })

  it("is refused in a sentence for each variable that is wrong, and nothing of it is repeated", async () => {
    await using world = await World.open({ projects: 0 })
    const ours = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "collector",
      OTEL_EXPORTER_OTLP_HEADERS: "no pair, at all",
      OTEL_TRACES_EXPORTER: "x"
    }
    const refused = await world.runWith(ours, "start")
    assert.strictEqual(refused.code, 2)
    assert.match(refused.stderr, /OTEL_EXPORTER_OTLP_ENDPOINT must be an absolute http or https URL/)
    assert.match(refused.stderr, /OTEL_EXPORTER_OTLP_HEADERS must be pairs like/)
    assert.match(refused.stderr, /OTEL_TRACES_EXPORTER must be otlp or none\./)
    assert.notMatch(refused.stderr, /no pair|collector,/)
    // Effect reads it.
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_TRACES_EXPORTER: "otlp" }
    const others = await world.runWith({ ...endpoint, OTEL_BSP_SCHEDULE_DELAY: "planted" }, "start")
    assert.strictEqual(others.code, 2)
    assert.match(others.stderr, /OTEL_BSP_SCHEDULE_DELAY has a value that OpenTelemetry doesn't know\./)
    assert.notMatch(others.stderr, /planted|\bat /)
  })
})
