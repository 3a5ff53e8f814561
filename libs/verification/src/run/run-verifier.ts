import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretMask } from '@phaseline/basics/secrets';
import { ToolError, type VerifierDefinition, type VerifierReads } from '@phaseline/contracts';
import type { Sandbox } from '@phaseline/sandbox';
import type { BlobReader, Tree } from '@phaseline/workspace';
import { planCheckout, type CheckoutPlan, type CheckoutTrees } from '../checkout/plan-checkout.js';
import { ContentMissing, writeFiles, writeLinks } from '../checkout/write-checkout.js';
import { decideOutcome, isComplete, shortenReason, type VerifierOutcome } from '../report/decide-outcome.js';
import { readCoverage, readReports, readScreenshots, removeReports, type Screenshot } from '../report/report-files.js';
import type { Coverage, IsFileName, TestCase, TestCounts } from '../report/report.js';
import { copyDependencies, SetupFailed, withDependencies } from '../setup/install-dependencies.js';
import type { RunFolders, VerifierFolders } from '../setup/verifier-folders.js';
import { BROWSER_VARIABLE, findBrowser } from './find-browser.js';
import { createRunCommand, type RunCommand } from './run-command.js';
import { buildQueryArguments, buildRequestArguments } from './shipped-programs.js';

const DEFAULT_TIMEOUT_MS = 300_000;

export interface VerifierRun extends CheckoutTrees {
  readonly definition: VerifierDefinition;
  /** Variables of the definition with their secrets filled in; as written in the definition if absent. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Masks secrets in the output. */
  readonly mask?: SecretMask | undefined;
}

export interface VerifierHost {
  readonly sandbox: Sandbox;
  readonly folders: VerifierFolders;
  /** Contents of the files of both trees. */
  readonly blobs: BlobReader;
  readonly signal: AbortSignal;
}

export interface VerifierResult {
  /** `error`: it could not be run, which says nothing about the files. */
  readonly outcome: VerifierOutcome;
  /** For the model, at most 500 characters, without any output. */
  readonly reason: string;
  readonly tests?: TestCounts | undefined;
  readonly cases?: readonly TestCase[] | undefined;
  /** Whether the command ended by itself and `cases` are all tests of its report, so that a test that is absent did not run. */
  readonly isComplete?: boolean | undefined;
  readonly coverage?: Coverage | undefined;
  /** Screenshots of the kind `browser`. */
  readonly screenshots?: readonly Screenshot[] | undefined;
  /** Inputs that the claimed files changed, deleted, or added where that is not accepted. The run did not see these changes. */
  readonly changedInputs: readonly string[];
  /** Output of the run, at most about 2 MiB. */
  readonly output: Uint8Array;
  readonly durationMs: number;
}

/**
 * Runs a verifier on a fresh checkout of the claimed files, with every input as it was when the work began. Nothing of the run remains on
 * disk but the cache that its set-up wrote. What the files or the definition cause is part of the result. Throws the reason of `signal`
 * when it is aborted, and the error of a disk or database that fails.
 */
