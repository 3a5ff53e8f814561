import type { ChatMessage } from '@phaseline/contracts';
import { describe, expect, it } from 'vitest';
import { buildHookInput, type HookOccasion } from './build-input.js';
import { renderTranscript } from './render-transcript.js';

const session = { sessionId: 'job-1', transcriptPath: '/run/t.jsonl', root: '/workspace' };
const readText = () => undefined;
const call = { id: 'c1', tool: 'run_command', args: { program: 'npm', args: ['test'], cwd: 'app' } };
const tool = { tool_name: 'Bash', tool_input: { command: 'npm test', description: 'Runs a command in the workspace' } };
const common = {
  session_id: 'job-1',
  transcript_path: '/run/t.jsonl',
  cwd: '/workspace',
  permission_mode: 'default',
};

describe('the input of each hook point', () => {
  it.each<[HookOccasion, object]>([
    [
      { point: 'SessionStart', source: 'startup', model: 'm' },
      { source: 'startup', model: 'm' },
    ],
    [{ point: 'SessionStart', source: 'fork' }, { source: 'fork' }],
    [{ point: 'UserPromptSubmit', prompt: 'Do it.' }, { prompt: 'Do it.' }],
    [
      { point: 'PreToolUse', call, readText },
      { ...tool, tool_use_id: 'c1', cwd: '/workspace/app' },
    ],
    [
      { point: 'PermissionRequest', call, readText },
      { ...tool, cwd: '/workspace/app' },
    ],
    [
      { point: 'PostToolUse', call, readText, result: { text: 'ok' }, durationMs: 5 },
      {
        ...{ ...tool, tool_use_id: 'c1', cwd: '/workspace/app', duration_ms: 5 },
        tool_response: { stdout: 'ok', stderr: '', interrupted: false, isImage: false },
      },
    ],
    [
      { point: 'PostToolUseFailure', call, readText, error: 'Exit code 1\nbad' },
      { ...tool, tool_use_id: 'c1', cwd: '/workspace/app', error: 'Exit code 1\nbad', is_interrupt: false },
    ],
    [
      { point: 'TaskCompleted', task: { id: 't1', subject: 'Write the plan', description: 'all' } },
      { task_id: 't1', task_subject: 'Write the plan', task_description: 'all' },
    ],
    [
      { point: 'Stop', isRepeated: true, lastMessage: 'Done.' },
      { stop_hook_active: true, last_assistant_message: 'Done.' },
    ],
    [
      { point: 'SubagentStop', isRepeated: false },
      { stop_hook_active: false, agent_transcript_path: '/run/t.jsonl' },
    ],
    [{ point: 'PreCompact' }, { trigger: 'auto', custom_instructions: '' }],
    [{ point: 'SessionEnd' }, { reason: 'other' }],
    [
      { point: 'Notification', message: 'A person is asked.', type: 'permission_prompt' },
      { message: 'A person is asked.', notification_type: 'permission_prompt' },
    ],
  ])('%j', (occasion, members) => {
    expect(buildHookInput(session, occasion)).toEqual({ ...common, hook_event_name: occasion.point, ...members });
  });

  it('names the agent of a phase that is not of the main agent, the effort, and the server of an MCP tool', () => {
    const agent = { id: 'phase-1-2', type: 'tester-agent' };
    const mcp = { id: 'c1', tool: 'mcp__memory__store', args: {} };
    expect(
      buildHookInput({ ...session, agent, effort: 'low' }, { point: 'PreToolUse', call: mcp, readText }),
    ).toMatchObject({
      agent_id: 'phase-1-2',
      agent_type: 'tester-agent',
      effort: { level: 'low' },
      mcp_server: 'memory',
    });
  });
});

describe('the transcript', () => {
  it('has a line per message with the tools of the protocol, and is the same each time', () => {
    const messages = [
      { role: 'system', content: 'secret instructions' },
      { role: 'user', content: 'Begin.' },
      {
        role: 'assistant',
        content: 'I read.',
        toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"a"}' }],
      },
      { role: 'tool', callId: 'c1', content: 'text of a' },
    ] as unknown as readonly ChatMessage[];
    const terms = { sessionId: 'job-1', root: '/workspace' };
    const text = renderTranscript(messages, terms);
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; uuid: string; parentUuid: string | null; message: unknown });
    expect(lines.map(({ type, message }) => [type, message])).toEqual([
      ['user', { role: 'user', content: 'Begin.' }],
      [
        'assistant',
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I read.' },
            { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/workspace/a' } },
          ],
        },
      ],
      ['user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'text of a' }] }],
    ]);
    expect(lines.map(({ parentUuid }) => parentUuid)).toEqual([null, lines[0]!.uuid, lines[1]!.uuid]);
    expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(3);
    expect(renderTranscript(messages, terms)).toBe(text);
  });
});
