import type { PatternProposalRecord } from '@phaseline/client';
import { stringify } from 'yaml';
import type { Paint } from '../output/paint.js';
import { toPrintable, toPrintableLines } from '../output/printable.js';

const titles: Readonly<Record<string, string>> = {
  stricter_guard: 'A stricter version of the guard',
  change_instructions: 'Other instructions',
  new_rule: 'A new rule',
};

/** Renders what a person may do about a pattern: the difference, or the file of a new rule, and the command that tries it. */
export function renderProposal(
  { kind, problem, summary, guard, diff, tryWith }: PatternProposalRecord,
  paint: Paint,
): string[] {
  const title = paint.bold(titles[kind] ?? toPrintable(kind));
  if (problem !== undefined) return [title, `  none: ${toPrintable(problem)}.`, ''];
  const text = diff ?? (guard ? stringify(guard) : '');
  return [
    title,
    ...(summary === undefined ? [] : [`  ${toPrintable(summary)}`]),
    '',
    ...toPrintableLines(text.trimEnd()).split('\n'),
    ...(tryWith === undefined ? [] : ['', `Try it: ${toPrintable(tryWith)}`]),
    '',
  ];
}
