import { formatWallTime } from '../calendar/wall-clock.js';
import type { RunStep } from './advance-run.js';
import type { PlannedItem } from './planned-items.js';

/** Tasks that one message names. */
const MAX_NAMED = 10;

/** Writes what a plan that is carried out waits for, and what a person can reply. */
export function describeRunWait(
  { running, failed, next, until }: Extract<RunStep, { readonly kind: 'wait' }>,
  remark: string | undefined,
): string {
  const replies = [
    ...(running.length > 0 ? ["'done ID'"] : []),
    ...(failed.length > 0 ? ["'retry ID'"] : []),
    ...(running.length + failed.length > 0 ? ["'skip ID'"] : []),
    ...["'re-plan: what changed'", "'stop'"],
  ];
  return [
    ...(remark === undefined ? [] : [remark]),
    ...listItems('Now to be done:', running, ({ end, zone }) => `until ${formatTime(zone, end)}`),
    ...listItems('Not done, because the agent failed:', failed, ({ node }) => node.agent ?? ''),
    ...(next
      ? [
          `Next: ${name(next)}, ${formatTime(next.zone, next.start)}${until === undefined ? ', when the tasks before it are done' : ''}.`,
        ]
      : []),
    `Reply ${replies.slice(0, -1).join(', ')} or ${replies.at(-1)!}.`,
  ].join('\n');
}

/** Writes what an agent is to do. */
export function describeItem({ node, phase, start, end, zone }: PlannedItem, goal: string): string {
  return [
    `${node.title}.`,
    ...(node.endCriterion === undefined ? [] : [`It is done when: ${node.endCriterion}`]),
    `The task belongs to a plan for this goal: ${goal}`,
    ...(phase ? [`Part of the plan: ${phase.title}.`] : []),
    `Planned from ${formatTime(zone, start)} to ${formatTime(zone, end)} (${zone}).`,
  ].join('\n');
}

function listItems(title: string, items: readonly PlannedItem[], describe: (item: PlannedItem) => string): string[] {
  if (items.length === 0) return [];
  const named = items.slice(0, MAX_NAMED).map((item) => `- ${name(item)}, ${describe(item)}`);
  return [title, ...named, ...(items.length > MAX_NAMED ? [`- and ${items.length - MAX_NAMED} more`] : [])];
}

function name({ id, node }: PlannedItem): string {
  return `${id} (${node.title})`;
}

function formatTime(zone: string, instant: number): string {
  return formatWallTime(zone, instant).replace('T', ' ');
}
