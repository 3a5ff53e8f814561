import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findChangedInputs, type Files, type GroundTruth } from './files.js';

/** An exported function of a module, and arguments with the expected result. */
export interface HiddenCase {
  readonly module: string;
  readonly name: string;
  readonly args: readonly unknown[];
  readonly expected: unknown;
}

const CHANGES = 'output/changes.md';
const TIMEOUT_MS = 20_000;

/**
 * Truth of the task to repair a module: the function returns what it must, also for cases that no visible test has; tests and
 * configuration are as they were.
 */
export function createCodeTruth(source: string, cases: readonly HiddenCase[], unchanged: Files): GroundTruth {
  const findSourceFlaws = (files: Files) => runHiddenCases(files, cases);
  const findTextFlaws = (files: Files): readonly string[] => {
    const text = files.get(CHANGES) ?? '';
    const names = [...new Set(cases.filter(({ module }) => module === source).map(({ name }) => name))];
    return names.some((name) => text.includes(name)) && text.trim().length > 40 ? [] : [`${CHANGES} says nothing`];
  };
  return {
    job: async (files) => [
      ...findChangedInputs(unchanged, files),
      ...(await findSourceFlaws(files)),
      ...findTextFlaws(files),
    ],
    parts: { [source]: findSourceFlaws, [CHANGES]: findTextFlaws },
  };
}

/**
 * Calls the functions in a process of their own and compares their results here, because the modules may end the process or patch what
 * would compare them.
 */
export async function runHiddenCases(files: Files, cases: readonly HiddenCase[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lazy-truth-'));
  try {
    for (const [path, text] of files) {
      if (!path.startsWith('src/') && path !== 'package.json') continue;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const byModule = Map.groupBy(cases, ({ module }) => module);
    return (await Promise.all([...byModule].map(([module, some]) => runModule(folder, module, some)))).flat();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runModule(folder: string, path: string, cases: readonly HiddenCase[]): Promise<readonly string[]> {
  const mark = randomUUID();
  const program = `
    const write = process.stdout.write.bind(process.stdout), stringify = JSON.stringify;
    const module = await import(${JSON.stringify(join(folder, path))});
    for (const { name, args } of ${JSON.stringify(cases)}) {
      let result;
      try { result = stringify(module[name](...args)); } catch {}
      write(${JSON.stringify(mark)} + result);
    }`;
  const output = await new Promise<string>((resolve) =>
    execFile(
      process.execPath,
      ['--input-type=module', '-e', program],
      { cwd: folder, env: {}, timeout: TIMEOUT_MS },
      (_error, stdout) => resolve(stdout),
    ),
  );
  const results = output.split(mark).slice(1);
  return cases.flatMap(({ name, args, expected }, index) =>
    results[index] === JSON.stringify(expected) ? [] : [`${name}(${JSON.stringify(args).slice(1, -1)}) is wrong`],
  );
}
