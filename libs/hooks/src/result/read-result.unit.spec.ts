import type { HookPoint } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { pointRules } from '../protocol/hook-event.js';
import type { OnFailure } from '../settings/hook-handler.js';
import { readHookResult, type HookOutcome } from './read-result.js';

type Expected = Partial<HookOutcome>;
interface Case {
  readonly name: string;
  readonly point: HookPoint;
  readonly exit?: number;
  readonly stdout?: string | object;
  readonly stderr?: string;
  /** With `onFailure: continue`, as the protocol says. */
  readonly protocol: Expected;
  /** With our default, where it differs. */
  readonly ours?: Expected;
}

const NONE: Expected = { decision: 'none' };
const failed = (code: string): Expected => ({ decision: 'none', failure: expect.objectContaining({ code }) });
const denied = (code: string): Expected => ({
  decision: 'deny',
  reason: expect.stringMatching(/^The guard failed, and nothing is allowed then: /),
  failure: expect.objectContaining({ code }),
});
const specific = (hookEventName: HookPoint, members: object): object => ({
  hookSpecificOutput: { hookEventName, ...members },
});
const permission = (permissionDecision: string, more: object = {}): object =>
  specific('PreToolUse', { permissionDecision, permissionDecisionReason: 'because', ...more });

function read(
  { point, exit = 0, stdout = '', stderr = '' }: Omit<Case, 'name' | 'protocol'>,
  onFailure: OnFailure,
): HookOutcome {
  const text = typeof stdout === 'string' ? stdout : JSON.stringify(stdout);
  return readHookResult({ point, onFailure }, { kind: 'exited', exitCode: exit, stdout: text, stderr });
}

function check(title: string, cases: readonly Case[]): void {
  describe(title, () => {
    describe.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
      it('with onFailure continue', () => {
        expect(read(one, 'continue')).toEqual({ context: [], ...one.protocol });
      });
      it('with the default', () => {
        expect(read(one, 'deny')).toEqual({ context: [], ...(one.ours ?? one.protocol) });
      });
    });
  });
}

check('reading the result', [
  {
    name: '1: JSON after spaces is parsed',
    point: 'PreToolUse',
    stdout: `\n  ${JSON.stringify(permission('deny'))}`,
    protocol: { decision: 'deny', reason: 'because' },
  },
  {
    name: '1: text before JSON makes it text',
    point: 'PreToolUse',
    stdout: `log\n${JSON.stringify(permission('deny'))}`,
    protocol: NONE,
  },
  {
    name: '1: JSON that is not valid is text',
    point: 'PreToolUse',
    stdout: '{"permissionDecision": ',
    protocol: failed('hook_answer_invalid'),
    ours: denied('hook_answer_invalid'),
  },
  {
    name: '1: JSON that is not valid is context where text is',
    point: 'UserPromptSubmit',
    stdout: '{not json',
    protocol: { ...failed('hook_answer_invalid'), context: ['{not json'] },
    ours: denied('hook_answer_invalid'),
  },
  {
    name: '1: JSON is read at exit code 1',
    point: 'PreToolUse',
    exit: 1,
    stdout: permission('deny'),
    protocol: { decision: 'deny', reason: 'because' },
  },
  {
    name: '1: JSON is read at exit code 127',
    point: 'PreToolUse',
    exit: 127,
    stdout: permission('ask'),
    protocol: { decision: 'ask', reason: 'because' },
  },
  {
    name: '2: exit code 2 blocks against an allow',
    point: 'PreToolUse',
    exit: 2,
    stdout: permission('allow'),
    stderr: 'no',
    protocol: { decision: 'deny', reason: 'no' },
  },
  {
    name: '2: exit code 2 does not amend',
    point: 'PreToolUse',
    exit: 2,
    stdout: permission('allow', { updatedInput: { a: 1 } }),
    stderr: 'no',
    protocol: { decision: 'deny', reason: 'no' },
  },
  {
    name: '2: the reason of the JSON comes first',
    point: 'PreToolUse',
    exit: 2,
    stdout: permission('deny'),
    stderr: 'no',
    protocol: { decision: 'deny', reason: 'because' },
  },
  {
    name: '2: the reason of a block at the top level comes first',
    point: 'Stop',
    exit: 2,
    stdout: { decision: 'block', reason: 'tests' },
    stderr: 'no',
    protocol: { decision: 'deny', reason: 'tests' },
  },
  {
    name: '2: JSON of another shape still blocks',
    point: 'PreToolUse',
    exit: 2,
    stdout: { hookSpecificOutput: { permissionDecision: 'allow' } },
    stderr: 'no',
    protocol: { decision: 'deny', reason: 'no' },
  },
  {
    name: '2: without any reason',
    point: 'Stop',
    exit: 2,
    protocol: { decision: 'deny', reason: 'The guard gave no reason.' },
  },
  {
    name: '3: another code with valid JSON is ignored',
    point: 'PreToolUse',
    exit: 3,
    stdout: permission('allow'),
    stderr: 'warning',
    protocol: { decision: 'allow', reason: 'because' },
  },
  {
    name: '3: another code with JSON of another shape',
    point: 'PreToolUse',
    exit: 3,
    stdout: permission('perhaps'),
    protocol: failed('hook_answer_invalid'),
    ours: denied('hook_answer_invalid'),
  },
  {
    name: '3: exit code 0 with JSON of another shape',
    point: 'PreToolUse',
    stdout: permission('perhaps'),
    protocol: failed('hook_answer_invalid'),
    ours: denied('hook_answer_invalid'),
  },
  {
    name: '3: an answer to another event',
    point: 'PreToolUse',
    stdout: specific('PostToolUse', {}),
    protocol: failed('hook_answer_invalid'),
    ours: denied('hook_answer_invalid'),
  },
  {
    name: '4: exit code 1 without JSON',
    point: 'PreToolUse',
    exit: 1,
    stderr: 'Traceback',
    protocol: { ...failed('hook_exit_code'), message: 'Traceback' },
    ours: { ...denied('hook_exit_code'), message: 'Traceback' },
  },
  {
    name: '4: exit code 127 without JSON',
    point: 'Stop',
    exit: 127,
    stdout: 'text',
    protocol: failed('hook_exit_code'),
    ours: denied('hook_exit_code'),
  },
  {
    name: '4: at a point where nothing can be denied',
    point: 'PostToolUse',
    exit: 1,
    protocol: failed('hook_exit_code'),
  },
  {
    name: '6: text is context at UserPromptSubmit',
    point: 'UserPromptSubmit',
    stdout: ' remember \n',
    protocol: { ...NONE, context: ['remember'] },
  },
  {
    name: '6: text is context at SessionStart',
    point: 'SessionStart',
    stdout: 'remember',
    protocol: { ...NONE, context: ['remember'] },
  },
  { name: '6: text is nothing at PreToolUse', point: 'PreToolUse', stdout: 'remember', protocol: NONE },
  { name: '6: text is nothing at Stop', point: 'Stop', stdout: 'remember', protocol: NONE },
]);

