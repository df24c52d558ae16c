import { assert, describe, it } from "@effect/vitest"
import * as Resource from "../../src/Domain/Resource.ts"

describe("tables", () => {
  it("are those of the contract, column by column", () => {
    const columns = (name: Resource.EntityName) =>
      Resource.tableColumns(Resource.byName(name))
        .map((column) => column.name)
        .filter((column) => !(column in Resource.commonColumns))
        .join(" ")
    assert.deepStrictEqual(Object.fromEntries(Resource.entityNames.map((name) => [name, columns(name)])), {
      projects: "id name status",
      ipcs:
        "id status project_id draft_amount submitter submitted_amount certified_amount certificate_url payment_reference" +
        " created_at submitted_at certified_at paid_at paid_amount",
      vos:
        "id status project_id description total_cost_impact final_amount time_impact boq_revision" +
        " created_at priced_at agreed_at absorbed_at",
      ncrs: "id status project_id severity closure_date created_at closed_at",
      hse_incidents: "id status classification reported_at",
      permits: "id status permit_type validity hours_until_expiry issued_at expiring_at",
      transmittals: "id status recipients document_count sent_at"
    })
  })

  it("have each column once, and all common columns", () => {
    for (const name of Resource.entityNames) {
      const names = Resource.tableColumns(Resource.byName(name)).map((column) => column.name)
      assert.strictEqual(new Set(names).size, names.length, name)
      assert.includeMembers(names, Object.keys(Resource.commonColumns))
    }
  })

  it("hold every amount as DECIMAL(28,4)", () => {
    for (const name of Resource.entityNames) {
      for (const { name: column, type } of Resource.tableColumns(Resource.byName(name))) {
        assert.strictEqual(Resource.isMoney(type), /amount|cost/.test(column), `${name}.${column}`)
      }
    }
  })

  it("have at most nine stages, which a version writes as one digit", () => {
    for (const name of Resource.entityNames) assert.isAtMost(Resource.byName(name).stages.length, 9)
  })
})
