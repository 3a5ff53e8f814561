import { getNextDefinition } from '../job/dispatch-phase.js';
import type { JobState } from '../job/job-state.js';
import type { ReceivedReturn } from '../return/return-events.js';
import { findCurrentItem } from './job-items.js';

/** A file that the system writes about the items: its path and text. */
export interface ItemFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Renders the files about the items that the next phase finds: the list, and the state of the loop. They are for agents and scripts to
 * read; only the log decides. Empty where the workflow has no loop, or nothing is listed. The files contain no time, so that a fork that
 * repeats a recording has the same ones.
 */
export function renderItemFiles(
  job: JobState,
  state: string,
  received: ReceivedReturn | undefined,
): readonly ItemFile[] {
  const { items } = job;
  const settings = getNextDefinition(job).workflow.items;
  if (!settings || !items) return [];
  const features = items.list.map(({ id, description, ui, checks, status, attempts, changedIn, reason }) => ({
    id,
    description,
    ui,
    checks,
    status,
    tested: status === 'tested',
    attempts,
    // The phase whose accepted end proves the item.
    evidence: status === 'tested' && changedIn !== undefined ? { phase: changedIn } : null,
    ...(reason === undefined ? {} : { reason }),
  }));
  const current = findCurrentItem(items);
  const session = {
    state,
    feature: current?.id ?? null,
    attempts: current?.attempts ?? 0,
    last_return: received ? { agent: received.agent, outcome: received.outcome, result: received.result } : null,
  };
  return [
    { path: settings.file, text: toText({ features }) },
    { path: settings.session, text: toText(session) },
  ];
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
