/**
 * The AWS SDK's client for one lake: the adapter to `@aws-sdk/client-s3`, loaded at the first use, as it is big and most
 * lakes are folders.
 *
 * Credentials, region, endpoint, retries and checksums come from the SDK's own variables and files, which it reads
 * itself; only defaults are ours. The one owner of retries is the SDK: each body is in memory, so that each request can
 * be sent again, and its SHA-256 is signed, so that the store refuses what was damaged on its way. The SDK also corrects
 * a wrong clock of this machine by the store's.
 */
import type { S3 } from "@aws-sdk/client-s3"
import type { StandardRetryStrategy } from "@smithy/core/retry"
import { Effect, type Scope } from "effect"

type Strategy = Pick<StandardRetryStrategy, "acquireInitialRetryToken" | "recordSuccess" | "refreshRetryTokenForRetry">

export interface Place {
  readonly bucket: string
  /** Without a slash at either end; empty for the whole bucket. */
  readonly prefix: string
}

export interface Patience {
  /** Of each request, the first included, where no variable says otherwise (AWS_MAX_ATTEMPTS). */
  readonly attempts: number
  readonly connectMillis: number
  /** Without a byte in either direction. */
  readonly idleMillis: number
  /** From the start of a request to the head of its answer. */
  readonly requestMillis: number
}

/** Throttled, eight attempts take about half a minute; out of reach, a few seconds. */
export const patient: Patience = { attempts: 8, connectMillis: 10_000, idleMillis: 60_000, requestMillis: 300_000 }

/** What the SDK or the store threw; Failure.ts puts it in words. */
export class Thrown {
  readonly _tag = "Thrown"
  readonly operation: string
  readonly cause: unknown
  constructor(operation: string, cause: unknown) {
    this.operation = operation
    this.cause = cause
  }

  /** As the store calls it: "NoSuchKey". */
  get code(): string {
    return String((this.cause as { readonly name?: unknown } | undefined)?.name ?? "")
  }

  get status(): number | undefined {
    return (this.cause as { readonly $metadata?: { readonly httpStatusCode?: number } } | undefined)?.$metadata
      ?.httpStatusCode
  }
}

export interface Opened {
  readonly s3: S3
  /** Host and port, where it isn't AWS itself. */
  readonly endpoint: string | undefined
}

export interface Client {
  readonly opened: Effect.Effect<Opened, Thrown>
  /** One request, which ends when the effect is interrupted. */
  readonly call: <A>(
    operation: string,
    run: (s3: S3, options: { readonly abortSignal: AbortSignal }) => Promise<A>
  ) => Effect.Effect<A, Thrown>
}

export const make = (patience: Patience): Effect.Effect<Client, never, Scope.Scope> =>
  Effect.gen(function* () {
    let opening: Promise<Opened> | undefined
    const once = (): Promise<Opened> =>
      (opening ??= open(patience).catch((cause: unknown) => {
        // What was wrong may be right the next time.
        opening = undefined
        throw cause
      }))
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => void (await opening?.catch(() => undefined))?.s3.destroy())
    )
    return {
      opened: Effect.tryPromise({ try: once, catch: (cause) => new Thrown("", cause) }),
      call: (operation, run) =>
        Effect.tryPromise({
          try: async (abortSignal) => run((await once()).s3, { abortSignal }),
          catch: (cause) => new Thrown(operation, cause)
        })
    }
  })

const open = async (patience: Patience): Promise<Opened> => {
  const [{ S3 }, config, retry] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("@smithy/core/config"),
    import("@smithy/core/retry")
  ])
  const { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } = config
  const asConfigured = new S3({})
  const endpoint = await asConfigured.config.serviceConfiguredEndpoint?.()
  asConfigured.destroy()
  const maxAttempts = loadConfig({ ...retry.NODE_MAX_ATTEMPT_CONFIG_OPTIONS, default: patience.attempts })
  const mode = await loadConfig({ ...retry.NODE_RETRY_MODE_CONFIG_OPTIONS, default: "standard" })()
  const s3 = new S3({
    maxAttempts,
    ...(mode === "standard" ? { retryStrategy: unbudgeted(() => new retry.StandardRetryStrategy(maxAttempts)) } : {}),
    // A request is sent at once: asking first would take a connection of its own for each.
    expectContinueHeader: false,
    followRegionRedirects: true,
    requestHandler: {
      connectionTimeout: patience.connectMillis,
      socketTimeout: patience.idleMillis,
      requestTimeout: patience.requestMillis,
      throwOnRequestTimeout: true
    },
    ...(endpoint === undefined
      ? {}
      : {
          // Other stores than AWS: names of buckets in the path need no DNS, few know the newer checksums, and the
          // region is a name like any other.
          forcePathStyle: true,
          requestChecksumCalculation: loadConfig(checksums("request_checksum_calculation")),
          responseChecksumValidation: loadConfig(checksums("response_checksum_validation")),
          region: loadConfig({ ...NODE_REGION_CONFIG_OPTIONS, default: "us-east-1" }, NODE_REGION_CONFIG_FILE_OPTIONS)
        })
  })
  return { s3, endpoint: endpoint === undefined ? undefined : URL.parse(endpoint)?.host }
}

/**
 * The SDK's standard strategy, but each request has all its attempts: the budget that the SDK keeps for a client is for
 * many of them, and after a night without the store it would leave the next one none.
 */
const unbudgeted = (fresh: () => StandardRetryStrategy): Strategy => ({
  acquireInitialRetryToken: (scope) => fresh().acquireInitialRetryToken(scope),
  refreshRetryTokenForRetry: (token, error) => fresh().refreshRetryTokenForRetry(token, error),
  recordSuccess: () => undefined
})

/** The SDK's own variable and entry of the profile, with another default. */
const checksums = (name: string) => {
  const read = (from: Record<string, string | undefined>, key: string) => {
    const value = from[key]?.toUpperCase()
    return value === "WHEN_SUPPORTED" || value === "WHEN_REQUIRED" ? value : undefined
  }
  return {
    environmentVariableSelector: (environment: Record<string, string | undefined>) =>
      read(environment, `AWS_${name.toUpperCase()}`),
    configFileSelector: (profile: Record<string, string | undefined>) => read(profile, name),
    default: "WHEN_REQUIRED" as const
  }
}
