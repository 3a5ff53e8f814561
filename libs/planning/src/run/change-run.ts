import { formatInstant, type Instant } from '../calendar/instant.js';
import type { PlanRun, RunItem } from './plan-run.js';
import type { PlannedItem } from './planned-items.js';

/** How a task ended. */
export interface ItemEnd extends Pick<RunItem, 'note' | 'files'> {
  readonly status: Exclude<RunItem['status'], 'running'>;
  readonly by: string;
}

/** Returns the run in which tasks have begun. */
export function startItems(run: PlanRun, items: readonly PlannedItem[], now: Instant): PlanRun {
  const started = items.map(({ id }) => [id, { status: 'running', startedAt: formatInstant(now) }] as const);
  return { ...run, items: { ...run.items, ...Object.fromEntries(started) } };
}

/** Returns the run in which a task that had begun has ended. */
export function endItem(run: PlanRun, { id }: PlannedItem, end: ItemEnd, now: Instant): PlanRun {
  const item = run.items[id];
  if (!item) throw new Error(`the task ${id} has not begun`);
  const { endedAt: _before, note: _note, files: _files, ...begun } = item;
  return { ...run, items: { ...run.items, [id]: { ...begun, endedAt: formatInstant(now), ...end } } };
}

/** Returns the run in which a task begins again at its next turn. */
export function retryItem(run: PlanRun, { id }: PlannedItem): PlanRun {
  const { [id]: _failed, ...others } = run.items;
  return { ...run, items: others };
}

/** Returns the run with another schedule, none of whose tasks has begun. What was done for the one before is kept beside it. */
export function replaceSchedule(run: PlanRun, contentHash: string, why: string): PlanRun {
  const { replan: _reason, remark: _remark, ...kept } = run;
  const before = { contentHash: run.contentHash, why, items: run.items };
  return { ...kept, contentHash, items: {}, earlier: [...run.earlier, before] };
}
