import type { CaseResult } from '@phaseline/contracts';
import type { Output } from '../output/output.js';
import { pluralise } from '../output/quantities.js';
import { toPrintable } from '../output/printable.js';

/** Renders a case as one line, and each expectation that does not hold below it. */
export function renderCaseResult(
  { name, agent, model, passed, durationMs, failures }: Omit<CaseResult, 'guarded'>,
  paint: Output['paint'],
): readonly string[] {
  const mark = passed ? paint.green('✓') : paint.red('✗');
  return [
    `${mark} ${toPrintable(agent)}: ${toPrintable(name)}  ${paint.dim(`${model}, ${durationMs} ms`)}`,
    ...failures.flatMap(({ expectation, expected, found }) => [
      `    ${expectation}`,
      `      expected  ${toPrintable(expected)}`,
      `      found     ${toPrintable(found)}`,
    ]),
  ];
}

/** Renders how many cases passed and failed. */
export function renderCaseSummary(results: readonly CaseResult[], problems: number): string {
  const failed = results.filter(({ passed }) => !passed).length;
  const parts = [
    `${pluralise(results.length - failed, 'case')} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(problems > 0 ? [`${pluralise(problems, 'problem')} in cases that cannot be used`] : []),
  ];
  return `${parts.join(', ')}.`;
}
