import type { CallId, JobId } from '@phaseline/contracts';
import type { RecordedEvent, Queryable } from '@phaseline/event-store';
import {
  findBehindJobs,
  isContentError,
  shouldApply,
  describeUnfoldable,
  recordBehind,
  decodeEvents,
} from '../behind/behind-jobs.js';
import { Fold, readModels } from '../fold/fold.js';
import { JOB_COLUMNS, rowToView, type JobRow } from '../jobs/job-rows.js';
import type { ViewChange } from '../log/view-events.js';
import { readSchedules } from '../log/read-schedules.js';
import { phaseKey, phaseOf, type PhaseRow } from '../models/phases.js';
import { mayChangePlan, type PlanRow } from '../models/plans.js';
import {
  mayChangeQuestion,
  preferenceQuestionKey,
  type PreferenceQuestionRow,
} from '../models/preference-questions.js';
import { columnsOf, readModelNames, type ReadModel } from '../models/read-model.js';
import { mayChangeAssessments, type StageAssessmentRow } from '../models/stage-assessments.js';
import { toolCallKey, findTouchedCalls, type ToolCallRow } from '../models/tool-calls.js';
import { lockVersionsShared } from '../tables/locks.js';
import { readActiveVersions, tableName, type TableVersions } from '../tables/table-versions.js';
import { upsertRows } from '../tables/upsert-rows.js';

/**
 * Applies events to the read models; they must be in the order of the log. Run it in the transaction that moves the
 * checkpoint: then each event counts once, even if any process is killed at any time. Events that the rows already
 * include change nothing.
 *
 * A job with an event that cannot be read or is of a newer release, or whose rows the tables refuse, is recorded as
 * behind and its rows are not updated after this event; other jobs are not affected. Throws ReadModelsBehind and
 * ReadModelsAhead.
 */
export async function projectEvents(transaction: Queryable, events: readonly RecordedEvent[]): Promise<void> {
  const understood = decodeEvents(events);
  if (understood.changes.length === 0 && understood.behind.length === 0) return;
  await lockVersionsShared(transaction);
  await recordBehind(transaction, understood.behind);
  const changes = await withoutBlockedChanges(transaction, understood.changes);
  if (changes.length === 0) return;
  const versions = await readActiveVersions(transaction);
  if (!(await runIsolated(transaction, () => writeChanges(transaction, versions, changes)))) return;
  // One job makes the page fail, so write each job on its own.
  for (const changesOfJob of Map.groupBy(changes, ({ jobId }) => jobId).values())
    await writeJob(transaction, versions, changesOfJob);
}

/** Writes the changes of one job up to the first that cannot be written, and records the job as behind there. */
async function writeJob(
  transaction: Queryable,
  versions: TableVersions,
  changes: readonly ViewChange[],
): Promise<void> {
  for (const change of changes) {
    const error = await runIsolated(transaction, () => writeChanges(transaction, versions, [change]));
    if (!error) continue;
    const behind = describeUnfoldable(change, error.cause);
    await recordBehind(transaction, [behind]);
    const after = changes.slice(changes.indexOf(change) + 1).filter((later) => shouldApply(later, behind));
    for (const later of after) await runIsolated(transaction, () => writeChanges(transaction, versions, [later]));
    return;
  }
}

/** Runs a part of a transaction and rolls that part back when its content causes an error, which it then returns. */
async function runIsolated(
  transaction: Queryable,
  run: () => Promise<void>,
): Promise<{ readonly cause: unknown } | undefined> {
  await transaction.query('SAVEPOINT read_models');
  try {
    await run();
    await transaction.query('RELEASE SAVEPOINT read_models');
    return undefined;
  } catch (error) {
    if (!isContentError(error)) throw error;
    await transaction.query('ROLLBACK TO SAVEPOINT read_models');
    await transaction.query('RELEASE SAVEPOINT read_models');
    return { cause: error };
  }
}

async function writeChanges(
  transaction: Queryable,
  versions: TableVersions,
  changes: readonly ViewChange[],
): Promise<void> {
  const fold = new Fold(await readSchedules(transaction, changes));
  await loadJobs(transaction, versions, fold, changes);
  await loadPhases(transaction, versions, fold, changes);
  await loadToolCalls(transaction, versions, fold, changes);
  await loadPlans(transaction, versions, fold, changes);
  await loadPreferenceQuestions(transaction, versions, fold, changes);
  await loadAssessments(transaction, versions, fold, changes);
  for (const change of changes) fold.apply(change);
  // The tasks of the plan's previous schedule.
  if (fold.scheduledTasks.size > 0)
    await transaction.query(
      `DELETE FROM ${tableName('scheduled_tasks', versions.scheduled_tasks)} WHERE job_id = ANY ($1::uuid[])`,
      [[...fold.scheduledTasks.keys()]],
    );
  for (const name of readModelNames)
    await upsertRows(transaction, readModels[name], tableName(name, versions[name]), fold.rows(name));
}

/** Removes changes after the position at which their job is behind. */
async function withoutBlockedChanges(
  transaction: Queryable,
  changes: readonly ViewChange[],
): Promise<readonly ViewChange[]> {
  const behind = await findBehindJobs(transaction, [...new Set(changes.map(({ jobId }) => jobId))]);
  if (behind.size === 0) return changes;
  return changes.filter((change) => shouldApply(change, behind.get(change.jobId)));
}

async function loadJobs(
  transaction: Queryable,
  { jobs }: TableVersions,
  fold: Fold,
  changes: readonly ViewChange[],
): Promise<void> {
  const { rows } = await transaction.query<JobRow>(
    `SELECT ${JOB_COLUMNS} FROM ${tableName('jobs', jobs)} WHERE job_id = ANY ($1::uuid[]) FOR UPDATE`,
    [[...new Set(changes.map(({ jobId }) => jobId))]],
  );
  for (const row of rows) fold.jobs.load(row.job_id, rowToView(row));
}

