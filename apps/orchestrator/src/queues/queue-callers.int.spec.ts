import { randomBytes } from 'node:crypto';
import { createPool } from '@phaseline/event-store';
import { createProducer } from '@phaseline/queue';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sendToJobs } from '../testing/send-to-jobs.js';
import { administrator, startTwoTenants, type TwoTenants } from '../testing/two-tenants.js';

let subject: TwoTenants;
let superuserUrl: string;
const logins: string[] = [];

beforeAll(async () => {
  subject = await startTwoTenants();
  const url = new URL(inject('testServer').superuserUrl);
  url.pathname = new URL(subject.orchestrator.databaseUrls.owner).pathname;
  superuserUrl = url.href;
});
afterAll(async () => {
  const pool = createPool(superuserUrl, { max: 1 });
  for (const login of logins) await pool.query(`DROP ROLE IF EXISTS ${login}`);
  await pool.end();
  await subject?.stop();
});

interface Producer {
  readonly name: string;
  /** Adds a request to the queue with the login of the producer. */
  send(request: object, id: string): Promise<void>;
}

async function createLogin(): Promise<Producer> {
  const name = `shop_${randomBytes(6).toString('hex')}`;
  logins.push(name);
  const database = createPool(superuserUrl, { max: 1 });
  await database.query(`GRANT CONNECT ON DATABASE ${new URL(superuserUrl).pathname.slice(1)} TO phaseline_producer`);
  await database.end();
  const url = await createProducer(superuserUrl, name);
  return {
    name,
    send: async (request, id) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client
        .query('SELECT bullmq.add_to_jobs($1, $2)', [JSON.stringify(request), id])
        .finally(() => client.end());
    },
  };
}

async function createPrincipal(id: string, tenant: string): Promise<void> {
  await subject.principals.create(administrator, id, 'service');
  await subject.principals.grant(administrator, id, 'operator', tenant);
}

/** Returns the first events of the jobs with a label. */
async function findSubmissions(run: string) {
  const { rows } = await subject.pool.query<{ actor: unknown; tenant: string }>(
    `SELECT metadata -> 'actor' AS actor, data ->> 'tenant' AS tenant FROM phaseline.events
     WHERE type = 'JobSubmitted' AND data -> 'labels' ->> 'run' = $1`,
    [run],
  );
  return rows;
}

async function findDeadLetter(messageId: string): Promise<{ id: string; reason: string } | undefined> {
  const { rows } = await subject.pool.query<{ id: string; reason: string }>(
    'SELECT id::text AS id, reason FROM phaseline.dead_letters WHERE message_id = $1',
    [messageId],
  );
  return rows[0];
}

const until = { timeout: 60_000 };

describe('a message on the queue "jobs"', () => {
  it('of a login on PostgreSQL is for the principal of that name, in its only tenant', async () => {
    const { name, send } = await createLogin();
    await createPrincipal(name, subject.own.tenant);
    await send({ agent: 'writer', labels: { run: name } }, 'order-1');
    await expect
      .poll(() => findSubmissions(name), until)
      .toEqual([{ actor: { id: name, kind: 'service' }, tenant: subject.own.tenant }]);
  });

  it('for a tenant in which its principal may not submit is refused, and the log has no job', async () => {
    const { name, send } = await createLogin();
    await createPrincipal(name, subject.own.tenant);
    await send({ agent: 'writer', tenant: subject.other.tenant, labels: { run: name } }, 'order-2');
    await expect
      .poll(async () => (await findDeadLetter(`${name}.order-2`))?.reason, until)
      .toMatch(/lacks the right jobs:submit.*forbidden/);
    expect(await findSubmissions(name)).toEqual([]);
  });

  it('of a login without a principal is refused, and a retry is still for that login', async () => {
    const { name, send } = await createLogin();
    await send({ agent: 'writer', labels: { run: name } }, 'order-3');
    await expect
      .poll(async () => (await findDeadLetter(`${name}.order-3`))?.reason, until)
      .toMatch(new RegExp(`principal ${name}, which does not exist or is disabled`));
    await createPrincipal(name, subject.own.tenant);
    const { key } = await subject.createCaller([{ role: 'operator', tenant: '*' }]);
    const deadLetter = await findDeadLetter(`${name}.order-3`);
    const retried = await subject.orchestrator.json(`/v1/dead-letters/${deadLetter!.id}/retry`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    expect(retried.status).toBe(200);
    await expect
      .poll(() => findSubmissions(name), until)
      .toEqual([{ actor: { id: name, kind: 'service' }, tenant: subject.own.tenant }]);
  });

  it('of a principal that was disabled is refused', async () => {
    const { name, send } = await createLogin();
    await createPrincipal(name, subject.own.tenant);
    await subject.principals.disable(administrator, name, 'left');
    await send({ agent: 'writer', labels: { run: name } }, 'order-4');
    await expect.poll(async () => (await findDeadLetter(`${name}.order-4`))?.reason, until).toContain('is disabled');
    expect(await findSubmissions(name)).toEqual([]);
  });

  it('that no login of a producer sent is refused where callers need keys and no principal is configured', async () => {
    await sendToJobs(subject.orchestrator, { agent: 'writer', labels: { run: 'unnamed' } }, 'unnamed');
    await expect
      .poll(async () => (await findDeadLetter('unnamed'))?.reason, until)
      .toMatch(/Nothing proves who sent the message.*PHASELINE_QUEUE_PRINCIPAL/);
    expect(await findSubmissions('unnamed')).toEqual([]);
  });
});
