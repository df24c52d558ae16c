/**
 * The ledger's verbs as the command line asks for them: of the running worker or, without one, here with the lock taken.
 */
import { Effect, Layer, Option } from "effect"
import { Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { stores } from "../pipelines/stores.ts"
import { Ledger } from "../src/Ledger/Ledger.ts"
import { type Verb, verbs } from "../src/Ledger/Verbs.ts"
import { ask, over } from "./Ask.ts"

export type Texts = Readonly<Record<string, string>>

const alones = Ledger.layerAlone.pipe(Layer.provideMerge(stores), Layer.provideMerge(Settings.layer))

/** The verb's answer, from the worker or from here. */
export const told = (verb: Verb, given: Texts) => {
  const alone: Effect.Effect<unknown, { readonly message: string }, Layer.Success<typeof alones>> = verbs[verb](given)
  return ask(verb, given, alone.pipe(over(alones)))
}

export const optional = (name: string, value: Option.Option<string>): Texts =>
  Option.match(value, { onNone: () => ({}), onSome: (text) => ({ [name]: text }) })

export const json = Flag.Boolean("json").pipe(Flag.withDescription("JSON, for programs"), Flag.withDefault(false))
