import {
  readCount,
  readList,
  readObject,
  readString,
  summariseCall,
  type JobStateResponse,
  type UntypedData,
} from '@phaseline/client';
import { formatErasure } from '../erase/render-erased.js';
import { renderFiles } from '../file/render-files.js';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';
import { getStatusPaint, formatUsage } from '../progress/render-progress.js';

/** Renders the state of a job as of a position: status, todos, open calls, spending, files. */
export function renderState(state: JobStateResponse, paint: Paint): string[] {
  const { job, files, usage } = state;
  const row = (name: string, value: string): string => `${paint.dim(name.padEnd(9))} ${value}`;
  const status = readString(job, 'status') ?? 'unknown';
  const agent = readObject(readObject(job, 'submitted'), 'agent');
  const lines = [
    row('job', state.jobId),
    row('position', String(state.position)),
    row('agent', toPrintable(readString(agent, 'displayName') ?? readString(agent, 'name') ?? '')),
    row('status', getStatusPaint(status, paint)(status)),
    row('phases', String(readCount(job, 'phases') ?? 0)),
    row('used', formatUsage({ usage, isEstimated: false })),
  ];
  const erased = readObject(job, 'erased');
  if (readString(erased, 'erasedAt') !== undefined)
    lines.push(
      row(
        'erased',
        paint.yellow(
          formatErasure({
            erasedAt: readString(erased, 'erasedAt')!,
            actor: readString(erased, 'actor') ?? '?',
            reason: readString(erased, 'reason') ?? '',
          }),
        ),
      ),
    );
  const failure = readObject(job, 'failure');
  if (readString(failure, 'message') !== undefined)
    lines.push(
      row(
        'reason',
        paint.red(
          `${toPrintable(readString(failure, 'message')!)} (${toPrintable(readString(failure, 'code') ?? '?')})`,
        ),
      ),
    );
  const summary = readString(readObject(job, 'completion'), 'summary');
  if (summary !== undefined) lines.push(row('result', toPrintable(summary)));
  if (state.phase) lines.push('', ...renderPhase(state.phase, paint));
  lines.push('', paint.bold(pluralise(files.length, 'file')));
  return files.length > 0 ? [...lines, ...renderFiles(files, { paint })] : lines;
}

function renderPhase(phase: UntypedData, paint: Paint): string[] {
  const identity = readObject(readObject(phase, 'start'), 'identity');
  const end = readString(readObject(phase, 'end'), 'kind');
  const title = `phase ${readCount(identity, 'phase') ?? '?'} ${toPrintable(readString(identity, 'kind') ?? '')}: ${toPrintable(readString(identity, 'name') ?? '')}`;
  const lines = [`${paint.bold(title)} ${getStatusPaint(end ?? 'running', paint)(end ?? 'running')}`];
  for (const todo of readList(readObject(phase, 'todos'), 'list')) {
    const done = readString(todo, 'status') === 'done';
    const note = readString(todo, 'note');
    const blocked = done ? undefined : readString(todo, 'blocked');
    const mark = done ? paint.green('✓') : blocked === undefined ? paint.dim('·') : paint.yellow('!');
    lines.push(
      `  ${mark} ${readCount(todo, 'id') ?? '?'}. ${toPrintable(readString(todo, 'content') ?? '')}${note ? paint.dim(` (${toPrintable(note)})`) : ''}${blocked === undefined ? '' : paint.yellow(` (blocked: ${toPrintable(blocked)})`)}`,
    );
  }
  const calls = readObject(readObject(phase, 'calls'), 'byId');
  for (const callId of Object.keys(calls)) {
    const call = readObject(calls, callId);
    const status = readString(call, 'status');
    if (status !== 'requested' && status !== 'started') continue;
    lines.push(
      `  ${paint.cyan('▶')} ${toPrintable(readString(call, 'name') ?? '?')} ${toPrintable(summariseCall(readObject(call, 'arguments')))} ${paint.dim(status)}`,
    );
  }
  if (Object.keys(readObject(readObject(phase, 'modelCall'), 'open')).length > 0)
    lines.push(`  ${paint.cyan('▶')} model call in progress`);
  return lines;
}
