import type { EraseResponse } from '@phaseline/client';
import { formatTime } from '../event/render-event.js';
import { toPrintable } from '../output/printable.js';

/** Describes what was erased and what remains. */
export function renderErased({ jobId, changed, erasure }: EraseResponse): string[] {
  if (!changed) return [`${jobId} was already erased ${formatErasure(erasure)}.`];
  return [
    `${jobId} is erased: its key is destroyed and its files are deleted.`,
    'Erased: task, parameters, labels, documents, conversation, tool calls and results, files, notes, reasons.',
    'Kept: that the job existed, who requested what and when, its phases, tools, sizes, tokens and cost; and the hash chain, which still verifies.',
    'Not erased: backups of the database made before, which still contain the key. Delete them or let them expire.',
  ];
}

/** `at 2026-03-01 10:00:00.000 UTC by ada: reason` */
export function formatErasure({ actor, erasedAt, reason }: EraseResponse['erasure']): string {
  return `at ${formatTime(erasedAt)} UTC by ${toPrintable(actor)}${reason === '' ? '' : `: ${toPrintable(reason)}`}`;
}
