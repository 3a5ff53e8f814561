import { foldJob } from '../job/evolve-job.js';
import type { JobEvent } from '../job/job-events.js';
import type { JobState } from '../job/job-state.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { Transition } from '../workflow/workflow.js';
import { findCurrentItem, findNextItem, type ItemState, type JobItems } from './job-items.js';

/** Where the workflow continues after a transition that says something about the items. */
export interface ItemStep {
  readonly events: readonly JobEvent[];
  /** State of the next phase. */
  readonly state: string;
  /** Item of the next phase; absent when none is left. */
  readonly item?: ItemState | undefined;
  /** The phase whose files at its beginning the workspace returns to, because its item is blocked. */
  readonly rollBackTo?: number | undefined;
}

type Leading = Extract<Transition, { readonly to: unknown }>;

/**
 * Decides what a transition does to the items: the list begins, an item changes its status, and the next one is started. `reason` says why
 * an attempt failed. `undefined` for a transition that says nothing about items.
 */
export function moveItems(
  job: JobState,
  phase: PhaseState,
  transition: Leading,
  reason?: string,
): ItemStep | undefined {
  const { item: move, to, none = to } = transition;
  const current = findCurrentItem(job.items);
  if (move === undefined) return job.items ? { events: [], state: to, item: current } : undefined;
  const ended = phase.start.identity.phase;
  if (move === 'listed') {
    const items = phase.todos.listed ?? [];
    return startNext(job, [{ type: 'ItemsListed', data: { phase: ended, items: [...items] } }], to, none);
  }
  if (!current) throw new Error(`phase ${ended} ended with an item that is ${move}, but works on none`);
  const { id, attempts, began } = current;
  const changed = (status: ItemState['status'], failed = attempts): JobEvent => ({
    type: 'ItemChanged',
    data: { id, phase: ended, status, attempts: failed, ...(reason === undefined ? {} : { reason }) },
  });
  if (move === 'implemented') return continueWith(job, [changed('implemented')], to);
  if (move === 'tested') return startNext(job, [changed('tested')], to, none);
  const failed = attempts + 1;
  if (failed < getMaxAttempts(job)) return continueWith(job, [changed('pending', failed)], to);
  return {
    ...startNext(job, [changed('blocked', failed)], to, none),
    ...(began === undefined ? {} : { rollBackTo: began }),
  };
}

/** Whether the item that the job works on becomes blocked if one more attempt fails. */
export function isLastAttempt(job: JobState): boolean {
  const current = findCurrentItem(job.items);
  return current !== undefined && current.attempts + 1 >= getMaxAttempts(job);
}

/** The items of a job that were blocked. */
export function listBlockedItems(items: JobItems | undefined): readonly ItemState[] {
  return (items?.list ?? []).filter(({ status }) => status === 'blocked');
}

function getMaxAttempts({ definition }: JobState): number {
  return definition.workflow.items?.attempts ?? 1;
}

function continueWith(job: JobState, events: readonly JobEvent[], state: string): ItemStep {
  return { events, state, item: findCurrentItem(foldJob(events, job)?.items) };
}

/** Starts the first item that is left, or leads to `none`. */
function startNext(job: JobState, events: readonly JobEvent[], state: string, none: string): ItemStep {
  const after = foldJob(events, job)!;
  const next = findNextItem(after.items);
  if (!next) return { events, state: none };
  const started: JobEvent = { type: 'ItemStarted', data: { id: next.id, phase: job.phases + 1 } };
  return continueWith(job, [...events, started], state);
}
