/**
 * The location of a backup, its cipher, and a folder of this process for files in transit.
 */
import { Context, Effect, Layer, type Redacted } from "effect"
import type { Lake as Address } from "../../../config/Address.ts"
import * as Folder from "../../Lake/Folder.ts"
import { Lake } from "../../Lake/Lake.ts"
import { attempt } from "../../Lake/LocalFiles.ts"
import * as S3 from "../../Lake/S3.ts"
import * as TemporaryFolder from "../../Runtime/TemporaryFolder.ts"
import * as Cipher from "./Cipher.ts"

export interface Vault {
  readonly lake: Lake["Service"]
  readonly cipher: Cipher.Cipher
  readonly folder: string
}

export interface Given {
  readonly address: Address
  readonly key: Redacted.Redacted
}

/** Nothing is requested yet. */
export const open = Effect.fnUntraced(function* ({ address, key }: Given) {
  const layer = address.kind === "s3" ? S3.layerAt(address) : Folder.layerAt(address.path)
  const lake = Context.get(yield* Layer.build(layer), Lake)
  const { path } = yield* Effect.acquireRelease(
    attempt(() => TemporaryFolder.make("backup")),
    ({ remove }) => Effect.promise(() => remove().catch(() => undefined))
  )
  return { lake, cipher: Cipher.make(key), folder: path } satisfies Vault
})
