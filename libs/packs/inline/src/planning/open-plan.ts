import { getDayInZone, isTimeZone } from '@phaseline/basics';
import { planningSettingsSchema, ToolError } from '@phaseline/contracts';
import type { planningSpec } from '@phaseline/pack-specs';
import {
  artifactKinds,
  continueContext,
  continueGoal,
  type EarlierPlan,
  earlierPlanSchema,
  findBrokenLink,
  hashPlan,
  openContext,
  openSession,
  type PatternDefinition,
  patternDefinitionSchema,
  PATTERNS_DIRECTORY,
  planPaths,
  planRequestSchema,
  type PlanRequest,
  type PlanSession,
} from '@phaseline/planning';
import type { ToolRun } from '@phaseline/tools';
import { hashText, type WorkspaceReader } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';
import { isSameContext } from './collect-context.js';
import { PlanWork } from './plan-work.js';

/** Parameters of the job, as its submission gave them. */
const PARAMETERS_FILE = 'parameters.json';
const DEFAULT_ZONE = 'UTC';

/** Opens the session of a plan from the parameters of its job. */
export const openPlan: ToolRun<typeof planningSpec, 'open_session'> = async (context) => {
  const { state, workspace, now } = context;
  const request = await readRequest(workspace);
  const patterns = await readPatterns(workspace);
  const zone = request.zone ?? DEFAULT_ZONE;
  if (!isTimeZone(zone))
    throw new ToolError('zone_unknown', `There is no time zone ${zone}. Use a name such as Europe/Berlin.`);
  const user = state.start.terms.allowance?.daily?.actor ?? 'submitter';
  const work = await PlanWork.read(context);
  const goalId = state.start.identity.jobId;
  const settings = planningSettingsSchema.parse(state.start.terms.settings?.planning ?? {});
  work.session = openSession(request, { user, today: getDayInZone(now, zone), patterns, settings, goalId });
  const earlier = await readEarlierPlan(workspace, work.session);
  if (earlier) takeOver(work, request, earlier);
  else work.recordArtifact('context', openContext(request, work.session));
  return work.finish({ content: 'The session is open.', result: { outcome: 'opened' } });
};

async function readRequest(workspace: WorkspaceReader): Promise<PlanRequest> {
  const text = await readTextIfExists(workspace, PARAMETERS_FILE);
  const parsed = planRequestSchema.safeParse(text === undefined ? {} : JSON.parse(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'parameters'}: ${message}`);
  throw new ToolError('request_invalid', `The parameters of the job are no request for a plan. ${problems.join('; ')}`);
}

/** Reads the approved plan from which the session starts. A job can be submitted with any documents, so nothing in it is trusted. */
async function readEarlierPlan(
  workspace: WorkspaceReader,
  { user }: Pick<PlanSession, 'user'>,
): Promise<EarlierPlan | undefined> {
  const text = await readTextIfExists(workspace, planPaths.earlier);
  if (text === undefined) return undefined;
  const parsed = parseEarlierPlan(text);
  if (!parsed) throw new ToolError('plan_invalid', `The document ${planPaths.earlier} has no approved plan.`);
  const broken = findBrokenLink(parsed.plan, hashText);
  if (broken !== undefined)
    throw new ToolError(
      'plan_invalid',
      `In the document ${planPaths.earlier}, the ${broken} was made from another artifact.`,
    );
  if (parsed.plan.context.user === user) return parsed;
  throw new ToolError('plan_invalid', `The document ${planPaths.earlier} has the plan of another person.`);
}

function parseEarlierPlan(text: string): EarlierPlan | undefined {
  try {
    return earlierPlanSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Makes the artifacts of an approved plan those of the session. What the request says differently makes a new context, as later drafts do. */
function takeOver(work: PlanWork, request: PlanRequest, earlier: EarlierPlan): void {
  const { plan } = earlier;
  work.session = continueGoal(work.session, earlier, hashPlan(plan, hashText));
  for (const kind of artifactKinds) work.recordArtifact(kind, plan[kind]);
  const context = continueContext(request, work.session, plan.context);
  if (!isSameContext(context, plan.context))
    work.recordArtifact('context', { ...context, previousHash: work.session.hashes.context });
}

async function readPatterns(workspace: WorkspaceReader): Promise<readonly PatternDefinition[]> {
  const paths = Object.keys(workspace.tree).filter((path) => path.startsWith(`${PATTERNS_DIRECTORY}/`));
  const texts = await Promise.all(paths.map((path) => readTextIfExists(workspace, path)));
  const patterns = texts.map((text) => patternDefinitionSchema.parse(JSON.parse(text ?? 'null')));
  if (patterns.length > 0) return patterns;
  throw new ToolError('patterns_missing', 'The agent has no patterns. Put at least one file into its folder patterns.');
}
