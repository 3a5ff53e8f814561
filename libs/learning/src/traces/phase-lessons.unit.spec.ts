import { buildPhaseStart } from '@phaseline/domain/testing';
import type { CallId } from '@phaseline/contracts';
import type { PhaseEvent } from '@phaseline/domain';
import { expect, it } from 'vitest';
import type { Lesson } from './learning-trace.js';
import { PhaseLessons } from './phase-lessons.js';

const HASH = 'a'.repeat(64);
const callId = 'c1' as CallId;
const todos = [
  { id: 1, content: 'Write the page', status: 'open' as const },
  { id: 2, content: 'Test the page', status: 'open' as const },
];
const start = buildPhaseStart({
  identity: { agent: { name: 'coding-agent', displayName: 'Coder', description: '' } },
  plan: { todos },
});
const spent = { usage: { inputTokens: 1, outputTokens: 1 }, costMicroUsd: 0, durationMs: 1 };

function answerWith(name: string, args: Record<string, string>): PhaseEvent {
  return {
    type: 'ModelResponded',
    data: { step: 1, model: 'm', content: '', calls: [{ callId, name, arguments: args }], end: 'calls', ...spent },
  } as PhaseEvent;
}

function request(
  type: 'ToolCallRequested' | 'ApprovalRequested',
  name: string,
  args: Record<string, unknown>,
): PhaseEvent {
  const call = { callId, step: 1, name, arguments: args, lane: 'remote', effect: 'once', traits: [], timeoutMs: 1 };
  return {
    type,
    data: type === 'ToolCallRequested' ? call : { ...call, expiresAt: '2030-01-01T00:00:00Z' },
  } as PhaseEvent;
}

const denyingGuard = (changes: object = {}): PhaseEvent => ({
  type: 'GuardDecided',
  data: {
    point: 'PreToolUse',
    callId,
    guard: { name: 'block-tested-true', version: HASH, scope: 'agent', kind: 'rule', stage: 'production', ...changes },
    decision: 'deny',
    reason: 'only accepted claims change it',
  },
});

const denied = (code: 'guard_denied' | 'bad_arguments', name: string): PhaseEvent => ({
  type: 'ToolCallDenied',
  data: { callId, step: 1, name, code, message: 'Let the tester run the checks.' },
});

const refuse = (check: object, found: string): PhaseEvent =>
  ({
    type: 'ClaimRefused',
    data: {
      subject: { kind: 'todo', todoId: 1 },
      failures: [{ check, expected: 'rows', found }],
      message: 'No.',
      inARow: 1,
    },
  }) as PhaseEvent;

const complete = (result: object): PhaseEvent =>
  ({ type: 'ToolCallCompleted', data: { callId, content: '', result, attempts: 1, durationMs: 1 } }) as PhaseEvent;

/** The lessons of a phase of the coding-agent with these events. */
function learn(...events: readonly PhaseEvent[]): readonly Lesson[] {
  const lessons = new PhaseLessons('lead');
  return [start, ...events].flatMap((event) => lessons.apply(event) ?? []);
}

it('a denied call is a violation with its guard, its arguments and what the agent was told', () => {
  const call = answerWith('edit_file', { path: 'feature-list.json', new_text: '"tested":  true' });
  expect(learn(call, denyingGuard(), denied('guard_denied', 'edit_file'))).toEqual([
    {
      type: 'violation',
      source: 'enforcement_hook',
      action: 'mark_tested_true',
      reason: 'guard_denied',
      context: { agent: 'coding-agent', todo: 1, task: 'Write the page' },
      event: {
        happened: 'Called edit_file (path: feature-list.json, new_text: "tested": true)',
        correct: 'Let the tester run the checks.',
        why: 'The guard block-tested-true denied it: only accepted claims change it',
      },
    },
  ]);
});

