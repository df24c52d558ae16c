/** The page docs/client-api.md, made from the declarations of the client's package: each with its comment. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync } from "rolldown/utils"

const preface = `# The client's API

Made from the declarations of \`siteledger-client\`. [library.md](library.md) shows how they are used. § is a section of the
service's interface document.`

interface Declared {
  readonly name: string
  readonly comment: string
  readonly code: string
}

/** A comment's text without its stars; an \`@\` never begins a line here. */
const proseOf = (comment: string) => comment.replace(/^\s*\*[ \t]?/gm, "").trim()

/** What a module declares, and what it re-exports, in its order. */
const exportsOf = (file: string): ReadonlyArray<Declared> => {
  const text = readFileSync(file, "utf8")
  const { comments, program } = parseSync(file, text, { lang: "dts" })
  const own: Array<Declared> = []
  const handedOn: Array<Declared> = []
  let bases = ""
  let end = 0
  for (const node of program.body) {
    const comment = comments.findLast((each) => each.start >= end && each.end <= node.start)?.value ?? ""
    end = node.end
    // TypeScript puts what a class extends into a constant before it.
    if (node.type === "VariableDeclaration" && /^declare const \w+_base:/.test(text.slice(node.start))) {
      bases = `${text.slice(node.start, node.end)}\n`
    }
    if (node.type !== "ExportNamedDeclaration") continue
    if (node.source !== null) {
      const names = new Map(node.specifiers.map(({ exported, local }) => [nameOf(local), nameOf(exported)] as const))
      const declared = exportsOf(join(dirname(file), node.source.value.replace(/\.ts$/, ".d.ts")))
      handedOn.push(
        ...declared.flatMap((each) => {
          const name = names.get(each.name)
          return name === undefined ? [] : [{ ...each, name }]
        })
      )
      continue
    }
    const code = text.slice(node.start, node.end)
    const [, name = ""] = /^export (?:declare )?\w+ (\w+)/.exec(code) ?? []
    own.push({ name, comment: proseOf(comment), code: bases + code })
    bases = ""
  }
  return [...own, ...handedOn]
}

const nameOf = (node: object): string => ("name" in node ? String(node.name) : "")

const section = ({ code, comment, name }: Declared) =>
  [`### ${name}`, ...(comment === "" ? [] : [comment]), `\`\`\`ts\n${code}\n\`\`\``].join("\n\n")

/** `entries`: by what a program imports, the declarations' file. What an entry shares with the first isn't repeated. */
export const apiPage = (entries: Readonly<Record<string, string>>): string => {
  const shown = new Set<string>()
  const sections = Object.entries(entries).map(([specifier, file]) => {
    const all = exportsOf(file)
    const known = all.filter(({ code }) => shown.has(code))
    const fresh = all.filter(({ code }) => !shown.has(code))
    for (const { code } of fresh) shown.add(code)
    const rest = known.length === 0 ? [] : [`Also, as above: ${known.map(({ name }) => `\`${name}\``).join(", ")}.`]
    return [`## \`${specifier}\``, ...fresh.map(section), ...rest].join("\n\n")
  })
  return `${[preface, ...sections].join("\n\n")}\n`
}
