import type { JsonObject } from '@phaseline/basics';
import type { Actor } from '@phaseline/contracts';
import { getActorName } from '@phaseline/contracts';
import { getAdministrationVersion, principalStream, type SignInMethod } from '@phaseline/domain';
import { queryRows, runInTransaction, type EventStore } from '@phaseline/event-store';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { generateToken, hashToken } from './tokens.js';

export interface SessionTimes {
  /** How long a login link can be used. */
  readonly linkMs: number;
  /** How long a session lasts without being used. */
  readonly idleMs: number;
  /** How long a session lasts at most. */
  readonly maxMs: number;
}

export const DEFAULT_SESSION_TIMES: SessionTimes = {
  linkMs: 10 * 60_000,
  idleMs: 60 * 60_000,
  maxMs: 12 * 60 * 60_000,
};

/** How long a sign-in at an OpenID provider may take. */
const ATTEMPT_MS = 10 * 60_000;

/** Number of unused sign-in attempts that are kept. Anybody can begin one, so their number must be limited. */
const MAX_ATTEMPTS = 10_000;

/** Number of unused links of one principal that are kept. */
const MAX_LINKS = 20;

export interface NewSession {
  /** The value of the cookie. It is not stored. */
  readonly token: string;
  readonly sessionId: string;
  readonly expiresAt: Date;
}

export interface Session {
  readonly sessionId: string;
  readonly principal: string;
}

/** What must be kept between the redirect to an OpenID provider and its answer. */
export interface SignInAttempt {
  readonly nonce: string;
  readonly verifier: string;
}

/**
 * One-time links and sessions of people who sign in with a browser. Tokens are stored hashed; times are those of the database. All methods
 * throw DatabaseUnreachable.
 */
