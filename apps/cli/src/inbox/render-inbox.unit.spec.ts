import type { InboxItem } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import { createPaint } from '../output/paint.js';
import { renderInbox } from './render-inbox.js';

const base = {
  jobId: '01890000-0000-7000-8000-000000000001',
  tenant: 'acme',
  agent: 'writer',
  phase: 2,
  callId: 'call_2_1_1',
  position: 7,
  askedAt: '2030-01-01T00:00:00.000Z',
  deadlineAt: '2030-01-01T08:00:00.000Z',
} as const;
const render = (item: Partial<InboxItem> & { kind: string }, at = '2030-01-01T02:00:00.000Z') =>
  renderInbox([{ ...base, ...item }], Date.parse(at), createPaint(false)).join('\n');

describe('the inbox', () => {
  it('shows a question with its options, default, age and deadline, and the command that answers it', () => {
    const text = render({
      kind: 'question',
      question: { text: 'Which colour?', options: ['red', 'green'], default: 'red', questionHash: 'a' },
    });
    expect(text).toContain('waits for 2 h, ends in 6 h');
    expect(text).toContain('  Which colour?\n  - red\n  - green\n  without an answer: red');
    expect(text).toContain(`phaseline answer ${base.jobId} call_2_1_1`);
  });

  it('shows an approval as a diff, or its arguments when there is none', () => {
    const approval = { tool: 'write_file', arguments: { path: 'a.md' }, argumentsHash: 'a' };
    expect(
      render({ kind: 'approval', approval: { ...approval, change: { path: 'a.md', patch: '-old\n+new\n' } } }),
    ).toContain('  write_file a.md\n  -old\n  +new\n');
    expect(render({ kind: 'approval', approval })).toContain('"path": "a.md"');
  });

  it('shows a blocked todo with its reason, and a blocked job with its items and the command that retries it', () => {
    const { callId: _callId, deadlineAt: _deadlineAt, ...blocked } = base;
    const at = Date.parse('2030-01-01T02:00:00.000Z');
    const todo = { id: 3, content: 'Read the archive.', reason: 'No access.' };
    const failure = {
      code: 'features_blocked',
      message: 'Two features are blocked.',
      items: [{ id: 'F1', reason: 'no login' }, { reason: 'no page' }],
    };
    const items = [
      { ...blocked, kind: 'blocked-todo', todo },
      { ...blocked, kind: 'blocked-job', blocked: failure },
    ];
    expect(renderInbox(items, at, createPaint(false))).toEqual([
      `blocked-todo of writer, job ${base.jobId} waits for 2 h`,
      '  todo 3: Read the archive.',
      '  blocked: No access.',
      `  phaseline steer ${base.jobId} …    tells the agent what has changed`,
      '',
      `blocked-job of writer, job ${base.jobId} waits for 2 h`,
      '  Two features are blocked. (features_blocked)',
      '  - F1: no login',
      '  - no page',
      `  phaseline retry ${base.jobId}`,
    ]);
  });

  it('removes escape codes that a model wrote', () => {
    const text = render({ kind: 'question', question: { text: 'a\u001b[2Jb', questionHash: 'a' } });
    expect(text).not.toContain('\u001b');
  });

  it('shows a kind of a newer server, and a job that cannot be read', () => {
    expect(render({ kind: 'todo' })).toContain('todo call_2_1_1');
    expect(render({ kind: 'question', unreadableReason: 'its key was erased' })).toContain('its key was erased');
  });
});
