/** The manifests for Kubernetes, by its published schemas, and as docs/installing.md has them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { Job } from "kubernetes-models/batch/v1/Job"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import { ConfigMap } from "kubernetes-models/v1/ConfigMap"
import { Service } from "kubernetes-models/v1/Service"
import { Yaml } from "effect/encoding"
import { variables } from "../../config/Sections.ts"
import { root } from "../Tidy/Sources.ts"

const kinds = { ConfigMap, Deployment, Job, PodDisruptionBudget, Service }

interface Manifest {
  readonly kind: keyof typeof kinds
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: Readonly<Record<string, unknown>>
}

const read = (file: string): ReadonlyArray<Manifest> =>
  readFileSync(join(root, "ops/kubernetes", file), "utf8")
    .split(/^---$/m)
    .map((each) => Yaml.parse(each) as Manifest)

const all = [...read("siteledger.yaml"), ...read("migrate.yaml")]

describe("ops/kubernetes", () => {
  it.each(all.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    "%s is valid",
    (_, manifest) => {
      const Model = kinds[manifest.kind] as new (data: unknown) => { readonly validate: () => void }
      new Model(manifest).validate()
    }
  )

  it("refuses what isn't", () => {
    const [deployment] = all
    const wrong = { ...deployment, spec: { ...deployment?.spec, replicas: "two" } }
    assert.throws(() => new Deployment(wrong as never).validate(), /replicas/)
  })

  it("sets variables that there are", () => {
    const known = new Set(variables.flatMap(({ name }) => [name, `${name}_FILE`]))
    const text = readFileSync(join(root, "ops/kubernetes/siteledger.yaml"), "utf8")
    const set = [...text.matchAll(/\bSITELEDGER_\w+/g)].map(([name]) => name)
    assert.isAbove(set.length, 6)
    for (const name of set) assert.isTrue(known.has(name), name)
  })
})