it('a guard in shadow did not deny the call', () => {
  const [lesson] = learn(
    answerWith('write_file', { path: 'a' }),
    denyingGuard({ stage: 'shadow' }),
    denied('bad_arguments', 'write_file'),
  );
  expect(lesson).toMatchObject({
    action: 'write_file',
    reason: 'bad_arguments',
    event: { why: 'Denied: bad_arguments' },
  });
});

it.each([
  ['a check', { file: {} }, 'absent', 'check_failed'],
  ['a verifier', { verifier: 'api' }, 'test 1 failed', 'verifier_failed'],
  ['a verifier that saw no data', { verifier: 'api' }, 'GET /orders: empty body', 'empty_data'],
  ['a judge', { judge: 'diff-review' }, 'silenced a rule', 'judge_objected'],
  ['a guard', { guard: 'g' }, 'not yet', 'guard_denied'],
])('a claim that %s refused is a violation', (_, check, found, reason) => {
  expect(learn(refuse(check, found))).toMatchObject([
    {
      type: 'violation',
      source: 'enforcement_hook',
      action: 'complete_todo',
      reason,
      event: { correct: 'rows', why: 'No.' },
    },
  ]);
});

it('a rejected end of a phase is one lesson, whether a claim was refused before it or not', () => {
  const rejected = { gate: 'checks', outcome: 'done', message: 'Not yet.' } as const;
  expect(learn({ type: 'TransitionRejected', data: { ...rejected, refusedAt: 7 } })).toEqual([]);
  expect(learn({ type: 'TransitionRejected', data: rejected })).toMatchObject([
    { type: 'violation', action: 'end_phase', reason: 'gate_rejected' },
  ]);
});

it('a failed verifier is a violation; a passed one, and other tools with such a result, teach nothing', () => {
  const ran = request('ToolCallRequested', 'run_verifier', { name: 'unit' });
  expect(learn(ran, complete({ outcome: 'failed', reason: '2 of 9 tests failed' }))).toMatchObject([
    {
      ...{ type: 'violation', source: 'auto_detected', action: 'run_verifier', reason: 'verifier_failed' },
      event: { happened: 'The verifier unit ended as failed', why: '2 of 9 tests failed' },
    },
  ]);
  expect(learn(ran, complete({ outcome: 'passed', reason: '' }))).toEqual([]);
  expect(learn(request('ToolCallRequested', 'mcp_x', {}), complete({ outcome: 'failed', reason: 'x' }))).toEqual([]);
});

it('what an agent stores is a lesson, but never what a guard or a person did', () => {
  const note = { type: 'approval', happened: 'It works', source: 'user_correction', action: 'run_command' };
  expect(learn(request('ToolCallRequested', 'store_trace', note), complete({ stored: true }))).toMatchObject([
    {
      type: 'approval',
      source: 'auto_detected',
      action: 'run_command',
      reason: 'other',
      event: { happened: 'It works' },
    },
  ]);
  expect(learn(request('ToolCallRequested', 'mcp_x', note), complete({ stored: true }))).toEqual([]);
});

it.each([
  [
    'refuses a call',
    { type: 'ApprovalRefused', data: { callId, actor: 'ada', reason: 'too broad' } },
    { type: 'violation', source: 'user_correction', reason: 'person_refused', event: { why: 'too broad' } },
  ],
  [
    'did not decide in time',
    { type: 'ApprovalRefused', data: { callId, actor: 'timer', reason: 'expired' } },
    { type: 'violation', source: 'auto_detected', reason: 'approval_expired' },
  ],
  [
    'amends a call',
    {
      type: 'ToolCallAmended',
      data: {
        callId,
        actor: 'ada',
        arguments: { program: 'ls' },
        argumentsHash: HASH,
        previousArgumentsHash: HASH,
        isValidated: true,
      },
    },
    {
      type: 'violation',
      source: 'user_correction',
      reason: 'person_amended',
      event: { correct: 'Call run_command (program: ls)' },
    },
  ],
  [
    'grants a call',
    { type: 'ApprovalGranted', data: { callId, actor: 'ada', reason: 'once' } },
    { type: 'approval', source: 'user_correction', reason: 'person_approved', event: { why: 'once' } },
  ],
] as const)('a person who %s teaches', (_, event, lesson) => {
  const asked = request('ApprovalRequested', 'run_command', { program: 'rm' });
  expect(learn(asked, event as PhaseEvent)).toMatchObject([
    {
      action: 'run_command',
      ...lesson,
      event: { happened: 'Asked to call run_command (program: rm)', ...('event' in lesson ? lesson.event : {}) },
    },
  ]);
});

