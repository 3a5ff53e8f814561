import { join, resolve } from 'node:path';
import type { VerifierDefinition } from '@phaseline/contracts';
import { resolveVerifier } from '@phaseline/definitions';
import { Sandbox } from '@phaseline/sandbox';
import { sandboxFields, toSandboxSettings } from '@phaseline/service';
import { CallSecrets } from '@phaseline/tools';
import { runVerifier, VerifierFolders, type VerifierResult } from '@phaseline/verification';
import { claimFolder, type BlobReader } from '@phaseline/workspace';
import { z } from 'zod';
import type { CommandContext } from '../command/command-context.js';
import { FolderUnusable, SecretNotSet } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { getHomeDirectory } from '../connection/home-directory.js';
import { toPrintable } from '../output/printable.js';
import { findVerifiers } from './find-verifiers.js';
import { readFolderTree, type FolderTree } from './folder-tree.js';

interface RunOptions {
  readonly dir: string;
  readonly begin?: string;
  readonly output?: boolean;
}

/**
 * `phaseline verifiers run AGENT VERIFIER`: runs a verifier on a folder as on the workspace of a job. Exit code 1 unless it passes. Throws
 * UnknownDefinition, InvalidDefinitions, FolderUnusable and SecretNotSet.
 */
export async function runVerifierOnFolder(
  context: CommandContext,
  agent: string,
  name: string,
  options: RunOptions,
): Promise<ExitCode> {
  const { env, currentDirectory, signal } = context;
  const definition = await resolveVerifier(name, {
    agent: await findVerifiers(env, agent),
    submitted: undefined,
    readRepositoryFile: () => Promise.resolve(undefined),
  });
  const claimed = await readFolder(resolve(currentDirectory, options.dir), definition);
  const begin =
    options.begin === undefined ? claimed : await readFolder(resolve(currentDirectory, options.begin), definition);
  const secrets = new CallSecrets({ readSecrets: (names) => Promise.resolve(readVariables(names, env)) });
  const filled = await secrets.fill(definition.env ?? {}, definition.secrets, env);
  const root = await claimFolder(join(getHomeDirectory(env, currentDirectory), 'verifiers'));
  try {
    const result = await runVerifier(
      { definition, claimed: claimed.tree, begin: begin.tree, env: filled, mask: secrets.mask },
      {
        sandbox: new Sandbox(toSandboxSettings(z.object(sandboxFields).parse(env))),
        folders: new VerifierFolders(root.folder),
        blobs: joinBlobs(claimed.blobs, begin.blobs),
        signal,
      },
    );
    write(context, name, result, options.output === true);
    return result.outcome === 'passed' ? exitCode.ok : exitCode.failed;
  } finally {
    await root.release();
  }
}

function write({ out }: CommandContext, name: string, result: VerifierResult, isOutputShown: boolean): void {
  const text = Buffer.from(result.output).toString();
  if (out.isStructured) {
    const { output: _output, screenshots, ...rest } = result;
    const paths = screenshots?.map(({ path }) => path);
    out.writeDocument({ verifier: name, ...rest, screenshots: paths, ...(isOutputShown ? { output: text } : {}) });
    return;
  }
  out.writeLines(...describeResult(name, result));
  if (isOutputShown) out.writeLines('', ...text.trimEnd().split('\n').map(toPrintable));
}

function describeResult(name: string, { outcome, reason, tests, coverage, changedInputs }: VerifierResult): string[] {
  return [
    `${name}: ${outcome}`,
    toPrintable(reason),
    ...(tests
      ? [`Tests: ${tests.ran} ran, ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`]
      : []),
    ...(coverage ? [`Coverage: ${coverage.coveredLines} of ${coverage.totalLines} lines`] : []),
    ...(changedInputs.length > 0
      ? ['Put back as they were when the work began:', ...changedInputs.map((path) => `  ${toPrintable(path)}`)]
      : []),
  ];
}

async function readFolder(folder: string, definition: VerifierDefinition): Promise<FolderTree> {
  return readFolderTree(folder, definition).catch((cause: unknown) => {
    const { code, path } = cause as NodeJS.ErrnoException;
    throw new FolderUnusable(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? `There is no folder ${folder}. Pass an existing one with --dir or --begin.`
        : `The folder cannot be read: ${path ?? folder} (${code ?? String(cause)}).`,
      { cause },
    );
  });
}

/** Here, secrets are variables of the same name: this command has no store of secrets. */
function readVariables(names: readonly string[], env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const missing = names.filter((name) => env[name] === undefined);
  if (missing.length > 0)
    throw new SecretNotSet(
      `The verifier uses the secret ${missing.join(', ')}. Set a variable of that name to run it here.`,
    );
  return Object.fromEntries(names.map((name) => [name, env[name]!]));
}

function joinBlobs(first: BlobReader, second: BlobReader): BlobReader {
  return { get: async (hash) => (await first.get(hash)) ?? second.get(hash) };
}
