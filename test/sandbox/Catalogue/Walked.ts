/**
 * Reads a list to its end as a stranger would: with the parameters that the document names, and what each answer says
 * about the next page.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Json from "../../../src/Domain/Json.ts"
import { resolved, type started } from "./Started.ts"

type World = Effect.Success<ReturnType<typeof started>>
type Fields = Readonly<Record<string, unknown>>

export interface Page {
  readonly rows: ReadonlyArray<Fields>
  /** Facts about the page, wherever they are. */
  readonly facts: Fields
  /** The address that the answer names as the next. */
  readonly link: string | undefined
}

const isList = (value: unknown): value is ReadonlyArray<Fields> => Array.isArray(value)

export const pageOf = (answer: Effect.Success<ReturnType<World["get"]>>): Page => {
  assert.strictEqual(answer.status, 200, answer.text.slice(0, 300))
  const body = Json.parse(answer.text)
  const link = /<([^>]+)>; rel="next"/.exec(answer.headers["link"] ?? "")?.[1]
  if (isList(body)) return { rows: body, facts: {}, link }
  const fields = Object(body) as Fields
  const inner = Object.values(fields).filter(Json.isObject)
  return { rows: Object.values(fields).find(isList) ?? [], facts: Object.assign({}, fields, ...inner), link }
}

interface Described {
  readonly pattern: RegExp
  readonly query: ReadonlyArray<string>
}

/** By document: what is read, and the names of the parameters in its query. */
const known = new WeakMap<object, ReadonlyArray<Described>>()

const describedIn = ({ document, operations }: World): ReadonlyArray<Described> => {
  const described =
    known.get(document) ??
    operations
      .filter(({ method }) => method === "GET")
      .map(({ operation, path }) => ({
        pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
        query: operation.parameters
          .map((each) => resolved(document, each))
          .filter((each) => each["in"] === "query")
          .map(({ name }) => String(name))
      }))
  known.set(document, described)
  return described
}

const queryOf = (world: World, path: string): ReadonlyArray<string> =>
  describedIn(world).find(({ pattern }) => pattern.test(path))?.query ?? assert.fail(`there is no ${path}`)

/** Whether the list at a path has this parameter. */
export const takes = (world: World, path: string, name: string): boolean => queryOf(world, path).includes(name)

type Next = (page: Page, seen: number) => string | undefined

const nextOf = (names: ReadonlyArray<string>, size: number): Next => {
  if (names.includes("cursor")) {
    return ({ facts }) =>
      facts["next_cursor"] === null ? undefined : `limit=${size}&cursor=${String(facts["next_cursor"])}`
  }
  if (names.includes("offset")) {
    return ({ facts }, seen) => (seen < Number(facts["total"]) ? `limit=${size}&offset=${seen}` : undefined)
  }
  return ({ facts, link }) => {
    if (link !== undefined) return new URL(link).search.slice(1)
    const isLast =
      "has_more" in facts ? facts["has_more"] === false : Number(facts["page"]) * size >= Number(facts["total"])
    return isLast || !("page" in facts) ? undefined : `per_page=${size}&page=${Number(facts["page"]) + 1}`
  }
}

/** `between`: what happens after each page. */
export const walk = Effect.fnUntraced(function* (
  world: World,
  path: string,
  size: number,
  between: (page: Page) => void = () => undefined
) {
  const names = queryOf(world, path)
  const next = nextOf(names, size)
  const rows: Array<Fields> = []
  let pages = 0
  let query: string | undefined = `${names.includes("per_page") ? "per_page" : "limit"}=${size}`
  while (query !== undefined) {
    const page: Page = pageOf(yield* world.get(names.length === 0 ? path : `${path}?${query}`))
    rows.push(...page.rows)
    pages++
    between(page)
    assert.isBelow(pages, 500, path)
    query = next(page, rows.length)
  }
  return { rows, pages }
})