it.each([
  [['red', 'blue'], 'decision', 'person_chose'],
  [undefined, 'approval', 'person_answered'],
] as const)('an answer to a question with the options %s is of the type %s', (options, type, reason) => {
  const question = {
    callId,
    question: 'Which colour?',
    questionHash: HASH,
    askedAt: '2030-01-01T00:00:00Z',
    deadlineAt: '2030-01-01T00:00:00Z',
  };
  const asked = {
    type: 'QuestionAsked',
    data: { ...question, ...(options ? { options: [...options] } : {}) },
  } as PhaseEvent;
  const answered: PhaseEvent = {
    type: 'QuestionAnswered',
    data: { callId, actor: 'ada', answer: 'red', questionHash: HASH },
  };
  expect(learn(asked, answered)).toMatchObject([
    { type, reason, action: 'ask_question', event: { happened: 'Asked: Which colour?', correct: 'red' } },
  ]);
});

it('a stuck phase, a judgement and refused items teach', () => {
  const judged = { callId, name: 'diff-review', step: 1, model: 'm', reason: 'no tests', ...spent };
  expect(
    learn(
      {
        type: 'StuckDetected',
        data: {
          pattern: 'repeated_call',
          rung: 'advise',
          explanation: 'ls 5 times',
          steps: { from: 1, to: 5 },
          message: 'Stop.',
        },
      } as never,
      { type: 'JudgeEnded', data: { ...judged, verdict: 'objection' } } as never,
      { type: 'JudgeEnded', data: { ...judged, verdict: 'no-objection' } } as never,
      { type: 'ItemsRefused', data: { callId, problems: ['no checks'], count: 1 } },
    ),
  ).toMatchObject([
    { type: 'violation', action: 'repeat_steps', reason: 'stuck', event: { happened: 'ls 5 times', correct: 'Stop.' } },
    { type: 'decision', reason: 'judge_objected', event: { why: 'no tests' } },
    { type: 'decision', reason: 'judge_agreed' },
    { type: 'violation', action: 'hand_in_items', reason: 'list_refused', event: { why: 'no checks' } },
  ]);
});

it('a lesson names the todo that was current when it happened', () => {
  const done: PhaseEvent = { type: 'TodoCompleted', data: { todoId: 1, callId, evidence: [] } };
  const rejected: PhaseEvent = { type: 'TransitionRejected', data: { gate: 'checks', outcome: 'done', message: '' } };
  expect(learn(rejected, done, rejected).map(({ context }) => context.todo)).toEqual([1, 2]);
});

const reflect = (part: 'assumption' | 'prevention', text: string, refused?: string): PhaseEvent =>
  ({
    type: 'ReflectionRecorded',
    data: { part, text, ...(refused === undefined ? {} : { refused }), step: 1, model: 'm', ...spent },
  }) as PhaseEvent;

it('a reflection is a decision: the assumption that failed, and how to prevent it; a refused one teaches nothing', () => {
  const assumption = reflect('assumption', 'read_file shows all of orders.log.');
  const [lesson, ...others] = learn(assumption, reflect('prevention', 'Search orders.log by ranges.'));
  expect(others).toEqual([]);
  expect(lesson).toMatchObject({
    ...{ type: 'decision', source: 'auto_detected', action: 'reflect', reason: 'attempt_failed' },
    event: { happened: 'read_file shows all of orders.log.', correct: 'Search orders.log by ranges.' },
  });
  expect(learn(assumption, reflect('prevention', 'Be careful.', 'it names no call'))).toEqual([]);
});
