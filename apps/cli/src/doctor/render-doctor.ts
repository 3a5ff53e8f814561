import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';
import type { FindingLevel } from './check.js';
import type { CheckResult } from './run-checks.js';

const MARKS: Readonly<Record<FindingLevel, string>> = { ok: '✓', warn: '!', fail: '✗', skipped: '–' };

/** Renders a line per finding, followed by its advice if any, and a summary. */
export function renderDoctor(results: readonly CheckResult[], paint: Paint): string[] {
  const width = Math.max(...results.map(({ check }) => check.length));
  const colour: Readonly<Record<FindingLevel, (text: string) => string>> = {
    ok: paint.green,
    warn: paint.yellow,
    fail: paint.red,
    skipped: paint.dim,
  };
  const lines = results.flatMap(({ check, level, text, remedy }) => [
    `${colour[level](MARKS[level])} ${check.padEnd(width)}  ${level === 'ok' || level === 'skipped' ? paint.dim(toPrintable(text)) : toPrintable(text)}`,
    ...(remedy === undefined ? [] : [`  ${' '.repeat(width)}  ${paint.cyan('→')} ${toPrintable(remedy)}`]),
  ]);
  return [...lines, '', renderSummary(results, paint)];
}

function renderSummary(results: readonly CheckResult[], paint: Paint): string {
  const count = (level: FindingLevel): number => results.filter((result) => result.level === level).length;
  const [fails, warns, skipped] = [count('fail'), count('warn'), count('skipped')];
  const notRun = skipped > 0 ? `; ${pluralise(skipped, 'check')} skipped` : '';
  if (fails > 0) return paint.red(`${pluralise(fails, 'failure')}, ${pluralise(warns, 'warning')}${notRun}.`);
  if (warns > 0) return paint.yellow(`${pluralise(warns, 'warning')}${notRun}.`);
  return `No problems found${notRun}.`;
}
