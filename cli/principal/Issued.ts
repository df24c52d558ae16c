/**
 * A newly created token: alone on stdout, so that it can go to a file or a password manager. Also the flags that the
 * verbs which create one share.
 */
import { Console, Effect } from "effect"
import { Flag } from "effect/cli"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import { roles as all } from "../../src/Operate/AdminApi/Verb.ts"
import { argument } from "../Options.ts"
import * as Print from "../Print.ts"

export const name = argument(
  "name",
  "Its name, which decisions record: letters a-z, digits, dot, hyphen, underscore, @"
)

export const role = Flag.Literals("role", all).pipe(
  Flag.withDescription("read: see everything; decide: about money; operate: everything else; may be repeated")
)

export const print = ({ name, roles, token }: Answer<"principal-add">, asJson: boolean) =>
  asJson
    ? Print.document({ name, roles, token })
    : Effect.andThen(
        Console.error(`${name} may ${roles.join(", ")} with this token (SITELEDGER_TOKEN). It isn't shown again.`),
        Console.log(token)
      )
