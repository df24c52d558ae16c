/** The evidence of look-ups: an auditor's verify finds any change of an answer, or of what was read from it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { detailOf, inFolder, looking, recordOf, until } from "./World.ts"
import { hear, journal, opened, paid, verified } from "../../Ledger/Started.ts"

describe("verify finds", () => {
  const posted = (path: string) => {
    const { detail } = detailOf((id) => Effect.succeed(recordOf(id, "118750.25")))
    return looking(
      path,
      detail,
      Effect.andThen(
        hear([paid("A", 5, 11)]),
        until(journal, (rows) => rows.length > 0)
      )
    )
  }
  const planted: Readonly<Record<string, readonly [statements: string, words: RegExp]>> = {
    "an answer that was changed": [
      `update ledger_evidence set body = replace(body, '118750.25', '218750.25')`,
      /^IPC A: the answer that fact 2 rests on \(GET \/ipcs\/A\) was changed since it came\.$/
    ],
    "an answer that is gone": ["delete from ledger_evidence", /fact 2 rests on .* is gone\.$/],
    "a fact that says another amount than its answer": [
      `update ledger_facts set content = replace(content, '1187502500', '1187502600') where number = 2`,
      /fact 2 rests on .* says something else than the fact\.$/
    ],
    "a fact that reads its amount elsewhere": [
      `update ledger_facts set content = replace(content, '/certified', '/draft') where number = 2`,
      /fact 2 rests on .* says something else than the fact\.$/
    ]
  }
  for (const [what, [statements, words]] of Object.entries(planted)) {
    it.live(what, () =>
      inFolder((path) =>
        Effect.gen(function* () {
          yield* posted(path)
          const database = opened(path)
          database.exec(statements)
          database.close()
          const { detail } = detailOf(() => Effect.never)
          const { differences } = yield* looking(path, detail, verified)
          assert.isTrue(
            differences.some((each) => words.test(each)),
            differences.join("\n")
          )
        })
      )
    )
  }
})
