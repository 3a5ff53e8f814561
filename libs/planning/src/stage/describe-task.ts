import type { PlanOutline } from '../artifacts/plan-outline.js';
import { parseTaskId } from './task-id.js';

/** Titles that a sentence names at most; more are counted. */
const MAX_NAMED = 5;

/** Names a task, occurrence or milestone of a schedule problem by the title of its node, such as `occurrence 2 of “Course”`. */
export function describeTask(id: string, { nodes }: PlanOutline): string {
  const { node, occurrence, end } = parseTaskId(id);
  const title = `“${nodes.find((one) => one.id === node)?.title ?? node}”`;
  if (occurrence !== undefined) return `occurrence ${occurrence} of ${title}`;
  return end === undefined ? title : `the ${end} of ${title}`;
}

/** Names several tasks; occurrences of the same task together. */
export function describeTasks(ids: readonly string[], outline: PlanOutline): string {
  const names = [...Map.groupBy(ids, (id) => (id.includes('#') ? parseTaskId(id).node : id))].map(([key, group]) => {
    const numbers = group.flatMap((id) => parseTaskId(id).occurrence ?? []);
    return numbers.length === 0 ? describeTask(key, outline) : describeOccurrences(numbers, describeTask(key, outline));
  });
  const rest = names.length - MAX_NAMED;
  return joinWords(rest > 1 ? [...names.slice(0, MAX_NAMED), `${rest} more`] : names);
}

/** Names occurrences of a task, such as `occurrences 2 and 4 of “Course”`. */
export function describeOccurrences(numbers: readonly number[], title: string): string {
  const rest = numbers.length - MAX_NAMED;
  const listed = rest > 1 ? [...numbers.slice(0, MAX_NAMED), `${rest} more`] : numbers;
  return `occurrence${numbers.length === 1 ? '' : 's'} ${joinWords(listed.map(String))} of ${title}`;
}

/** Joins words as in a sentence: `a, b and c`. */
function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Writes a duration, such as `1 hour 30 minutes`. */
export function describeMinutes(minutes: number): string {
  const parts = [
    [Math.floor(minutes / 60), 'hour'],
    [minutes % 60, 'minute'],
  ] as const;
  const words = parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}${count === 1 ? '' : 's'}`]));
  return words.length === 0 ? '0 minutes' : words.join(' ');
}
