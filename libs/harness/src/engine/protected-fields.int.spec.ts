import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptsPack } from '@phaseline/inline-packs';
import { Engine, type Reply } from './engine.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { call, createThreePhasePolicy } from './scripts.js';

const { opened, replay, outcomeOf } = useForks();

const REGISTRY = 'registry.json';
const OPEN = '{"items":[{"id":1,"verified":false}]}';
const TRUE = '{"items":[{"id":1,"verified":true}]}';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A remote tool that writes files as a command does: it has already run when they are taken in. */
const outside: ToolPack = {
  name: 'outside',
  tools: [
    defineRemoteTool({
      name: 'build',
      description: '',
      effect: 'once',
      timeoutMs: 5_000,
      input: z.object({ files: z.record(z.string(), z.string().nullable()) }),
      run: async (_context, { files }) => ({
        content: 'built',
        files: Object.entries(files).map(([path, text]) =>
          text === null ? { path, deleted: true as const } : { path, content: bytes(text) },
        ),
      }),
    }),
  ],
};

/** Runs a job whose tactical phase makes these calls, one per answer, and returns what became of them. */
async function play(replies: readonly Reply[]) {
  const engine = new Engine({
    store: opened.store,
    packs: [outside, scriptsPack],
    files: [
      { path: REGISTRY, content: bytes(OPEN) },
      { path: 'list.yaml', content: bytes('done: false\n') },
    ],
    agent: {
      tools: {
        ...toolsWith('build', 'run_script'),
        workspace: ['write_file', 'edit_file', 'delete_file', 'read_file'],
      },
      protected: [
        { file: REGISTRY, pointer: '/items/*/verified', writer: 'verifier' },
        { file: 'list.yaml', writer: 'machine' },
      ],
    },
    policy: createThreePhasePolicy(replies),
  });
  const jobId = await engine.submitAndRun();
  expect((await engine.loadJob(jobId)).status).toBe('completed');
  const events = await engine.phaseEvents(jobId, 2);
  const { tree } = (await engine.repository.loadPhase(jobId, 3))!;
  const read = async (path: string): Promise<string | undefined> =>
    tree[path] && Buffer.from((await opened.store.blobs.get(tree[path].hash))!).toString();
  const results = events.flatMap(({ type, data }) =>
    type === 'ToolCallCompleted' ? [String(data['content'])] : type === 'ToolCallFailed' ? [String(data['code'])] : [],
  );
  return { engine, jobId, events, results, read };
}

describe('a change of a protected field', () => {
  it.each<readonly [string, Reply]>([
    ['write_file', call('write_file', { path: `./${REGISTRY}`, content: TRUE })],
    ['edit_file', call('edit_file', { path: REGISTRY, old_text: 'false', new_text: 'true' })],
    ['delete_file', call('delete_file', { path: REGISTRY })],
    [
      'a write of a file that only the machine writes',
      call('write_file', { path: 'list.yaml', content: 'done: true\n' }),
    ],
  ])('by %s fails the call', async (_, reply) => {
    const { results, read, events } = await play([reply]);
    expect(results[0]).toBe('protected_field');
    expect([await read(REGISTRY), await read('list.yaml')]).toEqual([OPEN, 'done: false\n']);
    const { message } = events.find(({ type }) => type === 'ToolCallFailed')!.data as { readonly message: string };
    expect(message).toMatch(/is written by (?:verifiers|the machine) only\. Nothing was changed/);
  });

  it('by a script fails the call that the script makes', async () => {
    const script = `return await tools.write_file({ path: '${REGISTRY}', content: ${JSON.stringify(TRUE)} });`;
    const { results, read } = await play([call('run_script', { code: script })]);
    expect(results).toContain('protected_field');
    expect(await read(REGISTRY)).toBe(OPEN);
  });

  it('by a tool that has already run is undone and told, and everything else is taken in', async () => {
    const files = { [REGISTRY]: TRUE, 'list.yaml': null, 'out.txt': 'done' };
    const { engine, jobId, events, results, read } = await play([call('build', { files })]);
    expect(results[0]).toBe(
      'built\n\nNot taken in: registry.json: /items/0/verified of registry.json is written by verifiers only; list.yaml: list.yaml is written by the machine only. These files have their content from before the call.',
    );
    expect([await read(REGISTRY), await read('list.yaml'), await read('out.txt')]).toEqual([
      OPEN,
      'done: false\n',
      'done',
    ]);
    const undone = events.filter(({ type }) => type === 'ProtectedChangeUndone').map(({ data }) => data);
    expect(undone).toMatchObject([{ path: REGISTRY }, { path: 'list.yaml' }]);
    const start = positionOf(await opened.store.readCorrelation(jobId), 'PhaseStarted');
    expect(await replay(engine, jobId, start)).toEqual(await outcomeOf(jobId));
  });
});

it('changes of other fields are made', async () => {
  const { results, read } = await play([
    call('edit_file', { path: REGISTRY, old_text: '"id":1', new_text: '"id":1,"name":"a"' }),
    call('build', { files: { [REGISTRY]: '{"items":[{"id":2,"verified":false},{"id":3}]}' } }),
  ]);
  expect(results.slice(0, 2).join()).not.toContain('protected');
  expect(await read(REGISTRY)).toBe('{"items":[{"id":2,"verified":false},{"id":3}]}');
});
