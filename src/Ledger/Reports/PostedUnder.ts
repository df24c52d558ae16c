/**
 * The project and the currency of an IPC's books: those of what is posted, or else of what would be. Pure.
 */
import type { Terms } from "../Fact.ts"
import type { Books } from "../Fold/Known.ts"
import { isByHand } from "../Fold/Parts.ts"

export interface PostedUnder {
  readonly projectId: string | null
  readonly currency: string | null
}

export const postedUnder = ({ entries, project }: Books, terms: Terms): PostedUnder => {
  // Not an entry that was reversed by a change of project.
  const last = entries.findLast(({ kind, part }) => !isByHand(part) && kind !== "reversal")
  if (last !== undefined) return { projectId: last.project_id ?? project?.projectId ?? null, currency: last.currency }
  const projectId = project?.projectId ?? null
  return { projectId, currency: terms.currencies[projectId ?? ""] ?? terms.currency }
}
