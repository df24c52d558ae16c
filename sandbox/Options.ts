/**
 * The options of a sandbox and their defaults. Everything that the simulation makes (projects, events, copies and
 * delays) depends only on `seed`, `projects`, `ipcs`, `largeAmounts`, `eventsPerSecond`, `startAt`, the `past…` and the
 * `stepsPer…` options; ids and secrets depend only on `identity`.
 */
import { Clock, DateTime, Effect } from "effect"
import type { Anchor } from "./Events.ts"
import type { FaultName as ResourceFaultName } from "./Catalogue/Faults.ts"
import type { FaultName } from "./Faults.ts"
import * as Identity from "./Identity.ts"

export interface SandboxOptions {
  /** 32 bits. Default 1. */
  readonly seed?: number | undefined
  /** Event ids, secrets and delivery ids are derived from it. Default: random. */
  readonly identity?: string | undefined
  /** Projects at the start; any number. Default 700. */
  readonly projects?: number | undefined
  /** Events per status change of any project, on average; 0 = never. Default 20. */
  readonly stepsPerProjectChange?: number | undefined
  /** Events per inserted project; 0 = never. Default 1000. */
  readonly stepsPerNewProject?: number | undefined
  /**
   * Requests in any 60 seconds: 600 or 3000 in reality; Infinity = no limit. Default 600. Doesn't apply to `…-premium`.
   */
  readonly plan?: number | undefined
  /** `per_page` for requests that name none. Default 50. */
  readonly pageSize?: number | undefined
  /** A larger `per_page` is lowered to this. Default 1000. */
  readonly pageSizeMax?: number | undefined
  /** Life of an access token in real seconds. Default 3600. */
  readonly tokenSeconds?: number | undefined
  /** Life of a refresh token in real seconds. Default 30 days. */
  readonly refreshSeconds?: number | undefined
  /** Life of an authorization code in real seconds. Default 60. */
  readonly codeSeconds?: number | undefined
  /** Default `sandbox`; `…-premium` and the public `…-app` exist too. */
  readonly clientId?: string | undefined
  /** Default `sandbox-secret`. */
  readonly clientSecret?: string | undefined
  /** Accept a client's secret only by HTTP Basic. Default false. */
  readonly basicOnly?: boolean | undefined
  /** Redirect URIs that every client may use besides the ready-made ones. Default: none. */
  readonly redirectUris?: ReadonlyArray<string> | undefined
  /** The retry schedule (1 min … 24 h) is this many times faster. Default 1. */
  readonly timeScale?: number | undefined
  /** How fast lives go on, at most a million; 0 = only `emit` makes events. Default 5. */
  readonly eventsPerSecond?: number | undefined
  /** No events after this many. Default: no limit. */
  readonly maxEvents?: number | undefined
  /** False: events happen from the start. Default true: they begin with the first subscription. */
  readonly awaitSubscription?: boolean | undefined
  /** Roughly how many IPC lives run at once; other kinds in proportion. Default 40. */
  readonly ipcs?: number | undefined
  /** One amount in thirty is larger than any double can hold. Default false. */
  readonly largeAmounts?: boolean | undefined
  /** The fault `duplicate` at the start. Default 0.1. */
  readonly duplicates?: number | undefined
  /** The fault `reorder` at the start. Default 0.1. */
  readonly disorder?: number | undefined
  /** Other faults at the start. Default: none. */
  readonly faults?: Readonly<Partial<Record<FaultName, number>>> | undefined
  /**
   * Concurrent attempts per subscription. With 1 and without disorder, a healthy receiver gets deliveries in order.
   * Default 16.
   */
  readonly concurrency?: number | undefined
  /**
   * No further events while this many deliveries wait, so memory is bounded. But if one subscription has been dead for
   * an hour (divided by `timeScale`) while another is alive, the oldest deliveries of the dead one fail permanently.
   * Default 500,000.
   */
  readonly maxWaiting?: number | undefined
  /**
   * The first instant of the simulated clock; each later event is a step after the one before. Default: the simulated
   * clock is the real one, and an event has the time at which it happens.
   */
  readonly startAt?: DateTime.DateTime.Input | undefined
  /**
   * The first `pastEvents` are dated over this many days before the start, as if they had waited. Default 0: no event
   * is.
   */
  readonly pastDays?: number | undefined
  /** Default 0. */
  readonly pastEvents?: number | undefined
  /** The simulated clock's instants at given steps, ascending; it continues from there. */
  readonly anchors?: ReadonlyArray<Anchor> | undefined
  /** The file in which the service outlives the process; options that aren't given are taken from it. Default: none. */
  readonly statePath?: string | undefined
  /**
   * After a restart, at least this many of the last events are delivered again, and all events since the oldest that
   * may have waited, at most 50,000. Default: those of 90 seconds, from 100 to 5000.
   */
  readonly redeliver?: number | undefined
  /** Serve `/v2` beside `/v1`: the same with other names (`Versions.ts`). Default false. */
  readonly v2?: boolean | undefined
  /** Send `RateLimit` and `RateLimit-Policy`. Default false. */
  readonly rateLimitHeaders?: boolean | undefined
  /** Origins of web pages that may use the API and the token endpoint; `*`: any. Default: none. */
  readonly cors?: ReadonlyArray<string> | undefined
  /** `full`: serve and describe 854 operations instead of the few that are needed (`Catalogue.ts`). Default `small`. */
  readonly openapi?: "small" | "full" | undefined
  /** With `full`: records of each resource at the start. Default 25. */
  readonly records?: number | undefined
  /** With `full`: the faults that some resources have at the start, by name. Default: none. */
  readonly resourceFaults?: Readonly<Record<string, ResourceFaultName>> | undefined
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
  /** 0 = any free port. Default 0. */
  readonly port?: number | undefined
}

