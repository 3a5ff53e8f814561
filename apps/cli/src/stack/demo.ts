import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openLocalHome, type LocalHome } from '@phaseline/local-stack';
import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { verifyLog } from '../audit/verify-log.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { countRequirementsInGraph, seedGraph } from '../demo/demo-graph.js';
import { readClaimFigures, renderHandOver } from '../demo/hand-over-result.js';
import { withGraph } from '../graph/open-graph.js';
import { checkDocument, type DocumentPath } from '../job/read-documents.js';
import type { Output } from '../output/output.js';
import { formatBytes, pluralise } from '../output/quantities.js';
import { listStarted } from '../progress/follow-chain.js';
import { followJob } from '../progress/follow-job.js';
import { collectDeliverables } from './collect-deliverables.js';
import { describeModel } from './describe-model.js';
import { renderDemoResult, type DemoResult } from './demo-result.js';
import { findExampleDocument } from './project-files.js';
import { planStack, type QueueBackend, type StackPlan } from './stack-plan.js';
import { startStack, type RunningStack, type StartStackOptions } from './start-stack.js';
import { StepList } from './step-list.js';
import { waitUntilAborted } from './wait-until-aborted.js';

export interface DemoOptions {
  readonly document?: string;
  readonly agent: string;
  /** Agents to run in turn instead. The first one gets the document, the others what the previous one handed over. */
  readonly agents?: readonly string[];
  readonly keepRunning?: boolean;
  readonly queueBackend?: QueueBackend;
}

/** Label of all demo jobs, so that a later demo can cancel those of a killed one. */
const DEMO_LABEL = 'phaseline/demo';

/**
 * `phaseline demo`: starts the whole system, runs one job per agent, the first one on a document, shows them live, verifies the log,
 * prints the results and stops everything. Exit code: that of the first job that did not complete, or 1 if the audit fails.
 */
export async function demo(context: CommandContext, options: DemoOptions): Promise<ExitCode> {
  const { out, env, signal } = context;
  const plan = planStack(env, options);
  const agents = options.agents ?? [options.agent];
  const document = await checkDocument(options.document ?? (await findExampleDocument(agents[0]!)), context);
  const home = await openLocalHome(env, context.currentDirectory);
  const startedAt = context.now();
  const steps = new StepList(out);
  steps.complete(`document ${document.path} (${formatBytes(document.size)})`);
  steps.complete(`model: ${describeModel(plan.model)}`);
  const onInterrupt = (): void => out.writeMessage('Interrupted. Stopping everything…');
  signal.addEventListener('abort', onInterrupt, { once: true });
  let stack: RunningStack | undefined;
  try {
    stack = await startSystem({ home, plan, env, signal, out, steps });
    steps.complete(
      `${Object.keys(stack.urls).join(', ')} up at ${stack.apiUrl} in ${((context.now() - startedAt) / 1_000).toFixed(1)} s`,
    );
    const run = runDemo({ context, options, agents, plan, document, home, stack, steps, startedAt });
    const code = await Promise.race([run, stack.failed.then((error) => Promise.reject(error))]);
    // Agents that start by themselves may have a job for what the last one handed over, which no later start should continue.
    if (!options.keepRunning)
      await cancelLeftovers(
        new PhaselineClient({ baseUrl: stack.apiUrl, apiKey: context.apiKey ?? stack.apiKey }),
        signal,
      );
    if (options.keepRunning) {
      out.writeMessage(`The system keeps running at ${stack.apiUrl}. Stop it with Ctrl-C.`);
      const failure = await Promise.race([waitUntilAborted(signal), stack.failed]);
      if (failure) throw failure;
    }
    return code;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    await stack?.stop();
  }
}

async function startSystem(
  parts: Pick<StartStackOptions, 'home' | 'plan' | 'env' | 'signal'> & {
    readonly out: Output;
    readonly steps: StepList;
  },
): Promise<RunningStack> {
  const { out, steps, ...given } = parts;
  const ready = new Set<string>();
  // After the start, the live view of the job uses the bottom of the terminal.
  let isStarting = true;
  steps.startWaiting('starting the database');
  try {
    return await startStack({
      ...given,
      onStep: (line) => steps.complete(line),
      onServiceEvent: ({ type, ...event }) => {
        if (type === 'ready') ready.add(event.service);
        if (isStarting && (type === 'started' || type === 'ready'))
          steps.startWaiting(`starting the services (${ready.size} ready)`);
        if (type === 'died' && 'how' in event) out.writeMessage(`${event.service} ended (${event.how}); restarting it`);
      },
    });
  } finally {
    isStarting = false;
    steps.stopWaiting();
  }
}

interface DemoParts {
  readonly context: CommandContext;
  readonly options: DemoOptions;
  readonly agents: readonly string[];
  readonly plan: StackPlan;
  readonly document: DocumentPath;
  readonly home: LocalHome;
  readonly stack: RunningStack;
  readonly steps: StepList;
  readonly startedAt: number;
}

async function runDemo(parts: DemoParts): Promise<ExitCode> {
  const { context, agents, stack, steps } = parts;
  const client = new PhaselineClient({ baseUrl: stack.apiUrl, apiKey: context.apiKey ?? stack.apiKey });
  const cancelled = await cancelLeftovers(client, context.signal);
  if (cancelled > 0) steps.complete(`cancelled ${pluralise(cancelled, 'unfinished job')} of an earlier demo`);
  if (agents.length > 1) return runInTurn(parts, client);
  const jobId = await submitDemoJob(parts, client, { agent: agents[0]!, withDocument: true });
  const result = await followDemoJob(parts, client, jobId);
  showResult(parts, result);
  return toExitCode(result);
}

