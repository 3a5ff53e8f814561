import { join } from 'node:path';
import type { JsonObject } from '@phaseline/basics';
import { planningSettingsSchema, type CallId, type ChatRequest, type JobId } from '@phaseline/contracts';
import { loadDefinitions } from '@phaseline/definitions';
import { getAdmittedCall } from '@phaseline/domain';
import { planningPack } from '@phaseline/inline-packs';
import { modelProfileSchema } from '@phaseline/model';
import type { AgentSource } from '@phaseline/orchestration';
import { packSpecs } from '@phaseline/pack-specs';
import { planSessionSchema, type PlanSession } from '@phaseline/planning';
import { createSchedulingPack, type PortfolioHost } from '@phaseline/remote-packs';
import type { z } from 'zod';
import { requestControl } from '../engine/control.fixture.js';
import { Engine, type EngineOptions, type Policy, type Reply } from '../engine/engine.js';

const REPOSITORY = join(import.meta.dirname, '../../../..');

/** Loads the shipped planner with its workflow and patterns. `planning` are settings that differ from the shipped ones. */
export async function loadPlanner(planning: z.input<typeof planningSettingsSchema> = {}): Promise<AgentSource> {
  const shipped = (name: string) => join(REPOSITORY, name);
  const { agents, workflows } = await loadDefinitions({
    agentsDir: [shipped('agents')],
    workflowsDir: shipped('workflows'),
    modelsDir: shipped('models'),
    modelSchema: modelProfileSchema,
    variables: { PHASELINE_MODEL: 'm', PHASELINE_MODEL_URL: 'http://127.0.0.1' },
    tools: packSpecs.flatMap(({ tools }) => tools),
  });
  const { definition, hash, instructions, files } = agents.get('planner')!;
  const workflow = workflows.get('planning')!;
  const settings = { ...definition.settings, planning: planningSettingsSchema.parse(planning) };
  return {
    resolve: () => ({
      definition: { ...definition, settings },
      hash,
      instructions,
      files,
      workflow: workflow.definition,
      workflowHash: workflow.hash,
    }),
  };
}

/** Calls of a model by the stage in which it makes them. Its n-th answer in a stage plays the n-th list, and later ones the last. */
export type PlanScript = Readonly<Record<PlanStageName, readonly (readonly (readonly [string, object])[])[]>>;
type PlanStageName = 'context' | 'outline' | 'roadmap' | 'schedule' | 'approval';

/** The first tool that is offered names the stage: the context can also change while an outline is drafted. */
const stageTools: readonly (readonly [PlanStageName, string])[] = [
  ['outline', 'node_generator'],
  ['context', 'context_elicitor'],
  ['roadmap', 'roadmap_builder'],
  ['schedule', 'schedule_generator'],
  ['approval', 'summarizer'],
];

/** Finds the stage of a request from the tools that it offers. */
function findStage({ tools }: Pick<ChatRequest, 'tools'>): PlanStageName {
  const offered = new Set(tools.map(({ name }) => name));
  return stageTools.find(([, tool]) => offered.has(tool))![0];
}

/** A small project: two tasks before a milestone. */
export const SMALL_PLAN: PlanScript = {
  context: [[['context_elicitor', { start: '2027-01-04', end: '2027-01-29', zone: 'Europe/Berlin', confidence: 0.9 }]]],
  outline: [
    [
      [
        'pattern_selector',
        { features: { end_date: 1, recurrence: 0, cumulative_measure: 0, change_of_state: 0 }, confidence: 0.9 },
      ],
      [
        'node_generator',
        {
          nodes: [
            { id: 'build', parent: null, level: 'L1', time: 'once', title: 'Build the boat' },
            {
              ...{ id: 'hull', parent: 'build', level: 'L2', time: 'once', title: 'The hull is tight' },
              end_criterion: 'No water comes in for a day.',
            },
            { id: 'saw', parent: 'hull', level: 'L3', time: 'once', title: 'Saw the planks', estimate_minutes: 240 },
            { id: 'glue', parent: 'hull', level: 'L3', time: 'once', title: 'Glue them', estimate_minutes: 120 },
          ],
          confidence: 0.9,
        },
      ],
    ],
  ],
  roadmap: [
    [
      [
        'roadmap_builder',
        {
          phases: [{ node: 'build', may_overlap: false, milestones: [{ node: 'hull' }], tasks: ['saw', 'glue'] }],
          dependencies: [{ from: 'saw', to: 'glue', kind: 'FS' }],
          options_tried: [
            { id: 'a', title: 'Saw first', reason: 'Glue dries while nothing else is done.' },
            { id: 'b', title: 'Plank by plank', reason: 'It takes more trips.' },
          ],
          choice: { option: 'a', reason: 'It is faster.' },
          confidence: 0.9,
        },
      ],
    ],
  ],
  schedule: [[['schedule_generator', { confidence: 0.9 }]]],
  approval: [
    [['summarizer', { text: 'The boat is built in January.', call_to_action: "Reply 'approve'.", confidence: 0.9 }]],
  ],
};

