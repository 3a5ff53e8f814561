import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { appendBench, migrate } from '@phaseline/event-store';
import { findRedisServer, startPostgres, startRedis, type RunningPostgres } from '@phaseline/local-stack';
import { migrateQueues, type BackendConfig } from '@phaseline/queue';
import { exitWithUsageError, parseCommandLine, parseChoice, parseWholeNumber } from '@phaseline/harness';
import { measureAudit } from './audit-bench.js';
import { BenchFailed } from './bench-failed.js';
import { measureCommandGuards } from './command-guards-bench.js';
import { measureCommands } from './commands-bench.js';
import { measureContext } from './context/context-sections.js';
import { measureDashboard } from './dashboard/dashboard-bench.js';
import { measureTabs, type TabsReport } from './dashboard/tabs/measure-tabs.js';
import { describeLimits, listTabFailures, renderTabs } from './dashboard/tabs/render-tabs.js';
import { tabKinds } from './dashboard/tabs/tab-kinds.js';
import { measureFairness, type FairnessRow } from './fairness-bench.js';
import { measureInlineTools } from './inline-bench.js';
import { measureFoldOfLongestPhase } from './fold-bench.js';
import { measureGuards } from './guards-bench.js';
import { measureGrowth } from './growth-bench.js';
import { measureIdle } from './idle-bench.js';
import { measureRebuild } from './rebuild-bench.js';
import { measureJobView } from './job-view-bench.js';
import { LANE_TITLES } from './lane-titles.js';
import { measurePeers } from './peers/measure-peers.js';
import { renderPeers } from './peers/render-peers.js';
import { measureReplay } from './replay-bench.js';
import {
  renderCommands,
  renderContext,
  renderInline,
  renderReport,
  renderSchedules,
  renderTelemetry,
  type BenchReport,
  type StepRow,
} from './render-report.js';
import { measureSchedules } from './schedule-bench.js';
import { measureServices } from './service-bench.js';
import { measureAdmission } from './slots-bench.js';
import { measureSteps } from './step-bench.js';
import { measureCosts } from './step-costs/measure-costs.js';
import { measureTelemetry } from './telemetry-bench.js';
import { measureWorkspace } from './workspace-bench.js';

const sections = [
  'steps',
  'fold',
  'costs',
  'appends',
  'growth',
  'replay',
  'job-view',
  'dashboard',
  'dashboard-tabs',
  'rebuild',
  'fairness',
  'audit',
  'services',
  'idle',
  'context',
  'inline',
  'commands',
  'workspace',
  'guards',
  'telemetry',
  'schedule',
  'peers',
] as const;

const LANES = ['inline', 'file', 'remote'] as const;

const HELP = `npm run bench -- [SECTION] [options]

Measures the overhead of Phaseline without the model, on an embedded PostgreSQL that flushes to disk: appends compared with plain
inserts, steps on each queue backend, folds, what a step costs as counts, replay, the screen of a long job, the dashboard in a browser, rebuilds, audit, start-up time and memory of the services, the commits of an idle stack,
the cost of the context, how long inline tools block the event loop, what it costs to contain a command, how much later a command
starts in a workspace with many files, what guards and telemetry add to a step, and how long it takes to schedule a plan of 500 tasks. Figures of one run can be compared with each
other, but not with those of another machine or another time.

  --only SECTION   ${sections.join(', ')};
                   same as naming the section without --only
  --quick          shorter, with less data
  --json           prints the figures as JSON
  --phases N       only job-view and dashboard: phases of the long job (default one per 1,000 events); 1 makes a single long phase
  --minutes N      only dashboard-tabs: how long the tabs stay open (default 60)
  --tabs N         only dashboard-tabs: number of tabs, at most ${tabKinds.length} (default ${tabKinds.length})
  --rounds N       only peers: number of rounds (default 5, with --quick 1)
  --force          only peers: measures on a busy machine, too, with a warning
  --profile FOLDER only costs and fold: writes a profile of the Node process into the folder, of costs per row, and prints the ten largest self times
  --runs N         only schedule: number of plans of each kind (default 100, with --quick 10)
  --seed N         only dashboard-tabs and schedule: determines what is done in the tabs, and the plans (default 1)
  --help           prints this text

peers is not part of a run of everything. It runs the same jobs on Phaseline, Restate, DBOS, LangGraph and a bare floor of one commit per
step, in alternating rounds, and prints rates, their ratios, and which targets are met. It first installs the others in labs/bench/peers
(about 300 MB), and refuses to measure while something else uses the machine.

dashboard-tabs is not part of a run of everything, either. It keeps tabs with different screens of the dashboard open in one browser while small jobs
run, does something in each of them all the time, and samples once per minute, after a garbage collection, what every tab and the
orchestrator hold. The first third of the samples is warm-up. Something leaks if the median of the last third exceeds that of the second by
more than a limit, whichever is more: ${describeLimits()}.
Pools open and close sockets and connections, so their maximum in the last third is compared with that before it.
The server must see one live connection while the tabs are open and none after they were closed.

Exits with code 1 and prints no figures if a job of a benchmark did not complete or the log does not contain what was measured; with peers,
also if a store of another system does not contain every step, or the machine is busy. With
dashboard-tabs, exits with code 1 if something leaks, and names it.
`;

