import { createTestPool } from '@phaseline/testing';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../apps/cli/src/run-cli.js';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack } from '../../apps/cli/src/stack/start-stack.js';
import { createFakeHost } from '../../apps/cli/src/testing/fake-streams.js';
import { verifyExport } from '@phaseline/audit';
import { PhaselineClient } from '@phaseline/client';
import { openLocalHome, type LocalHome } from '@phaseline/local-stack';
import { startRehearsalServer, type RehearsalPolicy, type RehearsalServer } from '@phaseline/rehearsal';
import { found, markers, markersIn, searchFolder, searchTables, type Marker } from './encryption.fixture.js';
import { shortWorkflow } from './short-workflow.fixture.js';

/**
 * A complete job on real services, with a unique marker word wherever content originates: searches the database, its
 * files, the queues, the state folder and the logs for the markers, with and without encryption, and after the job was
 * erased.
 */

const definitions: Readonly<Record<string, string>> = {
  'agents/keeper/agent.yaml': `
name: keeper
displayName: Keeper
description: Keeps what it reads to itself.
workflow: short
tools: { workspace: [read_file, write_file], domain: [extract_document_text] }
todos: { min: 1, max: 5 }
approvals: { tools: [] }
`,
  'agents/keeper/instructions.md': '# Keep it\n',
  ...shortWorkflow,
};

const documentPath = `documents/${markers.documentName}.md`;
const call = (name: string, args: object) => ({ name, arguments: args as never });

/** Returns the markers wherever a model may return text. */
const policy: RehearsalPolicy = {
  name: 'keeper',
  matches: () => true,
  answer: ({ messages, toolNames }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    if (toolNames.includes('job_complete'))
      return {
        content: markers.words,
        calls: [
          call('job_complete', {
            summary: `Done: ${markers.result}`,
            notes: markers.result,
            deliverables: [`out/${markers.fileName}.md`],
            confidence: 1,
          }),
        ],
      };
    if (toolNames.includes('todo_write'))
      return {
        content: markers.words,
        calls: [
          call('todo_write', {
            phase: markers.phaseName,
            description: 'Do it.',
            todos: [{ content: `Do ${markers.todo}` }],
          }),
          call('todo_complete', { note: markers.note }),
        ],
      };
    switch (turn) {
      case 0:
        return { reasoning: markers.words, calls: [call('read_file', { path: documentPath })] };
      case 1:
        return {
          calls: [
            call('extract_document_text', { path: documentPath }),
            call('read_file', { path: `../${markers.badPath}` }),
            call(`unknown ${markers.badPath}`, {}),
          ],
        };
      case 2:
        return {
          calls: [
            call('write_file', { path: `out/${markers.fileName}.md`, content: `${markers.argument} `.repeat(2_000) }),
          ],
        };
      default:
        return { content: markers.words, calls: [call('todo_complete', { note: markers.note })] };
    }
  },
};

const all = Object.keys(markers).sort() as Marker[];
const small = `# Title\n\nThe ${markers.document} MUST hold.\n\n${`${markers.document} again and again. `.repeat(900)}\n`;
const large = `${markers.largeDocument} `.repeat(90_000);

