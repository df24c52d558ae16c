/**
 * The lists and single records (interface document §2.2, §4.1; all but the list of projects are assumed), in one
 * version of the API. A page shows one step of the simulation. A `per_page` above the largest is lowered to it, and the
 * response states the size used. A page past the last one is empty.
 */
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AssumedApi } from "./AssumedApi.ts"
import type { Faults } from "./Faults.ts"
import type { Entity } from "./Lifecycles.ts"
import type { ResolvedOptions } from "./Options.ts"
import type { Projects } from "./Projects.ts"
import type { RecordPage, Records } from "./Records.ts"
import { refusal } from "./Refusal.ts"
import type { Simulation } from "./Simulation.ts"
import * as Versions from "./Versions.ts"

export interface Parts {
  readonly version: Versions.Version
  readonly options: ResolvedOptions
  readonly projects: Projects
  readonly records: Records
  readonly simulation: Simulation
  readonly faults: Faults
}

interface Asked {
  readonly page?: number | undefined
  readonly per_page?: number | undefined
}

const json = (text: string) => HttpServerResponse.text(text, { contentType: "application/json" })

/** `read` returns at most `size` records from index `from` on. */
const page = Effect.fnUntraced(function* (
  { faults, options, version }: Parts,
  asked: Asked,
  read: (from: number, size: number) => Effect.Effect<RecordPage>
) {
  const number = asked.page ?? 1
  const most = Math.min(faults.value("page-size-clamp") || Infinity, options.pageSizeMax)
  const size = Math.min(asked.per_page ?? options.pageSize, most)
  const { data, total } = yield* read((number - 1) * size, size)
  return json(Versions.listed(version, data, { total, page: number, per_page: size }))
})

const found = (what: string, id: string, record: string | undefined) =>
  record === undefined ? refusal(404, "not_found", `there is no ${what} ${id}`) : json(record)

export const projectPage = (parts: Parts, asked: Asked) =>
  page(parts, asked, (from, size) =>
    Effect.sync(() => {
      const { faults, projects, simulation, version } = parts
      const step = simulation.steps()
      const churn = faults.value("churn")
      if (churn > 0 && from > 0) projects.churn(churn, step)
      const total = projects.total(step)
      const to = Math.min(from + size, total)
      return { total, data: projects.render(version, step, Math.min(from, to), to) }
    })
  )

/** The two endpoints of a kind of record. */
const recordsOf = (parts: Parts, entity: Entity, what: string) => {
  const { records, simulation, version } = parts
  return {
    list: ({ query }: { readonly query: Asked }) =>
      page(parts, query, (from, size) => records.page(version, entity, simulation.steps(), from, size)),
    get: ({ params: { id } }: { readonly params: { readonly id: string } }) =>
      Effect.sync(() => found(what, id, records.find(version, entity, simulation.steps(), id)))
  }
}

/** Serves AssumedApi below the version's path. */
export const layerWith = (parts: Parts) => {
  const { projects, simulation, version } = parts
  const api = AssumedApi.prefix(version.path)
  const ipcs = recordsOf(parts, "ipcs", "IPC")
  const vos = recordsOf(parts, "vos", "VO")
  const ncrs = recordsOf(parts, "ncrs", "NCR")
  const hseIncidents = recordsOf(parts, "hse_incidents", "HSE incident")
  const permits = recordsOf(parts, "permits", "permit")
  const transmittals = recordsOf(parts, "transmittals", "transmittal")
  return HttpApiBuilder.layer(api).pipe(
    Layer.provide([
      HttpApiBuilder.group(api, "project", (handlers) =>
        handlers.handle("get", ({ params: { id } }) =>
          Effect.sync(() => found("project", id, projects.find(version, simulation.steps(), id)))
        )
      ),
      HttpApiBuilder.group(api, "ipcs", (handlers) => handlers.handle("list", ipcs.list).handle("get", ipcs.get)),
      HttpApiBuilder.group(api, "vos", (handlers) => handlers.handle("list", vos.list).handle("get", vos.get)),
      HttpApiBuilder.group(api, "ncrs", (handlers) => handlers.handle("list", ncrs.list).handle("get", ncrs.get)),
      HttpApiBuilder.group(api, "hse_incidents", (handlers) =>
        handlers.handle("list", hseIncidents.list).handle("get", hseIncidents.get)
      ),
      HttpApiBuilder.group(api, "permits", (handlers) =>
        handlers.handle("list", permits.list).handle("get", permits.get)
      ),
      HttpApiBuilder.group(api, "transmittals", (handlers) =>
        handlers.handle("list", transmittals.list).handle("get", transmittals.get)
      )
    ])
  )
}
