import { randomUUID } from 'node:crypto';
import { LocalEmbedder, type Embedder } from '@phaseline/embeddings';
import type { RemoteTool } from '@phaseline/tools';
import { StagedWorkspace } from '@phaseline/workspace';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createVectorsPack } from './vectors-pack.js';

/** A database with all migrations. */
export interface VectorsDatabase {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

let pool: pg.Pool;

const local = new LocalEmbedder();

/** A job with its files, whose embedder counts the texts that it embeds. */
class Job {
  readonly id = randomUUID();
  readonly workspace = new StagedWorkspace({}, { get: async () => undefined });
  embedded = 0;
  embedder: Embedder = {
    ...local,
    space: local.space,
    note: local.note,
    embed: (texts, signal) => {
      this.embedded += texts.length;
      return local.embed(texts, signal);
    },
  };

  constructor(readonly tenant: string = randomUUID()) {}

  put(path: string, content: string | Uint8Array): void {
    this.workspace.stage(
      [{ path, content: typeof content === 'string' ? Buffer.from(content) : content }],
      new Date(0),
    );
  }

  async call(name: string, args: object = {}, callId: string = randomUUID()): Promise<string> {
    const pack = createVectorsPack({ database: pool, getTenant: async () => this.tenant, embedder: this.embedder });
    const tool = pack.tools.find((candidate) => candidate.name === name) as RemoteTool;
    const context = {
      jobId: this.id,
      callId,
      attempt: 1,
      signal: new AbortController().signal,
      workspace: this.workspace,
    };
    return (await tool.run(context, tool.input.parse(args))).content;
  }

