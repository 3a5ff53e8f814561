import type { AnsweredCall, CallArguments, ChatAnswer, ChatRequest } from '@phaseline/contracts';
import {
  modelProfileSchema,
  ModelError,
  withRetries,
  type ChatModel,
  type CompleteOptions,
  type ModelProfile,
} from '@phaseline/model';
import type { Chance, Roll } from '@phaseline/harness';
import type { FaultKind } from '../schedule/faults.js';
import type { Host } from '../process/host.js';
import { findRequestProblem } from '../check/valid-chat.js';
import { drawJudgement, drawOutputs, isForJudge } from './claiming.js';
import { drawDelegations } from './delegating.js';
import { parsePlan, type Plan } from './job-name.js';
import { callInLoop } from './looping.js';
import { drawReflection, findReflectingAgent } from './reflecting.js';
import type { Call } from './sim-call.js';

export const SIM_PROFILE: ModelProfile = modelProfileSchema.parse({
  name: 'default',
  model: 'simulated',
  contextTokens: 100_000,
  maxOutputTokens: 1_000,
  prices: { inputUsdPerMillion: 0.1, cachedInputUsdPerMillion: 0.1, outputUsdPerMillion: 10 },
  retries: { attempts: 3, baseDelayMs: 200, maxDelayMs: 2_000 },
});

/** Profile without prices, for the mutation that removes the reservation. */
export const FREE_PROFILE: ModelProfile = { ...SIM_PROFILE, prices: { inputUsdPerMillion: 0, outputUsdPerMillion: 0 } };

/** A charge of the model server, whether or not the answer arrived. */
export interface Charge {
  readonly job: string;
  readonly microUsd: number;
  readonly tokens: number;
}

export interface ModelServer {
  readonly chance: Chance;
  /** What the server does now: refuse connections, fail after the work is done, or answer. */
  state(): 'away' | 'failing' | 'working';
  charge(charge: Charge): void;
  /** Called for a request that no server would accept. */
  onBadRequest(job: string, problem: string): void;
}

interface PromptState {
  readonly plan: Plan;
  readonly phase: number;
  readonly kind: string;
  readonly turn: number;
  readonly open: number;
  /** Open todos of rewound lists, as referenced by `covers`. */
  readonly owed: readonly string[];
  /** What is asked for, if it is not a step of the work: a judgement, or a reflection on a failed attempt. */
  readonly purpose?: 'judge' | 'reflection';
}

/**
 * The model as seen by one process, with the retries of the real client. Its answers depend on the prompt alone; faults
 * make it misbehave.
 */
export class SimModel implements ChatModel {
  constructor(
    private readonly host: Host,
    private readonly server: ModelServer,
    /** Whether failed attempts report that they may have been charged. */
    private readonly hasChargeReports: boolean,
  ) {}

