import type { JobState, Usage, WorkspaceFile } from '@phaseline/client';
import { callSubject } from '../event/call-subject.js';
import { count, list, part, text, type Data } from '../event/event-data.js';
import { erasedText } from '../erase/render-erased.js';
import { renderFiles } from '../file/render-files.js';
import type { Paint } from '../output/paint.js';
import { printable } from '../output/printable.js';
import { counted } from '../output/quantities.js';
import { statusPaint, usageText } from '../progress/render-progress.js';

/** Renders the state of a job as of a position: status, todos, open calls, spending, files. */
export function renderState(state: JobState, files: readonly WorkspaceFile[], paint: Paint): string[] {
  const { job } = state;
  const row = (name: string, value: string): string => `${paint.dim(name.padEnd(9))} ${value}`;
  const status = text(job, 'status') ?? 'unknown';
  const agent = part(part(job, 'submitted'), 'agent');
  const lines = [
    row('job', state.jobId),
    row('position', String(state.position)),
    row('agent', printable(text(agent, 'displayName') ?? text(agent, 'name') ?? '')),
    row('status', statusPaint(status, paint)(status)),
    row('phases', String(count(job, 'phases') ?? 0)),
    row('used', usageText({ usage: spendingOf(state), estimated: false })),
  ];
  const erased = part(job, 'erased');
  if (text(erased, 'at') !== undefined)
    lines.push(
      row(
        'erased',
        paint.yellow(
          erasedText({
            at: text(erased, 'at')!,
            actor: text(erased, 'actor') ?? '?',
            reason: text(erased, 'reason') ?? '',
          }),
        ),
      ),
    );
  const failure = part(job, 'failure');
  if (text(failure, 'message') !== undefined)
    lines.push(
      row('reason', paint.red(`${printable(text(failure, 'message')!)} (${printable(text(failure, 'code') ?? '?')})`)),
    );
  const summary = text(part(job, 'completion'), 'summary');
  if (summary !== undefined) lines.push(row('result', printable(summary)));
  if (state.phase) lines.push('', ...renderPhase(state.phase, paint));
  lines.push('', paint.bold(counted(files.length, 'file')));
  return files.length > 0 ? [...lines, ...renderFiles(files, { paint })] : lines;
}

/** Sums the usage of all ended phases and of the running one, if any. */
export function spendingOf({ job, phase }: Pick<JobState, 'job' | 'phase'>): Usage {
  const ended = part(job, 'spending');
  const running = phase && job['active'] !== undefined && job['active'] !== null ? part(phase, 'spending') : {};
  const sum = (key: string): number => (count(ended, key) ?? 0) + (count(running, key) ?? 0);
  return {
    inputTokens: sum('inputTokens'),
    cachedInputTokens: sum('cachedInputTokens'),
    outputTokens: sum('outputTokens'),
    costMicroUsd: sum('costMicroUsd'),
    steps: sum('steps'),
  };
}

function renderPhase(phase: Data, paint: Paint): string[] {
  const start = part(phase, 'start');
  const end = text(part(phase, 'end'), 'kind');
  const title = `phase ${count(start, 'phase') ?? '?'} ${printable(text(start, 'kind') ?? '')}: ${printable(text(start, 'name') ?? '')}`;
  const lines = [`${paint.bold(title)} ${statusPaint(end ?? 'running', paint)(end ?? 'running')}`];
  for (const todo of list(phase, 'todos')) {
    const done = text(todo, 'status') === 'done';
    const note = text(todo, 'note');
    lines.push(
      `  ${done ? paint.green('✓') : paint.dim('·')} ${count(todo, 'id') ?? '?'}. ${printable(text(todo, 'content') ?? '')}${note ? paint.dim(` (${printable(note)})`) : ''}`,
    );
  }
  const calls = part(phase, 'calls');
  for (const callId of Object.keys(calls)) {
    const call = part(calls, callId);
    const status = text(call, 'status');
    if (status !== 'requested' && status !== 'started') continue;
    lines.push(
      `  ${paint.cyan('▶')} ${printable(text(call, 'name') ?? '?')} ${printable(callSubject(part(call, 'arguments')))} ${paint.dim(status)}`,
    );
  }
  if (Object.keys(part(phase, 'openModelCall')).length > 0) lines.push(`  ${paint.cyan('▶')} model call in progress`);
  return lines;
}
