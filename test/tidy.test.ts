/**
 * The cheap house rules, each a plain check. They read text, not syntax, which is enough for code that oxfmt has
 * formatted. If a rule makes a file worse, delete its line here and say why in the commit.
 */
import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { arrows, circle, floors, rooms, upward } from "./Tidy/Rooms.ts"
import { all, code, imports, read, root, sources, under } from "./Tidy/Sources.ts"

const maxLinesPerFile = 250
const maxLinesPerFunction = 60
const maxLinesPerPipeline = 60
const maxLinesOfAgents = 80
const maxDepth = 3
const mostArrows = 100
const mostFloors = 12

/** Started by a person, npm or another process, so never imported. */
const entryPoints = new Set(["cli/main.ts", "cli/main-worker.ts", "dashboard/main.tsx"])

/** Files that may write `new Date(…)`, each with its reason. None may ask it for the present. */
const calendars = new Map([
  ["src/Domain/Instant.ts", "turns milliseconds into text"],
  ["src/Stores/DuckDb/Calendar.ts", "turns DuckDB's days into text"]
])

/** Files that may ask the system for the present, each with its reason. */
const clocks = new Map([["src/Intake/Receiver/receiving.ts", "its thread has no Effect"]])

const bannedNames = new Set(["utils", "helpers", "common", "types", "services", "layers", "index"])
const textFiles = /(\.(tsx?|js|json|md|env|sh|yml|yaml|csv|sql|html|css)|\/(siteledger|run|LICENSE|\.\w+))$/

const lineCount = (text: string) => text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
/** What is shipped: everything but tests, benches and attacks. */
const product = ["cli", "config", "connectors", "dashboard", "pipelines", "sandbox", "src"] as const
const inHouse = under(...product, "bench", "trust")
const matching = (paths: ReadonlyArray<string>, pattern: RegExp) => paths.filter((path) => pattern.test(code(path)))

const importing = (paths: ReadonlyArray<string>, forbidden: ReadonlyArray<string>) =>
  paths.flatMap((path) =>
    imports(path)
      .filter((target) => forbidden.some((folder) => target.startsWith(`${folder}/`)))
      .map((target) => `${path} imports ${target}`)
  )

