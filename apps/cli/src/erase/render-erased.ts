import type { EraseResponse } from '@phaseline/client';
import { shortTime } from '../event/render-event.js';
import { printable } from '../output/printable.js';

/** What became of it, and what is left. */
export function renderErased({ jobId, changed, erased }: EraseResponse): string[] {
  if (!changed) return [`${jobId} was erased before: ${erasedText(erased)}.`];
  return [
    `${jobId} is erased: its key is destroyed and its files are deleted.`,
    'Gone: task, parameters, labels, documents, conversation, tool calls and results, files, notes, reasons.',
    'Kept: that the job was, who asked for what and when, its phases, tools, sizes, tokens and cost; and the chain, which still verifies.',
    'Not reached: backups of the database from before, which still hold the key. Erase or expire them too.',
  ];
}

/** `at 2026-03-01 10:00:00.000 UTC by ada: reason` */
export function erasedText({ actor, at, reason }: EraseResponse['erased']): string {
  return `at ${shortTime(at)} UTC by ${printable(actor)}${reason === '' ? '' : `: ${printable(reason)}`}`;
}
