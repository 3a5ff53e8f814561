import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolSettingsSchema } from '@phaseline/contracts';
import { assertReadable, phaseStream } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { call, createThreePhasePolicy, Engine, parsePrompt, percentile } from '@phaseline/harness';
import { createCommandsPack, DiskFolders, type KeptFolders } from '@phaseline/remote-packs';
import { JobRepository } from '@phaseline/repository';
import { Sandbox } from '@phaseline/sandbox';
import type { Pool } from 'pg';
import { BenchFailed, requireCount } from './bench-failed.js';

/*
 * Measures commands in a workspace with many files: how much later a command starts than a bare one, from the moment at which the
 * tool-runner takes its message, and how long the comparison of the folder takes afterwards. Real log, real sandbox; the files are those
 * of npm packages. Counts (files scanned, read and written, blobs and statements) do not depend on the load of the machine.
 *
 * Options: numbers of files, later commands.
 */

export interface WorkspaceBenchOptions {
  readonly databaseUrl: string;
  readonly files: readonly number[];
  /** Commands after the first one. The last of them changes a file. */
  readonly laterCommands: number;
  readonly note?: (what: string) => void;
}

export interface WorkspaceRow {
  readonly files: number;
  readonly mebibytes: number;
  readonly command: 'first' | 'later' | 'after a change of one file';
  readonly runs: number;
  /** Time from the message to the start of the program, beyond that of a bare program: median and maximum. */
  readonly startP50Ms: number;
  readonly startMaxMs: number;
  readonly takeInP50Ms: number;
  /** Processor time of the tool-runner until it starts the sandbox, median. Unlike the times above, hardly depends on other load. */
  readonly startCpuP50Ms: number;
  /** Counts per command. */
  readonly scanned: number;
  readonly read: number;
  readonly written: number;
  readonly blobs: number;
  readonly statements: number;
  /** Size of the event that starts a phase with these files. */
  readonly phaseStartedBytes: number;
  /** Time in which a process that has nothing in memory loads the phase. */
  readonly loadMs: number;
}

interface Run {
  readonly startMs: number;
  readonly startCpuMs: number;
  readonly takeInMs: number;
  readonly scanned: number;
  readonly read: number;
  readonly written: number;
  readonly blobs: number;
  readonly statements: number;
}

type SourceFile = { readonly path: string; readonly content: Uint8Array };

const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const MAX_SOURCE_BYTES = 64 * 1024;
/** Prints the time at which it runs, in nanoseconds. */
const SHOW_TIME = ['+%s%N'];
const BARE_RUNS = 20;

export async function measureWorkspace(options: WorkspaceBenchOptions): Promise<readonly WorkspaceRow[]> {
  const { databaseUrl, files, laterCommands, note = () => undefined } = options;
  const rows: WorkspaceRow[] = [];
  for (const count of files) {
    note(`commands in a workspace of ${count} files`);
    rows.push(...(await measureSize(databaseUrl, count, laterCommands)));
  }
  return rows;
}

async function measureSize(databaseUrl: string, count: number, laterCommands: number): Promise<WorkspaceRow[]> {
  const files = await readPackages(count);
  const root = await mkdtemp(join(tmpdir(), 'phaseline-workspace-'));
  const pool = createPool(databaseUrl, { max: 8, applicationName: 'bench' });
  const statements = countStatements(pool);
  const store = new EventStore(pool, { checkEvent: assertReadable });
  try {
    const bareMs = await measureBareStart();
    const runs: Run[] = [];
    const observed = observe(store, new DiskFolders(root));
    const pack = createCommandsPack({ folders: observed.folders, sandbox: new Sandbox({ mode: 'auto' }) });
    const engine = new Engine({
      store: observed.store,
      files,
      packs: [pack],
      agent: {
        tools: {
          workspace: [],
          strategic: ['todo_write', 'todo_complete', 'job_complete'],
          tactical: ['todo_complete'],
          domain: ['run_command'],
        },
        settings: toolSettingsSchema.parse({
          commands: { allow: ['date', 'sh'], maxWorkspaceBytes: 2 ** 32, timeoutMs: 120_000 },
        }),
      },
      policy: createThreePhasePolicy((request) => {
        const { turn } = parsePrompt(request);
        if (turn > laterCommands + 1) return call('todo_complete');
        if (turn !== laterCommands) return call('run_command', { program: 'date', args: SHOW_TIME });
        return call('run_command', { program: 'sh', args: ['-c', `date ${SHOW_TIME[0]}; echo changed > changed.txt`] });
      }),
    });
    const runner = engine.toolRunner();
    const run = runner.run.bind(runner);
    runner.run = async (message, signal) => {
      const began = performance.timeOrigin + performance.now();
      const cpu = process.cpuUsage();
      const before = { statements: statements(), blobs: observed.blobs() };
      const outcome = await run(message, signal);
      const { work, takeInMs, cpuAtStart } = observed.last();
      const events = await store.read(phaseStream(message.jobId, message.phase));
      const result = events.findLast(({ type }) => type === 'ToolCallCompleted');
      const printed = /stdout:\s+(\d{19})/.exec(JSON.stringify(result?.data).replaceAll('\\n', '\n'))?.[1];
      if (printed === undefined) throw new BenchFailed('a command did not print the time at which it started');
      runs.push({
        startMs: Number(printed) / 1e6 - began - bareMs,
        startCpuMs: toMs(cpuAtStart) - toMs(cpu),
        takeInMs,
        ...work,
        blobs: observed.blobs() - before.blobs,
        // Without the read above.
        statements: statements() - before.statements - 1,
      });
      return outcome;
    };
    const jobId = await engine.submit();
    await engine.run(jobId, { runner });
    requireCount('commands in the log', runs.length, laterCommands + 2);
    const [started] = await store.read(phaseStream(jobId, 2));
    const fresh = new JobRepository(new EventStore(pool, { checkEvent: assertReadable }));
    const began = performance.now();
    await fresh.loadPhase(jobId, 2);
    const common = {
      files: files.length,
      mebibytes: files.reduce((sum, { content }) => sum + content.byteLength, 0) / 2 ** 20,
      loadMs: performance.now() - began,
      phaseStartedBytes: Buffer.byteLength(JSON.stringify(started!.data)),
    };
    return [
      { ...common, command: 'first', ...summarise(runs.slice(0, 1)) },
      { ...common, command: 'later', ...summarise(runs.slice(1, -1)) },
      { ...common, command: 'after a change of one file', ...summarise(runs.slice(-1)) },
    ];
  } finally {
    await store.close();
    await pool.end();
    await rm(root, { recursive: true, force: true });
  }
}

