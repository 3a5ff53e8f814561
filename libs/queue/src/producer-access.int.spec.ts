import { randomBytes } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { createQueues } from './create-queues.js';
import { createProducer, producerRole } from './producer-access.js';

let database: TestDatabase;
/** URL of a login that may create roles, like the owner of a local stack. */
let adminUrl: string;
const createdRoles: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const url = new URL(inject('testServer').superuserUrl);
  url.pathname = new URL(database.ownerUrl).pathname;
  adminUrl = url.href;
  await asLogin(adminUrl, (client) =>
    client.query(`GRANT CONNECT ON DATABASE ${url.pathname.slice(1)} TO ${producerRole}`),
  );
});
afterEach(async () => {
  for (const name of createdRoles.splice(0))
    await asLogin(adminUrl, (client) => client.query(`DROP ROLE IF EXISTS ${name}`));
});
afterAll(() => database.drop());

async function asLogin<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function createTestProducer(): Promise<{ name: string; url: string }> {
  const name = `shop_${randomBytes(6).toString('hex')}`;
  createdRoles.push(name);
  return { name, url: await createProducer(adminUrl, name) };
}

describe('a producer on the PostgreSQL backend', () => {
  it('adds requests that the consumer of the queue receives unchanged', async () => {
    const { name, url } = await createTestProducer();
    const request = { agent: 'creator', labels: { run: 'a "quoted" \\ value' } };
    const ids = await asLogin(url, async (client) => [
      (await client.query('SELECT bullmq.add_to_jobs($1, $2) AS id', [JSON.stringify(request), 'order-17'])).rows[0].id,
      (await client.query('SELECT bullmq.add_to_jobs($1, $2) AS id', [JSON.stringify(request), 'order-17'])).rows[0].id,
      (await client.query('SELECT bullmq.add_to_jobs($1) AS id', [JSON.stringify(request)])).rows[0].id,
    ]);
    expect(ids[0]).toBe(`${name}.order-17`);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).toMatch(new RegExp(`^${name}\\.[0-9a-f-]{36}$`));

    const received: unknown[] = [];
    const queues = await createQueues(
      { backend: 'postgres', connectionString: database.serviceUrl },
      { onDeadLetter: async () => {}, onError: () => {} },
    );
    try {
      await queues.work('jobs', async (job) => void received.push(job));
      await expect.poll(() => received.length).toBe(2);
      expect(received).toEqual([request, request]);
    } finally {
      await queues.close(5_000);
    }
  });

  it('takes part in the transaction of the producer: a rolled-back request is not sent', async () => {
    const { url } = await createTestProducer();
    await asLogin(url, async (client) => {
      await client.query('BEGIN');
      await client.query(`SELECT bullmq.add_to_jobs('{"agent":"creator"}', 'rolled-back')`);
      await client.query('ROLLBACK');
    });
    const rows = await asLogin(adminUrl, (client) =>
      client.query(`SELECT FROM bullmq.job WHERE id LIKE '%rolled-back'`),
    );
    expect(rows.rowCount).toBe(0);
  });

  it.each([
    ['read messages', 'SELECT * FROM bullmq.job'],
    [
      'write messages itself',
      `INSERT INTO bullmq.job (queue, id, seq, name, state, added_at_ms) VALUES ('tools','x',1,'x','waiting',1)`,
    ],
    [
      'reach another queue',
      `SELECT bullmq.add_job('tools', 'x', 'x', '{}', '{}', 0, 0, 1, 1, NULL, NULL, NULL, NULL, NULL, false)`,
    ],
    ['take a message', `DELETE FROM bullmq.job`],
    ['read the log', 'SELECT * FROM phaseline.events'],
    ['read files', 'SELECT * FROM phaseline.blobs'],
    ['make a table', 'CREATE TABLE bullmq.mine ()'],
    ['become a service', 'SET ROLE phaseline_service'],
  ])('cannot %s', async (_, statement) => {
    const { url } = await createTestProducer();
    await asLogin(url, (client) => expect(client.query(statement)).rejects.toMatchObject({ code: '42501' }));
  });

  it.each([
    ['a request that is not an object', '[]', 'm', /JSON object/],
    ['an id that BullMQ does not accept', '{}', 'a:b', /message id/],
    ['an empty id', '{}', '', /message id/],
  ])('cannot send %s', async (_, request, id, reason) => {
    const { url } = await createTestProducer();
    await asLogin(url, (client) =>
      expect(client.query('SELECT bullmq.add_to_jobs($1, $2)', [request, id])).rejects.toThrow(reason),
    );
  });
});

describe('createProducer', () => {
  it('rejects names that are taken, reserved or not identifiers', async () => {
    const { name } = await createTestProducer();
    await expect(createProducer(adminUrl, name)).rejects.toMatchObject({ code: 'producer_name_taken' });
    for (const bad of ['Shop', '1shop', 'pg_shop', 'phaseline_service', 'a"; DROP TABLE x', ''])
      await expect(createProducer(adminUrl, bad), bad).rejects.toMatchObject({ code: 'producer_name_invalid' });
  });

  it('says what to run if the login may not create roles', async () => {
    await expect(createProducer(database.serviceUrl, 'shop_no_right')).rejects.toMatchObject({
      code: 'may_not_create_roles',
      message: expect.stringContaining('CREATE ROLE shop_no_right LOGIN'),
    });
  });
});
