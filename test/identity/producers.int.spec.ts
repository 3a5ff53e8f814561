import { randomBytes } from 'node:crypto';
import { createPool } from '@phaseline/event-store';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { runCli } from '../../apps/cli/src/run-cli.js';
import { createFakeHost } from '../../apps/cli/src/testing/fake-streams.js';
import { startTwoTenants, type TwoTenants } from '../../apps/orchestrator/src/testing/two-tenants.js';

let subject: TwoTenants;
let ownerUrl: string;
const name = `shop_${randomBytes(6).toString('hex')}`;

beforeAll(async () => {
  subject = await startTwoTenants();
  const url = new URL(inject('testServer').superuserUrl);
  url.pathname = new URL(subject.orchestrator.databaseUrls.owner).pathname;
  ownerUrl = url.href;
});
afterAll(async () => {
  const pool = createPool(ownerUrl, { max: 1 });
  await pool.query(`DROP ROLE IF EXISTS ${name}`);
  await pool.end();
  await subject?.stop();
});

const create = async (...args: readonly string[]) => {
  const host = createFakeHost({ env: { DATABASE_URL: ownerUrl } });
  const code = await runCli(['producers', 'create', ...args], host);
  return { code, out: host.stdout.text, errors: host.stderr.text };
};

it('phaseline producers create makes a login and its principal, who may submit jobs of one tenant', async () => {
  expect(await create(name, '--tenant', 'no name')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('--tenant'),
  });
  const pool = createPool(ownerUrl, { max: 1 });
  await pool.query(`GRANT CONNECT ON DATABASE ${new URL(ownerUrl).pathname.slice(1)} TO phaseline_producer`);
  await pool.end();
  const created = await create(name, '--tenant', subject.own.tenant);
  expect(created).toMatchObject({ code: 0, errors: expect.stringContaining(`for the tenant ${subject.own.tenant}`) });
  expect(await subject.principals.get(name)).toMatchObject({
    kind: 'service',
    roles: [{ role: 'operator', tenant: subject.own.tenant }],
  });
  const client = new pg.Client({ connectionString: created.out.trim() });
  await client.connect();
  const request = { agent: 'writer', labels: { run: name } };
  await client
    .query('SELECT bullmq.add_to_jobs($1, $2)', [JSON.stringify(request), 'order-1'])
    .finally(() => client.end());
  await expect
    .poll(
      async () =>
        (
          await subject.pool.query(
            `SELECT metadata -> 'actor' ->> 'id' AS actor, data ->> 'tenant' AS tenant FROM phaseline.events
             WHERE type = 'JobSubmitted' AND data -> 'labels' ->> 'run' = $1`,
            [name],
          )
        ).rows,
      { timeout: 60_000 },
    )
    .toEqual([{ actor: name, tenant: subject.own.tenant }]);
});
