import type { Queryable } from '@phaseline/event-store';

export interface AssessmentFilter {
  /** The tenants whose plans are read. */
  readonly tenants: 'all' | readonly string[];
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** Only drafts assessed at this ISO time or later. */
  readonly since?: string | undefined;
}

/** An assessed draft of which is known what became of it. */
export interface DecidedAssessment {
  readonly agent: string;
  readonly model: string | null;
  readonly confidence: number;
  readonly outcome: 'approved' | 'changed' | 'invalid' | 'aborted';
}

/** Maximum number of drafts that are read, the newest ones: years of a busy installation. */
const MAX_ASSESSMENTS = 100_000;

/** Reads the newest assessed drafts of which is known what became of them. Those that the planner replaced itself are not among them. */
export async function readDecidedAssessments(
  database: Queryable,
  { tenants, agent, model, since }: AssessmentFilter,
): Promise<readonly DecidedAssessment[]> {
  const { rows } = await database.query<DecidedAssessment>(
    `SELECT agent, model, confidence, outcome FROM phaseline.stage_assessments
     WHERE outcome IN ('approved', 'changed', 'invalid', 'aborted')
       AND ($1::text[] IS NULL OR tenant = ANY ($1)) AND ($2::text IS NULL OR agent = $2)
       AND ($3::text IS NULL OR model = $3) AND ($4::timestamptz IS NULL OR assessed_at >= $4)
     ORDER BY assessed_at DESC LIMIT $5`,
    [tenants === 'all' ? null : [...tenants], agent ?? null, model ?? null, since ?? null, MAX_ASSESSMENTS],
  );
  return rows;
}
