import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { openLocalHome } from '@phaseline/local-stack';
import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { cancelLeftovers, followDemoJob, showResult, submitDemoJob, type DemoParts } from '../demo/demo-job.js';
import { countRequirementsInGraph, seedGraph } from '../demo/demo-graph.js';
import { makeExampleRepository } from '../demo/feature-loop/example-repository.js';
import { runPlan, runPlanScenes } from '../demo/run-plans.js';
import { runFeatureLoop } from '../demo/feature-loop/run-feature-loop.js';
import { readClaimFigures, renderHandOver } from '../demo/hand-over-result.js';
import { withGraph } from '../graph/open-graph.js';
import { checkDocument, type DocumentPath } from '../job/read-documents.js';
import type { Output } from '../output/output.js';
import { formatBytes, pluralise } from '../output/quantities.js';
import { listStarted } from '../progress/follow-chain.js';
import { createDashboardLink, findOpener, openInBrowser } from './dashboard-link.js';
import { describeModel } from './describe-model.js';
import type { DemoResult } from './demo-result.js';
import { findExampleDocument } from './project-files.js';
import { planStack, type QueueBackend } from './stack-plan.js';
import { startStack, type RunningStack, type StartStackOptions } from './start-stack.js';
import { StepList } from './step-list.js';
import { waitUntilAborted } from './wait-until-aborted.js';

export interface DemoOptions {
  readonly document?: string;
  readonly agent: string;
  /** Agents to run in turn instead. The first one gets the document, the others what the previous one handed over. */
  readonly agents?: readonly string[];
  /** Workflow to run on its example repository instead. */
  readonly workflow?: 'feature-loop';
  /** Goal to plan instead; `true` for a goal per pattern, and what can go wrong. */
  readonly plan?: string | true;
  readonly keepRunning?: boolean;
  /** Whether to open the dashboard where there is a display, if the system keeps running. */
  readonly open?: boolean;
  readonly queueBackend?: QueueBackend;
}

/** What a demo works on. */
interface Scenario {
  /** The input, as a step. */
  readonly input: string;
  /** Variables of the system, in addition to those of the command. */
  readonly env?: NodeJS.ProcessEnv;
  readonly run: (parts: DemoParts, client: PhaselineClient) => Promise<ExitCode>;
}

/**
 * `phaseline demo`: starts the whole system, runs one job per agent, the first one on a document, shows them live, verifies the log,
 * prints the results and stops everything. With a workflow, it runs the example of that workflow. Exit code: that of the first job that did not
 * end as it should, or 1 if the audit fails.
 */
export async function demo(context: CommandContext, options: DemoOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const plan = planStack(context.env, options);
  const withoutHome = options.plan === undefined ? await prepareDocument(context, options) : preparePlan(options.plan);
  const home = await openLocalHome(context.env, context.currentDirectory);
  const scenario = withoutHome ?? (await prepareFeatureLoop(context, home.directory));
  const env = { ...context.env, ...scenario.env };
  const startedAt = context.now();
  const steps = new StepList(out);
  steps.complete(scenario.input);
  steps.complete(`model: ${describeModel(plan.model)}`);
  const onInterrupt = (): void => out.writeMessage('Interrupted. Stopping everything…');
  signal.addEventListener('abort', onInterrupt, { once: true });
  let stack: RunningStack | undefined;
  try {
    stack = await startSystem({ home, plan, env, signal, out, steps });
    steps.complete(
      `${Object.keys(stack.urls).join(', ')} up at ${stack.apiUrl} in ${((context.now() - startedAt) / 1_000).toFixed(1)} s`,
    );
    const client = new PhaselineClient({ baseUrl: stack.apiUrl, apiKey: context.apiKey ?? stack.apiKey });
    const { keepRunning = false } = options;
    const run = runScenario(scenario, { context, keepRunning, plan, home, stack, steps, startedAt }, client);
    const code = await Promise.race([run, stack.failed.then((error) => Promise.reject(error))]);
    // Agents that start by themselves may have a job for what the last one handed over, which no later start should continue.
    if (!keepRunning) await cancelLeftovers(client, signal);
    else {
      const dashboard = await createDashboardLink(stack, signal);
      out.writeMessage(`The system keeps running at ${stack.apiUrl}. Stop it with Ctrl-C.`);
      out.writeMessage(`Dashboard, with a link that works once, for 10 minutes: ${dashboard}`);
      const opener = options.open === false || !out.isTerminal ? undefined : findOpener(env);
      if (opener !== undefined) await openInBrowser(dashboard, opener, home.directory);
      const failure = await Promise.race([waitUntilAborted(signal), stack.failed]);
      if (failure) throw failure;
    }
    return code;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    await stack?.stop();
  }
}

