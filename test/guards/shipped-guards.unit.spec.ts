import { join } from 'node:path';
import type { JsonObject } from '@phaseline/basics';
import { loadGuards } from '@phaseline/definitions';
import { foldPhase, type Guard, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { buildPhaseStart } from '@phaseline/domain/testing';
import { decidePureGuards, type GuardEvent, type GuardOutcome } from '@phaseline/guards';

import { describe, expect, it } from 'vitest';

const guards = await loadGuards(join(import.meta.dirname, '../../guards'), 'system');

const LOG = Array.from({ length: 1_001 }, (_, index) => `line ${index}`).join('\n');
const TEXTS: Readonly<Record<string, string>> = { long: `${LOG}\n`, short: `${LOG.slice(LOG.indexOf('\n') + 1)}\n` };

function buildState(agent: string, events: readonly PhaseEvent[] = []): PhaseState {
  const entry = (hash: string) => ({ hash, size: 10_000, writtenAt: '2026-01-01T00:00:00.000Z' });
  const start = buildPhaseStart({
    identity: { agent: { name: agent, displayName: agent, description: '' } },
    workspace: { tree: { 'logs/server.log': entry('long'), 'short.log': entry('short') } },
  });
  return foldPhase([start, ...events])!;
}

function ask(state: PhaseState, event: GuardEvent, only: readonly Guard[] = guards): Promise<GuardOutcome> {
  return decidePureGuards(only, event, state, {
    readTexts: async (files) => new Map([...files.keys()].map((hash) => [hash, TEXTS[hash]!])),
    parseAmended: (args) => ({ arguments: args }),
  });
}

const call = (agent: string, tool: string, args: JsonObject): Promise<GuardOutcome> =>
  ask(buildState(agent), { point: 'PreToolUse', callId: 'c', tool, arguments: args });

/** The guard that denied, if one did. */
async function findDenier(outcome: Promise<GuardOutcome>): Promise<string | undefined> {
  const { merged } = await outcome;
  return merged.kind === 'deny' ? merged.by.name : undefined;
}

describe('the shipped guards', () => {
  it('are these five, for the feature loop, in production', () => {
    expect(guards.map(({ name, stage, workflows }) => [name, stage, workflows])).toEqual(
      [
        'block-direct-edit',
        'block-tested-true',
        'enforce-log-tool',
        'enforce-safe-paths',
        'force-tester-completion',
      ].map((name) => [name, 'production', ['feature-loop']]),
    );
  });

  it.each([
    ['write_file', { path: 'feature-list.json', content: '[{"id": 1, "tested": true}]' }, true],
    ['write_file', { path: './feature-list.json', content: '[{"tested"\n:\ttrue}]' }, true],
    ['append_file', { path: 'app/feature-list.json', content: '"tested":true' }, true],
    ['edit_file', { path: 'feature-list.json', old_text: 'false', new_text: 'true' }, true],
    ['write_file', { path: 'feature-list.json', content: '[{"id": 1, "tested": false}]' }, false],
    ['write_file', { path: 'notes.md', content: '"tested": true' }, false],
  ])('block-tested-true: %s %j is denied: %s', async (tool, args, isDenied) => {
    expect(await findDenier(call('coding-agent', tool, args))).toBe(isDenied ? 'block-tested-true' : undefined);
  });

  it.each([
    ['tester-agent', 'write_file', 'src/a.ts', true],
    ['tester-agent', 'delete_file', './src//deep/a.ts', true],
    ['tester-agent', 'edit_file', 'repository/src/a.ts', true],
    ['initializer-agent', 'write_file', 'repository/packages/x/src/deep/a.ts', true],
    ['coding-agent', 'write_file', 'repository/src/a.ts', false],
    ['tester-agent', 'write_file', 'repository/test/a.src.ts', false],
    ['coding-agent', 'edit_file', 'src/a.ts', false],
    ['tester-agent', 'write_file', 'test/a.ts', false],
    ['tester-agent', 'read_file', 'src/a.ts', false],
    ['initializer-agent', 'append_file', 'src/a.ts', true],
  ])('block-direct-edit: %s with %s %s is denied: %s', async (agent, tool, path, isDenied) => {
    expect(await findDenier(call(agent, tool, { path }))).toBe(isDenied ? 'block-direct-edit' : undefined);
  });

  it('enforce-log-tool: denies a log of more than 1,000 lines, but neither a part of it nor a shorter one', async () => {
    expect(await findDenier(call('coding-agent', 'read_file', { path: 'logs/server.log' }))).toBe('enforce-log-tool');
    expect((await call('coding-agent', 'read_file', { path: 'logs/server.log' })).merged).toMatchObject({
      suggest: expect.stringMatching(/search_files.*from_line/),
    });
    for (const args of [
      { path: 'logs/server.log', from_line: 5, to_line: 9 },
      { path: 'short.log' },
      { path: 'absent.log' },
    ])
      expect(await findDenier(call('coding-agent', 'read_file', args))).toBeUndefined();
  });

  it('enforce-safe-paths: moves a summary into one folder, and leaves one that is there', async () => {
    const { merged } = await call('coding-agent', 'write_file', { path: 'docs/feature-summary.md', content: 'x' });
    expect(merged).toMatchObject({
      kind: 'allow',
      amended: { arguments: { path: 'summaries/feature-summary.md', content: 'x' } },
    });
    for (const path of ['summaries/SUMMARY.md', 'docs/design.md'])
      expect((await call('coding-agent', 'write_file', { path, content: 'x' })).merged).toEqual({
        kind: 'allow',
        context: [],
      });
  });

  describe('force-tester-completion', () => {
    const end: GuardEvent = { point: 'SubagentStop', outcome: 'failed' };
    const ran = (args: JsonObject): readonly PhaseEvent[] => [
      {
        type: 'ToolCallRequested',
        data: {
          callId: 't',
          step: 1,
          name: 'run_command',
          arguments: args,
          lane: 'remote',
          effect: 'once',
          traits: [],
          timeoutMs: 1,
        },
      },
      {
        type: 'ToolCallCompleted',
        data: { callId: 't', content: '', result: { exitCode: 1 }, attempts: 1, durationMs: 1 },
      },
    ];

    it('refuses the end of a tester that ran no test', async () => {
      expect(await findDenier(ask(buildState('tester-agent'), end))).toBe('force-tester-completion');
      const listed = buildState('tester-agent', ran({ program: 'ls', args: [] }));
      expect(await findDenier(ask(listed, end))).toBe('force-tester-completion');
    });

    it.each([
      { program: 'npm', args: ['test'] },
      { program: 'npm', args: ['run', 'test:api'] },
      { program: '/usr/bin/pytest', args: ['-q'] },
      { program: 'npx', args: ['playwright', 'run'] },
      { command: 'cd app && npm test' },
    ])('lets it end once a test ran, even if it failed: %j', async (args) => {
      expect(await findDenier(ask(buildState('tester-agent', ran(args)), end))).toBeUndefined();
    });

    it('concerns no other agent', async () => {
      expect(await findDenier(ask(buildState('coding-agent'), end))).toBeUndefined();
    });
  });
});
