/**
 * What depends on the configured engine before anything is opened: files on this machine, or a server.
 */
import { Redacted } from "effect"
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

/** For people: the engine's name, and the warehouse's file or database, without user and password. */
export const shownEngine = (settings: Place): { readonly engine: string; readonly warehouse: string } =>
  byEngine(settings, {
    embedded: ({ warehouse }) => ({ engine: "duckdb", warehouse }),
    server: (url) => {
      const { host, pathname } = new URL(Redacted.value(url))
      return { engine: "postgres", warehouse: `postgres://${host}${pathname}` }
    }
  })
