import { EventStore, queryRows } from '@phaseline/event-store';
import { holdJob } from '@phaseline/orchestration';
import { withLogPool } from '../audit/with-log-pool.js';
import type { CommandContext } from '../command/command-context.js';
import { NoSuchJob, UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { readJobId } from '../connection/job-id.js';
import { toPrintable } from '../output/printable.js';
import { getOperator } from './get-operator.js';

interface HoldRow {
  readonly jobId: string;
  readonly actor: string;
  readonly reason: string;
  readonly placedAt: Date;
}

/** The newest event about a hold decides per job. */
const LIST_HOLDS = {
  text: `SELECT correlation_id AS "jobId", data ->> 'actor' AS actor, data ->> 'reason' AS reason, recorded_at AS "placedAt"
    FROM (SELECT DISTINCT ON (correlation_id) * FROM phaseline.events WHERE type IN ('HoldPlaced', 'HoldReleased')
          ORDER BY correlation_id, version DESC) AS newest
    WHERE type = 'HoldPlaced' ORDER BY recorded_at`,
  values: [],
};

/** `phaseline holds place JOB --reason TEXT`: prevents that anything of a job is removed or erased. */
export function placeHold(context: CommandContext, given: string, options: { readonly reason: string }) {
  return changeHold(context, given, options.reason, false);
}

/** `phaseline holds release JOB --reason TEXT`: releases the legal hold on a job. */
export function releaseHold(context: CommandContext, given: string, options: { readonly reason: string }) {
  return changeHold(context, given, options.reason, true);
}

/** `phaseline holds list`: shows the legal holds on all jobs. */
export async function listHolds(context: CommandContext): Promise<ExitCode> {
  const { out } = context;
  return withLogPool(context, 'phaseline-holds', async (pool) => {
    const holds = await queryRows<HoldRow>(pool, LIST_HOLDS);
    if (out.isStructured)
      out.writeDocument({ items: holds.map((hold) => ({ ...hold, placedAt: hold.placedAt.toISOString() })) });
    else if (holds.length === 0) out.writeLines('No job is on hold.');
    else
      out.writeLines(
        ...holds.map(
          ({ jobId, actor, reason, placedAt }) =>
            `${jobId}  ${placedAt.toISOString()}  ${toPrintable(actor)}: ${toPrintable(reason)}`,
        ),
      );
    return exitCode.ok;
  });
}

async function changeHold(
  context: CommandContext,
  given: string,
  reason: string,
  isReleased: boolean,
): Promise<ExitCode> {
  const { out } = context;
  const { text: jobId, whole } = readJobId(given);
  if (!whole) throw new UsageError('a hold needs the full id of the job, because this command reads no list of jobs');
  return withLogPool(context, 'phaseline-holds', async (pool) => {
    const outcome = await holdJob(new EventStore(pool), jobId, { actor: getOperator(), reason, isReleased });
    if (outcome === 'no-such-job') throw new NoSuchJob(`There is no job ${jobId}.`);
    const changed = outcome === 'recorded';
    if (out.isStructured) out.writeDocument({ jobId, held: !isReleased, changed });
    else if (isReleased) out.writeLines(changed ? `${jobId}: the hold was released.` : `${jobId} was not on hold.`);
    else out.writeLines(changed ? `${jobId} is on hold.` : `${jobId} was already on hold.`);
    return exitCode.ok;
  });
}
