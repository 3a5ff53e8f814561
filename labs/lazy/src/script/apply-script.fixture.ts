import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Task } from '../tasks/task.js';
import type { Files } from '../truth/files.js';
import type { Call } from './call.js';
import type { FeatureScript } from './feature-script.js';
import type { Answers, Script } from './script.js';

const run = promisify(execFile);

/** Carries the calls of a script out on a folder, without the engine. Returns the final files. Calls that fail change nothing. */
export async function applyScript(task: Task, script: Script | FeatureScript): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), 'lazy-apply-'));
  try {
    for (const { path, content } of [...task.documents, ...task.files]) await write(folder, path, content);
    for (const answer of listAnswers(script))
      for (const call of typeof answer === 'function' ? answer(3) : answer)
        await applyCall(folder, call).catch(() => undefined);
    return await readAll(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function listAnswers(script: Script | FeatureScript): Answers {
  if ('list' in script) return script.list.flatMap(({ id }) => [...script.code(id), ...script.test(id)]);
  return [...script.explore, ...script.phases.flatMap(({ work }) => work), ...script.review, ...script.conclude];
}

async function applyCall(folder: string, [name, args = {}]: Call): Promise<void> {
  const {
    path = '',
    content = '',
    args: argv = [],
    code = '',
  } = args as {
    path?: string;
    content?: string;
    args?: string[];
    code?: string;
  };
  if (name === 'write_file') await write(folder, path, content);
  else if (name === 'append_file') await write(folder, path, content, 'a');
  else if (name === 'delete_file') await rm(join(folder, path));
  // A run of tests changes no file.
  else if (name === 'run_command' && argv[0] !== '--test') await run(process.execPath, argv, { cwd: folder, env: {} });
  else if (name === 'run_script') {
    const tools = { write_file: (file: { path: string; content: string }) => write(folder, file.path, file.content) };
    const script = new Function('tools', `return (async () => { ${code} })();`) as (
      given: typeof tools,
    ) => Promise<void>;
    await script(tools);
  }
}

async function write(folder: string, path: string, content: string, flag = 'w'): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content, { flag });
}

async function readAll(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries)
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(folder.length + 1), await readFile(path, 'utf8'));
    }
  return files;
}