/** Plays a script and keeps the requests. `usage` is that of each answer. */
export function playPlan(
  script: Partial<PlanScript> = {},
  usage?: Reply['usage'],
): { readonly policy: Policy; readonly requests: ChatRequest[] } {
  const played = { ...SMALL_PLAN, ...script };
  const requests: ChatRequest[] = [];
  const answers = new Map<string, number>();
  const policy: Policy = (request) => {
    requests.push(request);
    const stage = findStage(request);
    const index = answers.get(stage) ?? 0;
    answers.set(stage, index + 1);
    const lists = played[stage];
    return { ...toReply(lists[Math.min(index, lists.length - 1)]!), ...(usage && { usage }) };
  };
  return { policy, requests };
}

function toReply(calls: readonly (readonly [string, object])[]): Reply {
  return { calls: calls.map(([name, args]) => ({ name, arguments: args })) };
}

/** A person without other plans. */
const NO_PLANS: PortfolioHost = { listOtherTasks: async () => [] };

/** An engine with the planner and its tools. Other plans are read from `portfolio`. */
export async function createPlanner(
  store: EngineOptions['store'],
  policy: Policy,
  options: Partial<EngineOptions> = {},
  portfolio: PortfolioHost = NO_PLANS,
): Promise<Engine> {
  const agents = await loadPlanner();
  const packs = [planningPack, createSchedulingPack(portfolio)];
  return new Engine({ store, policy, packs, agents, pricePerMillion: 1, ...options });
}

/** Submits a plan and runs it until it waits or ends. */
export async function startPlan(subject: Engine, parameters: JsonObject, tenant = 'default'): Promise<JobId> {
  return subject.submitAndRun({ agent: 'planner', tenant, parameters: { user: 'ada', ...parameters } });
}

/** The session of a plan as its files have it. */
export async function readSession(subject: Engine, jobId: JobId): Promise<PlanSession> {
  return planSessionSchema.parse(JSON.parse(await readFile(subject, jobId, 'plan/session.json')));
}

/** Returns a file of the job as it is now. */
export async function readFile(subject: Engine, jobId: JobId, path: string): Promise<string> {
  const { phases } = await subject.loadJob(jobId);
  const { tree } = await subject.loadPhase(jobId, phases);
  const bytes = await subject.store.blobs.get(tree[path]!.hash);
  return new TextDecoder().decode(bytes);
}

/** Returns an artifact of a plan as JSON. */
export async function readArtifact(
  subject: Engine,
  jobId: JobId,
  kind: 'context' | 'outline' | 'roadmap' | 'schedule' | 'conflict',
): Promise<JsonObject> {
  return JSON.parse(await readFile(subject, jobId, `plan/${kind}.json`)) as JsonObject;
}

/** States of all phases of a plan, in order. */
export async function listStates(subject: Engine, jobId: JobId): Promise<readonly string[]> {
  const { phases } = await subject.loadJob(jobId);
  const numbers = Array.from({ length: phases }, (_, index) => index + 1);
  return Promise.all(numbers.map(async (phase) => (await subject.loadPhase(jobId, phase)).start.identity.state));
}

/** Data of all events of a type in the phases of a plan, in order. */
export async function listEvents(subject: Engine, jobId: JobId, type: string): Promise<readonly JsonObject[]> {
  const { phases } = await subject.loadJob(jobId);
  const numbers = Array.from({ length: phases }, (_, index) => index + 1);
  const events = await Promise.all(numbers.map((phase) => subject.phaseEvents(jobId, phase)));
  return events.flat().flatMap((event) => (event.type === type ? [event.data as JsonObject] : []));
}

/** The open call of the active phase for which a person is needed. */
async function findWaiting(subject: Engine, jobId: JobId) {
  const job = await subject.loadJob(jobId);
  const phase = await subject.loadPhase(jobId, job.active!.phase);
  const call = Object.values(phase.calls.byId).find(
    ({ status }) => status === 'awaiting-approval' || status === 'awaiting-answer',
  );
  if (!call) throw new Error(`nothing waits in phase ${job.active!.phase} (${phase.start.identity.state})`);
  return { phase, callId: call.callId as CallId };
}

/** Answers the question for which the plan waits. Returns the question. */
export async function answerPlan(subject: Engine, jobId: JobId, answer: string): Promise<string> {
  const { phase, callId } = await findWaiting(subject, jobId);
  const { question } = getAdmittedCall(phase.calls, callId);
  await requestControl(subject, jobId, { action: 'answer', callId, questionHash: question!.questionHash, answer });
  await subject.run(jobId);
  return question!.question;
}

/** Approves what the plan asks for, or refuses it with a text. Returns the arguments of the request. */
export async function decidePlan(subject: Engine, jobId: JobId, refusal?: string): Promise<JsonObject> {
  const { phase, callId } = await findWaiting(subject, jobId);
  const args = getAdmittedCall(phase.calls, callId).arguments;
  const request = refusal === undefined ? { action: 'approve' } : { action: 'refuse', reason: refusal };
  await requestControl(subject, jobId, { ...request, callId });
  await subject.run(jobId);
  return args;
}
