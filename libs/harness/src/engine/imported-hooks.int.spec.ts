import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listConversation } from '@phaseline/context';
import { loadDefinitions } from '@phaseline/definitions';
import { modelProfileSchema } from '@phaseline/model';
import { importFiles, readGuardFiles } from '@phaseline/hooks';
import { GuardSetFolders } from '@phaseline/hooks/runner';
import { createCommandsPack, createGuardsPack, DiskFolders } from '@phaseline/remote-packs';
import { Sandbox } from '@phaseline/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine, type EngineOptions, type Reply } from './engine.js';
import { toolsWith } from './fork.fixture.js';
import { call, calls, createThreePhasePolicy } from './scripts.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();
const REPOSITORY = join(import.meta.dirname, '../../../..');
const FIXTURE = join(REPOSITORY, 'libs/hooks/src/fixtures/claude');

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'imported-hooks-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

let agents = 0;

/** Writes an agent with a guard set as the import does, and loads it. `put` writes the files of the set. */
async function loadAgent(put: (folder: string) => Promise<void>, terms: Record<string, unknown> = {}) {
  const dir = join(root, `agents-${(agents += 1)}`);
  const set = join(dir, 'worker/guards/team');
  await mkdir(join(set, 'files'), { recursive: true });
  await put(join(set, 'files'));
  const { version } = importFiles(await readGuardFiles(join(set, 'files')));
  await writeFile(join(set, 'guard-set.yaml'), JSON.stringify({ name: 'team', owner: 'ada', version, ...terms }));
  await writeFile(join(dir, 'worker/instructions.md'), 'Work.');
  await writeFile(
    join(dir, 'worker/agent.yaml'),
    JSON.stringify({
      name: 'worker',
      displayName: 'Worker',
      description: 'Works.',
      instructions: 'instructions.md',
      tools: { workspace: ['read_file'] },
    }),
  );
  const shipped = (name: string) => join(REPOSITORY, name);
  const { agents: loaded } = await loadDefinitions({
    agentsDir: [dir],
    workflowsDir: shipped('workflows'),
    modelsDir: shipped('models'),
    modelSchema: modelProfileSchema,
    variables: { PHASELINE_MODEL: 'm', PHASELINE_MODEL_URL: 'http://127.0.0.1' },
  });
  const { definition, files } = loaded.get('worker')!;
  return { guards: definition.guards ?? [], files };
}

/** Runs a job whose second phase gives these answers, with commands and hooks in the real sandbox. */
async function play(
  agent: Awaited<ReturnType<typeof loadAgent>>,
  work: readonly Reply[],
  more: EngineOptions['agent'] = {},
) {
  const sandbox = new Sandbox({ mode: 'auto' });
  const workFolders = new DiskFolders(join(root, 'work'));
  const made: { engine?: Engine } = {};
  const seen: string[] = [];
  const policy = createThreePhasePolicy(work);
  made.engine = new Engine({
    store: opened.store,
    policy: (request, signal) => {
      seen.push(request.messages.map(({ content }) => content).join('\n'));
      return policy(request, signal);
    },
    packs: [
      createCommandsPack({ folders: workFolders, sandbox }),
      createGuardsPack({
        sandbox,
        workFolders,
        setFolders: new GuardSetFolders(join(root, 'sets')),
        readPhase: (jobId, phase) => made.engine!.repository.loadPhase(jobId, phase),
        listMessages: listConversation,
      }),
    ],
    agent: {
      tools: toolsWith('run_command', 'edit_file', 'delete_file'),
      settings: { commands: { shell: true } },
      guards: agent.guards,
      ...more,
    },
    files: agent.files,
  });
  const subject = made.engine;
  const jobId = await subject.submitAndRun();
  const events = await subject.phaseEvents(jobId, 2);
  const read = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
  const { tree } = await subject.loadPhase(jobId, 2);
  return { subject, jobId, seen, read, files: Object.keys(tree), job: await subject.loadJob(jobId) };
}

const write = (path: string, content = 'text') => ['write_file', { path, content }] as [string, object];

