// Checks a change before it is pushed: types, lint of the changed files, and the specs of the changed projects.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

const help = `Usage: npm run check -- [--base REF]

Checks what changed since the merge base with REF, including files that are not committed.

  types    all projects, incrementally
  format   changed files
  lint     changed TypeScript files and package.json files
  cycles   import cycles, all projects
  unused   exports, files and dependencies that nothing uses, all projects
  specs    of the changed projects: the unit specs that import a changed file, and changed integration specs

  --base REF   branch or commit to compare with (default: origin/main, else main, else HEAD)

This covers most changes; a first run takes longer, because it checks all types. It does not run specs of other projects that use what you
changed, nor unchanged specs that need a server. CI runs everything: .ci/run.
`;

const { values } = parseArgs({ options: { base: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

function findBase() {
  for (const ref of values.base ? [values.base] : ['origin/main', 'main', 'HEAD']) {
    try {
      return { ref, commit: git('merge-base', ref, 'HEAD') };
    } catch {
      // The next one.
    }
  }
  process.stderr.write(
    `There is no commit that ${values.base ?? 'main'} and HEAD have in common. Name another one with --base.\n`,
  );
  process.exit(2);
}

const base = findBase();
const lines = (text) => text.split('\n').filter(Boolean);
const changed = [
  ...lines(git('diff', '--name-only', base.commit)),
  ...lines(git('ls-files', '--others', '--exclude-standard')),
].filter((file) => existsSync(file));
const lintable = changed.filter((file) => /\.ts$|(^|\/)package\.json$/.test(file));
const projects = [
  ...new Set(
    changed.flatMap((file) => /^(libs\/packs\/[^/]+|(apps|labs|libs)\/[^/]+|test\/[^/]+)\//.exec(file)?.[0] ?? []),
  ),
].sort();

const children = new Set();
process.on('exit', () => children.forEach((child) => child.kill()));

/** Runs a command and prints its output in one piece when it fails. Returns whether it succeeded. */
function check(name, command, args) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    const output = [];
    child.stdout.on('data', (data) => output.push(data));
    child.stderr.on('data', (data) => output.push(data));
    child.on('error', (error) => output.push(Buffer.from(`${error.message}\n`)));
    child.on('close', (code) => {
      children.delete(child);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}, ${seconds} s\n`);
      if (code !== 0) process.stdout.write(`${Buffer.concat(output).toString()}\n`);
      resolve(code === 0);
    });
  });
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
process.stdout.write(`${count(changed.length, 'file')} changed since ${base.ref} (${base.commit.slice(0, 9)})\n`);

async function checkFiles() {
  if (changed.length === 0) return true;
  const isFormatted = await check('format', 'prettier', [
    '--check',
    '--log-level=warn',
    '--ignore-unknown',
    ...changed,
  ]);
  if (lintable.length === 0) return isFormatted;
  // Without this graph eslint skips the rule on imports between projects.
  const isClean =
    (await check('graph of the projects', 'nx', ['show', 'projects'])) &&
    (await check(`lint of ${count(lintable.length, 'file')}`, 'eslint', [
      '--no-warn-ignored',
      '--max-warnings=0',
      ...lintable,
    ]));
  const hasNoCycle = await check('cycles', 'npm', ['run', '--silent', 'cycles']);
  const isUsed = await check('unused', 'npm', ['run', '--silent', 'unused']);
  return isFormatted && isClean && hasNoCycle && isUsed;
}

async function checkSpecs() {
  if (projects.length === 0) return true;
  const args = ['run', '--mode', 'check', '--changed', base.commit, '--passWithNoTests', '--no-color', ...projects];
  const names = projects.map((project) => project.slice(0, -1)).join(', ');
  const arePassing = await check(`unit specs of ${names}`, 'vitest', args);
  const integration = changed.filter((file) => file.endsWith('.int.spec.ts'));
  if (integration.length === 0) return arePassing;
  const what = count(integration.length, 'integration spec');
  return (await check(what, 'vitest', ['run', '--mode', 'all', '--no-color', ...integration])) && arePassing;
}

const buildInfo = 'node_modules/.cache/check.tsbuildinfo';
const results = await Promise.all([
  // The native compiler takes a third of the time. CI checks with the compiler that the build uses.
  check('types', 'tsgo', ['-p', 'tsconfig.spec.json', '--noEmit', '--incremental', '--tsBuildInfoFile', buildInfo]),
  checkFiles(),
  checkSpecs(),
]);
process.exitCode = results.every(Boolean) ? 0 : 1;
