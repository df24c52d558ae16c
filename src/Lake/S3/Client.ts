/**
 * The AWS SDK's client for one lake: the adapter to `@aws-sdk/client-s3`, loaded at the first use, because it is big
 * and most lakes are folders.
 *
 * Credentials, region, endpoint, retries and checksums come from the SDK's own variables and files, which it reads
 * itself; only the defaults are ours. Only the SDK retries: each body is in memory, so each request can be sent again,
 * and its SHA-256 is signed, so the store refuses a body that was damaged in transit. The SDK also compensates for a
 * wrong clock on this machine by using the store's.
 */
import type { S3 } from "@aws-sdk/client-s3"
import type { StandardRetryStrategy } from "@smithy/core/retry"
import { Data, Effect, type Scope } from "effect"
import { proxiedAgents } from "../../Runtime/Http.ts"
import { urlOf } from "../../Runtime/Module.ts"
import { boundAnswers } from "./Bounded.ts"
import type * as Sdk from "./sdk.ts"

type Strategy = Pick<StandardRetryStrategy, "acquireInitialRetryToken" | "recordSuccess" | "refreshRetryTokenForRetry">

export interface Place {
  readonly bucket: string
  /** Without a slash at either end; empty for the whole bucket. */
  readonly prefix: string
}

export interface Patience {
  /** The limit for an answer that isn't a file; a larger one isn't read. */
  readonly answerBytes: number
  /** Per request, including the first, unless AWS_MAX_ATTEMPTS says otherwise. */
  readonly attempts: number
  readonly connectMillis: number
  /** Time without a byte in either direction. */
  readonly idleMillis: number
  /** From the start of a request to the headers of its answer. */
  readonly requestMillis: number
}

/** Eight attempts take about half a minute if the store throttles, and a few seconds if it is unreachable. */
export const patient: Patience = {
  answerBytes: 8 * 1024 * 1024,
  attempts: 8,
  connectMillis: 10_000,
  idleMillis: 60_000,
  requestMillis: 300_000
}

/** What the SDK or the store threw. Failure.ts explains it to a person. */
export class Thrown extends Data.TaggedError("Thrown")<{ readonly operation: string; readonly cause: unknown }> {
  /** The store's error code, such as "NoSuchKey". */
  get code(): string {
    return String((this.cause as { readonly name?: unknown } | undefined)?.name ?? "")
  }

  get status(): number | undefined {
    return (this.cause as { readonly $metadata?: { readonly httpStatusCode?: number } } | undefined)?.$metadata
      ?.httpStatusCode
  }

  /** The store has no such operation. */
  get isUnknown(): boolean {
    return this.status === 501 || this.status === 405
  }
}

export interface Opened {
  readonly s3: S3
  /** Host and port; undefined for AWS itself. */
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

export const make = Effect.fnUntraced(function* (patience: Patience): Effect.fn.Return<Client, never, Scope.Scope> {
  let opening: Promise<Opened> | undefined
  const once = (): Promise<Opened> =>
    (opening ??= open(patience).catch((cause: unknown) => {
      // The next call may succeed.
      opening = undefined
      throw cause
    }))
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => void (await opening?.catch(() => undefined))?.s3.destroy())
  )
  return {
    opened: Effect.tryPromise({ try: once, catch: (cause) => new Thrown({ operation: "", cause }) }),
    call: (operation, run) =>
      Effect.tryPromise({
        try: async (abortSignal) => run((await once()).s3, { abortSignal }),
        catch: (cause) => new Thrown({ operation, cause })
      })
  }
})

const open = async (patience: Patience): Promise<Opened> => {
  const sdk = (await import(urlOf(new URL("./sdk.ts", import.meta.url)).href)) as typeof Sdk
  const { loadConfig } = sdk
  const asConfigured = new sdk.S3({})
  const endpoint = await asConfigured.config.serviceConfiguredEndpoint?.()
  asConfigured.destroy()
  const maxAttempts = loadConfig({ ...sdk.NODE_MAX_ATTEMPT_CONFIG_OPTIONS, default: patience.attempts })
  const mode = await loadConfig({ ...sdk.NODE_RETRY_MODE_CONFIG_OPTIONS, default: "standard" })()
  const s3 = new sdk.S3({
    maxAttempts,
    ...(mode === "standard" ? { retryStrategy: unbudgeted(() => new sdk.StandardRetryStrategy(maxAttempts)) } : {}),
    // Each body is sent at once: asking first would need a separate connection for each request.
    expectContinueHeader: false,
    followRegionRedirects: true,
    requestHandler: {
      ...proxiedAgents(),
      connectionTimeout: patience.connectMillis,
      socketTimeout: patience.idleMillis,
      requestTimeout: patience.requestMillis,
      throwOnRequestTimeout: true
    },
    ...(endpoint === undefined
      ? {}
      : {
          // For stores other than AWS: bucket names in the path need no DNS, few stores support the newer checksums,
          // and any region name will do.
          forcePathStyle: true,
          requestChecksumCalculation: loadConfig(checksums("request_checksum_calculation")),
          responseChecksumValidation: loadConfig(checksums("response_checksum_validation")),
          region: loadConfig(
            { ...sdk.NODE_REGION_CONFIG_OPTIONS, default: "us-east-1" },
            sdk.NODE_REGION_CONFIG_FILE_OPTIONS
          )
        })
  })
  boundAnswers(s3, patience.answerBytes)
  return { s3, endpoint: endpoint === undefined ? undefined : URL.parse(endpoint)?.host }
}

/**
 * The SDK's standard strategy, but with all attempts for each request. The SDK's retry budget is shared by all of a
 * client's requests: after a night without the store, it would leave none for the next request.
 */
const unbudgeted = (fresh: () => StandardRetryStrategy): Strategy => ({
  acquireInitialRetryToken: (scope) => fresh().acquireInitialRetryToken(scope),
  refreshRetryTokenForRetry: (token, error) => fresh().refreshRetryTokenForRetry(token, error),
  recordSuccess: () => undefined
})

/** The SDK's own variable and profile entry, with a different default. */
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
