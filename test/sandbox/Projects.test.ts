import { assert, describe, it } from "@effect/vitest"
import * as Projects from "../../sandbox/Projects.ts"
import { v1 } from "../../sandbox/Versions.ts"
import * as RequestWindow from "../../sandbox/RequestWindow.ts"

const options = { seed: 11, projects: 500, stepsPerProjectChange: 4, stepsPerNewProject: 100 }

describe("Projects", () => {
  it("are rendered unchanged", () => {
    const projects = Projects.make(options)
    const rendered: unknown = JSON.parse(`[${projects.render(v1, 300, 400, 503)}]`)
    const made = Array.from({ length: 103 }, (_, offset) => projects.at(300, 400 + offset))
    assert.deepStrictEqual(rendered, made)
  })

  it("move from awarded to in-progress once, slowly, and new ones come at the end", () => {
    const projects = Projects.make(options)
    assert.strictEqual(projects.total(99), 500)
    assert.strictEqual(projects.total(1000), 510)
    const started = (step: number) =>
      Array.from({ length: 500 }, (_, index) => projects.at(step, index).status === "in-progress")
    const counts = [0, 200, 400, 800, 2000].map(started)
    for (const [at, now] of counts.entries()) {
      const before = counts[at - 1] ?? []
      assert.isTrue(before.every((was, index) => !was || now[index] === true))
    }
    const sizes = counts.map((now) => now.filter((is) => is).length)
    assert.isTrue(Math.abs((sizes[2] ?? 0) - (sizes[0] ?? 0) - 100) < 40, `one change in 4 steps: ${sizes.join(" ")}`)
    assert.strictEqual(sizes[4], 500)
  })

  it("are available at once, even a million", () => {
    const projects = Projects.make({ ...options, projects: 1_000_000 })
    assert.strictEqual(projects.at(0, 999_999).id, Projects.idOf(999_999))
    assert.strictEqual(projects.total(0), 1_000_000)
  })
})

describe("RequestWindow", () => {
  it("admits no more than the plan in any 60 seconds", () => {
    const window = RequestWindow.make(3)
    assert.deepStrictEqual([0, 10_000, 20_000].map(window.admit), [0, 0, 0])
    assert.strictEqual(window.admit(59_999), 1)
    assert.strictEqual(window.admit(60_000), 0)
    assert.strictEqual(window.admit(60_000), 10_000)
    assert.strictEqual(window.used(79_999), 2)
    assert.strictEqual(window.used(80_000), 1)
    assert.strictEqual(window.used(200_000), 0)
  })
})
