import { toCanonicalJson } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import type { PhaseEvent, PhaseEventData } from '@phaseline/domain';
import {
  type ApprovedPlan,
  approvedPlanSchema,
  createScheduleClock,
  findBrokenLink,
  planPaths,
  type PlanRun,
  type ScheduleClock,
  planRunSchema,
} from '@phaseline/planning';
import type { InlineToolContext, InlineToolOutcome } from '@phaseline/tools';
import { encodeText, hashText, type FileChange } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';

type PlanRunEvent = 'PlanRunOpened' | 'PlanTaskStarted' | 'PlanTaskEnded' | 'PlanReplaced';

/** A plan that is carried out, as one call sees and changes it. Files and events are committed together. */
export class RunWork {
  private readonly events: PhaseEvent[] = [];
  private readonly files: FileChange[] = [];

  private constructor(
    private readonly context: InlineToolContext,
    readonly plan: ApprovedPlan,
    public run: PlanRun,
  ) {}

  /** Begins a run. */
  static open(context: InlineToolContext, plan: ApprovedPlan, run: PlanRun): RunWork {
    const work = new RunWork(context, plan, run);
    work.storePlan(plan);
    return work;
  }

  /** Reads a run that has begun. Its files were written by these tools, so one that does not parse is a defect. */
  static async read(context: InlineToolContext): Promise<RunWork> {
    const plan = await readTextIfExists(context.workspace, planPaths.carriedOut);
    const run = await readTextIfExists(context.workspace, planPaths.run);
    if (plan === undefined || run === undefined)
      throw new ToolError('prerequisite_missing', 'Not executed: no plan is carried out here.');
    return new RunWork(context, approvedPlanSchema.parse(JSON.parse(plan)), planRunSchema.parse(JSON.parse(run)));
  }

  /** What the clock of the schedule shows now. */
  get now(): number {
    return this.clock.show(this.context.now);
  }

  get clock(): ScheduleClock {
    return createScheduleClock(this.run.clock);
  }

  /** Stores the plan that is carried out from now on. */
  storePlan(plan: ApprovedPlan): void {
    this.files.push({ path: planPaths.carriedOut, content: encodeText(toCanonicalJson(plan)) });
  }

  record<Type extends PlanRunEvent>(type: Type, data: Omit<PhaseEventData<Type>, 'callId'>): void {
    // The compiler does not see that type and data belong together.
    this.events.push({ type, data: { callId: this.context.callId, ...data } } as unknown as PhaseEvent);
  }

  /** Builds the outcome of the call with everything that changed. */
  finish(outcome: string): InlineToolOutcome {
    const content = encodeText(toCanonicalJson(planRunSchema.parse(this.run)));
    const files = [...this.files, { path: planPaths.run, content }];
    return { content: '', result: { outcome }, files, events: this.events };
  }
}

/** Reads an approved plan from a file of the workspace. Throws ToolError if it is none, or its parts do not belong together. */
export async function readApprovedPlan(
  { workspace }: Pick<InlineToolContext, 'workspace'>,
  path: string,
): Promise<ApprovedPlan> {
  const text = await readTextIfExists(workspace, path);
  const parsed = approvedPlanSchema.safeParse(text === undefined ? undefined : parseJson(text));
  if (!parsed.success)
    throw new ToolError('plan_invalid', `The file ${path} is no approved plan. Submit it with 'phaseline plan run'.`);
  const broken = findBrokenLink(parsed.data, hashText);
  if (broken !== undefined)
    throw new ToolError('plan_invalid', `The ${broken} in ${path} was made from another artifact than the plan has.`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
