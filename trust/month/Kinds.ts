/**
 * What can happen to an IPC in a month: how often, in which company, and what people say about it.
 */
import { certifiedKinds } from "./Kinds/Certified.ts"
import type { Kinds } from "./Kinds/Kind.ts"
import { paidKinds } from "./Kinds/Paid.ts"
import { peopleKinds } from "./Kinds/People.ts"

export const kinds: Kinds = { ...certifiedKinds, ...paidKinds, ...peopleKinds }
