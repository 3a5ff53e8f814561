import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';

/** Channel on which orchestrators announce the jobs that people watch. */
export const WATCH_CHANNEL = 'phaseline_watch';
/** Channel on which workers publish the answers of watched jobs. */
export const ANSWER_CHANNEL = 'phaseline_answer';

/** Interval in milliseconds at which watches are announced again, and how long an announcement is valid. */
export const WATCH_RENEWAL_MS = 5_000;
export const WATCH_EXPIRY_MS = 15_000;

/** Maximum size of a payload in bytes. PostgreSQL refuses 8,000. */
export const MAX_PAYLOAD_BYTES = 7_900;

/** Sends payloads in one commit, in order. */
export async function sendNotifications(pool: pg.Pool, channel: string, payloads: readonly string[]): Promise<void> {
  await queryRows(pool, {
    text: 'SELECT pg_notify($1, payload) FROM unnest($2::text[]) WITH ORDINALITY AS p(payload, number) ORDER BY number',
    values: [channel, payloads],
  });
}

/** Parses a payload. Any login of the database can send on a channel, so payloads are checked; invalid ones are ignored. */
export function parsePayload<Value>(
  schema: { safeParse(value: unknown): { readonly success: boolean; readonly data?: Value | undefined } },
  payload: string,
): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}