  async complete(request: ChatRequest, { signal, previousFailure }: CompleteOptions): Promise<ChatAnswer> {
    const prompt = parsePrompt(request);
    const problem = findRequestProblem(request);
    if (problem !== undefined) this.server.onBadRequest(prompt.plan.job, problem);
    const stopped = Promise.withResolvers<never>();
    const stop = (): void => stopped.reject(new ModelError('aborted', 'the call was stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answer = withRetries(() => this.ask(request, prompt), {
        policy: SIM_PROFILE.retries,
        signal,
        previousFailure,
        random: () => 0.5,
        sleep: (delayMs) => this.host.sleep(delayMs),
      });
      return await Promise.race([answer, stopped.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  private async ask(request: ChatRequest, prompt: PromptState): Promise<ChatAnswer> {
    const name = prompt.purpose
      ? `model ${prompt.plan.job} ${prompt.purpose}`
      : `model ${prompt.plan.job} phase ${prompt.phase} turn ${prompt.turn}`;
    const answerFault = await this.host.call('answer', `${name} answer`, (fault) => fault, { latency: NOW });
    return this.host.call(
      'model',
      name,
      (fault) => {
        const state = this.server.state();
        if (state === 'away') throw new ModelError('unreachable', 'the model is away', { mayBeCharged: false });
        if (fault === 'model down') throw new ModelError('unreachable', 'the model is down', { mayBeCharged: false });
        if (fault === 'model refuses')
          throw new ModelError('unauthorized', 'the key is wrong', { mayBeCharged: false });
        const roll = this.server.chance.rollFor(`${this.host.processId} ${name}`);
        const answer = prompt.purpose
          ? answerQuestion(request, prompt.purpose, roll, answerFault)
          : answerTo(request, prompt, roll, answerFault);
        const { inputTokens, outputTokens } = answer.usage;
        const microUsd = Math.ceil(inputTokens * 0.1 + outputTokens * 10);
        this.server.charge({ job: prompt.plan.job, microUsd, tokens: inputTokens + outputTokens });
        if (state === 'failing')
          throw new ModelError('server_error', 'the model server failed', { mayBeCharged: this.hasChargeReports });
        if (fault === 'stream breaks')
          throw new ModelError('stream_broken', 'the answer broke off', { mayBeCharged: this.hasChargeReports });
        return answer;
      },
      { latency: { from: 100, to: 2_500 } },
    );
  }
}

const NOW = { from: 0, to: 0 };

function parsePrompt(request: ChatRequest): PromptState {
  const [system, todos] = request.messages;
  const reflecting = findReflectingAgent(request.messages);
  const [, agent = '?'] = /You are the agent "([^"]+)"/.exec(system?.content ?? '') ?? [];
  const [, phase = '0', kind = ''] = /This is phase (\d+), a (\w+) phase/.exec(system?.content ?? '') ?? [];
  const [, done = '0', all = '0'] = /Progress: (\d+) of (\d+) done/.exec(todos?.content ?? '') ?? [];
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  const [, list = ''] = /## Open todos of earlier lists\n([\s\S]*?)\n\n/.exec(system?.content ?? '') ?? [];
  const owed = [...list.matchAll(/^- (\d+-\d+): /gm)].map((match) => match[1]!);
  return {
    plan: parsePlan(reflecting ?? agent),
    phase: Number(phase),
    kind,
    turn,
    open: Number(all) - Number(done),
    owed,
    ...(isForJudge(system?.content) ? { purpose: 'judge' as const } : {}),
    ...(reflecting === undefined ? {} : { purpose: 'reflection' as const }),
  };
}

function estimateInputTokens({ messages }: ChatRequest): number {
  return Math.floor(messages.reduce((sum, { content }) => sum + content.length, 0) / 16) + messages.length;
}

/** Some of the people answer too late, or never. */
const QUESTION: Call = [
  'ask_person',
  { question: 'Which one?', options: ['this', 'that'], deadline: '1m', default: 'this' },
];

function drawUsage(request: ChatRequest, roll: Roll): ChatAnswer['usage'] {
  return {
    // Well below the engine's count: caps hold only if a server counts no more tokens. An invariant checks it.
    inputTokens: estimateInputTokens(request),
    cachedInputTokens: 0,
    outputTokens: roll.happens(0.4) ? (request.maxOutputTokens ?? 1_000) : roll.between(10, 400),
    estimated: false,
  };
}

function answerQuestion(
  request: ChatRequest,
  purpose: NonNullable<PromptState['purpose']>,
  roll: Roll,
  fault: FaultKind | undefined,
): ChatAnswer {
  const usage = drawUsage(request, roll);
  const draw = purpose === 'judge' ? drawJudgement : drawReflection;
  const content = fault === undefined ? draw(roll) : 'I cannot say.';
  return { content, usage, calls: [], end: 'stop' };
}

function answerTo(request: ChatRequest, prompt: PromptState, roll: Roll, fault: FaultKind | undefined): ChatAnswer {
  const usage = drawUsage(request, roll);
  const asks =
    prompt.kind === 'tactical' && prompt.turn === 0 && request.tools.some(({ name }) => name === 'ask_person');
  const planned = planCalls(prompt, roll, fault);
  const calls = [...(asks ? [QUESTION] : []), ...planned].map(toCall);
  const base = { content: roll.happens(0.2) ? 'I go on.' : '', usage };
  switch (fault) {
    case 'plain text':
    case 'empty':
      return { ...base, content: fault === 'empty' ? '' : 'I think that it is done.', calls: [], end: 'stop' };
    case 'unknown tool':
      return { ...base, calls: [toCall(['open_the_door', {}], 0), ...calls], end: 'calls' };
    case 'bad arguments':
      return { ...base, calls: [toCall(['write_file', { path: 7 }], 0), ...calls], end: 'calls' };
    case 'malformed call': {
      const broken: CallArguments = { kind: 'malformed', text: '{"path": ', problem: 'cut' };
      return { ...base, calls: [{ id: 'm', name: 'write_file', arguments: broken }, ...calls], end: 'calls' };
    }
    case 'cut':
      return { ...base, calls, end: 'truncated' };
    default:
      return { ...base, calls, end: calls.length > 0 ? 'calls' : 'stop' };
  }
}

function planCalls(prompt: PromptState, roll: Roll, fault: FaultKind | undefined): readonly Call[] {
  const { plan, phase, turn, kind } = prompt;
  if (plan.kind === 'loop') return callInLoop(plan, phase, turn, roll);
  if (plan.kind === 'delegating' && kind === 'tactical' && turn < 6 && roll.happens(0.5))
    return drawDelegations(plan, phase, turn, roll);
  return kind === 'strategic' ? strategicCalls(prompt, roll, fault) : tacticalCalls(prompt, roll, fault);
}

function strategicCalls({ plan, phase, turn, owed }: PromptState, roll: Roll, fault: FaultKind | undefined): Call[] {
  const { job } = plan;
  if ((phase >= 1 + 2 * plan.rounds && owed.length === 0) || turn > 6) {
    const report: Call[] = fault === 'too early' ? [] : [['write_file', { path: REPORT, content: `by ${job}` }]];
    return [...report, ['job_complete', { summary: 'done', confidence: 1, deliverables: [REPORT] }]];
  }
  if (fault === 'too early') return [['todo_complete', {}]];
  const todos = Array.from({ length: roll.between(1, plan.todos) }, (_, index) => ({
    content: `Do part ${index + 1}`,
    ...(index === 0 && owed.length > 0 ? { covers: owed } : {}),
    ...(plan.kind === 'claims' ? drawOutputs(roll) : {}),
  }));
  const write: Call = ['todo_write', { phase: 'Work', description: 'Does its parts.', todos }];
  if (roll.happens(0.25)) return turn % 2 === 0 ? [write] : [['todo_complete', {}]];
  return [write, ['todo_complete', {}]];
}

const REPORT = 'output/report.md';

function tacticalCalls({ plan, phase, turn, open }: PromptState, roll: Roll, fault: FaultKind | undefined): Call[] {
  const { job } = plan;
  const note: Call = ['write_file', { path: `notes/${phase}-${open}.md`, content: `turn ${turn} of ${job}` }];
  const finish: Call = ['todo_complete', {}];
  if (fault === 'too early') return Array.from({ length: open + 1 }, () => finish);
  if (turn > 12) return [finish];
  const look: Call = ['look', { at: `thing ${turn}` }];
  const put: Call = ['put', { key: `${phase}-${open}` }];
  const charge: Call = ['charge', { amount: turn + 1 }];
  const work = roll.pick<Call[]>([
    [finish],
    [note, finish],
    [look, put],
    [charge, finish],
    [charge, look, charge],
    [look, note, finish],
    [put, charge, note, finish],
  ]);
  // Occasionally it rewinds the list and makes further calls anyway.
  return roll.happens(0.04) ? [['todo_rewind', { issue: `stuck at turn ${turn}` }], ...work] : work;
}

function toCall([name, args]: Call, index: number): AnsweredCall {
  return { id: `c${index}`, name, arguments: { kind: 'parsed', value: args } };
}
