/** The contents of each event type by section 6.3 of the interface document, in the words of the sandbox's bodies. */
export const contents: Readonly<Record<string, ReadonlyArray<string>>> = {
  "ipc.created": ["ipc_id", "project_id", "draft_amount"],
  "ipc.submitted": ["ipc_id", "submitter", "amount"],
  "ipc.certified": ["ipc_id", "certified_amount", "certificate_url"],
  "ipc.paid": ["ipc_id", "payment_reference"],
  "vo.created": ["vo_id", "project_id", "description"],
  "vo.priced": ["vo_id", "total_cost_impact"],
  "vo.agreed": ["vo_id", "final_amount", "time_impact"],
  "vo.absorbed": ["vo_id", "boq_revision"],
  "ncr.created": ["ncr_id", "project_id", "severity"],
  "ncr.closed": ["ncr_id", "closure_date"],
  "hse.incident.reported": ["incident_id", "classification"],
  "permit.issued": ["permit_id", "type", "validity"],
  "permit.expiring": ["permit_id", "hours_until_expiry"],
  "dms.transmittal.sent": ["transmittal_id", "recipients", "document_count"]
}