/** Runs several agents, each on what the previous one handed over, in a new tenant without data of earlier demos. */
async function runInTurn(parts: DemoParts, client: PhaselineClient): Promise<ExitCode> {
  const { context, agents, steps } = parts;
  const { out, env } = context;
  const tenant = `demo-${randomBytes(4).toString('hex')}`;
  // Before the first job, because an agent with `startWhen` may start at any time.
  for (const agent of agents.slice(1)) {
    const nodes = await withGraph(context, { tenant }, (graph) =>
      seedGraph(graph, agent, { env, jobId: randomUUID() }),
    );
    if (nodes !== undefined) steps.complete(`loaded the example graph of ${agent} (${nodes} nodes)`);
  }
  const { items } = await client.agents({ signal: context.signal });
  const startsByItself = new Set(items.filter(({ startWhen }) => startWhen).map(({ name }) => name));
  const jobs: DemoResult[] = [];
  for (const agent of agents) {
    const before = jobs.at(-1);
    const jobIds =
      before && startsByItself.has(agent)
        ? listStarted(context, client, before.job.jobId, agent)
        : [{ jobId: await submitDemoJob(parts, client, { agent, tenant, withDocument: before === undefined }) }];
    for await (const { jobId } of jobIds) {
      const result = await followDemoJob(parts, client, jobId, agent);
      jobs.push(result);
      if (!out.isStructured || result.job.status !== 'completed') showResult(parts, result);
      if (toExitCode(result) !== exitCode.ok) return toExitCode(result);
    }
  }
  const graph = await withGraph(context, { tenant }, countRequirementsInGraph);
  const claims = await readClaimFigures(jobs);
  const result = { jobs, tenant, graph, ...(claims ? { claims } : {}) };
  if (out.isStructured) out.writeRecord({ kind: 'result', ...result });
  else out.writeLines('', ...renderHandOver(result, out.paint));
  return exitCode.ok;
}

function showResult({ context: { out }, options, stack }: DemoParts, result: DemoResult): void {
  if (out.isStructured) out.writeRecord({ kind: 'result', ...result });
  else
    out.writeLines(
      ...renderDemoResult(result, { paint: out.paint, ...(options.keepRunning ? { apiUrl: stack.apiUrl } : {}) }),
    );
}

function toExitCode({ job, audit }: DemoResult): ExitCode {
  if (job.status !== 'completed') return exitCodeOfStatus(job.status);
  return audit.passed ? exitCode.ok : exitCode.failed;
}

interface DemoJob {
  readonly agent: string;
  readonly tenant?: string;
  readonly withDocument: boolean;
}

async function submitDemoJob(parts: DemoParts, client: PhaselineClient, demoJob: DemoJob): Promise<JobId> {
  const { context, document } = parts;
  const { agent, tenant } = demoJob;
  const { jobId } = await client.submit(
    { agent, tenant, labels: { [DEMO_LABEL]: 'true' } },
    {
      ...(demoJob.withDocument
        ? { files: [{ name: document.name, content: new Uint8Array(await readFile(document.path)) }] }
        : {}),
      signal: context.signal,
    },
  );
  return jobId;
}

/** Shows a job live to its end. `agent` is named where the demo runs several. */
async function followDemoJob(
  { context, home, plan, stack, steps, startedAt }: DemoParts,
  client: PhaselineClient,
  jobId: JobId,
  agent?: string,
): Promise<DemoResult> {
  const { out, signal } = context;
  steps.complete(`job ${jobId}${agent === undefined ? '' : ` (${agent})`}`);
  if (!out.isStructured) out.writeLines('');
  const progress = await followJob(client, jobId, context);
  const job = await client.get(jobId, { signal });
  if (!out.isStructured) out.writeLines('');
  const deliverables = await collectDeliverables(client, job, {
    workspaceRoot: stack.workspaceRoot,
    homeDirectory: home.directory,
    signal,
  });
  const countPhases = (kind: string): number => progress.phases.filter((phase) => phase.kind === kind).length;
  return {
    job,
    model: describeModel(plan.model),
    isRehearsal: plan.model.kind === 'rehearsal',
    phases: { strategic: countPhases('strategic'), tactical: countPhases('tactical') },
    ...deliverables,
    audit: await verifyLog(stack.databaseUrl, { signal }),
    positions: { first: progress.firstPosition, last: progress.position },
    elapsedMs: context.now() - startedAt,
  };
}

/** Cancels the jobs of killed demos, which the next stack would otherwise continue along with the new one. */
async function cancelLeftovers(client: PhaselineClient, signal: AbortSignal): Promise<number> {
  let cancelled = 0;
  const unfinished = ['submitted', 'running', 'paused', 'waiting-for-approval', 'waiting-for-input'] as const;
  for await (const job of client.list({ label: `${DEMO_LABEL}=true`, statuses: [...unfinished] }, { signal })) {
    await client.cancel(job.jobId, { reason: 'The demo that started this job was stopped.' }, { signal });
    cancelled += 1;
  }
  return cancelled;
}
