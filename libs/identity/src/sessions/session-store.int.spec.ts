import { assertReadable } from '@phaseline/domain';
import { EventStore } from '@phaseline/event-store';
import { useTestDatabase } from '@phaseline/event-store/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { SessionStore, DEFAULT_SESSION_TIMES } from './session-store.js';

const pools = useTestDatabase();
const ada = { id: 'ada', kind: 'person' } as const;
let log: EventStore;
let sessions: SessionStore;
const withTimes = (times: Partial<typeof DEFAULT_SESSION_TIMES>): SessionStore =>
  new SessionStore(pools.service, log, { ...DEFAULT_SESSION_TIMES, ...times });

beforeEach(() => {
  log = new EventStore(pools.service, { checkEvent: assertReadable });
  sessions = withTimes({});
});

describe('a login link', () => {
  it('signs in once, also if it is used twice at the same time', async () => {
    const { token, expiresAt } = await sessions.createLink('ada');
    expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
    const used = await Promise.all([1, 2, 3, 4].map(() => sessions.useLink(token)));
    expect(used.filter((principal) => principal === 'ada')).toHaveLength(1);
    expect(await sessions.useLink(token)).toBeUndefined();
  });

  it('becomes invalid when its principal creates many newer ones; those of others stay', async () => {
    const limited = new SessionStore(pools.service, log, DEFAULT_SESSION_TIMES, { attempts: 3, links: 2 });
    const other = await limited.createLink('ben');
    const links: string[] = [];
    for (let at = 0; at < 3; at += 1) links.push((await limited.createLink('ada')).token);
    expect(await Promise.all([...links, other.token].map((token) => limited.useLink(token)))).toEqual([
      ...[undefined, 'ada', 'ada', 'ben'],
    ]);
  });

  it('does not sign in after its time, nor if it is unknown', async () => {
    const { token } = await withTimes({ linkMs: -1 }).createLink('ada');
    expect(await sessions.useLink(token)).toBeUndefined();
    expect(await sessions.useLink(`${token}x`)).toBeUndefined();
  });
});

describe('a session', () => {
  it('is found by its token until it is ended, and both are recorded', async () => {
    const { token, sessionId } = await sessions.start('ada', 'link', ada);
    expect(await sessions.find(token)).toEqual({ sessionId, principal: 'ada' });
    await sessions.end(token, ada);
    expect(await sessions.find(token)).toBeUndefined();
    await sessions.end(token, ada);
    const events = await log.read('principal-ada');
    expect(events.map(({ type, data }) => [type, data['sessionId']])).toEqual([
      ['SessionStarted', sessionId],
      ['SessionEnded', sessionId],
    ]);
  });

  it('ends when it is idle, and at its maximum age', async () => {
    const idle = await withTimes({ idleMs: -1 }).start('ada', 'link', ada);
    const old = await withTimes({ maxMs: -1 }).start('ada', 'link', ada);
    for (const { token } of [idle, old]) expect(await sessions.find(token)).toBeUndefined();
  });

  it('stays while it is used, and a check is no use', async () => {
    const { token } = await withTimes({ idleMs: 30_000 }).start('ada', 'link', ada);
    const isLater = async () =>
      (
        await pools.owner.query<{ later: boolean }>(
          `SELECT bool_and(idle_until > now() + interval '50 minutes') AS later FROM phaseline.sessions
           WHERE token_hash = sha256(convert_to($1, 'UTF8'))`,
          [token],
        )
      ).rows[0]?.later;
    expect(await sessions.find(token, false)).toBeDefined();
    expect(await isLater()).toBe(false);
    expect(await sessions.find(token)).toBeDefined();
    expect(await isLater()).toBe(true);
  });
});

describe('an attempt to sign in at a provider', () => {
  const attempt = { nonce: 'nonce', verifier: 'verifier' };

  it('is continued once, by the browser that began it', async () => {
    const browser = await sessions.beginAttempt('state', attempt);
    expect(await sessions.useAttempt('other state', browser)).toBeUndefined();
    expect(await sessions.useAttempt('state', browser)).toEqual(attempt);
    expect(await sessions.useAttempt('state', browser)).toBeUndefined();
  });

  it('is forgotten when many newer ones began, so that their number is limited', async () => {
    const limited = new SessionStore(pools.service, log, DEFAULT_SESSION_TIMES, { attempts: 3, links: 2 });
    await pools.owner.query('DELETE FROM phaseline.sign_in_attempts');
    const browsers: string[] = [];
    for (let at = 0; at < 5; at += 1) browsers.push(await limited.beginAttempt(`state ${at}`, attempt));
    const { rows } = await pools.owner.query('SELECT FROM phaseline.sign_in_attempts');
    expect(rows).toHaveLength(3);
    expect(await limited.useAttempt('state 1', browsers[1]!)).toBeUndefined();
    expect(await limited.useAttempt('state 2', browsers[2]!)).toEqual(attempt);
  });

  it('is lost if another browser continues it', async () => {
    const browser = await sessions.beginAttempt('state', attempt);
    expect(await sessions.useAttempt('state', 'another browser')).toBeUndefined();
    expect(await sessions.useAttempt('state', browser)).toBeUndefined();
  });
});

it('no token is in the database, and what has expired is removed', async () => {
  const link = await withTimes({ linkMs: -1 }).createLink('ada');
  const kept = await sessions.createLink('ada');
  const session = await withTimes({ idleMs: -1 }).start('ada', 'link', ada);
  const browser = await sessions.beginAttempt('state of dump', { nonce: 'n', verifier: 'v' });
  const dump = async (): Promise<string> =>
    (
      await pools.owner.query<{ t: string }>(
        `SELECT to_jsonb(l)::text AS t FROM phaseline.login_links l UNION ALL SELECT to_jsonb(s)::text FROM phaseline.sessions s
         UNION ALL SELECT to_jsonb(a)::text FROM phaseline.sign_in_attempts a UNION ALL SELECT to_jsonb(e)::text FROM phaseline.events e`,
      )
    ).rows
      .map(({ t }) => t)
      .join('\n');
  const before = await dump();
  for (const token of [link.token, kept.token, session.token, browser]) {
    const secret = token.slice(4);
    for (const form of [secret, Buffer.from(token).toString('hex')]) expect(before).not.toContain(form);
  }
  await sessions.removeExpired();
  const { rows } = await pools.owner.query(
    `SELECT FROM phaseline.login_links WHERE expires_at < now() UNION ALL SELECT FROM phaseline.sessions WHERE idle_until < now()`,
  );
  expect(rows).toEqual([]);
  expect(await sessions.useLink(kept.token)).toBe('ada');
});
