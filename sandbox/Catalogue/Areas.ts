/**
 * All areas of the catalogue.
 */
import { administration, setup } from "./Areas/Setup.ts"
import { contracts, costs, purchasing } from "./Areas/Commercial.ts"
import { directory } from "./Areas/Directory.ts"
import { design, documents } from "./Areas/Documents.ts"
import { handover, meetings, planning, risks } from "./Areas/Planning.ts"
import { environment, quality, safety } from "./Areas/Quality.ts"
import { plant, site } from "./Areas/Site.ts"
import { type Area, read } from "./Table.ts"

export const areas: ReadonlyArray<Area> = [
  directory,
  setup,
  contracts,
  costs,
  purchasing,
  documents,
  design,
  site,
  plant,
  quality,
  safety,
  environment,
  planning,
  meetings,
  risks,
  handover,
  administration
]

/** The names of all resources. */
export const resourceNames = (): ReadonlyArray<string> => read(areas).map(({ name }) => name)