  search(query: string, more: object = {}): Promise<string> {
    return this.call('semantic_search', { query, ...more });
  }
}

const gate =
  '# Gate\n\nThe gate must be closed at night.\n\n# Invoices\n\nEvery invoice carries a number and a date.\n';
const chunkRows = async (job: Job): Promise<number> =>
  Number((await pool.query('SELECT count(*) AS n FROM phaseline.vector_chunks WHERE job_id = $1', [job.id])).rows[0].n);

/** Contract suite of semantic search, for servers with and without pgvector. `open` is called once. */
export function describeVectorsContract(open: () => Promise<VectorsDatabase>): void {
  let database: VectorsDatabase;
  beforeAll(async () => {
    database = await open();
    pool = database.pool;
  }, 120_000);
  afterAll(() => database?.close());

  let job: Job;
  beforeEach(() => {
    job = new Job();
  });

  it('finds passages with their lines in files that were not indexed before', async () => {
    job.put(
      'documents/crane.md',
      `${gate}${'\nNothing of interest is said here about anything.\n'.repeat(60)}\n# Storms\n\nIn a storm the crane is locked.\n`,
    );
    job.put('notes/lunch.md', 'We had soup and bread.');
    job.put('documents/picture.png', new Uint8Array([137, 80, 78, 71, 0, 255]));
    const found = await job.search('locking cranes during storms', { limit: 1 });
    expect(found).toMatch(/documents\/crane\.md, lines \d+–\d+ \(0\.\d\d\):\n[^]*In a storm the crane is locked\./);
    expect(await job.search('soup', { folder: 'documents/' })).not.toContain('soup and bread');
    expect(await job.call('get_vector_index_stats')).toMatch(
      /^Indexed: 2 of 3 files, \d+ passages[^]*Skipped: 1\n- documents\/picture\.png \(no text\)$/,
    );
  });

  it('searches the current content of files, not changed or deleted content', async () => {
    job.put('notes/a.md', 'The password of the vault is swordfish.');
    expect(await job.search('vault password')).toContain('swordfish');
    job.put('notes/a.md', 'The vault was sold.');
    const changed = await job.search('vault password');
    expect(changed).toContain('The vault was sold.');
    expect(changed).not.toContain('swordfish');
    job.workspace.stage([{ path: 'notes/a.md', deleted: true }], new Date(0));
    expect(await job.search('vault password')).toBe('No results.');
    // The old content is restored, as after a rewind: only the query has to be embedded.
    const before = job.embedded;
    job.put('notes/a.md', 'The password of the vault is swordfish.');
    expect(await job.search('vault password')).toContain('swordfish');
    expect(job.embedded - before).toBe(1);
  });

  it('says that the vectors of a retried job were removed by retention, and makes them again', async () => {
    job.put('notes/a.md', 'The vault was sold.');
    expect(await job.search('vault')).not.toContain('removed by retention');
    const removedAt = '2026-01-02T03:04:05.000Z';
    const data = { actor: 'retention', removedAt, vectorFiles: 1, afterDays: 7 };
    // Not through EventStore, which reads answers in a format that PGlite does not know.
    await pool.query(`SELECT version FROM phaseline.append_one($1, $2, 0, false, false, $3, $4, $5, $6, $7)`, [
      `job-${job.id}`,
      job.id,
      [randomUUID()],
      ['VectorsRemoved'],
      [1],
      [JSON.stringify(data)],
      ['{}'],
    ]);
    await pool.query('SELECT phaseline.forget_vectors($1)', [job.id]);
    const note = `The vectors of this job were removed by retention on ${removedAt}`;
    expect(await job.call('get_vector_index_stats')).toContain(note);
    const found = await job.search('vault');
    expect(found).toContain(note);
    expect(found).toContain('The vault was sold.');
    expect(await job.search('vault')).not.toContain(note);
  });

  it('never shows content of another job, of the same or a different tenant', async () => {
    job.put('notes/secret.md', 'The launch code is zebra.');
    await job.search('launch code');
    for (const other of [new Job(job.tenant), new Job()]) {
      other.put('notes/mine.md', 'We talk about launch windows.');
      expect(await other.search('launch code zebra')).not.toContain('zebra.');
      expect(await other.call('get_vector_index_stats')).toMatch(/^Indexed: 1 of 1 files, 1 passages/);
    }
  });

  it('embeds each text once per tenant, also after a crash', async () => {
    const text = Array.from({ length: 200 }, (_, i) => `Paragraph ${i} speaks of topic ${i * 7}.\n`).join('\n');
    job.put('documents/long.md', text);
    const failing = new Job(job.tenant);
    failing.put('documents/long.md', text);
    const { embedder } = failing;
    let batches = 0;
    failing.embedder = {
      ...embedder,
      embed: (texts, signal) => {
        batches += 1;
        // Simulates a crash after the first batch: its embeddings are stored, the file is not recorded.
        if (batches > 1) throw new Error('killed');
        return embedder.embed(texts, signal);
      },
    };
    job.put('documents/longer.md', text.replaceAll('topic', 'matter').repeat(8));
    failing.put('documents/longer.md', text.replaceAll('topic', 'matter').repeat(8));
    await expect(failing.search('topic 70')).rejects.toThrow('killed');
    const kept = failing.embedded;
    expect(kept).toBeGreaterThan(0);
    await job.search('topic 70');
    const passages = await chunkRows(job);
    expect(job.embedded - 1).toBeLessThan(passages);
    const before = job.embedded;
    await job.call('index_file_for_search', { path: 'documents/long.md' });
    expect(job.embedded).toBe(before);
    const stranger = new Job();
    stranger.put('documents/long.md', text);
    await stranger.search('topic 70');
    expect(stranger.embedded).toBeGreaterThan(1);
  });

  it('has one effect if a call runs several times concurrently', async () => {
    job.put('documents/a.md', gate.repeat(30));
    const answers = await Promise.all(Array.from({ length: 5 }, () => job.search('closed gate')));
    expect(new Set(answers).size).toBe(1);
    const once = new Job(job.tenant);
    once.put('documents/a.md', gate.repeat(30));
    await once.search('closed gate');
    expect(await chunkRows(job)).toBe(await chunkRows(once));
  });

  it('deletes the vectors of a job, except those that another job uses', async () => {
    const other = new Job(job.tenant);
    for (const one of [job, other]) one.put('a.md', 'The gate must be closed.');
    job.put('b.md', 'Only this job says so.');
    await job.search('gate');
    await other.search('gate');
    expect((await pool.query('SELECT phaseline.forget_vectors($1) AS n', [job.id])).rows).toEqual([{ n: 2 }]);
    expect(await chunkRows(job)).toBe(0);
    const { rows } = await pool.query(
      'SELECT count(*)::integer AS n FROM phaseline.vector_embeddings WHERE tenant = $1',
      [job.tenant],
    );
    expect(rows).toEqual([{ n: 1 }]);
    expect(await other.search('gate')).toContain('a.md, lines 1–1');
  });
}
