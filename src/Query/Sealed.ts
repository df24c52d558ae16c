/**
 * A DuckDB that reads one file and nothing else, for any SQL that it is given.
 *
 * Guarantees: READ_ONLY, no other file (not even for a log, which `enable_logging` would write past a locked
 * configuration), no network, no extension, no spilling, one thread, and no way to change any of that. It can't
 * guarantee a memory limit, because single huge values aren't counted, or an orderly end: run it in its own process.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"

// The temporary directory comes first: without external access it can no longer be set.
const settings = (memoryMb: number) => ({
  access_mode: "READ_ONLY",
  temp_directory: "",
  enable_external_access: "false",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
  allow_persistent_secrets: "false",
  memory_limit: `${memoryMb}MB`,
  threads: "1"
})

// The file is already open, so the engine needs no file system.
const afterOpening = [
  "SET TimeZone = 'UTC'",
  "SET disabled_filesystems = 'LocalFileSystem'",
  "SET lock_configuration = true"
]

export const open = async (file: string, memoryMb: number): Promise<DuckDBConnection> => {
  const instance = await DuckDBInstance.create(file, settings(memoryMb))
  const connection = await instance.connect()
  for (const statement of afterOpening) await connection.run(statement)
  return connection
}