export class SessionStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly store: Pick<EventStore, 'appendWithin'>,
    private readonly times: SessionTimes = DEFAULT_SESSION_TIMES,
    private readonly limits = { attempts: MAX_ATTEMPTS, links: MAX_LINKS },
  ) {}

  /** Creates a token that signs a principal in once. Of more than 20 unused links of a principal, the oldest become invalid. */
  async createLink(principal: string): Promise<{ readonly token: string; readonly expiresAt: Date }> {
    const token = generateToken('link');
    await queryRows(this.pool, {
      text: `DELETE FROM phaseline.login_links WHERE token_hash IN (
          SELECT token_hash FROM phaseline.login_links WHERE principal = $1 ORDER BY expires_at DESC OFFSET $2
          FOR UPDATE SKIP LOCKED)`,
      values: [principal, this.limits.links - 1],
    });
    const [row] = await queryRows<{ expires_at: Date }>(this.pool, {
      text: `INSERT INTO phaseline.login_links (token_hash, principal, expires_at)
        VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond') RETURNING expires_at`,
      values: [hashToken(token), principal, this.times.linkMs],
    });
    return { token, expiresAt: row!.expires_at };
  }

  /** Uses up a link and returns its principal; undefined if it is unknown, expired or used. */
  async useLink(token: string): Promise<string | undefined> {
    const [row] = await queryRows<{ principal: string; is_valid: boolean }>(this.pool, {
      text: `DELETE FROM phaseline.login_links WHERE token_hash = $1
        RETURNING principal, expires_at > clock_timestamp() AS is_valid`,
      values: [hashToken(token)],
    });
    return row?.is_valid ? row.principal : undefined;
  }

  /** Starts a session. */
  async start(principal: string, method: SignInMethod, actor: Actor): Promise<NewSession> {
    const token = generateToken('session');
    const sessionId = randomUUID();
    const expiresAt = new Date(Date.now() + this.times.maxMs);
    await runInTransaction(this.pool, async (client) => {
      const data = { sessionId, method, expiresAt: expiresAt.toISOString() };
      await this.record(client, 'SessionStarted', principal, data, actor);
      await client.query(
        `INSERT INTO phaseline.sessions (token_hash, session_id, principal, started_at, idle_until, expires_at)
         VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp() + $4 * interval '1 millisecond', $5)`,
        [hashToken(token), sessionId, principal, this.times.idleMs, expiresAt],
      );
    });
    return { token, sessionId, expiresAt };
  }

  /** Finds a session that has not ended. A use moves its idle limit. */
  async find(token: string, isUse = true): Promise<Session | undefined> {
    const [row] = await queryRows<{ session_id: string; principal: string; is_old: boolean }>(this.pool, {
      name: 'phaseline-session',
      text: `SELECT session_id, principal, idle_until < clock_timestamp() + $2 * interval '1 millisecond' AS is_old
        FROM phaseline.sessions WHERE token_hash = $1 AND least(idle_until, expires_at) > clock_timestamp()`,
      values: [hashToken(token), this.times.idleMs * 0.9],
    });
    if (!row) return undefined;
    // Only from time to time, so that a request usually writes nothing.
    if (isUse && row.is_old)
      await queryRows(this.pool, {
        text: `UPDATE phaseline.sessions SET idle_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE token_hash = $1`,
        values: [hashToken(token), this.times.idleMs],
      });
    return { sessionId: row.session_id, principal: row.principal };
  }

  /** Ends a session. Has no effect if it has already ended. */
  async end(token: string, actor: Actor): Promise<void> {
    const session = await this.find(token, false);
    if (!session) return;
    await runInTransaction(this.pool, async (client) => {
      const data = { sessionId: session.sessionId, actor: getActorName(actor) };
      await this.record(client, 'SessionEnded', session.principal, data, actor);
      await client.query('DELETE FROM phaseline.sessions WHERE token_hash = $1', [hashToken(token)]);
    });
  }

  /**
   * Remembers an attempt to sign in at an OpenID provider. Returns the token for the browser that makes it. Of more than 10,000 attempts, the
   * oldest are forgotten: their browsers must begin again.
   */
  async beginAttempt(state: string, { nonce, verifier }: SignInAttempt): Promise<string> {
    const browser = generateToken('browser');
    await queryRows(this.pool, {
      text: `DELETE FROM phaseline.sign_in_attempts WHERE state_hash IN (
          SELECT state_hash FROM phaseline.sign_in_attempts ORDER BY expires_at DESC OFFSET $1 FOR UPDATE SKIP LOCKED)`,
      values: [this.limits.attempts - 1],
    });
    await queryRows(this.pool, {
      text: `INSERT INTO phaseline.sign_in_attempts (state_hash, browser_hash, nonce, verifier, expires_at)
        VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond')`,
      values: [hashToken(state), hashToken(browser), nonce, verifier, ATTEMPT_MS],
    });
    return browser;
  }

  /** Uses up an attempt; undefined if it is unknown, expired, used, or was begun by another browser. */
  async useAttempt(state: string, browser: string): Promise<SignInAttempt | undefined> {
    const [row] = await queryRows<SignInAttempt & { is_valid: boolean }>(this.pool, {
      text: `DELETE FROM phaseline.sign_in_attempts WHERE state_hash = $1
        RETURNING nonce, verifier, browser_hash = $2 AND expires_at > clock_timestamp() AS is_valid`,
      values: [hashToken(state), hashToken(browser)],
    });
    return row?.is_valid ? { nonce: row.nonce, verifier: row.verifier } : undefined;
  }

  /** Removes what has expired. */
  async removeExpired(): Promise<void> {
    for (const table of ['login_links', 'sign_in_attempts', 'sessions'] as const)
      await queryRows(this.pool, {
        text: `DELETE FROM phaseline.${table} WHERE ${table === 'sessions' ? 'least(idle_until, expires_at)' : 'expires_at'} < clock_timestamp()`,
        values: [],
      });
  }

  private async record(
    client: pg.ClientBase,
    type: 'SessionStarted' | 'SessionEnded',
    principal: string,
    data: JsonObject,
    actor: Actor,
  ): Promise<void> {
    const streamId = principalStream(principal);
    await this.store.appendWithin(client, {
      streamId,
      // The stream belongs to no job.
      correlationId: streamId as string,
      expectedVersion: 'any',
      events: [
        {
          eventId: randomUUID(),
          type,
          schemaVersion: getAdministrationVersion(type),
          data,
          // An interface lacks the index signature of JsonObject.
          metadata: { actor } as unknown as JsonObject,
        },
      ],
    });
  }
}
