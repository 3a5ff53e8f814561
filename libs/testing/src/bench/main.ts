import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { appendBench, createPool, EventStore, migrate } from '@phaseline/event-store';
import { findRedisServer, startPostgres, startRedis, type RunningPostgres } from '@phaseline/local-stack';
import { migrateQueues, type BackendConfig } from '@phaseline/queue';
import { commandLine, oneOf } from '../command-line.js';
import { auditBench } from './audit-bench.js';
import { BenchFailed } from './bench-failed.js';
import { contextBench } from './context/context-sections.js';
import { fairnessBench, type FairnessRow } from './fairness-bench.js';
import { inlineBench } from './inline-bench.js';
import { foldBench } from './fold-bench.js';
import { growthBench } from './growth-bench.js';
import { rebuildBench } from './rebuild-bench.js';
import { replayBench } from './replay-bench.js';
import { renderContext, renderInline, renderReport, type BenchReport, type StepRow } from './render-report.js';
import { serviceBench } from './service-bench.js';
import { slotsBench } from './slots-bench.js';
import { stepBench } from './step-bench.js';

const sections = [
  'steps',
  'appends',
  'growth',
  'replay',
  'rebuild',
  'fairness',
  'audit',
  'services',
  'context',
  'inline',
] as const;

const HELP = `npm run bench -- [SECTION] [options]

What Phaseline costs beside the model, on an embedded PostgreSQL that flushes to the disk: appends against plain inserts, steps
on each queue backend, replay, rebuilds, audit, start-up time and memory of the services, what the context costs,
and for how long inline tools hold the event loop. Figures of one run may be compared
with each other; those of two machines, or of two hours, may not.

  --only SECTION   ${sections.join(', ')};
                   the word alone means the same
  --quick          shorter, with less data
  --json           print the figures as JSON
  --help           this text

Ends with code 1 and without figures when jobs of a bench did not all complete, or the log does not have what was measured.
`;

const values = commandLine(
  HELP,
  {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
  'only',
);
const only = values.only === undefined ? undefined : oneOf('only', values.only, sections);

const context = (): ReturnType<typeof contextBench> => contextBench({ quick: values.quick }, note);
const inline = (): ReturnType<typeof inlineBench> =>
  inlineBench(values.quick ? { files: 2_000, rounds: 2 } : { files: 20_000, rounds: 5 });
if (only === 'context') {
  // Tokens, not times: it needs no database, and the machine does not matter.
  const tables = await context().catch(reportFailure);
  if (tables) process.stdout.write(values.json ? `${JSON.stringify({ context: tables })}\n` : renderContext(tables));
  process.exit();
}

if (only === 'inline') {
  note('how long inline tools hold the event loop');
  const rows = await inline().catch(reportFailure);
  if (rows) process.stdout.write(values.json ? `${JSON.stringify({ inline: rows })}\n` : renderInline(rows));
  process.exit();
}

const folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-bench-'));
const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), durable: true });
try {
  const report = await run(postgres);
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : renderReport(report));
} catch (error) {
  reportFailure(error);
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

function reportFailure(error: unknown): undefined {
  if (!(error instanceof BenchFailed)) throw error;
  process.stderr.write(`The bench failed: ${error.message}\n`);
  process.exitCode = 1;
}

async function run(server: RunningPostgres): Promise<BenchReport> {
  await migrate(server.ownerUrl);
  await migrateQueues(server.ownerUrl);
  const wanted = (section: (typeof sections)[number]): boolean => only === undefined || only === section;
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
  if (wanted('steps')) {
    report.steps = await stepRows(server);
    const pool = createPool(server.serviceUrl, { max: 2, applicationName: 'bench' });
    const { rows } = await pool.query<{ correlation_id: string }>(
      "SELECT correlation_id FROM phaseline.streams WHERE stream_id LIKE 'phase-%' ORDER BY version DESC LIMIT 1",
    );
    if (rows[0]) report.fold = await foldBench(new EventStore(pool), rows[0].correlation_id);
    await pool.end();
  }
  if (wanted('appends')) {
    note('appends against plain inserts');
    report.appends = await appendBench({ url: server.ownerUrl, seconds });
  }
  if (wanted('growth')) {
    report.growth = await growthBench({
      superuserUrl: server.superuserUrl!,
      ownerUrl: server.ownerUrl,
      note: (what) => process.stderr.write(`${what} …\n`),
      ...(values.quick ? { lengths: [1_000, 10_000, 100_000], rounds: 6 } : {}),
    });
  }
  if (wanted('replay')) {
    note('any point of a long job');
    report.replay = await replayBench({
      databaseUrl: server.serviceUrl,
      events: values.quick ? 10_000 : 100_000,
      points: values.quick ? 50 : 300,
    });
  }
  if (wanted('rebuild')) {
    report.rebuild = await rebuildBench({
      databaseUrl: server.serviceUrl,
      events: values.quick ? 100_000 : 1_000_000,
      note,
    });
  }
  if (wanted('fairness')) {
    note('decisions about slots');
    report.slots = await slotsBench(server.serviceUrl, values.quick ? 300 : 2_000);
    report.fairness = await fairnessRows(server);
  }
  if (wanted('audit')) {
    note('seals, verification and export');
    report.audit = await auditBench({
      databaseUrl: server.serviceUrl,
      events: values.quick ? 100_000 : 1_000_000,
      folder,
    });
  }
  if (wanted('services')) {
    note('start-up and memory of the services');
    report.services = await serviceBench(server.serviceUrl, folder);
  }
  if (wanted('context')) report.context = await context();
  if (wanted('inline')) report.inline = await inline();
  return report;
}

/** Runs something over each queue backend that there is. */
async function overBackends<Row>(
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

function fairnessRows(server: RunningPostgres): Promise<FairnessRow[]> {
  return overBackends(server, (backend) => {
    note(`fairness between tenants, ${backend.backend} queues`);
    const bigJobs = values.quick ? 100 : 300;
    return fairnessBench({ databaseUrl: server.serviceUrl, backend, bigJobs, callMs: 1_000 });
  });
}

async function stepRows(server: RunningPostgres): Promise<StepRow[]> {
  const rows: StepRow[] = [];
  const redis = (await findRedisServer()) ? await startRedis({ dataDir: join(folder, 'redis') }) : undefined;
  const backends: BackendConfig[] = [
    { backend: 'postgres', connectionString: server.serviceUrl },
    ...(redis ? [{ backend: 'redis' as const, url: redis.url }] : []),
  ];
  try {
    for (const backend of backends) {
      for (const lane of ['log', 'runner'] as const) {
        for (const jobs of [1, 32]) {
          note(`${lane} steps, ${jobs} ${jobs === 1 ? 'job' : 'jobs'}, ${backend.backend} queues`);
          const stepsPerJob = (jobs === 1 ? 300 : 60) / (values.quick ? 3 : 1);
          rows.push({
            backend: backend.backend,
            lane,
            jobs,
            ...(await stepBench({ databaseUrl: server.serviceUrl, backend, lane, jobs, stepsPerJob })),
          });
        }
      }
    }
  } finally {
    await redis?.stop();
  }
  return rows;
}

function note(what: string): void {
  process.stderr.write(`measuring ${what} …\n`);
}
