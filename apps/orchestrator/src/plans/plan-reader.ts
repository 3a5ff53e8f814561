import type { JsonObject } from '@phaseline/basics';
import type { Plan, PlanProgress, PlanWait } from '@phaseline/client';
import { planningSettingsSchema, type JobId } from '@phaseline/contracts';
import { hasJobEnded, isAsking, isAwaitingApproval, type JobState } from '@phaseline/domain';
import type { EventStore } from '@phaseline/event-store';
import { hashArguments } from '@phaseline/orchestration';
import {
  approvedPlanSchema,
  type EarlierPlan,
  earlierPlanSchema,
  planPaths,
  planRunSchema,
  planSessionSchema,
  type PlanSession,
} from '@phaseline/planning';
import type { JobViews } from '@phaseline/projections';
import type { JobRepository } from '@phaseline/repository';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import type { JobHistory } from '../state/job-history.js';
import { toJobSummary } from '../jobs/to-job-summary.js';
import { findLimits } from './plan-limits.js';
import { describeRun } from './describe-run.js';

const PLANNING_WORKFLOW = 'planning';
/** The workflow that carries out plans. Its jobs are answered like those that make them. */
const RUN_WORKFLOW = 'plan-run';
const artifactKinds = ['context', 'outline', 'roadmap', 'schedule'] as const;

export interface PlanReaderParts {
  readonly history: JobHistory;
  readonly store: EventStore;
  readonly repository: JobRepository;
  readonly views: JobViews;
}

/** Reads plans as of now from the log and the files of their jobs. */
export class PlanReader {
  constructor(private readonly parts: PlanReaderParts) {}

  /** Reads a plan. Throws ApiProblem `plan_not_found` for a job that is none. */
  async read(jobId: JobId): Promise<Plan> {
    const { history, views } = this.parts;
    const { job, files } = await history.at(jobId);
    requireWorkflow(jobId, job, [PLANNING_WORKFLOW]);
    const view = await views.get(jobId);
    if (!view) throw jobNotFound(jobId);
    const { status } = toJobSummary(view);
    const session = await this.readSession(jobId, files);
    const artifacts = await Promise.all(
      artifactKinds.map(async (kind) => {
        const hash = session?.hashes[kind];
        return hash === undefined ? [] : [[kind, await this.readJson(jobId, hash)] as const];
      }),
    );
    const common = {
      ...{ planId: jobId, tenant: view.tenant, status, goalId: session?.goalId ?? findRequestedGoal(jobId, job) },
      waitsFor: (await this.findWait(jobId, job)) ?? null,
    };
    return { ...common, ...describeSession(job, session), ...Object.fromEntries(artifacts.flat()) };
  }

  /**
   * Reads an approved plan as the beginning of a new session about its goal. Returns undefined if its files were removed or erased, so that the goal
   * can be planned from its beginning.
   */
  async readEarlier(planId: JobId): Promise<EarlierPlan | undefined> {
    const found = await this.read(planId).catch(ignoreRemoved);
    if (found?.planningStatus !== 'complete') return undefined;
    const { context, outline, roadmap, schedule, messages } = found;
    return earlierPlanSchema.parse({ planId, plan: { context, outline, roadmap, schedule }, messages });
  }

  /** Reads how far a plan is carried out. Throws ApiProblem `plan_not_found` for a job that carries out none. */
  async readRun(jobId: JobId): Promise<PlanProgress> {
    const { history, views } = this.parts;
    const { job, files } = await history.at(jobId);
    requireWorkflow(jobId, job, [RUN_WORKFLOW]);
    const view = await views.get(jobId);
    if (!view) throw jobNotFound(jobId);
    const [run, plan] = await Promise.all(
      [planPaths.run, planPaths.carriedOut].map(async (path) => {
        const entry = files[path];
        return entry && this.readJson(jobId, entry.hash);
      }),
    );
    return {
      ...{ runId: jobId, status: toJobSummary(view).status, waitsFor: (await this.findWait(jobId, job)) ?? null },
      ...describeRun(job, run && planRunSchema.parse(run), plan && approvedPlanSchema.parse(plan)),
    };
  }

  /** Returns the person for whom a plan is made or carried out. Throws ApiProblem `plan_not_found`. */
  async findUser(jobId: JobId): Promise<string> {
    const { job, files } = await this.parts.history.at(jobId);
    requireWorkflow(jobId, job, [PLANNING_WORKFLOW, RUN_WORKFLOW]);
    return (await this.readSession(jobId, files))?.user ?? findRequestedUser(job);
  }

  /** Whether the job of a plan has ended. */
  async hasEnded(jobId: JobId): Promise<boolean> {
    const job = await this.parts.repository.loadJob(jobId);
    return job === undefined || hasJobEnded(job);
  }

  /** Returns what a plan waits for, if anything. Throws ApiProblem `plan_not_found`. */
  async readWait(jobId: JobId): Promise<PlanWait | undefined> {
    const job = await this.parts.repository.loadJob(jobId);
    if (!job) throw jobNotFound(jobId);
    requireWorkflow(jobId, job, [PLANNING_WORKFLOW, RUN_WORKFLOW]);
    return this.findWait(jobId, job);
  }

