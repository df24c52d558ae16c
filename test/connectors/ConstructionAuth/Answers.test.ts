/**
 * Token answers: an answer may have cost a refresh token, so any answer with an access token is accepted, and its
 * unreadable fields count as missing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Option, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { ClientSettings } from "../../../config/Settings.ts"
import { TokenEndpoint } from "../../../connectors/construction/ConstructionAuth/TokenEndpoint.ts"

const client = ClientSettings.of({
  authUrl: new URL("https://auth.example.com"),
  clientId: "app",
  clientSecret: Option.some(Redacted.make("hush")),
  tokenAuth: "post",
  redirectUri: Option.none(),
  scopes: ["projects.read"],
  tokenMaxBytes: 2 ** 20,
  longestPause: Duration.hours(1)
})

const answered = (body: unknown) => answeredAs(JSON.stringify(body))

const answeredAs = (text: string) =>
  Effect.flatMap(TokenEndpoint, ({ request }) => request({ grant_type: "refresh_token", refresh_token: "old" })).pipe(
    Effect.provide(TokenEndpoint.layer),
    Effect.provideService(ClientSettings, client),
    Effect.provide(
      Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(text))))
      )
    )
  )

const bare = { access: "new", refresh: undefined, lifeMs: undefined, scopes: undefined }

describe("a token answer", () => {
  it.effect.each(["refresh_token", "scope", "token_type", "expires_in"])(
    "whose %s is null, empty or of another type is read as if that were missing",
    (field) =>
      Effect.gen(function* () {
        for (const value of [null, "", [], {}, true]) {
          assert.deepStrictEqual(yield* answered({ access_token: "new", [field]: value }), bare)
        }
      })
  )

  it.effect("is read with all its fields", () =>
    Effect.gen(function* () {
      const whole = { access_token: "new", token_type: "Bearer", refresh_token: "next", scope: "a  b" }
      for (const life of ["60", '"60"', "60.0", "6e1"]) {
        const tokens = yield* answeredAs(JSON.stringify(whole).replace("}", `, "expires_in": ${life}}`))
        assert.deepStrictEqual(tokens, { access: "new", refresh: "next", lifeMs: 60_000, scopes: ["a", "b"] })
      }
    })
  )

  it.effect("without a usable access token is refused", () =>
    Effect.gen(function* () {
      for (const body of [{}, { access_token: null }, { access_token: "" }, { access_token: "a b" }, null, []]) {
        assert.strictEqual((yield* Effect.flip(answered(body)))._tag, "TokenUnavailable")
      }
    })
  )
})