async function loadPhases(
  transaction: Queryable,
  versions: TableVersions,
  fold: Fold,
  changes: readonly ViewChange[],
): Promise<void> {
  const neededKeys = new Map<string, readonly [JobId, number]>();
  for (const change of changes) {
    const phase = phaseOf(change);
    if (phase !== undefined) neededKeys.set(phaseKey(change.jobId, phase), [change.jobId, phase]);
  }
  if (neededKeys.size === 0) return;
  const keys = [...neededKeys.values()];
  const { rows } = await transaction.query<PhaseRow>(
    `SELECT ${typedColumns(readModels.phases)} FROM ${tableName('phases', versions.phases)} AS t
     JOIN unnest($1::uuid[], $2::integer[]) AS w(job_id, phase) USING (job_id, phase)`,
    [keys.map(([jobId]) => jobId), keys.map(([, phase]) => phase)],
  );
  for (const row of rows) fold.phases.load(phaseKey(row.job_id, row.phase), withNumbers(row, phaseNumbers));
}

async function loadToolCalls(
  transaction: Queryable,
  versions: TableVersions,
  fold: Fold,
  changes: readonly ViewChange[],
): Promise<void> {
  const neededKeys = new Map<string, readonly [JobId, number, CallId]>();
  for (const change of changes) {
    const phase = phaseOf(change);
    if (phase === undefined) continue;
    // Calls that these events open need not be loaded.
    for (const callId of findTouchedCalls(fold.jobs.get(change.jobId), change))
      neededKeys.set(toolCallKey(change.jobId, phase, callId), [change.jobId, phase, callId]);
  }
  if (neededKeys.size === 0) return;
  const keys = [...neededKeys.values()];
  const { rows } = await transaction.query<ToolCallRow>(
    `SELECT ${typedColumns(readModels.tool_calls)} FROM ${tableName('tool_calls', versions.tool_calls)} AS t
     JOIN unnest($1::uuid[], $2::integer[], $3::text[]) AS w(job_id, phase, call_id) USING (job_id, phase, call_id)`,
    [keys.map(([jobId]) => jobId), keys.map(([, phase]) => phase), keys.map(([, , callId]) => callId)],
  );
  for (const row of rows)
    fold.toolCalls.load(toolCallKey(row.job_id, row.phase, row.call_id), withNumbers(row, toolCallNumbers));
}

async function loadPlans(
  transaction: Queryable,
  { plans }: TableVersions,
  fold: Fold,
  changes: readonly ViewChange[],
): Promise<void> {
  const jobIds = new Set(changes.filter(({ event }) => mayChangePlan(event)).map(({ jobId }) => jobId));
  if (jobIds.size === 0) return;
  const { rows } = await transaction.query<PlanRow>(
    `SELECT ${typedColumns(readModels.plans)} FROM ${tableName('plans', plans)} WHERE job_id = ANY ($1::uuid[])`,
    [[...jobIds]],
  );
  for (const row of rows) fold.plans.load(row.job_id, withNumbers(row, ['submitted_position']));
}

async function loadPreferenceQuestions(
  transaction: Queryable,
  { preference_questions: version }: TableVersions,
  fold: Fold,
  changes: readonly ViewChange[],
): Promise<void> {
  const jobIds = new Set(changes.filter(({ event }) => mayChangeQuestion(event)).map(({ jobId }) => jobId));
  if (jobIds.size === 0) return;
  const { rows } = await transaction.query<PreferenceQuestionRow>(
    `SELECT ${typedColumns(readModels.preference_questions)} FROM ${tableName('preference_questions', version)}
     WHERE job_id = ANY ($1::uuid[])`,
    [[...jobIds]],
  );
  for (const row of rows)
    fold.preferenceQuestions.load(
      preferenceQuestionKey(row.job_id, row.preference),
      withNumbers(row, ['answered_position']),
    );
}

async function loadAssessments(
  transaction: Queryable,
  { stage_assessments: version }: TableVersions,
  fold: Fold,
  changes: readonly ViewChange[],
): Promise<void> {
  const jobIds = new Set(changes.filter(({ event }) => mayChangeAssessments(event)).map(({ jobId }) => jobId));
  if (jobIds.size === 0) return;
  const { rows } = await transaction.query<StageAssessmentRow>(
    `SELECT ${typedColumns(readModels.stage_assessments)} FROM ${tableName('stage_assessments', version)}
     WHERE job_id = ANY ($1::uuid[]) ORDER BY job_id, number`,
    [[...jobIds]],
  );
  for (const [jobId, rowsOfJob] of Map.groupBy(rows, ({ job_id }) => job_id)) fold.assessments.load(jobId, rowsOfJob);
}

/** Returns a select list with times as text, because a Date would lose three digits. */
function typedColumns(model: ReadModel): string {
  return columnsOf(model)
    .map((column) => (column.endsWith('_at') ? `${column}::text AS ${column}` : column))
    .join(', ');
}

/** bigint columns, which node-postgres returns as text. */
const phaseNumbers = ['steps', 'input_tokens', 'cached_input_tokens', 'output_tokens', 'cost_micro_usd'] as const;
const toolCallNumbers = ['position', 'duration_ms'] as const;

function withNumbers<Item extends object>(row: Item, columns: readonly (keyof Item)[]): Item {
  const copy = { ...row };
  // The callers name only columns that hold numbers.
  for (const column of columns) if (copy[column] !== null) copy[column] = Number(copy[column]) as never;
  return copy;
}
