/**
 * The tip of a backup, `backup.json`: which generation of chunks is the backup, how far it reaches, and to which store
 * it belongs. It is written last, when all chunks up to that point are complete, and only over the version that was
 * read: if two stores write to the same vault, one of them is told. Everything but the key's fingerprint is encrypted.
 */
import { Effect, Option, Schema } from "effect"
import type { Lake, LakeError } from "../../Lake/Lake.ts"
import type { Vault } from "./Vault.ts"

export const path = "backup.json"

const LogTip = Schema.Struct({
  id: Schema.String,
  through: Schema.Int,
  /** SHA-256 of the last frame. */
  end: Schema.String
})
export type LogTip = typeof LogTip.Type

export const Tip = Schema.Struct({
  /** Random: identifies the store that owns the backup, even after a restore. */
  owner: Schema.String,
  /** Random: a folder of chunks. A new one begins when the store is restored, moved or rebuilt. */
  generation: Schema.String,
  /** Random: the process that wrote it. */
  writer: Schema.String,
  /** Every delivery that was acknowledged until then is in it. */
  at: Schema.String,
  host: Schema.String,
  version: Schema.String,
  /** The version of the store's tables: an older siteledger can't read what a newer one wrote. */
  schema: Schema.Int,
  /** The key of the data directory, in hex. */
  dataKey: Schema.String,
  logs: Schema.Struct({ rows: LogTip, inbox: LogTip }),
  /** Generations that were the backup earlier, and until when. */
  earlier: Schema.Array(Schema.Struct({ generation: Schema.String, until: Schema.String }))
})
export type Tip = typeof Tip.Type

/** Lets people see what the file is. */
const Envelope = Schema.Struct({ siteledger: Schema.Literal("backup"), key: Schema.String, sealed: Schema.String })

const toEnvelope = Schema.decodeUnknownOption(Schema.fromJsonString(Envelope))
const toTip = Schema.decodeUnknownOption(Schema.fromJsonString(Tip))

export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", {
  /** Refused: a person must choose another vault or key. Damaged: it isn't as it was written. Failed: tried again. */
  reason: Schema.Literals(["Refused", "Damaged", "Failed"]),
  message: Schema.String
}) {}

export interface Found {
  /** None if there is no such file. */
  readonly version: Option.Option<string>
  readonly tip: Tip | undefined
}

export const find = Effect.fnUntraced(function* ({
  cipher,
  lake
}: Pick<Vault, "cipher" | "lake">): Effect.fn.Return<Found, BackupError | LakeError> {
  const file = yield* lake.readText(path)
  if (Option.isNone(file)) return { version: Option.none(), tip: undefined }
  const envelope = Option.getOrUndefined(toEnvelope(file.value.text))
  if (envelope === undefined) return yield* unreadable(lake)
  if (envelope.key !== cipher.fingerprint) return yield* otherKey(lake)
  const text = cipher.open(Buffer.from(envelope.sealed, "base64url"), path)?.toString("utf8")
  const tip = Option.getOrUndefined(toTip(text))
  if (tip === undefined) return yield* unreadable(lake)
  return { version: Option.some(file.value.version), tip }
})

/** Replaces the one that was found. */
export const move = Effect.fnUntraced(function* ({ cipher, lake }: Vault, tip: Tip, { version }: Found) {
  const sealed = cipher.seal(Buffer.from(JSON.stringify(tip)), path).toString("base64url")
  const text = `${JSON.stringify({ siteledger: "backup", key: cipher.fingerprint, sealed }, null, 2)}\n`
  yield* lake.replaceText(path, text, version)
})

const otherKey = ({ name }: Lake["Service"]) =>
  new BackupError({
    reason: "Refused",
    message: `The backup on ${name} was made with another key than SITELEDGER_BACKUP_KEY.`
  })

const unreadable = ({ name }: Lake["Service"]) =>
  new BackupError({ reason: "Damaged", message: `${path} on ${name} isn't as siteledger wrote it.` })