function summarise(
  runs: readonly Run[],
): Omit<WorkspaceRow, 'files' | 'mebibytes' | 'command' | 'phaseStartedBytes' | 'loadMs'> {
  const of = (key: keyof Run): number[] => runs.map((run) => run[key]);
  return {
    runs: runs.length,
    startP50Ms: percentile(of('startMs'), 0.5),
    startMaxMs: percentile(of('startMs'), 1),
    takeInP50Ms: percentile(of('takeInMs'), 0.5),
    startCpuP50Ms: percentile(of('startCpuMs'), 0.5),
    ...{
      scanned: percentile(of('scanned'), 1),
      read: percentile(of('read'), 1),
      written: percentile(of('written'), 1),
    },
    ...{ blobs: percentile(of('blobs'), 1), statements: percentile(of('statements'), 1) },
  };
}

/** Wraps the folders and the blobs of a tool-runner, and remembers what the last command did with them. */
function observe(
  store: EventStore,
  folders: KeptFolders,
): {
  readonly store: EventStore;
  readonly folders: KeptFolders;
  readonly blobs: () => number;
  readonly last: () => Pick<Run, 'takeInMs'> & {
    readonly work: Pick<Run, 'scanned' | 'read' | 'written'>;
    readonly cpuAtStart: NodeJS.CpuUsage;
  };
} {
  let blobs = 0;
  const get = store.blobs.get.bind(store.blobs);
  store.blobs.get = (hash) => {
    blobs += 1;
    return get(hash);
  };
  const getAll = store.blobs.getAll.bind(store.blobs);
  store.blobs.getAll = (hashes) => {
    blobs += hashes.length;
    return getAll(hashes);
  };
  let last: ReturnType<ReturnType<typeof observe>['last']> | undefined;
  return {
    store,
    blobs: () => blobs,
    last: () => last!,
    folders: {
      use: (request, work) =>
        folders.use(request, (folder) => {
          const cpuAtStart = process.cpuUsage();
          return work({
            ...folder,
            takeIn: async () => {
              const began = performance.now();
              const taken = await folder.takeIn();
              const { scanned, read, written } = folder.work;
              last = { cpuAtStart, takeInMs: performance.now() - began, work: { scanned, read, written } };
              return taken;
            },
          });
        }),
    },
  };
}

function toMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

/** Counts the statements that are sent to the database. */
function countStatements(pool: Pool): () => number {
  let count = 0;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      count += 1;
      return query(...args);
    }) as typeof client.query;
  });
  return () => count;
}

/** Median time from the start of a bare program to its first line. */
async function measureBareStart(): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < BARE_RUNS; run += 1) {
    const began = performance.timeOrigin + performance.now();
    const child = spawn('/bin/date', SHOW_TIME, { stdio: ['ignore', 'pipe', 'ignore'] });
    let printed = '';
    for await (const chunk of child.stdout) printed += String(chunk);
    times.push(Number(printed) / 1e6 - began);
  }
  return percentile(times, 0.5);
}

/** Reads files of npm packages until there are enough. */
async function readPackages(count: number): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = [];
  for (const name of (await readdir(PACKAGES)).toSorted()) {
    if (/^[@.]/.test(name)) continue;
    const entries = await readdir(join(PACKAGES, name), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (files.length === count) return files;
      const place = join(entry.parentPath, entry.name);
      const path = `vendor/${place.slice(PACKAGES.length + 1)}`;
      if (!entry.isFile() || path.includes('/node_modules/') || path.length > 200) continue;
      const content = await readFile(place);
      if (content.byteLength <= MAX_SOURCE_BYTES) files.push({ path, content });
    }
  }
  throw new BenchFailed(`the packages of this project have only ${files.length} files; ${count} are needed`);
}
