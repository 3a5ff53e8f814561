#!/usr/bin/env node
/**
 * Runs what of the Dockerfile can run without Docker: copies the files of the build context to a temporary folder, runs the steps of the build
 * stage there, and starts the program of every service of docker-compose.yml, which must load and then miss its settings. Not run: the base
 * image, apt-get, and the owners of folders. Takes two to four minutes: `node scripts/try-image.mjs`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What a program prints first of all when it has no setting at all. */
const MISSING_SETTING = /DATABASE_URL/;

/** Returns the commands of the first stage of a Dockerfile, in order. */
function listBuildCommands(dockerfile) {
  const [, first] = dockerfile.split(/^FROM .*$/m);
  return [...first.replaceAll('\\\n', ' ').matchAll(/^RUN (.*)$/gm)].map(([, command]) => command);
}

/** Copies what `COPY . .` would copy: all files but those of .dockerignore, which git ignores as well. */
function copyContext(to) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 };
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
  for (const file of new Set(files.split('\0').filter(Boolean)))
    cpSync(join(root, file), join(to, file), { recursive: true, force: true });
}

function runStep(name, command, cwd) {
  const began = Date.now();
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const { status } = spawnSync('sh', ['-ec', command], { cwd, stdio: 'inherit', env: { ...process.env, PATH: path } });
  if (status !== 0) throw new Error(`${name} failed with status ${status}`);
  console.log(`── ${name}: ok in ${Math.round((Date.now() - began) / 1000)} s`);
}

/** Starts a program without settings. It must find all its modules, and stop because of the settings. */
function startProgram(program, cwd) {
  const env = { PATH: process.env.PATH, PHASELINE_ENV_FILE: 'none', NODE_ENV: 'production' };
  const { stdout, stderr } = spawnSync(process.execPath, [program], { cwd, env, encoding: 'utf8', timeout: 60_000 });
  const said = `${stdout}${stderr}`;
  if (!MISSING_SETTING.test(said)) throw new Error(`${program} does not start:\n${said}`);
  console.log(`── ${program}: starts`);
}

const folder = mkdtempSync(join(tmpdir(), 'phaseline-image-'));
try {
  copyContext(folder);
  for (const command of listBuildCommands(readFileSync(join(root, 'Dockerfile'), 'utf8')))
    for (const step of command.split(' && ')) runStep(step, step, folder);
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  const programs = Object.values(services).flatMap(({ command = [] }) =>
    command.filter((part) => part.startsWith('dist/services/')),
  );
  for (const program of programs) startProgram(program, folder);
  runStep('phaseline --version', 'node apps/cli/dist/main.js --version', folder);
  runStep('make-keys', `node scripts/make-keys.mjs ${join(folder, 'keys')}`, folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
