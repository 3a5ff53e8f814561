import type { Anchor, AuditReport } from '@phaseline/audit';
import type { AnchorRecord, Verification } from '@phaseline/client';

/** Number of problems in a response. The command `phaseline audit verify` lists more. */
const MAX_PROBLEMS = 200;

/** Converts what a verification found to its form in the API. */
export function toVerificationReport(report: AuditReport): NonNullable<Verification['report']> {
  const { keyIds, confirmed, notChecked, problems, ...figures } = report;
  return {
    ...figures,
    ...(keyIds ? { keyIds: [...keyIds] } : {}),
    ...(confirmed ? { confirmed: [...confirmed] } : {}),
    ...(notChecked ? { notChecked: [...notChecked] } : {}),
    problems: problems.slice(0, MAX_PROBLEMS).map(({ hash: _hash, ...problem }) => problem),
  };
}

/**
 * Converts an anchor to its form in the API. `newestReceipt` is the number of the newest anchor that has a receipt; undefined if the
 * server stores no receipts.
 */
export function toAnchorRecord(anchor: Anchor, newestReceipt: number | undefined): AnchorRecord {
  const { number, anchoredAt, keyId, hash, streams, events, heads } = anchor;
  const receipt = newestReceipt === undefined ? 'unknown' : number <= newestReceipt ? 'stored' : 'missing';
  return { number, anchoredAt, keyId, hash, streams, events, changedStreams: heads, receipt };
}
