/**
 * Seal encrypts secrets (tokens, webhook secrets) at rest: AES-256-GCM under one key, with a fresh nonce each time. The
 * purpose of a text is authenticated with it, so one secret can't be swapped for another.
 *
 * The key is SITELEDGER_KEY, or the file `key` in the data directory: created on first use, readable only by its owner,
 * and refused if others can read it (`DataKey`). Without the key a sealed text is lost, and `open` fails.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Settings } from "../../config/Settings.ts"
import * as DataKey from "./DataKey.ts"
import * as LogLine from "./LogLine.ts"

export class SealError extends Schema.TaggedError<SealError>()("SealError", {
  /** Key: no usable key. Foreign: sealed with another key or for another purpose, or damaged. */
  reason: Schema.Literals(["Key", "Foreign"]),
  message: Schema.String
}) {}

export class Seal extends Context.Service<
  Seal,
  {
    /** `purpose` says what the text is for, such as `webhook secret`. */
    readonly seal: (text: string, purpose: string) => string
    readonly open: (sealed: string, purpose: string) => Effect.Effect<string, SealError>
    /** Hex. Equal texts have equal hashes; without the key, no one can find out the text. */
    readonly hash: (text: string, purpose: string) => string
  }
>()("siteledger/Seal") {
  /** With the key from the settings. */
  static readonly layer: Layer.Layer<Seal, SealError, Settings> = Layer.unwrap(
    Effect.map(Settings, (settings) => Layer.effect(Seal, Effect.map(keyFor(settings), make)))
  )
  /** With the key of a data directory. */
  static readonly layerAt = (dataDir: string): Layer.Layer<Seal, SealError> =>
    Layer.effect(Seal, Effect.map(keyIn(dataDir), make))
  /** With these 32 bytes. */
  static readonly layerWith = (key: Uint8Array): Layer.Layer<Seal> => Layer.sync(Seal, () => make(key))
}

const version = "sealed1"
const nonceBytes = 12
const tagBytes = 16

const make = (key: Uint8Array): Seal["Service"] =>
  Seal.of({
    seal: (text, purpose) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(purpose))
      const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
      return `${version}.${sealed.toString("base64url")}`
    },
    open: (sealed, purpose) => Effect.try({ try: () => unseal(key, sealed, purpose), catch: () => foreign(purpose) }),
    hash: (text, purpose) => createHmac("sha256", derived(key, purpose)).update(text).digest("hex")
  })

/** Different from the key that seals. */
const derived = (key: Uint8Array, purpose: string): Buffer => Buffer.from(hkdfSync("sha256", key, "", purpose, 32))

const unseal = (key: Uint8Array, text: string, purpose: string): string => {
  const [format, encoded = ""] = text.split(".")
  const sealed = Buffer.from(encoded, "base64url")
  if (format !== version || sealed.byteLength < nonceBytes + tagBytes) throw new Error("not sealed")
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(purpose))
    .setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString("utf8")
}

const foreign = (purpose: string) =>
  new SealError({
    reason: "Foreign",
    message: `The stored ${purpose} was sealed with another key (SITELEDGER_KEY, or the file key in the data directory).`
  })

/** The key from the settings. */
export const keyFor = ({ dataDir, key }: Pick<Settings["Service"], "dataDir" | "key">) =>
  Option.match(key, {
    onNone: () => keyIn(dataDir),
    onSome: (digits): Effect.Effect<Uint8Array, SealError> =>
      Effect.sync(() => Buffer.from(Redacted.value(digits), "hex"))
  })

export const keyIn = (dataDir: string): Effect.Effect<Uint8Array, SealError> => {
  const path = join(dataDir, "key")
  return Effect.try({
    try: () => DataKey.read(path),
    catch: (cause) =>
      new SealError({ reason: "Key", message: `${path} can't be used: ${cause instanceof Error ? cause.message : ""}` })
  }).pipe(
    Effect.tap(({ isRestored }) => (isRestored ? LogLine.write("key.restored", { path }) : Effect.void)),
    Effect.map(({ key }) => key)
  )
}