type Given = { readonly [Key in keyof SandboxOptions]-?: Exclude<SandboxOptions[Key], undefined> }

export interface ResolvedOptions extends Omit<Given, "anchors" | "startAt" | "statePath" | "duplicates" | "disorder"> {
  readonly statePath: string | undefined
  /** Milliseconds since 1970. */
  readonly startAtMillis: number
  /** The simulated clock is the real one. */
  readonly isRealTime: boolean
  /** A whole number, rounded down, so that the simulated clock never overtakes the real one. */
  readonly microsPerStep: number
}

export const resolve = (options: SandboxOptions): Effect.Effect<ResolvedOptions> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const eventsPerSecond = options.eventsPerSecond ?? 5
    const pastDays = options.pastDays ?? 0
    return {
      seed: options.seed ?? 1,
      identity: options.identity ?? Identity.fresh(),
      projects: options.projects ?? 700,
      stepsPerProjectChange: options.stepsPerProjectChange ?? 20,
      stepsPerNewProject: options.stepsPerNewProject ?? 1000,
      plan: options.plan ?? 600,
      pageSize: options.pageSize ?? 50,
      pageSizeMax: options.pageSizeMax ?? 1000,
      tokenSeconds: options.tokenSeconds ?? 3600,
      refreshSeconds: options.refreshSeconds ?? 30 * 24 * 3600,
      codeSeconds: options.codeSeconds ?? 60,
      clientId: options.clientId ?? "sandbox",
      clientSecret: options.clientSecret ?? "sandbox-secret",
      basicOnly: options.basicOnly ?? false,
      redirectUris: options.redirectUris ?? [],
      timeScale: options.timeScale ?? 1,
      eventsPerSecond,
      maxEvents: options.maxEvents ?? Infinity,
      awaitSubscription: options.awaitSubscription ?? true,
      ipcs: Math.max(1, options.ipcs ?? 40),
      largeAmounts: options.largeAmounts ?? false,
      faults: { duplicate: options.duplicates ?? 0.1, reorder: options.disorder ?? 0.1, ...options.faults },
      concurrency: Math.max(1, options.concurrency ?? 16),
      maxWaiting: options.maxWaiting ?? 500_000,
      startAtMillis:
        options.startAt === undefined
          ? now - pastDays * 86_400_000
          : DateTime.toEpochMillis(DateTime.makeUnsafe(options.startAt)),
      pastDays,
      pastEvents: options.pastEvents ?? 0,
      isRealTime: options.startAt === undefined,
      microsPerStep: eventsPerSecond > 0 ? Math.max(1, Math.floor(1_000_000 / eventsPerSecond)) : 1000,
      statePath: options.statePath,
      redeliver: options.redeliver ?? Math.min(5000, Math.max(100, Math.ceil(90 * eventsPerSecond))),
      v2: options.v2 ?? false,
      rateLimitHeaders: options.rateLimitHeaders ?? false,
      cors: options.cors ?? [],
      openapi: options.openapi ?? "small",
      records: options.records ?? 25,
      resourceFaults: options.resourceFaults ?? {},
      host: options.host ?? "127.0.0.1",
      port: options.port ?? 0
    }
  })
