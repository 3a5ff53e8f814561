import type { CallId, JobId } from '@phaseline/contracts';
import {
  agentDefinitionSchema,
  createTodos,
  pickAgentSettings,
  workflowSchema,
  type JobEvent,
  type PhaseEvent,
  type PhaseKind,
} from '@phaseline/domain';
import { buildJobSubmitted, buildModelCallStarted } from '@phaseline/domain/testing';
import type { SeededRandom } from '@phaseline/testing';
import { buildPlanEvents } from './plan-events.js';

/** One commit of a generated job: events for the stream of the job and for that of its current phase. */
export interface ScriptedCommit {
  readonly phase: number;
  readonly jobEvents: readonly JobEvent[];
  readonly phaseEvents: readonly PhaseEvent[];
  readonly closesJob?: boolean;
  readonly closesPhase?: boolean;
}

export interface JobScriptOptions {
  readonly jobId: JobId;
  readonly random: SeededRandom;
}

const HASH = 'a'.repeat(64);
const TENANTS = ['default', 'archive', 'research'] as const;
const INLINE_TOOLS = ['read_file', 'write_file', 'edit_file', 'list_files'] as const;
const REMOTE_TOOLS = ['fetch_page', 'extract_text', 'run_query'] as const;
const PROSE = 'The service keeps every record for ten years and tells who has read it. ';

const state = (kind: PhaseKind, title: string, to: string) => ({
  kind,
  title,
  todos: ['Look at what is there', 'Decide what follows', 'Write it down'],
  finish: 'done',
  archive: true,
  outcomes: { done: { to } },
});
const workflow = workflowSchema.parse({
  name: 'generated',
  version: 1,
  description: PROSE.repeat(4),
  start: 'plan',
  states: {
    plan: state('strategic', 'Plan', 'execute'),
    execute: state('tactical', 'Execute', 'plan'),
  },
});
const planning = { ...workflow, name: 'planning' };
const agents = ['creator', 'validator', 'reader'].map((name) =>
  agentDefinitionSchema.parse({
    name,
    displayName: name,
    description: PROSE.repeat(3),
    tools: { workspace: [...INLINE_TOOLS], domain: [...REMOTE_TOOLS] },
    deliverables: ['output/report.md'],
  }),
);
const tree = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [
    `documents/source-${index}.md`,
    { hash: HASH, size: 10_000 + index, writtenAt: '2026-01-01T00:00:00.000Z' },
  ]),
);

const MAX_STEPS = 12;

/**
 * Generates one job as the engine would record it, commit by commit: phases with some steps, `inline` and `remote` tools, denials,
 * takeovers, refused gates, and occasionally a pause, a retry after a failure, or a cancellation. The event shapes are those of the
 * domain; decisions are random, since only number and size of the events matter.
 */
export function* generateJob({ jobId, random }: JobScriptOptions): Generator<ScriptedCommit, void, undefined> {
  const agent = random.pick(agents);
  const phases = random.between(2, 4);
  // Most of the jobs are plans. The id decides, so that all else is the same with and without.
  const isPlan = jobId >= '4';
  yield {
    phase: 0,
    phaseEvents: [],
    jobEvents: [
      buildJobSubmitted({
        jobId,
        agent,
        workflow: isPlan ? planning : workflow,
        ...(isPlan ? { parameters: { goal: PROSE, user: 'ada', goalId: 'records' } } : {}),
        tree,
        budgets: { maxCostUsd: 5 },
        labels: { team: random.pick(['norms', 'law', 'press']) },
        tenant: random.pick(TENANTS),
      }),
    ],
  };
  let endEvents: readonly JobEvent[] = [];
  for (let phase = 1; phase <= phases; phase += 1) {
    const kind: PhaseKind = phase % 2 === 1 ? 'strategic' : 'tactical';
    yield {
      phase,
      jobEvents: [...endEvents, phaseDispatched(phase, kind)],
      phaseEvents: [
        phaseStarted(jobId, phase, kind, agent),
        ...(isPlan && phase === 1 ? buildPlanEvents('call-1-1-1') : []),
        buildModelCallStarted(1),
      ],
    };
    if (random.chance(0.03)) yield* pauseAndResume(phase);
    const spending = yield* generateSteps(phase, random.between(4, MAX_STEPS), random);
    if (phase === phases && random.chance(0.05)) return yield* cancelJob(phase);
    const fails = random.chance(0.04);
    yield {
      phase,
      jobEvents: [],
      closesPhase: true,
      phaseEvents: [
        fails
          ? {
              type: 'PhaseFailed',
              data: { code: 'gate_rejected', message: 'the gate refused five times', retryable: true },
            }
          : { type: 'PhaseCompleted', data: { outcome: 'done' } },
      ],
    };
    endEvents = [
      {
        type: 'PhaseEnded',
        data: {
          phase,
          result: fails
            ? { kind: 'failed', failure: { code: 'gate_rejected', message: 'refused' }, retryable: true }
            : { kind: 'completed', outcome: 'done' },
          spending,
        },
      },
    ];
  }
  yield {
    phase: phases,
    phaseEvents: [],
    closesJob: true,
    jobEvents: [
      ...endEvents,
      random.chance(0.1)
        ? { type: 'JobFailed', data: { code: 'budget_exhausted', message: 'the job has used its budget' } }
        : {
            type: 'JobCompleted',
            data: { summary: PROSE.repeat(3), deliverables: ['output/report.md'], confidence: 0.9, notes: '' },
          },
    ],
  };
}

