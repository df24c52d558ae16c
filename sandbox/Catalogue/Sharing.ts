/**
 * Answers and parameters that many operations of the catalogue share, written once and referred to, as documents of
 * this size do. The seed leaves some parameters in their operations, moves some to the path item, and gives one a
 * second name.
 */
import type { Catalogue } from "../Catalogue.ts"
import type { Document, Operation, Path } from "../Description/OpenApi.ts"
import { methods } from "../Description/OpenApi.ts"
import { pascal } from "./Properties.ts"
import type { Spelling } from "./Spelling.ts"

type Part = Readonly<Record<string, unknown>>
type Parameter = Operation["parameters"][number]

const answers: Readonly<Record<string, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  413: "TooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalError",
  503: "Unavailable"
}

/** `per_page` by its second name. */
const alias = { name: "PageSize", of: "PerPage" }

const refer = (kind: "parameters" | "responses", name: string) => ({ $ref: `#/components/${kind}/${name}` })

const makeShared = (spelling: Spelling) => {
  const parameters = new Map<string, Part>()
  const responses = new Map<string, Part>()
  const parameter = (owner: string, given: Parameter): Part => {
    const name = pascal(given.name)
    if (spelling.chance(`${owner} has its own ${name}`, 0.3)) return { ...given }
    parameters.set(name, { ...given })
    if (name !== alias.of || spelling.chance(`${owner} says ${name}`, 0.5)) return refer("parameters", name)
    parameters.set(alias.name, refer("parameters", name))
    return refer("parameters", alias.name)
  }
  const response = (status: string, given: Part): Part => {
    const name = answers[status]
    if (name === undefined) return given
    responses.set(name, given)
    return refer("responses", name)
  }
  return { parameters, responses, parameter, response }
}

type Shared = ReturnType<typeof makeShared>

const operation = (shared: Shared, given: Operation, isApart: (parameter: Parameter) => boolean): Part => ({
  ...given,
  parameters: given.parameters
    .filter((each) => !isApart(each))
    .map((each) => shared.parameter(given.operationId, each)),
  responses: Object.fromEntries(
    Object.entries(given.responses).map(([status, each]) => [status, shared.response(status, { ...each })])
  )
})

const item = (shared: Shared, spelling: Spelling, path: string, given: Path): Part => {
  const all = methods.flatMap((method) => (given[method] === undefined ? [] : [[method, given[method]] as const]))
  const ofPath = all[0]?.[1].parameters.filter((parameter) => parameter.in === "path") ?? []
  const isApart = ofPath.length > 0 && spelling.chance(`parameters of ${path} are apart`, 0.3)
  return {
    ...(isApart ? { parameters: ofPath.map((each) => shared.parameter(path, each)) } : {}),
    ...Object.fromEntries(
      all.map(([method, each]) => [method, operation(shared, each, (parameter) => isApart && parameter.in === "path")])
    )
  }
}

/** The document, with references in the catalogue's operations. */
export const shared = (document: Document, { operations, spelling }: Catalogue): object => {
  const paths = new Set(operations.map(({ path }) => path))
  const shared = makeShared(spelling)
  const items = Object.entries(document.paths).map(([path, given]) => [
    path,
    paths.has(path) ? item(shared, spelling, path, given) : given
  ])
  const { parameters, responses } = shared
  return {
    ...document,
    paths: Object.fromEntries(items),
    components: {
      ...document.components,
      parameters: Object.fromEntries(parameters),
      responses: Object.fromEntries(responses)
    }
  }
}
