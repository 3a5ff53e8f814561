import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { counted } from '../output/quantities.js';
import type { Level } from './check.js';
import type { Result } from './examine.js';

const MARKS: Readonly<Record<Level, string>> = { ok: '✓', warn: '!', fail: '✗', skipped: '–' };

/** Renders a line per finding, followed by its advice if any, and a summary. */
export function renderDoctor(results: readonly Result[], paint: Paint): string[] {
  const width = Math.max(...results.map(({ check }) => check.length));
  const colour: Readonly<Record<Level, (text: string) => string>> = {
    ok: paint.green,
    warn: paint.yellow,
    fail: paint.red,
    skipped: paint.dim,
  };
  const lines = results.flatMap(({ check, level, text, mend }) => [
    `${colour[level](MARKS[level])} ${check.padEnd(width)}  ${level === 'ok' || level === 'skipped' ? paint.dim(printable(text)) : printable(text)}`,
    ...(mend === undefined ? [] : [`  ${' '.repeat(width)}  ${paint.cyan('→')} ${printable(mend)}`]),
  ]);
  return [...lines, '', renderSummary(results, paint)];
}

function renderSummary(results: readonly Result[], paint: Paint): string {
  const count = (level: Level): number => results.filter((result) => result.level === level).length;
  const [fails, warns, skipped] = [count('fail'), count('warn'), count('skipped')];
  const notRun = skipped > 0 ? `; ${counted(skipped, 'check')} skipped` : '';
  if (fails > 0) return paint.red(`${counted(fails, 'failure')}, ${counted(warns, 'warning')}${notRun}.`);
  if (warns > 0) return paint.yellow(`${counted(warns, 'warning')}${notRun}.`);
  return `No problems found${notRun}.`;
}