  private async findWait(jobId: JobId, { active }: JobState): Promise<PlanWait | undefined> {
    const phase = active && (await this.parts.repository.loadPhase(jobId, active.phase));
    if (!phase || phase.end) return undefined;
    for (const call of Object.values(phase.calls.byId)) {
      if (isAsking(call)) {
        const { question, options, questionHash, deadlineAt } = call.question;
        const { callId } = call;
        const choices = options === undefined ? {} : { options: [...options] };
        return { kind: 'question', callId, question, ...choices, questionHash, expiresAt: deadlineAt };
      }
      if (isAwaitingApproval(call)) {
        const { callId, arguments: args, expiresAt } = call;
        const { summary, kind: subject, content_hash: contentHash } = args;
        return {
          ...{ kind: 'approval', callId, question: typeof summary === 'string' ? summary : call.name },
          ...{ options: ['approve'], argumentsHash: hashArguments(args), expiresAt: expiresAt ?? '' },
          ...(typeof contentHash === 'string' ? { contentHash } : {}),
          ...(typeof contentHash === 'string' && typeof subject === 'string' ? { subject } : {}),
        };
      }
    }
    return undefined;
  }

  private async readSession(jobId: JobId, files: JobState['submitted']['tree']): Promise<PlanSession | undefined> {
    const entry = files['plan/session.json'];
    return entry && planSessionSchema.parse(await this.readJson(jobId, entry.hash));
  }

  private async readJson(jobId: JobId, hash: string): Promise<JsonObject> {
    const { history, store } = this.parts;
    const bytes = await history.read(jobId, () => store.blobs.forJob(jobId).get(hash));
    if (!bytes) throw new ApiProblem('file_removed', `The content ${hash} of plan ${jobId} is not stored.`);
    return JSON.parse(bytes.toString('utf8')) as JsonObject;
  }
}

function ignoreRemoved(error: unknown): undefined {
  if (error instanceof ApiProblem && ['file_removed', 'content_erased'].includes(error.code)) return undefined;
  throw error;
}

/** Whether a job makes or carries out a plan. */
export function isPlan({ definition }: Pick<JobState, 'definition'>): boolean {
  return [PLANNING_WORKFLOW, RUN_WORKFLOW].includes(definition.workflow.name);
}

function requireWorkflow(jobId: JobId, job: JobState, workflows: readonly string[]): void {
  if (!workflows.includes(job.definition.workflow.name))
    throw new ApiProblem('plan_not_found', `Job ${jobId} is no plan: its workflow is ${job.definition.workflow.name}.`);
}

function findRequestedUser({ submitted: { parameters, actor } }: JobState): string {
  const { user } = parameters;
  return typeof user === 'string' ? user : actor;
}

/** The goal that the submission names, or else a new one with the id of the job. */
function findRequestedGoal(jobId: JobId, { submitted }: JobState): string {
  const { goalId } = submitted.parameters;
  return typeof goalId === 'string' ? goalId : jobId;
}

type SessionPart = Omit<Plan, 'planId' | 'tenant' | 'status' | 'goalId' | 'waitsFor' | (typeof artifactKinds)[number]>;

/** A job that ended without an approval is an aborted plan, also where the planner could not say so itself. */
function describeSession(job: JobState, session: PlanSession | undefined): SessionPart {
  const { goal } = job.submitted.parameters;
  const hasEnded = ['failed', 'aborted', 'cancelled'].includes(job.status);
  const settings = session?.settings ?? planningSettingsSchema.parse(job.definition.agent.settings?.planning ?? {});
  const limits = findLimits(job, settings);
  if (!session)
    return {
      limits,
      ...{ planningStatus: hasEnded ? 'aborted' : 'in_progress', stage: 'context', user: findRequestedUser(job) },
      ...{ goal: typeof goal === 'string' ? goal : '', responseText: '', patternRfcRequired: false, hashes: {} },
      ...{ violations: [], options: [], adaptations: [], messages: [] },
    };
  const { planningStatus, stage, user, responseText, escalateReason, selectedPattern, proposal } = session;
  const rfc = proposal?.pattern.rfc;
  return {
    limits,
    planningStatus: hasEnded && planningStatus !== 'complete' ? 'aborted' : planningStatus,
    ...{ stage, goal: session.goal, user, responseText, policy: { ...session.policy } },
    ...(session.continues ? { continues: session.continues.planId } : {}),
    ...(escalateReason === undefined ? {} : { escalateReason }),
    ...(selectedPattern === undefined ? {} : { selectedPattern: { ...selectedPattern } }),
    patternRfcRequired: proposal !== undefined,
    ...(rfc === undefined ? {} : { patternRfcText: rfc }),
    hashes: Object.fromEntries(
      Object.entries(session.hashes).flatMap(([kind, hash]) => (hash === undefined ? [] : [[kind, hash]])),
    ),
    violations: session.violations.map((violation) => ({ ...violation })),
    messages: session.messages.map((message) => ({ ...message })),
    options: session.options.map((option) => ({ ...option })),
    adaptations: session.adaptations.map((adaptation) => ({ ...adaptation })),
  };
}
