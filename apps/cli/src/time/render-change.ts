import type { FileChanges, JobDiffResponse, UsageChange } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { formatBytes, formatCount, formatUsd } from '../output/quantities.js';

/** Renders a line per file: added (+), removed (-) or changed (~). */
export function renderFileChanges({ added, removed, changed }: FileChanges, paint: Paint): string[] {
  const lines = [
    ...added.map(({ path, size }) => ({
      path,
      text: paint.green(`  + ${toPrintable(path)}`),
      note: formatBytes(size),
    })),
    ...removed.map(({ path, size }) => ({
      path,
      text: paint.red(`  - ${toPrintable(path)}`),
      note: formatBytes(size),
    })),
    ...changed.map(({ path, from, to }) => ({
      path,
      text: paint.yellow(`  ~ ${toPrintable(path)}`),
      note: `${formatBytes(from.size)} → ${formatBytes(to.size)}`,
    })),
  ];
  return lines
    .sort((left, right) => (left.path < right.path ? -1 : 1))
    .map(({ text, note }) => `${text} ${paint.dim(note)}`);
}

/** Formats a change of usage with signs. */
export function formatUsageChange({ steps, inputTokens, outputTokens, costMicroUsd }: UsageChange): string {
  const withSign = (value: number, format: (value: number) => string): string =>
    `${value < 0 ? '-' : '+'}${format(Math.abs(value))}`;
  return [
    `${withSign(steps, String)} ${Math.abs(steps) === 1 ? 'step' : 'steps'}`,
    `${withSign(inputTokens, formatCount)} tokens in`,
    `${withSign(outputTokens, formatCount)} out`,
    withSign(costMicroUsd, formatUsd),
  ].join('  ');
}

/** Colours the lines of a unified diff. */
function renderPatch(patch: string, paint: Paint): string[] {
  return patch
    .trimEnd()
    .split('\n')
    .map((line) => {
      const text = toPrintable(line);
      if (line.startsWith('+++') || line.startsWith('---')) return paint.bold(text);
      if (line.startsWith('@@')) return paint.cyan(text);
      if (line.startsWith('+')) return paint.green(text);
      return line.startsWith('-') ? paint.red(text) : text;
    });
}

const omissionReasons: Readonly<Record<string, string>> = {
  'too-large': 'too large to show',
  'not-text': 'not a text file',
  'too-different': 'too different for a diff',
  'too-many': 'not shown: too many files changed',
};

/** Renders all differences of a job between two positions. */
export function renderDiff(diff: JobDiffResponse, paint: Paint): string[] {
  const { from, to, phases, todos, files, usageChange, patches } = diff;
  const formatPoint = ({ position, status, phase }: JobDiffResponse['from']): string =>
    `${position} (${status}${phase === undefined ? '' : `, phase ${phase}`})`;
  const row = (name: string, value: string): string => `${paint.dim(name.padEnd(9))} ${value}`;
  const lines = [
    row('job', diff.jobId),
    row('from', formatPoint(from)),
    row('to', formatPoint(to)),
    row('spent', formatUsageChange(usageChange)),
  ];
  if (phases.length > 0) {
    lines.push('', paint.bold('phases'));
    for (const { phase, kind, name, from: before, to: after } of phases)
      lines.push(
        `  ${phase} ${toPrintable(kind)} ${toPrintable(name)} ${paint.dim(`${before ?? 'not started'} → ${after}`)}`,
      );
  }
  if (todos.length > 0) {
    lines.push('', paint.bold('todos'));
    for (const todo of todos) {
      const mark = todo.to === 'done' ? paint.green('✓') : paint.dim(todo.from === undefined ? '+' : '·');
      const note = todo.note === undefined ? '' : paint.dim(` (${toPrintable(todo.note)})`);
      lines.push(`  ${mark} ${todo.phase}.${todo.id} ${toPrintable(todo.content)}${note}`);
    }
  }
  const changes = renderFileChanges(files, paint);
  lines.push('', paint.bold('files'), ...(changes.length > 0 ? changes : [paint.dim('  none changed')]));
  for (const { path, patch, omittedBecause } of patches ?? []) {
    lines.push('');
    if (patch === undefined)
      lines.push(paint.dim(`${toPrintable(path)}: ${omissionReasons[omittedBecause ?? ''] ?? 'not shown'}`));
    else lines.push(...renderPatch(patch, paint));
  }
  return lines;
}