export async function runVerifier(run: VerifierRun, host: VerifierHost): Promise<VerifierResult> {
  const startedAt = performance.now();
  const plan = planCheckout(run.definition, run);
  const ended = await runOnCheckout(run, plan, host).catch((error: unknown) => {
    host.signal.throwIfAborted();
    return describeError(error);
  });
  const { output, ...rest } = ended;
  return {
    ...rest,
    changedInputs: plan.changedInputs,
    output: Buffer.from(output),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

type Ended = Pick<
  VerifierResult,
  'outcome' | 'reason' | 'tests' | 'cases' | 'isComplete' | 'coverage' | 'screenshots'
> & {
  readonly output: string;
};

async function runOnCheckout(run: VerifierRun, plan: CheckoutPlan, host: VerifierHost): Promise<Ended> {
  const { definition, mask } = run;
  const { sandbox, folders, blobs, signal } = host;
  const { path, maxMemoryBytes, maxProcesses, setup } = definition;
  const own = run.env ?? definition.env ?? {};
  const env = definition.kind === 'browser' ? { [BROWSER_VARIABLE]: await findBrowser(sandbox, path), ...own } : own;
  const runCommand = createRunCommand({ sandbox, path, maxMemoryBytes, maxProcesses, mask, signal });
  const owner = await sandbox.getOwner();
  const verify = (dependencies?: string): Promise<Ended> =>
    folders.withRun(owner, async (place) => {
      await writeFiles(place.folder, plan.files, blobs);
      const cwd = definition.folder ?? '';
      await mkdir(join(place.folder, cwd), { recursive: true });
      if (dependencies !== undefined) await copyDependencies(dependencies, join(place.folder, cwd));
      await writeLinks(place.folder, plan.files, blobs);
      const { workspace } = await sandbox.getPaths(place);
      const isFileName = createFileNames(plan.files, cwd, join(workspace, cwd));
      return runCommandOf(definition, { place, cwd, env, runCommand, isFileName });
    });
  if (!setup) return verify();
  return withDependencies(setup, { files: plan.setupFiles, env }, { folders, owner, blobs, run: runCommand }, verify);
}

interface Prepared {
  readonly place: RunFolders;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly runCommand: RunCommand;
  readonly isFileName: IsFileName;
}

/** Recognises the paths of files as a program that runs in `folder` writes them: absolute, or relative to it. */
function createFileNames(files: Tree, cwd: string, folder: string): IsFileName {
  const prefix = cwd === '' ? '' : `${cwd}/`;
  return (text) =>
    Object.hasOwn(files, `${prefix}${text.startsWith(`${folder}/`) ? text.slice(folder.length + 1) : text}`);
}

async function runCommandOf(definition: VerifierDefinition, prepared: Prepared): Promise<Ended> {
  const { place, cwd, env, runCommand } = prepared;
  const { argv, reads } = getCommand(definition);
  // The shipped programs report no files. A file that is called `query 1` must not hide the first query.
  const isFileName: IsFileName = definition.argv ? prepared.isFileName : () => false;
  const folder = join(place.folder, cwd);
  await removeReports(folder, definition, reads);
  const { network, services, timeoutMs = DEFAULT_TIMEOUT_MS } = definition;
  const end = await runCommand({ argv, cwd, env, network, services, timeoutMs, folders: place });
  const { notReady } = end;
  if (notReady)
    return {
      outcome: 'failed',
      reason: `Service ${notReady.number} of the verifier ${notReady.reason}.`,
      output: end.output,
    };
  const output =
    end.stdout === undefined
      ? { incomplete: 'the standard output is too long; write the report to a file' }
      : { text: end.stdout };
  const report = await readReports(folder, definition, reads, { output, isFileName });
  const decided = decideOutcome(end, report, reads, definition.minTests ?? 1);
  const coverage = await readCoverage(folder, definition, reads);
  const screenshots = await readScreenshots(folder, definition);
  return {
    ...decided,
    ...('unreadable' in report
      ? {}
      : { tests: report.tests, cases: report.cases, isComplete: isComplete(end, report) }),
    coverage,
    screenshots,
    output: end.output,
  };
}

/** Returns the command line of a definition, and how its outcome is read. */
function getCommand({ argv, requests, queries, reads }: VerifierDefinition): {
  readonly argv: readonly string[];
  readonly reads: VerifierReads;
} {
  const shipped = requests ? buildRequestArguments(requests) : queries && buildQueryArguments(queries);
  if (shipped) return { argv: ['node', ...shipped], reads: { tap: 'stdout' } };
  // The schema of definitions requires one of the three.
  return { argv: argv!, reads: reads ?? { exitCode: true } };
}

function describeError(error: unknown): Ended {
  if (!(error instanceof SetupFailed || error instanceof ToolError || error instanceof ContentMissing)) throw error;
  const output = error instanceof SetupFailed ? error.output : '';
  return { outcome: 'error', reason: shortenReason(error.message), output };
}
