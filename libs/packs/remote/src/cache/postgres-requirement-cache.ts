import { toWellFormedJson } from '@phaseline/basics';
import type { Modality } from '@phaseline/contracts';
import { withDatabase, type Database } from '@phaseline/tools';
import { digestRequirement } from './digest-requirement.js';
import type {
  CachedRequirement,
  CallIdentity,
  ClaimEnd,
  ClaimEndResult,
  ClaimRecord,
  ListRequirements,
  NewRequirement,
  RequirementCache,
  RequirementStatus,
  WrittenRequirement,
} from './requirement-cache.js';

/** An entry whose claim has expired this many times is marked `failed`. */
const MAX_CLAIMS_PER_ENTRY = 5;

interface Row {
  id: string;
  requirement_id: string;
  content: string;
  modality: string;
  section: string[];
  citation: Record<string, unknown>;
  confidence: number;
  status: RequirementStatus;
  token: number;
  written_by: string;
  claimed_by: string | null;
  lease_expires_at: Date | null;
  note: string | null;
}

/**
 * The cache in PostgreSQL (migrations/000015_requirement_cache.sql). Every change is one call of an SQL function, and
 * so one transaction.
 */
export class PostgresRequirementCache implements RequirementCache {
  constructor(private readonly database: Database) {}

  async write(
    { collection, jobId, callId }: CallIdentity,
    requirements: readonly NewRequirement[],
  ): Promise<readonly WrittenRequirement[]> {
    const entries = requirements.map((requirement) => ({
      ...requirement,
      digest: digestRequirement(requirement.text),
    }));
    const rows = await this.query<{
      entry_id: string;
      is_new: boolean;
      requirement_id: string;
      status: RequirementStatus;
      written_by: string;
    }>('SELECT * FROM phaseline.cache_requirements($1, $2, $3, $4)', [
      collection,
      jobId,
      callId,
      toWellFormedJson(entries),
    ]);
    return rows.map((row) => ({
      entry: Number(row.entry_id),
      isNew: row.is_new,
      id: row.requirement_id,
      status: row.status,
      writtenBy: row.written_by,
    }));
  }

  async claim(
    { collection, jobId, callId }: CallIdentity,
    { limit, leaseMs }: { limit: number; leaseMs: number },
  ): Promise<readonly CachedRequirement[]> {
    const rows = await this.query<Row>(
      `SELECT * FROM phaseline.claim_requirements($1, $2, $3, $4, $5::integer * interval '1 millisecond', $6) ORDER BY id`,
      [collection, jobId, callId, limit, leaseMs, MAX_CLAIMS_PER_ENTRY],
    );
    return rows.map(toCachedRequirement);
  }

  async endClaim(
    { collection, jobId, callId }: CallIdentity,
    { entry, token, outcome, note, leaseMs }: ClaimEnd,
  ): Promise<ClaimEndResult | undefined> {
    const [row] = await this.query<Pick<Row, 'status' | 'token' | 'lease_expires_at'> & { accepted: boolean }>(
      `SELECT * FROM phaseline.end_requirement_claim($1, $2, $3, $4, $5, $6, $7, $8::integer * interval '1 millisecond')`,
      [collection, jobId, callId, entry, token, outcome, note ?? null, leaseMs],
    );
    return (
      row && {
        accepted: row.accepted,
        status: row.status,
        token: row.token,
        leaseExpiresAt: row.lease_expires_at?.toISOString(),
      }
    );
  }

  async listClaims(
    { collection, jobId }: Pick<CallIdentity, 'collection' | 'jobId'>,
    limit: number,
  ): Promise<readonly ClaimRecord[]> {
    const rows = await this.query<
      Row & { outcome: ClaimRecord['outcome']; claim_note: string | null; ended: Date | null }
    >(
      `SELECT c.*, o.token, o.outcome, o.note AS claim_note, o.ended_at AS ended
       FROM phaseline.requirement_outcomes AS o JOIN phaseline.cached_requirements AS c ON c.id = o.entry_id
       WHERE o.job_id = $1 AND c.collection = $2
       UNION ALL
       SELECT c.*, c.token, 'held', NULL, NULL FROM phaseline.cached_requirements AS c
       WHERE c.claimed_by = $1 AND c.status = 'claimed' AND c.collection = $2
       ORDER BY ended NULLS LAST, id LIMIT $3`,
      [jobId, collection, limit],
    );
    return rows.map((row) => {
      const { entry, id, text, modality, section, citation, confidence, token } = toCachedRequirement(row);
      const note = row.claim_note ?? undefined;
      const endedAt = row.ended?.toISOString();
      return { entry, id, text, modality, section, citation, confidence, token, outcome: row.outcome, note, endedAt };
    });
  }

  async list(
    collection: string,
    { status, contains, after, limit }: ListRequirements,
  ): Promise<readonly CachedRequirement[]> {
    const rows = await this.query<Row>(
      `SELECT * FROM phaseline.cached_requirements
       WHERE collection = $1 AND id > $2 AND ($3::text IS NULL OR status = $3)
         AND ($4::text IS NULL OR strpos(lower(content), lower($4)) > 0 OR strpos(lower(requirement_id), lower($4)) > 0)
       ORDER BY id LIMIT $5`,
      [collection, after, status ?? null, contains ?? null, limit],
    );
    return rows.map(toCachedRequirement);
  }

  async countByStatus(collection: string): Promise<Readonly<Record<RequirementStatus, number>>> {
    const rows = await this.query<{ status: RequirementStatus; number: number }>(
      'SELECT status, count(*)::integer AS number FROM phaseline.cached_requirements WHERE collection = $1 GROUP BY status',
      [collection],
    );
    const counts = { pending: 0, claimed: 0, done: 0, failed: 0 };
    for (const { status, number } of rows) counts[status] = number;
    return counts;
  }

  private async query<R extends object>(text: string, values: unknown[]): Promise<R[]> {
    return withDatabase(async () => (await this.database.query<R>(text, values)).rows);
  }
}

function toCachedRequirement(row: Row): CachedRequirement {
  return {
    entry: Number(row.id),
    id: row.requirement_id,
    text: row.content,
    modality: row.modality as Modality,
    section: row.section,
    citation: row.citation,
    confidence: row.confidence,
    status: row.status,
    token: row.token,
    writtenBy: row.written_by,
    claimedBy: row.claimed_by ?? undefined,
    leaseExpiresAt: row.lease_expires_at?.toISOString(),
    note: row.note ?? undefined,
  };
}
