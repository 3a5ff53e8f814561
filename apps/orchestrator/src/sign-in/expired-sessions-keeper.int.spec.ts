import { createPool, queryRows } from '@phaseline/event-store';
import { SessionStore } from '@phaseline/identity';
import { createLogger } from '@phaseline/service';
import { expect, it } from 'vitest';
import { startOrchestrator } from '../testing/orchestrator-for-specs.js';
import { ExpiredSessionsKeeper } from './expired-sessions-keeper.js';

it('an orchestrator removes what expired while none ran, and keeps what is valid', async () => {
  const first = await startOrchestrator({});
  const pool = createPool(first.databaseUrls.service);
  try {
    const ada = { id: 'ada', kind: 'person' } as const;
    const valid = new SessionStore(pool, first.store);
    const past = new SessionStore(pool, first.store, { linkMs: -1, idleMs: -1, maxMs: 60_000 });
    const kept = await valid.start('ada', 'link', ada);
    await valid.createLink('ada');
    await past.start('ada', 'link', ada);
    await past.createLink('ada');
    await valid.beginAttempt('state', { nonce: 'n', verifier: 'v' });
    await valid.beginAttempt('expired', { nonce: 'n', verifier: 'v' });
    await queryRows(pool, {
      text: `UPDATE phaseline.sign_in_attempts SET expires_at = now() - interval '1 second' WHERE nonce = 'n' AND ctid =
        (SELECT min(ctid) FROM phaseline.sign_in_attempts)`,
      values: [],
    });
    const count = async (): Promise<unknown> =>
      (
        await queryRows(pool, {
          text: `SELECT (SELECT count(*)::int FROM phaseline.sessions) AS sessions,
            (SELECT count(*)::int FROM phaseline.login_links) AS links,
            (SELECT count(*)::int FROM phaseline.sign_in_attempts) AS attempts`,
          values: [],
        })
      )[0];
    expect(await count()).toEqual({ sessions: 2, links: 2, attempts: 2 });
    const second = await startOrchestrator({}, { beside: first });
    await expect.poll(count).toEqual({ sessions: 1, links: 1, attempts: 1 });
    expect(await valid.find(kept.token)).toMatchObject({ principal: 'ada' });
    expect(await second.stop()).toBe(true);
  } finally {
    await pool.end();
    await first.stop();
  }
});

it('removes again after each pause, also if the database was unreachable in between', async () => {
  let log = '';
  const stop = new AbortController();
  let calls = 0;
  const sessions = {
    removeExpired: async () => {
      calls += 1;
      if (calls === 2) throw new Error('no connection');
    },
  };
  const logger = createLogger({
    ...{ service: 'orchestrator', processId: 'spec', level: 'info', env: {} },
    destination: { write: (line) => void (log += line) },
  });
  const pauses: number[] = [];
  await new ExpiredSessionsKeeper(logger, stop.signal, sessions as unknown as SessionStore).run(async (ms) => {
    pauses.push(ms);
    if (pauses.length === 3) stop.abort();
  });
  expect(calls).toBe(3);
  expect(pauses.every((ms) => ms >= 450_000 && ms <= 750_000)).toBe(true);
  expect(log).toContain('expired sessions could not be removed');
});