const values = parseCommandLine(
  HELP,
  {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    phases: { type: 'string' },
    minutes: { type: 'string', default: '60' },
    tabs: { type: 'string', default: String(tabKinds.length) },
    rounds: { type: 'string' },
    force: { type: 'boolean', default: false },
    profile: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
  'only',
);
const only = values.only === undefined ? undefined : parseChoice('only', values.only, sections);
const phases = values.phases === undefined ? undefined : parseWholeNumber('phases', values.phases);

const tabOptions = {
  minutes: parseWholeNumber('minutes', values.minutes),
  tabs: parseWholeNumber('tabs', values.tabs),
  seed: parseWholeNumber('seed', values.seed, 0),
};
if (tabOptions.tabs > tabKinds.length)
  exitWithUsageError(`--tabs is ${tabOptions.tabs}; there are ${tabKinds.length} kinds of tabs`);

const context = (): ReturnType<typeof measureContext> => measureContext({ quick: values.quick }, reportProgress);
const inline = (): ReturnType<typeof measureInlineTools> =>
  measureInlineTools(values.quick ? { files: 2_000, rounds: 2 } : { files: 20_000, rounds: 5 });
if (only === 'context') {
  // Measures tokens, not time, so it needs no database and the machine does not matter.
  const tables = await context().catch(reportFailure);
  if (tables) process.stdout.write(values.json ? `${JSON.stringify({ context: tables })}\n` : renderContext(tables));
  process.exit();
}

if (only === 'inline') {
  reportProgress('how long inline tools block the event loop');
  const rows = await inline().catch(reportFailure);
  if (rows) process.stdout.write(values.json ? `${JSON.stringify({ inline: rows })}\n` : renderInline(rows));
  process.exit();
}

const commands = (): ReturnType<typeof measureCommands> => {
  reportProgress('what it costs to contain a command');
  return measureCommands({ rounds: values.quick ? 20 : 100 });
};
if (only === 'commands') {
  // Needs no database either.
  const rows = await commands().catch(reportFailure);
  if (rows) process.stdout.write(values.json ? `${JSON.stringify({ commands: rows })}\n` : renderCommands(rows));
  process.exit();
}

const telemetry = (): ReturnType<typeof measureTelemetry> => {
  reportProgress('what telemetry adds to a step');
  return measureTelemetry({ steps: values.quick ? 5_000 : 20_000 });
};
if (only === 'telemetry') {
  // Measures processor time, and needs no database.
  const rows = await telemetry().catch(reportFailure);
  if (rows) process.stdout.write(values.json ? `${JSON.stringify({ telemetry: rows })}\n` : renderTelemetry(rows));
  process.exit();
}

const commandGuards = (): ReturnType<typeof measureCommandGuards> => {
  reportProgress('what it costs that a command is a guard');
  return measureCommandGuards({ rounds: values.quick ? 20 : 100 });
};
if (only === 'schedule') {
  // Needs no database either.
  const plans = parseWholeNumber('runs', values.runs ?? (values.quick ? '10' : '100'));
  reportProgress(`schedules of ${plans} plans of each kind`);
  const rows = await Promise.resolve()
    .then(() => measureSchedules({ plans, seed: tabOptions.seed }))
    .catch(reportFailure);
  if (rows) process.stdout.write(values.json ? `${JSON.stringify({ schedule: rows })}\n` : renderSchedules(rows));
  process.exit();
}

if (only === 'peers') {
  // Checks that the machine is idle before it starts a server.
  const report = await measurePeers({
    rounds: parseWholeNumber('rounds', values.rounds ?? (values.quick ? '1' : '5')),
    ...{ isQuick: values.quick, isForced: values.force },
    note: (line) => process.stderr.write(`${line}\n`),
  }).catch(reportFailure);
  if (report) process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : renderPeers(report));
  process.exit();
}

const folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-bench-'));
// As root, PostgreSQL runs as another user, which needs to traverse this folder; else its data would be elsewhere, and stay there.
await chmod(folder, 0o711);
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
try {
  if (only === 'dashboard-tabs') await runDashboardTabs(postgres);
  else {
    const report = await run(postgres);
    process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : renderReport(report));
  }
} catch (error) {
  reportFailure(error);
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function reportFailure(error: unknown): undefined {
  if (!(error instanceof BenchFailed)) throw error;
  process.stderr.write(`The benchmark failed: ${error.message}\n`);
  process.exitCode = 1;
}

/** Prints the figures of tabs that stay open, and fails if something leaks. */
async function runDashboardTabs(server: RunningPostgres): Promise<void> {
  await migrate(server.ownerUrl);
  await migrateQueues(server.ownerUrl);
  const report: TabsReport = await measureTabs({
    ...tabOptions,
    databaseUrl: server.serviceUrl,
    folder,
    onProgress: (line) => process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`),
  });
  const failures = listTabFailures(report);
  process.stdout.write(values.json ? `${JSON.stringify({ ...report, failures })}\n` : renderTabs(report));
  if (failures.length > 0) throw new BenchFailed(failures.join('\n'));
}

async function run(server: RunningPostgres): Promise<BenchReport> {
  await migrate(server.ownerUrl);
  await migrateQueues(server.ownerUrl);
  const isSelected = (section: (typeof sections)[number]): boolean => only === undefined || only === section;
  const seconds = values.quick ? 2 : 8;
  const report: BenchReport = {
    machine: {
      cpus: cpus().length,
      model: cpus()[0]?.model ?? 'unknown',
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
    },
    steps: [],
  };
  if (isSelected('steps')) report.steps = await collectStepRows(server);
  if (isSelected('fold')) {
    reportProgress('how fast a phase is restored');
    const backend = { backend: 'postgres', connectionString: server.serviceUrl } as const;
    const stepsPerJob = values.quick ? 300 : 1_200;
    await measureSteps({ databaseUrl: server.serviceUrl, backend, lane: 'inline', jobs: 1, stepsPerJob });
    report.fold = await measureFoldOfLongestPhase(server.serviceUrl, { profileFolder: values.profile });
  }
  if (isSelected('costs')) {
    const shorter = values.quick ? 3 : 1;
    report.costs = await measureCosts({
      ...{ folder, profileFolder: values.profile, note: reportProgress },
      ways: [...LANES.map((lane) => ({ lane })), { lane: 'remote', isQueued: true }],
      loads: [
        { jobs: 1, shortSteps: 99 / shorter, longSteps: 300 / shorter },
        { jobs: 32, shortSteps: 30 / shorter, longSteps: 90 / shorter },
      ],
    });
  }
  if (isSelected('appends')) {
    reportProgress('appends compared with plain inserts');
    report.appends = await appendBench({ url: server.ownerUrl, seconds });
  }
  if (isSelected('growth')) {
    report.growth = await measureGrowth({
      superuserUrl: server.superuserUrl!,
      ownerUrl: server.ownerUrl,
      note: (what) => process.stderr.write(`${what} …\n`),
      ...(values.quick ? { lengths: [1_000, 10_000, 100_000], rounds: 6 } : {}),
    });
  }
  if (isSelected('replay')) {
    reportProgress('the state of a long job at any point');
    report.replay = await measureReplay({
      databaseUrl: server.serviceUrl,
      events: values.quick ? 10_000 : 100_000,
      points: values.quick ? 50 : 300,
    });
  }
  if (isSelected('job-view')) {
    reportProgress('the screen of a long job');
    report.jobView = await measureJobView({
      databaseUrl: server.serviceUrl,
      ...{ events: values.quick ? 10_000 : 100_000, phases, moves: 40, folder },
    });
  }
  if (isSelected('dashboard')) {
    reportProgress('the dashboard in a browser');
    report.dashboard = await measureDashboard({
      databaseUrl: server.serviceUrl,
      ...{ events: values.quick ? 10_000 : 100_000, phases, moves: 40, folder },
    });
  }
  if (isSelected('rebuild')) {
    report.rebuild = await measureRebuild({
      databaseUrl: server.serviceUrl,
      events: values.quick ? 100_000 : 1_000_000,
      note: reportProgress,
    });
  }
  if (isSelected('fairness')) {
    reportProgress('admission decisions');
    report.slots = await measureAdmission(server.serviceUrl, values.quick ? 300 : 2_000);
    report.fairness = await collectFairnessRows(server);
  }
  if (isSelected('audit')) {
    reportProgress('anchors, verification and export');
    report.audit = await measureAudit({
      databaseUrl: server.serviceUrl,
      events: values.quick ? 100_000 : 1_000_000,
      folder,
    });
  }
  if (isSelected('services')) {
    reportProgress('start-up and memory of the services');
    report.services = await measureServices(server.serviceUrl, folder);
  }
  if (isSelected('idle')) {
    const hasRedis = (await findRedisServer()) !== undefined;
    report.idle = await measureIdle({
      backends: hasRedis ? ['postgres', 'redis'] : ['postgres'],
      ...{ folder, isQuick: values.quick, note: reportProgress },
    });
  }
  if (isSelected('context')) report.context = await context();
  if (isSelected('inline')) report.inline = await inline();
  if (isSelected('commands')) report.commands = await commands();
  if (isSelected('guards')) {
    const backend = { backend: 'postgres', connectionString: server.serviceUrl } as const;
    reportProgress('what guards add to a step');
    const step = await measureSteps({
      databaseUrl: server.serviceUrl,
      ...{ backend, lane: 'file', jobs: 1, stepsPerJob: values.quick ? 100 : 300 },
    });
    report.commandGuards = await commandGuards();
    report.guards = await measureGuards({ rounds: values.quick ? 200 : 2_000, stepMs: step.p50Ms });
  }
  if (isSelected('telemetry')) report.telemetry = await telemetry();
  if (isSelected('schedule')) {
    reportProgress('schedules of plans');
    report.schedule = measureSchedules({ plans: values.quick ? 10 : 100, seed: tabOptions.seed });
  }
  if (isSelected('workspace'))
    report.workspace = await measureWorkspace({
      databaseUrl: server.serviceUrl,
      files: values.quick ? [1_000, 5_000] : [5_000, 20_000],
      laterCommands: values.quick ? 4 : 10,
      note: reportProgress,
    });
  return report;
}

/** Runs a benchmark on each available queue backend. */
async function runOnEachBackend<Row>(
  server: RunningPostgres,
  run: (backend: BackendConfig) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const redis = (await findRedisServer()) ? await startRedis({ dataDir: join(folder, 'redis') }) : undefined;
  try {
    const rows = [...(await run({ backend: 'postgres', connectionString: server.serviceUrl }))];
    if (redis) rows.push(...(await run({ backend: 'redis', url: redis.url })));
    return rows;
  } finally {
    await redis?.stop();
  }
}

function collectFairnessRows(server: RunningPostgres): Promise<FairnessRow[]> {
  return runOnEachBackend(server, (backend) => {
    reportProgress(`fairness between tenants, ${backend.backend} queues`);
    const bigJobs = values.quick ? 100 : 300;
    return measureFairness({ databaseUrl: server.serviceUrl, backend, bigJobs, callMs: 1_000 });
  });
}

function collectStepRows(server: RunningPostgres): Promise<StepRow[]> {
  return runOnEachBackend(server, async (backend) => {
    const rows: StepRow[] = [];
    for (const lane of LANES)
      for (const jobs of [1, 32]) {
        reportProgress(`${LANE_TITLES[lane]} steps, ${jobs} ${jobs === 1 ? 'job' : 'jobs'}, ${backend.backend} queues`);
        const stepsPerJob = (jobs === 1 ? 300 : 60) / (values.quick ? 3 : 1);
        const figures = await measureSteps({ databaseUrl: server.serviceUrl, backend, lane, jobs, stepsPerJob });
        rows.push({ backend: backend.backend, lane: LANE_TITLES[lane], jobs, ...figures });
      }
    return rows;
  });
}

function reportProgress(what: string): void {
  process.stderr.write(`measuring ${what} …\n`);
}