type Spending = Extract<JobEvent, { type: 'PhaseEnded' }>['data']['spending'];

function* generateSteps(
  phase: number,
  steps: number,
  random: SeededRandom,
): Generator<ScriptedCommit, Spending, undefined> {
  const total = { steps, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  for (let step = 1; step <= steps; step += 1) {
    const isRemoteTool = random.chance(0.3);
    const calls = Array.from({ length: random.between(1, 3) }, (_, index) => `call-${phase}-${step}-${index + 1}`);
    const usage = {
      inputTokens: random.between(800, 40_000),
      cachedInputTokens: 512,
      outputTokens: random.between(20, 900),
      estimated: false,
    };
    const costMicroUsd = usage.inputTokens + 4 * usage.outputTokens;
    total.inputTokens += usage.inputTokens;
    total.cachedInputTokens += usage.cachedInputTokens;
    total.outputTokens += usage.outputTokens;
    total.costMicroUsd += costMicroUsd;
    const tools = isRemoteTool ? REMOTE_TOOLS : INLINE_TOOLS;
    const named = calls.map((callId) => ({ callId, name: random.pick(tools) }));
    const answer: PhaseEvent = {
      type: 'ModelResponded',
      data: {
        step,
        model: random.pick(['large', 'small']),
        content: PROSE.repeat(random.between(1, 8)),
        calls: named.map((call) => ({ ...call, arguments: { path: 'output/report.md' } })),
        end: 'calls',
        usage,
        costMicroUsd,
        durationMs: 900,
      },
    };
    const requests = named.map(({ callId, name }) => toolCallRequested(callId, step, name, isRemoteTool));
    if (isRemoteTool) {
      yield { phase, jobEvents: [], phaseEvents: [answer, ...requests] };
      for (const callId of calls) yield { phase, jobEvents: [], phaseEvents: [toolCallEnded(callId, random)] };
      yield { phase, jobEvents: [], phaseEvents: [buildModelCallStarted(step + 1)] };
      continue;
    }
    const done: PhaseEvent[] = calls.flatMap((callId) => [toolCallEnded(callId, random), fileWritten(callId)]);
    if (random.chance(0.03)) done.push(toolCallDenied(`denied-${phase}-${step}`, step));
    if (step <= 3)
      done.push(guardDecided(calls[0]!), { type: 'TodoCompleted', data: { todoId: step, callId: calls[0]! } });
    if (random.chance(0.02))
      done.push({
        type: 'TransitionRejected',
        data: { gate: 'deliverables', outcome: 'done', message: 'not there yet' },
      });
    if (random.chance(0.01))
      done.push({ type: 'PhaseTakenOver', data: { epoch: 1, leaseOwner: 'worker-2', previousLeaseOwner: 'worker-1' } });
    yield {
      phase,
      jobEvents: [],
      phaseEvents: [answer, ...requests, ...done, ...(step < steps ? [buildModelCallStarted(step + 1)] : [])],
    };
  }
  return total;
}

function* pauseAndResume(phase: number): Generator<ScriptedCommit, void, undefined> {
  const who = { actor: 'bench', reason: 'a look first' };
  yield {
    phase,
    jobEvents: [{ type: 'JobPaused', data: { ...who, pausedAt: '2030-01-01T00:00:00.000Z' } }],
    phaseEvents: [{ type: 'PhasePaused', data: who }],
  };
  yield {
    phase,
    jobEvents: [{ type: 'JobResumed', data: who }],
    phaseEvents: [{ type: 'PhaseResumed', data: { actor: 'bench' } }],
  };
}

function* cancelJob(phase: number): Generator<ScriptedCommit, void, undefined> {
  yield {
    phase,
    jobEvents: [{ type: 'JobCancelRequested', data: { actor: 'bench', reason: 'enough' } }],
    phaseEvents: [],
  };
  yield {
    phase,
    jobEvents: [],
    phaseEvents: [{ type: 'PhaseCancelled', data: { reason: 'enough' } }],
    closesPhase: true,
  };
  yield {
    phase,
    jobEvents: [{ type: 'JobCancelled', data: { actor: 'bench', reason: 'enough' } }],
    phaseEvents: [],
    closesJob: true,
  };
}

const todos = createTodos(['Look at what is there', 'Decide what follows', 'Write it down']);

function phaseDispatched(phase: number, kind: PhaseKind): JobEvent {
  const where = kind === 'strategic' ? 'plan' : 'execute';
  return {
    type: 'PhaseDispatched',
    data: {
      phase,
      attempt: 1,
      state: where,
      kind,
      name: where,
      todos: [...todos],
      allowance: { costMicroUsd: 5_000_000 },
    },
  };
}

function phaseStarted(jobId: JobId, phase: number, kind: PhaseKind, agent: (typeof agents)[number]): PhaseEvent {
  const where = kind === 'strategic' ? 'plan' : 'execute';
  return {
    type: 'PhaseStarted',
    data: {
      identity: {
        jobId,
        phase,
        attempt: 1,
        state: where,
        kind,
        name: where,
        agent: { name: agent.name, displayName: agent.displayName, description: agent.description },
      },
      terms: {
        model: agent.models[kind],
        tools: [...agent.tools.workspace, ...agent.tools.domain],
        ...pickAgentSettings(agent),
        allowance: { costMicroUsd: 5_000_000 },
      },
      plan: { todos: [...todos], limits: agent.todos, deliverables: agent.deliverables, archive: true },
      workspace: { tree },
      routes: { finish: { outcome: 'done', gates: [] } },
    },
  };
}

function toolCallRequested(callId: CallId, step: number, name: string, isRemoteTool: boolean): PhaseEvent {
  return {
    type: 'ToolCallRequested',
    data: {
      callId,
      step,
      name,
      arguments: { path: 'output/report.md', content: PROSE.repeat(4) },
      lane: isRemoteTool ? 'remote' : 'inline',
      effect: isRemoteTool ? 'idempotent' : 'pure',
      traits: [],
      timeoutMs: 30_000,
    },
  };
}

function toolCallEnded(callId: CallId, random: SeededRandom): PhaseEvent {
  return random.chance(0.04)
    ? {
        type: 'ToolCallFailed',
        data: { callId, code: 'timed_out', message: 'no answer within 30 s', attempts: 3, durationMs: 30_000 },
      }
    : { type: 'ToolCallCompleted', data: { callId, content: PROSE.repeat(6), attempts: 1, durationMs: 12 } };
}

function fileWritten(callId: CallId): PhaseEvent {
  return {
    type: 'FileWritten',
    data: { path: 'output/report.md', hash: HASH, size: 2_000, writtenAt: '2026-01-01T00:00:00.000Z', callId },
  };
}

function toolCallDenied(callId: CallId, step: number): PhaseEvent {
  return {
    type: 'ToolCallDenied',
    data: { callId, step, name: 'delete_everything', code: 'unknown_tool', message: 'there is no such tool' },
  };
}

function guardDecided(callId: CallId): PhaseEvent {
  const guard = { name: 'generated', version: HASH, scope: 'system', kind: 'rule', stage: 'shadow' } as const;
  return { type: 'GuardDecided', data: { point: 'PreToolUse', callId, guard, decision: 'deny', reason: 'no' } };
}
