import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WireServer } from '@phaseline/harness';
import { createWorkflowPolicy } from '@phaseline/stuck';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

const PAGE = 'docs/how-to/sandbox.md';
const SECRET = 'a-value-that-only-the-service-has';

let model: WireServer;
let agents: string;
beforeAll(async () => {
  const page = await readFile(fileURLToPath(new URL(`../../${PAGE}`, import.meta.url)), 'utf8');
  // The model does what the instructions of the page say.
  const [, instructions] = /instructions\.md" <<'END'\n([^]*?)\nEND/.exec(page)!;
  const commands = [...instructions!.matchAll(/^- (.*)$/gm)].map(([, command]) => command!);
  const work = commands.map((command) => [['run_command', { command }] as [string, object]]);
  model = await WireServer.start(
    createWorkflowPolicy({ todos: ['Run them', 'Read', 'Compare', 'Check', 'Report'], work: [work] }),
  );
});
afterAll(() => model.close());
beforeEach(async () => {
  agents = await mkdtemp(join(tmpdir(), 'phaseline-agents-'));
  // The reader may be another user than the one who runs the spec.
  await chmod(agents, 0o777);
});
afterEach(() => rm(agents, { recursive: true, force: true }));

// Where bubblewrap is missing, `auto` chooses unshare.
const cases = (['bubblewrap', 'unshare'] as const).flatMap((mode) =>
  findReaders(`sandbox ${mode}`).map((as) => ({ as, mode })),
);

it.each(cases)(
  'the page of the sandbox can be followed as $as with $mode',
  { timeout: 800_000 },
  async ({ as, mode }) => {
    const blocks = await followPage(PAGE, {
      as,
      env: {
        PHASELINE_AGENTS_DIR: agents,
        PHASELINE_SANDBOX: mode,
        PHASELINE_MODEL: 'scripted',
        PHASELINE_CONTEXT_TOKENS: '1000000',
        OPENAI_BASE_URL: model.baseUrl,
        OPENAI_API_KEY: 'test',
        SECRET_OF_SERVICE: SECRET,
      },
    });
    const [, results, connections, stopped] = blocks.map(({ output }) => output);
    const commands = parseLines(results!).filter((data) => JSON.stringify(data).includes('stdout'));
    expect(JSON.stringify(commands[0])).toMatch(/1000\\n\/workspace\\n/);
    expect(results).not.toContain(SECRET);
    expect(results).not.toContain('DATABASE_URL');
    expect(results).toContain('127.0.0.1');
    expect(parseLines(connections!)).toMatchObject([
      { host: 'metadata.example', port: 80, outcome: 'refused', bytesSent: 0, bytesReceived: 0 },
    ]);
    expect(parseLines(stopped!)).toMatchObject([{ limit: 'time', value: 10_000 }]);
  },
);

/** Data of the events that a block printed as JSON Lines. */
function parseLines(output: string): readonly Record<string, unknown>[] {
  return output.split('\n').map((line) => (JSON.parse(line) as { data: Record<string, unknown> }).data);
}
