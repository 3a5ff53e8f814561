import type { JobId } from '@phaseline/contracts';
import { phaseStream, redactEvent, type PhaseEvent } from '@phaseline/domain';
import { createPool, EventStore, MasterKeys } from '@phaseline/event-store';
import { scriptsPack } from '@phaseline/inline-packs';
import { buildPhaseAppend } from '@phaseline/repository';
import { createTestDatabase } from '@phaseline/testing';
import { explainFile, RecordedPrompts, TimeTravel, type FileExplanation } from '@phaseline/time-travel';
import { defineRemoteTool, type ToolPack } from '@phaseline/tools';
import { contentHash, encodeText } from '@phaseline/workspace';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { appendLongJob } from '../generated/long-job.js';
import { Engine, type Policy } from './engine.js';
import { ORIGIN, toolsWith, useForks } from './fork.fixture.js';
import { call, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

const { opened, forkJob } = useForks();
const NOTES = 'output/notes.md';

/** A tool that moves a file, as `mv` in a command does: it deletes the file and writes the same content under another name. */
const movePack: ToolPack = {
  name: 'move',
  tools: [
    defineRemoteTool({
      name: 'move',
      description: '',
      effect: 'idempotent',
      timeoutMs: 5_000,
      input: z.object({ from: z.string(), to: z.string() }),
      run: async ({ workspace }, { from, to }) => {
        const content = (await workspace.read(from))!;
        return {
          content: 'moved',
          files: [
            { path: from, deleted: true },
            { path: to, content },
          ],
        };
      },
    }),
  ],
};

const createEngine = (work: Policy, store: EventStore = opened.store): Engine =>
  new Engine({
    store,
    packs: [movePack, scriptsPack],
    agent: {
      tools: {
        ...toolsWith('move', 'run_script'),
        workspace: ['write_file', 'append_file', 'edit_file', 'read_file'],
      },
    },
    files: [{ path: 'documents/spec.md', content: encodeText('first\nsecond\n') }],
    policy: createThreePhasePolicy(work),
  });

const byTurn =
  (...turns: readonly ReturnType<Policy>[]): Policy =>
  (request) =>
    turns[parsePrompt(request).turn] ?? call('todo_complete');

async function explained(
  jobId: JobId,
  path: string,
  options: { line?: number; position?: number; store?: EventStore } = {},
): Promise<FileExplanation> {
  const { store = opened.store, ...rest } = options;
  const found = await explainFile(store, jobId, { path, ...rest });
  if (found.kind !== 'explained') throw new Error(`not explained: ${JSON.stringify(found)}`);
  return found;
}

/** Returns the ranges with what wrote them, as short texts. */
const summarise = ({ ranges, writes }: FileExplanation): readonly string[] =>
  ranges.map(({ from, to, write, mayBeOlder }) => {
    const { author, tool, outer, step, phase } = writes[write]!;
    const by = [author, tool, outer && `in ${outer.tool}`, phase && `phase ${phase.number}`, step && `step ${step}`];
    return `${from}-${to}${mayBeOlder ? '?' : ''} ${by.filter(Boolean).join(' ')}`;
  });

describe('the lines of a file', () => {
  it('are those of the calls that wrote them, each with its step, todo, prompt and event', async () => {
    const engine = createEngine(
      byTurn(
        calls(['read_file', { path: 'documents/spec.md' }], ['read_file', { path: 'documents/none.md' }]),
        call('write_file', { path: NOTES, content: 'one\ntwo\nthree\n' }),
        call('edit_file', { path: NOTES, old_text: 'two', new_text: 'two, from documents/spec.md' }),
        calls(['append_file', { path: NOTES, content: 'four\n' }]),
      ),
    );
    const jobId = await engine.submitAndRun();
    const all = await explained(jobId, NOTES);
    expect(summarise(all)).toEqual([
      '1-1 call write_file phase 2 step 2',
      '2-2 call edit_file phase 2 step 3',
      '3-3 call write_file phase 2 step 2',
      '4-4 call append_file phase 2 step 4',
    ]);
    const line = await explained(jobId, NOTES, { line: 2 });
    expect(summarise(line)).toEqual(['2-2 call edit_file phase 2 step 3']);
    expect(line).toMatchObject({ text: 'two, from documents/spec.md', lines: 4 });
    expect(line.ranges[0]?.sources).toEqual([{ kind: 'file', path: 'documents/spec.md' }]);

    const [write] = line.writes;
    const events = await opened.store.read(phaseStream(jobId, 2));
    const written = events.filter(({ type, data }) => type === 'FileWritten' && data['path'] === NOTES)[1]!;
    expect(write?.event).toEqual({
      streamId: written.streamId,
      version: written.version,
      position: written.position,
      hash: written.hash,
    });
    expect(write?.callId).toBe(written.data['callId']);
    expect(write?.todo).toEqual({ id: 1, content: 'Do the thing' });
    const prompts = await new RecordedPrompts(opened.store, engine.tools).list(jobId, 2);
    const { model, requestHash } = prompts.find(({ step }) => step === 3)!;
    expect(write?.prompt).toEqual({ phase: 2, step: 3, model, requestHash });
    // Only the call that succeeded has read.
    expect(write?.read.map(({ tool, step, path }) => [tool, step, path])).toEqual([
      ['read_file', 1, 'documents/spec.md'],
    ]);
  });

  it('are those of the submission, the system and people of their time', async () => {
    const jobId = await createEngine(byTurn(call('write_file', { path: NOTES, content: 'a' }))).submitAndRun();
    expect(await explained(jobId, 'documents/spec.md')).toMatchObject({
      writes: [{ author: 'import', actor: 'spec', imported: { from: 'submission' } }],
      ranges: [{ from: 1, to: 2 }],
    });
    const completed = await explained(jobId, 'output/completion.json');
    expect(completed.writes).toMatchObject([{ author: 'system', event: { streamId: `job-${jobId}` } }]);
    const archive = [...(await opened.store.readCorrelation(jobId, { types: ['FileWritten'] }))].find(({ data }) =>
      String(data['path']).startsWith('archive/'),
    );
    expect((await explained(jobId, String(archive!.data['path']))).writes).toMatchObject([{ author: 'system' }]);
  });

  it('name the script that made the call', async () => {
    const code = `await tools.write_file({ path: '${NOTES}', content: 'a\\nb\\n' });`;
    const jobId = await createEngine(byTurn(call('run_script', { code }))).submitAndRun();
    const { writes, ranges } = await explained(jobId, NOTES);
    expect(writes).toMatchObject([{ tool: 'write_file', outer: { tool: 'run_script' }, step: 1, prompt: { step: 1 } }]);
    expect(ranges).toHaveLength(1);
  });

  it('keep their author when a call renames the file', async () => {
    const jobId = await createEngine(
      byTurn(
        call('write_file', { path: 'work/draft.md', content: 'one\ntwo\n' }),
        call('move', { from: 'work/draft.md', to: NOTES }),
        call('append_file', { path: NOTES, content: 'three\n' }),
      ),
    ).submitAndRun();
    const found = await explained(jobId, NOTES);
    expect(summarise(found)).toEqual(['1-2 call write_file phase 2 step 1', '3-3 call append_file phase 2 step 3']);
    expect(found.writes[0]?.path).toBe('work/draft.md');
  });

  it('are explained as of any position', async () => {
    const jobId = await createEngine(
      byTurn(
        call('write_file', { path: NOTES, content: 'old\n' }),
        call('write_file', { path: NOTES, content: 'new\n' }),
      ),
    ).submitAndRun();
    const writes = await opened.store.readCorrelation(jobId, { types: ['FileWritten'] });
    const first = writes.find(({ data }) => data['path'] === NOTES)!;
    expect(await explained(jobId, NOTES, { line: 1, position: first.position })).toMatchObject({ text: 'old' });
    expect(await explainFile(opened.store, jobId, { path: NOTES, position: first.position - 1 })).toMatchObject({
      kind: 'no-such-file',
    });
    expect(await explainFile(opened.store, jobId, { path: NOTES, position: 0 })).toEqual({ kind: 'no-such-job' });
  });

  it('belong to the content that the fold of the job has, at every commit', async () => {
    const jobId = await createEngine(
      byTurn(
        calls(
          ['write_file', { path: 'work/a.md', content: 'a\n' }],
          ['write_file', { path: 'work/b.md', content: 'b\n' }],
        ),
        call('move', { from: 'work/a.md', to: 'work/b.md' }),
        call('move', { from: 'work/b.md', to: NOTES }),
      ),
    ).submitAndRun();
    const pool = createPool(opened.url, { max: 2, applicationName: 'spec' });
    onTestFinished(() => pool.end());
    const travel = new TimeTravel(opened.store, pool, { snapshots: false });
    const events = await opened.store.readCorrelation(jobId);
    const paths = new Set<string>();
    for (const [index, { position, transactionId }] of events.entries()) {
      if (events[index + 1]?.transactionId === transactionId) continue;
      const { files } = (await travel.at(jobId, position))!;
      for (const path of Object.keys(files)) paths.add(path);
      for (const path of paths) {
        const found = await explainFile(opened.store, jobId, { path, position });
        expect(found, `${path} at ${position}`).toMatchObject(
          files[path] ? { hash: files[path].hash } : { kind: 'no-such-file' },
        );
      }
    }
    expect([...paths]).toEqual(expect.arrayContaining(['work/a.md', 'work/b.md', NOTES, 'output/completion.json']));
  });

  it('of a fork are those of its parent until the fork, and then its own', async () => {
    const work = byTurn(
      call('read_file', { path: 'documents/spec.md' }),
      call('write_file', { path: NOTES, content: 'shared\nshared too\n' }),
      call('append_file', { path: NOTES, content: 'apart\n' }),
    );
    const engine = createEngine(work);
    const jobId = await engine.submitAndRun();
    const events = await opened.store.readCorrelation(jobId);
    const written = events.find(({ type, data }) => type === 'FileWritten' && data['path'] === NOTES)!;
    // A fork begins after a whole commit.
    const { position } = events.findLast(({ transactionId }) => transactionId === written.transactionId)!;
    const fork = await forkJob(engine, jobId, { position });
    await engine.run(fork);
    const found = await explained(fork, NOTES);
    expect(summarise(found)).toEqual(['1-2 call write_file phase 2 step 2', '3-3 call append_file phase 2 step 3']);
    expect(found.writes.map((write) => write.jobId)).toEqual([jobId, fork]);
    // The todo began in the parent, where the document was read; the fork wrote.
    const [write] = (await explained(fork, NOTES, { line: 3 })).writes;
    expect(write?.read.map(({ path }) => path)).toEqual(['documents/spec.md']);
  });
});

it('explains files of an encrypted job', async () => {
  const database = await createTestDatabase();
  const pool = createPool(database.serviceUrl, { max: 4 });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const store = new EventStore(pool, {
    encryption: { masterKeys: MasterKeys.parse(MasterKeys.generate()), redact: redactEvent, keyCacheMs: 0 },
  });
  const work = byTurn(
    call('read_file', { path: 'documents/spec.md' }),
    call('write_file', { path: NOTES, content: 'secret\n' }),
  );
  const jobId = await createEngine(work, store).submitAndRun({ encrypt: true });
  const found = await explained(jobId, NOTES, { line: 1, store });
  expect(found).toMatchObject({
    text: 'secret',
    writes: [{ tool: 'write_file', read: [{ path: 'documents/spec.md' }] }],
  });
  expect(found.writes[0]?.prompt?.requestHash).toMatch(/[1-9a-f]/);
});

it('tells why a file or a line cannot be explained', async () => {
  const engine = createEngine(byTurn(call('write_file', { path: NOTES, content: 'one\n' })));
  const jobId = await engine.submitAndRun();
  const explain = (path: string, line?: number) => explainFile(opened.store, jobId, { path, line });
  expect(await explain('output/note.md')).toEqual({ kind: 'no-such-file', similar: [NOTES] });
  expect(await explain('x/notes.md')).toMatchObject({ similar: [NOTES] });
  expect(await explain(NOTES, 2)).toEqual({ kind: 'no-such-line', lines: 1 });
  expect(await explainFile(opened.store, '019b0000-0000-7000-8000-00000000ffff', { path: NOTES })).toEqual({
    kind: 'no-such-job',
  });
});

/** Appends versions of a file to the open phase of a long job. */
async function writeVersions(jobId: JobId, phase: number, path: string, texts: readonly (string | Uint8Array)[]) {
  const { version } = (await opened.store.head(phaseStream(jobId, phase)))!;
  const contents = texts.map((text) => (typeof text === 'string' ? encodeText(text) : text));
  const events: PhaseEvent[] = contents.map((content) => {
    const [hash, size] = [contentHash(content), content.byteLength];
    return { type: 'FileWritten', data: { path, hash, size, writtenAt: '2026-01-02T00:00:00.000Z' } };
  });
  const blobs = contents.map((content) => ({ hash: contentHash(content), content }));
  for (const { content } of blobs) await opened.store.blobs.put(content);
  await opened.store.append(buildPhaseAppend(jobId, phase, version, events, { origin: ORIGIN }));
}

describe('a long job', () => {
  it('of 50 phases costs one query per 500 events of its files and calls, and no more per phase', async () => {
    const jobId = (await appendLongJob(opened.store, { phases: 50, eventsPerPhase: 300, ends: false })) as JobId;
    // Earlier versions of this file are in all phases, but their content is not stored.
    await writeVersions(jobId, 50, 'output/part-3.md', ['one\n', 'one\ntwo\n']);
    const pool = createPool(opened.url, { max: 2, applicationName: 'spec' });
    onTestFinished(() => pool.end());
    let queries = 0;
    const query = pool.query.bind(pool) as (...given: unknown[]) => unknown;
    // A spy with the overloads of pg would need each of them.
    pool.query = ((...given: unknown[]) => {
      queries += 1;
      return query(...given);
    }) as never;
    const events = await opened.store.readCorrelation(jobId);
    const countOf = (...types: string[]) => events.filter(({ type }) => types.includes(type)).length;
    const files = countOf('FileWritten', 'PhaseDispatched', 'JobSubmitted');
    const store = new EventStore(pool);
    const found = await explained(jobId, 'output/part-3.md', { store });
    expect(summarise(found)).toEqual(['1-1? system phase 50', '2-2 system phase 50']);
    expect(files).toBeGreaterThan(500);
    // One for the first event of the job, two for the contents of the versions, and one page more than the last full one of each list.
    expect(queries).toBeLessThanOrEqual(1 + Math.ceil((files + 1) / 500) + 2 + 1);
  });
});

describe('a file with many lines or versions', () => {
  it('is refused if it has too many lines or bytes, and is not text', async () => {
    const jobId = (await appendLongJob(opened.store, { phases: 1, eventsPerPhase: 10, ends: false })) as JobId;
    await writeVersions(jobId, 1, 'lines.txt', ['x\n'.repeat(50_001)]);
    await writeVersions(jobId, 1, 'bytes.txt', ['x'.repeat(2 * 1024 * 1024 + 1)]);
    await writeVersions(jobId, 1, 'image.png', [new Uint8Array([0x89, 0x50, 0, 1])]);
    await writeVersions(jobId, 1, 'latin.txt', [new Uint8Array([0xe4, 0x0a])]);
    const explain = (path: string) => explainFile(opened.store, jobId, { path });
    expect(await explain('lines.txt')).toMatchObject({ kind: 'too-large', lines: 50_001 });
    expect(await explain('bytes.txt')).toMatchObject({ kind: 'too-large', size: 2 * 1024 * 1024 + 1 });
    expect(await explain('image.png')).toEqual({ kind: 'not-text' });
    expect(await explain('latin.txt')).toEqual({ kind: 'not-text' });
    // What was not text before is not where a line is from; what was too large may be.
    await writeVersions(jobId, 1, 'image.png', ['a\n']);
    await writeVersions(jobId, 1, 'lines.txt', ['x\n']);
    expect(summarise(await explained(jobId, 'image.png'))).toEqual(['1-1 system phase 1']);
    expect(summarise(await explained(jobId, 'lines.txt'))).toEqual(['1-1? system phase 1']);
  });
});
