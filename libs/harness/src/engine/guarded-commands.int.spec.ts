import type { Guard } from '@phaseline/domain';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commandGuard } from './command-guard.fixture.js';
import { Engine } from './engine.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { call, createThreePhasePolicy } from './scripts.js';

const { opened, forkJob, outcomeOf } = useForks();

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A command that has changed files when they are taken in. `outside` is a file that a person changed meanwhile. */
const commands: ToolPack = {
  name: 'commands',
  tools: [
    defineRemoteTool({
      name: 'run_command',
      description: '',
      effect: 'once',
      timeoutMs: 5_000,
      input: z.object({ files: z.record(z.string(), z.string().nullable()) }),
      run: async (_context, { files }) => ({
        content: 'Exit code 0.',
        files: Object.entries(files).map(([path, text]) => {
          if (text === null) return { path, deleted: true as const };
          return { path, content: bytes(text), ...(path.includes('person') ? { origin: 'outside' as const } : {}) };
        }),
      }),
    }),
  ],
};

const rule = (name: string, when: object, then: object, changes: Partial<Guard> = {}): Guard => ({
  ...commandGuard(name, ['PreToolUse']),
  kind: 'rule',
  body: { when, then } as Guard['body'],
  ...changes,
});
const CLOSED = rule(
  'closed',
  { tool: ['write_file', 'delete_file'], args: { path: { glob: 'src/**' } } },
  { deny: '{args.path} is closed' },
);

async function play(guards: readonly Guard[], files: Readonly<Record<string, string | null>>) {
  const engine = new Engine({
    store: opened.store,
    packs: [commands],
    files: [{ path: 'src/old.ts', content: bytes('old') }],
    agent: { tools: toolsWith('run_command'), guards: [...guards] },
    policy: createThreePhasePolicy([call('run_command', { files })]),
  });
  const jobId = await engine.submitAndRun();
  const events = await engine.phaseEvents(jobId, 2);
  const read = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
  const result = String(read('ToolCallCompleted').find(({ callId }) => callId === 'call_2_1_1')!['content']);
  const { tree } = await engine.loadPhase(jobId, 3);
  return { engine, jobId, read, result, files: Object.keys(tree), job: await engine.loadJob(jobId) };
}

describe('what a command changed', () => {
  it('is undone where a rule would deny the same write, and the agent is told', async () => {
    const { read, result, files, job } = await play([CLOSED], {
      'src/new.ts': 'new',
      'src/old.ts': null,
      'out/a.md': 'a',
    });
    expect(files).toEqual(expect.arrayContaining(['src/old.ts', 'out/a.md']));
    expect(files).not.toContain('src/new.ts');
    expect(result).toMatch(/Not taken in: src\/new\.ts: src\/new\.ts is closed \(guard closed\); src\/old\.ts: /);
    expect(read('ProtectedChangeUndone').map(({ path }) => path)).toEqual(['src/new.ts', 'src/old.ts']);
    expect(read('GuardDecided')).toMatchObject([{ guard: { name: 'closed' } }, { guard: { name: 'closed' } }]);
    expect(job.status).toBe('completed');
  });

  it('is undone where a rule would ask a person or change the call', async () => {
    const guards = [
      rule('ask', { args: { path: { glob: '**/ask.md' } } }, { ask: 'sure?' }),
      rule('move', { args: { path: { glob: '**/summary.md' } } }, { amend: { path: 'x.md' }, reason: 'one folder' }),
    ];
    const { result, files } = await play(guards, { 'out/ask.md': '1', 'out/summary.md': '2', 'out/a.md': '3' });
    expect(files).toContain('out/a.md');
    expect(files).not.toEqual(expect.arrayContaining(['out/ask.md']));
    expect(files).not.toEqual(expect.arrayContaining(['out/summary.md']));
    expect(result).toMatch(/a person has to approve it: sure\? \(guard ask\); .*one folder \(guard move/);
  });

  it('is taken in where a person changed it, the guard is in shadow, or it belongs to git', async () => {
    const person = { 'src/person.ts': 'p' };
    expect((await play([CLOSED], person)).files).toContain('src/person.ts');
    const shadow = { ...CLOSED, stage: 'shadow' as const };
    const { files, read } = await play([shadow], { 'src/new.ts': 'new' });
    expect(files).toContain('src/new.ts');
    expect(read('GuardDecided')).toMatchObject([{ decision: 'deny', guard: { stage: 'shadow' } }]);
  });

  it('is undone in a recorded fork too', async () => {
    const { engine, jobId } = await play([CLOSED], { 'src/new.ts': 'new', 'out/a.md': 'a' });
    const expected = await outcomeOf(jobId);
    const events = await opened.store.readCorrelation(jobId);
    const fork = await forkJob(engine, jobId, { position: positionOf(events, 'PhaseStarted', 1), mode: 'recorded' });
    await engine.run(fork);
    expect(await outcomeOf(fork)).toEqual(expected);
    const told = ['GuardDecided', 'ProtectedChangeUndone', 'FileWritten', 'ToolCallCompleted'];
    const typesOf = async (id: string) => (await engine.eventTypes(id, 2)).filter((type) => told.includes(type)).sort();
    expect(await typesOf(fork)).toEqual(await typesOf(jobId));
  });
});
