/**
 * What depends on the configured engine before anything is opened: files on this machine, or a server.
 */
import type { Settings } from "../../config/Settings.ts"
import { storePath } from "./Sqlite/Store.ts"

type Place = Pick<Settings["Service"], "dataDir" | "warehouse">
type Server = Extract<Place["warehouse"], { readonly engine: "postgres" }>

export const isEmbedded = ({ warehouse }: Place): boolean => warehouse.engine === "duckdb"

export const byEngine = <A, B>(
  { dataDir, warehouse }: Place,
  of: {
    readonly embedded: (files: { readonly store: string; readonly warehouse: string }) => A
    readonly server: (url: Server["url"]) => B
  }
): A | B =>
  warehouse.engine === "duckdb"
    ? of.embedded({ store: storePath(dataDir), warehouse: warehouse.path })
    : of.server(warehouse.url)
