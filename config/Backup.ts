/**
 * The variables of the off-machine backup.
 */
import { Option } from "effect"
import * as Address from "./Address.ts"
import * as Parse from "./Parse.ts"
import { bad, type Field, type Fields, fine, optional, rule, secret } from "./Variable.ts"

export const backup = {
  backup: optional(
    "SITELEDGER_BACKUP",
    "Where the store of this machine is backed up continuously, encrypted (docs/backup.md): s3://BUCKET/PREFIX, or file:PATH on another machine's disk. Not with PostgreSQL, whose own tools do it.",
    Address.lake,
    "s3://my-bucket/siteledger-backup"
  ),
  /** 64 hex digits. */
  backupKey: secret(
    "SITELEDGER_BACKUP_KEY",
    "Key that encrypts the backup: 64 hex digits (openssl rand -hex 32). Keep it elsewhere, too: without it nothing can be restored.",
    Parse.key,
    "0".repeat(64)
  )
}

/** A backup that no one can decrypt is useless. */
export const withKey = ({ backup: place, backupKey }: Fields<typeof backup>): Field<void> =>
  rule({ place, backupKey }, ({ backupKey, place }) =>
    Option.isNone(place) || Option.isSome(backupKey)
      ? fine
      : bad(
          backup.backupKey.name,
          `is missing: ${backup.backup.name} needs a key of its own. Make one with \`openssl rand -hex 32\`, and keep it elsewhere, too.`
        )
  )