const opensFunction = /(\bfunction\b.*|=>\s*|^\s+(static |async |\*|get |set )*[\w$]+\(.*\).*)\{$/
const opensControl = /^\s*(\} )?(if|for|while|switch|else|try|catch|do|finally)\b/
const opensSuite = /\b(describe|layer)\b.*\{$/

/** A function reaches from its opening line to the closing brace at the same indentation. */
const longFunctions = (path: string): ReadonlyArray<string> => {
  const lines = read(path).split("\n")
  return lines.flatMap((line, start) => {
    if (!opensFunction.test(line) || opensControl.test(line) || opensSuite.test(line)) return []
    const indent = /^\s*/.exec(line)?.[0] ?? ""
    const length = lines.slice(start + 1).findIndex((next) => next.startsWith(`${indent}}`)) + 2
    return length > maxLinesPerFunction ? [`${path}:${start + 1} has ${length} lines`] : []
  })
}

const none = (found: ReadonlyArray<string>) => assert.deepStrictEqual(found, [])

describe("size", () => {
  it(`no file has more than ${maxLinesPerFile} lines`, () => {
    none(sources.filter((path) => lineCount(read(path)) > maxLinesPerFile))
  })

  it(`no function has more than ${maxLinesPerFunction} lines`, () => {
    none(sources.flatMap(longFunctions))
  })

  it(`no pipeline has more than ${maxLinesPerPipeline} lines`, () => {
    none(under("pipelines").filter((path) => lineCount(read(path)) > maxLinesPerPipeline))
  })

  it(`no folder lies deeper than ${maxDepth} under src`, () => {
    none(under("src").filter((path) => path.split("/").length > maxDepth + 1))
  })

  it("every module opens with a comment", () => {
    none(under(...product).filter((path) => !read(path).startsWith("/**\n")))
  })
})

describe("names", () => {
  it("no file or folder is a drawer", () => {
    none(sources.filter((path) => path.split("/").some((part) => bannedNames.has(basename(part, ".ts").toLowerCase()))))
  })

  it("nothing is called Live or Impl at its end", () => {
    none(matching(sources, /\b(class|const|function|interface|type)\s+[A-Z]\w*(Live|Impl)\b/))
  })

  it("no interface has an I before its name", () => {
    none(matching(sources, /\binterface\s+I[A-Z][a-z]/))
  })
})

describe("imports", () => {
  it("run downwards through the rooms, types included", () => {
    none(upward)
    assert.isUndefined(circle())
  })

  it(`leave ${mostArrows} arrows between rooms at the most, on ${mostFloors} floors`, () => {
    assert.isAtMost(arrows.size, mostArrows)
    assert.isAtMost(floors(), mostFloors)
    none(inHouse.filter((path) => !rooms.some((room) => path.startsWith(`${room}/`))))
  })

  it("only Stores knows which engine it is: a difference is a method of the contract", () => {
    const outside = under(...product).filter((path) => !path.startsWith("src/Stores/"))
    none(matching(outside, /\bengine\s*[!=]==|\.engine\b|\bhasOthers\b|\bisPostgres\b/))
  })

  it("nothing but a test, or attacks for their models and accounting systems, imports from test", () => {
    none(importing(inHouse, ["test"]).filter((found) => !/^trust\/(simulation|month)\//.test(found)))
  })

  it("imports between our own files end in .ts or .tsx (or are data) and reach a file", () => {
    none(
      sources.flatMap((path) =>
        [...code(path).matchAll(/^(?:import |export |\} ).*\bfrom "(\.{1,2}\/[^"]*)"/gm)]
          .map(([, target]) => join(dirname(path), target ?? ""))
          .filter((target) => !/\.(tsx?|json)$/.test(target) || !existsSync(join(root, target)))
          .map((target) => `${path} imports ${target}`)
      )
    )
  })

  it("what describes the verbs can be loaded by a browser", () => {
    const reached = new Set<string>()
    const reach = (path: string): void => {
      if (reached.has(path)) return
      reached.add(path)
      imports(path).forEach(reach)
    }
    reach("src/Operate/AdminApi.ts")
    none(matching([...reached], /\bfrom "(?!\.{1,2}\/|effect["/])/))
  })

  it("the AWS SDK is loaded only if there is a bucket, and never by an import at the top", () => {
    const others = under("cli", "src", "pipelines", "config").filter((path) => path !== "src/Lake/S3/sdk.ts")
    none(matching(others, /^(import|export) (?!type )[^"]*("@(aws-sdk|smithy)\/|\/sdk\.ts")/m))
  })

  it("every file is imported by another or is an entry point", () => {
    const imported = new Set(sources.flatMap((path) => imports(path).filter((target) => target !== path)))
    const expected = under("cli", "dashboard", "src", "connectors", "config", "sandbox")
    none(expected.filter((path) => !imported.has(path) && !entryPoints.has(path)))
  })
})

describe("effects", () => {
  it("the environment is read in config only", () => {
    none(matching(under("cli", "src", "connectors", "pipelines", "sandbox"), /\bprocess\.env\b/))
  })

  it("nothing is written that Node 22 can't parse", () => {
    none(
      matching(
        under("cli", "src", "connectors", "pipelines", "sandbox", "config", "bin"),
        /^\s*(?:await )?using \w+ =/m
      )
    )
  })

  it("nothing writes to the console", () => {
    none(matching(under("cli", "src", "connectors", "pipelines", "config"), /\bconsole\.\w/))
  })

  it("the present comes from Effect's Clock", () => {
    const found = matching(
      under("cli", "src", "connectors", "pipelines"),
      /\bDate\.now\b|\bDate\(\)|\bnew Date\b(?!\()/
    )
    none(found.filter((path) => !clocks.has(path)))
  })

  it("dates are computed in the files that are there for it", () => {
    const found = matching(under("cli", "src", "connectors", "pipelines"), /\bnew Date\b/)
    none(found.filter((path) => !calendars.has(path)))
  })
})

describe("words", () => {
  const agents = existsSync(join(root, "AGENTS.md")) ? read("AGENTS.md") : ""

  it("AGENTS.md names every room, from the top down", () => {
    const named = [
      ...agents.matchAll(/^\| `((?:cli|dashboard|trust|bench|pipelines|sandbox|connectors|config|src\/\w+))\/`/gm)
    ]
    assert.deepStrictEqual(
      named.map(([, room]) => room),
      [...rooms]
    )
  })

  it("AGENTS.md's table names no file that is gone", () => {
    const named = [
      ...agents.matchAll(
        /^\| `((?:cli|dashboard|src|config|connectors|pipelines|sandbox|bench|trust|bin|test)\/[\w./-]*)`/gm
      )
    ]
    none(named.map(([, path]) => path ?? "").filter((path) => !existsSync(join(root, path))))
  })

  it(`AGENTS.md has at most ${maxLinesOfAgents} lines`, () => {
    assert.isAtMost(lineCount(agents), maxLinesOfAgents)
  })

  it("no marker of unfinished work is left", () => {
    // The brackets keep this line from finding itself.
    const marker = /\b(TOD[O]|FIXM[E]|HAC[K])\b/
    none(all.filter((path) => textFiles.test(`/${path}`) && path !== "package-lock.json" && marker.test(read(path))))
  })

  it("no test is switched off, and none is run alone", () => {
    none(matching(under("test"), /\b(it|test|describe|effect|live|prop|layer)\.(?:skip|only)\b/))
  })

  it("no text names a place on one machine", () => {
    const place = /(^|[\s"'`(=:])\/(?:work|root)\//m
    none(all.filter((path) => textFiles.test(`/${path}`) && place.test(read(path))))
  })
})
