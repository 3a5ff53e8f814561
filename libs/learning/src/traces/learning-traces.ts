import type { EventId, JobId, LearningTraceScope } from '@phaseline/contracts';
import type { Queryable } from '@phaseline/event-store';
import { fuseRankings } from '../embeddings/fuse-rankings.js';
import type { Similarity } from '../embeddings/similarity.js';
import type { LearningTrace } from './learning-trace.js';
import {
  FILTERED,
  toFilterParameters,
  toReaderParameters,
  VISIBLE,
  type LearningTraceFilter,
  type LearningTraceReader,
} from './visible-traces.js';

/** Maximum number of different words of a question that are looked up, the first ones. */
const MAX_WORDS = 40;

/** Candidates of a search whose score is computed, the newest ones: more than a job and the promoted traces of a tenant have. */
const MAX_CANDIDATES = 20_000;

/** Weights of words of the codes, of the reasons and the task, of what was correct, and of what happened. */
const WEIGHTS = `'{0.1, 0.3, 0.7, 1}'`;

const COLUMNS = `t.id, t.position::float8 AS position, t.tenant, t.project, t.scope, t.job_id, t.phase,
  to_char(t.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS recorded_at,
  t.type, t.source, t.action, t.reason, t.agent, t.feature, t.todo, t.task, t.happened, t.correct, t.why`;

/** Places per ranking that are fused, at least. */
const FUSED_PLACES = 50;

/** Queries learning traces. Results may be a second behind the log. */
export class LearningTraces {
  constructor(
    private readonly database: Queryable,
    /** Absent where no server of embeddings is configured. */
    private readonly similarity?: Similarity,
  ) {}

  /** Lists learning traces, newest first. `before`: position of the last one on the previous page. */
  async list(
    reader: LearningTraceReader,
    filter: LearningTraceFilter,
    { before, limit }: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<readonly LearningTrace[]> {
    const { rows } = await this.database.query<LearningTraceRow>(
      `SELECT ${COLUMNS} FROM phaseline.learning_traces AS t
       WHERE ${VISIBLE} AND ${FILTERED} AND ($11::bigint IS NULL OR t.position < $11)
       ORDER BY t.position DESC LIMIT $12`,
      [...toReaderParameters(reader), ...toFilterParameters(filter), before ?? null, limit],
    );
    return rows.map(toLearningTrace);
  }

  /** Finds the learning traces that fit a text, the best first: by its words, and by the similarity of embeddings where there are any. */
  async search(
    reader: LearningTraceReader,
    filter: LearningTraceFilter,
    { text, limit }: { readonly text: string; readonly limit: number },
  ): Promise<readonly LearningTrace[]> {
    if (!this.similarity) return this.searchWords(reader, filter, { text, limit });
    const wanted = { text, limit: Math.max(limit, FUSED_PLACES) };
    const [byWords, similar] = await Promise.all([
      this.searchWords(reader, filter, wanted),
      this.similarity.search(reader, filter, wanted),
    ]);
    const best = fuseRankings(
      byWords.map(({ id }) => id),
      similar,
    ).slice(0, limit);
    const known = new Map(byWords.map((trace) => [trace.id, trace]));
    const others = await this.findAll(
      reader,
      best.filter((id) => !known.has(id)),
    );
    for (const trace of others) known.set(trace.id, trace);
    return best.flatMap((id) => known.get(id) ?? []);
  }

  /**
   * Finds the learning traces that share words with a text, the best first. A word counts the more the fewer of the traces contain it, because a
   * question in plain language has words that most of them contain.
   */
  private async searchWords(
    reader: LearningTraceReader,
    filter: LearningTraceFilter,
    { text, limit }: { readonly text: string; readonly limit: number },
  ): Promise<readonly LearningTrace[]> {
    const { rows } = await this.database.query<LearningTraceRow>(
      `WITH word AS MATERIALIZED (
         SELECT lexeme FROM unnest(phaseline.learning_lexemes($11)) ORDER BY positions[1] LIMIT ${MAX_WORDS}
       ), candidate AS MATERIALIZED (
         SELECT t.id, t.position, t.search FROM phaseline.learning_traces AS t
         WHERE ${VISIBLE} AND ${FILTERED}
           AND t.search @@ (SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery FROM word)
         ORDER BY t.position DESC LIMIT ${MAX_CANDIDATES}
       ), hit AS (
         SELECT c.id, c.position, w.lexeme, ts_rank(${WEIGHTS}, c.search, quote_literal(w.lexeme)::tsquery) AS rank
         FROM candidate AS c JOIN word AS w ON c.search @@ quote_literal(w.lexeme)::tsquery
       ), weight AS (
         SELECT lexeme, ln(1 + (SELECT count(*) FROM candidate)::float8 / count(*)) AS weight FROM hit GROUP BY lexeme
       ), best AS (
         SELECT id, position, sum(weight * rank) AS score FROM hit JOIN weight USING (lexeme)
         GROUP BY id, position ORDER BY score DESC, position DESC LIMIT $12
       )
       SELECT ${COLUMNS} FROM best JOIN phaseline.learning_traces AS t USING (id) ORDER BY best.score DESC, best.position DESC`,
      [...toReaderParameters(reader), ...toFilterParameters(filter), text, limit],
    );
    return rows.map(toLearningTrace);
  }

  /** Returns a learning trace; undefined if there is none that the reader may see. */
  async find(reader: LearningTraceReader, id: EventId): Promise<LearningTrace | undefined> {
    return (await this.findAll(reader, [id]))[0];
  }

  private async findAll(reader: LearningTraceReader, ids: readonly EventId[]): Promise<readonly LearningTrace[]> {
    if (ids.length === 0) return [];
    const { rows } = await this.database.query<LearningTraceRow>(
      `SELECT ${COLUMNS} FROM phaseline.learning_traces AS t WHERE ${VISIBLE} AND t.id = ANY ($4::uuid[])`,
      [...toReaderParameters(reader), ids],
    );
    return rows.map(toLearningTrace);
  }
}

interface LearningTraceRow {
  readonly id: EventId;
  readonly position: number;
  readonly tenant: string;
  readonly project: string;
  readonly scope: LearningTraceScope;
  readonly job_id: JobId;
  readonly phase: number | null;
  readonly recorded_at: string;
  readonly type: LearningTrace['type'];
  readonly source: LearningTrace['source'];
  readonly action: LearningTrace['action'];
  readonly reason: LearningTrace['reason'];
  readonly agent: string;
  readonly feature: string | null;
  readonly todo: number | null;
  readonly task: string | null;
  readonly happened: string;
  readonly correct: string | null;
  readonly why: string | null;
}

function toLearningTrace(row: LearningTraceRow): LearningTrace {
  const { id, position, tenant, project, scope, phase, type, source, action, reason, agent, feature, todo, task } = row;
  const { happened, correct, why } = row;
  return {
    ...{ id, position, tenant, project, scope, type, source, action, reason },
    jobId: row.job_id,
    ...(phase === null ? {} : { phase }),
    timestamp: row.recorded_at,
    context: {
      agent,
      ...(feature === null ? {} : { feature }),
      ...(todo === null ? {} : { todo }),
      ...(task === null ? {} : { task }),
    },
    event: { happened, ...(correct === null ? {} : { correct }), ...(why === null ? {} : { why }) },
  };
}