describe('reading the result, 5: a process that did not end by itself', () => {
  const end = {
    kind: 'failed',
    failure: { code: 'hook_limit_exceeded', message: 'it exceeded its time limit' },
  } as const;
  it('with onFailure continue proceeds without a decision', () => {
    expect(readHookResult({ point: 'PreToolUse', onFailure: 'continue' }, end)).toEqual({
      context: [],
      ...failed('hook_limit_exceeded'),
    });
  });
  it('with the default denies', () => {
    expect(readHookResult({ point: 'PreToolUse', onFailure: 'deny' }, end)).toEqual({
      context: [],
      ...denied('hook_limit_exceeded'),
    });
  });
  it.each(['SessionStart', 'SessionEnd', 'PostToolUse', 'PostToolUseFailure', 'Notification'] as const)(
    'is recorded at %s, where nothing can be denied',
    (point) => {
      expect(readHookResult({ point, onFailure: 'deny' }, end)).toEqual({
        context: [],
        ...failed('hook_limit_exceeded'),
      });
    },
  );
});

const exit2: Readonly<Record<HookPoint, Expected>> = {
  PreToolUse: { decision: 'deny', reason: 'told' },
  UserPromptSubmit: { decision: 'deny', reason: 'told' },
  Stop: { decision: 'deny', reason: 'told' },
  SubagentStop: { decision: 'deny', reason: 'told' },
  TaskCompleted: { decision: 'deny', reason: 'told' },
  PreCompact: { decision: 'deny', reason: 'told' },
  PostToolUse: { ...NONE, context: ['told'] },
  PostToolUseFailure: { ...NONE, context: ['told'] },
  SessionStart: { ...NONE, message: 'told' },
  SessionEnd: { ...NONE, message: 'told' },
  Notification: NONE,
  PermissionRequest: NONE,
};
check(
  'exit code 2',
  (Object.keys(pointRules) as HookPoint[]).map((point) => ({
    name: point,
    point,
    exit: 2,
    stderr: 'told',
    protocol: exit2[point],
  })),
);

