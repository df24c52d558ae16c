/** A person whose name is erased, and an answer with places where the name stays and places where it is removed. */
import { hash } from "node:crypto"
import * as Erasure from "../../src/Domain/Erasure.ts"

export const person = "Ada Lovelace"
export const answer = JSON.stringify({ data: { id: person, amount: 1.5, by: person } })
export const sha256 = hash("sha256", answer)
export const asked = { value: person, field: null, isWithin: false }
export const redact = Erasure.redactor([Erasure.erased(asked, "salt")])!
export const reads: Erasure.Reads = {
  bodies: Erasure.plain,
  answers: Erasure.keptAt(["data.id"]),
  records: () => Erasure.plain
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