describe('an encrypted job', { timeout: 240_000 }, () => {
  let folder: string;
  let home: LocalHome;
  let stack: RunningStack;
  let client: PhaselineClient;
  let model: RehearsalServer;
  let pool: pg.Pool;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phaseline-encryption-'));
    for (const [path, text] of Object.entries(definitions)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    model = await startRehearsalServer({ policies: [policy] });
    const { PATH, HOME } = process.env;
    env = {
      PATH,
      HOME,
      LOG_LEVEL: 'trace',
      PHASELINE_HOME: join(folder, 'home'),
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: 'test',
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      PHASELINE_SHIPPED_DEFINITIONS: '0',
      PHASELINE_WORKFLOWS_DIR: join(folder, 'workflows'),
      PHASELINE_MODELS_DIR: join(folder, 'models'),
    };
    home = await openLocalHome(env, folder);
    stack = await startStack({
      home,
      plan: planStack(env, { queueBackend: 'postgres' }),
      env,
      signal: new AbortController().signal,
    });
    client = new PhaselineClient({ baseUrl: stack.apiUrl });
    pool = createTestPool({ connectionString: stack.databaseUrl, max: 2 });
  }, 120_000);

  afterAll(async () => {
    await pool?.end();
    await stack?.stop();
    await model?.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  async function cli(
    ...args: string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const host = createFakeHost({
      env: { ...env, PHASELINE_URL: stack.apiUrl, DATABASE_URL: stack.databaseUrl },
      currentDirectory: folder,
    });
    const code = await runCli(args, host);
    return { code, out: host.stdout.text, err: host.stderr.text };
  }

  /** Returns where the embedded server keeps its files, which is not always below the stack's own folder. */
  async function databaseFolder(): Promise<string> {
    const place = JSON.parse(await readFile(`${home.postgresDirectory}.json`, 'utf8')) as { dataDirectory: string };
    return place.dataDirectory;
  }

  /** Submits a job, pauses, steers and resumes it, and waits for it, so that everything that writes has run. */
  async function run(encrypt: boolean): Promise<string> {
    const { jobId } = await client.submit(
      {
        agent: 'keeper',
        instructions: `Find ${markers.task}.`,
        parameters: { what: markers.parameter },
        labels: { team: markers.label },
        idempotencyKey: `key-${encrypt}`,
        ...(encrypt ? { encrypt } : {}),
      },
      {
        files: [
          { name: `${markers.documentName}.md`, content: small },
          { name: 'large.txt', content: large },
        ],
      },
    );
    await client.control(jobId, 'pause', { reason: markers.reason });
    await client.control(jobId, 'steer', { message: `Mind ${markers.steering}.` });
    await client.control(jobId, 'resume', { reason: markers.reason });
    expect(await client.wait(jobId, { timeoutMs: 150_000 })).toMatchObject({ status: 'completed' });
    return jobId;
  }

  let encryptedId = '';

  it('leaves no word of its content in any table, queue, file or log, and shows it to permitted callers', async () => {
    encryptedId = await run(true);
    const conflict = await client
      .submit({ agent: 'keeper', instructions: 'other', idempotencyKey: 'key-true', encrypt: true })
      .catch((error: unknown) => error);
    expect(conflict).toMatchObject({ code: 'idempotency_conflict' });
    expect(await searchTables(pool)).toEqual({});
    expect(await searchFolder(home.directory)).toEqual({});
    // These files include the write-ahead log, with everything that was ever written.
    expect(await searchFolder(await databaseFolder())).toEqual({});
    // Read models and event streams contain no more than the tables.
    const page = await client.eventPage(encryptedId, { limit: 500 });
    expect(markersIn(JSON.stringify([page, await client.listPage()]))).toEqual(new Set());

    const job = await client.get(encryptedId);
    expect(job).toMatchObject({ encrypted: true, labels: { team: markers.label } });
    expect(job.result?.summary).toContain(markers.result);
    expect(await client.readText(encryptedId, documentPath)).toBe(small);
    expect(await client.readText(encryptedId, 'documents/large.txt')).toBe(large);
    expect(await client.readText(encryptedId, 'instructions.md')).toContain(markers.task);
    expect([...markersIn(JSON.stringify(await client.state(encryptedId)))]).toContain('fileName');
    expect((await cli('audit', 'verify')).code).toBe(0);
    expect((await cli('status', encryptedId)).out).toMatch(/encrypted +yes/);
    await expect(client.fork(encryptedId, { position: page.items.at(-1)!.position })).rejects.toMatchObject({
      code: 'request_refused',
    });
  });

  it('differs from an unencrypted one, whose words the same search finds', async () => {
    const unencryptedId = await run(false);
    const inTables = await searchTables(pool);
    expect(found(inTables)).toEqual(all);
    expect(Object.keys(inTables)).toEqual(
      expect.arrayContaining(['phaseline.events', 'phaseline.blobs', 'phaseline.jobs_v1']),
    );
    await expect.poll(async () => found(await searchFolder(home.workspaceDirectory))).toContain('document');
    const inDatabase = await searchFolder(await databaseFolder());
    expect(found(inDatabase)).toEqual(expect.arrayContaining(['task', 'document', 'label', 'reason', 'result']));
    expect(Object.keys(inDatabase)).toContainEqual(expect.stringContaining('pg_wal'));
    const refused = await cli('erase', unencryptedId, '--yes');
    expect(refused.err).toContain('not encrypted');
    expect(refused.code).not.toBe(0);
  });

  it('is gone once it is erased, while its log can be verified and shows how it ended', async () => {
    const unconfirmed = await cli('erase', encryptedId);
    expect(unconfirmed.err).toContain('--yes');
    const erased = await cli('erase', encryptedId, '--yes', '--reason', 'the customer asked');
    expect(erased).toMatchObject({ code: 0, out: expect.stringContaining('its key is destroyed') });
    expect((await cli('erase', encryptedId, '--yes')).out).toContain('was already erased');

    // Other processes cache a key for a few seconds.
    await expect
      .poll(async () => markersIn(JSON.stringify(await client.state(encryptedId))), { timeout: 30_000 })
      .toEqual(new Set());
    const job = await client.get(encryptedId);
    expect(job).toMatchObject({
      status: 'completed',
      erasure: { actor: userInfo().username, reason: 'the customer asked' },
    });
    expect(markersIn(JSON.stringify(job))).toEqual(new Set());
    expect(await client.files(encryptedId)).toEqual([]);
    await expect(client.readText(encryptedId, documentPath)).rejects.toMatchObject({ code: 'content_erased' });
    await expect(client.control(encryptedId, 'retry', {})).rejects.toMatchObject({ code: 'request_refused' });
    await expect(
      client.submit({ agent: 'keeper', instructions: 'x', idempotencyKey: 'key-true', encrypt: true }),
    ).rejects.toMatchObject({ code: 'content_erased' });
    const { rows } = await pool.query<{ left: string }>(
      `SELECT (SELECT count(*) FROM phaseline.encrypted_blobs) + (SELECT count(*) FROM phaseline.job_keys WHERE wrapped IS NOT NULL) AS left`,
    );
    expect(rows[0]?.left).toBe('0');

    for (const command of [['status'], ['events'], ['state']]) {
      const shown = await cli(...command, encryptedId);
      expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/erased/i) });
      expect(markersIn(shown.out)).toEqual(new Set());
    }
    expect((await cli('audit', 'verify')).out).toMatch(/passed/);
    const target = join(folder, 'export');
    expect((await cli('audit', 'export', encryptedId, '--with-files', '--out', target)).err).toBe('');
    expect(await verifyExport(target)).toMatchObject({ passed: true, problems: [] });
    expect(await searchFolder(target)).toEqual({});
    expect((await stat(join(home.directory, 'master-key'))).mode & 0o777).toBe(0o600);
    expect(await cli('encryption', 'rewrap')).toMatchObject({ code: 0, out: expect.stringContaining('0 keys') });
  });
});
