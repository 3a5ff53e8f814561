import { agentDefinitionSchema, workflowSchema, type AgentDefinition, type Workflow } from '@phaseline/domain';
import type { AgentSource, ResolvedAgent } from '@phaseline/orchestration';
import { defaultWorkflow } from '@phaseline/harness';
import { checkingAgent, checkPhases } from './claiming.js';
import { startAtEnd } from './delegating.js';
import { parsePlan } from './job-name.js';
import type { SimJob } from './jobs.js';
import { loopingAgent, loopOf, LOOP_ROLES } from './looping.js';
import { buildGuards } from './sim-guards.js';

const HASH = '0'.repeat(64);

/** Creates the agents of the jobs. */
export function createAgentSource(jobs: readonly SimJob[]): AgentSource {
  const resolved = new Map(jobs.map((job) => [job.agent, resolve(job)]));
  const [first] = jobs;
  return {
    resolve: (name) => {
      const { kind } = parsePlan(name);
      const helper = kind === 'helping' && first ? resolve({ ...first, agent: name, kind }) : undefined;
      const agent = resolved.get(name) ?? helper;
      if (!agent) throw new UnknownAgent(`unknown agent ${name}`);
      return agent;
    },
  };
}

/** The submission names an agent that does not exist. */
export class UnknownAgent extends Error {}

function resolve(job: SimJob): ResolvedAgent {
  const base = { hash: HASH, instructions: 'Do it.\n' };
  const agents =
    job.kind === 'loop' ? LOOP_ROLES.map((role) => ({ ...base, definition: defineLoopAgent(job, role) })) : [];
  return { ...base, definition: definitionOf(job), workflow: chooseWorkflow(job), workflowHash: HASH, agents };
}

function chooseWorkflow({ agent, kind }: SimJob): Workflow {
  if (kind === 'loop') return loopOf(agent);
  if (kind === 'helping') return helpingWorkflow;
  return kind === 'claims' ? checkedWorkflow : plainWorkflow;
}

function defineLoopAgent(job: SimJob, role: (typeof LOOP_ROLES)[number]): AgentDefinition {
  const name = `${job.agent}-${role}`;
  return agentDefinitionSchema.parse({ ...definitionOf(job), name, ...loopingAgent(name, role) });
}

function definitionOf({ agent, kind, approvals, asks, caps, guardedBy }: SimJob): AgentDefinition {
  return agentDefinitionSchema.parse({
    name: agent,
    displayName: 'Simulated',
    tools: {
      workspace: ['read_file', 'write_file', 'list_files'],
      domain: [
        'look',
        'put',
        'charge',
        ...(asks ? ['ask_person'] : []),
        ...(kind === 'delegating' ? ['delegate'] : []),
      ],
    },
    deliverables: ['output/report.md'],
    todos: { min: 1, max: 20 },
    approvals: { tools: [...approvals], expireAfterMs: 30_000 },
    ...caps,
    ...(guardedBy ? { guards: buildGuards(guardedBy) } : {}),
    ...(kind === 'claims' ? checkingAgent(agent) : {}),
    ...(kind === 'claims' ? { reflexion: true } : {}),
  });
}

const { plan, execute, review } = defaultWorkflow.states;
const plainWorkflow: Workflow = workflowSchema.parse({
  ...defaultWorkflow,
  states: {
    plan: { ...plan, retries: 3 },
    execute: {
      ...execute,
      rewind: 'rewound',
      outcomes: { ...execute!.outcomes, rewound: { to: 'review' } },
      retries: 3,
    },
    review: { ...review, retries: 3 },
  },
  caps: { phases: 16 },
});
const checkedWorkflow = checkPhases(plainWorkflow);
const helpingWorkflow = startAtEnd(plainWorkflow);
