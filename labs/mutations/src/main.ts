import { readFile, writeFile, mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@phaseline/local-stack';
import { parseCommandLine, exitWithUsageError, parseWholeNumber } from '@phaseline/harness';
import { choosePart, chooseSample, planRunsBefore } from './choose-mutations.js';
import type { MutationOutcome } from './judge-report.js';
import { applyMutation, parseMutations, type Mutation } from './mutation-list.js';
import { runSpecs } from './run-specs.js';
import { makeScratchCopy } from './scratch-copy.js';

const HELP = `npm run mutate -- [--only NAME] [--runs N] [--seed S] [--part I/N] [--json] [--list]

Applies the mutations of labs/mutations/src/mutations.yaml to a copy of the repository, one at a time, and runs the specs
that must detect each. Exits with code 1 if a mutation survives or cannot be judged.

  --only NAME   one mutation
  --runs N      a random sample of N mutations, chosen by --seed S (default 1)
  --part I/N    part I of N of the list, such as 1/3
  --json        prints one JSON record per mutation and one for the summary
  --list        prints the mutations and runs nothing
`;

const values = parseCommandLine(HELP, {
  only: { type: 'string' },
  runs: { type: 'string' },
  seed: { type: 'string' },
  part: { type: 'string' },
  json: { type: 'boolean' },
  list: { type: 'boolean' },
});

const checkout = fileURLToPath(new URL('../../../', import.meta.url));
const listFile = join(checkout, 'labs/mutations/src/mutations.yaml');
const isJson = values.json === true;
const print = (line: string, record: object): boolean =>
  process.stdout.write(`${isJson ? JSON.stringify(record) : line}\n`);

function choose(all: readonly Mutation[]): readonly Mutation[] {
  if (values.only !== undefined) {
    const found = all.filter(({ name }) => name === values.only);
    return found.length > 0 ? found : exitWithUsageError(`unknown mutation ${values.only}; --list shows all names`);
  }
  if (values.part !== undefined) {
    const [, part, parts] = /^(\d+)\/(\d+)$/.exec(values.part)?.map(Number) ?? [];
    if (!part || !parts || part > parts)
      return exitWithUsageError(`--part is "${values.part}"; expected I/N, such as 1/3`);
    return choosePart(all, part, parts);
  }
  if (values.runs === undefined) return all;
  return chooseSample(all, parseWholeNumber('runs', values.runs), parseWholeNumber('seed', values.seed ?? '1', 0));
}

async function judge(
  root: string,
  mutation: Mutation,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<MutationOutcome> {
  const path = join(root, mutation.file);
  const source = await readFile(path, 'utf8');
  let mutated: string;
  try {
    mutated = applyMutation(source, mutation);
  } catch (error) {
    return { kind: 'invalid', reason: (error as Error).message };
  }
  await writeFile(path, mutated);
  try {
    return await runSpecs(root, mutation.specs, { test: mutation.test, env, signal });
  } finally {
    await writeFile(path, source);
  }
}

function describe(outcome: MutationOutcome): string {
  if (outcome.kind === 'detected') return `detected by ${outcome.failedTests[0]}`;
  return outcome.kind === 'survived' ? 'SURVIVED' : `INVALID: ${outcome.reason}`;
}

async function runAll(chosen: readonly Mutation[], signal: AbortSignal): Promise<boolean> {
  const cleanUp: (() => Promise<unknown>)[] = [];
  try {
    const copy = await makeScratchCopy(checkout);
    cleanUp.push(copy.remove);
    const data = await mkdtemp(join(tmpdir(), 'phaseline-mutations-postgres-'));
    cleanUp.push(() => rm(data, { recursive: true, force: true }));
    // As root, PostgreSQL runs as another user, which needs to traverse this folder.
    await chmod(data, 0o711);
    // One server for all runs; each run creates and removes its own databases.
    const postgres = await startPostgres({ dataDir: join(data, 'data'), durable: false });
    cleanUp.push(() => postgres.stop());
    const env = { ...process.env, DATABASE_URL_FOR_TESTS: postgres.superuserUrl };
    // A spec that fails without a mutation would seem to detect every mutation.
    for (const { specs, test } of planRunsBefore(chosen)) {
      const before = await runSpecs(copy.root, specs, { test, env, signal });
      if (before.kind === 'survived') continue;
      const problem =
        before.kind === 'invalid'
          ? before.reason
          : `these tests fail without a mutation: ${before.failedTests.join(', ')}`;
      print(problem, { kind: 'summary', problem });
      return false;
    }
    const counts = { detected: 0, survived: 0, invalid: 0 };
    for (const [index, mutation] of chosen.entries()) {
      const started = performance.now();
      const outcome = await judge(copy.root, mutation, env, signal);
      const seconds = ((performance.now() - started) / 1_000).toFixed(1);
      counts[outcome.kind] += 1;
      const { name, file } = mutation;
      print(`${index + 1}/${chosen.length} ${name} (${seconds} s): ${describe(outcome)}`, {
        name,
        file,
        seconds,
        ...outcome,
      });
    }
    const { detected, survived, invalid } = counts;
    print(`${chosen.length} mutations, ${detected} detected, ${survived} survived, ${invalid} invalid`, {
      kind: 'summary',
      mutations: chosen.length,
      ...counts,
    });
    return survived === 0 && invalid === 0;
  } finally {
    for (const step of cleanUp.reverse()) await step();
  }
}

const chosen = choose(parseMutations(await readFile(listFile, 'utf8')));
if (values.list === true) {
  for (const mutation of chosen) print(`${mutation.name} (${mutation.file}): ${mutation.why}`, mutation);
} else {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stop.abort());
  try {
    process.exitCode = (await runAll(chosen, stop.signal)) ? 0 : 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    process.stderr.write('stopped by a signal\n');
    process.exitCode = 130;
  }
}