describe('the hooks of document 003, imported unchanged', () => {
  it('decide about the calls of a job', async () => {
    const agent = await loadAgent((folder) => cp(FIXTURE, folder, { recursive: true }));
    const { read, files, job } = await play(agent, [
      calls(
        write('feature-list.json', '[{"id":1,"tested": true}]'),
        write('work/summary.md'),
        write('src/main.ts'),
        write('my-note.md'),
        write('long.log', 'line\n'.repeat(1_001)),
      ),
      call('read_file', { path: 'long.log' }),
      call('run_command', { command: 'mkdir -p /tmp/test-evidence && echo ok > /tmp/test-evidence/run.log' }),
      calls(write('feature-list.json', '[{"id":1,"tested": true}]')),
    ]);
    const denied = read('ToolCallDenied').map(({ message }) => message);
    expect(denied).toEqual([
      expect.stringContaining('No feature is tested without evidence.'),
      expect.stringContaining('Only coding-agent writes under src/.'),
      expect.stringContaining("no member 'content'"),
      expect.stringContaining('long.log has 1001 lines. Search it with Grep instead.'),
    ]);
    expect(files).toEqual(expect.arrayContaining(['summaries/summary.md', 'feature-list.json', 'long.log']));
    expect(files).not.toEqual(expect.arrayContaining(['work/summary.md']));
    expect(files.filter((path) => path.startsWith('.claude'))).toEqual([]);
    expect(job.status).toBe('completed');
  });
});

/** A guard set with one hook per event, each a shell script. */
const scripts =
  (hooks: Readonly<Record<string, string>>, matcher = '*') =>
  async (folder: string): Promise<void> => {
    const entries = Object.keys(hooks).map((event) => [
      event,
      [{ matcher, hooks: [{ type: 'command', command: `sh .claude/${event}.sh` }] }],
    ]);
    await writeFile(join(folder, 'settings.json'), JSON.stringify({ hooks: Object.fromEntries(entries) }));
    for (const [event, text] of Object.entries(hooks)) await writeFile(join(folder, `${event}.sh`), text);
  };

describe('an imported hook', () => {
  it('reads the conversation as a transcript, and changes no file of the job', async () => {
    const agent = await loadAgent(
      scripts(
        {
          PreToolUse: [
            'input=$(cat)',
            'echo broken > kept.md; echo new > new.md; echo x > .claude/own.sh 2>/dev/null',
            'path=$(printf %s "$input" | sed \'s/.*"transcript_path":"\\([^"]*\\)".*/\\1/\')',
            'grep -q \'"type":"tool_use"\' "$path" || { echo "no transcript" >&2; exit 2; }',
          ].join('\n'),
        },
        'Write',
      ),
    );
    const { read, files, subject, jobId } = await play(agent, [
      calls(write('kept.md', 'kept')),
      calls(write('second.md')),
      call('run_command', { command: 'cat kept.md; ls' }),
    ]);
    expect(read('ToolCallDenied')).toEqual([]);
    expect(files).not.toContain('new.md');
    const shown = read('ToolCallCompleted').find(({ content }) => String(content).includes('stdout:\nkept'));
    expect(shown).toBeDefined();
    expect(String(shown!['content'])).not.toContain('new.md');
    expect((await subject.loadJob(jobId)).status).toBe('completed');
  });

  it('replaces a result and gives feedback, and hears of failures', async () => {
    const agent = await loadAgent(
      scripts({
        PostToolUse: `grep -q '"tool_name":"Bash"' && echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"masked output","stderr":""},"additionalContext":"do not print keys"}}'; exit 0`,
        PostToolUseFailure: `if grep -q 'none.md'; then echo "look for the file first" >&2; exit 2; fi`,
      }),
    );
    const { seen, read } = await play(agent, [
      call('run_command', { command: 'echo very-private' }),
      call('read_file', { path: 'none.md' }),
    ]);
    const after = seen.find((text) => text.includes('masked output'))!;
    expect(after).toContain('do not print keys');
    expect(after).not.toContain('stdout:\nvery-private');
    expect(seen.some((text) => text.includes('look for the file first'))).toBe(true);
    expect(JSON.stringify(read('ToolCallCompleted'))).toContain('very-private');
  });

  it.each([
    ['denies by default when it fails', 'exit 7', ['my-file.md'], 1],
    ['denies when its time is over', 'sleep 30', ['my-file.md'], 1],
  ])('%s', async (_what, script, paths, denials) => {
    const settings = {
      hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: script, timeout: 1 }] }] },
    };
    const agent = await loadAgent((folder) => writeFile(join(folder, 'settings.json'), JSON.stringify(settings)));
    const { read } = await play(agent, [calls(...paths.map((path) => write(path)))]);
    expect(read('ToolCallDenied')).toHaveLength(denials);
  });
});
