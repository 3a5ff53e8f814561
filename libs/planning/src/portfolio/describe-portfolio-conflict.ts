import { parseInstant } from '../calendar/instant.js';
import { formatWallTime } from '../calendar/wall-clock.js';
import type { PortfolioConflict } from './find-portfolio-conflicts.js';

/** Describes a conflict in a sentence, with times as the clock of the person shows them. */
export function describePortfolioConflict(conflict: PortfolioConflict, zone: string): string {
  if (conflict.kind === 'overlap') {
    const { task, start, end, other } = conflict;
    const [from, to] = [start, end].map((time) => formatWallTime(zone, parseInstant(time)).replace('T', ' '));
    return `${task} from ${from} to ${to} is at the same time as "${other.title}" of plan ${other.plan}.`;
  }
  const { kind, from, minutes, capacityMinutes, tasks } = conflict;
  const time = kind === 'day' ? `On ${from}` : `In the week of ${from}`;
  return `${time} there are ${minutes} minutes of work, but ${capacityMinutes} fit: ${tasks.join(', ')} and other plans.`;
}