check('members of every answer', [
  {
    name: 'continue false denies a call',
    point: 'PreToolUse',
    stdout: { continue: false, stopReason: 'enough' },
    protocol: { decision: 'deny', reason: 'enough', stop: 'enough' },
  },
  {
    name: 'continue false wins over an allow',
    point: 'PreToolUse',
    stdout: { continue: false, ...permission('allow') },
    protocol: { decision: 'deny', reason: 'The guard stops the work.', stop: 'The guard stops the work.' },
  },
  {
    name: 'continue false wins over a block of the end',
    point: 'Stop',
    stdout: { continue: false, decision: 'block', reason: 'more' },
    protocol: { ...NONE, stop: 'The guard stops the work.' },
  },
  {
    name: 'continue false does not end what exit code 2 blocks',
    point: 'SubagentStop',
    exit: 2,
    stdout: { continue: false },
    stderr: 'no',
    protocol: { decision: 'deny', reason: 'no' },
  },
  {
    name: 'continue false refuses a todo',
    point: 'TaskCompleted',
    stdout: { continue: false, stopReason: 'enough' },
    protocol: { decision: 'deny', reason: 'enough', stop: 'enough' },
  },
  {
    name: 'systemMessage is for people',
    point: 'PreToolUse',
    stdout: { systemMessage: 'hello' },
    protocol: { ...NONE, message: 'hello' },
  },
  { name: 'suppressOutput has no effect', point: 'PreToolUse', stdout: { suppressOutput: true }, protocol: NONE },
  { name: 'async observes', point: 'PreToolUse', stdout: { async: true, ...permission('deny') }, protocol: NONE },
  {
    name: 'async in the first line observes, whatever follows',
    point: 'PreToolUse',
    exit: 2,
    stdout: `{"async": true, "asyncTimeout": 1000}\n${JSON.stringify(permission('deny'))}`,
    stderr: 'no',
    protocol: NONE,
  },
  { name: 'unknown members are ignored', point: 'PreToolUse', stdout: { future: 1 }, protocol: NONE },
]);

check('PreToolUse', [
  {
    name: 'allow',
    point: 'PreToolUse',
    stdout: permission('allow'),
    protocol: { decision: 'allow', reason: 'because' },
  },
  { name: 'deny', point: 'PreToolUse', stdout: permission('deny'), protocol: { decision: 'deny', reason: 'because' } },
  { name: 'ask', point: 'PreToolUse', stdout: permission('ask'), protocol: { decision: 'ask', reason: 'because' } },
  {
    name: 'defer asks',
    point: 'PreToolUse',
    stdout: permission('defer'),
    protocol: { decision: 'ask', reason: 'because' },
  },
  {
    name: 'updatedInput',
    point: 'PreToolUse',
    stdout: permission('allow', { updatedInput: { a: 1 } }),
    protocol: { decision: 'allow', reason: 'because', updatedInput: { a: 1 } },
  },
  {
    name: 'updatedInput of a call that is asked about',
    point: 'PreToolUse',
    stdout: permission('ask', { updatedInput: { a: 1 } }),
    protocol: { decision: 'ask', reason: 'because', updatedInput: { a: 1 } },
  },
  {
    name: 'updatedInput without a decision',
    point: 'PreToolUse',
    stdout: specific('PreToolUse', { updatedInput: { a: 1 } }),
    protocol: { ...NONE, updatedInput: { a: 1 } },
  },
  {
    name: 'updatedInput that is no object',
    point: 'PreToolUse',
    stdout: permission('allow', { updatedInput: 'x' }),
    protocol: failed('hook_answer_invalid'),
    ours: denied('hook_answer_invalid'),
  },
  {
    name: 'additionalContext',
    point: 'PreToolUse',
    stdout: specific('PreToolUse', { additionalContext: 'note' }),
    protocol: { ...NONE, context: ['note'] },
  },
  {
    name: 'approve at the top level',
    point: 'PreToolUse',
    stdout: { decision: 'approve', reason: 'fine' },
    protocol: { decision: 'allow', reason: 'fine' },
  },
  {
    name: 'block at the top level',
    point: 'PreToolUse',
    stdout: { decision: 'block', reason: 'no' },
    protocol: { decision: 'deny', reason: 'no' },
  },
]);

check('PermissionRequest', [
  {
    name: 'allow',
    point: 'PermissionRequest',
    stdout: specific('PermissionRequest', { decision: { behavior: 'allow' } }),
    protocol: { decision: 'allow' },
  },
  {
    name: 'allow with another input',
    point: 'PermissionRequest',
    stdout: specific('PermissionRequest', {
      decision: { behavior: 'allow', updatedInput: { a: 1 }, updatedPermissions: [] },
    }),
    protocol: { decision: 'allow', updatedInput: { a: 1 } },
  },
  {
    name: 'deny',
    point: 'PermissionRequest',
    stdout: specific('PermissionRequest', { decision: { behavior: 'deny', message: 'no' } }),
    protocol: { decision: 'deny', reason: 'no' },
  },
  {
    name: 'deny and interrupt',
    point: 'PermissionRequest',
    stdout: specific('PermissionRequest', { decision: { behavior: 'deny', message: 'no', interrupt: true } }),
    protocol: { decision: 'deny', reason: 'no', stop: 'no' },
  },
  {
    name: 'a behavior that does not exist',
    point: 'PermissionRequest',
    stdout: specific('PermissionRequest', { decision: { behavior: 'maybe' } }),
    protocol: failed('hook_answer_invalid'),
    ours: denied('hook_answer_invalid'),
  },
]);

