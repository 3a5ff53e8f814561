import { fileURLToPath } from 'node:url';
import type { RehearsalPolicy } from '@phaseline/rehearsal';
import { shortWorkflow } from './short-workflow.fixture.js';

const mcpServer = fileURLToPath(new URL('../../libs/mcp/src/servers/sdk-server.fixture.mjs', import.meta.url));
/** Definitions of an agent that uses the secret TOKEN, by path. */
export const definitions: Readonly<Record<string, string>> = {
  'agents/user/agent.yaml': `
name: user
displayName: User
description: Uses secrets.
workflow: short
tools: { workspace: [read_file], domain: [run_command, mcp__spec__env, mcp__spec__fail, mcp__spec__crash, fetch_url] }
todos: { min: 1, max: 5 }
approvals: { tools: [] }
settings:
  commands:
    allow: [node]
    secrets: [TOKEN]
    env: { TOKEN: '\${secret:TOKEN}' }
    maxOutputBytes: 512
  mcp:
    servers:
      spec:
        command: ${process.execPath}
        args: [${JSON.stringify(mcpServer)}, stdio]
        secrets: [TOKEN]
        env: { TOKEN: '\${secret:TOKEN}' }
`,
  'agents/user/instructions.md': '# Use it\n',
  ...shortWorkflow,
};

const call = (name: string, args: object) => ({ name, arguments: args as never });
const node = (script: string) => call('run_command', { program: 'node', args: ['-e', script] });
const ENCODINGS = `const t = process.env.TOKEN; const b = Buffer.from(t);
console.log(t, encodeURIComponent(t), b.toString('hex'), b.toString('base64'), Buffer.from('u:' + t).toString('base64'), JSON.stringify({ t }));`;
const commit = `const { TOKEN } = process.env; const git = (...args) => require('child_process').execFileSync('/usr/bin/git', args);
require('fs').writeFileSync('key.txt', 'before ' + TOKEN + ' after\\n'); git('add', 'key.txt'); git('commit', '--quiet', '-m', 'add ' + TOKEN);`;
/** Builds a model that passes the secret to tools; `isCommitting` says whether a job commits it to its repository instead. */
export const createPolicy = (isCommitting: () => boolean): RehearsalPolicy => ({
  name: 'user',
  matches: () => true,
  answer: ({ messages, toolNames }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    if (toolNames.includes('job_complete'))
      return { calls: [call('job_complete', { summary: 'Done', deliverables: [], confidence: 1 })] };
    if (toolNames.includes('todo_write'))
      return {
        calls: [
          call('todo_write', { phase: 'Work', description: 'Do it.', todos: [{ content: 'Do it' }] }),
          call('todo_complete', { note: 'planned' }),
        ],
      };
    if (isCommitting())
      return {
        calls:
          turn === 0
            ? [call('run_command', { program: 'node', args: ['-e', commit], cwd: 'repository' })]
            : [call('todo_complete', { note: 'done' })],
      };
    const steps = [
      [node(ENCODINGS), node(`${ENCODINGS} process.exit(3)`)],
      [
        node(
          `require('fs').writeFileSync('work.txt', process.env.TOKEN); require('fs').writeFileSync('a' + process.env.TOKEN.slice(-8), Buffer.from(process.env.TOKEN).toString('base64'))`,
        ),
      ],
      [
        node(
          `process.stdout.write('.'.repeat(245) + process.env.TOKEN + '.'.repeat(4000) + process.env.TOKEN + '.'.repeat(245))`,
        ),
      ],
      [
        node(`throw new Error(process.env.TOKEN)`),
        node(`console.log(process.env.DATABASE_URL, process.env.OPENAI_API_KEY, process.env.PHASELINE_API_KEYS)`),
      ],
      [call('mcp__spec__env', {}), call('mcp__spec__fail', {})],
      [call('mcp__spec__crash', {})],
      [call('fetch_url', { url: 'http://127.0.0.1:1/' })],
    ];
    return { calls: steps[turn] ?? [call('todo_complete', { note: 'done' })] };
  },
});
