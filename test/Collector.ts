/** An OpenTelemetry collector over real HTTP, as far as a worker needs one: it keeps everything that it receives. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

interface Point {
  readonly attributes?: ReadonlyArray<Attribute>
  readonly asDouble?: number
  readonly asInt?: string | number
  readonly count?: number
}

interface Metric {
  readonly name: string
  readonly unit: string
  readonly gauge?: { readonly dataPoints: ReadonlyArray<Point> }
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: ReadonlyArray<Point> }
  readonly histogram?: { readonly dataPoints: ReadonlyArray<Point> }
}

interface LogRecord {
  readonly severityText: string
  readonly traceId?: string
  readonly body: { readonly stringValue: string }
  readonly attributes: ReadonlyArray<Attribute>
}

interface Body {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<Metric> }>
  }>
  readonly resourceLogs?: ReadonlyArray<{
    readonly scopeLogs: ReadonlyArray<{ readonly logRecords: ReadonlyArray<LogRecord> }>
  }>
}

/** By key, as text. */
export const attributesOf = (of: ReadonlyArray<Attribute> | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((of ?? []).map(({ key, value }) => [key, String(Object.values(value)[0])]))

export class Collector implements AsyncDisposable {
  readonly #server: Server
  readonly headers: Array<IncomingHttpHeaders> = []
  readonly texts: Array<string> = []

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<Collector> {
    const server = createServer()
    const collector = new Collector(server)
    server.on("request", (request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        collector.headers.push(request.headers)
        collector.texts.push(String(Buffer.concat(pieces)))
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get #bodies(): ReadonlyArray<Body> {
    return this.texts.map((text) => JSON.parse(text) as Body)
  }

  get spans(): ReadonlyArray<Span> {
    return this.#bodies.flatMap(({ resourceSpans = [] }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    )
  }

  /** The processes that made spans of this trace, with the names of their spans. */
  processesOf(traceId: string): ReadonlyMap<string, ReadonlySet<string>> {
    const found = new Map<string, Set<string>>()
    for (const { resource, scopeSpans } of this.#bodies.flatMap(({ resourceSpans = [] }) => resourceSpans)) {
      const pid = attributesOf(resource.attributes)["process.pid"] ?? ""
      for (const { name, traceId: of } of scopeSpans.flatMap(({ spans }) => spans)) {
        if (of === traceId) found.set(name, new Set([...(found.get(name) ?? []), pid]))
      }
    }
    return found
  }

  get logs(): ReadonlyArray<LogRecord> {
    return this.#bodies.flatMap(({ resourceLogs = [] }) =>
      resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
    )
  }

  get #metricBodies() {
    return this.#bodies.flatMap(({ resourceMetrics = [] }) => resourceMetrics)
  }

  get resource(): Readonly<Record<string, string>> {
    return attributesOf(this.#metricBodies[0]?.resource.attributes)
  }

  /** The metrics that came last. */
  get metrics(): ReadonlyMap<string, Metric> {
    const last = this.#metricBodies.at(-1)?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? []
    return new Map(last.map((metric) => [metric.name, metric]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, "close")
  }
}

/** The value of a series in the last metrics; of a histogram, how many it has counted. */
export const valueIn = (
  metrics: ReadonlyMap<string, Metric>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number | undefined => {
  const metric = metrics.get(name)
  const points = (metric?.gauge ?? metric?.sum ?? metric?.histogram)?.dataPoints ?? []
  const point = points.find(({ attributes }) => {
    const { unit: _unit, ...own } = attributesOf(attributes)
    return JSON.stringify(own) === JSON.stringify(labels)
  })
  return point === undefined ? undefined : Number(point.asDouble ?? point.asInt ?? point.count)
}