/** Goals, planned with a scripted person. Throws UsageError for a goal without words. */
function preparePlan(goal: string | true): Scenario {
  if (goal === true) return { input: 'goals of every pattern, and what can go wrong', run: runPlanScenes };
  if (goal.trim() === '') throw new UsageError('Say what is to be planned, such as --plan "Learn to sail by May".');
  return { input: `goal: ${goal.trim()}`, run: (parts, client) => runPlan(parts, client, goal.trim()) };
}

/** One or several agents on a document; `undefined` if a workflow is run instead. Throws UsageError and DocumentUnusable. */
async function prepareDocument(context: CommandContext, options: DemoOptions): Promise<Scenario | undefined> {
  if (options.workflow !== undefined) return undefined;
  const agents = options.agents ?? [options.agent];
  const document = await checkDocument(options.document ?? (await findExampleDocument(agents[0]!)), context);
  return {
    input: `document ${document.path} (${formatBytes(document.size)})`,
    run: (parts, client) => runAgents(parts, client, agents, document),
  };
}

/** The feature loop on its example. Throws BadEnvironment without git. */
async function prepareFeatureLoop({ env, signal }: CommandContext, homeDirectory: string): Promise<Scenario> {
  const example = await makeExampleRepository(homeDirectory, signal);
  const roots = [env.PHASELINE_REPOSITORY_ROOTS ?? '', example.root].filter((root) => root.trim() !== '');
  return {
    input: `repository ${example.path}`,
    env: { PHASELINE_REPOSITORY_ROOTS: roots.join(',') },
    run: (parts, client) => runFeatureLoop(parts, client, example),
  };
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

async function runScenario({ run }: Scenario, parts: DemoParts, client: PhaselineClient): Promise<ExitCode> {
  const { context, steps } = parts;
  const cancelled = await cancelLeftovers(client, context.signal);
  if (cancelled > 0) steps.complete(`cancelled ${pluralise(cancelled, 'unfinished job')} of an earlier demo`);
  return run(parts, client);
}

async function runAgents(
  parts: DemoParts,
  client: PhaselineClient,
  agents: readonly string[],
  document: DocumentPath,
): Promise<ExitCode> {
  if (agents.length > 1) return runInTurn(parts, client, agents, document);
  const jobId = await submitWithDocument(parts, client, { agent: agents[0]! }, document);
  const result = await followDemoJob(parts, client, jobId);
  showResult(parts, result);
  return toExitCode(result);
}

/** Runs several agents, each on what the previous one handed over, in a new tenant without data of earlier demos. */
async function runInTurn(
  parts: DemoParts,
  client: PhaselineClient,
  agents: readonly string[],
  document: DocumentPath,
): Promise<ExitCode> {
  const { context, steps } = parts;
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
        : [{ jobId: await submitWithDocument(parts, client, { agent, tenant }, before ? undefined : document) }];
    for await (const { jobId } of jobIds) {
      const result = await followDemoJob(parts, client, jobId, { agent });
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

function toExitCode({ job, audit }: DemoResult): ExitCode {
  if (job.status !== 'completed') return exitCodeOfStatus(job.status);
  return audit.passed ? exitCode.ok : exitCode.failed;
}

async function submitWithDocument(
  parts: DemoParts,
  client: PhaselineClient,
  request: { readonly agent: string; readonly tenant?: string },
  document: DocumentPath | undefined,
): Promise<JobId> {
  const files = document && [{ name: document.name, content: new Uint8Array(await readFile(document.path)) }];
  return submitDemoJob(parts, client, request, files);
}
