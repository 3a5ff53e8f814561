import type { ActionRecord } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';

const ID_CHARACTERS = 8;

/** One line per action, latest first: when, who, what, and which job or stream of the system it concerns. */
export function renderActions(
  actions: readonly ActionRecord[],
  paint: Paint,
  { width, isWide }: { readonly width: number | undefined; readonly isWide: boolean },
): string[] {
  return renderTable<ActionRecord>(
    [
      { title: 'WHEN', cell: ({ at }) => at.slice(0, 19).replace('T', ' ') },
      { title: 'WHO', cell: describeActor, paint: paint.bold },
      { title: 'ACTION', cell: ({ action }) => toPrintable(action) },
      { title: 'TENANT', cell: ({ tenant }) => toPrintable(tenant ?? '-') },
      ...(isWide ? [{ title: 'VERSION', align: 'right' as const, cell: describeVersion }] : []),
      { title: 'CONCERNING', cell: describeSubject, short: shortenSubject },
    ],
    actions,
    { width, title: paint.dim },
  );
}

function describeActor({ actor: { id, onBehalfOf } }: ActionRecord): string {
  return toPrintable(onBehalfOf === undefined ? id : `${onBehalfOf.id} (with ${id})`);
}

function describeVersion({ version }: ActionRecord): string {
  return String(version);
}

function describeSubject({ jobId, streamId }: ActionRecord): string {
  return toPrintable(jobId === undefined ? streamId : `job ${jobId}`);
}

function shortenSubject(action: ActionRecord): string {
  return action.jobId === undefined ? describeSubject(action) : `job ${action.jobId.slice(0, ID_CHARACTERS)}`;
}
