/**
 * The program with every verb.
 */
import { endless, siteledger } from "./Cli.ts"
import { enter } from "./Entry.ts"

enter(siteledger, endless)
