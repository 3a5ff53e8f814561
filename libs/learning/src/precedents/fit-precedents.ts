import { clip, toSingleLine } from '@phaseline/basics';
import { countTokens, renderPrecedents } from '@phaseline/context';
import type { Precedent } from '@phaseline/domain';
import type { LearningTrace } from '../traces/learning-trace.js';

/** Maximum tokens of what a prompt says about all precedents together. */
export const MAX_PRECEDENT_TOKENS = 500;

/** Maximum characters of each text of a learning trace, from the first that is tried to the last. */
const TEXT_LENGTHS = [300, 200, 120, 60];

/** Summarises learning traces with the longest texts of which all fit into the limit; if even the shortest do not, as many as fit. */
export function fitPrecedents(traces: readonly LearningTrace[]): readonly Precedent[] {
  for (const maxCharacters of TEXT_LENGTHS) {
    const precedents = traces.flatMap((trace) => summarise(trace, maxCharacters));
    if (isShort(precedents)) return precedents;
  }
  let shortest = traces.flatMap((trace) => summarise(trace, TEXT_LENGTHS.at(-1)!));
  while (!isShort(shortest)) shortest = shortest.slice(0, -1);
  return shortest;
}

function isShort(precedents: readonly Precedent[]): boolean {
  return countTokens(renderPrecedents(precedents).join('\n')) <= MAX_PRECEDENT_TOKENS;
}

function summarise({ id, scope, context, event }: LearningTrace, maxCharacters: number): readonly Precedent[] {
  if (scope === 'job') return [];
  const texts = [
    [`${clip(context.agent, 60)}`, event.happened],
    ['Correct', event.correct],
    ['Why', event.why],
  ] as const;
  const text = texts
    .flatMap(([name, part]) => (part === undefined ? [] : [`${name}: ${clip(toSingleLine(part), maxCharacters)}`]))
    .join(' ');
  return [{ trace: id, scope, text }];
}