check('after a call', [
  {
    name: 'additionalContext',
    point: 'PostToolUse',
    stdout: specific('PostToolUse', { additionalContext: 'note' }),
    protocol: { ...NONE, context: ['note'] },
  },
  {
    name: 'updatedToolOutput',
    point: 'PostToolUse',
    stdout: specific('PostToolUse', { updatedToolOutput: { stdout: 'x' } }),
    protocol: { ...NONE, updatedOutput: { stdout: 'x' } },
  },
  {
    name: 'updatedMCPToolOutput',
    point: 'PostToolUse',
    stdout: specific('PostToolUse', { updatedMCPToolOutput: 'x' }),
    protocol: { ...NONE, updatedOutput: 'x' },
  },
  {
    name: 'classifierContext has no effect',
    point: 'PostToolUse',
    stdout: specific('PostToolUse', { classifierContext: 'x' }),
    protocol: NONE,
  },
  {
    name: 'classifierContext that is too long',
    point: 'PostToolUse',
    stdout: specific('PostToolUse', { classifierContext: 'x'.repeat(2_001) }),
    protocol: failed('hook_answer_invalid'),
  },
  {
    name: 'block gives the reason to the model',
    point: 'PostToolUse',
    stdout: { decision: 'block', reason: 'lint' },
    protocol: { ...NONE, context: ['lint'] },
  },
  {
    name: 'block after a failure',
    point: 'PostToolUseFailure',
    stdout: { decision: 'block', reason: 'lint' },
    protocol: { ...NONE, context: ['lint'] },
  },
  {
    name: 'additionalContext after a failure',
    point: 'PostToolUseFailure',
    stdout: specific('PostToolUseFailure', { additionalContext: 'note' }),
    protocol: { ...NONE, context: ['note'] },
  },
]);

const blocks = (point: HookPoint): Case => ({
  name: `block at ${point}`,
  point,
  stdout: { decision: 'block', reason: 'no' },
  protocol: { decision: 'deny', reason: 'no' },
});
const adds = (point: HookPoint): Case => ({
  name: `additionalContext at ${point}`,
  point,
  stdout: specific(point, { additionalContext: 'note' }),
  protocol: { ...NONE, context: ['note'] },
});
check('the other hook points', [
  ...(['UserPromptSubmit', 'Stop', 'SubagentStop', 'PreCompact'] as const).map(blocks),
  ...(['UserPromptSubmit', 'SessionStart', 'Stop', 'SubagentStop', 'Notification'] as const).map(adds),
  {
    name: 'block of document 003 at SubagentStop',
    point: 'SubagentStop',
    stdout: specific('SubagentStop', { decision: 'block', reason: 'no test' }),
    protocol: { decision: 'deny', reason: 'no test' },
  },
  {
    name: 'block of document 003 at Stop',
    point: 'Stop',
    stdout: specific('Stop', { decision: 'block' }),
    protocol: { decision: 'deny', reason: 'The guard gave no reason.' },
  },
  {
    name: 'a decision of document 003 that does not exist',
    point: 'Stop',
    stdout: specific('Stop', { decision: 'allow' }),
    protocol: failed('hook_answer_invalid'),
    ours: denied('hook_answer_invalid'),
  },
  {
    name: 'block at TaskCompleted is not declared',
    point: 'TaskCompleted',
    stdout: { decision: 'block', reason: 'no' },
    protocol: NONE,
  },
  {
    name: 'block inside the output of UserPromptSubmit is not declared',
    point: 'UserPromptSubmit',
    stdout: specific('UserPromptSubmit', { decision: 'block' }),
    protocol: NONE,
  },
  {
    name: 'members that have no effect at SessionStart',
    point: 'SessionStart',
    stdout: specific('SessionStart', { initialUserMessage: 'x', watchPaths: [], reloadSkills: true }),
    protocol: NONE,
  },
  {
    name: 'an answer at SessionEnd has no effect',
    point: 'SessionEnd',
    stdout: { decision: 'block', reason: 'no' },
    protocol: NONE,
  },
]);

describe('an asynchronous hook', () => {
  it('only observes, also when it blocks or fails', () => {
    const terms = { point: 'PreToolUse', onFailure: 'deny', observes: true } as const;
    for (const exitCode of [0, 1, 2])
      expect(readHookResult(terms, { kind: 'exited', exitCode, stdout: '', stderr: 'no' })).toEqual({
        decision: 'none',
        context: [],
      });
  });
});
