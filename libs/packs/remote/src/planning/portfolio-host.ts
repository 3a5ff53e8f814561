import type { JsonObject } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import type { PortfolioTask } from '@phaseline/planning';
import type { PackHost } from '@phaseline/tools';

/** What PortfolioProbe needs from the process that runs it. */
export interface PortfolioHost {
  /**
   * Lists the tasks of the other approved plans of the person for whom a planning job plans, in a fixed order. Tasks that end before `from` are left out.
   * Of several plans for one goal, only the one approved last counts, and none for the goal of the job itself: it replaces them.
   */
  listOtherTasks(jobId: JobId, from: Date): Promise<readonly PortfolioTask[]>;
}

/** The person for whom a planning job plans, as its submission says. */
export interface PlanOwner {
  readonly tenant: string;
  readonly user: string;
  readonly goalId?: string;
}

/** Maximum number of tasks that are read. */
const MAX_TASKS = 5_000;

interface TaskRow {
  readonly plan: string;
  readonly task: string;
  readonly title: string;
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly zone: string;
  readonly recurrence: string | null;
  readonly work_minutes: number | null;
  readonly except_days: readonly string[] | null;
}

/**
 * Creates a host that reads the read models of plans. `findOwner` says whose plan a job makes; no argument of a call does, so that no plan of another
 * tenant or person is read. Every role that may submit jobs of a tenant may also read its plans. Results may be a few milliseconds behind the log.
 */
export function createPortfolioHost(
  { database }: Pick<PackHost, 'database'>,
  findOwner: (jobId: JobId) => Promise<PlanOwner>,
): PortfolioHost {
  return {
    async listOtherTasks(jobId, from) {
      const { tenant, user, goalId = null } = await findOwner(jobId);
      const { rows } = await database.query<TaskRow>(
        `SELECT task.job_id::text AS plan, task.task, task.title, task.starts_at, task.ends_at, task.zone, task.recurrence,
           task.work_minutes, task.except_days
         FROM (
           SELECT DISTINCT ON (coalesce(goal_id, job_id::text)) job_id FROM phaseline.plans
           WHERE tenant = $1 AND user_name = $2 AND job_id <> $3 AND planning_status = 'complete'
             AND ($4::text IS NULL OR goal_id IS DISTINCT FROM $4)
           ORDER BY coalesce(goal_id, job_id::text), approved_at DESC, submitted_position DESC
         ) AS other
         JOIN phaseline.scheduled_tasks AS task ON task.job_id = other.job_id AND task.tenant = $1
         WHERE task.ends_at > $5 OR task.recurrence IS NOT NULL
         ORDER BY task.starts_at, task.job_id, task.task LIMIT ${MAX_TASKS}`,
        [tenant, user, jobId, goalId, from],
      );
      return rows.map(toTask);
    },
  };
}

/** Finds the person of a planning job from what it was submitted with. */
export function findPlanOwner({
  tenant,
  actor,
  parameters: { user, goalId },
}: {
  readonly tenant: string;
  readonly actor: string;
  readonly parameters: JsonObject;
}): PlanOwner {
  const goal = typeof goalId === 'string' ? { goalId } : {};
  return { tenant, user: typeof user === 'string' ? user : actor, ...goal };
}

function toTask(row: TaskRow): PortfolioTask {
  const { plan, task, title, zone, recurrence, work_minutes: workMinutes, except_days: exceptDays } = row;
  return {
    ...{ plan, task, title, zone, start: row.starts_at.toISOString(), end: row.ends_at.toISOString() },
    ...(recurrence === null ? {} : { recurrence }),
    ...(workMinutes === null ? {} : { workMinutes }),
    ...(exceptDays === null ? {} : { exceptDays }),
  };
}
