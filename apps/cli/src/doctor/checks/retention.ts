import { readTableCleanings, RetentionRuns, readRetentionSettings } from '@phaseline/orchestration';
import { toPrintable } from '../../output/printable.js';
import { formatAge, pluralise } from '../../output/quantities.js';
import { fail, formatList, ok, warn, type Check, type Finding } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';
import { hasTable } from './anchors.js';

/** Ended jobs of which something is due to be removed. Of those that a run had to keep, this cannot be known. */
const COUNT_DUE = `
  SELECT count(*)::int AS due FROM phaseline.jobs AS j JOIN phaseline.retention_settings AS s ON s.tenant = j.tenant
  WHERE j.ended_at + make_interval(days => least(s.files_days, s.vectors_days)) < clock_timestamp()
    AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = j.job_id::text)`;

/** Ended jobs whose events should have moved to cold storage. A run knows them once it has read their end. */
const COUNT_DUE_FOR_COLD_STORAGE = `
  SELECT count(*)::int AS due FROM phaseline.retention_settings AS s JOIN phaseline.cold_candidates AS c USING (tenant)
  WHERE c.ended_at + make_interval(days => s.cold_days) < clock_timestamp()`;

/** Settings that were written by hand. Those of earlier releases name nobody, and have no event. */
const FIND_UNLOGGED = `
  SELECT s.tenant FROM phaseline.retention_settings AS s
  LEFT JOIN LATERAL (SELECT e.data FROM phaseline.events AS e WHERE e.stream_id = 'retention-' || s.tenant
    AND e.type = 'RetentionSet' ORDER BY e.version DESC LIMIT 1) AS e ON true
  WHERE s.changed_by IS NOT NULL AND (e.data IS NULL OR (e.data ->> 'filesDays')::int IS DISTINCT FROM s.files_days
    OR (e.data ->> 'vectorsDays')::int IS DISTINCT FROM s.vectors_days
    OR (e.data ->> 'learningDays')::int IS DISTINCT FROM s.learning_days
    OR (e.data ->> 'coldDays')::int IS DISTINCT FROM s.cold_days)
  ORDER BY s.tenant`;

/** Checks that files and vectors of ended jobs are removed after the time that their tenants set. */
export const retention: Check = {
  name: 'retention',
  needs: ['schema'],
  run: async function* (target) {
    if (!(await hasTable(target, 'table_cleanings'))) return ok('not in this schema');
    const uncleaned = (await readTableCleanings(target.pool)).filter(
      ({ endedAt, startedAt }) => target.now() - (endedAt ?? startedAt).getTime() > target.limits.cleaningAgeMs,
    );
    if (uncleaned.length > 0)
      yield warn(
        `old rows of ${formatList(uncleaned.map(({ table }) => table))} were not removed for ${formatAge(target.limits.cleaningAgeMs)}`,
        'see that an orchestrator runs, and search its log for "old rows could not be removed"',
      );
    const settings = (await readRetentionSettings(target.pool)).filter(
      ({ filesDays, vectorsDays, learningDays, coldDays }) =>
        (filesDays ?? vectorsDays ?? learningDays ?? coldDays) !== null,
    );
    if (settings.length === 0) return ok('every tenant keeps everything');
    const { rows: unlogged } = await target.pool.query<{ tenant: string }>(FIND_UNLOGGED);
    if (unlogged.length > 0)
      return fail(
        `the retention of ${formatList(unlogged.map(({ tenant }) => toPrintable(tenant)))} is not what the log says: it was changed by hand`,
        'phaseline retention set TENANT, with the days that are right',
      );
    const tenants = `${pluralise(settings.length, 'tenant')} with a setting`;
    const last = await new RetentionRuns(target.pool).getLatest('all');
    if (!last) return checkDue(target, `${tenants}; there was no run yet`);
    const ageMs = target.now() - (last.startedAt ?? last.requestedAt).getTime();
    if (last.failure !== null)
      return warn(
        `the last run of retention failed ${formatAge(ageMs)} ago: ${toPrintable(last.failure)}`,
        'phaseline retention run',
      );
    const kept = last.jobs - last.removedJobs;
    const facts = `${tenants}; last run ${formatAge(ageMs)} ago: ${pluralise(last.files, 'file')} removed, ${pluralise(kept, 'job')} kept`;
    return ageMs > target.limits.retentionAgeMs ? checkDue(target, facts) : ok(facts);
  },
};

/** Runs are rare because nothing is due, or because no orchestrator starts them. */
async function checkDue({ pool }: DoctorTarget, facts: string): Promise<Finding> {
  const { rows } = await pool.query<{ due: number }>(COUNT_DUE);
  const { rows: cold } = await pool.query<{ due: number }>(COUNT_DUE_FOR_COLD_STORAGE);
  const [removable, movable] = [rows[0]!.due, cold[0]!.due];
  const due = [
    ...(removable === 0 ? [] : [`${pluralise(removable, 'job')} may have files or vectors that are due to be removed`]),
    ...(movable === 0 ? [] : [`events of ${pluralise(movable, 'job')} are due to move to cold storage`]),
  ];
  if (due.length === 0) return ok(facts);
  return warn(
    [facts, ...due].join('; '),
    'phaseline retention run, and see that PHASELINE_RETENTION_INTERVAL_MS is not 0',
  );
}
