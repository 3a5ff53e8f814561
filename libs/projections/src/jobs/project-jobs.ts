import type { RecordedEvent } from '@phaseline/event-store';
import { evolveJobView, viewChange } from './evolve-job-view.js';
import { JOB_COLUMNS, rowOfView, viewOfRow, type JobRow, type Queryable } from './job-rows.js';
import type { JobView } from './job-view.js';

const LOAD = `SELECT ${JOB_COLUMNS} FROM phaseline.jobs WHERE job_id = ANY ($1::uuid[]) FOR UPDATE`;

/** What changes in the life of a job; the rest is written once. */
const CHANGING = [
  'position',
  'status',
  'updated_at',
  'ended_at',
  'phase_number',
  'phase_kind',
  'phase_state',
  'phase_name',
  'todos_done',
  'todos_total',
  'open_calls',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'cost_micro_usd',
  'steps',
  'result',
  'failure',
] as const;

const COLUMNS = ['job_id', 'submitted_position', 'agent', 'labels', 'created_at', ...CHANGING].join(', ');

/** All rows in one parameter: the types are those of the table's own columns. */
const SAVE = `
  INSERT INTO phaseline.jobs (${COLUMNS})
  SELECT ${COLUMNS} FROM jsonb_populate_recordset(NULL::phaseline.jobs, $1::jsonb)
  ON CONFLICT (job_id) DO UPDATE SET ${CHANGING.map((column) => `${column} = excluded.${column}`).join(', ')}`;

/**
 * Brings the table `jobs` up to these events, which must come in the order of the log. Run it in the transaction that moves
 * the checkpoint: then each event counts once, whatever is killed when. Events that are in the rows already change nothing.
 */
export async function projectJobs(transaction: Queryable, events: readonly RecordedEvent[]): Promise<void> {
  const changes = events.flatMap((event) => viewChange(event) ?? []);
  if (changes.length === 0) return;
  const jobIds = [...new Set(changes.map(({ jobId }) => jobId))];
  const { rows } = await transaction.query<JobRow>(LOAD, [jobIds]);
  const before = new Map(rows.map((row) => [row.job_id, viewOfRow(row)]));
  const after = new Map<string, JobView>(before);
  for (const change of changes) after.set(change.jobId, evolveJobView(after.get(change.jobId), change));
  const changed = [...after].filter(([jobId, view]) => view !== before.get(jobId)).map(([, view]) => rowOfView(view));
  if (changed.length > 0) await transaction.query(SAVE, [JSON.stringify(changed)]);
}
