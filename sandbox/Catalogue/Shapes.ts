/**
 * Objects that many records share, as data in the notation of `Fields.ts`. Some are an alias of another shape, extend
 * one, or are one of several; two contain themselves.
 */
import * as Fields from "./Fields.ts"

export type Shape =
  | { readonly _tag: "Object"; readonly fields: ReadonlyArray<Fields.Field> }
  | { readonly _tag: "More"; readonly than: string; readonly fields: ReadonlyArray<Fields.Field> }
  | { readonly _tag: "Same"; readonly as: string }
  /** `by`: the field that tells them apart. */
  | { readonly _tag: "Either"; readonly of: ReadonlyArray<string>; readonly by: string | undefined }

const object = (fields: string): Shape => ({ _tag: "Object", fields: Fields.read(fields) })
const more = (than: string, fields: string): Shape => ({ _tag: "More", than, fields: Fields.read(fields) })
const same = (as: string): Shape => ({ _tag: "Same", as })
const either = (of: ReadonlyArray<string>, by?: string): Shape => ({ _tag: "Either", of, by })

export const shapes = {
  Address: object("line_1:text line_2:text? city:text postcode:text? country:country"),
  Approver: same("Assignee"),
  Assignee: same("Person"),
  Attachment: object("id:uuid file_name:text media_type:text bytes:int64 url:url uploaded_at:time"),
  BulkResult: object("succeeded:int failed:int errors:text[]"),
  Comment: object("author:Person body:prose written_at:time replies:Comment[]"),
  EquipmentCost: object("type:=equipment equipment_code:text hours:number rate:decimal"),
  Cost: either(["LabourCost", "EquipmentCost", "MaterialCost"], "type"),
  GeoPoint: object("type:=Point coordinates:number[]"),
  GeoPolygon: object("type:=Polygon coordinates:number[][][]"),
  Inspector: more("Person", "licence:text licence_valid_until:date?"),
  Job: object("id:uuid status:queued|running|done|failed requested_at:time result_url:url?"),
  LabourCost: object("type:=labour trade:text hours:number rate:decimal"),
  MaterialCost: object("type:=material material_code:text quantity:Quantity unit_price:decimal"),
  Money: object("amount:decimal currency:currency"),
  Organisation: object("name:text tax_number:text? country:country address:Address?"),
  Party: either(["Person", "Organisation"]),
  Period: object("from:date until:date?"),
  Person: object("id:int64 name:person email:email? job_title:text?"),
  Quantity: object("value:decimal unit:m|m2|m3|kg|t|h|pcs"),
  Revision: object("changed_at:time changed_by:Person action:text changes:map"),
  Section: object("code:text title:text sections:Section[]?"),
  Signature: object("signed_by:Assignee signed_at:time method:drawn|typed|certificate"),
  Step: object("order:int title:text approver:Approver? due_in_days:int?")
} as const satisfies Readonly<Record<string, Shape>>

const isName = (name: string): name is keyof typeof shapes => Object.hasOwn(shapes, name)

export const shape = (name: string): Shape => {
  if (!isName(name)) throw new Error(`The catalogue has no shape ${name}.`)
  return shapes[name]
}
